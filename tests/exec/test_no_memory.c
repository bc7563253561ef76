/* Every allocation fails once: loading, making an instance, running, profiling, asking what a step reads. */
#include "support/no_memory.h"

#include "small.h"

static uint8_t *bytes;
static size_t size;

static vta_status use(vta_model *model, vta_diag *diag) {
    static const int8_t x[ELEMENTS] = {1, 2, 3};
    vta_instance *in;
    char *json = NULL;
    vta_status status = vta_instance_create(model, &(vta_instance_options){.no_host_view = true}, diag, &in);
    if (status == VTA_OK) status = vta_instance_set_input(in, 0, x, sizeof x, diag);
    if (status == VTA_OK) status = vta_instance_run(in, diag);
    if (status == VTA_OK) status = vta_instance_profile_json(in, diag, &json);
    vta_string_free(json);
    vta_instance_destroy(in);
    return status;
}

static vta_status all(void) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_model *model = NULL;
    vta_program *program = NULL;
    const uint32_t *steps;
    size_t count;
    vta_status status = diag ? vta_model_parse(bytes, size, "small", NULL, diag, &model) : VTA_NO_MEMORY;
    if (status == VTA_OK) status = use(model, diag);
    if (status == VTA_OK) status = vta_model_program(model, diag, &program);
    if (status == VTA_OK) status = vta_model_step_inputs(model, 0, diag, &steps, &count);
    vta_program_destroy(program);
    vta_model_release(model);
    vta_diag_destroy(diag);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    bytes = small_artifact(&size);
    check_every_allocation(all);
    vta_string_free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

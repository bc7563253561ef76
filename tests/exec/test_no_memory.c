/* Every allocation fails once: loading, making an instance, running, profiling, asking what a step reads. */
#include "support/no_memory.h"

#include "small.h"
#include "support/failing.h"

static uint8_t *bytes;
static size_t size;

/* A call that failed gives nothing: the pointer at `given`, which was something before, is NULL. */
static vta_status nothing_given(vta_status status, void *given) {
    if (status == VTA_OK) return status;
    void *is, *nothing = NULL;
    memcpy(&is, given, sizeof is);
    memcpy(given, &nothing, sizeof nothing);
    return is ? VTA_INTERNAL : status;
}

static vta_status use(vta_model *model, vta_diag *diag) {
    static const int8_t x[ELEMENTS] = {1, 2, 3};
    const vta_instance_options options = {.no_host_view = true};
    vta_instance *in = (vta_instance *)model;
    char *json = NULL;
    vta_status status = nothing_given(vta_instance_create(model, &options, diag, &in), &in);
    if (status == VTA_OK) status = vta_instance_set_input(in, 0, x, sizeof x, diag);
    if (status == VTA_OK) status = vta_instance_carry(in, 0, 0, diag);
    if (status == VTA_OK) status = vta_instance_run(in, diag);
    if (status == VTA_OK) {
        json = (char *)in;
        status = nothing_given(vta_instance_profile_json(in, diag, &json), &json);
    }
    vta_string_free(json);
    vta_instance_destroy(in);
    return status;
}

static vta_status all_from(const vta_allocator *allocator) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_model *model = (vta_model *)diag;
    vta_program *program = NULL;
    const uint32_t *steps;
    size_t count;
    vta_status status = VTA_NO_MEMORY;
    if (diag) status = nothing_given(vta_model_parse(bytes, size, "small", allocator, diag, &model), &model);
    if (status == VTA_OK) status = use(model, diag);
    if (status == VTA_OK) {
        program = (vta_program *)model;
        status = nothing_given(vta_model_program(model, diag, &program), &program);
    }
    if (status == VTA_OK) status = vta_model_step_inputs(model, 0, diag, &steps, &count);
    vta_program_destroy(program);
    vta_model_release(model);
    vta_diag_destroy(diag);
    return status;
}

static vta_status all(void) { return all_from(NULL); }

TEST_CASE(every_allocation) {
    bytes = small_artifact(&size);
    check_every_allocation(all);
    vta_string_free(bytes);
}

/* The caller's allocator, which fails once and then gives again: nothing goes on without what it did not get. */
TEST_CASE(one_of_the_callers) {
    long n = 0;
    bytes = small_artifact(&size);
    for (bool failed = true; failed; n++) {
        failing f = {.left = n};
        const vta_allocator allocator = {failing_resize, &f};
        vta_status status = all_from(&allocator);
        assert_int_equal(status, f.failed ? VTA_NO_MEMORY : VTA_OK);
        assert_int_equal(f.blocks, 0);
        failed = f.failed;
    }
    assert_true(n > 20);
    vta_string_free(bytes);
}

int main(void) { return run_cases(); }

/* Interrupts of an instance's run between two steps. */
#include "exec/exec_priv.h"
#include "small.h"
#include "support/diag.h"

static vta_instance *instance;
static vta_instance *to_interrupt; /* by the function; NULL: none */

/* A function of native code, during which somebody interrupts an instance. */
static int call(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
    (void)args, (void)codes, (void)n, (void)ret, (void)ret_code, (void)resource;
    vta_instance_interrupt(to_interrupt);
    return 0;
}

/* The small network, whose first step calls the function, so that it has zeros for x: y is 8 when all steps have run.
 */
static int begin(void **state) {
    (void)state;
    static const vt_plan_step calls = {.kind = VT_STEP_CALL, .name = "call", .function = "call"};
    vta_model *model;
    size_t size;
    diag = vta_diag_create(NULL);
    uint8_t *bytes = small_artifact(&size);
    must(vta_model_parse(bytes, size, "small.vta-model", NULL, diag, &model));
    vta_string_free(bytes);
    must(vta_instance_create(model, &(vta_instance_options){.driver = "sim"}, diag, &instance));
    vta_model_release(model);
    instance->steps[0].is = &calls;
    instance->steps[0].function = call;
    return 0;
}

static int end(void **state) {
    (void)state;
    vta_instance_destroy(instance);
    vta_diag_destroy(diag);
    return 0;
}

static void check_output(int8_t want) {
    int8_t y[ELEMENTS];
    must(vta_instance_get_output(instance, 0, y, sizeof y, diag));
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], want);
}

static uint64_t device_runs(void) { return vta_device_counters(vta_instance_device(instance)).runs; }

/* The step ends, and no other begins. */
static void within_a_step(void **state) {
    (void)state;
    to_interrupt = instance;
    says_error(vta_instance_run(instance, diag), VTA_INTERRUPTED, "interrupted");
    assert_int_equal(device_runs(), 0);
    check_output(0);
    to_interrupt = NULL;
    must(vta_instance_run(instance, diag)); /* nothing of it is left */
    assert_int_equal(device_runs(), 1);
    check_output(8);
}

/* An interrupt while nothing runs is forgotten when a run begins. */
static void between_runs(void **state) {
    (void)state;
    to_interrupt = NULL;
    vta_instance_interrupt(instance);
    must(vta_instance_run(instance, diag));
    check_output(8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(within_a_step, begin, end),
        cmocka_unit_test_setup_teardown(between_runs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Dumps of a stream, and programs captured from it. */
#include "runtime/runtime_test.h"

static char dumped[1 << 14];
static void keep(void *ctx, const char *text, size_t size) {
    (void)ctx;
    size_t at = strlen(dumped);
    assert_true(at + size < sizeof dumped);
    memcpy(dumped + at, text, size);
    dumped[at + size] = '\0';
}

static void test_dumps(void **state) {
    (void)state;
    vta_runtime_options options = {.sink = {.write = keep}};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    dumped[0] = '\0';
    run_add(cmd, &site, 16, 1, 2, 3);
    assert_string_equal(dumped, "");
    VTASetDebugMode(cmd, VTA_DEBUG_DUMP_INSN | VTA_DEBUG_DUMP_UOP);
    run_add(cmd, &site, 16, 1, 3, 4);
    assert_non_null(strstr(dumped, "There are 1 uops\n[0000]\t acc=0, src=0, wgt=0\n"));
    assert_non_null(strstr(dumped, "There are 7 instructions\n"));
    assert_non_null(strstr(dumped, "ALU"));
    /* Without a sink a dump goes nowhere. */
    vta_runtime_set_sink(NULL, (vta_sink){0});
    dumped[0] = '\0';
    run_add(cmd, &site, 16, 1, 4, 5);
    assert_string_equal(dumped, "");
    vta_runtime_destroy(runtime);
}

static void test_capture(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/vta_capture_%ld.vtap", (long)getpid());
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime = use("LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    run_add(cmd, &site, 32, 1, 1, 2);
    assert_int_equal(vta_runtime_capture(NULL, path, diag), VTA_OK);
    run_add(cmd, &site, 32, 1, 2, 3);
    run_add(cmd, &site, 32, 2, 3, 5);
    assert_int_equal(vta_runtime_capture(NULL, NULL, diag), VTA_OK);
    run_add(cmd, &site, 32, 1, 1, 2);

    vta_program *program;
    if (vta_program_load(path, NULL, diag, &program) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_program_run_count(program), 2);
    vta_device *device;
    vta_program_options expect = {.expect = 1};
    assert_int_equal(vta_device_create("sim", vta_program_config(program), NULL, NULL, diag, &device), VTA_OK);
    if (vta_program_run(program, device, &expect, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_device_counters(device).alu_counter, 8);
    vta_device_destroy(device);
    vta_program_destroy(program);
    unlink(path);
    assert_int_not_equal(vta_runtime_capture(NULL, "/nowhere/at/all", diag), VTA_INTERNAL);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dumps),
        cmocka_unit_test(test_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

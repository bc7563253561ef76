/* The functions of vta/runtime.h beside the streams: what they refuse, in which words, also where there is no runtime;
 * recordings in memory. */
#include "runtime_test.h"

static vta_diag *diag;

/* The status, and all that was said. */
static void said(vta_status status, vta_status want, const char *text) {
    vta_diag_entry e;
    if (status != want) fail_msg("%s, not %s: %s", vta_status_name(status), vta_status_name(want), vta_diag_text(diag));
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, text);
    assert_int_equal(e.status, want);
    vta_diag_clear(diag);
}

/* Nothing can be had of the configuration that the environment names. */
static void without_a_runtime(void **state) {
    (void)state;
    static const char none[] = "there is no runtime: see vta_last_error(NULL)";
    vta_counters zero = {0}, counters;
    vta_program *program = (vta_program *)diag;
    vta_timing timing;
    vta_timing_profile profile;
    bool has = true;
    setenv("VTA_CONFIG", "/nowhere/vta_config.json", 1);
    assert_null(vta_runtime_current());
    assert_non_null(vta_last_error(NULL));
    assert_null(vta_runtime_config(NULL));
    assert_null(vta_runtime_driver(NULL));
    assert_null(vta_runtime_findings_to_json(NULL));
    counters = vta_runtime_counters(NULL);
    assert_memory_equal(&counters, &zero, sizeof zero);
    vta_runtime_clear_counters(NULL);
    vta_runtime_interrupt(NULL);
    vta_runtime_set_sink(NULL, (vta_sink){0});
    said(vta_runtime_set_device_options(NULL, NULL, diag), VTA_INVALID_ARGUMENT, none);
    said(vta_runtime_program(NULL, "x", diag, &has), VTA_INVALID_ARGUMENT, none);
    assert_false(has);
    said(vta_runtime_capture(NULL, "x", diag), VTA_INVALID_ARGUMENT, none);
    said(vta_runtime_record(NULL, diag), VTA_INVALID_ARGUMENT, none);
    said(vta_runtime_recorded(NULL, 0, diag, &program, NULL, NULL), VTA_INVALID_ARGUMENT, none);
    assert_null(program);
    said(vta_runtime_timing(NULL, diag, &timing, &profile), VTA_INVALID_ARGUMENT, none);
    unsetenv("VTA_CONFIG");
}

static void options(void **state) {
    (void)state;
    static const struct {
        vta_runtime_options options;
        const char *text; /* NULL: accepted */
    } rows[] = {
        {{.max_transfer = 1023}, "max_transfer is 1023 bytes; it may be 1024 to 33554432"},
        {{.max_transfer = 1024}, NULL},
        {{.max_transfer = 1 << 25}, NULL},
        {{.max_transfer = (1 << 25) + 1}, "max_transfer is 33554433 bytes; it may be 1024 to 33554432"},
        {{.reserve_bytes = 1 << 25}, NULL},
        {{.reserve_bytes = (1 << 25) + 1}, "reserve_bytes is 33554433; a transfer has at most 33554432"},
    };
    vta_config *config = vta_config_default();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vta_runtime *runtime = (vta_runtime *)diag;
        vta_status status = vta_runtime_create(config, "sim", &rows[i].options, NULL, diag, &runtime);
        if (rows[i].text) {
            said(status, VTA_OUT_OF_RANGE, rows[i].text);
            assert_null(runtime);
        } else {
            assert_int_equal(status, VTA_OK);
            assert_string_equal(vta_runtime_driver(runtime), "sim");
            assert_ptr_equal(vta_runtime_config(runtime), config);
            vta_runtime_destroy(runtime);
        }
    }
    said(vta_runtime_create(config, "sim", NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT,
         "vta_runtime_create: out_runtime is NULL");
    vta_config_release(config);
}

/* A simulator has nothing to program, and takes any bitstream. */
static void programming(void **state) {
    (void)state;
    vta_runtime *runtime = use("", NULL);
    bool has = true;
    assert_int_equal(vta_runtime_program(runtime, NULL, diag, &has), VTA_OK);
    assert_false(has);
    assert_int_equal(vta_runtime_program(NULL, "design.bin", diag, NULL), VTA_OK);
    assert_ptr_equal(vta_runtime_current(), runtime);
    vta_runtime_destroy(runtime);
}

static void counters(void **state) {
    (void)state;
    const vta_counters c = {.inp_load_nbytes = 1,
                            .wgt_load_nbytes = 22,
                            .acc_load_nbytes = 333,
                            .uop_load_nbytes = 4444,
                            .out_store_nbytes = 55555,
                            .gemm_counter = 666666,
                            .alu_counter = 7777777,
                            .gemm_reset_counter = 8};
    char *text = vta_counters_to_text(&c);
    assert_string_equal(text, "Execution statistics:\n"
                              "\tinp_load_nbytes :                1\n"
                              "\twgt_load_nbytes :               22\n"
                              "\tacc_load_nbytes :              333\n"
                              "\tuop_load_nbytes :             4444\n"
                              "\tout_store_nbytes:            55555\n"
                              "\tgemm_counter    :           666666\n"
                              "\talu_counter     :          7777777\n");
    vta_string_free(text);
    assert_null(vta_counters_to_text(NULL));
}

/* Runs that were recorded in memory, which run again alone. */
static void recordings(void **state) {
    (void)state;
    static const char none[] = "no recording in memory was begun (vta_runtime_record)";
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    vta_program *program = (vta_program *)diag;
    vta_device *device;
    vta_counters counted;
    void *site = NULL;
    said(vta_runtime_recorded(runtime, 0, diag, NULL, NULL, NULL), VTA_INVALID_ARGUMENT,
         "vta_runtime_recorded: out_program is NULL");
    said(vta_runtime_recorded(runtime, 0, diag, &program, NULL, NULL), VTA_INVALID_ARGUMENT, none);
    assert_null(program);
    run_add(cmd, &site, 16, 1, 1, 2); /* before: counted nowhere */
    assert_int_equal(vta_runtime_record(runtime, diag), VTA_OK);
    assert_int_equal(vta_runtime_recorded(runtime, 0, diag, &program, NULL, NULL), VTA_OK);
    assert_null(program); /* nothing ran */
    assert_int_equal(vta_runtime_record(runtime, diag), VTA_OK);
    run_add(cmd, &site, 16, 1, 2, 3);
    run_add(cmd, &site, 16, 2, 3, 5);
    size_t touched = 99;
    uint32_t at[3] = {7, 7, 7};
    assert_int_equal(vta_runtime_recorded(runtime, 2, diag, &program, at, &touched), VTA_OK);
    assert_int_equal(touched, 2); /* the second call gets the places of the first again */
    assert_true(at[0] != 7 && at[1] != 7 && at[0] != at[1] && at[2] == 7);
    assert_int_equal(vta_program_run_count(program), 2);
    assert_int_equal(vta_device_create("sim", vta_program_config(program), NULL, NULL, diag, &device), VTA_OK);
    assert_int_equal(vta_program_run(program, device, &(vta_program_options){.expect = 1}, diag), VTA_OK);
    counted = vta_device_counters(device);
    assert_int_equal(counted.alu_counter, 8);
    assert_int_equal(counted.out_store_nbytes, 2 * 4 * 16);
    vta_device_destroy(device);
    vta_program_destroy(program);
    said(vta_runtime_recorded(runtime, 0, diag, &program, NULL, NULL), VTA_INVALID_ARGUMENT, none);
    /* One to a file is not one in memory, and where it cannot be written, its end says so. */
    assert_int_equal(vta_runtime_capture(runtime, "/nowhere/at/all", diag), VTA_OK);
    said(vta_runtime_recorded(runtime, 0, diag, &program, NULL, NULL), VTA_INVALID_ARGUMENT, none);
    run_add(cmd, &site, 16, 1, 2, 3);
    assert_int_equal(vta_runtime_capture(runtime, NULL, diag), VTA_NOT_FOUND);
    vta_diag_clear(diag);
    assert_int_equal(vta_runtime_capture(runtime, NULL, diag), VTA_OK);
    vta_runtime_destroy(runtime);
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_runtime), cmocka_unit_test(options),
                                       cmocka_unit_test(programming), cmocka_unit_test(counters),
                                       cmocka_unit_test(recordings)};
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}

/* Every recorded program on the hardware: the memory that TVM's VTA left, with and without stalls, the cycles that
 * tsim's profile rtl says, and never more than the published design takes by the timing model. Builds a model for each
 * configuration that there is: only with VTA_TEST_HARDWARE=1. */
#include "rtl/programs.h"

#include "support/golden.h"
#include "vta/program.h"

static vta_diag *diag;

static void must(const char *name, vta_status status) {
    if (status != VTA_OK) fail_msg("%s: %s", name, vta_diag_text(diag));
}

/* The cycles of the whole program on a device; DRAM and statistics are compared with the recording. */
static uint64_t cycles_on(const char *name, const vta_program *program, const char *driver, const char *profile,
                          uint32_t stall_percent) {
    const vta_device_options options = {
        .size = sizeof options, .profile = profile, .stall_percent = stall_percent, .seed = 7};
    const vta_program_options run = {.expect = true, .wait_cycles = 50000000};
    vta_device *device;
    must(name, vta_device_create(driver, vta_program_config(program), &options, NULL, diag, &device));
    must(name, vta_program_run(program, device, &run, diag));
    uint64_t cycles = vta_device_counters(device).cycles;
    vta_device_destroy(device);
    return cycles;
}

static void check(const char *name, void *arg) {
    char path[GOLDEN_PATH], file[100];
    (void)arg;
    snprintf(file, sizeof file, "runs/%s", name);
    golden_path(file, path);
    vta_program *program;
    must(name, vta_program_load(path, NULL, diag, &program));
    must(name, vta_hardware_build(vta_program_config(program), NULL, diag, NULL));
    uint64_t ours = cycles_on(name, program, "rtl", NULL, 0);
    uint64_t published = cycles_on(name, program, "tsim", "chisel", 0);
    uint64_t said = cycles_on(name, program, "tsim", "rtl", 0);
    (void)cycles_on(name, program, "rtl", NULL, 40);
    print_message("%s: %llu cycles, chisel %llu\n", name, (unsigned long long)ours, (unsigned long long)published);
    if (ours != said) fail_msg("%s: tsim says %llu cycles", name, (unsigned long long)said);
    if (ours > published) fail_msg("%s: slower than the published design", name);
    vta_program_destroy(program);
}

static void recorded_programs(void **state) {
    (void)state;
    assert_true(golden_each(0, "runs", "", check, NULL) >= 20);
}

int main(void) {
    const char *wanted = getenv("VTA_TEST_HARDWARE");
    if (!wanted || !*wanted) return 77;
    rtl_use_cache();
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_programs)};
    int code = golden_result(cmocka_run_group_tests(tests, NULL, NULL));
    vta_diag_destroy(diag);
    return code;
}

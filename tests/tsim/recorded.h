/* Recorded programs on the device "tsim". */
#ifndef TESTS_TSIM_RECORDED_H
#define TESTS_TSIM_RECORDED_H

#include "support/golden.h"
#include "vta/device.h"
#include "vta/program.h"
#include "vta/timing.h"

static void must(vta_status status, vta_diag *diag, const char *what) {
    if (status != VTA_OK) fail_msg("%s: %s", what, vta_diag_text(diag));
}

static void check_states(const vta_timing *t) {
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        uint64_t sum = 0;
        for (int s = 0; s < VTA_STATE_COUNT; s++) sum += t->state[u][s];
        assert_int_equal(sum, t->cycles);
    }
}

/* Runs a recorded program (runs/NAME) on tsim and compares DRAM and counters with the recording; its timing. */
static inline vta_timing run_recorded(const char *name, const char *profile) {
    char of[100], path[GOLDEN_PATH];
    snprintf(of, sizeof of, "runs/%s", name);
    golden_path(of, path);
    vta_diag *diag = vta_diag_create(NULL);
    vta_program *program;
    vta_device *device;
    vta_timing timing;
    must(vta_program_load(path, NULL, diag, &program), diag, path);
    vta_device_options options = {.profile = profile};
    must(vta_device_create("tsim", vta_program_config(program), &options, NULL, diag, &device), diag, path);
    vta_program_options run = {.expect = 1};
    must(vta_program_run(program, device, &run, diag), diag, path);
    must(vta_device_timing(device, diag, &timing, NULL), diag, path);
    assert_int_equal(timing.cycles, vta_device_counters(device).cycles);
    assert_int_equal(timing.runs, vta_program_run_count(program));
    check_states(&timing);
    vta_device_destroy(device);
    vta_program_destroy(program);
    vta_diag_destroy(diag);
    return timing;
}

#endif

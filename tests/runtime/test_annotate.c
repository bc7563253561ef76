/* Notes: from VTAAnnotate through a captured program and its file to a profile. */
#include <unistd.h>

#include "support/check.h"
#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"
#include "vta/timing.h"

static void must(vta_status status, vta_diag *diag) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

static void copy_through(VTACommandHandle cmd, void *from, void *to, int step) {
    VTAAnnotate(cmd, "data_buf ic yo", 2, step, -7, 0, 0);
    VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAAnnotate(cmd, "res", 0, 0, 0, 0, 0);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
    VTADepPush(cmd, 3, 2);
    VTADepPop(cmd, 3, 2);
}

TEST_CASE(through_a_program) {
    char path[400];
    snprintf(path, sizeof path, "%s/annotate-%d.vta", VT_BINARY_DIR, (int)getpid());
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vta_runtime *runtime;
    vta_timing timing;
    must(vta_runtime_create(config, "tsim", NULL, NULL, diag, &runtime), diag);
    vta_runtime_use(runtime);
    void *from = VTABufferAlloc(4096), *to = VTABufferAlloc(4096);
    VTACommandHandle cmd = VTATLSCommandHandle();
    copy_through(cmd, from, to, 9); /* not captured */
    VTASynchronize(cmd, 0);
    must(vta_runtime_timing(runtime, diag, &timing, NULL), diag);
    assert_int_equal(timing.runs, 1);
    assert_int_equal(timing.cycles, vta_runtime_counters(runtime).cycles);
    must(vta_runtime_capture(runtime, path, diag), diag);
    for (int run = 0; run < 2; run++) {
        for (int step = 0; step < 2; step++) copy_through(cmd, from, to, step);
        VTASynchronize(cmd, 0);
    }
    must(vta_runtime_capture(runtime, NULL, diag), diag);
    assert_null(vta_last_error(cmd));
    VTABufferFree(from);
    VTABufferFree(to);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);

    vta_program *program;
    must(vta_program_load(path, NULL, diag, &program), diag);
    assert_int_equal(vta_program_run_count(program), 2);
    for (uint32_t run = 0; run < 2; run++) {
        assert_string_equal(vta_program_note(program, run, 0), "data_buf ic=0 yo=-7");
        assert_string_equal(vta_program_note(program, run, 1), "res");
        assert_string_equal(vta_program_note(program, run, 2), "data_buf ic=1 yo=-7");
        assert_null(vta_program_note(program, run, 1000));
    }
    assert_null(vta_program_note(program, 2, 0));
    vta_program_destroy(program);
    vta_config_release(config);
    vta_diag_destroy(diag);
    unlink(path);
}

TEST_CASE(bad_calls) {
    vta_config *config = vta_config_default();
    vta_runtime *runtime;
    must(vta_runtime_create(config, "sim", NULL, NULL, NULL, &runtime), NULL);
    vta_runtime_use(runtime);
    VTACommandHandle cmd = VTATLSCommandHandle();
    VTAAnnotate(cmd, NULL, 0, 0, 0, 0, 0);
    assert_contains(vta_last_error(cmd), "VTAAnnotate");
    assert_contains(vta_last_error(cmd), "text is NULL");
    vta_clear_error(cmd);
    VTAAnnotate(cmd, "a", 5, 0, 0, 0, 0);
    assert_contains(vta_last_error(cmd), "at most 4 values");
    vta_clear_error(cmd);
    VTAAnnotate((VTACommandHandle)12345, "a", 0, 0, 0, 0, 0);
    assert_contains(vta_last_error(cmd), "VTAAnnotate");
    vta_clear_error(cmd);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    vta_config_release(config);
}

/* Damaged notes are an error with a place. */
TEST_CASE(program_notes) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vta_program *p, *q;
    uint8_t insns[32] = {3, 0}, *bytes;
    insns[16] = 3;
    size_t size;
    must(vta_program_create(config, NULL, diag, &p), diag);
    assert_int_equal(vta_program_add_note(p, 0, "x", diag), VTA_INVALID_ARGUMENT);
    must(vta_program_begin_run(p, 4096, insns, 2, diag), diag);
    must(vta_program_add_note(p, 0, "first\nline", diag), diag);
    must(vta_program_add_note(p, 1, "", diag), diag);
    assert_int_equal(vta_program_add_note(p, 0, "back", diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_program_add_note(p, 2, "beyond", diag), VTA_OUT_OF_RANGE);
    must(vta_program_end_run(p, diag), diag);
    vta_diag_clear(diag);
    must(vta_program_serialize(p, diag, &bytes, &size), diag);
    must(vta_program_parse(bytes, size, "t", NULL, diag, &q), diag);
    assert_string_equal(vta_program_note(q, 0, 0), "first line");
    assert_null(vta_program_note(q, 0, 1));
    vta_program_destroy(q);
    vta_string_free(bytes);
    must(vta_program_set_insns(p, 0, insns, 1, diag), diag);
    assert_null(vta_program_note(p, 0, 0));
    vta_program_destroy(p);
    vta_config_release(config);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }

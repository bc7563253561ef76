/* The runtime on devices whose memory is not the host's (device/board.h): barriers and cache calls reach the driver,
 * with the bytes that they name; where the host sees nothing, copies do, and the rest is refused. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "device/board.h"
#include "runtime/runtime_priv.h"
#include "vta/debug.h"
#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"

enum { ELEMENTS = 4, LANES = 16, SCALARS = ELEMENTS * LANES };

static vta_runtime *use(const vt_driver *driver) {
    static const vta_runtime_options plain = {0};
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vta_runtime *runtime;
    if (vt_runtime_new(config, driver, &plain, &vt_allocator_libc, diag, &runtime) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vta_config_release(config);
    vta_diag_destroy(diag);
    vta_runtime_use(runtime);
    return runtime;
}

static void end(vta_runtime *runtime) {
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

static void no_error(VTACommandHandle cmd) {
    if (vta_last_error(cmd)) fail_msg("%s", vta_last_error(cmd));
}

static void error_has(VTACommandHandle cmd, const char *words) {
    const char *error = vta_last_error(cmd);
    if (!error || !strstr(error, words)) fail_msg("'%s' is not in: %s", words, error ? error : "(no error)");
    vta_clear_error(cmd);
}

static int add_signature(void *signature) {
    int32_t value;
    memcpy(&value, signature, sizeof value);
    VTAUopLoopBegin(ELEMENTS, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, value);
    VTAUopLoopEnd();
    return 0;
}

/* to = from + value. */
static void run_add(VTACommandHandle cmd, void *from, void *to, int32_t value) {
    void *site = NULL;
    VTALoadBuffer2D(cmd, from, 0, ELEMENTS, 1, ELEMENTS, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTAPushALUOp(&site, add_signature, &value, sizeof value);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, ELEMENTS, 1, ELEMENTS);
    VTASynchronize(cmd, 0);
}

/* ---- Barriers ---------------------------------------------------------------------------------------------- */

typedef struct buffers {
    VTACommandHandle cmd;
    void *from, *to;
    int32_t *in; /* the host's views */
    int8_t *out;
} buffers;

static buffers make_buffers(void) {
    buffers b = {.cmd = VTATLSCommandHandle()};
    b.from = VTABufferAlloc(SCALARS * sizeof(int32_t));
    b.to = VTABufferAlloc(SCALARS);
    b.in = VTABufferCPUPtr(b.cmd, b.from);
    b.out = VTABufferCPUPtr(b.cmd, b.to);
    no_error(b.cmd);
    return b;
}

static void fill(const buffers *b, int32_t value) {
    for (int i = 0; i < SCALARS; i++) b->in[i] = value;
}

static void out_is(const buffers *b, int from, int to, int8_t value) {
    for (int i = from; i < to; i++) assert_int_equal(b->out[i], value);
}

TEST_CASE(barriers_reach_the_driver) {
    vta_runtime *runtime = use(&vt_driver_board);
    buffers b = make_buffers();
    for (int32_t round = 1; round <= 3; round++) {
        fill(&b, round);
        VTAReadBarrier(b.cmd, b.from, 32, 0, SCALARS);
        run_add(b.cmd, b.from, b.to, 10);
        VTAWriteBarrier(b.cmd, b.to, 8, 0, SCALARS);
        no_error(b.cmd);
        out_is(&b, 0, SCALARS, (int8_t)(round + 10));
    }
    end(runtime);
}

/* 20 of 64 values are handed over, 12 results are looked at; values of 4 bits take whole bytes (the size is rounded
 * up). */
TEST_CASE(barriers_are_about_a_range) {
    vta_runtime *runtime = use(&vt_driver_board);
    buffers b = make_buffers();
    fill(&b, 5);
    VTAReadBarrier(b.cmd, b.from, 32, 10, 20);
    run_add(b.cmd, b.from, b.to, 1);
    VTAWriteBarrier(b.cmd, b.to, 4, 8, 12);
    no_error(b.cmd);
    out_is(&b, 0, 8, 0);
    out_is(&b, 8, 10, 1);
    out_is(&b, 10, 20, 6);
    out_is(&b, 20, SCALARS, 0);
    VTAWriteBarrier(b.cmd, b.to, 8, 0, SCALARS);
    out_is(&b, 20, 30, 6);
    out_is(&b, 30, SCALARS, 1);
    end(runtime);
}

TEST_CASE(barriers_can_be_skipped) {
    vta_runtime *runtime = use(&vt_driver_board);
    buffers b = make_buffers();
    fill(&b, 5);
    VTASetDebugMode(b.cmd, VTA_DEBUG_SKIP_READ_BARRIER);
    VTAReadBarrier(b.cmd, b.from, 32, 0, SCALARS);
    run_add(b.cmd, b.from, b.to, 1);
    VTAWriteBarrier(b.cmd, b.to, 8, 0, SCALARS);
    out_is(&b, 0, SCALARS, 1);
    VTASetDebugMode(b.cmd, VTA_DEBUG_SKIP_WRITE_BARRIER);
    VTAReadBarrier(b.cmd, b.from, 32, 0, SCALARS);
    run_add(b.cmd, b.from, b.to, 1);
    VTAWriteBarrier(b.cmd, b.to, 8, 0, SCALARS);
    out_is(&b, 0, SCALARS, 1);
    VTASetDebugMode(b.cmd, 0);
    VTAWriteBarrier(b.cmd, b.to, 8, 0, SCALARS);
    out_is(&b, 0, SCALARS, 6);
    no_error(b.cmd);
    end(runtime);
}

/* Copies need no barriers, whichever way the device's memory is reached; what they do is recorded, too. */
static void copies_need_no_barriers(const vt_driver *driver) {
    vta_runtime *runtime = use(driver);
    VTACommandHandle cmd = VTATLSCommandHandle();
    int32_t in[SCALARS];
    int8_t out[SCALARS];
    for (int i = 0; i < SCALARS; i++) in[i] = i;
    void *from = VTABufferAlloc(sizeof in), *to = VTABufferAlloc(sizeof out), *again = VTABufferAlloc(sizeof out);
    assert_int_equal(vta_runtime_record(runtime, NULL), VTA_OK);
    VTABufferCopy(in, 0, from, 0, sizeof in, 1);
    run_add(cmd, from, to, 3);
    VTABufferCopy(to, 0, again, 0, sizeof out, 3);
    VTABufferCopy(again, 0, out, 0, sizeof out, 2);
    no_error(cmd);
    for (int i = 0; i < SCALARS; i++) assert_int_equal(out[i], i + 3);
    vta_program *program;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_runtime_recorded(runtime, 0, diag, &program, NULL, NULL), VTA_OK);
    assert_int_equal(vta_diag_count(diag), 0);
    vta_device *sim;
    assert_int_equal(vta_device_create("sim", vta_runtime_config(runtime), NULL, NULL, diag, &sim), VTA_OK);
    const vta_program_options options = {.expect = 1};
    if (vta_program_run(program, sim, &options, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_device_destroy(sim);
    vta_program_destroy(program);
    vta_diag_destroy(diag);
    end(runtime);
}

TEST_CASE(copies_on_a_board) { copies_need_no_barriers(&vt_driver_board); }
TEST_CASE(copies_to_far_memory) { copies_need_no_barriers(&vt_driver_far); }

/* Tokens that are popped after the synchronize, or never, are not there when the next run begins. */
TEST_CASE(no_token_is_left_on_the_device) {
    static const vt_token_depths none;
    static const int stages[][2] = {{3, 2}, {1, 2}, {2, 1}, {2, 3}};
    vta_runtime *runtime = use(&vt_driver_board);
    VTACommandHandle cmd = VTATLSCommandHandle();
    const board *b = runtime->device->state;
    void *site = NULL;
    int32_t value = 1;
    for (int round = 0; round < 12; round++) {
        const int *q = stages[round % 4];
        for (int i = 0; i < round; i++) VTADepPush(cmd, q[0], q[1]);
        if (round % 2) VTADepPop(cmd, q[0], q[1]);
        VTAPushALUOp(&site, add_signature, &value, sizeof value);
        VTASynchronize(cmd, 0);
        no_error(cmd);
        assert_memory_equal(&b->tokens, &none, sizeof none);
        for (int i = round % 2; i < round; i++) VTADepPop(cmd, q[0], q[1]);
        VTASynchronize(cmd, 0);
        no_error(cmd);
    }
    assert_int_equal(vta_runtime_counters(NULL).runs, 12);
    VTADepPop(cmd, 3, 2); /* but only once */
    VTAPushALUOp(&site, add_signature, &value, sizeof value);
    VTASynchronize(cmd, 0);
    error_has(cmd, "VTADepPop(3, 2)");
    end(runtime);
}

/* ---- The driver interface ---------------------------------------------------------------------------------- */

TEST_CASE(cache_calls_reach_the_driver) {
    vta_runtime *runtime = use(&vt_driver_board);
    uint8_t *block = VTAMemAlloc(100, 1), seen[3];
    uint32_t addr = VTAMemGetPhyAddr(block);
    assert_true(addr >= BOARD_FIRST_PAGE);
    memcpy(block + 40, "abc", 3);
    assert_int_equal(vta_device_read(runtime->device, addr + 90, seen, 1, NULL), VTA_OK);
    const board *b = runtime->device->state;
    vt_dram memory = b->accelerator.dram; /* as the accelerator sees it */
    vt_dram_read(&memory, addr + 40, seen, 3);
    assert_int_equal(seen[0] | seen[1] | seen[2], 0);
    VTAFlushCache(block + 40, addr + 40, 2);
    vt_dram_read(&memory, addr + 40, seen, 3);
    assert_memory_equal(seen, "ab\0", 3);
    vt_dram_write(&memory, addr + 40, "xyz", 3);
    VTAInvalidateCache(block + 41, addr + 41, 1);
    assert_memory_equal(block + 40, "ayc", 3);
    unsigned flushed = b->flushed, invalidated = b->invalidated;
    VTAFlushCache(block + 40, addr + 41, 2);
    error_has(NULL, "physical address");
    VTAInvalidateCache(block + 40, addr + 40, -1);
    error_has(NULL, "is negative");
    assert_int_equal(b->flushed, flushed);
    assert_int_equal(b->invalidated, invalidated);
    VTAMemFree(block);
    assert_null(vta_last_error(NULL));
    end(runtime);
}

TEST_CASE(what_far_memory_refuses) {
    vta_runtime *runtime = use(&vt_driver_far);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *buffer = VTABufferAlloc(100);
    assert_null(VTABufferCPUPtr(cmd, buffer));
    error_has(cmd, "the host does not see this device's memory; VTABufferCopy reads it");
    assert_null(VTAMemAlloc(100, 0));
    error_has(NULL, "the host does not see this device's memory");
    vta_diag *diag = vta_diag_create(NULL);
    vta_timing_profile profile;
    vta_debugger *debugger;
    assert_int_equal(vta_timing_profile_get(NULL, diag, &profile), VTA_OK);
    assert_int_equal(vta_debugger_create(runtime->device, 0x1000, 1, &profile, diag, &debugger), VTA_UNSUPPORTED);
    assert_non_null(strstr(vta_diag_text(diag), "the memory of device 'far' is not host memory"));
    char *findings = vta_runtime_findings_to_json(runtime);
    assert_string_equal(
        findings,
        "{\"runs\": 0, \"races\": [], \"unwritten\": [], \"more\": 0, \"unsupported\": [], \"warnings\": []}");
    vta_string_free(findings);
    vta_diag_destroy(diag);
    end(runtime);
}

int main(void) { return run_cases(); }

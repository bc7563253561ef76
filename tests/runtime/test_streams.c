/* Streams: early runs, tokens across runs, serial mode, bounds of a run. */
#include "runtime/runtime_test.h"

/* Transfers of 1024 bytes: 64 instructions a run. Tokens on their way and pops that wait cross the borders. */
TEST_CASE(test_early_runs) {
    vta_runtime_options options = {.max_transfer = 1024};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    enum { TILES = 500 };
    static int32_t acc[TILES * 16];
    static int8_t out[TILES * 16];
    for (size_t i = 0; i < TILES * 16; i++) acc[i] = (int32_t)(i / 16 % 100);
    void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out), *site = NULL;
    VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
    add_count = 1;
    VTADepPush(cmd, 3, 2);
    for (uint32_t tile = 0; tile < TILES; tile++) {
        VTADepPop(cmd, 3, 2);
        VTALoadBuffer2D(cmd, from, tile, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        push_alu(&site, 5);
        VTADepPush(cmd, 2, 3);
        VTADepPop(cmd, 2, 3);
        VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, tile, 1, 1, 1);
        VTADepPush(cmd, 3, 2);
        no_error(cmd);
    }
    VTADepPop(cmd, 3, 2);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    add_count = 4;
    assert_true(vta_runtime_counters(NULL).runs > TILES * 3 / 64);
    VTABufferCopy(to, 0, out, 0, sizeof out, 2);
    for (size_t i = 0; i < TILES * 16; i++) assert_int_equal(out[i], i / 16 % 100 + 5);
    vta_runtime_destroy(runtime);
}

static bool found(const char *words) {
    char *json = vta_runtime_findings_to_json(NULL);
    assert_non_null(json);
    bool has = strstr(json, words) != NULL;
    vta_string_free(json);
    return has;
}

/* What one stream left on chip is there for its next part when it was cut, and for no other stream. */
TEST_CASE(test_checks_know_where_a_stream_was_cut) {
    vta_runtime_options options = {.max_transfer = 1024, .device = &(vta_device_options){.check = true}};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *from = VTABufferAlloc(4 * 64), *to = VTABufferAlloc(4 * 16), *site = NULL;
    VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    for (int i = 0; i < 200; i++) push_alu(&site, 5);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    assert_true(vta_runtime_counters(NULL).runs > 3);
    assert_true(found("\"races\": [], \"unwritten\": []"));
    assert_true(found("\"kind\": \"earlier-run\", "));
    vta_runtime_clear_counters(NULL);
    push_alu(&site, 5);
    VTASynchronize(cmd, 0);
    assert_true(error_has(cmd, "reads acc[0..3], where no instruction of this run has written before it"));
    assert_true(found("\"kind\": \"unwritten\", \"run\": 0"));
    assert_false(found("\"kind\": \"earlier-run\""));
    vta_runtime_destroy(runtime);
}

/* A token that nobody ever pops does not stand for the one that FINISH waits for. */
TEST_CASE(test_finish_waits_for_stores) {
    vta_runtime_options options = {.device = &(vta_device_options){.check = true}};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *from = VTABufferAlloc(4 * 64), *to = VTABufferAlloc(4 * 16), *site = NULL;
    for (int round = 0; round < 3; round++) {
        VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        push_alu(&site, 5);
        VTADepPush(cmd, 2, 3);
        VTADepPop(cmd, 2, 3);
        VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
        VTADepPush(cmd, 3, 2);
        VTASynchronize(cmd, 0);
        no_error(cmd);
    }
    vta_runtime_destroy(runtime);
}

/* The recorded blocked matrix multiply pops its last token after the synchronize. */
TEST_CASE(test_tokens_cross_a_synchronize) {
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    for (int round = 0; round < 3; round++) {
        VTADepPush(cmd, 3, 2);
        VTADepPop(cmd, 3, 2);
        push_alu(&site, 1);
        VTADepPush(cmd, 3, 2);
        VTASynchronize(cmd, 0);
        VTADepPop(cmd, 3, 2);
    }
    VTASynchronize(cmd, 0);
    no_error(cmd);
    VTADepPop(cmd, 3, 2); /* but only once */
    push_alu(&site, 1);
    VTASynchronize(cmd, 0);
    assert_true(error_has(cmd, "VTADepPop(3, 2)"));

    vta_runtime_destroy(runtime);
}

static void *dropped_site, *dropped_buffer;
static void record_nothing(VTACommandHandle cmd) { (void)cmd; }
static void record_work(VTACommandHandle cmd) { (void)cmd, push_alu(&dropped_site, 1); }
static void record_load(VTACommandHandle cmd) {
    VTALoadBuffer2D(cmd, dropped_buffer, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_ACC);
}
static void record_store(VTACommandHandle cmd) { VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, dropped_buffer, 0, 1, 1, 1); }
static void record_push(VTACommandHandle cmd) { VTADepPush(cmd, 1, 2); }

/* A dropped stream's tokens serve the pops right behind it, and not those of the next kernel, whatever that begins
 * with. */
TEST_CASE(test_tokens_of_a_dropped_stream) {
    static const struct {
        void (*record)(VTACommandHandle cmd);
        bool is_next_kernel;
    } rows[] = {
        {record_nothing, false}, {record_work, true}, {record_load, true}, {record_store, true}, {record_push, true}};
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    dropped_buffer = VTABufferAlloc(64);
    dropped_site = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        VTADepPush(cmd, 3, 2);
        VTADepPush(cmd, 1, 3);
        VTASynchronize(cmd, 0);
        assert_true(error_has(cmd, "VTADepPush"));
        rows[i].record(cmd);
        VTADepPop(cmd, 3, 2);
        VTASynchronize(cmd, 0);
        if (rows[i].is_next_kernel)
            assert_true(error_has(cmd, "VTADepPop(3, 2)"));
        else
            no_error(cmd);
    }
    vta_runtime_destroy(runtime);
}

/* A race on purpose: the load of the next operand does not wait for the GEMM that reads the last one. */
static void racy_program(VTACommandHandle cmd, void *acc, void *out) {
    static void *site;
    for (int i = 0; i < 8; i++) {
        VTALoadBuffer2D(cmd, acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        push_alu(&site, 1);
        VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, out, 0, 4, 1, 4);
        VTALoadBuffer2D(cmd, out, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_INP);
    }
    VTASynchronize(cmd, 0);
}

TEST_CASE(test_force_serial) {
    vta_runtime_options options = {.device = &(vta_device_options){.check = true}};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *acc = VTABufferAlloc(256), *out = VTABufferAlloc(64);
    racy_program(cmd, acc, out);
    assert_true(error_has(cmd, "VTASynchronize("));
    VTASetDebugMode(cmd, VTA_DEBUG_FORCE_SERIAL);
    racy_program(cmd, acc, out);
    no_error(cmd);
    /* Whatever order the tokens leave open, there is only one. */
    for (uint32_t order = VTA_ORDER_PROGRAM; order <= VTA_ORDER_STORE_LATE; order++) {
        vta_device_options device = {.check = true, .order = order, .seed = 5};
        assert_int_equal(vta_runtime_set_device_options(NULL, &device, NULL), VTA_OK);
        racy_program(cmd, acc, out);
        no_error(cmd);
    }
    VTADepPop(cmd, 1, 2); /* tokens of the caller's do not matter in this mode */
    racy_program(cmd, acc, out);
    no_error(cmd);
    int8_t result[64];
    VTABufferCopy(out, 0, result, 0, sizeof result, 2);
    for (size_t i = 0; i < sizeof result; i++) assert_int_equal(result[i], 1);
    vta_runtime_destroy(runtime);
}

/* An instruction of a stage. */
static void one_of(VTACommandHandle cmd, int stage, void *buffer) {
    static void *site;
    if (stage == 1) VTALoadBuffer2D(cmd, buffer, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP);
    if (stage == 2) push_alu(&site, 1);
    if (stage == 3) VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, buffer, 8, 1, 1, 1);
}

/* A token that a serial run's calls left is there for the next run, of each of the four queues, once. */
TEST_CASE(test_serial_leaves_tokens) {
    static const int queues[][2] = {{1, 2}, {2, 1}, {2, 3}, {3, 2}};
    for (int q = 0; q < 4; q++) {
        int from = queues[q][0], to = queues[q][1];
        vta_runtime *runtime = use("", NULL);
        VTACommandHandle cmd = VTATLSCommandHandle();
        void *buffer = VTABufferAlloc(1024);
        VTASetDebugMode(cmd, VTA_DEBUG_FORCE_SERIAL);
        one_of(cmd, from, buffer);
        VTADepPush(cmd, from, to);
        VTASynchronize(cmd, 0);
        no_error(cmd);
        VTASetDebugMode(cmd, 0);
        VTADepPop(cmd, from, to);
        one_of(cmd, to, buffer);
        VTASynchronize(cmd, 0);
        no_error(cmd);
        VTADepPop(cmd, from, to);
        one_of(cmd, to, buffer);
        VTASynchronize(cmd, 0);
        assert_true(error_has(cmd, "VTADepPop("));
        vta_runtime_destroy(runtime);
    }
}

/* Compiled kernels name a number of cycles that means something on a board; it is no bound on a simulator without a
 * clock, where max_work is. */
TEST_CASE(test_waiting) {
    static void *site;
    add_count = 1000;
    vta_runtime *runtime = use("", NULL);
    push_alu(&site, 1);
    VTASynchronize(VTATLSCommandHandle(), 10);
    no_error(VTATLSCommandHandle());
    vta_runtime_destroy(runtime);
    vta_runtime_options options = {.max_work = 999};
    runtime = use("", &options);
    push_alu(&site, 1);
    VTASynchronize(VTATLSCommandHandle(), 100000);
    assert_true(error_has(VTATLSCommandHandle(), "VTASynchronize("));
    vta_runtime_destroy(runtime);
    vta_config *config = vta_config_default();
    assert_int_equal(vta_runtime_create(config, "tsim", NULL, NULL, NULL, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    push_alu(&site, 1);
    VTASynchronize(VTATLSCommandHandle(), 10);
    assert_true(error_has(VTATLSCommandHandle(), "VTASynchronize("));
    push_alu(&site, 1);
    VTASynchronize(VTATLSCommandHandle(), 100000);
    no_error(VTATLSCommandHandle());
    assert_true(vta_runtime_counters(NULL).cycles > 1000);
    vta_runtime_destroy(runtime);
    vta_config_release(config);
    add_count = 4;
}

/* ---- Where streams stand ---------------------------------------------------------------------------------------- */

/* Runs what was recorded: the addresses of the stream and of its micro-ops. */
static void places(VTACommandHandle cmd, uint32_t *insns_at, uint32_t *uops_at) {
    vta_program *program;
    vta_program_run_info run;
    vta_insn insn = {0};
    assert_int_equal(vta_runtime_record(NULL, NULL), VTA_OK);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    assert_int_equal(vta_runtime_recorded(NULL, 0, NULL, &program, NULL, NULL), VTA_OK);
    assert_int_equal(vta_program_get_run(program, 0, &run), VTA_OK);
    assert_int_equal(vta_insn_decode(vta_runtime_config(NULL), run.insns, NULL, &insn), VTA_OK);
    assert_true(insn.opcode == VTA_OP_LOAD && insn.u.mem.memory_type == VTA_MEM_UOP);
    *uops_at = insn.u.mem.dram_base * VTA_UOP_BYTES;
    *insns_at = run.insn_addr;
    vta_program_destroy(program);
}

/* Instructions and micro-ops that need more than a page move, and no page stays behind: what lies below them and is not
 * theirs, new buffers get. */
TEST_CASE(test_streams_move) {
    enum { PAGE = 4096, MANY = PAGE / VTA_INSN_BYTES, MAX_PAGES = 64, QUEUE_PAGES = 2 };
    bool known[MAX_PAGES] = {true}; /* page 0 is nobody's */
    uint32_t insns, uops, addr = 0;
    void *sites[2] = {NULL};
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    push_reset(&sites[0], 1);
    places(cmd, &insns, &uops);
    push_reset(&sites[1], PAGE / VTA_UOP_BYTES);
    for (int i = 0; i < MANY; i++) push_reset(&sites[0], 1);
    places(cmd, &insns, &uops);
    for (uint32_t page = 0; page < QUEUE_PAGES; page++) known[insns / PAGE + page] = known[uops / PAGE + page] = true;
    while (addr < insns || addr < uops) {
        assert_int_equal(vta_buffer_info(VTABufferAlloc(1), NULL, &addr), VTA_OK);
        assert_in_range(addr / PAGE, 1, MAX_PAGES - 1);
        known[addr / PAGE] = true;
    }
    for (uint32_t page = 0; page < addr / PAGE; page++)
        if (!known[page]) fail_msg("page %u is nobody's, and not free", page);
    vta_runtime_destroy(runtime); /* with its buffers */
}

int main(void) { return run_cases(); }

/* The runtime at work: micro-kernel cache, early runs, tokens across runs, serial mode, dumps, capture, several
 * configurations, threads, and memory that runs out anywhere. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"
#include "vta/timing.h"

static vta_runtime *make(const char *changes, const vta_runtime_options *options, const vta_allocator *allocator) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *config;
    vta_runtime *runtime;
    if (vta_config_with(plain, changes, diag, &config) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    if (vta_runtime_create(config, "sim", options, allocator, diag, &runtime) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vta_config_release(plain);
    vta_config_release(config);
    vta_diag_destroy(diag);
    return runtime;
}

static vta_runtime *use(const char *changes, const vta_runtime_options *options) {
    vta_runtime *runtime = make(changes, options, NULL);
    vta_runtime_use(runtime);
    return runtime;
}

static void no_error(VTACommandHandle cmd) {
    if (vta_last_error(cmd)) fail_msg("%s", vta_last_error(cmd));
}

static bool error_has(VTACommandHandle cmd, const char *words) {
    const char *error = vta_last_error(cmd);
    bool found = error && strstr(error, words);
    if (!found) print_error("'%s' is not in: %s\n", words, error ? error : "(no error)");
    vta_clear_error(cmd);
    return found;
}

/* ---- Kernels ----------------------------------------------------------------------------------------------- */

static atomic_int recorded; /* how often a finit was called */

/* acc[first .. first + count) += the signature. */
static uint32_t add_count = 4;
static int add_signature(void *signature) {
    int32_t value;
    memcpy(&value, signature, sizeof value);
    recorded++;
    VTAUopLoopBegin(add_count, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, value);
    VTAUopLoopEnd();
    return 0;
}

/* A GEMM kernel of as many micro-ops as the signature says, all resets. */
static int reset_many(void *signature) {
    int32_t count;
    memcpy(&count, signature, sizeof count);
    recorded++;
    for (int32_t i = 0; i < count; i++) VTAUopPush(0, 1, (uint32_t)i % 16, 0, 0, 0, 0, 0);
    return 0;
}

static void push_alu(void **site, int32_t value) { VTAPushALUOp(site, add_signature, &value, sizeof value); }
static void push_reset(void **site, int32_t count) { VTAPushGEMMOp(site, reset_many, &count, sizeof count); }

/* out = acc + value for `add_count` elements of `lanes` lanes; all acc scalars are `base`. */
static void run_add(VTACommandHandle cmd, void **site, uint32_t lanes, int32_t base, int32_t value, int8_t expected) {
    size_t count = (size_t)add_count * lanes;
    int32_t *acc = malloc(count * sizeof *acc);
    int8_t *out = malloc(count);
    for (size_t i = 0; i < count; i++) acc[i] = base;
    void *from = VTABufferAlloc(count * sizeof *acc), *to = VTABufferAlloc(count);
    VTABufferCopy(acc, 0, from, 0, count * sizeof *acc, 1);
    VTALoadBuffer2D(cmd, from, 0, add_count, 1, add_count, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    push_alu(site, value);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, add_count, 1, add_count);
    VTASynchronize(cmd, 0);
    VTABufferCopy(to, 0, out, 0, count, 2);
    for (size_t i = 0; i < count; i++) assert_int_equal(out[i], expected);
    VTABufferFree(from);
    VTABufferFree(to);
    free(acc);
    free(out);
}

/* ---- Micro-kernel cache ------------------------------------------------------------------------------------ */

static void test_kernels_are_recorded_once(void **state) {
    (void)state;
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, *other = NULL;
    recorded = 0;
    for (int round = 0; round < 3; round++)
        for (int32_t value = -2; value <= 2; value++) push_alu(&site, value);
    assert_int_equal(recorded, 5);
    push_alu(&other, 1);
    assert_int_equal(recorded, 6);
    VTASynchronize(cmd, 0);
    vta_counters c = vta_runtime_counters(NULL);
    assert_int_equal(c.uop_cache_misses, 6);
    assert_int_equal(c.uop_cache_hits, 10);
    assert_int_equal(c.uop_load_nbytes, 6 * 4);
    /* After a device run nothing is resident, but what was recorded stays. */
    push_alu(&site, 1);
    VTASynchronize(cmd, 0);
    c = vta_runtime_counters(NULL);
    assert_int_equal(recorded, 6);
    assert_int_equal(c.uop_cache_misses, 7);
    assert_int_equal(c.runs, 2);
    vta_runtime_clear_counters(NULL);
    assert_int_equal(vta_runtime_counters(NULL).uop_cache_misses, 0);
    no_error(cmd);
    vta_runtime_destroy(runtime);
}

/* The uop buffer of 64 micro-ops: placing starts again at 0 and evicts what it overwrites, no more. */
static void test_eviction(void **state) {
    (void)state;
    vta_runtime *runtime = use("LOG_UOP_BUFF_SIZE=8", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    const struct {
        int32_t size;
        uint64_t misses, evictions;
    } steps[] = {
        {30, 1, 0}, {20, 2, 0}, {14, 3, 0}, /* 0..29, 30..49, 50..63: full */
        {20, 3, 0}, {30, 3, 0},             /* all resident */
        {10, 4, 1},                         /* 0..9 evicts 30 */
        {20, 4, 1}, {14, 4, 1},             /* still there */
        {30, 5, 2},                         /* 10..39 evicts 20 */
        {14, 5, 2}, {10, 5, 2},             /* still there */
        {25, 6, 4},                         /* does not fit behind 39: 0..24 evicts 10 and 30 */
        {64, 7, 6},                         /* the whole buffer evicts 25 and 14 */
        {64, 7, 6}, {10, 8, 7},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) push_reset(&site, steps[i].size);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    vta_counters c = vta_runtime_counters(NULL);
    assert_int_equal(c.uop_cache_misses, 8);
    assert_int_equal(c.uop_cache_evictions, 7);
    vta_runtime_clear_counters(NULL);
    /* Step by step, in runs that end after each step. */
    for (size_t last = 0; last < sizeof steps / sizeof *steps; last++) {
        vta_runtime_clear_counters(NULL);
        for (size_t i = 0; i <= last; i++) push_reset(&site, steps[i].size);
        VTASynchronize(cmd, 0);
        c = vta_runtime_counters(NULL);
        assert_int_equal(c.uop_cache_misses, steps[last].misses);
        assert_int_equal(c.uop_cache_evictions, steps[last].evictions);
        assert_int_equal(c.uop_cache_hits, last + 1 - steps[last].misses);
    }
    no_error(cmd);
    vta_runtime_destroy(runtime);
}

/* Kernels that evict each other still run the right micro-ops: those of one bit each set that bit's element. */
static int mark_element(void *signature) {
    int32_t element;
    memcpy(&element, signature, sizeof element);
    /* 40 micro-ops, so that two kernels do not fit: all on other elements but the first. */
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t dst = i ? 100 + i : (uint32_t)element;
        VTAUopPush(1, 0, dst, dst, 0, VTA_ALU_ADD, 1, 1);
    }
    return 0;
}

static void test_evicted_kernels_come_back(void **state) {
    (void)state;
    vta_runtime *runtime = use("LOG_UOP_BUFF_SIZE=8", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, *zeros = VTABufferAlloc(64 * 8), *out = VTABufferAlloc(16 * 8);
    VTALoadBuffer2D(cmd, zeros, 0, 8, 1, 8, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    for (int round = 0; round < 3; round++)
        for (int32_t e = 0; e < 8; e++)
            for (int32_t times = 0; times <= e; times++) VTAPushALUOp(&site, mark_element, &e, sizeof e);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, out, 0, 8, 1, 8);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    int8_t result[16 * 8];
    VTABufferCopy(out, 0, result, 0, sizeof result, 2);
    for (int e = 0; e < 8; e++) assert_int_equal(result[16 * e], 3 * (e + 1));
    vta_runtime_destroy(runtime);
}

/* ---- Tokens and long streams ------------------------------------------------------------------------------- */

/* Transfers of 1024 bytes: 64 instructions a run. Tokens on their way and pops that wait cross the borders. */
static void test_early_runs(void **state) {
    (void)state;
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
static void test_checks_know_where_a_stream_was_cut(void **state) {
    (void)state;
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

/* The recorded blocked matrix multiply pops its last token after the synchronize. */
static void test_tokens_cross_a_synchronize(void **state) {
    (void)state;
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

    /* A dropped stream's tokens serve the pops right behind it, and not the next kernel's. */
    VTADepPush(cmd, 3, 2);
    VTADepPush(cmd, 1, 3);
    VTASynchronize(cmd, 0);
    assert_true(error_has(cmd, "VTADepPush"));
    VTADepPop(cmd, 3, 2);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    VTADepPush(cmd, 3, 2);
    VTADepPush(cmd, 1, 3);
    VTASynchronize(cmd, 0);
    assert_true(error_has(cmd, "VTADepPush"));
    push_alu(&site, 1);
    VTADepPop(cmd, 3, 2);
    VTASynchronize(cmd, 0);
    assert_true(error_has(cmd, "VTADepPop(3, 2)"));
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

static void test_force_serial(void **state) {
    (void)state;
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

/* Compiled kernels name a number of cycles that means something on a board; it is no bound on a simulator without a
 * clock, where max_work is. */
static void test_waiting(void **state) {
    (void)state;
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

/* ---- Buffers ----------------------------------------------------------------------------------------------- */

static void test_buffers(void **state) {
    (void)state;
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    char text[] = "the quick brown fox jumps over the lazy dog", back[sizeof text] = {0};
    void *a = VTABufferAlloc(sizeof text), *b = VTABufferAlloc(2 * sizeof text);
    char *host = VTABufferCPUPtr(cmd, a);
    assert_ptr_not_equal(host, a);
    assert_int_equal(host[0] | host[sizeof text - 1], 0);
    VTABufferCopy(text, 0, a, 0, sizeof text, 1);
    assert_string_equal(host, text);
    VTABufferCopy(a, 4, b, 10, 5, 3);
    VTABufferCopy(b, 10, back, 0, 5, 2);
    assert_string_equal(back, "quick");
    VTABufferCopy(b, 10, b, 12, 5, 3);
    VTABufferCopy(b, 10, back, 0, 7, 2);
    assert_string_equal(back, "ququick");
    VTABufferCopy(text, 3, a, sizeof text, 0, 1); /* nothing, at the very end */
    assert_ptr_equal(VTABufferCPUPtr(cmd, text), text);
    assert_null(VTABufferCPUPtr(cmd, NULL));
    VTAWriteBarrier(cmd, a, 8, 0, sizeof text);
    VTAReadBarrier(cmd, b, 32, 1, 3);
    void *empty = VTABufferAlloc(0);
    assert_non_null(empty);
    VTABufferFree(empty);
    VTABufferFree(a);
    assert_ptr_not_equal(VTABufferAlloc(sizeof text), a); /* a reused place has another handle */
    no_error(cmd);
    vta_runtime_destroy(runtime);
}

/* A stream may use a buffer that was freed while it was being recorded. */
static void test_free_while_recording(void **state) {
    (void)state;
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    int32_t acc[64];
    int8_t out[64];
    for (int i = 0; i < 64; i++) acc[i] = i;
    void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out), *site = NULL;
    VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
    VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    uint32_t addr, reused;
    vta_buffer_info(from, NULL, &addr);
    VTABufferFree(from);
    void *next = VTABufferAlloc(sizeof acc);
    vta_buffer_info(next, NULL, &reused);
    assert_int_not_equal(addr, reused);
    push_alu(&site, 1);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    VTABufferCopy(to, 0, out, 0, sizeof out, 2);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i + 1);
    void *again = VTABufferAlloc(sizeof acc);
    vta_buffer_info(again, NULL, &reused);
    assert_int_equal(addr, reused); /* now the memory is free */
    vta_runtime_destroy(runtime);
}

static void test_driver_interface(void **state) {
    (void)state;
    vta_runtime *runtime = use("", NULL);
    VTADeviceHandle device = VTADeviceAlloc();
    uint8_t *block = VTAMemAlloc(100, 1), *other = VTAMemAlloc(100, 0);
    assert_non_null(block);
    vta_insn finish = {.opcode = VTA_OP_FINISH};
    uint8_t bytes[VTA_INSN_BYTES];
    assert_int_equal(vta_insn_encode(vta_runtime_config(NULL), &finish, NULL, bytes), VTA_OK);
    VTAMemCopyFromHost(block + 32, bytes, sizeof bytes);
    VTAFlushCache(block, VTAMemGetPhyAddr(block), 48);
    assert_int_equal(VTAMemGetPhyAddr(block + 32), VTAMemGetPhyAddr(block) + 32);
    assert_int_equal(VTADeviceRun(device, VTAMemGetPhyAddr(block + 32), 1, 1000), 0);
    assert_int_equal(vta_runtime_counters(NULL).insn_finish, 1);
    uint8_t back[VTA_INSN_BYTES];
    VTAMemCopyToHost(back, block + 32, sizeof back);
    assert_memory_equal(back, bytes, sizeof back);
    VTAProgram("1x16.bit");
    VTAMemFree(block);
    VTAMemFree(other);
    VTADeviceFree(device);
    assert_null(vta_last_error(NULL));
    assert_int_equal(VTADeviceRun(device, 4096, 1, 0), 1);
    assert_true(error_has(NULL, "VTADeviceRun("));
    vta_runtime_destroy(runtime);
}

/* ---- Dumps and capture ------------------------------------------------------------------------------------- */

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

/* ---- Configurations ---------------------------------------------------------------------------------------- */

static void test_several_configurations(void **state) {
    (void)state;
    static const struct {
        const char *changes;
        uint32_t lanes;
    } shapes[] = {{"", 16},
                  {"LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", 32},
                  {"LOG_BLOCK=5", 32},
                  {"LOG_BLOCK=3 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=16", 8}};
    enum { COUNT = sizeof shapes / sizeof *shapes };
    vta_runtime *runtimes[COUNT];
    void *site = NULL; /* one call site for all: each handle has kernels of its own */
    for (int i = 0; i < COUNT; i++) runtimes[i] = make(shapes[i].changes, NULL, NULL);
    recorded = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COUNT; i++) {
            vta_runtime_use(runtimes[i]);
            run_add(VTATLSCommandHandle(), &site, shapes[i].lanes, i, 3, (int8_t)(i + 3));
            no_error(VTATLSCommandHandle());
        }
    assert_int_equal(recorded, COUNT);
    for (int i = 0; i < COUNT; i++) assert_int_equal(vta_runtime_counters(runtimes[i]).runs, 3);
    /* What was recorded on one runtime waits there while another is used. */
    vta_runtime_use(runtimes[0]);
    VTACommandHandle first = VTATLSCommandHandle();
    push_alu(&site, 3);
    vta_runtime_use(runtimes[1]);
    VTASynchronize(VTATLSCommandHandle(), 0);
    assert_int_equal(vta_runtime_counters(runtimes[0]).runs, 3);
    VTASynchronize(first, 0);
    assert_int_equal(vta_runtime_counters(runtimes[0]).runs, 4);
    for (int i = 0; i < COUNT; i++) vta_runtime_destroy(runtimes[i]);
    assert_null(vta_last_error(first));
    VTASynchronize(first, 0);
    assert_true(error_has(first, "VTASynchronize("));
}

static void test_reconfigure(void **state) {
    (void)state;
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *wide;
    assert_int_equal(vta_config_with(plain, "LOG_BLOCK=5", diag, &wide), VTA_OK);
    vta_runtime_use(NULL);
    void *site = NULL;
    assert_int_equal(vta_runtime_reconfigure(plain, "sim", NULL, diag), VTA_OK);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *buffer = VTABufferAlloc(64);
    run_add(cmd, &site, 16, 1, 1, 2);
    assert_int_not_equal(vta_runtime_reconfigure(wide, "none of these", NULL, diag), VTA_OK);
    run_add(cmd, &site, 16, 1, 1, 2); /* the old one stayed */
    assert_int_equal(vta_runtime_reconfigure(wide, "sim", NULL, diag), VTA_OK);
    assert_string_equal(vta_config_bitstream(vta_runtime_config(NULL)), vta_config_bitstream(wide));
    assert_string_equal(vta_runtime_driver(NULL), "sim");
    VTABufferFree(buffer);
    assert_true(error_has(NULL, "was freed, or its runtime has ended"));
    VTASynchronize(cmd, 0);
    assert_true(error_has(NULL, "whose thread or runtime has ended"));
    cmd = VTATLSCommandHandle();
    run_add(cmd, &site, 32, 1, 1, 2);
    no_error(cmd);
    VTARuntimeShutdown();
    VTASynchronize(cmd, 0);
    assert_true(error_has(NULL, "has ended"));
    run_add(VTATLSCommandHandle(), &site, 32, 1, 1, 2);
    no_error(VTATLSCommandHandle());
    vta_config_release(plain);
    vta_config_release(wide);
    vta_diag_destroy(diag);
}

static void test_bad_options(void **state) {
    (void)state;
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime;
    vta_runtime_options options = {.max_transfer = 3};
    vta_config *config = vta_config_default();
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, diag, &runtime), VTA_OUT_OF_RANGE);
    assert_null(runtime);
    options = (vta_runtime_options){.reserve_bytes = 1u << 30};
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, diag, &runtime), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_runtime_create(config, "sim", NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    vta_runtime *gone = make("", NULL, NULL);
    vta_runtime_use(gone);
    VTATLSCommandHandle();
    vta_runtime_destroy(gone);
    assert_non_null(VTATLSCommandHandle()); /* destroying one's own choice goes back to the default */
    vta_config_release(config);
    vta_diag_destroy(diag);
}

/* ---- Threads ----------------------------------------------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 30 };
static void *shared_site;

static void *thread_adds(void *argument) {
    vta_runtime *runtime = argument;
    vta_runtime_use(runtime);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, **sites[] = {&shared_site, &site};
    bool good = cmd != NULL;
    for (int round = 0; round < ROUNDS && good; round++) {
        int32_t acc[64];
        int8_t out[64];
        for (int i = 0; i < 64; i++) acc[i] = round;
        void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out);
        VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
        VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        for (int times = 0; times < 3; times++) {
            int32_t value = round % 4;
            VTAPushALUOp(sites[round % 2], add_signature, &value, sizeof value);
        }
        VTADepPush(cmd, 2, 3);
        VTADepPop(cmd, 2, 3);
        VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
        VTABufferFree(from);
        if (round % 7 == 3) VTADepPush(cmd, 1, 3); /* an error of this thread's own */
        VTASynchronize(cmd, 0);
        good = (vta_last_error(cmd) != NULL) == (round % 7 == 3);
        vta_clear_error(cmd);
        VTABufferCopy(to, 0, out, 0, sizeof out, 2);
        for (int i = 0; i < 64; i++) good &= out[i] == (round % 7 == 3 ? 0 : round + 3 * (round % 4));
        VTABufferFree(to);
        if (round == ROUNDS / 2) VTARuntimeShutdown(), cmd = VTATLSCommandHandle();
    }
    return good ? argument : NULL;
}

static void test_threads(void **state) {
    (void)state;
    vta_runtime *runtimes[2] = {make("", NULL, NULL), make("LOG_UOP_BUFF_SIZE=10", NULL, NULL)};
    pthread_t threads[THREADS];
    add_count = 4;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, thread_adds, runtimes[i % 2]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, runtimes[i % 2]);
    }
    assert_true(vta_runtime_counters(runtimes[0]).runs > 0);
    vta_runtime_destroy(runtimes[0]);
    vta_runtime_destroy(runtimes[1]);
}

/* Two threads free the same buffers: each buffer is freed once, and no slot is given out twice. */
enum { CONTENDED = 1500 };
static void *contended[CONTENDED];
static atomic_int contenders; /* arrivals at the buffers, so that both threads come to each at the same time */

static void *thread_frees(void *runtime) {
    vta_runtime_use(runtime);
    for (int i = 0; i < CONTENDED; i++) {
        atomic_fetch_add(&contenders, 1);
        for (int spins = 0; atomic_load(&contenders) < 2 * (i + 1) && spins < 200000;) spins++;
        VTABufferFree(contended[i]);
    }
    return NULL;
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

static void test_two_threads_free_one_buffer(void **state) {
    (void)state;
    vta_runtime *runtime = make("", NULL, NULL);
    pthread_t threads[2];
    vta_runtime_use(runtime);
    for (int i = 0; i < CONTENDED; i++) contended[i] = VTABufferAlloc(16);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, thread_frees, runtime);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < CONTENDED; i++) contended[i] = VTABufferAlloc(16);
    qsort(contended, CONTENDED, sizeof *contended, by_address);
    for (int i = 0; i < CONTENDED; i++) {
        assert_non_null(contended[i]);
        if (i) assert_ptr_not_equal(contended[i], contended[i - 1]);
    }
    for (int i = 0; i < CONTENDED; i++) VTABufferFree(contended[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

/* The default runtime is replaced while threads use it: each finishes what it has begun, or is told. */
static void *thread_survives(void *unused) {
    (void)unused;
    void *site = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        VTACommandHandle cmd = VTATLSCommandHandle();
        void *acc = VTABufferAlloc(256);
        VTALoadBuffer2D(cmd, acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        push_alu(&site, 1);
        VTASynchronize(cmd, 0);
        vta_clear_error(cmd);
        VTABufferFree(acc);
        vta_clear_error(NULL);
    }
    return NULL;
}

static atomic_int wrong_answers;

/* A thread without a command handle keeps no runtime alive: only its calls do, while they last. */
static void *thread_uses_buffers(void *unused) {
    (void)unused;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        int32_t value = round;
        size_t bytes;
        void *buffer = VTABufferAlloc(sizeof value);
        if (vta_buffer_info(buffer, &bytes, NULL) == VTA_OK && bytes != sizeof value) wrong_answers++;
        if (vta_runtime_timing(NULL, NULL, NULL, NULL) != VTA_UNSUPPORTED) wrong_answers++;
        VTABufferCopy(&value, 0, buffer, 0, sizeof value, 1);
        VTABufferCopy(buffer, 0, &value, 0, sizeof value, 2);
        VTABufferFree(buffer);
        vta_clear_error(NULL);
    }
    return NULL;
}

static void test_reconfigure_among_threads(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    pthread_t threads[THREADS];
    vta_runtime_use(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i % 2 ? thread_survives : thread_uses_buffers, NULL);
    for (int i = 0; i < 50; i++) assert_int_equal(vta_runtime_reconfigure(config, "sim", NULL, NULL), VTA_OK);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(wrong_answers, 0);
    vta_config_release(config);
}

/* ---- Out of memory ----------------------------------------------------------------------------------------- */

typedef struct failing {
    long left; /* allocations until the one that fails; later ones work again */
    long live;
    bool failed;
} failing;

static void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    failing *f = ctx;
    (void)old_size;
    if (!new_size) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left-- == 0) {
        f->failed = true;
        return NULL;
    }
    f->live += p == NULL;
    return realloc(p, new_size);
}

/* A small program; every call that fails leaves an error. */
static bool small_program(void **site) {
    VTACommandHandle cmd = VTATLSCommandHandle();
    if (!cmd) {
        bool told = vta_last_error(NULL) != NULL;
        assert_true(told);
        vta_clear_error(NULL);
        return false;
    }
    void *acc = VTABufferAlloc(256), *out = VTABufferAlloc(64);
    VTALoadBuffer2D(cmd, acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    for (int32_t i = 0; i < 20; i++) push_alu(site, i % 10);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, out, 0, 4, 1, 4);
    VTASynchronize(cmd, 0);
    bool good = vta_last_error(cmd) == NULL;
    vta_clear_error(cmd);
    if (acc) VTABufferFree(acc);
    if (out) VTABufferFree(out);
    return good;
}

static void test_out_of_memory_anywhere(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    long n = 0;
    for (bool failed = true; failed; n++) {
        failing f = {.left = n};
        vta_allocator allocator = {failing_resize, &f};
        vta_runtime *runtime;
        void *site = NULL;
        vta_status status = vta_runtime_create(config, "sim", NULL, &allocator, NULL, &runtime);
        if (status != VTA_OK) {
            assert_true(f.failed);
            assert_null(runtime);
        } else {
            vta_runtime_use(runtime);
            bool good = small_program(&site);
            assert_true(good || f.failed);
            f.left = -1;
            assert_true(small_program(&site)); /* the handle works again */
            vta_runtime_destroy(runtime);
        }
        assert_int_equal(f.live, 0);
        failed = f.failed;
    }
    print_message("%ld allocations\n", n);
    assert_true(n > 20);
    vta_config_release(config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_are_recorded_once),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_evicted_kernels_come_back),
        cmocka_unit_test(test_early_runs),
        cmocka_unit_test(test_checks_know_where_a_stream_was_cut),
        cmocka_unit_test(test_tokens_cross_a_synchronize),
        cmocka_unit_test(test_force_serial),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_free_while_recording),
        cmocka_unit_test(test_driver_interface),
        cmocka_unit_test(test_dumps),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_several_configurations),
        cmocka_unit_test(test_reconfigure),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_two_threads_free_one_buffer),
        cmocka_unit_test(test_reconfigure_among_threads),
        cmocka_unit_test(test_out_of_memory_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

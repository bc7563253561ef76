/* The micro-kernel cache: what is recorded once, what is evicted, and what comes back. */
#include "runtime/runtime_test.h"

TEST_CASE(test_kernels_are_recorded_once) {
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
TEST_CASE(test_eviction) {
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

/* Asked to, the runtime uses micro-ops that another kernel has in the buffer: all of it, a part, never what is gone. */
TEST_CASE(test_shared_micro_ops) {
    vta_runtime *runtime = use("LOG_UOP_BUFF_SIZE=8", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, *other = NULL;
    VTAShareUops(cmd, 1);
    const struct {
        void **site;
        int32_t size;
        uint64_t misses;
    } steps[] = {
        {&site, 30, 1}, {&other, 30, 1}, {&site, 14, 1}, {&site, 31, 2}, {&site, 3, 2},
        {&site, 64, 3}, {&other, 64, 3}, {&site, 30, 3}, {&site, 31, 3},
    };
    for (size_t last = 0; last < sizeof steps / sizeof *steps; last++) {
        vta_runtime_clear_counters(NULL);
        for (size_t i = 0; i <= last; i++) push_reset(steps[i].site, steps[i].size);
        VTASynchronize(cmd, 0);
        assert_int_equal(vta_runtime_counters(NULL).uop_cache_misses, steps[last].misses);
    }
    VTAShareUops(cmd, 0);
    vta_runtime_clear_counters(NULL);
    push_reset(&site, 30);
    push_reset(&other, 30);
    VTASynchronize(cmd, 0);
    assert_int_equal(vta_runtime_counters(NULL).uop_cache_misses, 2);
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

TEST_CASE(test_evicted_kernels_come_back) {
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

/* Asked to share, one load brings in all kernels that fit behind each other; others keep loads of their own. Random
 * kernels of random sizes, on a buffer that some runs fill several times: each adds 1 to its elements, as often as it
 * is called. */
static uint32_t state_of_random = 1;
static uint32_t pick(uint32_t below) {
    return (state_of_random = state_of_random * 1664525u + 1013904223u) / 65536 % below;
}

static int add_some(void *signature) {
    int32_t key; /* first element and count */
    memcpy(&key, signature, sizeof key);
    for (int32_t i = 0; i < key % 64; i++)
        VTAUopPush(1, 0, (uint32_t)(key / 64 + i), (uint32_t)(key / 64 + i), 0, VTA_ALU_ADD, 1, 1);
    return 0;
}

enum { ELEMENTS = 32 };

static void push_random(void **site, int calls, uint32_t kernels, int *expected) {
    for (int i = 0; i < calls; i++) {
        uint32_t kernel = pick(kernels), first = kernel * 5 % 17, count = 1 + kernel * 7 % 15;
        int32_t key = (int32_t)(first * 64 + count);
        VTAPushALUOp(site, add_some, &key, sizeof key);
        for (uint32_t k = 0; k < count; k++) expected[first + k]++;
    }
}

enum { MAX_INSNS = 64 };

/* The instructions of the first run that was recorded. */
static uint32_t recorded_insns(vta_runtime *runtime, vta_insn insns[MAX_INSNS]) {
    vta_program *program;
    vta_program_run_info run;
    assert_int_equal(vta_runtime_recorded(runtime, 0, NULL, &program, NULL, NULL), VTA_OK);
    assert_int_equal(vta_program_get_run(program, 0, &run), VTA_OK);
    assert_true(run.insn_count <= MAX_INSNS);
    for (uint32_t i = 0; i < run.insn_count; i++)
        assert_int_equal(
            vta_insn_decode(vta_runtime_config(runtime), run.insns + (size_t)i * VTA_INSN_BYTES, NULL, &insns[i]),
            VTA_OK);
    vta_program_destroy(program);
    return run.insn_count;
}

static bool is_uop_load(const vta_insn *insn) {
    return insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_UOP && insn->u.mem.x_size > 0;
}

static uint32_t count_loads(vta_runtime *runtime) {
    vta_insn insns[MAX_INSNS];
    uint32_t loads = 0;
    for (uint32_t i = 0, n = recorded_insns(runtime, insns); i < n; i++) loads += is_uop_load(&insns[i]);
    return loads;
}

/* A kernel of as many products as the signature says. */
static int multiply(void *signature) {
    int32_t count;
    memcpy(&count, signature, sizeof count);
    for (int32_t i = 0; i < count; i++) VTAUopPush(0, 0, (uint32_t)i % 16, 0, 0, 0, 0, 0);
    return 0;
}

/* Products behind a load of their operands, which are 0. */
static void push_step(VTACommandHandle cmd, void **site, void *zeros, const int32_t *counts, int n) {
    VTALoadBuffer2D(cmd, zeros, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP);
    VTALoadBuffer2D(cmd, zeros, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_WGT);
    VTADepPush(cmd, 1, 2);
    VTADepPop(cmd, 1, 2);
    for (int i = 0; i < n; i++) {
        int32_t count = counts[i];
        VTAPushGEMMOp(site, multiply, &count, sizeof count);
    }
    VTADepPush(cmd, 2, 1);
    VTADepPop(cmd, 2, 1);
}

/* Micro-ops of the first step come with the first load; those of later ones with a second, right behind the first
 * product, which no token holds up. */
TEST_CASE(test_late_load) {
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, *reset = NULL, *zeros = VTABufferAlloc(1024);
    vta_insn insns[MAX_INSNS];
    const int32_t steps[3][2] = {{5, 6}, {7, 5}, {8, 9}};
    assert_int_equal(vta_runtime_record(runtime, NULL), VTA_OK);
    VTAShareUops(cmd, VTA_SHARE_UOPS_LATE);
    push_reset(&reset, 3);
    for (int s = 0; s < 3; s++) push_step(cmd, &site, zeros, steps[s], 2);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    uint32_t loads = 0, products = 0, at[2] = {0};
    for (uint32_t i = 0, n = recorded_insns(runtime, insns); i < n; i++) {
        if (is_uop_load(&insns[i])) {
            assert_true(loads < 2);
            assert_false(insns[i].pop_prev_dep || insns[i].push_prev_dep);
            at[loads++] = i;
        } else if (insns[i].opcode == VTA_OP_GEMM && !insns[i].u.exec.reset_reg) {
            assert_int_equal(insns[i].pop_prev_dep, products % 2 == 0);
            if (products++ == 0) assert_true(is_uop_load(&insns[i + 1]));
        }
    }
    assert_int_equal(loads, 2);
    assert_int_equal(products, 6);
    const vta_insn *first = &insns[at[0]], *second = &insns[at[1]];
    assert_int_equal(first->u.mem.x_size, 3 + 5 + 6);
    assert_int_equal(second->u.mem.sram_base, first->u.mem.x_size);
    assert_int_equal(second->u.mem.dram_base, first->u.mem.dram_base + first->u.mem.x_size);
    assert_int_equal(second->u.mem.x_size, 7 + 8 + 9); /* 5 is there */
    vta_runtime_destroy(runtime);
}

static uint32_t run_random(uint32_t kernels, int share, bool record) {
    vta_runtime *runtime = use("LOG_UOP_BUFF_SIZE=8", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, *products = NULL, *zeros = VTABufferAlloc(64 * ELEMENTS), *out = VTABufferAlloc(16 * ELEMENTS);
    int expected[ELEMENTS] = {0};
    uint32_t loads = 0;
    if (record) assert_int_equal(vta_runtime_record(runtime, NULL), VTA_OK);
    VTAShareUops(cmd, share);
    VTALoadBuffer2D(cmd, zeros, 0, ELEMENTS, 1, ELEMENTS, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    push_random(&site, 2, kernels, expected);
    if (share == VTA_SHARE_UOPS_LATE)
        for (int32_t s = 0; s < 2; s++) push_step(cmd, &products, zeros, &(int32_t){1 + s * 3}, 1);
    push_random(&site, 28, kernels, expected);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, out, 0, ELEMENTS, 1, ELEMENTS);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    if (record) loads = count_loads(runtime);
    int8_t result[16 * ELEMENTS];
    VTABufferCopy(out, 0, result, 0, sizeof result, 2);
    for (int e = 0; e < ELEMENTS && !record; e++) assert_int_equal(result[16 * e], (int8_t)expected[e]);
    vta_runtime_destroy(runtime);
    return loads;
}

TEST_CASE(test_one_load) {
    for (int i = 0; i < 60; i++) run_random(2 + (uint32_t)i % 14, VTA_SHARE_UOPS_ON, false);
    for (int i = 0; i < 60; i++) run_random(2 + (uint32_t)i % 14, VTA_SHARE_UOPS_LATE, false);
    state_of_random = 1;
    assert_int_equal(run_random(4, VTA_SHARE_UOPS_ON, true), 1);   /* all fit the 64 micro-ops */
    assert_int_equal(run_random(4, VTA_SHARE_UOPS_LATE, true), 2); /* one behind the product */
    assert_true(run_random(15, VTA_SHARE_UOPS_ON, true) > 2);      /* these do not */
}

int main(void) { return run_cases(); }

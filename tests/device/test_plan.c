/* GEMM instructions at the limits of the fast engine's analysis: longer reductions and more positions than its lists
 * hold, positions that meet, patterns that break off, falling indices. Fast against reference, on every path. */
#include "device/small_program.h"

typedef struct gemm_case {
    const char *name;
    uint32_t uops; /* how many */
    vta_uop (*uop)(uint32_t u);
    uint16_t iter_out, iter_in;
    uint32_t dst_out, dst_in, src_out, src_in, wgt_out, wgt_in;
} gemm_case;

static vta_uop reduction(uint32_t u) { return (vta_uop){3, u % 2000, u % 1000}; }
static vta_uop positions(uint32_t u) { return (vta_uop){u % 2048, u % 2048, 5}; }
static vta_uop nested(uint32_t u) { return (vta_uop){u % 7, u % 7 + u / 7 % 3 + u / 21 * 9, u / 7}; }
static vta_uop falling(uint32_t u) { return (vta_uop){100 - u % 50, 200 - u, 300 - u / 50}; }
static vta_uop columns(uint32_t u) { return (vta_uop){u, u / 4 % 3, u % 4 * 10 + u / 12}; }
static vta_uop breaks_off(uint32_t u) { return u < 63 ? nested(u) : (vta_uop){u, 1, u % 5}; }
static vta_uop same(uint32_t u) { return (vta_uop){u - u, 1, 2}; }
static vta_uop scattered(uint32_t u) { return (vta_uop){u * 37 % 101, u * 53 % 97, u * 29 % 89}; }

/* A convolution of 3 x 3 over 10 x 10 that leaves out what lies in the padding, its taps inside or outside. */
enum { IMAGE = 10, TAPS = 9, INSIDE = (3 * IMAGE - 2) * (3 * IMAGE - 2) };

static vta_uop border_of(uint32_t u, bool taps_outside) {
    for (uint32_t i = 0; i < IMAGE * IMAGE * TAPS; i++) {
        uint32_t at = taps_outside ? i % (IMAGE * IMAGE) : i / TAPS,
                 tap = taps_outside ? i / (IMAGE * IMAGE) : i % TAPS;
        uint32_t y = at / IMAGE + tap / 3, x = at % IMAGE + tap % 3; /* of the padded image */
        if (y == 0 || x == 0 || y > IMAGE || x > IMAGE || u-- > 0) continue;
        return (vta_uop){at, (y - 1) * IMAGE + x - 1, tap};
    }
    return (vta_uop){0, 0, 0};
}
static vta_uop border(uint32_t u) { return border_of(u, false); }
static vta_uop border_by_taps(uint32_t u) { return border_of(u, true); }
/* Accumulators of many kinds: 70; of few that have many steps; of which one appears twice. */
static vta_uop kinds(uint32_t u) { return (vta_uop){u % 70, u % 70 * (u / 70), u % 13}; }
static vta_uop long_kinds(uint32_t u) { return (vta_uop){u % 27, u / 27, u % 27 * (u % 27) + u / 27}; }
static vta_uop comes_back(uint32_t u) { return (vta_uop){u * 5 % 12, u * 5 % 12 * 3 + u % 2, u / 12 % 2 + u % 3 / 2}; }

static const gemm_case cases[] = {
    {"long reduction", 2000, reduction, 1, 2, 0, 1, 0, 20, 0, 3},
    {"reductions that are all the steps of a plan", 64, reduction, 2, 4, 0, 0, 200, 70, 90, 3},
    {"reductions that fit one by one", 300, reduction, 3, 5, 0, 0, 200, 20, 90, 3},
    {"many positions", 2048, positions, 1, 1, 0, 0, 0, 0, 0, 0},
    {"positions twice", 2048, positions, 2, 1, 0, 0, 0, 0, 7, 0},
    {"nested", 63, nested, 4, 5, 40, 7, 0, 30, 9, 0},
    {"positions that meet", 63, nested, 4, 5, 3, 2, 0, 30, 0, 0},
    {"falling", 150, falling, 2, 3, 50, 200, 1, 1, 10, 100},
    {"breaks off", 70, breaks_off, 2, 3, 100, 30, 5, 0, 0, 1},
    {"all the same", 5, same, 7, 9, 0, 0, 0, 0, 0, 0},
    {"scattered", 150, scattered, 3, 3, 101, 400, 0, 100, 80, 0},
    {"one micro-op, dense", 1, same, 40, 40, 40, 0, 0, 1, 20, 1},
    {"columns of channels", 9, reduction, 5, 7, 7, 1, 0, 16, 90, 0},
    {"columns within the micro-ops", 24, columns, 3, 5, 120, 24, 9, 3, 0, 0},
    {"columns that meet", 24, columns, 3, 5, 7, 3, 9, 3, 0, 0},
    {"more columns than a plan holds", 1, same, 100, 13, 13, 1, 0, 1, 3, 0},
    {"a column, many rows", 6, reduction, 1, 25, 0, 2, 0, 1, 0, 0},
    {"border", INSIDE, border, 1, 1, 0, 0, 0, 0, 0, 0},
    {"border, output channels", INSIDE, border, 5, 3, 300, 100, 0, 0, 9, 45},
    {"border, input channels", INSIDE, border, 2, 3, 0, 0, 100, 200, 9, 18},
    {"border, output and input channels", INSIDE, border, 7, 2, 100, 0, 0, 100, 18, 9},
    {"border, images", INSIDE, border, 5, 3, 300, 100, 300, 100, 0, 0},
    {"border, accumulators that meet", INSIDE, border, 5, 3, 99, 7, 0, 1, 9, 0},
    {"border, output channels that meet", INSIDE, border, 2, 3, 400, 1, 0, 0, 40, 9},
    {"border, more rows than a plan holds", INSIDE, border, 19, 1, 100, 0, 90, 0, 0, 0},
    {"border by taps", INSIDE, border_by_taps, 3, 2, 200, 100, 0, 0, 18, 9},
    {"more kinds than a plan holds", 700, kinds, 2, 2, 70, 3, 0, 1, 2, 20},
    {"more steps than a plan holds", 513, long_kinds, 2, 2, 30, 60, 0, 0, 60, 120},
    {"an accumulator comes back", 80, comes_back, 3, 3, 12, 36, 2, 0, 0, 5},
    {"a step over the other's reach", 8, nested, 3, 3, 6, 18, 1, 2, 0, 0},
};

static const vta_device_options paths[] = {
    {.engine = VTA_ENGINE_REFERENCE},
    {.cpu = "portable"},
    {.cpu = "avx2"},
    {.cpu = "avx512"},
};

enum { ACC_WORDS = 2048 * 16, BIG = 0x1000000, INP_BYTES = 32768, WGT_BYTES = 262144 };

/* Loads full buffers of noise, runs the GEMM, and takes acc out. False: this processor lacks the path. */
static bool run_case(const gemm_case *c, const vta_device_options *options, int32_t *acc) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    vta_status status = vta_device_create("sim", config, options, NULL, diag, &device);
    if (status == VTA_OK) {
        sp_map(device);
        assert_int_equal(vta_device_alloc_at(device, BIG, WGT_BYTES, NULL), VTA_OK);
        uint8_t *noise = vta_device_host_ptr(device, BIG, WGT_BYTES);
        for (uint32_t i = 0, r = 1; i < WGT_BYTES; i++) noise[i] = (uint8_t)((r = r * 1664525 + 1013904223) >> 24);
        for (uint32_t u = 0; u < c->uops; u++) {
            uint32_t word;
            assert_int_equal(vta_uop_encode(config, c->uop(u), NULL, &word), VTA_OK);
            assert_int_equal(vta_device_write(device, SP_UOPS + 4 * u, &word, 4, NULL), VTA_OK);
        }
        vta_insn insns[6] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, (uint16_t)c->uops),
                             sp_load(VTA_MEM_ACC, 0, BIG / 64, 1, 2048),
                             sp_load(VTA_MEM_INP, 0, BIG / 16, 1, INP_BYTES / 16),
                             sp_load(VTA_MEM_WGT, 0, BIG / 256, 1, WGT_BYTES / 256),
                             sp_gemm(0, c->uops, c->iter_out, c->iter_in),
                             sp_finish()};
        insns[3].push_next_dep = insns[4].pop_prev_dep = 1;
        insns[4].u.exec.dst_factor_out = c->dst_out;
        insns[4].u.exec.dst_factor_in = c->dst_in;
        insns[4].u.exec.src_factor_out = c->src_out;
        insns[4].u.exec.src_factor_in = c->src_in;
        insns[4].u.exec.wgt_factor_out = c->wgt_out;
        insns[4].u.exec.wgt_factor_in = c->wgt_in;
        if (sp_run(device, insns, 6, diag) != VTA_OK) fail_msg("%s: %s", c->name, vta_diag_text(diag));
        assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, 0, 2048, acc, ACC_WORDS * sizeof *acc, NULL), VTA_OK);
    }
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return status == VTA_OK;
}

TEST_CASE(fast_agrees_with_reference) {
    static int32_t expected[ACC_WORDS], got[ACC_WORDS];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(run_case(&cases[i], &paths[0], expected));
        for (int path = 1; path < 4; path++) {
            if (!run_case(&cases[i], &paths[path], got)) continue;
            for (int w = 0; w < ACC_WORDS; w++)
                if (got[w] != expected[w])
                    fail_msg("%s, %s: acc element %d lane %d is %d, not %d", cases[i].name, paths[path].cpu, w / 16,
                             w % 16, got[w], expected[w]);
        }
    }
}

/* Acc after two GEMMs over one range of two micro-ops, which a load replaces in between; `second` is the dst of the
 * last one. The steps from the first to the second are others then. */
static vta_status run_twice(vta_device *device, uint32_t second, vta_diag *diag, int32_t *acc) {
    const vta_config *config = vta_device_config(device);
    const vta_uop uops[4] = {{1, 2, 3}, {2, 4, 3}, {20, 4, 5}, {second, 3, 7}};
    for (uint32_t u = 0; u < 4; u++) {
        uint32_t word;
        assert_int_equal(vta_uop_encode(config, uops[u], NULL, &word), VTA_OK);
        assert_int_equal(vta_device_write(device, SP_UOPS + 4 * u, &word, 4, NULL), VTA_OK);
    }
    uint8_t noise[SP_BYTES];
    for (uint32_t i = 0; i < SP_BYTES; i++) noise[i] = (uint8_t)(i * 37 + i / 251);
    assert_int_equal(vta_device_write(device, SP_DATA, noise, SP_BYTES, NULL), VTA_OK);
    vta_insn insns[] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 2),
                        sp_load(VTA_MEM_ACC, 0, SP_DATA / 64, 1, 64),
                        sp_load(VTA_MEM_INP, 0, SP_DATA / 16, 1, 64),
                        sp_load(VTA_MEM_WGT, 0, SP_DATA / 256, 1, 64),
                        sp_gemm(0, 2, 1, 3),
                        sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4 + 2, 1, 2),
                        sp_gemm(0, 2, 1, 3),
                        sp_finish()};
    insns[3].push_next_dep = insns[4].pop_prev_dep = 1;
    insns[4].u.exec.dst_factor_in = insns[6].u.exec.dst_factor_in = 7;
    vta_status status = sp_run(device, insns, 8, diag);
    if (status == VTA_OK)
        assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, 0, 64, acc, 64 * 16 * sizeof *acc, NULL), VTA_OK);
    return status;
}

/* What is kept of a range of micro-ops, its plan and its largest indices, goes when they are loaded anew. */
TEST_CASE(micro_ops_loaded_anew) {
    static int32_t expected[64 * 16], got[64 * 16];
    vta_config *config = vta_config_default();
    for (int path = 0; path < 4; path++) {
        vta_diag *diag = vta_diag_create(NULL);
        vta_device *device;
        if (vta_device_create("sim", config, &paths[path], NULL, diag, &device) == VTA_OK) {
            sp_map(device);
            assert_int_equal(run_twice(device, 33, diag, path ? got : expected), VTA_OK);
            if (path) assert_memory_equal(got, expected, sizeof got);
            assert_int_equal(run_twice(device, 2040, diag, got), VTA_OUT_OF_RANGE);
            assert_non_null(strstr(vta_diag_text(diag), "2040 + 0 x dst_factor_out 0 + 2 x dst_factor_in 7 = 2054"));
        }
        vta_device_destroy(device);
        vta_diag_destroy(diag);
    }
    vta_config_release(config);
}

/* A run of ALU instructions with immediates, which the fast engine may do in one pass: micro-op of each, loops, and
 * what is done. */
typedef struct chain_case {
    const char *name;
    uint16_t iter_out[4], iter_in[4];
    uint32_t dst_out, dst_in, uop[4];
    vta_alu_opcode opcode[4];
    int16_t imm[4];
} chain_case;

#define SAME(v) {v, v, v, v}
static const chain_case chains[] = {
    {"requantize",
     SAME(4),
     SAME(9),
     9,
     1,
     SAME(0),
     {VTA_ALU_ADD, VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN},
     {99, 3, -90, 80}},
    {"clip to nothing",
     SAME(4),
     SAME(9),
     9,
     1,
     SAME(0),
     {VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_MIN},
     {1, 50, -50, 9}},
    {"the other way round",
     SAME(4),
     SAME(9),
     9,
     1,
     SAME(0),
     {VTA_ALU_MIN, VTA_ALU_MAX, VTA_ALU_SHR, VTA_ALU_MUL},
     {-50, 50, 2, 7}},
    {"a shift to the left",
     SAME(4),
     SAME(9),
     9,
     1,
     SAME(0),
     {VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_ADD},
     {-3, -900, 5000, 1}},
    {"a shift of all bits",
     SAME(4),
     SAME(9),
     9,
     1,
     SAME(0),
     {VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_ADD},
     {33, -9, 80, 1}},
    {"lanes reached again and again",
     SAME(4),
     SAME(9),
     5,
     1,
     SAME(0),
     {VTA_ALU_ADD, VTA_ALU_MUL, VTA_ALU_SHR, VTA_ALU_MAX},
     {5, 3, 1, -9}},
    {"one lane", SAME(4), SAME(9), 0, 0, SAME(0), {VTA_ALU_ADD, VTA_ALU_MUL, VTA_ALU_SHR, VTA_ALU_MAX}, {5, 3, 1, -9}},
    {"other micro-ops",
     SAME(4),
     SAME(9),
     9,
     1,
     {0, 1, 0, 1},
     {VTA_ALU_ADD, VTA_ALU_MUL, VTA_ALU_SHR, VTA_ALU_MAX},
     {5, 3, 1, -9}},
    {"the same micro-op elsewhere",
     SAME(4),
     SAME(9),
     9,
     1,
     {0, 2, 0, 2},
     {VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_ADD},
     {2, -30, 30, 1}},
    {"fewer each time",
     {4, 4, 3, 2},
     {9, 8, 9, 9},
     9,
     1,
     SAME(0),
     {VTA_ALU_SHR, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_ADD},
     {2, -30, 30, 1}},
};

static vta_status run_chain(vta_device *device, const chain_case *c, uint32_t wait_cycles, vta_diag *diag,
                            int32_t *acc) {
    const vta_uop uops[3] = {{3, 3, 0}, {5, 5, 0}, {3, 3, 0}};
    sp_map(device);
    for (uint32_t u = 0; u < 3; u++) {
        uint32_t word;
        assert_int_equal(vta_uop_encode(vta_device_config(device), uops[u], NULL, &word), VTA_OK);
        assert_int_equal(vta_device_write(device, SP_UOPS + 4 * u, &word, 4, NULL), VTA_OK);
    }
    int32_t noise[64 * 16];
    for (int i = 0; i < 64 * 16; i++) noise[i] = i * 7919 % 4001 - 2000;
    assert_int_equal(vta_device_write(device, SP_DATA, noise, sizeof noise, NULL), VTA_OK);
    vta_insn insns[] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 3),
                        sp_load(VTA_MEM_ACC, 0, SP_DATA / 64, 1, 64),
                        sp_alu(0, 0, 1),
                        sp_alu(0, 0, 1),
                        sp_alu(0, 0, 1),
                        sp_alu(0, 0, 1),
                        sp_finish()};
    for (int i = 0; i < 4; i++) {
        vta_insn *alu = &insns[2 + i];
        *alu = sp_alu(c->opcode[i], c->imm[i], c->iter_in[i]);
        alu->u.exec.iter_out = c->iter_out[i];
        alu->u.exec.uop_bgn = c->uop[i];
        alu->u.exec.uop_end = c->uop[i] + 1;
        alu->u.exec.dst_factor_out = alu->u.exec.src_factor_out = c->dst_out;
        alu->u.exec.dst_factor_in = alu->u.exec.src_factor_in = c->dst_in;
    }
    sp_write(device, insns, 7);
    vta_status status = vta_device_run(device, SP_INSNS, 7, wait_cycles, diag);
    assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, 0, 64, acc, 64 * 16 * sizeof *acc, NULL), VTA_OK);
    return status;
}

TEST_CASE(chains_agree_with_reference) {
    static int32_t expected[64 * 16], got[64 * 16];
    vta_config *config = vta_config_default();
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        for (int path = 0; path < 4; path++) {
            /* without a bound, and with one that ends the run after the second ALU instruction */
            for (uint32_t wait = 0; wait <= 3 + 64 + 80; wait += 3 + 64 + 80) {
                vta_diag *diag = vta_diag_create(NULL);
                vta_device *device;
                static int32_t first[2][64 * 16];
                if (vta_device_create("sim", config, &paths[path], NULL, diag, &device) == VTA_OK) {
                    vta_status status = run_chain(device, &chains[i], wait, diag, got);
                    assert_int_equal(status, wait ? VTA_TIMEOUT : VTA_OK);
                    memcpy(expected, first[wait != 0], sizeof got);
                    if (!path) memcpy(first[wait != 0], got, sizeof got);
                    if (path && memcmp(got, expected, sizeof got)) fail_msg("%s, %s", chains[i].name, paths[path].cpu);
                }
                vta_device_destroy(device);
                vta_diag_destroy(diag);
            }
        }
    vta_config_release(config);
}

int main(void) { return run_cases(); }

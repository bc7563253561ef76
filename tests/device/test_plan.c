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
static vta_uop breaks_off(uint32_t u) { return u < 63 ? nested(u) : (vta_uop){u, 1, u % 5}; }
static vta_uop same(uint32_t u) { return (vta_uop){u - u, 1, 2}; }
static vta_uop scattered(uint32_t u) { return (vta_uop){u * 37 % 101, u * 53 % 97, u * 29 % 89}; }

static const gemm_case cases[] = {
    {"long reduction", 2000, reduction, 1, 2, 0, 1, 0, 20, 0, 3},
    {"many positions", 2048, positions, 1, 1, 0, 0, 0, 0, 0, 0},
    {"positions twice", 2048, positions, 2, 1, 0, 0, 0, 0, 7, 0},
    {"nested", 63, nested, 4, 5, 40, 7, 0, 30, 9, 0},
    {"positions that meet", 63, nested, 4, 5, 3, 2, 0, 30, 0, 0},
    {"falling", 150, falling, 2, 3, 50, 200, 1, 1, 10, 100},
    {"breaks off", 70, breaks_off, 2, 3, 100, 30, 5, 0, 0, 1},
    {"all the same", 5, same, 7, 9, 0, 0, 0, 0, 0, 0},
    {"scattered", 150, scattered, 3, 3, 101, 400, 0, 100, 80, 0},
    {"one micro-op, dense", 1, same, 40, 40, 40, 0, 0, 1, 20, 1},
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

static void fast_agrees_with_reference(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_agrees_with_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

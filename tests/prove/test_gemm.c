/* What a GEMM computes: the operands that its micro-op names, wherever on the chip they lie and whatever lay there
 * before. */
#include "support/check.h"
#include "vta/field.h"
#include "vta/isa.h"

enum { X = 0x1000, W = 0x2000, BIAS = 0x3000, Y = 0x4000, UOPS = 0x5000, INSNS = 0x6000 };
enum { LANES = 16, TILE = LANES * LANES, ELEMENTS = 2, INSN_COUNT = 10 };

/* Two elements of x and w each lie in DRAM and on the chip. */
typedef struct choices {
    uint32_t inp[ELEMENTS], wgt[ELEMENTS]; /* which ones are loaded */
    uint32_t src, tile;                    /* which of those are multiplied */
} choices;

static vta_insn load(uint8_t memory, uint32_t sram, uint32_t element) {
    vta_insn i = {.opcode = VTA_OP_LOAD};
    i.u.mem.memory_type = memory;
    i.u.mem.sram_base = sram;
    i.u.mem.dram_base = element;
    i.u.mem.x_size = i.u.mem.y_size = i.u.mem.x_stride = 1;
    return i;
}

static void add_segment(vta_program *p, uint32_t addr, const void *data, size_t size) {
    assert_int_equal(vta_program_add_segment(p, addr, data, size, NULL), VTA_OK);
}

/* y = bias + x[inp[src]] w[wgt[tile]], narrowed. */
static vta_program *make(const choices *c) {
    vta_config *config = vta_config_default();
    vta_insn gemm = {.opcode = VTA_OP_GEMM, .pop_prev_dep = 1, .push_next_dep = 1};
    gemm.u.exec.iter_out = gemm.u.exec.iter_in = gemm.u.exec.uop_end = 1;
    vta_insn insns[INSN_COUNT] = {load(VTA_MEM_UOP, 0, UOPS / 4),
                                  load(VTA_MEM_ACC, 3, BIAS / (4 * LANES)),
                                  load(VTA_MEM_INP, 0, X / LANES + c->inp[0]),
                                  load(VTA_MEM_INP, 1, X / LANES + c->inp[1]),
                                  load(VTA_MEM_WGT, 0, W / TILE + c->wgt[0]),
                                  load(VTA_MEM_WGT, 1, W / TILE + c->wgt[1]),
                                  gemm,
                                  load(VTA_MEM_OUT, 3, Y / LANES),
                                  {.opcode = VTA_OP_LOAD, .pop_next_dep = 1, .u.mem.memory_type = VTA_MEM_UOP},
                                  {.opcode = VTA_OP_FINISH}};
    insns[5].push_next_dep = 1;
    insns[7].opcode = VTA_OP_STORE;
    insns[7].pop_prev_dep = insns[7].push_prev_dep = 1;
    uint8_t bytes[INSN_COUNT * VTA_INSN_BYTES], page[4096] = {0};
    for (int i = 0; i < INSN_COUNT; i++)
        assert_int_equal(vta_insn_encode(config, &insns[i], NULL, bytes + i * VTA_INSN_BYTES), VTA_OK);
    uint32_t word;
    assert_int_equal(vta_uop_encode(config, (vta_uop){.dst = 3, .src = c->src, .wgt = c->tile}, NULL, &word), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, INSNS, bytes, INSN_COUNT, NULL), VTA_OK);
    for (uint32_t addr = X; addr <= Y; addr += 0x1000) add_segment(p, addr, page, sizeof page);
    memcpy(page, &word, sizeof word);
    add_segment(p, UOPS, page, sizeof page);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    vta_config_release(config);
    return p;
}

static vta_value x[ELEMENTS * LANES], w[ELEMENTS * TILE], bias[LANES];

static void run(vta_field *f, const choices *c, const vta_field_options *options, vta_value y[LANES]) {
    vta_program *p = make(c);
    const vta_field_array arrays[] = {
        {X, 8, ELEMENTS * LANES, x, 0}, {W, 8, ELEMENTS * TILE, w, 0}, {BIAS, 32, LANES, bias, 0}, {Y, 8, LANES, y, 1}};
    assert_int_equal(vta_field_run(p, f, options, 4, arrays, NULL), VTA_OK);
    vta_program_destroy(p);
}

static vta_field *new_field(void) {
    vta_field *f;
    assert_int_equal(vta_field_create(5, NULL, NULL, &f), VTA_OK);
    for (uint64_t i = 0; i < ELEMENTS * LANES; i++) x[i] = vta_field_variable(f, 1, i);
    for (uint64_t i = 0; i < ELEMENTS * TILE; i++) w[i] = vta_field_variable(f, 2, i);
    for (uint64_t i = 0; i < LANES; i++) bias[i] = vta_field_variable(f, 3, i);
    return f;
}

static choices numbered(uint32_t n) {
    return (choices){{n & 1, n >> 1 & 1}, {n >> 2 & 1, n >> 3 & 1}, n >> 4 & 1, n >> 5 & 1};
}

TEST_CASE(values) {
    vta_field *f = new_field();
    vta_value y[LANES];
    for (uint32_t n = 0; n < 64; n++) {
        const choices c = numbered(n);
        run(f, &c, &(vta_field_options){.stale = n, .every_order = true}, y);
        const vta_value *a = x + c.inp[c.src] * LANES, *b = w + c.wgt[c.tile] * TILE;
        for (int o = 0; o < LANES; o++) {
            vta_value sum = bias[o];
            for (int k = 0; k < LANES; k++)
                sum = vta_field_apply(f, VTA_FIELD_ADD, sum,
                                      vta_field_apply(f, VTA_FIELD_MUL, a[k], b[o * LANES + k], 32), 32);
            assert_true(y[o] == vta_field_narrow(f, sum, 8, true));
        }
    }
    vta_field_destroy(f);
}

int main(void) { return run_cases(); }

/* LOAD and STORE on values: rows with gaps between them in DRAM, padding around them on the chip, to and from any
 * place. */
#include "support/check.h"
#include "vta/field.h"
#include "vta/isa.h"

enum { X = 0x10000, Y = 0x20000, INSNS = 0x30000, LANES = 16, ELEMENTS = 64, PLACES = 256, INSN_COUNT = 4 };

typedef struct transfer {
    uint32_t rows, columns, stride, from; /* in DRAM */
    uint32_t top, bottom, left, right;    /* padding of zeros */
} transfer;

static vta_insn insn_of(vta_opcode opcode, uint8_t memory, const transfer *t, uint32_t sram, uint32_t base) {
    vta_insn i = {.opcode = (uint8_t)opcode};
    i.u.mem.memory_type = memory;
    i.u.mem.sram_base = sram;
    i.u.mem.dram_base = base + t->from;
    i.u.mem.y_size = (uint16_t)t->rows;
    i.u.mem.x_size = (uint16_t)t->columns;
    i.u.mem.x_stride = (uint16_t)t->stride;
    i.u.mem.y_pad_0 = (uint8_t)t->top;
    i.u.mem.y_pad_1 = (uint8_t)t->bottom;
    i.u.mem.x_pad_0 = (uint8_t)t->left;
    i.u.mem.x_pad_1 = (uint8_t)t->right;
    return i;
}

/* x is loaded to `place`, and from there on stored to y. */
static vta_program *make(const transfer *in, const transfer *out, bool narrow, uint32_t place) {
    vta_config *config = vta_config_default();
    uint8_t memory = narrow ? VTA_MEM_ACC_8BIT : VTA_MEM_ACC, element = narrow ? LANES : 4 * LANES;
    vta_insn insns[INSN_COUNT] = {insn_of(VTA_OP_LOAD, memory, in, place, X / element),
                                  insn_of(VTA_OP_STORE, VTA_MEM_OUT, out, place, Y / LANES),
                                  {.opcode = VTA_OP_LOAD, .pop_next_dep = 1, .u.mem.memory_type = VTA_MEM_UOP},
                                  {.opcode = VTA_OP_FINISH}};
    insns[0].push_next_dep = insns[1].pop_prev_dep = insns[1].push_prev_dep = 1;
    uint8_t bytes[INSN_COUNT * VTA_INSN_BYTES];
    static const uint8_t zeros[0x4000];
    for (int i = 0; i < INSN_COUNT; i++)
        assert_int_equal(vta_insn_encode(config, &insns[i], NULL, bytes + i * VTA_INSN_BYTES), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, INSNS, bytes, INSN_COUNT, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, X, zeros, sizeof zeros, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, Y, zeros, sizeof zeros, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    vta_config_release(config);
    return p;
}

/* Which element of x lies at each place on the chip from `place` on; -1: zeros, -2: what was there before. */
static void chip_by_hand(const transfer *t, int from[PLACES]) {
    uint32_t width = t->left + t->columns + t->right, at = 0;
    for (uint32_t i = 0; i < PLACES; i++) from[i] = -2;
    for (uint32_t y = 0; y < t->top + t->rows + t->bottom; y++)
        for (uint32_t x = 0; x < width; x++) {
            bool inside = y >= t->top && y < t->top + t->rows && x >= t->left && x < t->left + t->columns;
            from[at++] = inside ? (int)(t->from + (y - t->top) * t->stride + x - t->left) : -1;
        }
}

static vta_value x[ELEMENTS * LANES], y[ELEMENTS * LANES];

/* Every scalar of y: what was stored there, which is x itself only where that has 8 bits, or what only that piece of
 * memory holds. */
static void check_y(vta_field *f, const transfer *in, const transfer *out, bool narrow, int n) {
    int from[PLACES], stored[ELEMENTS];
    chip_by_hand(in, from);
    for (int i = 0; i < ELEMENTS; i++) stored[i] = -3;
    for (uint32_t row = 0; row < out->rows; row++)
        for (uint32_t column = 0; column < out->columns; column++)
            stored[out->from + row * out->stride + column] = from[row * out->columns + column];
    for (int i = 0; i < ELEMENTS * LANES; i++) {
        int e = stored[i / LANES], lane = i % LANES;
        int64_t number;
        bool zero = vta_field_is_int(f, y[i], &number) && number == 0, found = false;
        for (int k = 0; k < ELEMENTS; k++) found = found || y[i] == vta_field_narrow(f, x[k * LANES + lane], 8, true);
        bool right = e == -1 ? zero
                     : e < 0 ? !zero && !found
                             : y[i] == vta_field_narrow(f, x[e * LANES + lane], 8, true) &&
                                   (y[i] == x[e * LANES + lane]) == narrow;
        if (!right) fail_msg("transfer %d: element %d of y, lane %d, is not element %d of x", n, i / LANES, lane, e);
    }
}

TEST_CASE(at_random) {
    check_random r = {19};
    for (int n = 0; n < 60; n++) {
        vta_field *f;
        bool narrow = n % 2;
        transfer in = {.rows = (uint32_t)check_between(&r, 1, 4), .columns = (uint32_t)check_between(&r, 1, 5)};
        in.stride = (uint32_t)check_between(&r, in.columns, 9), in.from = (uint32_t)check_between(&r, 0, 20);
        in.top = (uint32_t)check_between(&r, 0, 2), in.bottom = (uint32_t)check_between(&r, 0, 2);
        in.left = (uint32_t)check_between(&r, 0, 2), in.right = (uint32_t)check_between(&r, 0, 2);
        transfer out = {.rows = (uint32_t)check_between(&r, 1, 5), .columns = (uint32_t)check_between(&r, 1, 6)};
        out.stride = (uint32_t)check_between(&r, out.columns, 9), out.from = (uint32_t)check_between(&r, 0, 20);
        assert_int_equal(vta_field_create((uint64_t)n, NULL, NULL, &f), VTA_OK);
        for (uint64_t i = 0; i < ELEMENTS * LANES; i++) x[i] = vta_field_variable(f, 1, i);
        vta_program *p = make(&in, &out, narrow, (uint32_t)check_between(&r, 0, 100));
        const vta_field_array arrays[] = {{X, narrow ? 8 : 32, ELEMENTS * LANES, x, 0}, {Y, 8, ELEMENTS * LANES, y, 1}};
        assert_int_equal(vta_field_run(p, f, NULL, 2, arrays, NULL), VTA_OK);
        if (narrow) /* an element that is 8 bits wide is what it was narrowed to */
            for (uint64_t i = 0; i < ELEMENTS * LANES; i++) vta_field_known(f, x[i], INT8_MIN, INT8_MAX);
        check_y(f, &in, &out, narrow, n);
        vta_program_destroy(p);
        vta_field_destroy(f);
    }
}

int main(void) { return run_cases(); }

/* A program of a few instructions on values: the numbers it stands for, orders that differ, what is refused. */
#include "support/check.h"
#include "vta/field.h"
#include "vta/isa.h"

enum { X = 0x1000, Y = 0x2000, T = 0x3000, UOPS = 0x4000, INSNS = 0x5000, LANES = 16, INSN_COUNT = 9 };

/* x holds two acc elements. acc[0] = x[0]; acc[2] = x[1]; t = acc[2], narrowed; acc[1] = t; acc[0] += acc[1];
 * y = acc[0], narrowed. Nothing but tokens orders the store to t and the load from it. */
typedef struct choices {
    bool ordered;       /* the load waits for the store */
    uint32_t uops_from; /* where micro-ops are loaded from */
    bool no_sum;        /* without the ADD */
    int again;          /* runs after the first */
    uint32_t further;   /* elements on the chip between those of x and where t is loaded to */
} choices;

static vta_insn load(uint8_t memory, uint32_t sram, uint32_t addr, uint32_t element) {
    vta_insn i = {.opcode = VTA_OP_LOAD};
    i.u.mem.memory_type = memory;
    i.u.mem.sram_base = sram;
    i.u.mem.dram_base = addr / element;
    i.u.mem.x_size = i.u.mem.y_size = i.u.mem.x_stride = 1;
    return i;
}

static vta_insn store(uint32_t sram, uint32_t addr) {
    vta_insn i = load(VTA_MEM_OUT, sram, addr, LANES);
    i.opcode = VTA_OP_STORE;
    i.pop_prev_dep = 1;
    return i;
}

static void record(vta_program *p, const vta_config *config, const uint8_t *bytes, const choices *c) {
    uint8_t page[4096] = {0};
    assert_int_equal(vta_program_begin_run(p, INSNS, bytes, INSN_COUNT, NULL), VTA_OK);
    memset(page, 0xFE, LANES); /* t: -2 everywhere, if it is a constant */
    assert_int_equal(vta_program_add_segment(p, T, page, 256, NULL), VTA_OK);
    memset(page, 0, LANES);
    assert_int_equal(vta_program_add_segment(p, X, page, 256, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, Y, page, 256, NULL), VTA_OK);
    uint32_t word;
    assert_int_equal(vta_uop_encode(config, (vta_uop){.dst = 0, .src = 1 + c->further}, NULL, &word), VTA_OK);
    memcpy(page, &word, sizeof word);
    assert_int_equal(vta_program_add_segment(p, UOPS, page, 256, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
}

static vta_program *make(const choices *c) {
    vta_config *config = vta_config_default();
    vta_insn add = {.opcode = VTA_OP_ALU, .push_next_dep = 1};
    add.u.exec.alu_opcode = VTA_ALU_ADD;
    add.u.exec.iter_out = add.u.exec.iter_in = 1;
    add.u.exec.uop_end = c->no_sum ? 0 : 1;
    vta_insn insns[INSN_COUNT] = {load(VTA_MEM_UOP, 0, c->uops_from, 4),
                                  load(VTA_MEM_ACC, 0, X, 4 * LANES),
                                  load(VTA_MEM_ACC, 2, X + 4 * LANES, 4 * LANES),
                                  store(2, T),
                                  load(VTA_MEM_ACC_8BIT, 1 + c->further, T, LANES),
                                  add,
                                  store(0, Y),
                                  {.opcode = VTA_OP_LOAD, .u.mem.memory_type = VTA_MEM_UOP},
                                  {.opcode = VTA_OP_FINISH}};
    insns[2].push_next_dep = 1;
    insns[3].push_prev_dep = c->ordered;
    insns[4].pop_next_dep = c->ordered;
    insns[6].push_prev_dep = 1;
    insns[7].pop_next_dep = 1;
    uint8_t bytes[INSN_COUNT * VTA_INSN_BYTES];
    for (int i = 0; i < INSN_COUNT; i++)
        assert_int_equal(vta_insn_encode(config, &insns[i], NULL, bytes + i * VTA_INSN_BYTES), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    for (int k = 0; k <= c->again; k++) record(p, config, bytes, c);
    vta_config_release(config);
    return p;
}

/* Runs it; y in `out`. */
static vta_status run(const choices *c, vta_field *f, const vta_field_options *options, vta_value out[LANES]) {
    vta_value x[2 * LANES];
    for (int i = 0; i < 2 * LANES; i++) x[i] = vta_field_variable(f, 9, (uint64_t)i);
    vta_program *p = make(c);
    const vta_field_array arrays[] = {{X, 32, 2 * LANES, x, 0}, {Y, 8, LANES, out, 1}};
    vta_status status = vta_field_run(p, f, options, 2, arrays, NULL);
    vta_program_destroy(p);
    return status;
}

static vta_field *new_field(void) {
    vta_field *f;
    assert_int_equal(vta_field_create(5, NULL, NULL, &f), VTA_OK);
    return f;
}

TEST_CASE(values_are_the_expressions) {
    vta_field *f = new_field();
    vta_value y[LANES];
    vta_field_writer writer;
    const vta_field_options options = {.out_writer = &writer, .watch = 1, .watch_index = 3};
    assert_int_equal(run(&(choices){.ordered = true, .uops_from = UOPS}, f, &options, y), VTA_OK);
    for (uint64_t i = 0; i < LANES; i++) {
        vta_value narrow = vta_field_narrow(f, vta_field_variable(f, 9, LANES + i), 8, true);
        vta_value sum = vta_field_apply(f, VTA_FIELD_ADD, vta_field_variable(f, 9, i), narrow, 32);
        assert_true(y[i] == vta_field_narrow(f, sum, 8, true));
    }
    assert_true(writer.known && writer.has_alu);
    assert_int_equal(writer.store, 6);
    assert_int_equal(writer.insn, 5);
    vta_field_destroy(f);
}

/* Without a token the load may come before the store: the values of another order tell, and VTA_RACE in any order. */
TEST_CASE(orders_differ_by_tokens_alone) {
    for (int ordered = 0; ordered < 2; ordered++) {
        vta_field *f = new_field();
        vta_value first[LANES], late[LANES], without[LANES];
        const choices c = {.ordered = ordered, .uops_from = UOPS},
                      no_sum = {.ordered = ordered, .uops_from = UOPS, .no_sum = true};
        vta_field_options options = {0};
        assert_int_equal(run(&c, f, &options, first), VTA_OK);
        assert_int_equal(run(&no_sum, f, &options, without), VTA_OK);
        options.order = VTA_ORDER_STORE_LATE;
        assert_int_equal(run(&c, f, &options, late), VTA_OK);
        assert_int_equal(memcmp(first, late, sizeof first) == 0, ordered);
        assert_true(memcmp(first, without, sizeof first) != 0);
        for (int order = VTA_ORDER_PROGRAM; order <= VTA_ORDER_STORE_LATE; order++)
            for (uint64_t seed = 0; seed < 8; seed++) {
                options = (vta_field_options){.every_order = true, .order = (uint32_t)order, .seed = seed};
                assert_int_equal(run(&c, f, &options, late), ordered ? VTA_OK : VTA_RACE);
            }
        vta_field_destroy(f);
    }
}

/* What lay on the chip before at the place of what is loaded, which every place has its own of, does not count. */
TEST_CASE(places_do_not_matter) {
    vta_field *f = new_field();
    vta_value near[LANES], far[LANES];
    assert_int_equal(run(&(choices){.ordered = true, .uops_from = UOPS}, f, NULL, near), VTA_OK);
    for (uint32_t further = 2; further < 6; further++) {
        assert_int_equal(run(&(choices){.ordered = true, .uops_from = UOPS, .further = further}, f, NULL, far), VTA_OK);
        assert_memory_equal(far, near, sizeof far);
    }
    vta_field_destroy(f);
}

TEST_CASE(other_stale_memory_other_values) {
    vta_field *f = new_field();
    vta_value one[LANES], two[LANES];
    const choices racy = {.uops_from = UOPS}, sound = {.ordered = true, .uops_from = UOPS};
    vta_field_options options = {.order = VTA_ORDER_STORE_LATE}, other = {.order = VTA_ORDER_STORE_LATE, .stale = 1};
    assert_int_equal(run(&racy, f, &options, one), VTA_OK);
    assert_int_equal(run(&racy, f, &other, two), VTA_OK);
    assert_true(memcmp(one, two, sizeof one) != 0);
    assert_int_equal(run(&sound, f, &options, one), VTA_OK);
    assert_int_equal(run(&sound, f, &other, two), VTA_OK);
    assert_memory_equal(one, two, sizeof one);
    vta_field_destroy(f);
}

/* In the place of constants a STORE is followed as anywhere else, but not where another run begins with them. */
static void replaced_constants(vta_field *f) {
    const uint32_t t[] = {T};
    const vta_field_options plain = {0}, constants = {.constant_count = 1, .constants = t},
                            late = {.constant_count = 1, .constants = t, .order = VTA_ORDER_STORE_LATE};
    vta_value without[LANES], with[LANES], before[LANES];
    const choices sound = {.ordered = true, .uops_from = UOPS}, racy = {.uops_from = UOPS},
                  twice = {.ordered = true, .uops_from = UOPS, .again = 1};
    assert_int_equal(run(&sound, f, &plain, without), VTA_OK);
    assert_int_equal(run(&sound, f, &constants, with), VTA_OK);
    assert_memory_equal(with, without, sizeof with);
    assert_int_equal(run(&racy, f, &late, before), VTA_OK);
    for (uint64_t i = 0; i < LANES; i++) {
        vta_value sum = vta_field_apply(f, VTA_FIELD_ADD, vta_field_variable(f, 9, i), vta_field_int(f, -2), 32);
        assert_true(before[i] == vta_field_narrow(f, sum, 8, true));
    }
    assert_int_equal(run(&twice, f, &plain, without), VTA_OK);
    assert_int_equal(run(&twice, f, &constants, with), VTA_UNSUPPORTED);
}

TEST_CASE(constants_and_refusals) {
    vta_field *f = new_field();
    vta_value y[LANES];
    const choices sound = {.ordered = true, .uops_from = UOPS};
    const uint32_t x[] = {X};
    /* Micro-ops from an argument, from an output, from what a STORE writes. */
    for (uint32_t from = X; from <= T; from += 0x1000)
        assert_int_equal(run(&(choices){.ordered = true, .uops_from = from}, f, NULL, y),
                         from == T ? VTA_OK : VTA_ILLEGAL);
    replaced_constants(f);
    assert_int_equal(run(&sound, f, &(vta_field_options){.most_work = 5}, y), VTA_TIMEOUT);
    /* Constants are what was recorded: an argument that is not one of the arrays. */
    vta_program *p = make(&sound);
    const vta_field_array out = {Y, 8, LANES, y, 1};
    assert_int_equal(vta_field_run(p, f, &(vta_field_options){.constant_count = 1, .constants = x}, 1, &out, NULL),
                     VTA_OK);
    int64_t number;
    assert_true(vta_field_is_int(f, y[0], &number) && number == 0);
    const vta_field_array outside = {Y, 8, 1 << 20, y, 1};
    assert_int_equal(vta_field_run(p, f, NULL, 1, &outside, NULL), VTA_OUT_OF_RANGE);
    static const uint32_t widths[] = {0,  1,  4,  7,  8,  9, 12,
                                      16, 24, 31, 32, 33, 64}; /* those of scalars of some memory */
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const vta_field_array as_wide = {Y, widths[i], 1, y, 1};
        bool is_width = widths[i] == 8 || widths[i] == 16 || widths[i] == 32;
        assert_int_equal(vta_field_run(p, f, NULL, 1, &as_wide, NULL), is_width ? VTA_OK : VTA_UNSUPPORTED);
    }
    vta_program_destroy(p);
    vta_field_destroy(f);
}

int main(void) { return run_cases(); }

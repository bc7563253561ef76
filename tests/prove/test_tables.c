/* Tables on values: a random function of what is looked up and of all that the table holds, which a constant opens. */
#include "support/check.h"
#include "vta/field.h"
#include "vta/isa.h"

enum {
    X = 0x10000,
    Y = 0x20000,
    UOPS = 0x30000,
    INSNS = 0x31000,
    T = 0x32000,
    LANES = 16,
    ELEMENTS = 4,
    COUNT = ELEMENTS * LANES,
    TABLES = 2,
    INSN_COUNT = 8
};

static vta_insn move(vta_opcode opcode, uint8_t memory, uint32_t base, uint16_t count) {
    vta_insn i = {.opcode = (uint8_t)opcode};
    i.u.mem.memory_type = memory;
    i.u.mem.dram_base = base;
    i.u.mem.y_size = 1;
    i.u.mem.x_size = i.u.mem.x_stride = count;
    return i;
}

static vta_insn alu(vta_alu_opcode opcode, int16_t imm) {
    vta_insn i = {.opcode = VTA_OP_ALU};
    i.u.exec.alu_opcode = (uint8_t)opcode;
    i.u.exec.use_imm = 1;
    i.u.exec.imm = imm;
    i.u.exec.uop_end = i.u.exec.iter_out = 1;
    i.u.exec.iter_in = ELEMENTS;
    i.u.exec.dst_factor_in = i.u.exec.src_factor_in = 1;
    return i;
}

/* x >> 3, then a table of it, to y. */
static vta_program *make(int16_t table, uint16_t loaded) {
    vta_config *base = vta_config_default(), *config;
    assert_int_equal(vta_config_with(base, "LOG_TABLE_BUFF_SIZE=9", NULL, &config), VTA_OK);
    vta_insn insns[INSN_COUNT] = {move(VTA_OP_LOAD, VTA_MEM_UOP, UOPS / 4, 1),
                                  move(VTA_OP_LOAD, VTA_MEM_ACC, X / (4 * LANES), ELEMENTS),
                                  move(VTA_OP_LOAD, VTA_MEM_TABLE, T / 256, loaded),
                                  alu(VTA_ALU_SHR, 3),
                                  alu(VTA_ALU_TABLE, table),
                                  move(VTA_OP_STORE, VTA_MEM_OUT, Y / LANES, ELEMENTS),
                                  {.opcode = VTA_OP_LOAD, .pop_next_dep = 1, .u.mem.memory_type = VTA_MEM_UOP},
                                  {.opcode = VTA_OP_FINISH}};
    insns[4].push_next_dep = insns[5].pop_prev_dep = insns[5].push_prev_dep = 1;
    uint8_t bytes[INSN_COUNT * VTA_INSN_BYTES];
    static const uint8_t zeros[0x1000];
    for (int i = 0; i < INSN_COUNT; i++)
        assert_int_equal(vta_insn_encode(config, &insns[i], NULL, bytes + i * VTA_INSN_BYTES), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, INSNS, bytes, INSN_COUNT, NULL), VTA_OK);
    const uint32_t places[] = {X, Y, UOPS, T};
    for (int i = 0; i < 4; i++)
        assert_int_equal(vta_program_add_segment(p, places[i], zeros, sizeof zeros, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    vta_config_release(config);
    vta_config_release(base);
    return p;
}

static vta_value x[COUNT], y[COUNT], z[COUNT], entries[TABLES * 256];

static void run(vta_field *f, int16_t table, uint16_t loaded, vta_value *to) {
    vta_program *p = make(table, loaded);
    const vta_field_array arrays[] = {{X, 32, COUNT, x, 0}, {T, 8, TABLES * 256, entries, 0}, {Y, 8, COUNT, to, 1}};
    const vta_field_options o = {.size = sizeof o, .every_order = true};
    assert_int_equal(vta_field_run(p, f, &o, 3, arrays, NULL), VTA_OK);
    vta_program_destroy(p);
}

static vta_field *field_of(uint64_t seed) {
    vta_field *f;
    assert_int_equal(vta_field_create(seed, NULL, NULL, &f), VTA_OK);
    for (uint64_t i = 0; i < COUNT; i++) x[i] = vta_field_variable(f, 1, i);
    for (uint64_t i = 0; i < TABLES * 256; i++) {
        entries[i] = vta_field_variable(f, 2, i);
        vta_field_known(f, entries[i], -128, 127);
    }
    return f;
}

/* By hand: the entry of the clipped value, whichever way the clip is written. */
static vta_value by_hand(vta_field *f, const vta_value *table, vta_value v) {
    vta_value result;
    v = vta_field_apply(f, VTA_FIELD_SHR, v, vta_field_int(f, 3), 32);
    v = vta_field_apply(f, VTA_FIELD_MIN, v, vta_field_int(f, 127), 32);
    v = vta_field_apply(f, VTA_FIELD_MAX, v, vta_field_int(f, -128), 32);
    v = vta_field_apply(f, VTA_FIELD_ADD, v, vta_field_int(f, 128), 64);
    assert_true(vta_field_lookup(f, 256, table, v, &result));
    return result;
}

TEST_CASE(looks_up) {
    for (uint64_t seed = 1; seed < 4; seed++) {
        vta_field *f = field_of(seed);
        x[5] = vta_field_int(f, 40), x[6] = vta_field_int(f, -5000), x[7] = vta_field_int(f, 5000);
        for (int16_t table = 0; table < TABLES; table++) {
            run(f, table, TABLES, y);
            for (int i = 0; i < COUNT; i++) assert_true(vta_field_same(y[i], by_hand(f, entries + table * 256, x[i])));
            /* What is looked up at constants are the entries themselves. */
            assert_true(vta_field_same(y[5], entries[table * 256 + 128 + 5]));
            assert_true(vta_field_same(y[6], entries[table * 256]));
            assert_true(vta_field_same(y[7], entries[table * 256 + 255]));
            assert_false(vta_field_same(y[8], y[9]));
        }
        vta_field_destroy(f);
    }
}

/* Every fault shows: another table, one that was not loaded, one entry that differs. */
TEST_CASE(faults_show) {
    vta_field *f = field_of(9);
    run(f, 1, TABLES, y);
    run(f, 0, TABLES, z);
    for (int i = 0; i < COUNT; i++) assert_false(vta_field_same(y[i], z[i]));
    run(f, 1, 1, z);
    for (int i = 0; i < COUNT; i++) assert_false(vta_field_same(y[i], z[i]));
    entries[256 + 77] = entries[256 + 78];
    run(f, 1, TABLES, z);
    for (int i = 0; i < COUNT; i++) assert_false(vta_field_same(y[i], z[i]));
    vta_field_destroy(f);
}

/* An index that may be outside is none. */
TEST_CASE(in_range_only) {
    vta_field *f = field_of(3);
    vta_value result, v = vta_field_variable(f, 7, 7);
    assert_false(vta_field_lookup(f, 256, entries, v, &result));
    vta_field_known(f, v, 0, 256);
    assert_false(vta_field_lookup(f, 256, entries, v, &result));
    assert_false(vta_field_lookup(f, 256, entries, vta_field_int(f, -1), &result));
    assert_false(vta_field_lookup(f, 256, entries, vta_field_int(f, 256), &result));
    assert_true(vta_field_lookup(f, 256, entries, vta_field_int(f, 255), &result));
    assert_true(result == entries[255]);
    vta_field_destroy(f);
}

int main(void) { return run_cases(); }

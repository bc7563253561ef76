/* The ALU on values: loops over micro-ops, whose operands may lie anywhere and be results of steps before, with a
 * constant and without. */
#include "support/check.h"
#include "vta/field.h"
#include "vta/isa.h"

enum {
    X = 0x10000,
    Y = 0x20000,
    UOPS = 0x30000,
    INSNS = 0x31000,
    LANES = 16,
    ELEMENTS = 32,
    UOP_COUNT = 4,
    INSN_COUNT = 6
};

typedef struct operation {
    vta_alu_opcode opcode;
    vta_field_op meaning;
} operation;

static const operation operations[] = {{VTA_ALU_MIN, VTA_FIELD_MIN},
                                       {VTA_ALU_MAX, VTA_FIELD_MAX},
                                       {VTA_ALU_ADD, VTA_FIELD_ADD},
                                       {VTA_ALU_SHR, VTA_FIELD_SHR},
                                       {VTA_ALU_MUL, VTA_FIELD_MUL}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static vta_insn move(vta_opcode opcode, uint8_t memory, uint32_t base, uint16_t count) {
    vta_insn i = {.opcode = (uint8_t)opcode};
    i.u.mem.memory_type = memory;
    i.u.mem.dram_base = base;
    i.u.mem.y_size = 1;
    i.u.mem.x_size = i.u.mem.x_stride = count;
    return i;
}

/* All of x is loaded, then the instruction runs, then all of it is stored to y. */
static vta_program *make(const vta_insn *alu, const vta_uop uops[UOP_COUNT]) {
    vta_config *config = vta_config_default();
    const vta_insn insns[INSN_COUNT] = {move(VTA_OP_LOAD, VTA_MEM_UOP, UOPS / 4, UOP_COUNT),
                                        move(VTA_OP_LOAD, VTA_MEM_ACC, X / (4 * LANES), ELEMENTS),
                                        *alu,
                                        move(VTA_OP_STORE, VTA_MEM_OUT, Y / LANES, ELEMENTS),
                                        {.opcode = VTA_OP_LOAD, .pop_next_dep = 1, .u.mem.memory_type = VTA_MEM_UOP},
                                        {.opcode = VTA_OP_FINISH}};
    vta_insn all[INSN_COUNT];
    memcpy(all, insns, sizeof all);
    all[3].pop_prev_dep = all[3].push_prev_dep = 1;
    uint8_t bytes[INSN_COUNT * VTA_INSN_BYTES];
    uint32_t words[UOP_COUNT];
    static const uint8_t zeros[0x1000];
    for (int i = 0; i < INSN_COUNT; i++)
        assert_int_equal(vta_insn_encode(config, &all[i], NULL, bytes + i * VTA_INSN_BYTES), VTA_OK);
    for (int i = 0; i < UOP_COUNT; i++) assert_int_equal(vta_uop_encode(config, uops[i], NULL, &words[i]), VTA_OK);
    vta_program *p;
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, INSNS, bytes, INSN_COUNT, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, X, zeros, sizeof zeros, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, Y, zeros, sizeof zeros, NULL), VTA_OK);
    assert_int_equal(vta_program_add_segment(p, UOPS, words, sizeof words, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    vta_config_release(config);
    return p;
}

static vta_value x[ELEMENTS][LANES], y[ELEMENTS][LANES];

static void by_hand(vta_field *f, vta_field_op meaning, const vta_insn *alu, const vta_uop uops[UOP_COUNT]) {
    for (uint32_t out = 0; out < alu->u.exec.iter_out; out++)
        for (uint32_t in = 0; in < alu->u.exec.iter_in; in++)
            for (uint32_t u = alu->u.exec.uop_bgn; u < alu->u.exec.uop_end; u++) {
                uint32_t dst = uops[u].dst + out * alu->u.exec.dst_factor_out + in * alu->u.exec.dst_factor_in;
                uint32_t src = uops[u].src + out * alu->u.exec.src_factor_out + in * alu->u.exec.src_factor_in;
                for (int lane = 0; lane < LANES; lane++) {
                    vta_value second = alu->u.exec.use_imm ? vta_field_int(f, alu->u.exec.imm) : x[src][lane];
                    x[dst][lane] = vta_field_apply(f, meaning, x[dst][lane], second, 32);
                }
            }
}

TEST_CASE(at_random) {
    check_random r = {77};
    for (int n = 0; n < 80; n++) {
        const operation *o = &operations[n % OPERATIONS];
        vta_field *f;
        vta_uop uops[UOP_COUNT];
        vta_insn alu = {.opcode = VTA_OP_ALU, .push_next_dep = 1};
        for (int u = 0; u < UOP_COUNT; u++)
            uops[u] = (vta_uop){(uint32_t)check_between(&r, 0, 16), (uint32_t)check_between(&r, 0, 16), 0};
        alu.u.exec.alu_opcode = (uint8_t)o->opcode;
        alu.u.exec.use_imm = check_between(&r, 0, 1) == 1;
        alu.u.exec.imm = (int16_t)check_between(&r, -40, 40);
        alu.u.exec.iter_out = (uint16_t)check_between(&r, 1, 3);
        alu.u.exec.iter_in = (uint16_t)check_between(&r, 1, 3);
        alu.u.exec.uop_bgn = (uint32_t)check_between(&r, 0, 1);
        alu.u.exec.uop_end = (uint32_t)check_between(&r, 2, UOP_COUNT);
        alu.u.exec.dst_factor_out = (uint32_t)check_between(&r, 0, 3);
        alu.u.exec.dst_factor_in = (uint32_t)check_between(&r, 0, 3);
        alu.u.exec.src_factor_out = (uint32_t)check_between(&r, 0, 3);
        alu.u.exec.src_factor_in = (uint32_t)check_between(&r, 0, 3);
        assert_int_equal(vta_field_create((uint64_t)n, NULL, NULL, &f), VTA_OK);
        for (uint64_t i = 0; i < ELEMENTS * LANES; i++) x[i / LANES][i % LANES] = vta_field_variable(f, 1, i);
        vta_program *p = make(&alu, uops);
        const vta_field_array arrays[] = {{X, 32, ELEMENTS * LANES, x[0], 0}, {Y, 8, ELEMENTS * LANES, y[0], 1}};
        assert_int_equal(vta_field_run(p, f, NULL, 2, arrays, NULL), VTA_OK);
        by_hand(f, o->meaning, &alu, uops);
        for (int i = 0; i < ELEMENTS * LANES; i++)
            if (y[i / LANES][i % LANES] != vta_field_narrow(f, x[i / LANES][i % LANES], 8, true))
                fail_msg("program %d: lane %d of element %d", n, i % LANES, i / LANES);
        vta_program_destroy(p);
        vta_field_destroy(f);
    }
}

int main(void) { return run_cases(); }

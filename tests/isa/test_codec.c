/* The instruction table and its codec, for the default and many random configurations. */
#include "isa/fields.h"
#include "isa/spare.h"
#include "support/configs.h"

enum { CONFIGS = 200 };

typedef void (*body)(const vta_config *config, check_random *r);

static void for_many_configs(body run) {
    check_random r = {1};
    vta_config *c = vta_config_default();
    run(c, &r);
    vta_config_release(c);
    for (int i = 0; i < CONFIGS; i++) {
        c = check_random_config(&r);
        run(c, &r);
        vta_config_release(c);
    }
}

/* Bits that a field owns: those that change in the encoding when the field goes from 0 to all ones. */
static void owned_bits(const vta_config *config, unsigned opcode, const vt_field *field, uint64_t out_bits[2]) {
    vta_insn insn = {.opcode = (uint8_t)opcode};
    uint8_t zero[16], ones[16];
    assert_int_equal(vta_insn_encode(config, &insn, NULL, zero), VTA_OK);
    int64_t least, most;
    vt_field_range(config, field, &least, &most);
    vt_field_set(field, &insn, field->kind == VT_FIELD_SIGNED ? -1 : most);
    assert_int_equal(vta_insn_encode(config, &insn, NULL, ones), VTA_OK);
    for (int w = 0; w < 2; w++) out_bits[w] = vt_load_le64(zero + 8 * w) ^ vt_load_le64(ones + 8 * w);
}

/* No two fields share a bit, each has as many as its row says, and with the spare ones they fill the words. */
static void layout(const vta_config *config, check_random *r) {
    (void)r;
    for (unsigned opcode = 0; opcode < VTA_OP_COUNT; opcode++) {
        uint64_t taken[2] = {7, 0};
        for (int group = 0; group < 2; group++) {
            unsigned count;
            const vt_field *fields = group ? vt_opcode_fields(opcode, &count) : vt_common_fields(&count);
            for (unsigned i = group ? 0 : 1; i < count; i++) {
                uint64_t bits[2];
                owned_bits(config, opcode, &fields[i], bits);
                assert_int_equal(__builtin_popcountll(bits[fields[i].word]), vt_field_bits(config, &fields[i]));
                assert_int_equal(bits[!fields[i].word], 0);
                assert_int_equal(taken[fields[i].word] & bits[fields[i].word], 0);
                taken[fields[i].word] |= bits[fields[i].word];
            }
        }
        for (unsigned w = 0; w < 2; w++) {
            unsigned begin = vt_spare_begin(config, opcode, w);
            assert_int_equal(taken[w], begin == 64 ? UINT64_MAX : vt_low_bits(begin));
        }
    }
}

static int64_t pick_value(check_random *r, int64_t least, int64_t most) {
    switch (check_next(r) % 4) {
    case 0: return least;
    case 1: return most;
    default: return check_between(r, least, most);
    }
}

static vta_insn random_insn(const vta_config *config, check_random *r) {
    vta_insn insn;
    memset(&insn, 0, sizeof insn);
    insn.opcode = (uint8_t)(check_next(r) % VTA_OP_COUNT);
    for (int group = 0; group < 2; group++) {
        unsigned count;
        const vt_field *fields = group ? vt_opcode_fields(insn.opcode, &count) : vt_common_fields(&count);
        for (unsigned i = group ? 0 : 1; i < count; i++) {
            int64_t least, most;
            vt_field_range(config, &fields[i], &least, &most);
            vt_field_set(&fields[i], &insn, pick_value(r, least, most));
        }
    }
    return insn;
}

static void round_trip(const vta_config *config, check_random *r) {
    for (int i = 0; i < 200; i++) {
        vta_insn insn = random_insn(config, r), back;
        uint8_t bytes[16], again[16];
        assert_int_equal(vta_insn_encode(config, &insn, NULL, bytes), VTA_OK);
        assert_int_equal(vta_insn_decode(config, bytes, NULL, &back), VTA_OK);
        assert_memory_equal(&insn, &back, sizeof insn);
        vt_insn_pack(config, &back, again);
        assert_memory_equal(bytes, again, sizeof bytes);
    }
}

/* One past either end of every field is refused by its name. */
static void out_of_range(const vta_config *config, check_random *r) {
    (void)r;
    vta_diag *diag = vta_diag_create(NULL);
    for (unsigned opcode = 0; opcode < VTA_OP_COUNT; opcode++) {
        unsigned count;
        const vt_field *fields = vt_opcode_fields(opcode, &count);
        for (unsigned i = 0; i < count; i++) {
            int64_t least, most;
            vt_field_range(config, &fields[i], &least, &most);
            vta_insn insn = {.opcode = (uint8_t)opcode};
            vt_field_set(&fields[i], &insn, most + 1);
            if (vt_field_get(&fields[i], &insn) != most + 1) continue; /* the struct holds no more than the field */
            uint8_t bytes[16];
            vta_diag_clear(diag);
            assert_int_equal(vta_insn_encode(config, &insn, diag, bytes), VTA_OUT_OF_RANGE);
            assert_contains(vta_diag_text(diag), fields[i].name);
            assert_contains(vta_diag_text(diag), vta_opcode_name((vta_opcode)opcode));
        }
    }
    vta_diag_destroy(diag);
}

static void uops(const vta_config *config, check_random *r) {
    uint32_t most[3] = {(uint32_t)vt_low_bits(vt_uop_dst_bits(config)), (uint32_t)vt_low_bits(vt_uop_src_bits(config)),
                        (uint32_t)vt_low_bits(vt_uop_wgt_bits(config))};
    for (int i = 0; i < 50; i++) {
        vta_uop uop = {(uint32_t)pick_value(r, 0, most[0]), (uint32_t)pick_value(r, 0, most[1]),
                       (uint32_t)pick_value(r, 0, most[2])};
        uint32_t word;
        assert_int_equal(vta_uop_encode(config, uop, NULL, &word), VTA_OK);
        vta_uop back = vta_uop_decode(config, word);
        assert_memory_equal(&uop, &back, sizeof uop);
    }
    uint32_t word;
    assert_int_equal(vta_uop_encode(config, (vta_uop){most[0] + 1, 0, 0}, NULL, &word), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_uop_encode(config, (vta_uop){0, most[1] + 1, 0}, NULL, &word), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_uop_encode(config, (vta_uop){0, 0, most[2] + 1}, NULL, &word), VTA_OUT_OF_RANGE);
}

#define FOR_MANY_CONFIGS(name)                                                                                         \
    static void test_##name(void **s) {                                                                                \
        (void)s;                                                                                                       \
        for_many_configs(name);                                                                                        \
    }
FOR_MANY_CONFIGS(layout)
FOR_MANY_CONFIGS(round_trip)
FOR_MANY_CONFIGS(out_of_range)
FOR_MANY_CONFIGS(uops)

/* Positions of the default configuration, worked out by hand from the description of the machine. */
static void known_encodings(void **state) {
    (void)state;
    vta_config *c = vta_config_default();
    uint8_t b[16];
    vta_insn load = {.opcode = VTA_OP_LOAD, .pop_next_dep = 1};
    load.u.mem.memory_type = VTA_MEM_INP;
    load.u.mem.sram_base = 0x1234;
    load.u.mem.dram_base = 0xdeadbeef;
    load.u.mem.y_size = 2;
    load.u.mem.x_size = 3;
    load.u.mem.x_stride = 5;
    load.u.mem.y_pad_0 = 1;
    load.u.mem.y_pad_1 = 2;
    load.u.mem.x_pad_0 = 3;
    load.u.mem.x_pad_1 = 4;
    assert_int_equal(vta_insn_encode(c, &load, NULL, b), VTA_OK);
    assert_int_equal(vt_load_le64(b), 1u << 4 | 2u << 7 | (uint64_t)0x1234 << 10 | (uint64_t)0xdeadbeef << 26);
    assert_int_equal(vt_load_le64(b + 8), 2 | (uint64_t)3 << 16 | (uint64_t)5 << 32 | (uint64_t)0x4321 << 48);
    vta_insn gemm = {.opcode = VTA_OP_GEMM, .push_next_dep = 1};
    gemm.u.exec.reset_reg = 1;
    gemm.u.exec.uop_bgn = 5;
    gemm.u.exec.uop_end = 8192;
    gemm.u.exec.iter_out = 3;
    gemm.u.exec.iter_in = 16383;
    gemm.u.exec.wgt_factor_in = 1023;
    assert_int_equal(vta_insn_encode(c, &gemm, NULL, b), VTA_OK);
    assert_int_equal(vt_load_le64(b), 2 | 1u << 6 | 1u << 7 | 5u << 8 | (uint64_t)8192 << 21 | (uint64_t)3 << 35 |
                                          (uint64_t)16383 << 49);
    assert_int_equal(vt_load_le64(b + 8), (uint64_t)1023 << 54);
    vta_insn alu = {.opcode = VTA_OP_ALU};
    alu.u.exec.alu_opcode = VTA_ALU_SHR;
    alu.u.exec.use_imm = 1;
    alu.u.exec.imm = -8;
    assert_int_equal(vta_insn_encode(c, &alu, NULL, b), VTA_OK);
    assert_int_equal(vt_load_le64(b + 8), (uint64_t)3 << 44 | (uint64_t)1 << 47 | (uint64_t)0xfff8 << 48);
    uint32_t word;
    assert_int_equal(vta_uop_encode(c, (vta_uop){1, 2, 3}, NULL, &word), VTA_OK);
    assert_int_equal(word, 1u | 2u << 11 | 3u << 22);
    vta_config_release(c);
}

static void damaged(void **state) {
    (void)state;
    vta_config *c = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_insn insn;
    for (uint8_t opcode = VTA_OP_COUNT; opcode < 8; opcode++) {
        uint8_t b[16] = {opcode};
        assert_int_equal(vta_insn_decode(c, b, diag, &insn), VTA_PARSE);
        assert_contains(vta_diag_text(diag), "no such instruction");
        insn.opcode = opcode;
        assert_int_equal(vta_insn_encode(c, &insn, diag, b), VTA_OUT_OF_RANGE);
    }
    assert_int_equal(vta_insn_decode(c, NULL, NULL, &insn), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_insn_encode(c, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    vta_diag_destroy(diag);
    vta_config_release(c);
}

static void stages(void **state) {
    (void)state;
    static const int of_load[] = {VTA_STAGE_COMPUTE,
                                  VTA_STAGE_LOAD,
                                  VTA_STAGE_LOAD,
                                  VTA_STAGE_COMPUTE,
                                  0,
                                  VTA_STAGE_COMPUTE,
                                  VTA_STAGE_COMPUTE,
                                  0};
    for (uint8_t memory = 0; memory < 8; memory++) {
        vta_insn insn = {.opcode = VTA_OP_LOAD};
        insn.u.mem.memory_type = memory;
        assert_int_equal(vta_insn_stage(&insn), of_load[memory]);
        insn.opcode = VTA_OP_STORE;
        assert_int_equal(vta_insn_stage(&insn), VTA_STAGE_STORE);
    }
    for (uint8_t opcode = VTA_OP_GEMM; opcode < VTA_OP_COUNT; opcode++)
        assert_int_equal(vta_insn_stage(&(vta_insn){.opcode = opcode}), VTA_STAGE_COMPUTE);
    assert_int_equal(vta_insn_stage(&(vta_insn){.opcode = 7}), 0);
    assert_string_equal(vta_stage_name(VTA_STAGE_STORE), "store");
    assert_null(vta_opcode_name(VTA_OP_COUNT));
    assert_null(vta_alu_opcode_name(VTA_ALU_COUNT));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout), cmocka_unit_test(test_round_trip), cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_uops),   cmocka_unit_test(known_encodings), cmocka_unit_test(damaged),
        cmocka_unit_test(stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

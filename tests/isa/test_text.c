/* The disassembler and the assembler. */
#include "support/configs.h"
#include "support/golden.h"
#include "vta/isa.h"

static vta_config *config;

static int setup(void **state) {
    (void)state;
    config = vta_config_default();
    return config ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    vta_config_release(config);
    return 0;
}

static void check_round_trip(const vta_config *c, const uint8_t *bytes, size_t count) {
    char *text;
    uint8_t *again;
    size_t again_count;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_disasm(c, bytes, count, diag, &text), VTA_OK);
    if (vta_asm(c, text, strlen(text), "text", diag, &again, &again_count) != VTA_OK)
        fail_msg("%s in\n%s", vta_diag_text(diag), text);
    assert_int_equal(again_count, count);
    if (count) assert_memory_equal(bytes, again, count * 16);
    vta_string_free(again);
    vta_string_free(text);
    vta_diag_destroy(diag);
}

/* Any bytes at all: fields at every value, damaged instructions, bits that belong to no field. */
TEST_CASE(any_bytes) {
    enum { COUNT = 64 };
    check_random r = {2};
    uint8_t bytes[COUNT * 16];
    for (int round = 0; round < 200; round++) {
        vta_config *c = check_random_config(&r);
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)check_next(&r);
        if (round % 3 == 0)
            for (size_t i = 0; i < sizeof bytes; i += 2) bytes[i] = round % 2 ? 0 : 0xff;
        check_round_trip(c, bytes, COUNT);
        vta_config_release(c);
    }
    check_round_trip(config, NULL, 0);
}

static char *disasm_one(const vta_insn *insn) {
    uint8_t bytes[16];
    char *text;
    assert_int_equal(vta_insn_encode(config, insn, NULL, bytes), VTA_OK);
    assert_int_equal(vta_disasm(config, bytes, 1, NULL, &text), VTA_OK);
    return text;
}

TEST_CASE(text_says_everything) {
    vta_insn insn = {.opcode = VTA_OP_ALU, .pop_prev_dep = 1, .push_next_dep = 1};
    insn.u.exec.alu_opcode = VTA_ALU_MAX;
    insn.u.exec.use_imm = 1;
    insn.u.exec.imm = -3;
    insn.u.exec.uop_end = 2;
    insn.u.exec.iter_out = 4;
    char *text = disasm_one(&insn);
    assert_string_equal(
        text, "; 1x16_i8w8a32_15_15_18_17, 1 instructions\n"
              "ALU    reset_reg=0 uop_bgn=0 uop_end=2 iter_out=4 iter_in=0 dst_factor_out=0 dst_factor_in=0 "
              "src_factor_out=0 src_factor_in=0 alu_opcode=MAX use_imm=1 imm=-3 pop_prev_dep push_next_dep ; 0 "
              "compute l2g_queue = -1, g2l_queue = 0, s2g_queue = 0, g2s_queue = 1\n");
    vta_string_free(text);
    vta_insn load = {.opcode = VTA_OP_LOAD};
    load.u.mem.memory_type = 7;
    text = disasm_one(&load);
    assert_contains(text, "memory_type=7");
    assert_contains(text, "(no stage)");
    vta_string_free(text);
}

/* The four queues, counted as TVM's VTA counts them. */
TEST_CASE(queue_depths) {
    static const char source[] = "LOAD memory_type=inp push_next_dep\n"
                                 "GEMM pop_prev_dep push_prev_dep push_next_dep\n"
                                 "STORE memory_type=out pop_prev_dep push_prev_dep\n"
                                 "LOAD memory_type=wgt pop_next_dep\n"
                                 "FINISH pop_next_dep\n";
    uint8_t *bytes;
    size_t count;
    char *text;
    assert_int_equal(vta_asm(config, source, strlen(source), NULL, NULL, &bytes, &count), VTA_OK);
    assert_int_equal(vta_disasm(config, bytes, count, NULL, &text), VTA_OK);
    assert_contains(text, "; 0 load l2g_queue = 1, g2l_queue = 0, s2g_queue = 0, g2s_queue = 0");
    assert_contains(text, "; 1 compute l2g_queue = 0, g2l_queue = 1, s2g_queue = 0, g2s_queue = 1");
    assert_contains(text, "; 2 store l2g_queue = 0, g2l_queue = 1, s2g_queue = 1, g2s_queue = 0");
    assert_contains(text, "; 3 load l2g_queue = 0, g2l_queue = 0, s2g_queue = 1, g2s_queue = 0");
    assert_contains(text, "; 4 compute l2g_queue = 0, g2l_queue = 0, s2g_queue = 0, g2s_queue = 0");
    vta_string_free(text);
    vta_string_free(bytes);
}

/* What people write: any case, blanks, comments, hexadecimal, left-out fields are 0. */
TEST_CASE(hand_written) {
    static const char source[] = "; a comment\n\n  load MEMORY_TYPE=INP x_size=0x10 y_size=1\tx_stride=16;c\r\n"
                                 ".word 0x3 0\nfinish pop_prev_dep=1 pop_next_dep=0";
    uint8_t *bytes;
    size_t count;
    vta_insn insn;
    assert_int_equal(vta_asm(config, source, strlen(source), NULL, NULL, &bytes, &count), VTA_OK);
    assert_int_equal(count, 3);
    assert_int_equal(vta_insn_decode(config, bytes, NULL, &insn), VTA_OK);
    assert_int_equal(insn.u.mem.x_size, 16);
    assert_int_equal(insn.u.mem.memory_type, VTA_MEM_INP);
    assert_int_equal(insn.u.mem.dram_base, 0);
    assert_int_equal(vta_insn_decode(config, bytes + 32, NULL, &insn), VTA_OK);
    assert_int_equal(insn.opcode, VTA_OP_FINISH);
    assert_int_equal(insn.pop_prev_dep, 1);
    vta_string_free(bytes);
}

TEST_CASE(errors) {
    static const struct {
        const char *source, *message;
    } rows[] = {
        {"HALT", "x.s:1:1: error: HALT: no such instruction"},
        {"\n  HALT", "x.s:2:3: error"},
        {"LOAD foo=3", "x.s:1:6: error: foo: LOAD has no such field"},
        {"GEMM alu_opcode=1", "alu_opcode: GEMM has no such field"},
        {"GEMM uop_bgn=8192", "x.s:1:14: error: uop_bgn=8192: does not fit its 13 bits (0 to 8191)"},
        {"ALU imm=32768", "imm=32768: does not fit its 16 bits (-32768 to 32767)"},
        {"ALU imm=-32769", "imm=-32769: does not fit"},
        {"ALU iter_in=-1", "iter_in=-1: does not fit"},
        {"ALU iter_in=99999999999999999999", "not a value of this field"},
        {"ALU iter_in=0x", "not a value of this field"},
        {"ALU iter_in=MAX", "not a value of this field"},
        {"ALU alu_opcode=XOR", "alu_opcode=XOR: not a value"},
        {"ALU iter_in", "iter_in: needs a value"},
        {"ALU iter_in=", "written name=value"},
        {"ALU iter_in = 3", "without blanks"},
        {"ALU iter_in=3=4", "written name=value"},
        {"ALU iter_in=3 iter_in=3", "x.s:1:15: error: iter_in: given twice"},
        {"ALU pop_prev_dep pop_prev_dep", "given twice"},
        {"ALU pop_prev_dep=2", "does not fit its 1 bits"},
        {"ALU spare_0=2", "x.s:1:5: error: spare_0: ALU has 1 spare bits there"},
        {"ALU spare_1=1", "ALU has 0 spare bits there"},
        {"LOAD spare_0=64", "LOAD has 6 spare bits there"},
        {"LOAD spare_0=1 spare_0=1", "given twice"},
        {"LOAD spare_0", "must be a number"},
        {".word 1", "takes two 64-bit numbers"},
        {".word 1a 2", "1a: must be a number"},
        {".word 0x1g 2", "0x1g: must be a number"},
        {".word 1 2 3", "takes two 64-bit numbers"},
        {".word 1 0x10000000000000000", "up to 64 bits"},
        {".word 1 -2", "up to 64 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        uint8_t *bytes;
        size_t count;
        vta_status status = vta_asm(config, rows[i].source, strlen(rows[i].source), "x.s", diag, &bytes, &count);
        assert_int_equal(status, VTA_PARSE);
        assert_null(bytes);
        assert_int_equal(count, 0);
        assert_contains(vta_diag_text(diag), rows[i].message);
        vta_diag_destroy(diag);
    }
}

TEST_CASE(many_errors_end) {
    char source[2000];
    for (size_t i = 0; i < sizeof source; i++) source[i] = i % 2 ? '\n' : 'x';
    vta_diag *diag = vta_diag_create(NULL);
    uint8_t *bytes;
    size_t count;
    assert_int_equal(vta_asm(config, source, sizeof source, "x.s", diag, &bytes, &count), VTA_PARSE);
    assert_int_equal(vta_diag_count(diag), 20);
    vta_diag_destroy(diag);
}

TEST_CASE(golden_streams) {
    static const char *const names[] = {"conv2d", "vadd", "gemm_smt", "4x8_matmul"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[80], path[GOLDEN_PATH];
        snprintf(name, sizeof name, "runs/%s/000/insn.bin", names[i]);
        golden_path(name, path);
        FILE *f = fopen(path, "rb");
        static uint8_t bytes[1 << 18];
        size_t size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        assert_true(size && size < sizeof bytes);
        check_round_trip(config, bytes, size / 16);
    }
}

int main(void) { return golden_result(run_cases_between(setup, teardown)); }

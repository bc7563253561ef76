/* What is said of instructions and texts that are wrong: complete, with line and column, at the last value that fits
 * and the first that does not; and the queues between stages. */
#include "isa/tokens.h"
#include "support/diag.h"

static vta_config *config;

static int begin(void **state) {
    (void)state;
    config = vta_config_default();
    diag = vta_diag_create(NULL);
    return !config || !diag;
}

static int end(void **state) {
    (void)state;
    vta_config_release(config);
    vta_diag_destroy(diag);
    return 0;
}

TEST_CASE(texts) {
#define N40 "0123456789012345678901234567890123456789"
    static const struct {
        const char *source, *words; /* NULL: right */
    } rows[] = {
        {"HALT ; x", "x.s:1:1: error: HALT: no such instruction; LOAD, STORE, GEMM, ALU, FINISH or .word"},
        {"FINISH\n\t " N40 "9=",
         "x.s:2:3: error: " N40 ": no such instruction; LOAD, STORE, GEMM, ALU, FINISH or .word"},
        {"FINISH\r\n;a\n\n  LOAD x", "x.s:4:8: error: x: LOAD has no such field"},
        {"FINISH x_size=1", "x.s:1:8: error: x_size: FINISH has no such field"},
        {"LOAD opcode=1", "x.s:1:6: error: opcode: LOAD has no such field"},
        {"GEMM uop_bgn=8191 uop_end=16383", NULL},
        {"GEMM uop_end=16384", "x.s:1:14: error: uop_end=16384: does not fit its 14 bits (0 to 16383)"},
        {"ALU imm=32767", NULL},
        {"ALU imm=-32768", NULL},
        {"ALU imm=-0", NULL},
        {"ALU imm=32768", "x.s:1:9: error: imm=32768: does not fit its 16 bits (-32768 to 32767)"},
        {"ALU imm=-32769", "x.s:1:9: error: imm=-32769: does not fit its 16 bits (-32768 to 32767)"},
        {"ALU iter_in=-0", NULL},
        {"ALU iter_in=-1", "x.s:1:13: error: iter_in=-1: does not fit its 14 bits (0 to 16383)"},
        {"ALU iter_in=0x3FFF iter_out=0X3fff", NULL},
        {"ALU iter_in=0x", "x.s:1:13: error: iter_in=0x: not a value of this field"},
        {"ALU iter_in=-", "x.s:1:13: error: iter_in=-: not a value of this field"},
        {"ALU iter_in=1g", "x.s:1:13: error: iter_in=1g: not a value of this field"},
        {"ALU iter_in=a", "x.s:1:13: error: iter_in=a: not a value of this field"},
        {"ALU iter_in=" N40 "9", "x.s:1:13: error: iter_in=" N40 ": not a value of this field"},
        {"ALU alu_opcode=mAx", NULL},
        {"ALU alu_opcode=inp", "x.s:1:16: error: alu_opcode=inp: not a value of this field"},
        {"ALU alu_opcode=MA", "x.s:1:16: error: alu_opcode=MA: not a value of this field"},
        {"LOAD memory_type=ACC8", NULL},
        {"LOAD memory_type=7", NULL},
        {"LOAD memory_type=8", "x.s:1:18: error: memory_type=8: does not fit its 3 bits (0 to 7)"},
        {"LOAD memory_type=MAX", "x.s:1:18: error: memory_type=MAX: not a value of this field"},
        {"LOAD x_size", "x.s:1:6: error: x_size: needs a value: x_size=VALUE, without blanks"},
        {"LOAD x_size=", "x.s:1:13: error: x_size: a field is written name=value, without blanks"},
        {"LOAD x_size= 1", "x.s:1:13: error: x_size: a field is written name=value, without blanks"},
        {"LOAD x_size=1=2", "x.s:1:14: error: x_size: a field is written name=value, without blanks"},
        {"LOAD x_size=1;=2", NULL},
        {"LOAD x_size =1", "x.s:1:6: error: x_size: needs a value: x_size=VALUE, without blanks"},
        {"LOAD x_size=1 X_SIZE=1", "x.s:1:15: error: X_SIZE: given twice"},
        {"LOAD pop_prev_dep POP_PREV_DEP=0", "x.s:1:19: error: POP_PREV_DEP: given twice"},
        {"LOAD pop_prev_dep=1 pop_next_dep=0 push_prev_dep push_next_dep", NULL},
        {"LOAD pop_prev_dep=2", "x.s:1:19: error: pop_prev_dep=2: does not fit its 1 bits (0 to 1)"},
        {"LOAD spare_0=63", NULL},
        {"LOAD spare_0=64", "x.s:1:6: error: spare_0: LOAD has 6 spare bits there"},
        {"LOAD spare_1=0", NULL},
        {"LOAD x_size=1 spare_1=1", "x.s:1:15: error: spare_1: LOAD has 0 spare bits there"},
        {"FINISH spare_1=0xffffffffffffffff spare_0=1", NULL},
        {"FINISH spare_1=0x10000000000000000",
         "x.s:1:16: error: 0x10000000000000000: must be a number of up to 64 bits, decimal or 0x hexadecimal"},
        {"FINISH spare_0=1 spare_0=1", "x.s:1:18: error: spare_0: given twice"},
        {"FINISH spare_1=1 spare_1=1", "x.s:1:18: error: spare_1: given twice"},
        {"FINISH spare_0=-1", "x.s:1:16: error: -1: must be a number of up to 64 bits, decimal or 0x hexadecimal"},
        {"FINISH spare_0", "x.s:1:15: error: : must be a number of up to 64 bits, decimal or 0x hexadecimal"},
        {".word 18446744073709551615 0xFFFFFFFFFFFFFFFF", NULL},
        {".WORD 0 0;c", NULL},
        {".word 18446744073709551616 0",
         "x.s:1:7: error: 18446744073709551616: must be a number of up to 64 bits, decimal or 0x hexadecimal"},
        {".word 1", "x.s:1:8: error: .word takes two 64-bit numbers, the low half first"},
        {".word", "x.s:1:6: error: .word takes two 64-bit numbers, the low half first"},
        {".word 1 2 3", "x.s:1:11: error: .word takes two 64-bit numbers, the low half first"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t *bytes = (uint8_t *)&diag;
        size_t count = 9, size = strlen(rows[i].source);
        char *exact = malloc(size); /* nothing is read behind it */
        memcpy(exact, rows[i].source, size);
        vta_status status = vta_asm(config, exact, size, "x.s", diag, &bytes, &count);
        free(exact);
        if (!rows[i].words && status != VTA_OK) fail_msg("%s: %s", rows[i].source, vta_diag_text(diag));
        if (!rows[i].words) {
            assert_int_equal(count, 1);
            vta_string_free(bytes);
            continue;
        }
        says(status, VTA_PARSE, rows[i].words);
        assert_true(!bytes && !count);
    }
}

/* All errors are told, up to twenty, and lines after the last do not matter. */
TEST_CASE(several) {
    uint8_t *bytes;
    size_t count;
    static const char source[] = "HALT\nFINISH\nSTOP";
    assert_int_equal(vta_asm(config, source, strlen(source), NULL, diag, &bytes, &count), VTA_PARSE);
    assert_string_equal(vta_diag_text(diag),
                        "1:1: error: HALT: no such instruction; LOAD, STORE, GEMM, ALU, FINISH or .word\n"
                        "3:1: error: STOP: no such instruction; LOAD, STORE, GEMM, ALU, FINISH or .word");
    vta_diag_clear(diag);
    assert_int_equal(vta_asm(config, "", 0, NULL, NULL, &bytes, &count), VTA_OK);
    assert_int_equal(count, 0);
    vta_string_free(bytes);
    assert_int_equal(vta_asm(config, NULL, 0, NULL, NULL, &bytes, &count), VTA_OK);
    vta_string_free(bytes);
}

TEST_CASE(misfits) {
    uint8_t bytes[VTA_INSN_BYTES];
    uint32_t word = 9;
    vta_insn insn = {.opcode = VTA_OP_GEMM};
    insn.u.exec.uop_bgn = 8192;
    memset(bytes, 9, sizeof bytes);
    says(vta_insn_encode(config, &insn, diag, bytes), VTA_OUT_OF_RANGE,
         "error: GEMM: uop_bgn = 8192 does not fit its 13 bits (0 to 8191): first micro-op");
    for (int i = 0; i < VTA_INSN_BYTES; i++) assert_int_equal(bytes[i], 0);
    insn = (vta_insn){.opcode = VTA_OP_FINISH, .push_prev_dep = 2};
    assert_int_equal(vta_insn_encode(config, &insn, diag, bytes), VTA_OUT_OF_RANGE);
    assert_memory_equal(vta_diag_text(diag), "error: FINISH: push_prev_dep = 2 does not fit its 1 bits (0 to 1): ", 67);
    vta_diag_clear(diag);
    insn = (vta_insn){.opcode = VTA_OP_COUNT};
    says(vta_insn_encode(config, &insn, diag, bytes), VTA_OUT_OF_RANGE,
         "error: opcode = 5: no such instruction (0 to 4)");
    bytes[0] = 0xff;
    insn.opcode = 3;
    says(vta_insn_decode(config, bytes, diag, &insn), VTA_PARSE, "error: opcode = 7: no such instruction (0 to 4)");
    static const struct {
        vta_uop uop;
        const char *words;
    } uops[] = {{{2047, 2047, 1023}, NULL},
                {{2048, 0, 0}, "error: micro-op: dst = 2048 does not fit its 11 bits (0 to 2047)"},
                {{0, 2048, 0}, "error: micro-op: src = 2048 does not fit its 11 bits (0 to 2047)"},
                {{0, 0, 1024}, "error: micro-op: wgt = 1024 does not fit its 10 bits (0 to 1023)"}};
    for (int i = 0; i < 4; i++) {
        word = 9;
        vta_status status = vta_uop_encode(config, uops[i].uop, diag, &word);
        says(status, uops[i].words ? VTA_OUT_OF_RANGE : VTA_OK, uops[i].words ? uops[i].words : "");
        assert_int_equal(word, uops[i].words ? 0 : UINT32_MAX);
    }
    vta_uop back = vta_uop_decode(config, UINT32_MAX);
    assert_true(back.dst == 2047 && back.src == 2047 && back.wgt == 1023);
}

TEST_CASE(pointers) {
    uint8_t raw[VTA_INSN_BYTES] = {0}, *bytes = raw;
    size_t count = 9;
    char *text = (char *)raw;
    vta_insn insn = {0};
    says(vta_asm(config, "", 0, NULL, diag, NULL, &count), VTA_INVALID_ARGUMENT, "error: vta_asm: an output is NULL");
    says(vta_asm(config, "", 0, NULL, diag, &bytes, NULL), VTA_INVALID_ARGUMENT, "error: vta_asm: an output is NULL");
    says(vta_asm(NULL, "", 0, NULL, diag, &bytes, &count), VTA_INVALID_ARGUMENT, "error: vta_asm: an argument is NULL");
    assert_true(!bytes && !count);
    bytes = raw;
    says(vta_asm(config, NULL, 1, NULL, diag, &bytes, &count), VTA_INVALID_ARGUMENT,
         "error: vta_asm: an argument is NULL");
    assert_null(bytes);
    says(vta_disasm(config, raw, 1, diag, NULL), VTA_INVALID_ARGUMENT, "error: vta_disasm: out_text is NULL");
    says(vta_disasm(NULL, raw, 1, diag, &text), VTA_INVALID_ARGUMENT, "error: vta_disasm: an argument is NULL");
    assert_null(text);
    text = (char *)raw;
    says(vta_disasm(config, NULL, 1, diag, &text), VTA_INVALID_ARGUMENT, "error: vta_disasm: an argument is NULL");
    assert_null(text);
    for (int i = 0; i < 3; i++) {
        says(vta_insn_encode(i == 0 ? NULL : config, i == 1 ? NULL : &insn, diag, i == 2 ? NULL : raw),
             VTA_INVALID_ARGUMENT, "error: vta_insn_encode: an argument is NULL");
        says(vta_insn_decode(i == 0 ? NULL : config, i == 1 ? NULL : raw, diag, i == 2 ? NULL : &insn),
             VTA_INVALID_ARGUMENT, "error: vta_insn_decode: an argument is NULL");
    }
    uint32_t word;
    says(vta_uop_encode(NULL, (vta_uop){0}, diag, &word), VTA_INVALID_ARGUMENT,
         "error: vta_uop_encode: an argument is NULL");
    says(vta_uop_encode(config, (vta_uop){0}, diag, NULL), VTA_INVALID_ARGUMENT,
         "error: vta_uop_encode: an argument is NULL");
}

/* A text of every kind of line, complete. */
TEST_CASE(disassembly) {
    static const char source[] =
        "LOAD memory_type=wgt sram_base=1 dram_base=2 y_size=3 x_size=4 x_stride=5 y_pad_0=6 "
        "y_pad_1=7 x_pad_0=8 x_pad_1=9 pop_next_dep spare_0=63\n"
        "STORE memory_type=out push_prev_dep\n.word 0x8000000000000007 0x10\nFINISH spare_1=0x1f";
    static const char expected[] =
        "; 1x16_i8w8a32_15_15_18_17, 4 instructions\n"
        "LOAD   memory_type=wgt sram_base=1 dram_base=2 y_size=3 x_size=4 x_stride=5 y_pad_0=6 y_pad_1=7 x_pad_0=8 "
        "x_pad_1=9 pop_next_dep spare_0=0x3f ; 0 load l2g_queue = 0, g2l_queue = -1, s2g_queue = 0, g2s_queue = 0\n"
        "STORE  memory_type=out sram_base=0 dram_base=0 y_size=0 x_size=0 x_stride=0 y_pad_0=0 y_pad_1=0 x_pad_0=0 "
        "x_pad_1=0 push_prev_dep ; 1 store l2g_queue = 0, g2l_queue = -1, s2g_queue = 1, g2s_queue = 0\n"
        ".word 0x8000000000000007 0x0000000000000010 ; 2 no such opcode\n"
        "FINISH spare_1=0x1f ; 3 compute l2g_queue = 0, g2l_queue = -1, s2g_queue = 1, g2s_queue = 0\n";
    uint8_t *bytes;
    size_t count;
    char *text;
    assert_int_equal(vta_asm(config, source, strlen(source), "x.s", diag, &bytes, &count), VTA_OK);
    assert_int_equal(count, 4);
    assert_int_equal(vta_disasm(config, bytes, count, diag, &text), VTA_OK);
    assert_string_equal(text, expected);
    vta_string_free(text);
    vta_string_free(bytes);
}

/* Neighbours have a queue each way; a flag of an instruction is of the queue to the stage before or after it. */
TEST_CASE(queues) {
    static const int ends[VTA_TOKEN_QUEUES][2] = {
#define VTA_TOKEN(from, to, number, name, letters) [number] = {VTA_STAGE_##from, VTA_STAGE_##to},
#include "vta/token.def"
#undef VTA_TOKEN
    };
    for (int from = 0; from <= VTA_STAGE_STORE + 1; from++)
        for (int to = 0; to <= VTA_STAGE_STORE + 1; to++) {
            bool inside = from >= VTA_STAGE_LOAD && to >= VTA_STAGE_LOAD && from <= VTA_STAGE_STORE &&
                          to <= VTA_STAGE_STORE && (from - to == 1 || to - from == 1);
            vta_token_queue q = vt_token_between((vta_stage)from, (vta_stage)to);
            assert_int_equal(q < VTA_TOKEN_QUEUES, inside);
            if (!inside) continue;
            assert_true(ends[q][0] == from && ends[q][1] == to);
            assert_true(vt_token_from(q) == (vta_stage)from && vt_token_to(q) == (vta_stage)to);
            for (int flags = 0; flags < 16; flags++) {
                const vta_insn insn = {.opcode = VTA_OP_FINISH,
                                       .pop_prev_dep = flags & 1,
                                       .pop_next_dep = flags >> 1 & 1,
                                       .push_prev_dep = flags >> 2 & 1,
                                       .push_next_dep = flags >> 3 & 1};
                for (int stage = VTA_STAGE_LOAD; stage <= VTA_STAGE_STORE; stage++) {
                    bool pops = stage == to && (from < to ? flags & 1 : flags & 2);
                    bool pushes = stage == from && (to > from ? flags & 8 : flags & 4);
                    assert_int_equal(vt_token_popped_by(&insn, (vta_stage)stage, q), pops);
                    assert_int_equal(vt_token_pushed_by(&insn, (vta_stage)stage, q), pushes);
                }
            }
        }
    assert_null(vta_token_queue_name(VTA_TOKEN_QUEUES));
    assert_null(vta_stage_name((vta_stage)(VTA_STAGE_STORE + 1)));
    assert_null(vta_stage_name((vta_stage)0));
}

int main(void) { return run_cases_between(begin, end); }

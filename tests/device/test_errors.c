/* Streams that must be refused: with the right status, and a message that names instruction, field, value and limit. */
#include <stdio.h>

#include "device/small_program.h"

typedef struct bad_stream {
    const char *name;
    vta_status status;
    const char *says[3];
    void (*change)(vta_insn *insns, uint32_t *count); /* of the sound program sp_add7 */
} bad_stream;

static void load_sram(vta_insn *i, uint32_t *n) { (void)n, i[1].u.mem.sram_base = 2000; }
static void load_pads(vta_insn *i, uint32_t *n) {
    (void)n;
    i[1].u.mem.y_pad_1 = 15;
    i[1].u.mem.x_pad_0 = 15;
    i[1].u.mem.x_size = 120;
}
static void load_dram(vta_insn *i, uint32_t *n) { (void)n, i[1].u.mem.dram_base = 0; }
static void load_wraps(vta_insn *i, uint32_t *n) { (void)n, i[1].u.mem.dram_base = UINT32_MAX; }
static void load_out(vta_insn *i, uint32_t *n) { (void)n, i[1].u.mem.memory_type = VTA_MEM_OUT; }
static void load_nothing_known(vta_insn *i, uint32_t *n) { (void)n, i[1].u.mem.memory_type = 7; }
static void store_acc(vta_insn *i, uint32_t *n) { (void)n, i[3].u.mem.memory_type = VTA_MEM_ACC; }
static void store_padded(vta_insn *i, uint32_t *n) { (void)n, i[3].u.mem.x_pad_1 = 2; }
static void store_sram(vta_insn *i, uint32_t *n) { (void)n, i[3].u.mem.sram_base = 1985; }
static void store_dram(vta_insn *i, uint32_t *n) {
    (void)n;
    i[3].u.mem.y_size = 2;
    i[3].u.mem.x_stride = 0xffff;
}
static void alu_loop(vta_insn *i, uint32_t *n) { (void)n, i[2].u.exec.iter_in = 2049; }
static void alu_opcode(vta_insn *i, uint32_t *n) { (void)n, i[2].u.exec.alu_opcode = 6; }
static void alu_uops(vta_insn *i, uint32_t *n) { (void)n, i[2].u.exec.uop_end = 8193; }
static void alu_source(vta_insn *i, uint32_t *n) {
    (void)n;
    i[2].u.exec.use_imm = 0;
    i[2].u.exec.src_factor_out = 2047;
    i[2].u.exec.iter_out = 3;
}
static void gemm_source(vta_insn *i, uint32_t *n) {
    (void)n;
    i[2].opcode = VTA_OP_GEMM;
    i[2].u.exec.alu_opcode = i[2].u.exec.use_imm = 0;
    i[2].u.exec.src_factor_in = 40;
    i[2].u.exec.iter_in = 64;
    i[2].u.exec.dst_factor_in = 0;
}
static void gemm_weight(vta_insn *i, uint32_t *n) {
    gemm_source(i, n);
    i[2].u.exec.src_factor_in = 0;
    i[2].u.exec.wgt_factor_in = 17;
}
static void no_finish(vta_insn *i, uint32_t *n) { (void)i, (*n)--; }
static void load_from_before(vta_insn *i, uint32_t *n) {
    (void)n;
    i[1] = sp_load(VTA_MEM_INP, 0, SP_DATA / 16, 1, 1);
    i[1].pop_prev_dep = 1;
}
static void store_to_next(vta_insn *i, uint32_t *n) { (void)n, i[3].push_next_dep = 1; }
static void lost_token(vta_insn *i, uint32_t *n) { (void)n, i[2].push_next_dep = 0; }
static void circle(vta_insn *i, uint32_t *n) {
    (void)n;
    i[2].pop_next_dep = 1; /* compute waits for the store, the store for compute */
}

static const bad_stream streams[] = {
    {"load_sram", VTA_OUT_OF_RANGE, {"instruction 1 (LOAD acc)", "sram_base 2000", "2048"}, load_sram},
    {"load_pads", VTA_OUT_OF_RANGE, {"instruction 1 (LOAD acc)", "15 + x_size 120", "2160"}, load_pads},
    {"load_dram", VTA_OUT_OF_RANGE, {"instruction 1 (LOAD acc)", "dram_base 0", "0x00000000 is not mapped"}, load_dram},
    {"load_wraps", VTA_OUT_OF_RANGE, {"instruction 1 (LOAD acc)", "dram_base 4294967295", "is not mapped"}, load_wraps},
    {"load_out", VTA_ILLEGAL, {"instruction 1", "memory_type 4"}, load_out},
    {"load_nothing_known", VTA_ILLEGAL, {"instruction 1", "memory_type 7"}, load_nothing_known},
    {"store_acc", VTA_ILLEGAL, {"instruction 3 (STORE", "memory_type 3"}, store_acc},
    {"store_padded", VTA_ILLEGAL, {"instruction 3 (STORE", "padding 0 0 0 2"}, store_padded},
    {"store_sram", VTA_OUT_OF_RANGE, {"instruction 3 (STORE out)", "sram_base 1985", "2049"}, store_sram},
    {"store_dram", VTA_OUT_OF_RANGE, {"instruction 3 (STORE out)", "x_stride 65535", "is not mapped"}, store_dram},
    {"alu_loop",
     VTA_OUT_OF_RANGE,
     {"instruction 2 (ALU ADD)", "2048 x dst_factor_in 1 = 2048", "2048 elements"},
     alu_loop},
    {"alu_opcode", VTA_ILLEGAL, {"instruction 2", "alu_opcode 6"}, alu_opcode},
    {"alu_uops", VTA_OUT_OF_RANGE, {"instruction 2 (ALU ADD)", "uop_end 8193", "8192"}, alu_uops},
    {"alu_source", VTA_OUT_OF_RANGE, {"instruction 2 (ALU ADD)", "src_factor_out 2047", "acc buffer"}, alu_source},
    {"gemm_source", VTA_OUT_OF_RANGE, {"instruction 2 (GEMM)", "src_factor_in 40", "inp buffer has 2048"}, gemm_source},
    {"gemm_weight",
     VTA_OUT_OF_RANGE,
     {"instruction 2 (GEMM)", "wgt_factor_in 17 = 1071", "wgt buffer has 1024"},
     gemm_weight},
    {"no_finish", VTA_ILLEGAL, {"none of the 4 instructions is FINISH"}, no_finish},
    {"load_from_before", VTA_ILLEGAL, {"instruction 1 (LOAD inp)", "pop_prev_dep"}, load_from_before},
    {"store_to_next", VTA_ILLEGAL, {"instruction 3 (STORE out)", "push_next_dep"}, store_to_next},
    {"lost_token",
     VTA_DEADLOCK,
     {"instruction 3 (STORE out) waits for a compute->store token", "0 were pushed",
      "no instruction that is left pushes one"},
     lost_token},
    {"circle",
     VTA_DEADLOCK,
     {"instruction 2 (ALU ADD) waits for a store->compute token", "would come from instruction 3 (STORE out)",
      "compute->store"},
     circle},
};

static void refuse(const bad_stream *bad, vta_device *device, vta_diag *diag) {
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    bad->change(insns, &n);
    vta_diag_clear(diag);
    vta_status status = sp_run(device, insns, n, diag);
    const char *text = vta_diag_text(diag);
    if (status != bad->status || vta_diag_status(diag) != bad->status)
        fail_msg("%s: %s\n%s", bad->name, vta_status_text(status), text);
    for (int i = 0; i < 3 && bad->says[i]; i++)
        if (!strstr(text, bad->says[i])) fail_msg("%s: no '%s' in: %s", bad->name, bad->says[i], text);
}

TEST_CASE(bad_streams_are_refused) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    for (uint32_t engine = 0; engine < 2; engine++)
        for (uint32_t check = 0; check < 2; check++) {
            vta_device *device;
            vta_device_options options = {.engine = engine, .check = check};
            assert_int_equal(vta_device_create("sim", config, &options, NULL, diag, &device), VTA_OK);
            sp_map(device);
            for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) refuse(&streams[i], device, diag);
            vta_insn insns[8];
            uint32_t n = sp_add7(insns);
            assert_int_equal(sp_run(device, insns, n, diag), VTA_OK); /* and the device still works */
            vta_device_destroy(device);
        }
    vta_diag_destroy(diag);
    vta_config_release(config);
}

/* ---- Micro-ops --------------------------------------------------------------------------------------------------- */

enum { UOPS = 4, STEP = 5 }; /* the outer loop runs twice, and moves every operand so far */

/* Which operand of which of several micro-ops holds `value`; the others stay small, and differ. */
typedef struct far_uop {
    vta_opcode opcode;
    uint32_t field, place, value;
} far_uop;

static vta_status run_far(vta_device *device, const far_uop *far, vta_diag *diag) {
    for (uint32_t u = 0; u < UOPS; u++) {
        uint32_t fields[3] = {10 + 3 * u, 40 - 7 * u, 5 + u % 2}, word;
        if (u == far->place) fields[far->field] = far->value;
        const vta_uop uop = {fields[0], fields[1], fields[2]};
        assert_int_equal(vta_uop_encode(vta_device_config(device), uop, NULL, &word), VTA_OK);
        assert_int_equal(vta_device_write(device, SP_UOPS + 4 * u, &word, sizeof word, NULL), VTA_OK);
    }
    vta_insn insns[] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, UOPS), sp_gemm(0, UOPS, 2, 1), sp_finish()};
    insns[1].opcode = (uint8_t)far->opcode;
    insns[1].u.exec.dst_factor_out = insns[1].u.exec.src_factor_out = STEP;
    if (far->opcode == VTA_OP_GEMM) insns[1].u.exec.wgt_factor_out = STEP;
    vta_diag_clear(diag);
    return sp_run(device, insns, 3, diag);
}

static const char *const operand_names[] = {"dst", "src", "wgt"};

/* The last element that the loops leave room for is allowed, and not the one after it. */
static void check_far(vta_device *device, far_uop far, vta_memory memory, vta_diag *diag) {
    const char *name = operand_names[far.field];
    uint32_t depth = vta_config_depth(vta_device_config(device), memory);
    char words[200];
    far.value = depth - 1 - STEP;
    if (run_far(device, &far, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    far.value++;
    assert_int_equal(run_far(device, &far, diag), VTA_OUT_OF_RANGE);
    snprintf(words, sizeof words,
             "error: instruction 1 (%s): %s of micro-op %u reaches %u + 1 x %s_factor_out 5 + 0 x %s_factor_in 0 = %u, "
             "but the %s buffer has %u elements",
             far.opcode == VTA_OP_GEMM ? "GEMM" : "ALU MIN", name, far.place, far.value, name, name, depth,
             vta_memory_name(memory), depth);
    assert_string_equal(vta_diag_text(diag), words);
}

/* In any micro-op. An ALU has its source in acc, and no weight. */
TEST_CASE(far_micro_ops_are_refused) {
    static const vta_memory of_gemm[] = {VTA_MEM_ACC, VTA_MEM_INP, VTA_MEM_WGT};
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    for (uint32_t engine = 0; engine < 2; engine++) {
        vta_device *device;
        const vta_device_options options = {.engine = engine};
        assert_int_equal(vta_device_create("sim", config, &options, NULL, diag, &device), VTA_OK);
        sp_map(device);
        for (uint32_t place = 0; place < UOPS; place++) {
            for (uint32_t field = 0; field < 3; field++)
                check_far(device, (far_uop){VTA_OP_GEMM, field, place, 0}, of_gemm[field], diag);
            for (uint32_t field = 0; field < 2; field++)
                check_far(device, (far_uop){VTA_OP_ALU, field, place, 0}, VTA_MEM_ACC, diag);
        }
        vta_device_destroy(device);
    }
    vta_diag_destroy(diag);
    vta_config_release(config);
}

/* ---- Whole runs -------------------------------------------------------------------------------------------------- */

static void fixture_device(vta_config **config, vta_diag **diag, vta_device **device,
                           const vta_device_options *options) {
    *config = vta_config_default();
    *diag = vta_diag_create(NULL);
    assert_int_equal(vta_device_create("sim", *config, options, NULL, *diag, device), VTA_OK);
    sp_map(*device);
}

static void drop(vta_config *config, vta_diag *diag, vta_device *device) {
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

/* A damaged instruction anywhere: nothing has run, nothing is counted. */
TEST_CASE(refusal_comes_before_effects) {
    vta_config *config;
    vta_diag *diag;
    vta_device *device;
    fixture_device(&config, &diag, &device, NULL);
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    uint8_t damaged[VTA_INSN_BYTES] = {7}, out[16], zeros[16] = {0};
    sp_write(device, insns, n);
    assert_int_equal(vta_device_write(device, SP_INSNS + (n - 1) * 16, damaged, 16, NULL), VTA_OK);
    assert_int_equal(vta_device_run(device, SP_INSNS, n, 0, diag), VTA_PARSE);
    assert_non_null(strstr(vta_diag_text(diag), "instruction 4"));
    insns[3].pop_next_dep = 0;
    insns[2].push_next_dep = 0; /* deadlock */
    assert_int_equal(sp_run(device, insns, n, diag), VTA_DEADLOCK);
    vta_counters c = vta_device_counters(device), none = {0};
    assert_memory_equal(&c, &none, sizeof c);
    assert_int_equal(vta_device_read(device, SP_OUT, out, 16, NULL), VTA_OK);
    assert_memory_equal(out, zeros, 16);
    drop(config, diag, device);
}

TEST_CASE(races_are_named) {
    vta_config *config;
    vta_diag *diag;
    vta_device *device;
    fixture_device(&config, &diag, &device, &(vta_device_options){.check = true});
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    insns[2].push_next_dep = insns[3].pop_prev_dep = 0;
    assert_int_equal(sp_run(device, insns, n, diag), VTA_RACE);
    const char *text = vta_diag_text(diag);
    assert_non_null(strstr(text, "instruction 3 (STORE out) reads acc[0..63], which instruction 2 (ALU ADD) writes"));
    vta_diag_clear(diag);
    assert_int_equal(vta_device_set_options(device, NULL, diag), VTA_OK);
    assert_int_equal(sp_run(device, insns, n, diag), VTA_OK); /* not looked for unless asked */
    drop(config, diag, device);
}

TEST_CASE(portability_warnings) {
    vta_config *config, *board;
    vta_diag *diag;
    vta_device *device;
    fixture_device(&config, &diag, &device, &(vta_device_options){.check = true});
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    assert_int_equal(sp_run(device, insns, n, diag), VTA_OK);
    assert_int_equal(vta_diag_count(diag), 0); /* the sound program has none */
    insns[2].u.exec.alu_opcode = VTA_ALU_MUL;
    insns[2].u.exec.src_factor_in = 0;
    assert_int_equal(sp_run(device, insns, n, diag), VTA_OK);
    const char *text = vta_diag_text(diag);
    assert_non_null(strstr(text, "instruction 2 (ALU MUL), the first of 1: an immediate operation"));
    assert_null(strstr(text, "MUL exists in simulators only"));
    vta_device_destroy(device);
    assert_int_equal(vta_config_with(config, "TARGET=pynq", diag, &board), VTA_OK);
    assert_int_equal(vta_device_create("sim", board, &(vta_device_options){.check = true}, NULL, diag, &device),
                     VTA_OK);
    vta_config_release(board);
    sp_map(device);
    insns[2].u.exec.use_imm = 0;
    insns[2].u.exec.dst_factor_in = 0;
    insns[2].push_prev_dep = 1; /* a token that nobody takes */
    vta_diag_clear(diag);
    assert_int_equal(sp_run(device, insns, n, diag), VTA_UNSUPPORTED);
    text = vta_diag_text(diag);
    assert_non_null(strstr(text, "error: instruction 2 (ALU MUL), the first of 1: MUL exists in simulators only"));
    assert_non_null(strstr(text, "write the same accumulator element"));
    assert_null(strstr(text, "the Chisel design reads the old value")); /* pynq has the other one */
    assert_non_null(strstr(text, "instruction 2 (ALU MUL), the first of 1: tokens that it pushes are left"));
    drop(config, diag, device);
}

/* The largest loops that the fields can say, on one micro-op that stays in place: a bound or an interrupt ends them. */
TEST_CASE(work_is_bounded) {
    vta_config *config;
    vta_diag *diag;
    vta_device *device;
    fixture_device(&config, &diag, &device, NULL);
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    insns[2] = sp_gemm(0, 8191, 16383, 16383);
    insns[2].push_next_dep = 1;
    sp_write(device, insns, n);
    assert_int_equal(vta_device_run(device, SP_INSNS, n, 1000000, diag), VTA_TIMEOUT);
    assert_non_null(strstr(vta_diag_text(diag), "instruction 2 (GEMM) needs 2198486425599 cycles"));
    vta_device_interrupt(device); /* no run is going on: nothing happens */
    n = sp_add7(insns);
    assert_int_equal(sp_run(device, insns, n, diag), VTA_OK);
    drop(config, diag, device);
}

static void refuse_machine(const char *changes, const char *says) {
    vta_config *base = vta_config_default(), *config;
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    assert_int_equal(vta_config_with(base, changes, diag, &config), VTA_OK);
    assert_int_equal(vta_device_create("sim", config, NULL, NULL, diag, &device), VTA_UNSUPPORTED);
    assert_null(device);
    assert_non_null(strstr(vta_diag_text(diag), says));
    vta_config_release(config);
    vta_config_release(base);
    vta_diag_destroy(diag);
}

TEST_CASE(narrow_accumulators_are_refused) { refuse_machine("LOG_ACC_WIDTH=4 LOG_ACC_BUFF_SIZE=16", "LOG_ACC_WIDTH"); }

TEST_CASE(single_bits_are_refused) {
    refuse_machine("LOG_INP_WIDTH=1 LOG_INP_BUFF_SIZE=12",
                   "inputs of 4, 8, 16 or 32 bits, not of 2; use LOG_INP_WIDTH 2");
    refuse_machine("LOG_WGT_WIDTH=0 LOG_WGT_BUFF_SIZE=14",
                   "weights of 4, 8, 16 or 32 bits, not of 1; use LOG_WGT_WIDTH 2");
}

/* 1 GiB of 4 bits, with weights of 32: 8 GiB in the fast engine's layout. */
TEST_CASE(more_than_offsets_can_count_is_refused) {
    refuse_machine(
        "LOG_INP_WIDTH=2 LOG_WGT_WIDTH=5 LOG_INP_BUFF_SIZE=30 LOG_BATCH=7 LOG_BLOCK_IN=6 LOG_WGT_BUFF_SIZE=12 "
        "LOG_ACC_BUFF_SIZE=15 LOG_BLOCK_OUT=2 LOG_UOP_BUFF_SIZE=10",
        "use the reference engine or smaller buffers");
}

int main(void) { return run_cases(); }

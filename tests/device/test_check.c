/* What options.check finds: a program for each kind of error and warning, and beside it one that is as close and has
 * none. The message names both instructions and the place; the JSON has the kind. */
#include <stdio.h>

#include "device/small_program.h"

enum { LIMIT = 600 };

typedef struct stream {
    vta_insn insns[LIMIT];
    uint32_t count;
} stream;

static vta_insn *add(stream *s, vta_insn insn) {
    s->insns[s->count] = insn;
    return &s->insns[s->count++];
}

/* LOAD UOP, LOAD ACC, ALU ADD, STORE, FINISH: sound. */
static void sound(stream *s) { s->count = sp_add7(s->insns); }

/* Compute only carries a token on. */
static vta_insn *carry(stream *s) { return add(s, sp_load(VTA_MEM_UOP, 0, 0, 0, 0)); }

/* The last store is over before the program is. */
static void finish(stream *s) {
    for (uint32_t i = s->count; i-- > 0;)
        if (s->insns[i].opcode == VTA_OP_STORE) {
            s->insns[i].push_prev_dep = 1;
            break;
        }
    add(s, sp_finish())->pop_next_dep = 1;
}

/* ---- Errors ------------------------------------------------------------------------------------------------ */

static void race_on_chip(stream *s) {
    sound(s);
    s->insns[2].push_next_dep = s->insns[3].pop_prev_dep = 0;
}

/* A result is stored, and loaded again: by compute, as 8-bit accumulators. */
static void store_then_load(stream *s, bool waits) {
    sound(s);
    s->count--;
    vta_insn *load = add(s, sp_load(VTA_MEM_ACC_8BIT, 64, SP_OUT / 16 + 60, 1, 8));
    load->pop_next_dep = waits;
    vta_insn *change = add(s, sp_alu(VTA_ALU_ADD, 1, 68));
    change->push_next_dep = 1;
    s->insns[3].push_prev_dep = waits;
    add(s, sp_store(0, SP_OUT / 16 + 128, 1, 64))->pop_prev_dep = 1;
    finish(s);
}
static void store_then_acc_load(stream *s) { store_then_load(s, false); }
static void store_then_acc_load_waits(stream *s) { store_then_load(s, true); }

/* By the load stage, with a token that goes through compute. */
static void store_then_inp(stream *s, bool waits) {
    sound(s);
    s->count--;
    vta_insn *through = carry(s);
    through->pop_next_dep = 1;
    through->push_prev_dep = waits;
    vta_insn *load = add(s, sp_load(VTA_MEM_INP, 0, SP_OUT / 16, 2, 4));
    load->u.mem.x_stride = 30;
    load->pop_next_dep = waits;
    add(s, sp_finish());
}
static void store_then_inp_load(stream *s) { store_then_inp(s, false); }
static void store_then_inp_load_waits(stream *s) { store_then_inp(s, true); }

/* A weight is loaded from where a store writes; its last byte is the store's first. */
static void load_then_store(stream *s, bool waits, uint32_t beyond) {
    vta_insn *load = add(s, sp_load(VTA_MEM_WGT, 0, SP_OUT / 256, 1, 1));
    load->push_next_dep = waits;
    uint32_t at = s->count;
    s->count += sp_add7(s->insns + at);
    s->insns[at].pop_prev_dep = waits;
    s->insns[at + 3].u.mem.dram_base += 15 + beyond;
}
static void load_then_store_races(stream *s) { load_then_store(s, false, 0); }
static void load_then_store_waits(stream *s) { load_then_store(s, true, 0); }
static void load_beside_store(stream *s) { load_then_store(s, false, 1); }

/* Micro-ops are read from where a store writes. */
static void uops_then_store(stream *s, bool waits) {
    sound(s);
    s->insns[0].u.mem.dram_base = SP_OUT / 4;
    if (!waits) {
        s->insns[4] = sp_load(VTA_MEM_UOP, 1, SP_OUT / 4 + 3, 1, 1);
        s->count++;
        s->insns[5] = sp_finish();
        s->insns[5].pop_next_dep = 1;
    }
}
static void uops_from_a_store(stream *s) { uops_then_store(s, false); }
static void uops_before_a_store(stream *s) { uops_then_store(s, true); }

/* Over instruction 4, which follows the store; over instruction 1, which fetch has read long before. */
static void over(stream *s, uint32_t insn) {
    sound(s);
    s->insns[3].u.mem.y_size = 1;
    s->insns[3].u.mem.x_size = 1;
    s->insns[3].u.mem.dram_base = SP_INSNS / 16 + insn;
}
static void over_the_next(stream *s) { over(s, 4); }
static void over_an_old_one(stream *s) { over(s, 1); }

static void never_finished(stream *s) {
    sound(s);
    s->insns[3].push_prev_dep = s->insns[4].pop_next_dep = 0;
}

static void no_uops(stream *s) {
    sound(s);
    s->insns[2].u.exec.uop_end = 2;
}
static void no_acc(stream *s) {
    sound(s);
    s->insns[2].u.exec.dst_factor_in = s->insns[2].u.exec.src_factor_in = 2;
}
static void no_source(stream *s) {
    sound(s);
    s->insns[2].u.exec.use_imm = 0;
    s->insns[2].u.exec.src_factor_in = 2;
}
static void no_stored(stream *s) {
    sound(s);
    s->insns[3].u.mem.x_size = 65;
}

/* A sound GEMM of one tile; what `missing` names is not there. */
static void gemm(stream *s, int missing) {
    add(s, sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, 1));
    vta_insn *inp = add(s, sp_load(VTA_MEM_INP, missing == VTA_MEM_INP, SP_DATA / 16, 1, 1));
    (void)inp;
    add(s, sp_load(VTA_MEM_WGT, missing == VTA_MEM_WGT, SP_DATA / 256, 1, 1))->push_next_dep = 1;
    vta_insn *reset = add(s, sp_gemm(0, 1, 1, 1));
    reset->u.exec.reset_reg = 1;
    reset->u.exec.iter_in = missing != VTA_MEM_ACC;
    if (missing == VTA_MEM_ACC) s->count--;
    vta_insn *multiply = add(s, sp_gemm(0, 1, 1, 1));
    multiply->push_next_dep = 1;
    multiply->pop_prev_dep = 1;
    add(s, sp_store(0, SP_OUT / 16, 1, 1))->pop_prev_dep = 1;
    finish(s);
}
static void gemm_whole(stream *s) { gemm(s, -1); }
static void gemm_no_inp(stream *s) { gemm(s, VTA_MEM_INP); }
static void gemm_no_wgt(stream *s) { gemm(s, VTA_MEM_WGT); }
static void gemm_no_acc(stream *s) { gemm(s, VTA_MEM_ACC); }
/* Nobody waits for the loads that it reads; a weight is loaded anew while it may be read. */
static void gemm_too_early(stream *s) {
    gemm_whole(s);
    s->insns[2].push_next_dep = s->insns[4].pop_prev_dep = 0;
}
static void gemm_then_load(stream *s, bool waits) {
    gemm_whole(s);
    s->insns[4].push_prev_dep = waits;
    s->insns[s->count - 1] = sp_load(VTA_MEM_WGT, 0, SP_DATA / 256, 1, 1);
    s->insns[s->count - 1].pop_next_dep = waits;
    add(s, sp_finish())->pop_next_dep = 1;
}
static void gemm_then_load_races(stream *s) { gemm_then_load(s, false); }
static void gemm_then_load_waits(stream *s) { gemm_then_load(s, true); }

/* ---- Warnings ---------------------------------------------------------------------------------------------- */

static void other_source(stream *s) {
    sound(s);
    s->insns[2].u.exec.src_factor_in = 2;
}
static void acc_8bit(stream *s) {
    sound(s);
    s->insns[1] = sp_load(VTA_MEM_ACC_8BIT, 0, SP_DATA / 16, 1, 64);
}
static void no_rows(stream *s) {
    sound(s);
    s->insns[4] = s->insns[3];
    s->insns[4].u.mem.y_size = 0;
    s->insns[4].push_prev_dep = s->insns[4].pop_prev_dep = 0;
    s->insns[s->count++] = sp_finish();
    s->insns[5].pop_next_dep = 1;
}
static void empty_loop(stream *s) {
    sound(s);
    s->insns[4] = sp_alu(VTA_ALU_MAX, 0, 0);
    s->insns[s->count++] = sp_finish();
    s->insns[5].pop_next_dep = 1;
}
static void no_micro_ops(stream *s) {
    empty_loop(s);
    s->insns[4] = sp_gemm(5, 5, 1, 1);
}
/* The second of two tiles was loaded, and only the first computed. */
static void loaded_store(stream *s) {
    sound(s);
    s->insns[2].u.exec.iter_in = 63;
}
/* acc[x + 1] += acc[x], so each micro-op reads what the one before it wrote. */
static void forward(stream *s) {
    sound(s);
    s->insns[1].u.mem.x_size = 66;
    s->insns[2].u.exec.use_imm = 0;
    s->insns[2].u.exec.iter_in = 63;
    s->insns[0].u.mem.dram_base += 1; /* dst 1, src 0 */
    s->insns[3].u.mem.sram_base = 1;
    s->insns[3].u.mem.x_size = 63;
}
/* Only where the outer loop advances: acc[2 y + x] += acc[x + 4 y - 1]... reads acc[3] at (1, 0), just after (0, 3). */
static void forward_at_seam(stream *s, uint32_t factor) {
    forward(s);
    vta_insn *alu = &s->insns[2];
    alu->u.exec.iter_out = 2;
    alu->u.exec.iter_in = 4;
    alu->u.exec.dst_factor_out = 10;
    alu->u.exec.src_factor_in = 0;
    alu->u.exec.src_factor_out = factor;
    s->insns[3].u.mem.x_size = 4;
}
static void forward_outer(stream *s) { forward_at_seam(s, 4); }
static void forward_none(stream *s) { forward_at_seam(s, 20); }

static void many_tokens(stream *s, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) add(s, sp_load(VTA_MEM_INP, 0, SP_DATA / 16, 1, 1))->push_next_dep = 1;
    for (uint32_t i = 0; i < count; i++) carry(s)->pop_prev_dep = 1;
    add(s, sp_finish());
}
static void tokens_255(stream *s) { many_tokens(s, 255); }
static void tokens_256(stream *s) { many_tokens(s, 256); }
/* As many tokens, but the load stage waits in between. */
static void tokens_in_turns(stream *s) {
    for (uint32_t i = 0; i < 260; i++) {
        vta_insn *load = add(s, sp_load(VTA_MEM_INP, 0, SP_DATA / 16, 1, 1));
        load->push_next_dep = 1;
        load->pop_next_dep = i >= 100;
        vta_insn *taken = carry(s);
        taken->pop_prev_dep = 1;
        taken->push_prev_dep = i < 160;
    }
    add(s, sp_finish());
}

/* acc[x] >>= acc[x], with values of the data: SP_DATA holds 1, and -1 in its last element. */
static void shift(stream *s, uint16_t elements) {
    sound(s);
    s->insns[2].u.exec.alu_opcode = VTA_ALU_SHR;
    s->insns[2].u.exec.use_imm = 0;
    s->insns[2].u.exec.iter_in = s->insns[3].u.mem.x_size = elements;
}
static void shift_negative(stream *s) { shift(s, 64); }
static void shift_positive(stream *s) { shift(s, 63); }
static void shift_imm(stream *s) {
    sound(s);
    s->insns[2].u.exec.alu_opcode = VTA_ALU_SHR;
    s->insns[2].u.exec.imm = -3;
}

/* Multiplies into acc[0 .. tiles), several times over. */
static void same_acc(stream *s, uint16_t tiles, bool reset) {
    gemm_whole(s);
    for (int i = 3; i < 5; i++) {
        s->insns[i].u.exec.iter_out = 5;
        s->insns[i].u.exec.iter_in = tiles;
        s->insns[i].u.exec.dst_factor_in = 1;
        s->insns[i].u.exec.reset_reg = (uint8_t)(i == 3 || reset);
    }
    if (!reset) s->insns[3].u.exec.iter_out = 1;
}
static void same_acc_1(stream *s) { same_acc(s, 1, false); }
static void same_acc_2(stream *s) { same_acc(s, 2, false); }
static void same_acc_3(stream *s) { same_acc(s, 3, false); }
static void same_acc_reset(stream *s) { same_acc(s, 1, true); }

static void left(stream *s) {
    sound(s);
    s->insns[2].push_prev_dep = 1;
}

typedef struct check_case {
    const char *name;
    void (*make)(stream *s);
    vta_status status;
    const char *kind;    /* of the error or warning; NULL: there is nothing to find */
    const char *says[2]; /* in the text */
} check_case;

static const check_case cases[] = {
    {"sound", sound, VTA_OK, NULL, {0}},
    {"race on chip",
     race_on_chip,
     VTA_RACE,
     "race",
     {"instruction 3 (STORE out) reads acc[0..63], which instruction 2 (ALU ADD) writes"}},
    {"store, then load by compute",
     store_then_acc_load,
     VTA_RACE,
     "dram-race",
     {"instruction 4 (LOAD acc8) reads DRAM 0x000603c0..0x000603ff, which instruction 3 (STORE out) writes"}},
    {"store, then load by compute, with a token", store_then_acc_load_waits, VTA_OK, "acc-8bit", {0}},
    {"store, then load",
     store_then_inp_load,
     VTA_RACE,
     "dram-race",
     {"instruction 5 (LOAD inp) reads DRAM 0x00060000..0x0006021f, which instruction 3 (STORE out) writes"}},
    {"store, then load, with tokens", store_then_inp_load_waits, VTA_OK, NULL, {0}},
    {"load, then store",
     load_then_store_races,
     VTA_RACE,
     "dram-race",
     {"instruction 4 (STORE out) writes DRAM 0x000600f0..0x000600ff, which instruction 0 (LOAD wgt) reads"}},
    {"load, then store, with a token", load_then_store_waits, VTA_OK, NULL, {0}},
    {"load beside a store", load_beside_store, VTA_OK, NULL, {0}},
    {"micro-ops that a store writes",
     uops_from_a_store,
     VTA_RACE,
     "dram-race",
     {"instruction 4 (LOAD uop) reads DRAM 0x0006000c..0x0006000f, which instruction 3 (STORE out) writes"}},
    {"micro-ops read before a store writes them", uops_before_a_store, VTA_OK, NULL, {0}},
    {"store over an instruction",
     over_the_next,
     VTA_RACE,
     "fetch-race",
     {"instruction 3 (STORE out) writes DRAM 0x00010040..0x0001004f, where instruction 4 (FINISH)"}},
    {"store over an instruction long fetched", over_an_old_one, VTA_OK, NULL, {0}},
    {"store that FINISH does not wait for",
     never_finished,
     VTA_RACE,
     "unfinished",
     {"from instruction 3 (STORE out) to instruction 4 (FINISH)"}},
    {"micro-ops never loaded", no_uops, VTA_ILLEGAL, "unwritten", {"instruction 2 (ALU ADD) reads uop[1..1]"}},
    {"accumulators never written", no_acc, VTA_ILLEGAL, "unwritten", {"instruction 2 (ALU ADD) reads acc[64..126]"}},
    {"source never written", no_source, VTA_ILLEGAL, "unwritten", {"instruction 2 (ALU ADD) reads acc[64..126]"}},
    {"stored, never written", no_stored, VTA_ILLEGAL, "unwritten", {"instruction 3 (STORE out) reads acc[64..64]"}},
    {"GEMM", gemm_whole, VTA_OK, NULL, {0}},
    {"GEMM without inputs", gemm_no_inp, VTA_ILLEGAL, "unwritten", {"instruction 4 (GEMM) reads inp[0..0]"}},
    {"GEMM without weights", gemm_no_wgt, VTA_ILLEGAL, "unwritten", {"instruction 4 (GEMM) reads wgt[0..0]"}},
    {"GEMM on nothing", gemm_no_acc, VTA_ILLEGAL, "unwritten", {"instruction 3 (GEMM) reads acc[0..0]"}},
    {"GEMM before its loads",
     gemm_too_early,
     VTA_RACE,
     "race",
     {"instruction 4 (GEMM) reads inp[0..0], which instruction 1 (LOAD inp) writes",
      "instruction 4 (GEMM) reads wgt[0..0], which instruction 2 (LOAD wgt) writes"}},
    {"GEMM, then a load of weights",
     gemm_then_load_races,
     VTA_RACE,
     "race",
     {"instruction 6 (LOAD wgt) writes wgt[0..0], which instruction 4 (GEMM) reads"}},
    {"GEMM, then a load of weights, with a token", gemm_then_load_waits, VTA_OK, NULL, {0}},
    {"immediate with another source", other_source, VTA_OK, "imm-source", {"instruction 2 (ALU ADD)", "Chisel"}},
    {"LOAD ACC_8BIT", acc_8bit, VTA_OK, "acc-8bit", {"instruction 1 (LOAD acc8)"}},
    {"no rows", no_rows, VTA_OK, "no-rows", {"instruction 4 (STORE out)"}},
    {"loop of length 0", empty_loop, VTA_OK, "empty-loop", {"instruction 4 (ALU MAX)"}},
    {"no micro-ops", no_micro_ops, VTA_OK, "empty-loop", {"instruction 4 (GEMM)"}},
    {"a store of what was only loaded", loaded_store, VTA_OK, "loaded-store", {"instruction 3 (STORE out)"}},
    {"a source just written", forward, VTA_OK, "alu-forward", {"instruction 2 (ALU ADD)"}},
    {"a source just written, outer loop", forward_outer, VTA_OK, "alu-forward", {"instruction 2 (ALU ADD)"}},
    {"a source written, but not just before", forward_none, VTA_OK, NULL, {0}},
    {"256 tokens", tokens_256, VTA_OK, "many-tokens", {"instruction 255 (LOAD inp)"}},
    {"255 tokens", tokens_255, VTA_OK, NULL, {0}},
    {"260 tokens, at most 101 at once", tokens_in_turns, VTA_OK, NULL, {0}},
    {"a shift by a negative tensor", shift_negative, VTA_OK, "shr-negative", {"instruction 2 (ALU SHR)"}},
    {"a shift by a positive tensor", shift_positive, VTA_OK, NULL, {0}},
    {"a shift by a negative immediate", shift_imm, VTA_OK, NULL, {0}},
    {"one accumulator in a row", same_acc_1, VTA_OK, "same-acc", {"instruction 4 (GEMM)"}},
    {"two accumulators in turns", same_acc_2, VTA_OK, "same-acc", {"instruction 4 (GEMM)"}},
    {"three accumulators in turns", same_acc_3, VTA_OK, NULL, {0}},
    {"resets of one accumulator", same_acc_reset, VTA_OK, NULL, {0}},
    {"tokens left", left, VTA_OK, "tokens-left", {"instruction 2 (ALU ADD)"}},
};

/* ---- Running ----------------------------------------------------------------------------------------------- */

static vta_device *make_device(const char *changes, const char *driver, uint32_t order) {
    vta_config *plain = vta_config_default(), *config;
    vta_device *device;
    vta_device_options options = {.check = true, .order = order, .seed = 5};
    assert_int_equal(vta_config_with(plain, changes, NULL, &config), VTA_OK);
    assert_int_equal(vta_device_create(driver, config, &options, NULL, NULL, &device), VTA_OK);
    vta_config_release(plain);
    vta_config_release(config);
    sp_map(device);
    int32_t ones[64 * 16];
    for (int i = 0; i < 64 * 16; i++) ones[i] = i < 63 * 16 ? 1 : -1;
    uint32_t uops[2] = {0};
    assert_int_equal(vta_uop_encode(vta_device_config(device), (vta_uop){1, 0, 0}, NULL, &uops[1]), VTA_OK);
    assert_int_equal(vta_device_write(device, SP_DATA, ones, sizeof ones, NULL), VTA_OK);
    assert_int_equal(vta_device_write(device, SP_UOPS, uops, sizeof uops, NULL), VTA_OK);
    return device;
}

/* Exactly the expected kind is in the JSON, and the words are in its texts. */
static void compare(const check_case *c, const char *json) {
    char key[48];
    snprintf(key, sizeof key, "\"kind\": \"%s\"", c->kind ? c->kind : "");
    const char *first = strstr(json, "\"kind\"");
    if (!c->kind && first) fail_msg("%s: %s", c->name, json);
    if (c->kind && !strstr(json, key)) fail_msg("%s: no %s in %s", c->name, c->kind, json);
    if (c->kind && strstr(first + 1, "\"kind\"") && c->status == VTA_OK) fail_msg("%s: more: %s", c->name, json);
    for (int i = 0; i < 2 && c->says[i]; i++)
        if (!strstr(json, c->says[i]) && c->status != VTA_OK) fail_msg("%s: no '%s' in %s", c->name, c->says[i], json);
}

static void check_one(const check_case *c, const char *driver, uint32_t order) {
    static stream s;
    s = (stream){0};
    c->make(&s);
    vta_device *device = make_device("", driver, order);
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = sp_run(device, s.insns, s.count, diag);
    if (status != c->status || vta_diag_status(diag) != c->status)
        fail_msg("%s: %s\n%s", c->name, vta_status_text(status), vta_diag_text(diag));
    for (int i = 0; i < 2 && c->says[i]; i++)
        if (!strstr(vta_diag_text(diag), c->says[i]))
            fail_msg("%s: no '%s' in: %s", c->name, c->says[i], vta_diag_text(diag));
    char *json = vta_device_findings_to_json(device);
    compare(c, json);
    vta_string_free(json);
    vta_device_clear_counters(device);
    json = vta_device_findings_to_json(device);
    assert_string_equal(
        json, "{\"runs\": 0, \"races\": [], \"unwritten\": [], \"more\": 0, \"unsupported\": [], \"warnings\": []}");
    vta_string_free(json);
    vta_diag_destroy(diag);
    vta_device_destroy(device);
}

TEST_CASE(every_kind_is_found_in_every_order) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t order = 0; order <= VTA_ORDER_STORE_LATE; order++) {
            check_one(&cases[i], "sim", order);
            /* tsim times the stream as it finds it after the run */
            if (!strstr(cases[i].name, "over an instruction")) check_one(&cases[i], "tsim", order);
        }
}

static bool warns(const char *changes, const vta_insn *insns, uint32_t count, const char *kind) {
    char key[48];
    snprintf(key, sizeof key, "\"kind\": \"%s\"", kind);
    vta_device *device = make_device(changes, "sim", 0);
    vta_status status = sp_run(device, insns, count, NULL);
    char *json = vta_device_findings_to_json(device);
    assert_int_equal(status, strstr(json, "\"unsupported\": []") ? VTA_OK : VTA_UNSUPPORTED);
    bool found = strstr(json, key) != NULL;
    vta_string_free(json);
    vta_device_destroy(device);
    return found;
}

TEST_CASE(some_depend_on_the_configuration) {
    static stream s;
    sound(&s);
    assert_false(warns("", s.insns, s.count, "alu-batch"));
    s.insns[1].u.mem.dram_base /= 2; /* elements are twice as large */
    s.insns[3].u.mem.dram_base /= 2;
    assert_true(warns("LOG_BATCH=1", s.insns, s.count, "alu-batch"));
    sound(&s);
    s.insns[2].u.exec.alu_opcode = VTA_ALU_MUL;
    assert_false(warns("", s.insns, s.count, "mul"));
    assert_true(warns("TARGET=pynq", s.insns, s.count, "mul"));
}

/* Micro-ops and accumulators of an earlier run are not there for the next one, though the buffers still hold them. */
TEST_CASE(earlier_runs_do_not_count) {
    static stream s;
    vta_device *device = make_device("", "sim", 0);
    vta_diag *diag = vta_diag_create(NULL);
    sound(&s);
    assert_int_equal(sp_run(device, s.insns, s.count, diag), VTA_OK);
    assert_int_equal(sp_run(device, s.insns + 1, s.count - 1, diag), VTA_ILLEGAL);
    assert_non_null(strstr(vta_diag_text(diag), "instruction 1 (ALU ADD) reads uop[0..0]"));
    vta_diag_clear(diag);
    s.insns[1] = s.insns[0];
    assert_int_equal(sp_run(device, s.insns + 1, s.count - 1, diag), VTA_ILLEGAL);
    assert_non_null(strstr(vta_diag_text(diag), "instruction 1 (ALU ADD) reads acc[0..63]"));
    char *json = vta_device_findings_to_json(device);
    assert_non_null(strstr(json, "\"runs\": 3"));
    assert_non_null(strstr(json, "\"kind\": \"unwritten\", \"run\": 1"));
    assert_non_null(strstr(json, "\"kind\": \"unwritten\", \"run\": 2"));
    vta_string_free(json);
    vta_diag_destroy(diag);
    vta_device_destroy(device);
}

/* More errors than are listed: the worst are, and the rest is counted. */
TEST_CASE(the_worst_are_shown) {
    static stream s;
    s = (stream){0};
    for (uint32_t i = 0; i < 40; i++) add(&s, sp_store(i, SP_OUT / 16 + i, 1, 1)); /* never written */
    add(&s, sp_load(VTA_MEM_ACC, 39, SP_DATA / 64, 1, 1));                         /* races with the last */
    for (uint32_t i = 0; i < 40; i++) s.insns[i].push_prev_dep = i == 38;
    add(&s, sp_finish())->pop_next_dep = 1;
    vta_device *device = make_device("", "sim", 0);
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(sp_run(device, s.insns, s.count, diag), VTA_RACE);
    const char *text = vta_diag_text(diag);
    assert_non_null(strstr(text, "error: instruction 40 (LOAD acc) writes acc[39..39], which instruction 39 (STORE"));
    assert_non_null(strstr(text, "from instruction 39 (STORE out) to instruction 41 (FINISH)"));
    assert_non_null(strstr(text, "these are the first 16 findings; 26 more"));
    vta_diag_destroy(diag);
    vta_device_destroy(device);
}

int main(void) { return run_cases(); }

/* What simulators and boards treat differently: legal here, but a program should not rely on it (portability.def). */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/race.h"

enum { COMPUTE_STAGE = 1 };

/* Of a board only what that board does otherwise is told, and as an error. */
static void warn(vt_checker *c, vt_portability kind, uint32_t index) {
    unsigned design = vt_design_of(c->config);
    bool wrong = vt_differs_on(design, kind);
    if (design && !wrong && kind != VT_WARN_EARLIER_RUN) return;
    c->found.wrong[kind] = wrong;
    vt_findings_warn(&c->found, kind, index, &c->stream->insns[index]);
}

static bool is_board(const vta_config *config) {
    return strcmp(config->target, "sim") != 0 && strcmp(config->target, "tsim") != 0;
}

/* What has tables is no board of TVM's VTA: there is nothing to warn of elsewhere. */
static void check_table(vt_checker *c, uint32_t index) {
    if (vt_differs_on(vt_design_of(c->config), VT_WARN_TABLE)) warn(c, VT_WARN_TABLE, index);
}

/* ---- Transfers --------------------------------------------------------------------------------------------- */

/* Was one of the elements last written by a LOAD? */
static bool only_loaded(const vt_checker *c, uint32_t first, uint32_t count) {
    const uint32_t *written = c->written[VTA_MEM_ACC], *queue = c->stream->queue[COMPUTE_STAGE];
    for (uint32_t e = first; e < first + count; e++)
        if (written[e] && c->stream->insns[queue[written[e] - 1]].opcode == VTA_OP_LOAD) return true;
    return false;
}

static void check_transfer(vt_checker *c, uint32_t index, const vta_insn *insn) {
    if (!insn->u.mem.x_size) return;
    if (!insn->u.mem.y_size) warn(c, VT_WARN_NO_ROWS, index);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_ACC_8BIT) warn(c, VT_WARN_ACC_8BIT, index);
    if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_TABLE) check_table(c, index);
    if (insn->opcode == VTA_OP_STORE && only_loaded(c, insn->u.mem.sram_base, (uint32_t)vt_exec_work(insn)))
        warn(c, VT_WARN_LOADED_STORE, index);
}

/* ---- GEMM and ALU ------------------------------------------------------------------------------------------ */

static bool is_negative(const vt_machine *m, uint32_t element) {
    for (uint32_t i = 0; i < m->acc_lanes; i++)
        if (m->acc[(size_t)element * m->acc_lanes + i] < 0) return true;
    return false;
}

/* Sources as they stand before the instruction runs; what it changes itself is not looked at. */
static bool shifts_by_negative(const vta_insn *insn, const vt_machine *m) {
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++)
        for (uint32_t y = 0; y < insn->u.exec.iter_out; y++)
            for (uint32_t x = 0; x < insn->u.exec.iter_in; x++)
                if (is_negative(m, m->uops[u].src + y * insn->u.exec.src_factor_out + x * insn->u.exec.src_factor_in))
                    return true;
    return false;
}

static void check_alu(vt_checker *c, uint32_t index, const vta_insn *insn) {
    const vt_machine *m = c->machine;
    const vta_uop *uops = m->uops + insn->u.exec.uop_bgn;
    bool imm = insn->u.exec.use_imm;
    if (insn->u.exec.alu_opcode == VTA_ALU_MUL && is_board(c->config)) warn(c, VT_WARN_MUL, index);
    if (insn->u.exec.alu_opcode == VTA_ALU_TABLE) check_table(c, index);
    if (c->config->batch > 1) warn(c, VT_WARN_ALU_BATCH, index);
    if (imm && vt_has_other_source(insn, uops)) warn(c, VT_WARN_IMM_SOURCE, index);
    if (vt_reads_just_written(insn, uops)) warn(c, VT_WARN_ALU_FORWARD, index);
    if (insn->u.exec.alu_opcode == VTA_ALU_SHR && !imm && shifts_by_negative(insn, m))
        warn(c, VT_WARN_SHR_NEGATIVE, index);
}

static void check_compute(vt_checker *c, uint32_t index, const vta_insn *insn) {
    bool alu = insn->opcode == VTA_OP_ALU;
    if (!vt_exec_work(insn)) {
        warn(c, VT_WARN_EMPTY_LOOP, index);
        return;
    }
    if (alu) check_alu(c, index, insn);
    if (vt_loses_writes(insn, c->machine->uops + insn->u.exec.uop_bgn)) warn(c, VT_WARN_SAME_ACC, index);
}

void vt__check_portability(vt_checker *c, uint32_t index) {
    const vta_insn *insn = &c->stream->insns[index];
    if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE)
        check_transfer(c, index, insn);
    else if (insn->opcode != VTA_OP_FINISH)
        check_compute(c, index, insn);
}

/* ---- Tokens ------------------------------------------------------------------------------------------------ */

/* The most tokens that can wait in a queue: each push finds taken only those whose pop comes before it in every order.
 */
static void check_queue(vt_checker *c, vta_token_queue t) {
    enum { CHISEL_TOKENS = 255 };
    const vt_stream *s = c->stream;
    uint32_t from = (uint32_t)vt_token_from(t) - 1, to = (uint32_t)vt_token_to(t) - 1;
    uint32_t pushed = 0, popped = 0, seen = 0, last = 0;
    bool many = false;
    for (uint32_t p = 0; p < s->length[from]; p++) {
        uint32_t index = s->queue[from][p];
        if (!vt_stream_pushes(s, index, t)) continue;
        pushed++;
        last = index;
        for (; seen < s->clocks[index].before[to]; seen++) popped += vt_stream_pops(s, s->queue[to][seen], t);
        if (pushed - popped > CHISEL_TOKENS && !many) warn(c, VT_WARN_MANY_TOKENS, index);
        many = many || pushed - popped > CHISEL_TOKENS;
    }
    if (s->left[t]) warn(c, VT_WARN_TOKENS_LEFT, last);
}

void vt__check_tokens(vt_checker *c) {
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) check_queue(c, (vta_token_queue)q);
}

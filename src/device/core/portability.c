/* What simulators and boards treat differently: legal here, but a program should not rely on it (portability.def). */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/race.h"

enum { COMPUTE_STAGE = 1 };

static void warn(vt_checker *c, vt_portability kind, uint32_t index) {
    vt_findings_warn(&c->found, kind, index, &c->stream->insns[index]);
}

static bool is_board(const vta_config *config) {
    return strcmp(config->target, "sim") != 0 && strcmp(config->target, "tsim") != 0;
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
    if (insn->opcode == VTA_OP_STORE && only_loaded(c, insn->u.mem.sram_base, (uint32_t)vt_exec_work(insn)))
        warn(c, VT_WARN_LOADED_STORE, index);
}

/* ---- Neighbouring micro-ops -------------------------------------------------------------------------------- */

/* Iterations [first, end) of one of the two loops. */
typedef struct range {
    int64_t first, end;
} range;

/* Has distance + y * out + x * in == 0 a solution? */
static bool vanishes(int64_t distance, int64_t out, range y, int64_t in, range x) {
    if (y.first >= y.end || x.first >= x.end) return false;
    if (!out) y.end = y.first + 1; /* every y is alike */
    for (int64_t i = y.first; i < y.end; i++) {
        int64_t rest = -(distance + i * out);
        if (!in && !rest) return true;
        if (in && rest % in == 0 && rest / in >= x.first && rest / in < x.end) return true;
    }
    return false;
}

/* The destination (or source) of a micro-op against the destination of the one that runs `back` places before it. */
typedef struct neighbours {
    const vta_uop *uops;
    int64_t count, ys, xs; /* micro-ops, iterations of the outer and the inner loop */
    int64_t own_out, own_in, dst_out, dst_in;
    bool source;
    int64_t back;
} neighbours;

/* Micro-op u in the inner iterations of `x`, which all have their neighbour `dx` inner iterations before, or, when that
 * is before the outer iteration begins, in an earlier one. */
static bool meets_in(const neighbours *n, int64_t u, range x) {
    int64_t per_outer = n->xs * n->count, place = x.first * n->count + u - n->back, dy = 0;
    if (x.first >= x.end) return false;
    for (; place < 0; place += per_outer) dy++;
    int64_t before_x = place / n->count;
    const vta_uop *own = &n->uops[u], *before = &n->uops[place % n->count];
    int64_t distance =
        (int64_t)(n->source ? own->src : own->dst) - before->dst + dy * n->dst_out - (before_x - x.first) * n->dst_in;
    return vanishes(distance, n->own_out - n->dst_out, (range){dy, n->ys}, n->own_in - n->dst_in, x);
}

static bool meets(const vta_insn *insn, const vt_machine *m, int64_t back, bool source) {
    neighbours n = {
        .uops = m->uops + insn->u.exec.uop_bgn,
        .count = insn->u.exec.uop_end - insn->u.exec.uop_bgn,
        .ys = insn->u.exec.iter_out,
        .xs = insn->u.exec.iter_in,
        .own_out = source ? insn->u.exec.src_factor_out : insn->u.exec.dst_factor_out,
        .own_in = source ? insn->u.exec.src_factor_in : insn->u.exec.dst_factor_in,
        .dst_out = insn->u.exec.dst_factor_out,
        .dst_in = insn->u.exec.dst_factor_in,
        .source = source,
        .back = back,
    };
    for (int64_t u = 0; u < n.count; u++) {
        for (int64_t x = 0; x < back && x < n.xs; x++) /* whose neighbour may be in an earlier outer iteration */
            if (meets_in(&n, u, (range){x, x + 1})) return true;
        if (meets_in(&n, u, (range){back, n.xs})) return true;
    }
    return false;
}

/* ---- GEMM and ALU ------------------------------------------------------------------------------------------ */

/* The Chisel design takes both operands of an immediate operation from the source. */
static bool has_other_source(const vta_insn *insn, const vt_machine *m) {
    if (insn->u.exec.iter_out > 1 && insn->u.exec.dst_factor_out != insn->u.exec.src_factor_out) return true;
    if (insn->u.exec.iter_in > 1 && insn->u.exec.dst_factor_in != insn->u.exec.src_factor_in) return true;
    for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++)
        if (m->uops[u].dst != m->uops[u].src) return true;
    return false;
}

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
    bool imm = insn->u.exec.use_imm;
    if (insn->u.exec.alu_opcode == VTA_ALU_MUL && is_board(c->config)) warn(c, VT_WARN_MUL, index);
    if (c->config->batch > 1) warn(c, VT_WARN_ALU_BATCH, index);
    if (imm && has_other_source(insn, m)) warn(c, VT_WARN_IMM_SOURCE, index);
    if (meets(insn, m, 1, true)) warn(c, VT_WARN_ALU_FORWARD, index);
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
    bool reads_back = alu || !insn->u.exec.reset_reg; /* a reset only writes */
    if (reads_back && (meets(insn, c->machine, 1, false) || (!alu && meets(insn, c->machine, 2, false))))
        warn(c, VT_WARN_SAME_ACC, index);
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

/* ALU, reset and STORE of the fast engine: micro-ops whose elements follow one another become one long row of lanes.
 * The rows are walked from the first lane to the last, as the micro-ops are, so it does not matter whether they
 * overlap. */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/reference.h"
#include "device/sim/fast.h"

/* What is done to the elements of an instruction: one operation, or a chain of them with immediates. */
typedef struct work {
    bool use_imm;
    vta_alu_opcode opcode; /* of the source, unless use_imm */
    const vt_alu_imm *ops;
    uint32_t count;
} work;

/* Takes the next operation off a chain when it is this one. */
static bool take(const work *w, uint32_t *i, vta_alu_opcode opcode, int32_t *out_imm) {
    if (*i == w->count || w->ops[*i].opcode != opcode) return false;
    *out_imm = w->ops[(*i)++].imm;
    return true;
}

/* Shift, MAX, MIN, as far as they follow one another here, are one pass: what requantizes an accumulator. False, with
 * nothing done: fewer than two of them do. */
static bool shift_and_clip(const vt_fast *f, const work *w, uint32_t *i, int32_t *to, size_t lanes) {
    int32_t shift = 0, low = INT32_MIN, high = INT32_MAX;
    uint32_t next = *i;
    int taken = take(w, &next, VTA_ALU_SHR, &shift);
    if (shift < 0 || shift > 31) return false;
    taken += take(w, &next, VTA_ALU_MAX, &low);
    taken += take(w, &next, VTA_ALU_MIN, &high);
    if (taken < 2) return false;
    f->cpu->shift_and_clip(to, shift, low, high, lanes);
    *i = next;
    return true;
}

static void apply_chain(const vt_machine *m, const work *w, int32_t *to, size_t lanes) {
    const vt_fast *f = m->engine_state;
    for (uint32_t i = 0; i < w->count;)
        if (!shift_and_clip(f, w, &i, to, lanes)) {
            const vt_alu_imm *op = &w->ops[i];
            f->cpu->alu_imm(op->opcode, to, op->imm, vt_table_of(m, op->opcode, op->imm), lanes);
            i++;
        }
}

static void apply(vt_machine *m, const work *w, uint32_t dst, uint32_t src, uint32_t elements) {
    const vt_fast *f = m->engine_state;
    int32_t *to = m->acc + (size_t)dst * m->acc_lanes;
    size_t lanes = (size_t)elements * m->acc_lanes;
    if (w->use_imm)
        apply_chain(m, w, to, lanes);
    else
        f->cpu->alu(w->opcode, to, m->acc + (size_t)src * m->acc_lanes, lanes);
}

/* Elements in a row that are waiting to be worked on together. */
typedef struct row {
    vt_machine *machine;
    const work *work;
    uint32_t dst, src, count;
} row;

static void flush(row *r) {
    if (r->count) apply(r->machine, r->work, r->dst, r->src, r->count);
    r->count = 0;
}

static void append(row *r, uint32_t dst, uint32_t src, uint32_t count) {
    if (r->count && dst == r->dst + r->count && (r->work->use_imm || src == r->src + r->count)) {
        r->count += count;
        return;
    }
    flush(r);
    r->dst = dst;
    r->src = src;
    r->count = count;
}

/* With one micro-op, the inner loop may itself be a row. */
static uint32_t inner_row(const vt_loops *l, bool use_imm) {
    return l->uop_count == 1 && l->dst_factor_in == 1 && (use_imm || l->src_factor_in == 1) ? l->iter_in : 1;
}

static void run_work(vt_machine *m, const vt_loops *l, const work *w) {
    row r = {.machine = m, .work = w};
    uint32_t run = inner_row(l, w->use_imm);
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x += run) {
            uint32_t dst = l->dst0 + y * l->dst_factor_out + x * l->dst_factor_in;
            uint32_t src = l->src0 + y * l->src_factor_out + x * l->src_factor_in;
            for (uint32_t u = 0; u < l->uop_count; u++) append(&r, dst + l->uops[u].dst, src + l->uops[u].src, run);
        }
    flush(&r);
}

void vt__fast_alu(vt_machine *m, const vt_loops *l, vta_alu_opcode opcode, bool use_imm, int32_t imm) {
    vt_alu_imm op = {opcode, imm};
    run_work(m, l, &(work){.use_imm = use_imm, .opcode = opcode, .ops = &op, .count = 1});
}

void vt__fast_alu_chain(vt_machine *m, const vt_loops *l, const vt_alu_imm *ops, uint32_t count) {
    run_work(m, l, &(work){.use_imm = true, .ops = ops, .count = count});
}

/* How many micro-ops one memset covers: all when their elements follow one another. */
static uint32_t uops_in_a_row(const vt_loops *l) {
    for (uint32_t u = 1; u < l->uop_count; u++)
        if (l->uops[u].dst != l->uops[0].dst + u) return 1;
    return l->uop_count;
}

void vt__fast_reset(vt_machine *m, const vt_loops *l) {
    uint32_t run = inner_row(l, true), uops = uops_in_a_row(l), first = 0, count = 0;
    size_t element = m->acc_lanes * sizeof *m->acc;
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x += run)
            for (uint32_t u = 0; u < l->uop_count; u += uops) {
                uint32_t dst = l->dst0 + y * l->dst_factor_out + x * l->dst_factor_in + l->uops[u].dst;
                if (dst != first + count) {
                    memset(m->acc + (size_t)first * m->acc_lanes, 0, count * element);
                    first = dst;
                    count = 0;
                }
                count += run * uops;
            }
    memset(m->acc + (size_t)first * m->acc_lanes, 0, count * element);
}

void vt__fast_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to) {
    const vt_fast *f = machine->engine_state;
    if (machine->config->width[VTA_MEM_OUT] == 8)
        f->cpu->narrow8(from, count, to);
    else
        vt_reference_narrow(machine, from, count, to);
}

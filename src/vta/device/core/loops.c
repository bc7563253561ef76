/* GEMM and ALU: proves once, for the whole instruction, that every index lies inside its buffer. Indices are affine in
 * the loop counters with factors >= 0, so each micro-op's largest index decides. */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/machine.h"

/* One of dst, src, wgt: where its index comes from and what bounds it. */
typedef struct operand {
    const char *name;
    vta_memory memory;
    uint32_t factor_out, factor_in;
} operand;

static vta_status fail_operand(const vt_machine *m, uint32_t index, const vta_insn *insn, const operand *o,
                               uint32_t uop, uint32_t field, vta_diag *diag) {
    char label[24];
    uint64_t last = (uint64_t)field + (uint64_t)(insn->u.exec.iter_out - 1) * o->factor_out +
                    (uint64_t)(insn->u.exec.iter_in - 1) * o->factor_in;
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "instruction %u (%s): %s of micro-op %u reaches %u + %u x %s_factor_out %u + %u x %s_factor_in %u = "
                   "%llu, but the %s buffer has %u elements",
                   index, vt_insn_label(insn, label), o->name, uop, field, insn->u.exec.iter_out - 1u, o->name,
                   o->factor_out, insn->u.exec.iter_in - 1u, o->name, o->factor_in, (unsigned long long)last,
                   vta_memory_name(o->memory), m->config->depth[o->memory]);
}

/* The largest value that the micro-op's field may have; false when the loops alone leave the buffer. */
static bool field_limit(const vt_machine *m, const vta_insn *insn, const operand *o, uint32_t *out_limit) {
    uint64_t reach =
        (uint64_t)(insn->u.exec.iter_out - 1) * o->factor_out + (uint64_t)(insn->u.exec.iter_in - 1) * o->factor_in;
    uint32_t depth = m->config->depth[o->memory];
    *out_limit = reach < depth ? depth - 1 - (uint32_t)reach : 0;
    return reach < depth;
}

vt_loops vt_loops_of(const vta_insn *insn, const vta_uop *uops) {
    uint32_t bgn = insn->u.exec.uop_bgn, end = insn->u.exec.uop_end;
    bool gemm = insn->opcode == VTA_OP_GEMM;
    return (vt_loops){
        .uops = uops + bgn,
        .uop_count = end > bgn ? end - bgn : 0,
        .iter_out = insn->u.exec.iter_out,
        .iter_in = insn->u.exec.iter_in,
        .dst_factor_out = insn->u.exec.dst_factor_out,
        .dst_factor_in = insn->u.exec.dst_factor_in,
        .src_factor_out = insn->u.exec.src_factor_out,
        .src_factor_in = insn->u.exec.src_factor_in,
        .wgt_factor_out = gemm ? insn->u.exec.wgt_factor_out : 0,
        .wgt_factor_in = gemm ? insn->u.exec.wgt_factor_in : 0,
    };
}

void vt_machine_uops_loaded(vt_machine *m, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) m->uops[i] = vta_uop_decode(m->config, m->uop_words[i]);
    memset(m->ranges, 0, sizeof m->ranges);
    if (m->engine->loaded) m->engine->loaded(m, VTA_MEM_UOP, first, count);
}

/* The largest fields of micro-ops bgn < end. Programs run the same few ranges again and again: they are kept. */
static vta_uop largest(vt_machine *m, uint32_t bgn, uint32_t end) {
    for (int i = 0; i < VT_UOP_RANGES; i++)
        if (m->ranges[i].end == end && m->ranges[i].bgn == bgn) return m->ranges[i].most;
    vt_uop_range range = {bgn, end, m->uops[bgn]};
    for (const vta_uop *u = m->uops + bgn + 1; u < m->uops + end; u++) {
        if (u->dst > range.most.dst) range.most.dst = u->dst;
        if (u->src > range.most.src) range.most.src = u->src;
        if (u->wgt > range.most.wgt) range.most.wgt = u->wgt;
    }
    m->ranges[m->oldest_range++ % VT_UOP_RANGES] = range;
    return range.most;
}

vta_status vt__check_loops(vt_machine *m, uint32_t index, const vta_insn *insn, vta_diag *diag, vt_loops *out_loops) {
    char label[24];
    bool gemm = insn->opcode == VTA_OP_GEMM, reset = gemm && insn->u.exec.reset_reg;
    uint32_t bgn = insn->u.exec.uop_bgn, end = insn->u.exec.uop_end;
    if (end > m->config->depth[VTA_MEM_UOP])
        return vt_fail(diag, VTA_OUT_OF_RANGE, "instruction %u (%s): uop_end %u, but the uop buffer has %u elements",
                       index, vt_insn_label(insn, label), end, m->config->depth[VTA_MEM_UOP]);
    *out_loops = vt_loops_of(insn, m->uops);
    if (!vt_exec_work(insn)) return VTA_OK;
    const operand dst = {"dst", VTA_MEM_ACC, out_loops->dst_factor_out, out_loops->dst_factor_in};
    const operand src = {"src", gemm ? VTA_MEM_INP : VTA_MEM_ACC, out_loops->src_factor_out, out_loops->src_factor_in};
    const operand wgt = {"wgt", VTA_MEM_WGT, out_loops->wgt_factor_out, out_loops->wgt_factor_in};
    bool reads_src = gemm ? !reset : !insn->u.exec.use_imm;
    uint32_t dst_limit, src_limit = UINT32_MAX, wgt_limit = UINT32_MAX;
    const vta_uop *first = out_loops->uops;
    if (!field_limit(m, insn, &dst, &dst_limit)) return fail_operand(m, index, insn, &dst, bgn, first->dst, diag);
    if (reads_src && !field_limit(m, insn, &src, &src_limit))
        return fail_operand(m, index, insn, &src, bgn, first->src, diag);
    if (gemm && !reset && !field_limit(m, insn, &wgt, &wgt_limit))
        return fail_operand(m, index, insn, &wgt, bgn, first->wgt, diag);
    vta_uop most = largest(m, bgn, end);
    if (most.dst <= dst_limit && most.src <= src_limit && most.wgt <= wgt_limit) return VTA_OK;
    for (uint32_t u = 0; u < out_loops->uop_count; u++) {
        if (first[u].dst > dst_limit) return fail_operand(m, index, insn, &dst, bgn + u, first[u].dst, diag);
        if (first[u].src > src_limit) return fail_operand(m, index, insn, &src, bgn + u, first[u].src, diag);
        if (first[u].wgt > wgt_limit) return fail_operand(m, index, insn, &wgt, bgn + u, first[u].wgt, diag);
    }
    return VTA_OK;
}

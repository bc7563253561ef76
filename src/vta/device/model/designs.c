#include "device/model/designs.h"

#include <string.h>

#include "config/config_priv.h"
#include "device/core/alu.h"
#include "device/portability.h"

static vt_design_state *state_of(const vt_machine *m) { return m->engine_state; }
static int32_t *acc_at(const vt_machine *m, uint32_t index) { return m->acc + (size_t)index * m->acc_lanes; }

/* ---- What is the same -------------------------------------------------------------------------------------- */

static const vt_engine *give_back(vt_machine *m) {
    const vt_design_state *s = state_of(m);
    m->engine_state = s->base_state;
    return s->base;
}

static void take_over(vt_machine *m, vt_design_state *s) { m->engine_state = s; }

static void loaded(vt_machine *m, vta_memory memory, uint32_t first, uint32_t count) {
    vt_design_state *s = state_of(m);
    const vt_engine *base = give_back(m);
    if (base->loaded) base->loaded(m, memory, first, count);
    take_over(m, s);
}

static vta_insn insn_of(const vt_loops *l, vta_opcode opcode) {
    vta_insn insn = {.opcode = (uint8_t)opcode};
    insn.u.exec.uop_end = l->uop_count;
    insn.u.exec.iter_out = (uint16_t)l->iter_out, insn.u.exec.iter_in = (uint16_t)l->iter_in;
    insn.u.exec.dst_factor_out = l->dst_factor_out, insn.u.exec.dst_factor_in = l->dst_factor_in;
    insn.u.exec.src_factor_out = l->src_factor_out, insn.u.exec.src_factor_in = l->src_factor_in;
    return insn;
}

/* What GEMM and ALU write goes to the output buffer, too. */
static void copy_out(const vt_machine *m, const vt_loops *l) {
    const vt_design_state *s = state_of(m);
    uint32_t ys = l->dst_factor_out ? l->iter_out : l->iter_out > 0; /* the same elements again are copied once */
    uint32_t xs = l->dst_factor_in ? l->iter_in : l->iter_in > 0;
    for (uint32_t y = 0; s->out && y < ys; y++)
        for (uint32_t x = 0; x < xs; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in;
                memcpy(s->out + (size_t)dst * s->lanes, acc_at(m, dst), s->lanes * sizeof *s->out);
            }
}

/* ---- Results on their way ---------------------------------------------------------------------------------- */

static void arrive(vt_design_state *s, const vt_machine *m) {
    memcpy(acc_at(m, s->pending_dst[0]), s->pending, s->lanes * sizeof *s->pending);
    if (s->out) memcpy(s->out + (size_t)s->pending_dst[0] * s->lanes, s->pending, s->lanes * sizeof *s->pending);
    s->pending_dst[0] = s->pending_dst[1];
    memmove(s->pending, s->pending + s->lanes, 2 * s->lanes * sizeof *s->pending);
    s->pending_count--;
}

/* Where the next result is to be written; at most `most` others are still on their way when it is computed. */
static int32_t *next_result(vt_design_state *s, const vt_machine *m, uint32_t most) {
    while (s->pending_count > most) arrive(s, m);
    return s->pending + s->pending_count * s->lanes;
}

/* The result stands behind those that are on their way. */
static void sent(vt_design_state *s, uint32_t dst, const vt_machine *m) {
    if (s->pending_count == 2) arrive(s, m);
    s->pending_dst[s->pending_count++] = dst;
}

static void all_arrive(vt_design_state *s, const vt_machine *m) {
    while (s->pending_count) arrive(s, m);
}

/* ---- GEMM -------------------------------------------------------------------------------------------------- */

static void product(const vt_machine *m, uint32_t dst, uint32_t src, uint32_t wgt, int32_t *to) {
    const vta_config *c = m->config;
    const int32_t *acc = acc_at(m, dst);
    const uint8_t *inp = m->inp + (size_t)src * c->elem_bytes[VTA_MEM_INP];
    const uint8_t *w = m->wgt + (size_t)wgt * c->elem_bytes[VTA_MEM_WGT];
    for (uint32_t b = 0; b < c->batch; b++)
        for (uint32_t o = 0; o < c->block_out; o++) {
            uint32_t sum = (uint32_t)acc[b * c->block_out + o];
            for (uint32_t i = 0; i < c->block_in; i++)
                sum += (uint32_t)vt_unpack(inp, b * c->block_in + i, c->width[VTA_MEM_INP]) *
                       (uint32_t)vt_unpack(w, o * c->block_in + i, c->width[VTA_MEM_WGT]);
            to[b * c->block_out + o] = (int32_t)sum;
        }
}

/* Is it done result by result, whatever the checker's functions say of it? Large ones only where those do. */
static bool is_small(const vt_loops *l) {
    enum { SMALL = 4096 };
    return (uint64_t)l->iter_out * l->iter_in * l->uop_count <= SMALL;
}

static void late_gemm(vt_machine *m, const vt_loops *l) {
    enum { LATE = 2 };
    vt_design_state *s = state_of(m);
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in;
                int32_t *to = next_result(s, m, LATE);
                product(m, dst, l->src0 + l->uops[u].src + y * l->src_factor_out + x * l->src_factor_in,
                        l->wgt0 + l->uops[u].wgt + y * l->wgt_factor_out + x * l->wgt_factor_in, to);
                sent(s, dst, m);
            }
    all_arrive(s, m);
}

static void gemm(vt_machine *m, const vt_loops *l) {
    vt_design_state *s = state_of(m);
    const vta_insn insn = insn_of(l, VTA_OP_GEMM);
    if (vt_differs_on(s->design, VT_WARN_SAME_ACC) && (is_small(l) || vt_loses_writes(&insn, l->uops))) {
        late_gemm(m, l);
    } else {
        give_back(m)->gemm(m, l);
        take_over(m, s);
        copy_out(m, l);
    }
}

static void reset(vt_machine *m, const vt_loops *l) {
    vt_design_state *s = state_of(m);
    give_back(m)->reset(m, l);
    take_over(m, s);
    copy_out(m, l);
}

/* ---- ALU --------------------------------------------------------------------------------------------------- */

typedef struct operation {
    vta_alu_opcode opcode;
    bool use_imm;
    int32_t imm;
} operation;

/* What the micro-op before writes is not yet read: by HLS where it is the destination, by Chisel where it is the
 * source, of which that also takes what an immediate is applied to. */
static void one_alu(const vt_machine *m, const operation *op, uint32_t dst, uint32_t src, int32_t *to) {
    const vt_design_state *s = state_of(m);
    bool chisel = s->design == VT_CHISEL;
    const int32_t *a = acc_at(m, chisel && op->use_imm ? src : dst), *b = acc_at(m, src);
    if (chisel && !op->use_imm && s->pending_count && s->pending_dst[0] == dst) a = s->pending;
    if (!chisel && s->pending_count && s->pending_dst[0] == src) b = s->pending;
    uint32_t lanes = chisel ? m->config->block_out : m->acc_lanes; /* of row 0 only */
    memcpy(to, acc_at(m, dst), s->lanes * sizeof *to);
    for (uint32_t i = 0; i < lanes; i++) {
        int32_t other = op->use_imm ? op->imm : b[i];
        bool lost = chisel && !op->use_imm && op->opcode == VTA_ALU_SHR && other < 0;
        to[i] = lost ? 0 : vt_alu_lane(op->opcode, a[i], other, vt_table_of(m, op->opcode, op->imm));
    }
}

static void late_alu(vt_machine *m, const vt_loops *l, const operation *op) {
    vt_design_state *s = state_of(m);
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in;
                uint32_t src = l->src0 + l->uops[u].src + y * l->src_factor_out + x * l->src_factor_in;
                int32_t *to = next_result(s, m, 1);
                one_alu(m, op, dst, src, to);
                sent(s, dst, m);
            }
    all_arrive(s, m);
}

static bool is_otherwise(const vt_machine *m, const vt_loops *l, const operation *op) {
    unsigned design = state_of(m)->design;
    const vta_insn insn = insn_of(l, VTA_OP_ALU);
    if (vt_differs_on(design, VT_WARN_SAME_ACC) && vt_loses_writes(&insn, l->uops)) return true;
    if (vt_differs_on(design, VT_WARN_ALU_FORWARD) && vt_reads_just_written(&insn, l->uops)) return true;
    if (op->use_imm) return vt_differs_on(design, VT_WARN_IMM_SOURCE) && vt_has_other_source(&insn, l->uops);
    return op->opcode == VTA_ALU_SHR && vt_differs_on(design, VT_WARN_SHR_NEGATIVE);
}

static void alu(vt_machine *m, const vt_loops *l, vta_alu_opcode opcode, bool use_imm, int32_t imm) {
    vt_design_state *s = state_of(m);
    const operation op = {opcode, use_imm, imm};
    bool one_row = m->config->batch > 1 && vt_differs_on(s->design, VT_WARN_ALU_BATCH);
    s->hangs |= opcode == VTA_ALU_MUL && vt_differs_on(s->design, VT_WARN_MUL);
    s->hangs |= opcode == VTA_ALU_TABLE && vt_differs_on(s->design, VT_WARN_TABLE);
    if (one_row || is_small(l) || is_otherwise(m, l, &op)) {
        late_alu(m, l, &op);
    } else {
        give_back(m)->alu(m, l, opcode, use_imm, imm);
        take_over(m, s);
        copy_out(m, l);
    }
}

/* ---- Stores ------------------------------------------------------------------------------------------------ */

static void narrow(vt_machine *m, const int32_t *from, size_t count, uint8_t *to) {
    vt_design_state *s = state_of(m);
    give_back(m)->narrow(m, s->out ? s->out + (from - m->acc) : from, count, to);
    take_over(m, s);
}

static const vt_engine board = {
    .name = "board", .loaded = loaded, .gemm = gemm, .reset = reset, .alu = alu, .narrow = narrow};

/* ---- Life -------------------------------------------------------------------------------------------------- */

vta_status vt_design_begin(vt_design_state *s, unsigned design, vt_machine *m, vta_diag *diag) {
    *s = (vt_design_state){.design = design, .allocator = m->allocator, .lanes = m->acc_lanes};
    if (!design) return VTA_OK;
    s->pending_bytes = 3 * s->lanes * sizeof *s->pending;
    s->out_bytes = design == VT_CHISEL ? m->config->depth[VTA_MEM_ACC] * s->lanes * sizeof *s->out : 0;
    s->pending = vt_alloc_zero(s->allocator, s->pending_bytes);
    s->out = s->out_bytes ? vt_alloc_zero(s->allocator, s->out_bytes) : NULL;
    if (!s->pending || (s->out_bytes && !s->out)) {
        vt_design_end(s, m);
        return vt_no_memory(diag);
    }
    s->base = m->engine;
    s->base_state = m->engine_state;
    m->engine = &board;
    m->engine_state = s;
    return VTA_OK;
}

void vt_design_end(vt_design_state *s, vt_machine *m) {
    if (m->engine == &board) {
        m->engine = s->base;
        m->engine_state = s->base_state;
    }
    vt_free(s->allocator, s->pending, s->pending_bytes);
    vt_free(s->allocator, s->out, s->out_bytes);
    s->pending = s->out = NULL;
}

static bool hangs_at(unsigned design, const vta_insn *insn) {
    bool moves = insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE;
    if (!moves || !insn->u.mem.x_size) return false;
    bool acc_8bit = insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_ACC_8BIT;
    bool table = insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_TABLE;
    return (acc_8bit && vt_differs_on(design, VT_WARN_ACC_8BIT)) || (table && vt_differs_on(design, VT_WARN_TABLE)) ||
           (!insn->u.mem.y_size && vt_differs_on(design, VT_WARN_NO_ROWS));
}

bool vt_design_hangs(const vt_design_state *s, const vt_stream *stream) {
    for (uint32_t i = 0; i < stream->count; i++)
        if (hangs_at(s->design, &stream->insns[i])) return true;
    return s->hangs;
}

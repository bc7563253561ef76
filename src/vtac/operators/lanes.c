/* Products with the unit matrix, as text. */
#include "operators/lanes.h"

#include <stdio.h>

static bool has_out_blocks(const vt_op_shape *s) { return s->out_blocks > 1; }
static bool has_in_blocks(const vt_op_shape *s) { return s->in_blocks > 1; }

void vt__lanes_describe(const vtac_op *op, int64_t channels, bool wide, vt_op_shape *s) {
    int64_t in = wide ? 1 : vta_config_block_in(op->config), out = vta_config_block_out(op->config);
    s->in_blocks = out > in && !wide ? out / in : 1;
    s->out_blocks = in > out ? in / out : 1;
    s->oc = vt__ceil_div(channels, in > out ? in : out);
    s->wide = wide;
}

vta_status vt__lanes_check(const vtac_op *op, vta_diag *diag) {
    unsigned width = vta_config_width(op->config, VTA_MEM_WGT);
    if (width >= 8) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "%s: cannot run on the accelerator, because inputs of the input type are multiplied by a unit "
                   "matrix that the host writes, and the host cannot write weights of %u bits; weights of 8 "
                   "bits (LOG_WGT_WIDTH=3) can, and so can inputs as wide as accumulators (wide=1) where there are any",
                   op->is->name, width);
}

vt_lanes vt__lanes_of(const vt_op_shape *s, int64_t rows, int64_t columns) {
    long long n = s->n, co = s->oc, ks = s->out_blocks, h = rows, w = columns;
    vt_lanes l;
    if (has_out_blocks(s)) {
        snprintf(l.shape, sizeof l.shape, "%lld, %lld, %lld, %lld, %lld, BATCH, BLOCK_OUT", n, co, ks, h, w);
        snprintf(l.axes, sizeof l.axes, "bo: %lld, co: %lld, ks: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", n,
                 co, ks, h, w);
        snprintf(l.bias_shape, sizeof l.bias_shape, "%lld, %lld, BATCH, BLOCK_OUT", co, ks);
    } else {
        snprintf(l.shape, sizeof l.shape, "%lld, %lld, %lld, %lld, BATCH, BLOCK_OUT", n, co, h, w);
        snprintf(l.axes, sizeof l.axes, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", n, co, h, w);
        snprintf(l.bias_shape, sizeof l.bias_shape, "%lld, BATCH, BLOCK_OUT", co);
    }
    l.index = has_out_blocks(s) ? "bo, co, ks, i, j, bi, ci" : "bo, co, i, j, bi, ci";
    l.bias_index = has_out_blocks(s) ? "co, ks, bi, ci" : "co, bi, ci";
    return l;
}

void vt__lanes_input(const vt_op_shape *s, const char *name, vt_strbuf *out) {
    vt_lanes l = vt__lanes_of(s, s->h, s->w);
    if (s->wide) {
        vt_strbuf_addf(out, "input %s: acc_t[%s]\n", name, l.shape);
        return;
    }
    vt_strbuf_addf(out, "input %s: inp_t[%lld, %lld, ", name, (long long)s->n, (long long)s->oc);
    if (has_in_blocks(s)) vt_strbuf_addf(out, "%lld, ", (long long)s->in_blocks);
    vt_strbuf_addf(out, "%lld, %lld, BATCH, BLOCK_IN]\n", (long long)s->h, (long long)s->w);
}

void vt__lanes_unit(const vt_op_shape *s, int64_t factor, vt_strbuf *out) {
    vt_strbuf_addf(out,
                   "tensor unit[ks: %lld, kr: %lld, ci: BLOCK_OUT, ri: BLOCK_IN] =\n    select(ks * BLOCK_OUT + ci == "
                   "kr * BLOCK_IN + ri, wgt_t(%lld), wgt_t(0))\ntensor unit_buf like unit = unit[...]\n",
                   (long long)s->out_blocks, (long long)s->in_blocks, (long long)factor);
}

void vt__lanes_product(const vt_op_shape *s, const char *name, const char *axes, const char *from, const char *taps,
                       const char *row, const char *column, vt_strbuf *out) {
    bool in = has_in_blocks(s);
    vt_strbuf_addf(out, "tensor %s[%s] =\n    sum[%s", name, axes, taps);
    if (in) vt_strbuf_addf(out, "kr: %lld, ", (long long)s->in_blocks);
    vt_strbuf_addf(out,
                   "ri: BLOCK_IN](acc_t(%s_buf[bo, co, %s%s, %s, bi, ri]) *\n        acc_t(unit_buf[%s, %s, ci, "
                   "ri]))\n",
                   from, in ? "kr, " : "", row, column, has_out_blocks(s) ? "ks" : "0", in ? "kr" : "0");
}

void vt__lanes_unit_stage(const vt_op_blocks *b, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage unit_buf\n  scope wgt\n  compute_at res, %s\n  pragma 0 dma_copy\n",
                   b->threads > 1 ? "thread" : "bo");
}

void vt__lanes_load_stage(const char *from, const char *scope, const char *at, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s_buf\n  scope %s\n  compute_at res, %s\n  pragma 0 dma_copy\n", from, scope, at);
}

void vt__lanes_product_stage(const vt_op_shape *s, const char *name, const char *at, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n  reorder %sbo, i, j, co, %sbi, ci, ri\n", name,
                   at, has_in_blocks(s) ? "kr, " : "", has_out_blocks(s) ? "ks, " : "");
    vt_strbuf_add(out, "  tensorize bi gemm\n");
}

/* dense: a matrix product, whose rows stand in the place of a convolution's image rows. */
#include <stdio.h>

#include "ops/ops.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_dense_##name])

vta_status vt__describe_dense(vtac_op *op, vta_diag *diag) {
    (void)diag;
    op->terms = VALUE(in_features);
    int64_t rows = vt__ceil_div(VALUE(batch), vta_config_batch(op->config));
    op->shape = (vt_op_shape){
        .n = 1,
        .ic = vt__ceil_div(VALUE(in_features), vta_config_block_in(op->config)),
        .oc = vt__ceil_div(VALUE(out_features), vta_config_block_out(op->config)),
        .in_total = vt__ceil_div(VALUE(in_features), vta_config_block_in(op->config)),
        .group_out = vt__ceil_div(VALUE(out_features), vta_config_block_out(op->config)),
        .h = rows,
        .w = 1,
        .out_h = rows,
        .out_w = 1,
        .kernel_h = 1,
        .kernel_w = 1,
        .stride_h = 1,
        .stride_w = 1,
        .dilation_h = 1,
        .dilation_w = 1,
        .macs = (uint64_t)VALUE(batch) * (uint64_t)VALUE(in_features) * (uint64_t)VALUE(out_features),
    };
    return VTA_OK;
}

static const char *write_tiles(const vt_op_blocks *b, vt_strbuf *out) {
    bool rows = b->threads > 1 && b->share_rows;
    vt_strbuf_addf(out, "\nstage res\n  split 0 by %lld -> row_out, row_in\n  split 1 by %lld -> oc_out, oc_in\n",
                   (long long)b->y, (long long)b->oc);
    vt_strbuf_add(out, "  reorder oc_out, row_out, row_in, oc_in, 2, 3\n");
    if (b->threads > 1) {
        vt_strbuf_addf(out, "  split %s by %lld -> %s, thread\n", rows ? "row_out" : "oc_out", (long long)b->threads,
                       rows ? "row_round" : "oc_round");
        vt_strbuf_addf(out, "  reorder thread, %s, %s\n  bind thread cthread\n", rows ? "oc_out" : "oc_round",
                       rows ? "row_round" : "row_out");
    }
    vt_strbuf_add(out, "  pragma row_in dma_copy\n");
    return rows ? "row_round" : "row_out";
}

void vt__write_dense(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char axes[128], shape[128], bias[64];
    long long rows = s->out_h, in = s->ic, outs = s->oc;
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", outs);
    snprintf(shape, sizeof shape, "%lld, %lld, BATCH, BLOCK_OUT", rows, outs);
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, bi: BATCH, ci: BLOCK_OUT", rows, outs);
    vt_strbuf_addf(out, "kernel dense\n\ninput data: inp_t[%lld, %lld, BATCH, BLOCK_IN]\n", rows, in);
    vt_strbuf_addf(out, "input weight: wgt_t[%lld, %lld, BLOCK_OUT, BLOCK_IN]\n", outs, in);
    vt__epilogue_inputs(op, bias, shape, out);
    vt_strbuf_addf(out, "reduce rc = %lld, ri = BLOCK_IN\n", in);
    vt_strbuf_add(out, "tensor data_buf like data = data[...]\ntensor weight_buf like weight = weight[...]\n");
    const char *start = vt__epilogue_start(op, b);
    vt__epilogue_write_start(op, b, axes, out);
    vt_strbuf_addf(out,
                   "tensor sums[%s] =\n    sum[rc, ri](acc_t(data_buf[bo, rc, bi, ri]) * acc_t(weight_buf[co, rc, ci, "
                   "ri])",
                   axes);
    if (start) vt_strbuf_addf(out, ", %s[bo, co, bi, ci]", start);
    vt_strbuf_add(out, ")\n");
    vt__epilogue_write_rest(op, b, axes, "bo, co, bi, ci", "co, bi, ci", out);
    const char *at = write_tiles(b, out);
    vt_strbuf_addf(out, "stage sums\n  scope acc\n  compute_at res, %s\n  split rc by %lld -> rc_out, rc_in\n", at,
                   (long long)b->ic);
    vt_strbuf_addf(out, "  reorder rc_out, bo, rc_in, co, bi, ci, ri\n  %s\n",
                   start ? "pragma bi conv2d_transpose_gemm" : "tensorize bi gemm");
    vt_strbuf_add(out, "stage data_buf\n  scope inp\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n"
                       "stage weight_buf\n  scope wgt\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
    vt__epilogue_stages(op, at, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, bi, ci", at, out);
}

/* dense, and batch_matmul, which is as many of them with weights of their own: matrix products, whose rows stand in the
 * place of a convolution's image rows. */
#include <stdio.h>

#include "operators/shares.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_dense_##name])

/* `count` products of rows x in by out x in. */
static void describe(vtac_op *op, int64_t count, int64_t rows, int64_t in, int64_t out) {
    int64_t blocks = vt__ceil_div(rows, vta_config_batch(op->config));
    op->terms = in;
    op->shape = (vt_op_shape){
        .n = count,
        .ic = vt__ceil_div(in, vta_config_block_in(op->config)),
        .oc = vt__ceil_div(out, vta_config_block_out(op->config)),
        .in_total = vt__ceil_div(in, vta_config_block_in(op->config)),
        .group_out = vt__ceil_div(out, vta_config_block_out(op->config)),
        .h = blocks,
        .w = 1,
        .out_h = blocks,
        .out_w = 1,
        .kernel_h = 1,
        .kernel_w = 1,
        .stride_h = 1,
        .stride_w = 1,
        .dilation_h = 1,
        .dilation_w = 1,
    };
    if (__builtin_mul_overflow((uint64_t)(count * rows), (uint64_t)in, &op->shape.macs) ||
        __builtin_mul_overflow(op->shape.macs, (uint64_t)out, &op->shape.macs))
        op->shape.macs = UINT64_MAX;
}

vta_status vt__describe_dense(vtac_op *op, vta_diag *diag) {
    (void)diag;
    describe(op, 1, VALUE(batch), VALUE(in_features), VALUE(out_features));
    return VTA_OK;
}

/* Matrices side by side begin with a block each. */
static vta_status check_beside(const vtac_op *op, const char *what, int64_t features, unsigned block, vta_diag *diag) {
    if (features % block == 0) return VTA_OK;
    return vt_fail(
        diag, VTA_UNSUPPORTED,
        "%s: %s: matrices of %lld features do not fill blocks of %u; without it they lie one behind the other",
        op->is->name, what, (long long)features, block);
}

static vta_status check_no_residual(const vtac_op *op, vta_diag *diag) {
    for (uint32_t i = 0; i < op->n_said; i++)
        if (op->said[i].kind == VT_EPILOGUE_residual || op->said[i].kind == VT_EPILOGUE_residual_int8)
            return vt_fail(diag, VTA_UNSUPPORTED, "%s: out_beside: there is no residual beside it", op->is->name);
    return VTA_OK;
}

vta_status vt__describe_batch_matmul(vtac_op *op, vta_diag *diag) {
    const int64_t *v = op->values;
    int64_t in = v[VT_ATTRIBUTE_batch_matmul_in_features], out = v[VT_ATTRIBUTE_batch_matmul_out_features];
    if (v[VT_ATTRIBUTE_batch_matmul_in_beside])
        VT_TRY(check_beside(op, "in_beside", in, vta_config_block_in(op->config), diag));
    if (v[VT_ATTRIBUTE_batch_matmul_out_beside]) {
        VT_TRY(check_beside(op, "out_beside", out, vta_config_block_out(op->config), diag));
        VT_TRY(check_no_residual(op, diag));
    }
    describe(op, v[VT_ATTRIBUTE_batch_matmul_batch], v[VT_ATTRIBUTE_batch_matmul_rows],
             v[VT_ATTRIBUTE_batch_matmul_in_features], v[VT_ATTRIBUTE_batch_matmul_out_features]);
    return vt__has_shares(op) ? vt__shares_check(op, diag) : VTA_OK;
}

/* ---- Kernel files ---------------------------------------------------------------------------------------------- */

/* Pieces of text that a batch adds: an axis `bb` in front; behind the rows where matrices stand side by side. */
typedef struct batched {
    char extent[32]; /* "8, " */
    char axis[32];   /* "bb: 8, " */
    const char *index;
    bool in_beside, out_beside, columns;
} batched;

static batched batched_of(const vtac_op *op, bool is) {
    batched b = {.index = is ? "bb, " : ""};
    if (!is) return b;
    b.in_beside = op->values[VT_ATTRIBUTE_batch_matmul_in_beside];
    b.out_beside = op->values[VT_ATTRIBUTE_batch_matmul_out_beside];
    b.columns = op->values[VT_ATTRIBUTE_batch_matmul_weight_columns];
    snprintf(b.extent, sizeof b.extent, "%lld, ", (long long)op->shape.n);
    snprintf(b.axis, sizeof b.axis, "bb: %lld, ", (long long)op->shape.n);
    return b;
}

static const char *write_tiles(const batched *x, const vt_op_blocks *b, vt_strbuf *out) {
    bool rows = b->threads > 1 && b->share_rows;
    vt_strbuf_addf(out, "\nstage res\n  split bo by %lld -> row_out, row_in\n  split co by %lld -> oc_out, oc_in\n",
                   (long long)b->y, (long long)b->oc);
    vt_strbuf_addf(out, "  reorder %soc_out, row_out, row_in, oc_in, bi, ci\n", x->index);
    if (b->threads > 1) {
        vt_strbuf_addf(out, "  split %s by %lld -> %s, thread\n", rows ? "row_out" : "oc_out", (long long)b->threads,
                       rows ? "row_round" : "oc_round");
        vt_strbuf_addf(out, "  reorder thread, %s%s, %s\n  bind thread cthread\n", x->index,
                       rows ? "oc_out" : "oc_round", rows ? "row_round" : "row_out");
    }
    vt_strbuf_add(out, "  pragma row_in dma_copy\n");
    return rows ? "row_round" : "row_out";
}

/* What is summed up; with shares the sums are what comes of it. */
static const char *sums_of(const vtac_op *op) { return vt__has_shares(op) ? "products" : "sums"; }

static void write_shares(const vtac_op *op, const batched *x, const char *axes, const char *index, vt_strbuf *out) {
    char rows[96], data[48];
    snprintf(rows, sizeof rows, "%sbo: %lld, bi: BATCH, ci: BLOCK_OUT", x->axis, (long long)op->shape.out_h);
    snprintf(data, sizeof data, x->in_beside ? "bo, bb, kr, bi, rj" : "bb, bo, kr, bi, rj");
    vt__shares_total(op, rows, "bb, bo, bi, ci", data, out);
    vt__shares_sums(axes, index, "bb, bo, bi, ci", out);
}

static void write_tensors(const vtac_op *op, const vt_op_blocks *b, const batched *x, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char axes[160], shape[160], bias[64], index[64], result[160];
    const char *start = vt__epilogue_start(op, b);
    long long rows = s->out_h, in = s->ic, outs = s->oc;
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", outs);
    snprintf(shape, sizeof shape, "%s%lld, %lld, BATCH, BLOCK_OUT", x->extent, rows, outs);
    snprintf(axes, sizeof axes, "%sbo: %lld, co: %lld, bi: BATCH, ci: BLOCK_OUT", x->axis, rows, outs);
    snprintf(index, sizeof index, "%sbo, co, bi, ci", x->index);
    snprintf(result, sizeof result, "bo: %lld, %sco: %lld, bi: BATCH, ci: BLOCK_OUT", rows, x->axis, outs);
    vt_strbuf_addf(out, "kernel %s\n\ninput data: inp_t[", op->is->name);
    vt_strbuf_addf(out, "%s%lld, %s%lld", x->in_beside ? "" : x->extent, rows, x->in_beside ? x->extent : "", in);
    vt_strbuf_add(out, ", BATCH, BLOCK_IN]\n");
    vt_strbuf_addf(out, "input weight: wgt_t[%s%lld, %lld, BLOCK_OUT, BLOCK_IN]\n", x->extent, x->columns ? in : outs,
                   x->columns ? outs : in);
    vt__epilogue_inputs(op, bias, shape, out);
    vt_strbuf_addf(out, "reduce rc = %lld, ri = BLOCK_IN\n", in);
    vt_strbuf_add(out, "tensor data_buf like data = data[...]\ntensor weight_buf like weight = weight[...]\n");
    vt__epilogue_write_start(op, b, axes, out);
    vt_strbuf_addf(out,
                   "tensor %s[%s] =\n    sum[rc, ri](acc_t(data_buf[%sbo, %src, bi, ri]) * acc_t(weight_buf[%s%s, "
                   "ci, ri])",
                   sums_of(op), axes, x->in_beside ? "" : x->index, x->in_beside ? x->index : "", x->index,
                   x->columns ? "rc, co" : "co, rc");
    if (start) vt_strbuf_addf(out, ", %s[%s]", start, index);
    vt_strbuf_add(out, ")\n");
    if (vt__has_shares(op)) write_shares(op, x, axes, index, out);
    vt__epilogue_write_rest(op, b, axes, index, "co, bi, ci", x->out_beside ? result : axes, out);
}

static void write_kernel(const vtac_op *op, const vt_op_blocks *b, bool is_batched, vt_strbuf *out) {
    batched x = batched_of(op, is_batched);
    char index[64];
    snprintf(index, sizeof index, "%sbo, co, bi, ci", x.index);
    write_tensors(op, b, &x, out);
    const char *at = write_tiles(&x, b, out);
    vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n  split rc by %lld -> rc_out, rc_in\n",
                   sums_of(op), at, (long long)b->ic);
    vt_strbuf_addf(out, "  reorder rc_out, %sbo, rc_in, co, bi, ci, ri\n  %s\n", x.index,
                   vt__epilogue_start(op, b) ? "pragma bi conv2d_transpose_gemm" : "tensorize bi gemm");
    static const char load[] = "stage %s_buf\n  scope %s\n  compute_at %s, rc_out\n  pragma 0 dma_copy\n";
    vt_strbuf_addf(out, load, "data", "inp", sums_of(op));
    vt_strbuf_addf(out, load, "weight", "wgt", sums_of(op));
    if (vt__has_shares(op)) vt__shares_stages(x.index, at, out);
    vt__epilogue_stages(op, at, at, out);
    vt__epilogue_gemm_stages(op, b, index, at, out);
}

void vt__write_dense(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) { write_kernel(op, b, false, out); }
void vt__write_batch_matmul(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    write_kernel(op, b, true, out);
}

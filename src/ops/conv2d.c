/* conv2d: from attributes to sizes, and from sizes and a schedule to a kernel file. */
#include <stdio.h>

#include "ops/ops.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_conv2d_##name])

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

static void read_sizes(const vtac_op *op, vt_op_shape *s) {
    s->h = VALUE(height);
    s->w = VALUE(width);
    s->kernel_h = or_else(VALUE(kernel_h), 1, VALUE(kernel));
    s->kernel_w = or_else(VALUE(kernel_w), 1, VALUE(kernel));
    s->stride_h = or_else(VALUE(stride_h), 1, VALUE(stride));
    s->stride_w = or_else(VALUE(stride_w), 1, VALUE(stride));
    s->dilation_h = or_else(VALUE(dilation_h), 1, VALUE(dilation));
    s->dilation_w = or_else(VALUE(dilation_w), 1, VALUE(dilation));
    s->top = or_else(VALUE(pad_top), 0, VALUE(pad));
    s->bottom = or_else(VALUE(pad_bottom), 0, VALUE(pad));
    s->left = or_else(VALUE(pad_left), 0, VALUE(pad));
    s->right = or_else(VALUE(pad_right), 0, VALUE(pad));
}

vta_status vt__describe_conv2d(vtac_op *op, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    read_sizes(op, s);
    int64_t rows = s->h + s->top + s->bottom, columns = s->w + s->left + s->right;
    int64_t need_h = (s->kernel_h - 1) * s->dilation_h + 1, need_w = (s->kernel_w - 1) * s->dilation_w + 1;
    if (rows < need_h || columns < need_w)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT,
            "conv2d: a kernel that covers %lld x %lld does not fit the padded image of %lld x %lld: make the "
            "image or the padding larger, or the kernel or its dilation smaller",
            (long long)need_h, (long long)need_w, (long long)rows, (long long)columns);
    s->out_h = (rows - need_h) / s->stride_h + 1;
    s->out_w = (columns - need_w) / s->stride_w + 1;
    s->n = vt__ceil_div(VALUE(batch), vta_config_batch(op->config));
    s->ic = vt__ceil_div(VALUE(in_channels), vta_config_block_in(op->config));
    s->oc = vt__ceil_div(VALUE(out_channels), vta_config_block_out(op->config));
    op->terms = VALUE(in_channels) * s->kernel_h * s->kernel_w;
    s->padded = s->top || s->left || (s->out_h - 1) * s->stride_h + need_h > s->h + s->top ||
                (s->out_w - 1) * s->stride_w + need_w > s->w + s->left;
    if (__builtin_mul_overflow((uint64_t)(VALUE(batch) * VALUE(in_channels)),
                               (uint64_t)(VALUE(out_channels) * s->kernel_h * s->kernel_w), &s->macs) ||
        __builtin_mul_overflow(s->macs, (uint64_t)(s->out_h * s->out_w), &s->macs))
        s->macs = UINT64_MAX;
    return VTA_OK;
}

/* ---- The computation ------------------------------------------------------------------------------------------- */

/* "i * 2 + dy * 3" */
static const char *place(char out[64], const char *axis, int64_t stride, const char *tap, int64_t dilation) {
    char a[24] = "", b[24] = "";
    if (stride != 1) snprintf(a, sizeof a, " * %lld", (long long)stride);
    if (dilation != 1) snprintf(b, sizeof b, " * %lld", (long long)dilation);
    snprintf(out, 64, "%s%s + %s%s", axis, a, tap, b);
    return out;
}

/* The taps that fall on padding are left out by name, so that the compiler makes no micro-ops for them. */
static void write_sum(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char from[64];
    const char *start = vt__epilogue_start(op, b);
    snprintf(from, sizeof from, ", %s[bo, co, i, j, bi, ci]", start ? start : "");
    char row[64], column[64];
    place(row, "i", s->stride_h, "dy", s->dilation_h);
    place(column, "j", s->stride_w, "dx", s->dilation_w);
    if (b->skip)
        vt_strbuf_addf(out, "select(%s >= %lld && %s < %lld && %s >= %lld && %s < %lld,\n        ", row,
                       (long long)s->top, row, (long long)(s->h + s->top), column, (long long)s->left, column,
                       (long long)(s->w + s->left));
    vt_strbuf_addf(out,
                   "acc_t(data_buf[bo, rc, %s, %s, bi, ri]) *\n        acc_t(weight_buf[co, rc, dy, dx, ci, ri])%s%s)\n",
                   row, column, b->skip ? ", acc_t(0))" : "", start ? from : "");
}

static void write_inputs(const vtac_op *op, const char *axes, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char bias[64];
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", (long long)s->oc);
    vt_strbuf_addf(out, "kernel conv2d\n\ninput data: inp_t[%lld, %lld, %lld, %lld, BATCH, BLOCK_IN]\n",
                   (long long)s->n, (long long)s->ic, (long long)s->h, (long long)s->w);
    vt_strbuf_addf(out, "input weight: wgt_t[%lld, %lld, %lld, %lld, BLOCK_OUT, BLOCK_IN]\n", (long long)s->oc,
                   (long long)s->ic, (long long)s->kernel_h, (long long)s->kernel_w);
    vt__epilogue_inputs(op, bias, axes, out);
    vt_strbuf_addf(out, "reduce rc = %lld, dy = %lld, dx = %lld, ri = BLOCK_IN\n", (long long)s->ic,
                   (long long)s->kernel_h, (long long)s->kernel_w);
    if (s->top || s->bottom || s->left || s->right)
        vt_strbuf_addf(out, "tensor data_buf = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0])\n",
                       (long long)s->top, (long long)s->left, (long long)s->bottom, (long long)s->right);
    else
        vt_strbuf_add(out, "tensor data_buf like data = data[...]\n");
    vt_strbuf_add(out, "tensor weight_buf like weight = weight[...]\n");
}

/* ---- The schedule ---------------------------------------------------------------------------------------------- */

/* The loops of the result; gives the axis within which a tile is computed. */
static const char *write_tiles(const vt_op_shape *s, const vt_op_blocks *b, vt_strbuf *out) {
    bool columns = b->x<s->out_w, rows = b->threads> 1 && b->share_rows, channels = b->threads > 1 && !rows;
    vt_strbuf_addf(out, "\nstage res\n  split 1 by %lld -> oc_out, oc_in\n  split 2 by %lld -> y_out, y_in\n",
                   (long long)b->oc, (long long)b->y);
    if (columns) vt_strbuf_addf(out, "  split 3 by %lld -> x_out, x_in\n", (long long)b->x);
    vt_strbuf_addf(out, "  reorder 0, oc_out, y_out, %soc_in, y_in, %s, 4, 5\n", columns ? "x_out, " : "",
                   columns ? "x_in" : "3");
    if (b->threads > 1) {
        vt_strbuf_addf(out, "  split %s by %lld -> %s, thread\n", rows ? "y_out" : "oc_out", (long long)b->threads,
                       rows ? "y_round" : "oc_round");
        vt_strbuf_addf(out, "  reorder thread, 0, %s, %s\n  bind thread cthread\n", channels ? "oc_round" : "oc_out",
                       rows ? "y_round" : "y_out");
    }
    vt_strbuf_add(out, "  pragma oc_in dma_copy\n");
    return columns ? "x_out" : rows ? "y_round" : "y_out";
}

void vt__write_conv2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char axes[160], shape[160];
    snprintf(shape, sizeof shape, "%lld, %lld, %lld, %lld, BATCH, BLOCK_OUT", (long long)s->n, (long long)s->oc,
             (long long)s->out_h, (long long)s->out_w);
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)s->n,
             (long long)s->oc, (long long)s->out_h, (long long)s->out_w);
    write_inputs(op, shape, out);
    vt__epilogue_write_start(op, b, axes, out);
    vt_strbuf_addf(out, "tensor sums[%s] =\n    sum[rc, dy, dx, ri](", axes);
    write_sum(op, b, out);
    vt__epilogue_write_rest(op, b, axes, "bo, co, i, j, bi, ci", "co, bi, ci", out);
    const char *at = write_tiles(s, b, out);
    vt_strbuf_addf(out, "stage sums\n  scope acc\n  compute_at res, %s\n  split rc by %lld -> rc_out, rc_in\n", at,
                   (long long)b->ic);
    vt_strbuf_add(out, b->skip ? "  reorder rc_out, bo, co, rc_in, i, dy, dx, j, bi, ci, ri\n"
                               : "  reorder rc_out, bo, i, j, rc_in, dy, dx, co, bi, ci, ri\n");
    vt_strbuf_add(out, b->skip || vt__epilogue_start(op, b) ? "  pragma bi conv2d_transpose_gemm\n"
                                                         : "  tensorize bi gemm\n");
    vt_strbuf_add(out, "stage data_buf\n  scope inp\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n"
                       "stage weight_buf\n  scope wgt\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
    vt__epilogue_stages(op, at, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, i, j, bi, ci", at, out);
}

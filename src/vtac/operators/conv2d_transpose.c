/* conv2d_transpose: each output sums over the taps that reach it. With a stride s, outputs whose places differ by a
 * multiple of s take the same taps, every s-th of the kernel; the sum runs over these alone, so nothing is multiplied
 * by the zeros between the inputs. */
#include <stdio.h>

#include "operators/ops.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_conv2d_transpose_##name])

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

static vta_status check(const vtac_op *op, const vt_op_shape *s, vta_diag *diag) {
    if (s->out_h < 1 || s->out_w < 1)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "conv2d_transpose: the padding takes all of the result: %lld x %lld outputs are left",
                       (long long)s->out_h, (long long)s->out_w);
    if (VALUE(output_pad_h) >= s->stride_h || VALUE(output_pad_w) >= s->stride_w)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "conv2d_transpose: an output padding of %lld x %lld is not below the stride of %lld x %lld",
                       (long long)VALUE(output_pad_h), (long long)VALUE(output_pad_w), (long long)s->stride_h,
                       (long long)s->stride_w);
    return VTA_OK;
}

vta_status vt__describe_conv2d_transpose(vtac_op *op, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    int64_t pad = VALUE(pad);
    *s = (vt_op_shape){
        .transposed = true,
        .padded = true,
        .n = vt__ceil_div(VALUE(batch), vta_config_batch(op->config)),
        .ic = vt__ceil_div(VALUE(in_channels), vta_config_block_in(op->config)),
        .oc = vt__ceil_div(VALUE(out_channels), vta_config_block_out(op->config)),
        .h = VALUE(height),
        .w = VALUE(width),
        .kernel_h = or_else(VALUE(kernel_h), 1, VALUE(kernel)),
        .kernel_w = or_else(VALUE(kernel_w), 1, VALUE(kernel)),
        .stride_h = or_else(VALUE(stride_h), 1, VALUE(stride)),
        .stride_w = or_else(VALUE(stride_w), 1, VALUE(stride)),
        .dilation_h = 1,
        .dilation_w = 1,
        .top = or_else(VALUE(pad_top), 0, pad),
        .bottom = or_else(VALUE(pad_bottom), 0, pad),
        .left = or_else(VALUE(pad_left), 0, pad),
        .right = or_else(VALUE(pad_right), 0, pad),
    };
    s->in_total = s->ic;
    s->group_out = s->oc;
    s->out_h = (s->h - 1) * s->stride_h + s->kernel_h - s->top - s->bottom + VALUE(output_pad_h);
    s->out_w = (s->w - 1) * s->stride_w + s->kernel_w - s->left - s->right + VALUE(output_pad_w);
    op->terms = VALUE(in_channels) * vt__ceil_div(s->kernel_h, s->stride_h) * vt__ceil_div(s->kernel_w, s->stride_w);
    VT_TRY(check(op, s, diag));
    uint64_t taps = (uint64_t)(s->kernel_h * s->kernel_w) * (uint64_t)(s->h * s->w);
    if (__builtin_mul_overflow((uint64_t)(VALUE(batch) * VALUE(in_channels)), (uint64_t)VALUE(out_channels),
                               &s->macs) ||
        __builtin_mul_overflow(s->macs, taps, &s->macs))
        s->macs = UINT64_MAX;
    return VTA_OK;
}

/* ---- Kernel files ---------------------------------------------------------------------------------------------- */

/* One dimension: output `axis` at distance `pad` from the first place that a tap reaches. */
typedef struct dimension {
    const char *axis, *tap;
    long long pad, stride, taps, size, outs;
    long long each;   /* taps that reach one output, at most */
    long long before; /* zeros that the first taps read before the image */
    char place[64];   /* the input under the first tap: "(i + 1) // 2" */
    char number[112]; /* of the tap in the kernel */
    char input[320], kernel[160];
} dimension;

/* With `skip`, taps that are not there are left out. Else each output has as many micro-ops: a tap past the kernel is
 * its last, and reads the zeros in front of the image. */
static dimension dimension_of(const char *axis, const char *tap, int64_t pad, int64_t stride, int64_t taps,
                              int64_t size, int64_t outs, bool skip) {
    dimension d = {.axis = axis, .tap = tap, .pad = pad, .stride = stride, .taps = taps, .size = size, .outs = outs};
    d.each = vt__ceil_div(taps, stride);
    snprintf(d.place, sizeof d.place, "(%s + %lld) // %lld", axis, d.pad, d.stride);
    bool all = skip || taps % stride == 0;
    d.before = all ? d.each - 1 : d.each;
    snprintf(d.number, sizeof d.number, "(%s + %lld) %% %lld + %s * %lld", axis, d.pad, d.stride, tap, d.stride);
    if (taps % stride)
        snprintf(d.kernel, sizeof d.kernel, "min(%s, %lld)", d.number, d.taps - 1);
    else
        snprintf(d.kernel, sizeof d.kernel, "%s", d.number);
    if (all) {
        snprintf(d.input, sizeof d.input, "%s - %s + %lld", d.place, tap, d.before);
    } else {
        snprintf(d.input, sizeof d.input, "select(%s < %lld, %s - %s + %lld, 0)", d.number, d.taps, d.place, tap,
                 d.before);
    }
    return d;
}

/* Rows or columns of zeros that the last outputs read behind the image. */
static long long zeros_after(const dimension *d) {
    long long last = (d->outs - 1 + d->pad) / d->stride;
    return last >= d->size ? last - d->size + 1 : 0;
}

static void write_valid(const dimension *d, vt_strbuf *out) {
    if (d->taps % d->stride) vt_strbuf_addf(out, "%s < %lld && ", d->number, d->taps);
    vt_strbuf_addf(out, "%s - %s >= 0 && %s - %s < %lld", d->place, d->tap, d->place, d->tap, d->size);
}

/* Taps past the kernel, and of inputs outside of the image, are left out by name. */
static void write_condition(const dimension *y, const dimension *x, vt_strbuf *out) {
    vt_strbuf_add(out, "select(");
    write_valid(y, out);
    vt_strbuf_add(out, " &&\n        ");
    write_valid(x, out);
    vt_strbuf_add(out, ",\n        ");
}

static void write_sum(const vtac_op *op, const vt_op_blocks *b, const dimension *y, const dimension *x,
                      vt_strbuf *out) {
    const char *start = vt__epilogue_start(op, b);
    vt_strbuf_add(out, "    sum[rc, dy, dx, ri](");
    if (b->skip) write_condition(y, x, out);
    vt_strbuf_addf(out,
                   "acc_t(data_buf[bo, rc, %s, %s, bi, ri]) *\n        acc_t(weight_buf[co, rc, %s, %s, ci, "
                   "ri])%s",
                   y->input, x->input, y->kernel, x->kernel, b->skip ? ", acc_t(0))" : "");
    if (start) vt_strbuf_addf(out, ", %s[bo, co, i, j, bi, ci]", start);
    vt_strbuf_add(out, ")\n");
}

void vt__write_conv2d_transpose(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    dimension y = dimension_of("i", "dy", s->top, s->stride_h, s->kernel_h, s->h, s->out_h, b->skip);
    dimension x = dimension_of("j", "dx", s->left, s->stride_w, s->kernel_w, s->w, s->out_w, b->skip);
    char axes[160], shape[160], bias[64];
    long long n = s->n, ic = s->ic, oc = s->oc;
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", oc);
    snprintf(shape, sizeof shape, "%lld, %lld, %lld, %lld, BATCH, BLOCK_OUT", n, oc, y.outs, x.outs);
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", n, oc, y.outs,
             x.outs);
    vt_strbuf_addf(out, "kernel conv2d_transpose\n\ninput data: inp_t[%lld, %lld, %lld, %lld, BATCH, BLOCK_IN]\n", n,
                   ic, y.size, x.size);
    vt_strbuf_addf(out, "input weight: wgt_t[%lld, %lld, %lld, %lld, BLOCK_OUT, BLOCK_IN]\n", oc, ic, y.taps, x.taps);
    vt__epilogue_inputs(op, bias, shape, out);
    vt_strbuf_addf(out, "reduce rc = %lld, dy = %lld, dx = %lld, ri = BLOCK_IN\n", ic, y.each, x.each);
    vt_strbuf_addf(out, "tensor data_buf = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0])\n", y.before,
                   x.before, zeros_after(&y), zeros_after(&x));
    vt_strbuf_add(out, "tensor weight_buf like weight = weight[...]\n");
    vt__epilogue_write_start(op, b, axes, out);
    vt_strbuf_addf(out, "tensor sums[%s] =\n", axes);
    write_sum(op, b, &y, &x, out);
    vt__epilogue_write_rest(op, b, axes, "bo, co, i, j, bi, ci", "co, bi, ci", axes, out);
    const char *at = vt__write_image_tiles(s, b, out);
    vt_strbuf_addf(out,
                   "stage sums\n  scope acc\n  compute_at res, %s\n  split rc by %lld -> rc_out, rc_in\n"
                   "  reorder rc_out, bo, co, rc_in, dy, dx, i, j, bi, ci, ri\n  pragma bi conv2d_transpose_gemm\n",
                   at, (long long)b->ic);
    vt_strbuf_add(out, "stage data_buf\n  scope inp\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n"
                       "stage weight_buf\n  scope wgt\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
    vt__epilogue_stages(op, at, at, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, i, j, bi, ci", at, out);
}

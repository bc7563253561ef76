/* conv2d: from attributes to sizes, and from sizes and a schedule to a kernel file. */
#include <stdio.h>

#include "operators/pooled.h"
#include "operators/turns.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_conv2d_##name])

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

static vta_conv read_conv(const vtac_op *op) {
    int64_t pad = VALUE(pad);
    return (vta_conv){
        .batch = VALUE(batch),
        .in_channels = VALUE(in_channels),
        .out_channels = VALUE(out_channels),
        .groups = VALUE(groups),
        .height = VALUE(height),
        .width = VALUE(width),
        .kernel_h = or_else(VALUE(kernel_h), 1, VALUE(kernel)),
        .kernel_w = or_else(VALUE(kernel_w), 1, VALUE(kernel)),
        .stride_h = or_else(VALUE(stride_h), 1, VALUE(stride)),
        .stride_w = or_else(VALUE(stride_w), 1, VALUE(stride)),
        .dilation_h = or_else(VALUE(dilation_h), 1, VALUE(dilation)),
        .dilation_w = or_else(VALUE(dilation_w), 1, VALUE(dilation)),
        .pad_top = or_else(VALUE(pad_top), 0, pad),
        .pad_bottom = or_else(VALUE(pad_bottom), 0, pad),
        .pad_left = or_else(VALUE(pad_left), 0, pad),
        .pad_right = or_else(VALUE(pad_right), 0, pad),
    };
}

/* As the accelerator computes it: a fold leaves no padding, strides or taps along the axes that it takes. */
static vt_op_shape shape_of(const vta_conv *c, const vta_conv_layout *l) {
    bool rows = c->fold != VTA_FOLD_KERNEL, columns = c->fold == VTA_FOLD_NONE;
    vt_op_shape s = {
        .n = l->images,
        .ic = l->group_in,
        .oc = l->out_blocks,
        .in_total = l->in_blocks,
        .group_out = l->group_out,
        .h = l->height,
        .w = l->width,
        .out_h = l->out_height,
        .out_w = l->out_width,
        .kernel_h = l->kernel_h,
        .kernel_w = l->kernel_w,
        .stride_h = rows ? c->stride_h : 1,
        .stride_w = columns ? c->stride_w : 1,
        .dilation_h = rows ? c->dilation_h : 1,
        .dilation_w = columns ? c->dilation_w : 1,
        .top = rows ? c->pad_top : 0,
        .bottom = rows ? c->pad_bottom : 0,
        .left = columns ? c->pad_left : 0,
        .right = columns ? c->pad_right : 0,
    };
    s.padded = s.top || s.left || (s.out_h - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h >= s.h + s.top ||
               (s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w >= s.w + s.left;
    return s;
}

/* Cycles of products, of four passes over the results, or of reading the data once, whichever is more. */
static double cycles_of(const vtac_op *op, const vt_op_shape *s, uint64_t data_bytes, uint32_t bus_bits) {
    vtac_op one = {.config = op->config, .shape = *s};
    double compute = (double)vt__cost_products(&one) + 4.0 * (double)(s->n * s->oc) * (double)(s->out_h * s->out_w);
    double beats = (double)data_bytes * 8 / bus_bits;
    return compute > beats ? compute : beats;
}

/* Few channels leave most lanes of a tile empty: then parts of the kernel are put there. The host has to do that,
 * so it must be worth a tenth. */
static vta_status choose_fold(const vtac_op *op, vta_conv *c, vta_diag *diag) {
    vta_timing_profile profile;
    vta_conv_layout l = {.size = 0};
    double best = 0;
    if (VALUE(fold) >= 0 || c->groups > 1 || c->in_channels * 2 > (int64_t)vta_config_block_in(op->config)) {
        c->fold = VALUE(fold) < 0 ? VTA_FOLD_NONE : (vta_fold)VALUE(fold);
        return VTA_OK;
    }
    VT_TRY(vta_timing_profile_for(op->config, diag, &profile));
    for (int fold = VTA_FOLD_NONE; fold <= VTA_FOLD_KERNEL; fold++) {
        vta_conv tried = *c;
        tried.fold = (vta_fold)fold;
        VT_TRY(vta_conv_layout_of(op->config, &tried, diag, &l));
        vt_op_shape s = shape_of(&tried, &l);
        double cycles = cycles_of(op, &s, l.data_bytes, profile.bus_bits);
        if (fold != VTA_FOLD_NONE && cycles > 0.9 * best) continue;
        best = cycles;
        c->fold = tried.fold;
    }
    return VTA_OK;
}

/* What a load adds around the image: before it, and behind it as far as taps reach. */
static vta_status check_padding(const vt_op_shape *s, vta_diag *diag) {
    enum { MAX = 15 }; /* the fields have 4 bits in every configuration */
    int64_t below = (s->out_h - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h - s->top - s->h + 1;
    int64_t beside = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w - s->left - s->w + 1;
    int64_t high = s->top > below ? s->top : below, wide = s->left > beside ? s->left : beside;
    if (high <= MAX && wide <= MAX) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "conv2d: cannot run on the accelerator, because a load pads by %d %s at most, not by %lld; pad the "
                   "image before, or compute it on the host",
                   MAX, high > MAX ? "rows" : "columns", (long long)(high > MAX ? high : wide));
}

vta_status vt__describe_conv2d(vtac_op *op, vta_diag *diag) {
    vta_conv *c = &op->conv;
    vta_conv_layout l = {.size = 0};
    *c = read_conv(op);
    VT_TRY(vta_conv_layout_of(op->config, c, diag, &l));
    VT_TRY(choose_fold(op, c, diag));
    VT_TRY(vta_conv_layout_of(op->config, c, diag, &l));
    vt_op_shape *s = &op->shape;
    *s = shape_of(c, &l);
    op->terms = c->in_channels / c->groups * c->kernel_h * c->kernel_w;
    if (__builtin_mul_overflow((uint64_t)(c->batch * c->out_channels), (uint64_t)op->terms, &s->macs) ||
        __builtin_mul_overflow(s->macs, (uint64_t)(s->out_h * s->out_w), &s->macs))
        s->macs = UINT64_MAX;
    s->pool = VALUE(pool);
    s->pool_stride = VALUE(pool_stride);
    s->pool_pad = VALUE(pool_pad);
    if (s->pool) VT_TRY(vt__pooled_describe(op, diag));
    return check_padding(s, diag);
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

/* The block of inputs that is the group's block rc. */
static void place_block(char out[64], const vt_op_shape *s) {
    if (s->group_out >= s->oc)
        snprintf(out, 64, "rc");
    else if (s->group_out == 1)
        snprintf(out, 64, "co * %lld + rc", (long long)s->ic);
    else
        snprintf(out, 64, "co // %lld * %lld + rc", (long long)s->group_out, (long long)s->ic);
}

/* The taps that fall on padding are left out by name, so that the compiler makes no micro-ops for them. */
static void write_sum(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char from[64];
    const char *start = vt__epilogue_start(op, b);
    snprintf(from, sizeof from, ", %s[bo, co, i, j, bi, ci]", start ? start : "");
    char row[64], column[64], block[64];
    place(row, "i", b->turns && vt__turns_strided(op) ? 1 : s->stride_h, "dy", s->dilation_h);
    place(column, "j", s->stride_w, "dx", s->dilation_w);
    place_block(block, s);
    if (b->skip)
        vt_strbuf_addf(out, "select(%s >= %lld && %s < %lld && %s >= %lld && %s < %lld,\n        ", row,
                       (long long)s->top, row, (long long)(s->h + s->top), column, (long long)s->left, column,
                       (long long)(s->w + s->left));
    vt_strbuf_addf(out,
                   "acc_t(data_buf[bo, %s, %s, %s, bi, ri]) *\n        acc_t(weight_buf[%s, dy, dx, ci, ri])%s%s)\n",
                   block, row, column, b->turns ? "rc, co" : "co, rc", b->skip ? ", acc_t(0))" : "", start ? from : "");
}

/* What is on the chip: the image with its padding, or the rows that are used. */
static void write_data(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    if (s->top || s->bottom || s->left || s->right)
        vt_strbuf_addf(out, "tensor data_buf = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0])\n",
                       (long long)s->top, (long long)s->left, (long long)s->bottom, (long long)s->right);
    else if (b->turns && vt__turns_strided(op))
        vt_strbuf_addf(
            out,
            "tensor data_buf[bo: %lld, rc: %lld, i: %lld, x: %lld, bi: BATCH, ri: BLOCK_IN] =\n    data[bo, rc, "
            "i * %lld, x, bi, ri]\n",
            (long long)s->n, (long long)s->in_total, (long long)s->out_h, (long long)s->w, (long long)s->stride_h);
    else
        vt_strbuf_add(out, "tensor data_buf like data = data[...]\n");
}

/* With tiles that take turns the weights of an input channel lie together, so that they can be loaded by themselves. */
static void write_weight(const vt_op_shape *s, const vt_op_blocks *b, vt_strbuf *out) {
    if (b->turns)
        vt_strbuf_addf(out,
                       "tensor weight_buf[rc: %lld, co: %lld, dy: %lld, dx: %lld, ci: BLOCK_OUT, ri: BLOCK_IN] =\n    "
                       "weight[co, rc, dy, dx, ci, ri]\n",
                       (long long)s->ic, (long long)s->oc, (long long)s->kernel_h, (long long)s->kernel_w);
    else
        vt_strbuf_add(out, "tensor weight_buf like weight = weight[...]\n");
}

static void write_inputs(const vtac_op *op, const char *axes, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char bias[64];
    snprintf(bias, sizeof bias, "%lld, BATCH, BLOCK_OUT", (long long)s->oc);
    vt_strbuf_addf(out, "kernel conv2d\n\ninput data: inp_t[%lld, %lld, %lld, %lld, BATCH, BLOCK_IN]\n",
                   (long long)s->n, (long long)s->in_total, (long long)s->h, (long long)s->w);
    vt_strbuf_addf(out, "input weight: wgt_t[%lld, %lld, %lld, %lld, BLOCK_OUT, BLOCK_IN]\n", (long long)s->oc,
                   (long long)s->ic, (long long)s->kernel_h, (long long)s->kernel_w);
    vt__epilogue_inputs(op, bias, axes, out);
}

static void write_reduce(const vt_op_shape *s, vt_strbuf *out) {
    vt_strbuf_addf(out, "reduce rc = %lld, dy = %lld, dx = %lld, ri = BLOCK_IN\n", (long long)s->ic,
                   (long long)s->kernel_h, (long long)s->kernel_w);
}

/* ---- The schedule ---------------------------------------------------------------------------------------------- */

const char *vt__write_image_tiles(const vt_op_shape *s, const vt_op_blocks *b, vt_strbuf *out) {
    bool columns = b->x < s->out_w, rows = b->threads > 1 && b->share_rows, channels = b->threads > 1 && !rows;
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
    int64_t rows = s->pool ? s->pool_h : s->out_h, columns = s->pool ? s->pool_w : s->out_w;
    snprintf(shape, sizeof shape, "%lld, %lld, %lld, %lld, BATCH, BLOCK_OUT", (long long)s->n, (long long)s->oc,
             (long long)rows, (long long)columns);
    snprintf(axes, sizeof axes, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)s->n,
             (long long)s->oc, (long long)s->out_h, (long long)s->out_w);
    write_inputs(op, shape, out);
    write_weight(s, b, out);
    if (s->pool) {
        vt__pooled_write(op, b, out);
        return;
    }
    write_reduce(s, out);
    write_data(op, b, out);
    vt__epilogue_write_start(op, b, axes, out);
    vt_strbuf_addf(out, "tensor sums[%s] =\n    sum[rc, dy, dx, ri](", axes);
    write_sum(op, b, out);
    vt__epilogue_write_rest(op, b, axes, "bo, co, i, j, bi, ci", "co, bi, ci", axes, out);
    if (b->turns) {
        vt__turns_write(op, b, out);
        return;
    }
    const char *at = vt__write_image_tiles(s, b, out);
    vt_strbuf_addf(out, "stage sums\n  scope acc\n  compute_at res, %s\n  split rc by %lld -> rc_out, rc_in\n", at,
                   (long long)b->ic);
    vt_strbuf_add(out, b->skip ? "  reorder rc_out, bo, co, rc_in, i, dy, dx, j, bi, ci, ri\n"
                               : "  reorder rc_out, bo, i, j, rc_in, dy, dx, co, bi, ci, ri\n");
    vt_strbuf_add(out, b->skip || vt__epilogue_start(op, b) ? "  pragma bi conv2d_transpose_gemm\n"
                                                            : "  tensorize bi gemm\n");
    vt_strbuf_add(out, "stage data_buf\n  scope inp\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n"
                       "stage weight_buf\n  scope wgt\n  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
    vt__epilogue_stages(op, at, at, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, i, j, bi, ci", at, out);
}

/* Sizes of windows, and the image under them. */
#include "operators/windows.h"

#include <stdio.h>

enum {
    BATCH,
    CHANNELS,
    HEIGHT,
    WIDTH,
    KERNEL,
    KERNEL_H,
    KERNEL_W,
    STRIDE,
    STRIDE_H,
    STRIDE_W,
    PAD,
    TOP,
    BOTTOM,
    LEFT,
    RIGHT
};

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

vt_window_axis vt__window_rows(const vt_op_shape *s) {
    return (vt_window_axis){s->h, s->kernel_h, s->stride_h, s->top, s->out_h};
}

vt_window_axis vt__window_columns(const vt_op_shape *s) {
    return (vt_window_axis){s->w, s->kernel_w, s->stride_w, s->left, s->out_w};
}

int64_t vt__window_valid(const vt_window_axis *a, int64_t tap) {
    int64_t low = a->before - tap, high = low + a->size - 1; /* low <= out * stride <= high */
    int64_t first = low <= 0 ? 0 : vt__ceil_div(low, a->stride), last = high < 0 ? -1 : high / a->stride;
    if (last >= a->outs) last = a->outs - 1;
    return last >= first ? last - first + 1 : 0;
}

void vt__window_condition(const vt_window_axis *a, int64_t tap, const char *axis, char out[96]) {
    int64_t low = vt__ceil_div(a->before - tap, a->stride), end = (a->size - 1 + a->before - tap) / a->stride + 1;
    bool below = a->before > tap && low > 0, above = end < a->outs;
    out[0] = '\0';
    if (below && above)
        snprintf(out, 96, "%s >= %lld && %s < %lld", axis, (long long)low, axis, (long long)end);
    else if (below)
        snprintf(out, 96, "%s >= %lld", axis, (long long)low);
    else if (above)
        snprintf(out, 96, "%s < %lld", axis, (long long)end);
}

static vta_status check_axis(const vtac_op *op, const vt_window_axis *a, int64_t after, const char *what,
                             vta_diag *diag) {
    enum { PAD_MAX = 15 }; /* the field has 4 bits in every configuration */
    int64_t beyond = vt__window_span(a, a->outs) - a->before - a->size;
    if (a->before >= a->taps || (a->outs - 1) * a->stride - a->before >= a->size)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "%s: a window has nothing but padding in its %s: %lld before and %lld after the image are too "
                       "much for a kernel of %lld at a stride of %lld",
                       op->is->name, what, (long long)a->before, (long long)after, (long long)a->taps,
                       (long long)a->stride);
    if (a->before > PAD_MAX || beyond > PAD_MAX)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "%s: cannot run on the accelerator, because a load pads by %d %s at most, not by %lld; pad the "
                       "image before, or compute it on the host",
                       op->is->name, PAD_MAX, what, (long long)(a->before > beyond ? a->before : beyond));
    return VTA_OK;
}

vta_status vt__windows_describe(vtac_op *op, const int64_t *v, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    *s = (vt_op_shape){
        .n = vt__ceil_div(v[BATCH], vta_config_batch(op->config)),
        .h = v[HEIGHT],
        .w = v[WIDTH],
        .kernel_h = or_else(v[KERNEL_H], 1, v[KERNEL]),
        .kernel_w = or_else(v[KERNEL_W], 1, v[KERNEL]),
        .stride_h = or_else(v[STRIDE_H], 1, v[STRIDE]),
        .stride_w = or_else(v[STRIDE_W], 1, v[STRIDE]),
        .top = or_else(v[TOP], 0, v[PAD]),
        .bottom = or_else(v[BOTTOM], 0, v[PAD]),
        .left = or_else(v[LEFT], 0, v[PAD]),
        .right = or_else(v[RIGHT], 0, v[PAD]),
    };
    int64_t rows = s->h + s->top + s->bottom, columns = s->w + s->left + s->right;
    if (rows < s->kernel_h || columns < s->kernel_w)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT,
            "%s: a kernel of %lld x %lld does not fit the padded image of %lld x %lld: make the image or the "
            "padding larger, or the kernel smaller",
            op->is->name, (long long)s->kernel_h, (long long)s->kernel_w, (long long)rows, (long long)columns);
    s->out_h = (rows - s->kernel_h) / s->stride_h + 1;
    s->out_w = (columns - s->kernel_w) / s->stride_w + 1;
    vt__lanes_describe(op, v[CHANNELS], false, s);
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    VT_TRY(check_axis(op, &y, s->bottom, "rows", diag));
    VT_TRY(check_axis(op, &x, s->right, "columns", diag));
    s->padded = s->top || s->left || vt__window_span(&y, s->out_h) > s->h + s->top ||
                vt__window_span(&x, s->out_w) > s->w + s->left;
    return vt__lanes_check(op, diag);
}

static int64_t positive(int64_t x) { return x > 0 ? x : 0; }

void vt__windows_input(const vt_op_shape *s, vt_strbuf *out) {
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    const char *block = s->in_blocks > 1 ? "0, " : "";
    if (!s->padded) {
        vt_strbuf_add(out, "tensor data_buf like data = data[...]\n");
        return;
    }
    vt_strbuf_addf(out, "tensor data_buf = pad(data, [0, 0, %s%lld, %lld, 0, 0], [0, 0, %s%lld, %lld, 0, 0])\n", block,
                   (long long)s->top, (long long)s->left, block,
                   (long long)positive(vt__window_span(&y, s->out_h) - s->top - s->h),
                   (long long)positive(vt__window_span(&x, s->out_w) - s->left - s->w));
}

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

void vt__windows_add_load(const vt_op_shape *s, const vt_op_blocks *b, vt_tile_use *use) {
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    int64_t blocks = b->oc * s->in_blocks;
    int64_t rows = vt__window_span(&y, b->y) - (b->ic ? s->kernel_h - b->ic : 0), columns = vt__window_span(&x, b->x);
    use->inp = blocks * rows * columns;
    /* Of rows and columns that lie between windows none need be read. */
    int64_t high = smaller(smaller(rows, s->h), b->y * s->kernel_h),
            wide = smaller(smaller(columns, s->w), b->x * s->kernel_w);
    use->inp_loads = (double)(blocks * high * wide);
    use->inp_rows = (double)(blocks * (columns == s->w && !s->padded ? 1 : smaller(rows, s->h)));
    use->wgt = s->in_blocks * s->out_blocks;
}

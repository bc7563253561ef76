#include "operators/pooled_axes.h"

vt_window_axis vt__pool_rows(const vt_op_shape *s) {
    return (vt_window_axis){s->out_h, s->pool, s->pool_stride, s->pool_pad, s->pool_h};
}

vt_window_axis vt__pool_columns(const vt_op_shape *s) {
    return (vt_window_axis){s->out_w, s->pool, s->pool_stride, s->pool_pad, s->pool_w};
}

static bool always_inside(const vt_window_axis *a, int64_t tap) { return vt__window_valid(a, tap) == a->outs; }

int64_t vt__pool_first(const vt_window_axis *a) {
    for (int64_t t = 0; t < a->taps && t < a->stride; t++)
        if (t + a->stride >= a->taps && always_inside(a, t)) return t;
    return -1;
}

int64_t vt__pool_first_row(const vt_op_shape *s) {
    vt_window_axis a = vt__pool_rows(s);
    return vt__pool_first(&a);
}

vt_pool_span vt__pool_reach(const vt_op_shape *s, int64_t p) {
    vt_window_axis a = vt__pool_rows(s);
    vt_pool_span r = {0, -1};
    for (int64_t t = p; t < s->pool; t += s->pool_stride) {
        if (!vt__window_valid(&a, t)) continue;
        if (r.high < r.low) r.low = t / s->pool_stride;
        r.high = t / s->pool_stride;
    }
    return r;
}

int64_t vt__pool_remainder(const vt_op_shape *s, int64_t tap) {
    return (tap + s->pool * s->pool_stride - s->pool_pad) % s->pool_stride;
}

int64_t vt__pool_shift(const vt_op_shape *s, int64_t tap) {
    return (tap - s->pool_pad - vt__pool_remainder(s, tap)) / s->pool_stride;
}

vt_pool_span vt__pool_span(const vt_op_shape *s, int64_t q) {
    vt_window_axis a = vt__pool_columns(s);
    vt_pool_span r = {0, -1};
    for (int64_t t = 0; t < s->pool; t++) {
        int64_t low = vt__pool_shift(s, t), high = low + s->pool_w - 1, last = (s->out_w - 1 - q) / s->pool_stride;
        if (vt__pool_remainder(s, t) != q || !vt__window_valid(&a, t)) continue;
        if (low < 0) low = 0;
        if (high > last) high = last;
        if (r.high < r.low || low < r.low) r.low = low;
        if (high > r.high) r.high = high;
    }
    return r;
}

vt_pool_padding vt__pool_padding(const vt_op_shape *s) {
    int64_t last = (s->pool_h - 1) * s->pool_stride + s->pool - 1 - s->pool_pad; /* row of sums */
    int64_t row = last * s->stride_h + (s->kernel_h - 1) * s->dilation_h - s->top;
    int64_t column = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w - s->left;
    return (vt_pool_padding){s->top + s->pool_pad * s->stride_h, row >= s->h ? row - s->h + 1 : 0, s->left,
                             column >= s->w ? column - s->w + 1 : 0};
}

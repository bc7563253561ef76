/* Convolutions of bytes: sums in 32 bits, as ONNX defines them. */
#include <string.h>

#include "frontend/eval/priv.h"

/* Which inputs are which: x, weights, their zero points; NONE: there is no such input. */
typedef struct roles {
    uint32_t x, w, x_zero, w_zero;
} roles;

/* The windows of one image and group as a matrix; what lies outside of the image counts as the zero point. */
typedef struct image {
    vt_windows w;
    const void *x;
    vt_element element;
    int64_t start; /* of the group's first channel in x */
    int32_t zero;
} image;

static int32_t pixel(const image *v, int64_t row, int64_t column) {
    const vt_windows *w = &v->w;
    int64_t kx = row % w->kernel_w, ky = row / w->kernel_w % w->kernel_h, c = row / w->kernel_w / w->kernel_h;
    int64_t y = column / w->out_w * w->stride_h - w->top + ky * w->dilation_h;
    int64_t x = column % w->out_w * w->stride_w - w->left + kx * w->dilation_w;
    if (y < 0 || y >= w->in_h || x < 0 || x >= w->in_w) return 0;
    return vt__byte_at(v->x, v->element, v->start + (c * w->in_h + y) * w->in_w + x) - v->zero;
}

static void pack(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, int32_t *to) {
    for (int64_t i = 0; i < k; i++, to += width)
        for (int64_t j = 0; j < width; j++) to[j] = j < n ? pixel(b, k0 + i, n0 + j) : 0;
}

static int32_t parameter(const vt_eval_call *c, uint32_t input, int64_t i) {
    const void *data = vt__in(c, input);
    if (!data) return 0;
    const vt_gtype *t = vt__in_type(c, input);
    return vt__byte_at(data, t->element, vt_gtype_count(t) > 1 ? i : 0);
}

static void widen_weights(const vt_eval_call *c, const roles *r, int32_t *to) {
    const vt_gtype *t = vt__in_type(c, r->w);
    int64_t filter = vt_gtype_span(t, 1, t->rank);
    for (int64_t o = 0; o < t->dim[0]; o++) {
        int32_t zero = parameter(c, r->w_zero, o);
        for (int64_t i = 0; i < filter; i++)
            to[o * filter + i] = vt__byte_at(c->in[r->w], t->element, o * filter + i) - zero;
    }
}

static vta_status convolve(const vt_eval_call *c, const roles *r, const int32_t *weights, int32_t *out) {
    const vt_gtype *t = vt__in_type(c, r->w);
    vt_windows w = vt__windows_of(c->n, vt__in_type(c, r->x), vt__out_type(c), &t->dim[2]);
    int64_t groups = vt_gattr_int(c->n, VT_A_GROUP), own = t->dim[0] / groups, depth = vt_gtype_span(t, 1, t->rank);
    int64_t plane = w.out_h * w.out_w, images = w.images;
    w.channels /= groups;
    for (int64_t i = 0; i < images * groups; i++) {
        image v = {w, c->in[r->x], vt__in_type(c, r->x)->element, i * w.channels * w.in_h * w.in_w,
                   parameter(c, r->x_zero, 0)};
        vt_gemm_i32 p = {own,  plane, depth, weights + i % groups * own * depth, depth, pack, &v, out + i * own * plane,
                         plane};
        VT_TRY(vt__gemm_i32(&p, c->allocator, c->diag));
    }
    return VTA_OK;
}

/* `out` holds where the sums begin. */
static vta_status convolution(const vt_eval_call *c, const roles *r, int32_t *out) {
    size_t bytes = (size_t)vt_gtype_count(vt__in_type(c, r->w)) * sizeof(int32_t);
    int32_t *weights = vt_alloc_lines(c->allocator, bytes);
    if (!weights) return vt_no_memory(c->diag);
    widen_weights(c, r, weights);
    vta_status status = convolve(c, r, weights, out);
    vt_free_lines(c->allocator, weights, bytes);
    return status;
}

vta_status vt__eval_conv_integer(const vt_eval_call *c) {
    memset(c->out[0], 0, vt_gtype_bytes(vt__out_type(c)));
    return convolution(c, &(roles){0, 1, 2, 3}, c->out[0]);
}

/* ---- Quantized ---- */

static void begin_with_bias(const vt_eval_call *c, int32_t *sums) {
    const vt_gtype *y = vt__out_type(c);
    const int32_t *bias = vt__in(c, 8);
    int64_t plane = vt_gtype_span(y, 2, y->rank);
    for (int64_t i = 0; i < y->dim[0] * y->dim[1]; i++)
        for (int64_t k = 0; k < plane; k++) sums[i * plane + k] = bias ? bias[i % y->dim[1]] : 0;
}

static void requantize(const vt_eval_call *c, const int32_t *sums) {
    const vt_gtype *y = vt__out_type(c), *scales = vt__in_type(c, 4);
    int64_t plane = vt_gtype_span(y, 2, y->rank);
    int32_t zero = parameter(c, 7, 0);
    for (int64_t i = 0; i < vt_gtype_count(y); i++) {
        int64_t channel = vt_gtype_count(scales) > 1 ? i / plane % y->dim[1] : 0;
        float scale = *(const float *)c->in[1] * ((const float *)c->in[4])[channel] / *(const float *)c->in[6];
        vt__byte_set(c->out[0], y->element, i, vt__quantize((float)sums[i] * scale, 1, zero, y->element));
    }
}

vta_status vt__eval_qlinear_conv(const vt_eval_call *c) {
    size_t bytes = (size_t)vt_gtype_count(vt__out_type(c)) * sizeof(int32_t);
    int32_t *sums = vt_alloc_lines(c->allocator, bytes);
    if (!sums) return vt_no_memory(c->diag);
    begin_with_bias(c, sums);
    vta_status status = convolution(c, &(roles){0, 3, 2, 5}, sums);
    if (status == VTA_OK) requantize(c, sums);
    vt_free_lines(c->allocator, sums, bytes);
    return status;
}

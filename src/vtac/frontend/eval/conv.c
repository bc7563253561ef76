/* Float convolutions: a matrix product of the weights and the windows, or plain sums where groups are small. */
#include <math.h>
#include <string.h>

#include "frontend/eval/priv.h"

/* The windows of one image and group as a matrix: a row an element of the kernel, a column an output. */
typedef struct image {
    vt_windows w;
    const float *x;
} image;

/* One row of the matrix, of outputs n0 to n0 + n. */
static void pack_row(const image *v, int64_t row, int64_t n0, int64_t n, float *to) {
    const vt_windows *w = &v->w;
    int64_t kx = row % w->kernel_w, ky = row / w->kernel_w % w->kernel_h, c = row / w->kernel_w / w->kernel_h;
    int64_t begin, end;
    vt__inside(kx, w->stride_w, w->dilation_w, w->left, w->in_w, w->out_w, &begin, &end);
    while (n > 0) {
        int64_t y = n0 / w->out_w, x = n0 % w->out_w, count = w->out_w - x < n ? w->out_w - x : n;
        int64_t in_y = y * w->stride_h - w->top + ky * w->dilation_h;
        const float *from = v->x + (c * w->in_h + in_y) * w->in_w;
        for (int64_t i = 0, o = x, at = x * w->stride_w - w->left + kx * w->dilation_w; i < count;
             i++, o++, at += w->stride_w)
            to[i] = in_y < 0 || in_y >= w->in_h || o < begin || o >= end ? 0 : from[at];
        n0 += count, n -= count, to += count;
    }
}

static void pack(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, float *to) {
    for (int64_t i = 0; i < k; i++, to += width) {
        pack_row(b, k0 + i, n0, n, to);
        memset(to + n, 0, (size_t)(width - n) * sizeof *to);
    }
}

/* Without padding and strides the input is the matrix already. */
static void pack_plain(const void *b, int64_t k0, int64_t k, int64_t n0, int64_t n, int64_t width, float *to) {
    const image *v = b;
    int64_t plane = v->w.out_h * v->w.out_w;
    for (int64_t i = 0; i < k; i++, to += width) {
        memcpy(to, v->x + (k0 + i) * plane + n0, (size_t)n * sizeof *to);
        memset(to + n, 0, (size_t)(width - n) * sizeof *to);
    }
}

static bool is_plain(const vt_windows *w) {
    return w->kernel_h * w->kernel_w == 1 && w->stride_h * w->stride_w == 1 && !w->top && !w->left &&
           w->in_h == w->out_h && w->in_w == w->out_w;
}

/* The bias is added to the sums: in this order compiled code does it, so that both give the same bits. */
static void add_bias(float *y, const float *bias, int64_t channels, int64_t plane) {
    for (int64_t c = 0; bias && c < channels; c++)
        for (int64_t i = 0; i < plane; i++) y[c * plane + i] += bias[c];
}

/* Padding is zeros, whose products with infinities are not numbers: taps of those read it too. */
static void add_padding(const vt_windows *w, float f, int64_t ky, int64_t kx, float *y) {
    int64_t top, bottom, left, right;
    vt__inside(ky, w->stride_h, w->dilation_h, w->top, w->in_h, w->out_h, &top, &bottom);
    vt__inside(kx, w->stride_w, w->dilation_w, w->left, w->in_w, w->out_w, &left, &right);
    for (int64_t o = 0; o < w->out_h; o++)
        for (int64_t i = 0; i < w->out_w; i++)
            if (o < top || o >= bottom || i < left || i >= right) y[o * w->out_w + i] += f * 0;
}

/* y of one channel, plus what one channel of x and its weights give. */
static void add_channel(const vt_windows *w, const float *x, const float *k, float *y) {
    for (int64_t ky = 0; ky < w->kernel_h; ky++) {
        int64_t top, bottom, left, right;
        vt__inside(ky, w->stride_h, w->dilation_h, w->top, w->in_h, w->out_h, &top, &bottom);
        for (int64_t kx = 0; kx < w->kernel_w; kx++) {
            float f = k[ky * w->kernel_w + kx];
            if (!isfinite(f)) add_padding(w, f, ky, kx, y);
            vt__inside(kx, w->stride_w, w->dilation_w, w->left, w->in_w, w->out_w, &left, &right);
            for (int64_t o = top; o < bottom; o++) {
                const float *from =
                    x + (o * w->stride_h - w->top + ky * w->dilation_h) * w->in_w - w->left + kx * w->dilation_w;
                for (int64_t i = left; i < right; i++) y[o * w->out_w + i] += f * from[i * w->stride_w];
            }
        }
    }
}

typedef struct group {
    vt_windows w; /* channels: of this group */
    int64_t out_channels;
    const float *x, *k;
    float *y;
} group;

static void plain_sums(const group *g) {
    int64_t taps = g->w.kernel_h * g->w.kernel_w, plane = g->w.in_h * g->w.in_w, out = g->w.out_h * g->w.out_w;
    for (int64_t o = 0; o < g->out_channels; o++)
        for (int64_t c = 0; c < g->w.channels; c++)
            add_channel(&g->w, g->x + c * plane, g->k + (o * g->w.channels + c) * taps, g->y + o * out);
}

static vta_status product(const group *g, const vt_eval_call *c) {
    int64_t depth = g->w.channels * g->w.kernel_h * g->w.kernel_w, plane = g->w.out_h * g->w.out_w;
    image v = {g->w, g->x};
    vt_gemm_f32 p = {g->out_channels, plane, depth, g->k, depth, is_plain(&g->w) ? pack_plain : pack, &v, g->y, plane};
    return vt__gemm_f32(&p, c->allocator, c->diag);
}

vta_status vt__eval_conv(const vt_eval_call *c) {
    const vt_gtype *weights = vt__in_type(c, 1);
    vt_windows w = vt__windows_of(c->n, vt__in_type(c, 0), vt__out_type(c), &weights->dim[2]);
    int64_t groups = vt_gattr_int(c->n, VT_A_GROUP), channels = weights->dim[0];
    int64_t in_plane = w.in_h * w.in_w, out_plane = w.out_h * w.out_w,
            filter = vt_gtype_span(weights, 1, weights->rank);
    w.channels /= groups;
    for (int64_t image_ = 0; image_ < w.images; image_++) {
        float *y = (float *)c->out[0] + image_ * channels * out_plane;
        memset(y, 0, (size_t)(channels * out_plane) * sizeof *y);
        for (int64_t i = 0; i < groups; i++) {
            int64_t own = channels / groups;
            group g = {w, own, (const float *)c->in[0] + (image_ * groups + i) * w.channels * in_plane,
                       (const float *)c->in[1] + i * own * filter, y + i * own * out_plane};
            if (own < 4)
                plain_sums(&g);
            else
                VT_TRY(product(&g, c));
        }
        add_bias(y, vt__in(c, 2), channels, out_plane);
    }
    return VTA_OK;
}

/* Every input adds its weights to the outputs that it reaches: add_channel with the parts of input and output
 * exchanged. */
static void spread_channel(const vt_windows *w, const float *x, const float *k, float *y) {
    for (int64_t ky = 0; ky < w->kernel_h; ky++) {
        int64_t top, bottom, left, right;
        vt__inside(ky, w->stride_h, w->dilation_h, w->top, w->out_h, w->in_h, &top, &bottom);
        for (int64_t kx = 0; kx < w->kernel_w; kx++) {
            float f = k[ky * w->kernel_w + kx];
            vt__inside(kx, w->stride_w, w->dilation_w, w->left, w->out_w, w->in_w, &left, &right);
            for (int64_t i = top; i < bottom; i++) {
                float *to =
                    y + (i * w->stride_h - w->top + ky * w->dilation_h) * w->out_w - w->left + kx * w->dilation_w;
                for (int64_t o = left; o < right; o++) to[o * w->stride_w] += f * x[i * w->in_w + o];
            }
        }
    }
}

vta_status vt__eval_conv_transpose(const vt_eval_call *c) {
    const vt_gtype *weights = vt__in_type(c, 1);
    vt_windows w = vt__windows_of(c->n, vt__in_type(c, 0), vt__out_type(c), &weights->dim[2]);
    int64_t groups = vt_gattr_int(c->n, VT_A_GROUP), own_in = w.channels / groups, own_out = weights->dim[1];
    int64_t in_plane = w.in_h * w.in_w, out_plane = w.out_h * w.out_w, taps = w.kernel_h * w.kernel_w;
    for (int64_t image_ = 0; image_ < w.images; image_++) {
        float *y = (float *)c->out[0] + image_ * groups * own_out * out_plane;
        memset(y, 0, (size_t)(groups * own_out * out_plane) * sizeof *y);
        for (int64_t i = 0; i < w.channels; i++)
            for (int64_t o = 0; o < own_out; o++)
                spread_channel(&w, (const float *)c->in[0] + (image_ * w.channels + i) * in_plane,
                               (const float *)c->in[1] + (i * own_out + o) * taps,
                               y + (i / own_in * own_out + o) * out_plane);
        add_bias(y, vt__in(c, 2), groups * own_out, out_plane);
    }
    return VTA_OK;
}

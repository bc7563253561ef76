/* Convolutions and matrix products of integers. */
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/quant/eval_priv.h"

typedef struct image {
    int64_t n, c, h, w;
} image;

static image image_of(const vt_gtype *t) {
    int64_t d[4];
    vt_qtensor_image(t, d);
    return (image){d[0], d[1], d[2], d[3]};
}

/* Outputs from *first to before *end read column out * stride + shift, which is within 0 .. size. */
static void reach(int64_t outs, int64_t stride, int64_t shift, int64_t size, int64_t *first, int64_t *end) {
    *first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *end = size - shift <= 0 ? 0 : (size - shift + stride - 1) / stride;
    if (*end > outs) *end = outs;
}

/* acc[x] += weight * row[x * stride + shift] */
static void add_row(int32_t *acc, const vt_qtensor *t, const void *data, int64_t row, int64_t first, int64_t end,
                    int64_t stride, int64_t shift, int32_t weight) {
    if (t->type.element == VT_ELEMENT_I8) {
        const int8_t *x = (const int8_t *)data + row + shift;
        for (int64_t i = first; i < end; i++) acc[i] += weight * x[i * stride];
    } else {
        for (int64_t i = first; i < end; i++) acc[i] += weight * ((const int16_t *)data)[row + shift + i * stride];
    }
}

/* All taps of one input channel over one channel of outputs. */
static void add_channel(const vt__qcall *c, image in, image out, int64_t n, int64_t ic, const int8_t *taps,
                        int32_t *acc) {
    const vt_qwindow *w = &c->layer->window;
    for (int64_t ky = 0; ky < w->kernel[0]; ky++)
        for (int64_t kx = 0; kx < w->kernel[1]; kx++) {
            int64_t first, end, shift = kx * w->dilations[1] - w->pads[1];
            int32_t weight = taps[ky * w->kernel[1] + kx];
            reach(out.w, w->strides[1], shift, in.w, &first, &end);
            for (int64_t y = 0; weight && y < out.h; y++) {
                int64_t row = y * w->strides[0] + ky * w->dilations[0] - w->pads[0];
                if (row < 0 || row >= in.h) continue;
                add_row(acc + y * out.w, c->layer->inputs[0], c->in, ((n * in.c + ic) * in.h + row) * in.w, first, end,
                        w->strides[1], shift, weight);
            }
        }
}

vta_status vt__run_conv(const vt__qcall *c, vta_diag *diag) {
    const vt_qlayer *l = c->layer;
    image in = image_of(&l->inputs[0]->type), out = image_of(&l->output->type);
    int64_t group_in = in.c / l->group, group_out = out.c / l->group, taps = l->window.kernel[0] * l->window.kernel[1];
    size_t bytes = (size_t)(out.h * out.w) * sizeof(int32_t);
    int32_t *acc = vt_alloc(c->allocator, bytes);
    if (!acc) return vt_no_memory(diag);
    for (int64_t n = 0; n < out.n; n++)
        for (int64_t o = 0; o < out.c; o++) {
            memset(acc, 0, bytes);
            for (int64_t i = 0; i < group_in; i++)
                add_channel(c, in, out, n, o / group_out * group_in + i, &l->weight[(o * group_in + i) * taps], acc);
            vt__finish(c, acc, out.h * out.w, o, (n * out.c + o) * out.h * out.w);
        }
    vt_free(c->allocator, acc, bytes);
    return VTA_OK;
}

/* What one input channel adds to one channel of outputs. */
static void spread_channel(const vt__qcall *c, image in, image out, int64_t n, int64_t ic, const int8_t *taps,
                           int32_t *acc) {
    const vt_qwindow *w = &c->layer->window;
    for (int64_t y = 0; y < in.h; y++)
        for (int64_t x = 0; x < in.w; x++) {
            int32_t value = vt_qtensor_at(c->layer->inputs[0], c->in, ((n * in.c + ic) * in.h + y) * in.w + x);
            for (int64_t ky = 0; ky < w->kernel[0]; ky++)
                for (int64_t kx = 0; kx < w->kernel[1]; kx++) {
                    int64_t i = y * w->strides[0] + ky - w->pads[0], j = x * w->strides[1] + kx - w->pads[1];
                    if (i >= 0 && i < out.h && j >= 0 && j < out.w)
                        acc[i * out.w + j] += value * taps[ky * w->kernel[1] + kx];
                }
        }
}

vta_status vt__run_conv_transpose(const vt__qcall *c, vta_diag *diag) {
    const vt_qlayer *l = c->layer;
    image in = image_of(&l->inputs[0]->type), out = image_of(&l->output->type);
    int64_t taps = l->window.kernel[0] * l->window.kernel[1];
    size_t bytes = (size_t)(out.h * out.w) * sizeof(int32_t);
    int32_t *acc = vt_alloc(c->allocator, bytes);
    if (!acc) return vt_no_memory(diag);
    for (int64_t n = 0; n < out.n; n++)
        for (int64_t o = 0; o < out.c; o++) {
            memset(acc, 0, bytes);
            for (int64_t i = 0; i < in.c; i++) spread_channel(c, in, out, n, i, &l->weight[(o * in.c + i) * taps], acc);
            vt__finish(c, acc, out.h * out.w, o, (n * out.c + o) * out.h * out.w);
        }
    vt_free(c->allocator, acc, bytes);
    return VTA_OK;
}

void vt__run_dense(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    int64_t rows = l->output->type.dim[0], outs = l->output->type.dim[1], ins = l->inputs[0]->type.dim[1];
    for (int64_t n = 0; n < rows; n++)
        for (int64_t o = 0; o < outs; o++) {
            int32_t acc = 0;
            for (int64_t i = 0; i < ins; i++)
                acc += l->weight[o * ins + i] * vt_qtensor_at(l->inputs[0], c->in, n * ins + i);
            vt__finish(c, &acc, 1, o, n * outs + o);
        }
}

/* One row of a result at a time. */
vta_status vt__run_matmul(const vt__qcall *c, vta_diag *diag) {
    const vt_qtensor *x = c->layer->inputs[0], *w = c->layer->inputs[1];
    const int8_t *a = c->in, *b = c->values[w->index].data;
    int64_t rows = x->matrices.rows, ins = x->matrices.columns, outs = w->matrices.rows;
    size_t bytes = (size_t)outs * sizeof(int32_t);
    int32_t *acc = vt_alloc(c->allocator, bytes);
    if (!acc) return vt_no_memory(diag);
    for (int64_t r = 0; r < x->matrices.count * rows; r++) {
        for (int64_t o = 0; o < outs; o++) {
            acc[o] = 0;
            for (int64_t i = 0; i < ins; i++) acc[o] += a[r * ins + i] * b[(r / rows * outs + o) * ins + i];
        }
        if (c->layer->shares) vt__divide_by_shares(&a[r * ins], ins, acc, outs);
        vt__finish(c, acc, outs, 0, r * outs);
    }
    vt_free(c->allocator, acc, bytes);
    return VTA_OK;
}

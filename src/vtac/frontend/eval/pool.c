/* Pools. */
#include "frontend/eval/priv.h"

/* The window of an output, as far as it lies inside of the input: rows y0 + i * dilation. */
typedef struct inside {
    int64_t y, x, rows, columns;
} inside;

static void axis_of(int64_t at, int64_t stride, int64_t dilation, int64_t before, int64_t kernel, int64_t in,
                    int64_t *first, int64_t *count) {
    int64_t begin = at * stride - before, skipped = begin < 0 ? (-begin + dilation - 1) / dilation : 0;
    int64_t end = begin + (kernel - 1) * dilation;
    *first = begin + skipped * dilation;
    if (end >= in) end = in - 1;
    *count = end < *first ? 0 : (end - *first) / dilation + 1;
}

static inside inside_of(const vt_windows *w, int64_t y, int64_t x) {
    inside v;
    axis_of(y, w->stride_h, w->dilation_h, w->top, w->kernel_h, w->in_h, &v.y, &v.rows);
    axis_of(x, w->stride_w, w->dilation_w, w->left, w->kernel_w, w->in_w, &v.x, &v.columns);
    return v;
}

/* A window may lie in the padding alone (dilation): then the least of the type is the result. */
#define MAX_POOL(name, ctype)                                                                                          \
    static void max_##name(const vt_windows *w, const ctype *x, ctype least, ctype *y) {                               \
        for (int64_t i = 0; i < w->out_h * w->out_w; i++) {                                                            \
            inside v = inside_of(w, i / w->out_w, i % w->out_w);                                                       \
            ctype most = least;                                                                                        \
            for (int64_t ky = 0; ky < v.rows; ky++)                                                                    \
                for (int64_t kx = 0; kx < v.columns; kx++) {                                                           \
                    ctype e = x[(v.y + ky * w->dilation_h) * w->in_w + v.x + kx * w->dilation_w];                      \
                    if (e > most) most = e;                                                                            \
                }                                                                                                      \
            y[i] = most;                                                                                               \
        }                                                                                                              \
    }
#define VT_ELEMENT(name, text, ctype) MAX_POOL(name, ctype)
#include "frontend/graph/elements.def"
#undef VT_ELEMENT

static vt_windows windows_of(const vt_eval_call *c) {
    return vt__windows_of(c->n, vt__in_type(c, 0), vt__out_type(c), vt_gattr_ints(c->n, VT_A_KERNEL));
}

vta_status vt__eval_max_pool(const vt_eval_call *c) {
    vt_windows w = windows_of(c);
    vt_element e = vt__in_type(c, 0)->element;
    for (int64_t i = 0; i < w.images * w.channels; i++) {
        int64_t in = i * w.in_h * w.in_w, out = i * w.out_h * w.out_w;
        switch (e) {
#define VT_ELEMENT(name, text, ctype)                                                                                  \
    case VT_ELEMENT_##name:                                                                                            \
        max_##name(&w, (const ctype *)c->in[0] + in, (ctype)vt_element_least(e), (ctype *)c->out[0] + out);            \
        break;
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
        case VT_ELEMENT_COUNT: break;
        }
    }
    return VTA_OK;
}

static float mean_of(const vt_windows *w, const float *x, const inside *v, int64_t count) {
    double sum = 0;
    for (int64_t ky = 0; ky < v->rows; ky++)
        for (int64_t kx = 0; kx < v->columns; kx++)
            sum += (double)x[(v->y + ky * w->dilation_h) * w->in_w + v->x + kx * w->dilation_w];
    return count ? (float)(sum / (double)count) : 0;
}

vta_status vt__eval_average_pool(const vt_eval_call *c) {
    vt_windows w = windows_of(c);
    bool all = vt_gattr_int(c->n, VT_A_COUNT_PADS) != 0;
    for (int64_t i = 0; i < w.images * w.channels; i++) {
        const float *x = (const float *)c->in[0] + i * w.in_h * w.in_w;
        float *y = (float *)c->out[0] + i * w.out_h * w.out_w;
        for (int64_t o = 0; o < w.out_h * w.out_w; o++) {
            inside v = inside_of(&w, o / w.out_w, o % w.out_w);
            y[o] = mean_of(&w, x, &v, all ? w.kernel_h * w.kernel_w : v.rows * v.columns);
        }
    }
    return VTA_OK;
}

/* Operators as plain loops. */
#include "operators/definition.h"
#include "operators/norm.h"

#include <string.h>

#define V(kind, name) (d->op->values[VT_ATTRIBUTE_##kind##_##name])
#define IS(name) (d->op->is->write == vt__write_##name)

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

/* ---- Sums of products -------------------------------------------------------------------------------------------- */

/* Of a convolution, a transposed one, or a matrix product, which is one of a kernel of 1 x 1. */
typedef struct products {
    int64_t kh, kw, sh, sw, dh, dw, top, left, groups;
    bool transposed;
} products;

static products products_of(const vt_definition *d) {
    products p = {1, 1, 1, 1, 1, 1, 0, 0, 1, false};
    if (IS(conv2d)) {
        p = (products){or_else(V(conv2d, kernel_h), 1, V(conv2d, kernel)),
                       or_else(V(conv2d, kernel_w), 1, V(conv2d, kernel)),
                       or_else(V(conv2d, stride_h), 1, V(conv2d, stride)),
                       or_else(V(conv2d, stride_w), 1, V(conv2d, stride)),
                       or_else(V(conv2d, dilation_h), 1, V(conv2d, dilation)),
                       or_else(V(conv2d, dilation_w), 1, V(conv2d, dilation)),
                       or_else(V(conv2d, pad_top), 0, V(conv2d, pad)),
                       or_else(V(conv2d, pad_left), 0, V(conv2d, pad)),
                       V(conv2d, groups),
                       false};
    } else if (IS(conv2d_transpose)) {
        p.kh = or_else(V(conv2d_transpose, kernel_h), 1, V(conv2d_transpose, kernel));
        p.kw = or_else(V(conv2d_transpose, kernel_w), 1, V(conv2d_transpose, kernel));
        p.sh = or_else(V(conv2d_transpose, stride_h), 1, V(conv2d_transpose, stride));
        p.sw = or_else(V(conv2d_transpose, stride_w), 1, V(conv2d_transpose, stride));
        p.top = or_else(V(conv2d_transpose, pad_top), 0, V(conv2d_transpose, pad));
        p.left = or_else(V(conv2d_transpose, pad_left), 0, V(conv2d_transpose, pad));
        p.transposed = true;
    }
    return p;
}

/* The element of the image that a tap of an output reads, along one direction; -1: none. */
static int64_t element_of(int64_t out, int64_t tap, int64_t stride, int64_t dilation, int64_t before, int64_t size,
                          bool transposed) {
    int64_t at = transposed ? out + before - tap : out * stride + tap * dilation - before;
    if (transposed && (at < 0 || at % stride)) return -1;
    if (transposed) at /= stride;
    return at >= 0 && at < size ? at : -1;
}

/* Where one is, and the rows of channels that are multiplied there. */
typedef struct summing {
    const vt_definition *d;
    const vt_algebra *a;
    products p;
    const vt_plain *data, *weight;
    int64_t *from_data, *from_weight;
} summing;

static vt_word sum_at(const summing *s, int64_t m, int64_t n, int64_t y, int64_t x, int64_t o) {
    const products *p = &s->p;
    int64_t group = o / (s->weight->n / p->groups), channels = s->weight->c;
    size_t rows = 0;
    for (int64_t dy = 0; dy < p->kh; dy++)
        for (int64_t dx = 0; dx < p->kw; dx++) {
            int64_t row = element_of(y, dy, p->sh, p->dh, p->top, s->data->h, p->transposed);
            int64_t column = element_of(x, dx, p->sw, p->dw, p->left, s->data->w, p->transposed);
            if (row < 0 || column < 0) continue;
            s->from_data[rows] = (int64_t)vt__plain_at(s->data, m, n, row, column, group * channels);
            s->from_weight[rows++] = (int64_t)vt__plain_at(s->weight, m, o, dy, dx, 0);
        }
    return s->a->products(s->a->ctx, rows, s->from_data, s->from_weight, s->data->values, s->weight->values, channels);
}

/* The largest of the sums under a window. */
static vt_word largest_sum(const summing *s, const vt_plain *sums, int64_t n, int64_t y, int64_t x, int64_t o) {
    const vt_definition *d = s->d;
    int64_t size = V(conv2d, pool), stride = V(conv2d, pool_stride), pad = V(conv2d, pool_pad);
    vt_word largest = 0;
    bool any = false;
    for (int64_t dy = 0; dy < size; dy++)
        for (int64_t dx = 0; dx < size; dx++) {
            int64_t row = y * stride + dy - pad, column = x * stride + dx - pad;
            if (row < 0 || row >= sums->h || column < 0 || column >= sums->w) continue;
            vt_word sum = sums->values[vt__plain_at(sums, 0, n, row, column, o)];
            largest = any ? s->a->apply(s->a->ctx, VTA_FIELD_MAX, largest, sum) : sum;
            any = true;
        }
    return largest;
}

static void fill_sums(const summing *s, vt_plain *to) {
    size_t at = 0;
    for (int64_t m = 0; m < to->m; m++)
        for (int64_t n = 0; n < to->n; n++)
            for (int64_t y = 0; y < to->h; y++)
                for (int64_t x = 0; x < to->w; x++)
                    for (int64_t o = 0; o < to->c; o++) to->values[at++] = sum_at(s, m, n, y, x, o);
}

static vta_status pool_sums(const summing *s, vt_plain *res, vta_diag *diag) {
    vt_plain sums = *res;
    sums.h = s->d->sum_h;
    sums.w = s->d->sum_w;
    size_t bytes, at = 0;
    if (!vt_mul_size((size_t)(sums.n * sums.h * sums.w * sums.c), sizeof *sums.values, &bytes))
        return vt_no_memory(diag);
    sums.values = vt_alloc(s->d->allocator, bytes);
    if (!sums.values) return vt_no_memory(diag);
    fill_sums(s, &sums);
    for (int64_t n = 0; n < res->n; n++)
        for (int64_t y = 0; y < res->h; y++)
            for (int64_t x = 0; x < res->w; x++)
                for (int64_t o = 0; o < res->c; o++) res->values[at++] = largest_sum(s, &sums, n, y, x, o);
    vt_free(s->d->allocator, sums.values, bytes);
    return VTA_OK;
}

/* batch_matmul with shares: each row of sums is divided by the sum of its data. */
static vta_status divide_rows(const summing *s, vt_plain *res, vta_diag *diag) {
    const vt_plain *data = s->data;
    size_t columns = (size_t)data->c;
    vt_word *ones = vt_alloc_array(s->d->allocator, columns, sizeof *ones);
    if (!ones) return vt_no_memory(diag);
    for (size_t i = 0; i < columns; i++) ones[i] = s->a->number(s->a->ctx, 1);
    for (int64_t row = 0; row < res->m * res->n; row++) {
        int64_t from = row * data->c, zero = 0;
        vt_word total = s->a->products(s->a->ctx, 1, &from, &zero, data->values, ones, data->c);
        vt__definition_divide(s->a, total, &res->values[row * res->c], res->c);
    }
    vt_free(s->d->allocator, ones, columns * sizeof *ones);
    return VTA_OK;
}

static vta_status sum_products(const vt_definition *d, const vt_algebra *a, vt_plain *res, vta_diag *diag) {
    summing s = {
        d,    a,   products_of(d), vt__definition_arg(d, VT_ROLE_INPUT, 0), vt__definition_arg(d, VT_ROLE_WEIGHT, 0),
        NULL, NULL};
    size_t bytes = 2 * (size_t)(s.p.kh * s.p.kw) * sizeof *s.from_data;
    s.from_data = vt_alloc(d->allocator, bytes);
    if (!s.from_data) return vt_no_memory(diag);
    s.from_weight = s.from_data + s.p.kh * s.p.kw;
    vta_status status = VTA_OK;
    if (IS(conv2d) && V(conv2d, pool))
        status = pool_sums(&s, res, diag);
    else
        fill_sums(&s, res);
    if (status == VTA_OK && IS(batch_matmul) && V(batch_matmul, shares)) status = divide_rows(&s, res, diag);
    vt_free(d->allocator, s.from_data, bytes);
    return status;
}

/* ---- Windows ------------------------------------------------------------------------------------------------------
 */

typedef struct window {
    int64_t kh, kw, sh, sw, top, left;
    bool maximum, all_count; /* all_count: padding counts as zeros */
    bool undivided;
} window;

static window window_of(const vt_definition *d) {
    const vt_plain *image = vt__definition_arg(d, VT_ROLE_INPUT, 0);
    if (IS(global_avg_pool2d)) return (window){image->h, image->w, 1, 1, 0, 0, false, false, false};
#define WINDOW(op)                                                                                                     \
    {or_else(V(op, kernel_h), 1, V(op, kernel)),                                                                       \
     or_else(V(op, kernel_w), 1, V(op, kernel)),                                                                       \
     or_else(V(op, stride_h), 1, V(op, stride)),                                                                       \
     or_else(V(op, stride_w), 1, V(op, stride)),                                                                       \
     or_else(V(op, pad_top), 0, V(op, pad)),                                                                           \
     or_else(V(op, pad_left), 0, V(op, pad)),                                                                          \
     false,                                                                                                            \
     false,                                                                                                            \
     false}
    window maximum = WINDOW(max_pool2d), average = WINDOW(avg_pool2d), sum = WINDOW(sum_pool2d);
    maximum.maximum = true;
    sum.undivided = true;
    average.all_count = V(avg_pool2d, count_include_pad) != 0;
    if (IS(sum_pool2d)) return sum;
    return IS(max_pool2d) ? maximum : average;
}

/* The elements under a window, as places in the image; `taps` has room for all of them. */
static size_t look(const window *w, const vt_plain *image, int64_t n, int64_t y, int64_t x, int64_t c, int64_t *taps) {
    size_t count = 0;
    for (int64_t dy = 0; dy < w->kh; dy++)
        for (int64_t dx = 0; dx < w->kw; dx++) {
            int64_t row = y * w->sh + dy - w->top, column = x * w->sw + dx - w->left;
            if (row < 0 || row >= image->h || column < 0 || column >= image->w) continue;
            taps[count++] = (int64_t)vt__plain_at(image, 0, n, row, column, c);
        }
    return count;
}

/* Where windows are looked at: the image, and lists of places in it and of the factor 1. */
typedef struct pooling {
    window w;
    const vt_algebra *a;
    const vt_plain *image;
    int64_t *taps, *zeros;
} pooling;

static vt_word pooled_at(const pooling *p, int64_t n, int64_t y, int64_t x, int64_t c) {
    const vt_algebra *a = p->a;
    size_t count = look(&p->w, p->image, n, y, x, c, p->taps);
    vt_word times = a->number(a->ctx, p->w.undivided ? 1 : a->times(a->ctx)), largest = p->image->values[p->taps[0]];
    for (size_t i = 1; i < count && p->w.maximum; i++)
        largest = a->apply(a->ctx, VTA_FIELD_MAX, largest, p->image->values[p->taps[i]]);
    if (p->w.maximum) return largest;
    vt_word sum = a->products(a->ctx, count, p->taps, p->zeros, p->image->values, &times, 1);
    if (p->w.undivided) return sum;
    return a->average(a->ctx, sum, p->w.all_count ? p->w.kh * p->w.kw : (int64_t)count);
}

static vta_status pool(const vt_definition *d, const vt_algebra *a, vt_plain *res, vta_diag *diag) {
    pooling p = {window_of(d), a, vt__definition_arg(d, VT_ROLE_INPUT, 0), NULL, NULL};
    size_t taps = (size_t)(p.w.kh * p.w.kw), at = 0;
    p.taps = vt_alloc_array(d->allocator, 2 * taps, sizeof *p.taps);
    if (!p.taps) return vt_no_memory(diag);
    p.zeros = memset(p.taps + taps, 0, taps * sizeof *p.zeros);
    for (int64_t n = 0; n < res->n; n++)
        for (int64_t y = 0; y < res->h; y++)
            for (int64_t x = 0; x < res->w; x++)
                for (int64_t c = 0; c < res->c; c++) res->values[at++] = pooled_at(&p, n, y, x, c);
    vt_free(d->allocator, p.taps, 2 * taps * sizeof *p.taps);
    return VTA_OK;
}

/* ---- Elements ------------------------------------------------------------------------------------------------------
 */

/* Channels of an image are one behind the other in its elements. */
static size_t of_channel(const vt_plain *image, const vt_plain *numbers, size_t at) {
    size_t c = (size_t)image->c, plane = (size_t)(image->h * image->w) * c;
    return at / plane * (size_t)numbers->c + at % c;
}

static vt_word joined(const vt_definition *d, const vt_algebra *a, size_t at) {
    const vt_plain *first = vt__definition_arg(d, VT_ROLE_INPUT, 0);
    vt_word x = first->values[at], low;
    const vt_plain *second = vt__definition_arg(d, VT_ROLE_INPUT, 1);
    if (IS(multiply) && V(multiply, of_channels))
        return a->apply(a->ctx, VTA_FIELD_MUL, x, second->values[of_channel(first, second, at)]);
    if (IS(add)) return a->apply(a->ctx, VTA_FIELD_ADD, x, second->values[at]);
    if (IS(multiply)) return a->apply(a->ctx, VTA_FIELD_MUL, x, second->values[at]);
    if (IS(max)) return a->apply(a->ctx, VTA_FIELD_MAX, x, second->values[at]);
    if (IS(min)) return a->apply(a->ctx, VTA_FIELD_MIN, x, second->values[at]);
    if (IS(relu)) return a->apply(a->ctx, VTA_FIELD_MAX, x, a->number(a->ctx, 0));
    if (IS(shift)) return a->apply(a->ctx, VTA_FIELD_SHR, x, a->number(a->ctx, V(shift, by)));
    if (IS(clip)) {
        low = a->apply(a->ctx, VTA_FIELD_MAX, x, a->number(a->ctx, V(clip, low)));
        return a->apply(a->ctx, VTA_FIELD_MIN, low, a->number(a->ctx, V(clip, high)));
    }
    if (IS(leaky_relu)) { /* a negative x is not above its shift, another not below */
        low = a->apply(a->ctx, VTA_FIELD_SHR, x, a->number(a->ctx, V(leaky_relu, by)));
        return a->apply(a->ctx, VTA_FIELD_MAX, x, low);
    }
    return x; /* identity; the bias of bias_add is a step */
}

static vt_word from_channels(const vt_definition *d, int64_t n, int64_t y, int64_t x, int64_t c) {
    uint32_t i = 0;
    while (c >= vt__definition_arg(d, VT_ROLE_INPUT, i)->c) c -= vt__definition_arg(d, VT_ROLE_INPUT, i++)->c;
    const vt_plain *from = vt__definition_arg(d, VT_ROLE_INPUT, i);
    return from->values[vt__plain_at(from, 0, n, y, x, c)];
}

static vt_word repeated(const vt_definition *d, int64_t n, int64_t y, int64_t x, int64_t c) {
    const vt_plain *from = vt__definition_arg(d, VT_ROLE_INPUT, 0);
    int64_t rows = or_else(V(upsample2d, scale_h), 1, V(upsample2d, scale));
    int64_t columns = or_else(V(upsample2d, scale_w), 1, V(upsample2d, scale));
    return from->values[vt__plain_at(from, 0, n, y / rows, x / columns, c)];
}

static void fill_elements(const vt_definition *d, const vt_algebra *a, vt_plain *res) {
    size_t at = 0;
    for (int64_t n = 0; n < res->n; n++)
        for (int64_t y = 0; y < res->h; y++)
            for (int64_t x = 0; x < res->w; x++)
                for (int64_t c = 0; c < res->c; c++, at++)
                    res->values[at] = IS(concat)       ? from_channels(d, n, y, x, c)
                                      : IS(upsample2d) ? repeated(d, n, y, x, c)
                                                       : joined(d, a, at);
}

vta_status vt__definition_evaluate(const vt_definition *d, const vt_algebra *a, vta_diag *diag) {
    vt_plain res = d->of[d->n - 1];
    if (vt__definition_arg(d, VT_ROLE_WEIGHT, 0))
        VT_TRY(sum_products(d, a, &res, diag));
    else if (vt__is_norm(d->op))
        VT_TRY(vt__definition_norm(d, a, &res, diag));
    else if (IS(max_pool2d) || IS(avg_pool2d) || IS(sum_pool2d) || IS(global_avg_pool2d))
        VT_TRY(pool(d, a, &res, diag));
    else
        fill_elements(d, a, &res);
    for (size_t at = 0; at < res.count; at++)
        res.values[at] = a->result(a->ctx, vt__definition_steps(d, a, res.values[at], at));
    return VTA_OK;
}

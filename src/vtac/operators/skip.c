/* May the micro-ops whose tap falls on padding be left out? Not where those that are left would write an accumulator
 * within three micro-ops of each other, nor where a tile has none at all: there the products with zeros stay. */
#include "operators/ops.h"

typedef struct list {
    const vt_op_shape *s;
    int64_t last[2], first[2], n; /* accumulators written last, and first, in one tile */
    bool hazard;
} list;

static void write(list *l, int64_t acc) {
    l->hazard |= (l->n > 0 && l->last[0] == acc) || (l->n > 1 && l->last[1] == acc);
    if (l->n < 2) l->first[l->n] = acc;
    l->last[1] = l->last[0];
    l->last[0] = acc;
    l->n++;
}

/* One tap along a row of outputs from `begin` on: those of its columns that read the image. */
static void write_row(list *l, int64_t acc, int64_t begin, int64_t columns, int64_t dx) {
    const vt_op_shape *s = l->s;
    int64_t low = s->left - dx * s->dilation_w, high = low + s->w - 1;
    int64_t from = low <= 0 ? 0 : vt__ceil_div(low, s->stride_w), to = high < 0 ? -1 : high / s->stride_w;
    from = from > begin ? from - begin : 0;
    to = to - begin < columns ? to - begin : columns - 1;
    for (int64_t j = from; j <= to; j++) {
        if (j == from + 2 && to - j > 2) { /* no two of a row are the same */
            l->n += to - 1 - j;
            j = to - 1;
        }
        write(l, acc + j);
    }
}

static bool reads_row(const vt_op_shape *s, int64_t i, int64_t dy) {
    int64_t row = i * s->stride_h + dy * s->dilation_h - s->top;
    return row >= 0 && row < s->h;
}

/* The next step of the hardware's loops begins anew. */
static bool is_safe(list *l) {
    if (l->n < 4) return false;
    int64_t first[2] = {l->first[0], l->first[1]};
    write(l, first[0]);
    write(l, first[1]);
    return !l->hazard;
}

static bool tile_is_safe(const vt_op_shape *s, const vt_op_blocks *b, int64_t y, int64_t x) {
    list l = {.s = s};
    int64_t columns = s->out_w - x < b->x ? s->out_w - x : b->x;
    for (int64_t i = y; i < y + b->y && i < s->out_h; i++)
        for (int64_t dy = 0; dy < s->kernel_h; dy++)
            for (int64_t dx = 0; dx < s->kernel_w && reads_row(s, i, dy); dx++)
                write_row(&l, (i - y) * columns, x, columns, dx);
    return is_safe(&l);
}

/* Outputs of a tile along one axis that a step of the sum of a transposed convolution reaches: the first and last. */
typedef struct reached {
    int64_t n, first[2], last[2];
} reached;

static reached reach(int64_t begin, int64_t count, int64_t pad, int64_t stride, int64_t taps, int64_t step,
                     int64_t size) {
    reached r = {.n = 0};
    for (int64_t i = 0; i < count; i++) {
        int64_t at = begin + i + pad, input = at / stride - step;
        if (at % stride + step * stride >= taps || input < 0 || input >= size) continue;
        if (r.n < 2) r.first[r.n] = i;
        r.last[0] = r.last[1];
        r.last[1] = i;
        r.n++;
    }
    return r;
}

static int64_t nth(const reached *r, int64_t i) { return i < 2 ? r->first[i] : r->last[i - (r->n - 2)]; }

/* The micro-ops of one step: all rows that it reaches, all columns in each. No two are the same. */
static void write_step(list *l, const reached *rows, const reached *columns, int64_t width) {
    int64_t n = rows->n * columns->n;
    for (int64_t k = 0; k < n; k++) {
        if (k == 2 && n > 4) {
            l->n += n - 4;
            k = n - 2;
        }
        write(l, nth(rows, k / columns->n) * width + nth(columns, k % columns->n));
    }
}

static bool transposed_is_safe(const vt_op_shape *s, const vt_op_blocks *b, int64_t y, int64_t x) {
    list l = {.s = s};
    int64_t rows = s->out_h - y < b->y ? s->out_h - y : b->y, columns = s->out_w - x < b->x ? s->out_w - x : b->x;
    for (int64_t dy = 0; dy * s->stride_h < s->kernel_h; dy++) {
        reached i = reach(y, rows, s->top, s->stride_h, s->kernel_h, dy, s->h);
        for (int64_t dx = 0; dx * s->stride_w < s->kernel_w; dx++) {
            reached j = reach(x, columns, s->left, s->stride_w, s->kernel_w, dx, s->w);
            write_step(&l, &i, &j, columns);
        }
    }
    return is_safe(&l);
}

bool vt__may_skip(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    if (!s->padded) return false;
    for (int64_t y = 0; y < s->out_h; y += b->y)
        for (int64_t x = 0; x < s->out_w; x += b->x)
            if (!(s->transposed ? transposed_is_safe : tile_is_safe)(s, b, y, x)) return false;
    return true;
}

/* When micro-ops whose tap falls on padding may be left out: the order of those that are left, written down one after
 * the other for random shapes and tiles, has no accumulator twice within three, also from one round to the next. */
#include "operators/ops.h"
#include "support/check.h"

static check_random numbers = {88172645463325252u};
static int64_t pick(int64_t least, int64_t most) { return check_between(&numbers, least, most); }

enum { MAX = 20000 };

typedef struct order {
    int64_t n, acc[MAX];
} order;

static bool is_inside(int64_t at, int64_t size) { return at >= 0 && at < size; }

/* Rows of outputs, then taps, then columns. */
static void list_conv(const vt_op_shape *s, int64_t y, int64_t x, int64_t rows, int64_t columns, order *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t tap = 0; tap < s->kernel_h * s->kernel_w; tap++)
            for (int64_t j = 0; j < columns; j++) {
                int64_t row = (y + i) * s->stride_h + tap / s->kernel_w * s->dilation_h - s->top;
                int64_t column = (x + j) * s->stride_w + tap % s->kernel_w * s->dilation_w - s->left;
                if (is_inside(row, s->h) && is_inside(column, s->w)) out->acc[out->n++] = i * columns + j;
            }
}

/* The tap of the kernel, and its input, that step `d` of the sum has for an output. */
static bool reads(int64_t at, int64_t d, int64_t pad, int64_t stride, int64_t taps, int64_t size) {
    return (at + pad) % stride + d * stride < taps && is_inside((at + pad) / stride - d, size);
}

/* Steps of the sum, then rows and columns of outputs. */
static void list_transposed(const vt_op_shape *s, int64_t y, int64_t x, int64_t rows, int64_t columns, order *out) {
    for (int64_t dy = 0; dy * s->stride_h < s->kernel_h; dy++)
        for (int64_t dx = 0; dx * s->stride_w < s->kernel_w; dx++)
            for (int64_t at = 0; at < rows * columns; at++)
                if (reads(y + at / columns, dy, s->top, s->stride_h, s->kernel_h, s->h) &&
                    reads(x + at % columns, dx, s->left, s->stride_w, s->kernel_w, s->w))
                    out->acc[out->n++] = at;
}

static bool is_safe(const order *o) {
    if (o->n < 4) return false;
    for (int64_t i = 0; i < o->n; i++)
        if (o->acc[i] == o->acc[(i + 1) % o->n] || o->acc[i] == o->acc[(i + 2) % o->n]) return false;
    return true;
}

static bool expected(const vt_op_shape *s, const vt_op_blocks *b) {
    static order o;
    if (!s->padded) return false;
    for (int64_t y = 0; y < s->out_h; y += b->y)
        for (int64_t x = 0; x < s->out_w; x += b->x) {
            int64_t rows = y + b->y > s->out_h ? s->out_h - y : b->y,
                    columns = x + b->x > s->out_w ? s->out_w - x : b->x;
            o.n = 0;
            (s->transposed ? list_transposed : list_conv)(s, y, x, rows, columns, &o);
            if (!is_safe(&o)) return false;
        }
    return true;
}

static vt_op_shape pick_shape(bool transposed) {
    vt_op_shape s = {.transposed = transposed, .padded = pick(0, 19) > 0};
    s.kernel_h = pick(1, 3), s.kernel_w = pick(1, 4), s.stride_h = pick(1, 2), s.stride_w = pick(1, 3);
    s.dilation_h = transposed ? 1 : pick(1, 2), s.dilation_w = transposed ? 1 : pick(1, 3);
    s.h = pick(1, 6), s.w = pick(1, 9), s.top = pick(0, 2), s.left = pick(0, 3);
    s.out_h = pick(1, 6), s.out_w = pick(1, 9);
    return s;
}

TEST_CASE(test_random) {
    int skips[2] = {0, 0};
    enum { ROUNDS = 100000 };
    for (int i = 0; i < ROUNDS; i++) {
        vtac_op op = {.shape = pick_shape(i % 2)};
        vt_op_blocks b = {.y = pick(1, op.shape.out_h), .x = pick(0, 1) ? op.shape.out_w : pick(1, op.shape.out_w)};
        bool skip = expected(&op.shape, &b);
        skips[i % 2] += skip;
        if (vt__may_skip(&op, &b) != skip) {
            const vt_op_shape *s = &op.shape;
            fail_msg("%s of %d x %d: %d x %d by %d x %d, stride %d x %d, pad %d, %d, tiles of %d x %d: %s",
                     i % 2 ? "transposed" : "sums", (int)s->out_h, (int)s->out_w, (int)s->h, (int)s->w,
                     (int)s->kernel_h, (int)s->kernel_w, (int)s->stride_h, (int)s->stride_w, (int)s->top, (int)s->left,
                     (int)b.y, (int)b.x, skip ? "may be" : "must not be");
        }
    }
    assert_true(skips[0] > ROUNDS / 100 && skips[1] > ROUNDS / 100);
}

int main(void) { return run_cases(); }

/* Random operators on random configurations against plain loops over channels, rows and columns: they know nothing of
 * tiles, schedules or te. No schedule may be refused, no element wrong, no race found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vta/conv.h"
#include "vta/module.h"
#include "vta/ops.h"
#include "vta/runtime.h"

static const char *const configs[] = {
    "",
    "LOG_BATCH=1",
    "LOG_BATCH=2 LOG_BLOCK=3",
    "LOG_BLOCK=5",
    "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16",
    "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13",
    "LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=15 LOG_ACC_BUFF_SIZE=13",
    "LOG_UOP_BUFF_SIZE=10 LOG_ACC_BUFF_SIZE=14",
};
enum { CONFIGS = sizeof configs / sizeof *configs, CASES = 240, STEPS = 5, ARRAYS = 3 + STEPS };

static uint64_t seed_state;
static int64_t pick(int64_t least, int64_t most) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((seed_state >> 33) % (uint64_t)(most - least + 1));
}

/* ---- An operator, as this test knows it ---- */

typedef enum step_kind {
    SHIFT,
    RELU,
    CLIP,
    ADD,
    MULTIPLY,
    MIN,
    MAX,
    ROUND_SHIFT,
    ROUND_CLIP, /* the sign shows what wrapped */
    REQUANTIZE,
    LEAKY,
    SQUEEZE, /* to one value, past what a step before left */
    BIAS,    /* from here on: steps with an input */
    RESIDUAL,
    FACTOR,
    AMOUNT,
    BIAS_INT8,
    RESIDUAL_INT8,
    KINDS
} step_kind;

/* The tile that an instance is for: what the digits of a bias hang on. */
static int64_t tile_in;

typedef struct step {
    step_kind kind;
    int32_t a, b;
    int32_t *values; /* of an input, by channel or by output */
    int8_t *digits;  /* of BIAS_INT8: by channel, tile and lane */
} step;

typedef struct instance {
    const char *name;
    bool transposed;
    int64_t mats; /* matrices with weights of their own; `n` are the rows of all of them */
    int64_t groups, n, ic, oc, h, w, kh, kw, sh, sw, dh, dw, top, bottom, left, right, oh, ow;
    int64_t pool, pool_stride, pool_pad, sum_h, sum_w; /* maxima over windows of sums; 0: none */
    int n_steps;
    step steps[STEPS];
    bool wraps; /* past the output type, in place of saturating */
    int8_t *data, *weight, *expected;
    char text[1024];
} instance;

static void add_text(instance *s, const char *fmt, ...) {
    va_list args;
    size_t size = strlen(s->text);
    va_start(args, fmt);
    vsnprintf(s->text + size, sizeof s->text - size, fmt, args);
    va_end(args);
}

static void make_digits(const instance *s, step *e) {
    int64_t lanes = e->a * tile_in;
    e->digits = malloc((size_t)(s->oc * lanes));
    for (int64_t i = 0; i < s->oc * lanes; i++) {
        e->digits[i] = (int8_t)pick(-128, 127);
        e->values[i / lanes] += e->digits[i] * (i % tile_in == tile_in - 1 ? 1 : 127);
    }
}

static void make_values(const instance *s, step *e) {
    bool by_output = e->kind == RESIDUAL || e->kind == RESIDUAL_INT8;
    int64_t count = by_output ? s->n * s->oc * s->oh * s->ow : s->oc;
    int64_t most = e->kind == RESIDUAL_INT8 ? 127 : e->kind == FACTOR ? 40000 : e->kind == AMOUNT ? 20 : 100000;
    bool large = most == 100000 && pick(0, 2) == 0;
    if (large) most = INT32_MAX;
    e->values = calloc((size_t)count, sizeof *e->values);
    for (int64_t i = 0; i < count && e->kind != BIAS_INT8; i++)
        e->values[i] = (int32_t)pick(e->kind == AMOUNT ? 0 : large && pick(0, 1) ? most - 40000 : -most, most);
    if (e->kind == BIAS_INT8) make_digits(s, e);
}

static void make_step(instance *s, step *e) {
    bool after_bias = e > s->steps && e[-1].kind == BIAS && pick(0, 1);
    e->kind = after_bias ? ROUND_CLIP : (step_kind)pick(0, KINDS - 1);
    e->a = (int32_t)pick(-300, 300);
    e->b = (int32_t)pick(e->a, 400);
    if (s->pool && (e->kind == RESIDUAL || e->kind == RESIDUAL_INT8)) e->kind = BIAS;
    if (e->kind == SHIFT) e->a = (int32_t)pick(0, 12);
    if (e->kind == MULTIPLY && e->a == 0) e->a = 1;
    if (e->kind == ROUND_SHIFT || e->kind == ROUND_CLIP || e->kind == LEAKY) e->a = (int32_t)pick(1, 20);
    if ((e->kind == ROUND_SHIFT || e->kind == ROUND_CLIP) && e->a == 1)
        e->a = 2; /* 1 is refused where x may be 2^31 - 1 */
    if (e->kind == BIAS_INT8) e->a = (int32_t)pick(1, 3);
    if (e->kind == RESIDUAL_INT8) e->a = (int32_t)pick(-128, 127);
    if (e->kind == RESIDUAL_INT8 && !e->a) e->a = 1; /* 0 is refused */
    switch (e->kind) {
    case SHIFT: add_text(s, "shift:%d", (int)e->a); return;
    case RELU: add_text(s, "relu"); return;
    case CLIP: add_text(s, "clip:%d:%d", (int)e->a, (int)e->b); return;
    case ADD: add_text(s, "add:%d", (int)e->a); return;
    case MULTIPLY: add_text(s, "multiply:%d", (int)e->a); return;
    case MIN: add_text(s, "min:%d", (int)e->a); return;
    case MAX: add_text(s, "max:%d", (int)e->a); return;
    case ROUND_SHIFT: add_text(s, "round_shift:%d", (int)e->a); return;
    case ROUND_CLIP: add_text(s, "round_shift:%d,clip", (int)e->a); return;
    case LEAKY: add_text(s, "leaky:%d", (int)e->a); return;
    case REQUANTIZE: /* exact only where the product surely fits */
        e->a = (int32_t)pick(1, 32767), e->b = (int32_t)pick(1, 31);
        add_text(s, "clip:-30000:30000,requantize:%d:%d", (int)e->a, (int)e->b);
        return;
    case SQUEEZE: add_text(s, "min:%d,max:%d,min:%d", (int)e->a, (int)e->a + 20, (int)e->a + 10); return;
    case BIAS: add_text(s, "bias"); break;
    case RESIDUAL: add_text(s, "residual"); break;
    case FACTOR: add_text(s, "multiply_channel"); break;
    case AMOUNT: add_text(s, "shift_channel"); break;
    case BIAS_INT8: add_text(s, "bias_int8:%d", (int)e->a); break;
    case RESIDUAL_INT8:
    case KINDS: add_text(s, "residual_int8:%d", (int)e->a); break;
    }
    make_values(s, e);
}

static void make_steps(instance *s) {
    s->n_steps = (int)pick(0, STEPS);
    if (s->n_steps) add_text(s, " epilogue=");
    for (int i = 0; i < s->n_steps; i++) {
        if (i) add_text(s, ",");
        make_step(s, &s->steps[i]);
    }
    s->wraps = pick(0, 3) == 0;
    if (s->wraps || pick(0, 3) == 0) add_text(s, " narrow=%s", s->wraps ? "wrap" : "saturate");
}

/* Depthwise, groups of whole blocks, or any. */
static void make_groups(instance *s) {
    s->groups = pick(2, 70);
    int64_t in = pick(0, 1) ? 1 : pick(1, 6), out = pick(0, 1) ? in : pick(1, 6);
    if (pick(0, 2) == 0) s->groups = pick(2, 5), in = 16 * pick(1, 2), out = 16 * pick(1, 2);
    s->ic = in * s->groups, s->oc = out * s->groups;
}

static void make_conv(instance *s) {
    s->name = "conv2d";
    s->n = pick(0, 1) ? 1 : pick(2, 3), s->ic = pick(1, 40), s->oc = pick(1, 40), s->groups = s->mats = 1;
    if (pick(0, 3) == 0) s->ic = pick(1, 4);
    if (pick(0, 2) == 0) make_groups(s);
    s->kh = pick(1, 4), s->kw = pick(1, 4), s->sh = pick(1, 3), s->sw = pick(1, 3);
    s->dh = pick(1, 2), s->dw = pick(1, 2);
    s->top = pick(0, 3), s->bottom = pick(0, 3), s->left = pick(0, 3), s->right = pick(0, 3);
    if (pick(0, 2) == 0) s->top = s->bottom = s->left = s->right = 0;
    s->h = pick(1, 17), s->w = pick(1, 17);
    int64_t need_h = (s->kh - 1) * s->dh + 1, need_w = (s->kw - 1) * s->dw + 1;
    if (s->h + s->top + s->bottom < need_h) s->h = need_h;
    if (s->w + s->left + s->right < need_w) s->w = need_w;
    s->oh = (s->h + s->top + s->bottom - need_h) / s->sh + 1;
    s->ow = (s->w + s->left + s->right - need_w) / s->sw + 1;
    add_text(s, "batch=%d in_channels=%d out_channels=%d height=%d width=%d kernel_h=%d kernel_w=%d", (int)s->n,
             (int)s->ic, (int)s->oc, (int)s->h, (int)s->w, (int)s->kh, (int)s->kw);
    add_text(s, " stride_h=%d stride_w=%d dilation_h=%d dilation_w=%d", (int)s->sh, (int)s->sw, (int)s->dh, (int)s->dw);
    if (s->groups > 1) add_text(s, " groups=%d", (int)s->groups);
    if (s->groups == 1 && pick(0, 2) == 0) add_text(s, " fold=%d", (int)pick(-1, 2));
    add_text(s, " pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d", (int)s->top, (int)s->bottom, (int)s->left,
             (int)s->right);
}

/* Windows of which no tile reads padding alone, and one tap is alone in its remainder. */
static void make_pooled(instance *s) {
    s->name = "conv2d";
    s->n = 1, s->ic = pick(1, 40), s->oc = pick(1, 70), s->groups = s->mats = 1;
    s->kh = pick(1, 3), s->kw = pick(1, 3), s->sh = pick(1, 2), s->sw = pick(1, 2), s->dh = s->dw = 1;
    s->top = s->bottom = pick(0, s->kh - 1), s->left = s->right = pick(0, s->kw - 1);
    s->pool_stride = pick(2, 3), s->pool = pick(s->pool_stride, 2 * s->pool_stride - 1), s->pool_pad = pick(0, 1);
    if (s->pool == s->pool_stride) s->pool_pad = 0;
    int64_t rows = pick(1, 6), columns = pick(1, 6); /* of the result */
    s->sum_h = (rows - 1) * s->pool_stride + s->pool - 2 * s->pool_pad + pick(0, s->pool_stride - 1);
    s->sum_w = (columns - 1) * s->pool_stride + s->pool - 2 * s->pool_pad + pick(0, s->pool_stride - 1);
    int64_t reach_h = (s->sum_h - 1) * s->sh + s->kh, reach_w = (s->sum_w - 1) * s->sw + s->kw;
    if (reach_h <= 2 * s->top) s->top = s->bottom = 0;
    if (reach_w <= 2 * s->left) s->left = s->right = 0;
    s->h = reach_h - 2 * s->top, s->w = reach_w - 2 * s->left;
    s->oh = (s->sum_h + 2 * s->pool_pad - s->pool) / s->pool_stride + 1;
    s->ow = (s->sum_w + 2 * s->pool_pad - s->pool) / s->pool_stride + 1;
    add_text(s, "in_channels=%d out_channels=%d height=%d width=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d",
             (int)s->ic, (int)s->oc, (int)s->h, (int)s->w, (int)s->kh, (int)s->kw, (int)s->sh, (int)s->sw);
    add_text(s, " pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d pool=%d pool_stride=%d pool_pad=%d", (int)s->top,
             (int)s->bottom, (int)s->left, (int)s->right, (int)s->pool, (int)s->pool_stride, (int)s->pool_pad);
}

static void make_transposed(instance *s) {
    s->name = "conv2d_transpose";
    s->transposed = true;
    s->n = pick(1, 2), s->ic = pick(1, 40), s->oc = pick(1, 40), s->groups = s->mats = 1;
    s->kh = pick(1, 5), s->kw = pick(1, 5), s->sh = pick(1, 3), s->sw = pick(1, 3), s->dh = s->dw = 1;
    s->h = pick(1, 8), s->w = pick(1, 8);
    int64_t oph = pick(0, s->sh - 1), opw = pick(0, s->sw - 1);
    s->oh = (s->h - 1) * s->sh + s->kh + oph, s->ow = (s->w - 1) * s->sw + s->kw + opw;
    s->top = pick(0, 2), s->bottom = pick(0, 2), s->left = pick(0, 2), s->right = pick(0, 2);
    if (s->oh <= s->top + s->bottom) s->top = s->bottom = 0;
    if (s->ow <= s->left + s->right) s->left = s->right = 0;
    s->oh -= s->top + s->bottom, s->ow -= s->left + s->right;
    add_text(s, "batch=%d in_channels=%d out_channels=%d height=%d width=%d kernel_h=%d kernel_w=%d", (int)s->n,
             (int)s->ic, (int)s->oc, (int)s->h, (int)s->w, (int)s->kh, (int)s->kw);
    add_text(s, " stride_h=%d stride_w=%d output_pad_h=%d output_pad_w=%d", (int)s->sh, (int)s->sw, (int)oph, (int)opw);
    add_text(s, " pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d", (int)s->top, (int)s->bottom, (int)s->left,
             (int)s->right);
}

static void make_matmul(instance *s) {
    s->name = "batch_matmul";
    s->mats = pick(1, 4), s->n = s->mats * pick(1, 12), s->ic = pick(1, 80), s->oc = pick(1, 80), s->groups = 1;
    s->h = s->w = s->oh = s->ow = s->kh = s->kw = s->sh = s->sw = s->dh = s->dw = 1;
    add_text(s, "batch=%d rows=%d in_features=%d out_features=%d", (int)s->mats, (int)(s->n / s->mats), (int)s->ic,
             (int)s->oc);
}

static void make_dense(instance *s) {
    s->name = "dense";
    s->n = pick(1, 20), s->ic = pick(1, 120), s->oc = pick(1, 120);
    s->groups = s->mats = 1;
    s->h = s->w = s->oh = s->ow = s->kh = s->kw = s->sh = s->sw = s->dh = s->dw = 1;
    add_text(s, "batch=%d in_features=%d out_features=%d", (int)s->n, (int)s->ic, (int)s->oc);
}

static int8_t *noise(int64_t n) {
    int8_t *values = malloc((size_t)n);
    for (int64_t i = 0; i < n; i++) values[i] = (int8_t)pick(-128, 127);
    return values;
}

/* ---- What it means ---- */

static int32_t wrap(int64_t x) { return (int32_t)(uint32_t)(uint64_t)x; }

static int32_t apply(const step *e, int32_t x, int64_t channel, int64_t output) {
    switch (e->kind) {
    case SHIFT: return x >> e->a;
    case RELU: return x > 0 ? x : 0;
    case CLIP: return x < e->a ? e->a : x > e->b ? e->b : x;
    case ADD: return wrap((int64_t)x + e->a);
    case MULTIPLY: return wrap((int64_t)x * e->a);
    case MIN: return x < e->a ? x : e->a;
    case MAX: return x > e->a ? x : e->a;
    case ROUND_SHIFT:
    case ROUND_CLIP:
        x = (int32_t)((x + (INT64_C(1) << (e->a - 1))) >> e->a);
        return e->kind == ROUND_CLIP ? (x < -128 ? -128 : x > 127 ? 127 : x) : x;
    case REQUANTIZE:
        x = x < -30000 ? -30000 : x > 30000 ? 30000 : x;
        return (int32_t)(((int64_t)x * e->a + (INT64_C(1) << (e->b - 1))) >> e->b);
    case SQUEEZE: return e->a + 10;
    case LEAKY: return x < 0 ? x >> e->a : x;
    case FACTOR: return wrap((int64_t)x * e->values[channel]);
    case AMOUNT: return x >> e->values[channel];
    case BIAS:
    case BIAS_INT8: return wrap((int64_t)x + e->values[channel]);
    case RESIDUAL_INT8: return wrap((int64_t)x + (int64_t)e->a * e->values[output]);
    case RESIDUAL:
    case KINDS: break;
    }
    return wrap((int64_t)x + e->values[output]);
}

static int32_t sum_at(const instance *s, int64_t n, int64_t o, int64_t y, int64_t x) {
    int64_t sum = 0, each = s->ic / s->groups, first = o / (s->oc / s->groups) * each;
    int64_t filter = n / (s->n / s->mats) * s->oc * (s->mats > 1) + o;
    for (int64_t c = 0; c < each; c++)
        for (int64_t dy = 0; dy < s->kh; dy++)
            for (int64_t dx = 0; dx < s->kw; dx++) {
                int64_t row = y * s->sh + dy * s->dh - s->top, column = x * s->sw + dx * s->dw - s->left;
                if (s->transposed) {
                    row = y + s->top - dy, column = x + s->left - dx;
                    if (row % s->sh || column % s->sw) continue;
                    row /= s->sh, column /= s->sw;
                }
                if (row < 0 || row >= s->h || column < 0 || column >= s->w) continue;
                sum += (int64_t)s->data[((n * s->ic + first + c) * s->h + row) * s->w + column] *
                       s->weight[((filter * each + c) * s->kh + dy) * s->kw + dx];
            }
    return wrap(sum);
}

static int32_t largest_at(const instance *s, int64_t n, int64_t o, int64_t y, int64_t x) {
    int32_t most = INT32_MIN;
    for (int64_t dy = 0; dy < s->pool; dy++)
        for (int64_t dx = 0; dx < s->pool; dx++) {
            int64_t row = y * s->pool_stride + dy - s->pool_pad, column = x * s->pool_stride + dx - s->pool_pad;
            if (row < 0 || row >= s->sum_h || column < 0 || column >= s->sum_w) continue;
            int32_t sum = sum_at(s, n, o, row, column);
            if (sum > most) most = sum;
        }
    return most;
}

/* Elements that saturated, at either end, and that wrapped. */
static uint64_t at_least, at_most, wrapped;

static int8_t narrowed(const instance *s, int32_t x) {
    if (s->wraps) {
        wrapped += x < -128 || x > 127;
        return (int8_t)(uint8_t)x;
    }
    at_least += x < -128, at_most += x > 127;
    return (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x);
}

static void expect(instance *s) {
    s->expected = malloc((size_t)(s->n * s->oc * s->oh * s->ow));
    for (int64_t at = 0; at < s->n * s->oc * s->oh * s->ow; at++) {
        int64_t x = at % s->ow, y = at / s->ow % s->oh, o = at / (s->ow * s->oh) % s->oc;
        int32_t value = (s->pool ? largest_at : sum_at)(s, at / (s->ow * s->oh * s->oc), o, y, x);
        for (int i = 0; i < s->n_steps; i++) value = apply(&s->steps[i], value, o, at);
        s->expected[at] = narrowed(s, value);
    }
}

/* ---- Tiles ---- */

/* Element (outer, inner, rest) of a matrix of `rest` scalars each, in tiles of batch x block. */
static int64_t tiled(int64_t outer, int64_t inner, int64_t rest, int64_t inners, int64_t rests, int64_t batch,
                     int64_t block) {
    int64_t blocks = (inners + block - 1) / block;
    return (((outer / batch * blocks + inner / block) * rests + rest) * batch + outer % batch) * block + inner % block;
}

typedef struct layout {
    int64_t outers, inners, rests, batch, block;
    int64_t mats; /* so many of them; 0: one */
} layout;

static void fill(vta_array *a, const layout *l, const int8_t *bytes, const int32_t *words) {
    size_t size = vta_array_bytes(a), mats = l->mats ? (size_t)l->mats : 1, each = size / mats / (words ? 4 : 1);
    uint8_t *to = calloc(1, size);
    for (int64_t o = 0; o < l->outers * (int64_t)mats; o++)
        for (int64_t i = 0; i < l->inners; i++)
            for (int64_t r = 0; r < l->rests; r++) {
                int64_t from = (o * l->inners + i) * l->rests + r;
                size_t at = (size_t)(o / l->outers) * each +
                            (size_t)tiled(o % l->outers, i, r, l->inners, l->rests, l->batch, l->block);
                if (bytes) to[at] = (uint8_t)bytes[from];
                if (words) memcpy(to + 4 * at, &words[from], 4);
            }
    assert_int_equal(vta_array_write(a, to, size, NULL), VTA_OK);
    free(to);
}

/* A bias has a row for each image of a tile, all equal. */
static void fill_bias(vta_array *a, const instance *s, const int32_t *values, int64_t batch, int64_t block) {
    int32_t *rows = calloc((size_t)(batch * s->oc), sizeof *rows);
    for (int64_t b = 0; b < batch; b++) memcpy(rows + b * s->oc, values, (size_t)s->oc * sizeof *rows);
    fill(a, &(layout){batch, s->oc, 1, batch, block}, NULL, rows);
    free(rows);
}

/* ---- One case ---- */

typedef struct run {
    instance *s;
    vtac_op *op;
    vta_diag *diag;
    vta_array *arrays[ARRAYS];
    DLTensor *tensors[ARRAYS];
    size_t n;
} run;

static void make_arrays(run *r) {
    vtac_kernel *kernel = vtac_op_kernel(r->op);
    r->n = vtac_kernel_arg_count(kernel);
    assert_true(r->n <= ARRAYS);
    for (size_t i = 0; i < r->n; i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        int64_t dims[VTA_ARRAY_MAX_DIMS];
        size_t ndim = te_tensor_ndim(t);
        uint8_t bits = strcmp(te_tensor_dtype(vtac_kernel_context(kernel), t), "int32") == 0 ? 32 : 8;
        for (size_t d = 0; d < ndim; d++) dims[d] = te_tensor_dim(t, d);
        assert_int_equal(vta_array_create(kDLExtDev, (int32_t)ndim, dims, (DLDataType){kDLInt, bits, 1}, NULL, r->diag,
                                          &r->arrays[i]),
                         VTA_OK);
        r->tensors[i] = vta_array_tensor(r->arrays[i]);
    }
}

/* Tiles of digits: channels by tile, then lane. */
static void fill_digits(vta_array *a, const instance *s, const step *e, int64_t out) {
    size_t size = vta_array_bytes(a);
    int8_t *to = calloc(1, size);
    for (int64_t o = 0; o < s->oc; o++)
        for (int64_t t = 0; t < e->a; t++)
            for (int64_t l = 0; l < tile_in; l++)
                to[((o / out * e->a + t) * out + o % out) * tile_in + l] = e->digits[(o * e->a + t) * tile_in + l];
    assert_int_equal(vta_array_write(a, to, size, NULL), VTA_OK);
    free(to);
}

/* In blocks of inputs, as many as fill the result's blocks. */
static void fill_addend(vta_array *a, const instance *s, const step *e, int64_t batch, int64_t out) {
    int64_t rests = s->oh * s->ow, channels = (s->oc + out - 1) / out * out;
    int8_t *bytes = calloc((size_t)(s->n * channels), (size_t)rests);
    for (int64_t i = 0; i < s->n * s->oc * rests; i++)
        bytes[i / (s->oc * rests) * channels * rests + i % (s->oc * rests)] = (int8_t)e->values[i];
    fill(a, &(layout){s->n / s->mats, channels, rests, batch, tile_in, s->mats}, bytes, NULL);
    free(bytes);
}

/* "residual1": the second step of that kind. */
static const step *step_of(const instance *s, const char *name) {
    static const char *const inputs[KINDS] = {[BIAS] = "bias",     [RESIDUAL] = "residual", [FACTOR] = "factor",
                                              [AMOUNT] = "amount", [BIAS_INT8] = "digits",  [RESIDUAL_INT8] = "addend"};
    size_t letters = strcspn(name, "0123456789");
    int number = atoi(name + letters);
    for (int i = 0; i < s->n_steps; i++) {
        const char *is = inputs[s->steps[i].kind];
        if (is && strlen(is) == letters && !strncmp(is, name, letters) && number-- == 0) return &s->steps[i];
    }
    fail_msg("%s %s: what is the argument %s?", s->name, s->text, name);
    return NULL;
}

static void fill_input(vta_array *a, const instance *s, const step *e, int64_t batch, int64_t out) {
    switch ((int)e->kind) {
    case RESIDUAL:
        fill(a, &(layout){s->n / s->mats, s->oc, s->oh * s->ow, batch, out, s->mats}, NULL, e->values);
        return;
    case BIAS_INT8: fill_digits(a, s, e, out); return;
    case RESIDUAL_INT8: fill_addend(a, s, e, batch, out); return;
    default: fill_bias(a, s, e->values, batch, out); return;
    }
}

static void write_all(vta_array *a, void *bytes, size_t size) {
    assert_int_equal(vta_array_bytes(a), size);
    assert_int_equal(vta_array_write(a, bytes, size, NULL), VTA_OK);
    free(bytes);
}

/* What a fold or groups make of the operands; what is computed from them is compared all the same. */
static void fill_packed(run *r, const vta_config *config, const vta_conv *conv) {
    vta_conv_layout l = {.size = 0};
    if (vta_conv_layout_of(config, conv, r->diag, &l) != VTA_OK) fail_msg("%s", vta_diag_text(r->diag));
    void *data = malloc(l.data_bytes), *weight = malloc(l.weight_bytes);
    if (vta_conv_pack_data(config, conv, r->s->data, r->diag, data, l.data_bytes) != VTA_OK ||
        vta_conv_pack_weight(config, conv, r->s->weight, r->diag, weight, l.weight_bytes) != VTA_OK)
        fail_msg("%s", vta_diag_text(r->diag));
    write_all(r->arrays[0], data, l.data_bytes);
    write_all(r->arrays[1], weight, l.weight_bytes);
}

static void fill_arrays(run *r, const vta_config *config) {
    const instance *s = r->s;
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    vta_conv conv = {.fold = VTA_FOLD_NONE};
    if (!strcmp(s->name, "conv2d")) assert_int_equal(vtac_op_conv(r->op, NULL, &conv), VTA_OK);
    if (conv.fold != VTA_FOLD_NONE || s->groups > 1) {
        fill_packed(r, config, &conv);
    } else {
        fill(r->arrays[0], &(layout){s->n / s->mats, s->ic, s->h * s->w, batch, in, s->mats}, s->data, NULL);
        fill(r->arrays[1], &(layout){s->oc, s->ic, s->kh * s->kw, out, in, s->mats}, s->weight, NULL);
    }
    for (size_t i = 2; i + 1 < r->n; i++)
        fill_input(r->arrays[i], s, step_of(s, te_tensor_name(vtac_kernel_arg(vtac_op_kernel(r->op), i))), batch, out);
}

static void compare(run *r, const vta_config *config) {
    const instance *s = r->s;
    vta_array *a = r->arrays[r->n - 1];
    size_t size = vta_array_bytes(a);
    int8_t *got = malloc(size);
    int64_t batch = vta_config_batch(config), out = vta_config_block_out(config), rests = s->oh * s->ow;
    int64_t rows = s->n / s->mats;
    size_t each = size / (size_t)s->mats;
    assert_int_equal(vta_array_read(a, got, size, NULL), VTA_OK);
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t o = 0; o < s->oc; o++)
            for (int64_t p = 0; p < rests; p++) {
                int8_t is = got[n / rows * (int64_t)each + tiled(n % rows, o, p, s->oc, rests, batch, out)],
                       should = s->expected[(n * s->oc + o) * rests + p];
                if (is == should) continue;
                fail_msg("%s %s on %s: image %d, channel %d, output %d: %d, not %d\n%s", s->name, s->text,
                         vta_config_bitstream(config), (int)n, (int)o, (int)p, is, should, vtac_op_text(r->op));
            }
    free(got);
}

static void execute(run *r, const vta_config *config, uint64_t order_seed) {
    vta_runtime *runtime;
    vta_device_options device = {.check = true, .order = VTA_ORDER_RANDOM, .seed = order_seed};
    vta_runtime_options options = {.device = &device};
    vta_packed_function function;
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, r->diag, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    assert_int_equal(vtac_module_function(vtac_op_module(r->op), vtac_op_name(r->op), r->diag, &function), VTA_OK);
    make_arrays(r);
    fill_arrays(r, config);
    if (vta_function_call_tensors(function, r->tensors, (int)r->n, r->diag) != VTA_OK)
        fail_msg("%s %s: %s\n%s", r->s->name, r->s->text, vta_diag_text(r->diag), vtac_op_text(r->op));
    compare(r, config);
    for (size_t i = 0; i < r->n; i++) vta_array_free(r->arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

static void free_instance(instance *s) {
    for (int i = 0; i < s->n_steps; i++) {
        free(s->steps[i].values);
        free(s->steps[i].digits);
    }
    free(s->data);
    free(s->weight);
    free(s->expected);
}

/* Instances with inputs of the epilogue whose tiles take turns. */
static uint64_t turns_with_inputs;

static void count_turns(vtac_op *op) {
    bool inputs = vtac_kernel_arg_count(vtac_op_kernel(op)) > 3;
    turns_with_inputs += inputs && strstr(vtac_op_text(op), "slots = 2");
}

/* ---- How many there were of each ---- */

typedef struct tally {
    const char *name;
    int count;
} tally;

static void count_one(tally *all, const char *name) {
    while (all->name && strcmp(all->name, name) != 0) all++;
    all->name = name;
    all->count++;
}

static tally tallies[8];

/* True unless not even one output fits the chip. */
static bool run_case(const vta_config *config, uint64_t number) {
    instance s = {.n_steps = 0};
    vtac_op_result result = {0};
    tile_in = vta_config_block_in(config);
    seed_state = number * 7919 + 17;
    for (int i = 0; i < 8; i++) pick(0, 1);
    static void (*const makers[])(instance *) = {make_conv,       make_conv,  make_conv,  make_pooled,
                                                 make_transposed, make_dense, make_matmul};
    makers[pick(0, 6)](&s);
    make_steps(&s);
    run r = {.s = &s, .diag = vta_diag_create(NULL)};
    vtac_op_options options = {.tries = (uint32_t)(1 + number % 2)}; /* 1: tiles that take turns where there may be */
    if (vtac_op_create(s.name, s.text, config, NULL, r.diag, &r.op) != VTA_OK)
        fail_msg("%s %s: %s", s.name, s.text, vta_diag_text(r.diag));
    vta_status status = vtac_op_schedule(r.op, &options, r.diag, &result);
    bool fits = status != VTA_UNSUPPORTED;
    count_one(tallies, s.groups > 1 ? "conv2d in groups" : s.name);
    if ((fits && status != VTA_OK) || result.refused)
        fail_msg("%s %s on %s: %s", s.name, s.text, vta_config_bitstream(config), vta_diag_text(r.diag));
    if (fits) {
        s.data = noise(s.n * s.ic * s.h * s.w);
        s.weight = noise(s.mats * s.oc * (s.ic / s.groups) * s.kh * s.kw);
        expect(&s);
        execute(&r, config, number);
        count_turns(r.op);
    }
    free_instance(&s);
    vtac_op_destroy(r.op);
    vta_diag_destroy(r.diag);
    return fits;
}

static void test_random(void **state) {
    (void)state;
    const char *from = getenv("VTA_TEST_SEED"), *count = getenv("VTA_TEST_CASES");
    uint64_t first = from ? strtoull(from, NULL, 10) : 0, n = count ? strtoull(count, NULL, 10) : CASES;
    uint64_t without = 0;
    vta_config *plain = vta_config_default();
    vta_diag *said = vta_diag_create(NULL);
    for (uint64_t i = first; i < first + n; i++) {
        vta_config *config;
        if (vta_config_with(plain, configs[i % CONFIGS], said, &config) != VTA_OK) fail_msg("%s", vta_diag_text(said));
        without += !run_case(config, i);
        vta_config_release(config);
    }
    vta_config_release(plain);
    vta_diag_destroy(said);
    for (const tally *t = tallies; t->name; t++) print_message("%s %d\n", t->name, t->count);
    print_message("saturated: %d at the least, %d at the largest; %d wrapped\n", (int)at_least, (int)at_most,
                  (int)wrapped);
    if (at_least < n || at_most < n || wrapped < n) fail_msg("results hardly leave the output type");
    if (without > n / 20) fail_msg("%d of %d did not fit", (int)without, (int)n);
    if (turns_with_inputs < n / 40) fail_msg("%d of %d take turns and have inputs", (int)turns_with_inputs, (int)n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Operators that are not sums of products, at random shapes on random configurations, against plain loops over images,
 * channels, rows and columns that know nothing of tiles, schedules or te. No schedule may be refused, no element wrong,
 * no race found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    "LOG_BLOCK_IN=5 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=14",
    "LOG_INP_BUFF_SIZE=12 LOG_WGT_BUFF_SIZE=15 LOG_ACC_BUFF_SIZE=13",
    "LOG_INP_WIDTH=4 LOG_BLOCK=3 LOG_INP_BUFF_SIZE=14 LOG_WGT_BUFF_SIZE=14 LOG_ACC_BUFF_SIZE=14",
    "LOG_WGT_WIDTH=4 LOG_UOP_BUFF_SIZE=10 LOG_ACC_BUFF_SIZE=14",
};
enum { CONFIGS = sizeof configs / sizeof *configs, CASES = 400, STEPS = 3, ARRAYS = 8 };

static uint64_t seed_state;
static int64_t pick(int64_t least, int64_t most) {
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((seed_state >> 33) % (uint64_t)(most - least + 1));
}

static int32_t wrap(int64_t x) { return (int32_t)(uint32_t)(uint64_t)x; }

/* ---- An operator, as this test knows it ---- */

typedef struct tensor {
    int64_t n, c, h, w;
    int32_t *v;
} tensor;

typedef enum step_kind { SHIFT, RELU, ADD, MIN, BIAS, RESIDUAL, KINDS } step_kind;

typedef struct step {
    step_kind kind;
    int32_t a;
    tensor values; /* of a bias or a residual */
} step;

typedef struct instance {
    char name[32], text[512];
    tensor in[4], out;
    int n_in, n_steps;
    bool wide;
    int64_t a, b; /* the operator's own numbers */
    bool copies;  /* nothing may follow */
    int64_t kh, kw, sh, sw, top, bottom, left, right;
    bool bias; /* bias_add: the first bias is the operator's */
    tensor bias_of;
    step steps[STEPS];
    int bits;   /* of the input type */
    bool wraps; /* past the output type, in place of saturating */
} instance;

static void add_text(instance *s, const char *fmt, ...) {
    va_list args;
    size_t size = strlen(s->text);
    va_start(args, fmt);
    vsnprintf(s->text + size, sizeof s->text - size, fmt, args);
    va_end(args);
}

static int64_t size_of(const tensor *t) { return t->n * t->c * t->h * t->w; }

static tensor noise(int64_t n, int64_t c, int64_t h, int64_t w, int64_t least, int64_t most) {
    tensor t = {n, c, h, w, NULL};
    t.v = malloc((size_t)size_of(&t) * sizeof *t.v);
    for (int64_t i = 0; i < size_of(&t); i++) t.v[i] = (int32_t)pick(least, most);
    return t;
}

static int32_t at(const tensor *t, int64_t n, int64_t c, int64_t y, int64_t x) {
    return t->v[((n * t->c + c) * t->h + y) * t->w + x];
}

static tensor make_input(const instance *s, int64_t n, int64_t c, int64_t h, int64_t w) {
    int64_t half = INT64_C(1) << (s->wide ? 31 : s->bits - 1);
    return noise(n, c, h, w, -half, half - 1);
}

/* ---- What follows ---- */

static void make_step(instance *s, step *e) {
    e->kind = (step_kind)pick(0, KINDS - 1);
    e->a = (int32_t)(e->kind == SHIFT ? pick(0, 10) : pick(-300, 300));
    switch (e->kind) {
    case SHIFT: add_text(s, "shift:%d", (int)e->a); break;
    case RELU: add_text(s, "relu"); break;
    case ADD: add_text(s, "add:%d", (int)e->a); break;
    case MIN: add_text(s, "min:%d", (int)e->a); break;
    case BIAS:
        add_text(s, "bias");
        e->values = noise(1, s->out.c, 1, 1, -1000, 1000);
        break;
    case RESIDUAL:
    case KINDS: add_text(s, "residual"); e->values = noise(s->out.n, s->out.c, s->out.h, s->out.w, -100000, 100000);
    }
}

static void make_steps(instance *s) {
    s->n_steps = s->copies ? 0 : (int)pick(0, STEPS);
    if (s->n_steps) add_text(s, " epilogue=");
    for (int i = 0; i < s->n_steps; i++) {
        if (i) add_text(s, ",");
        make_step(s, &s->steps[i]);
    }
    s->wraps = pick(0, 3) == 0;
    if (s->wraps || pick(0, 3) == 0) add_text(s, " narrow=%s", s->wraps ? "wrap" : "saturate");
}

static int32_t follow(const instance *s, int32_t x, int64_t channel, int64_t output) {
    for (int i = 0; i < s->n_steps; i++) {
        const step *e = &s->steps[i];
        switch (e->kind) {
        case SHIFT: x >>= e->a; break;
        case RELU: x = x > 0 ? x : 0; break;
        case ADD: x = wrap((int64_t)x + e->a); break;
        case MIN: x = x < e->a ? x : e->a; break;
        case BIAS: x = wrap((int64_t)x + e->values.v[channel]); break;
        case RESIDUAL:
        case KINDS: x = wrap((int64_t)x + e->values.v[output]);
        }
    }
    return x;
}

/* ---- The operators ---- */

typedef struct kind {
    const char *name;
    void (*make)(instance *s);
    int64_t (*value)(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x);
} kind;

static void make_elements(instance *s, int inputs) {
    int64_t n = pick(1, 5), c = pick(1, 70), h = pick(1, 14), w = pick(1, 14);
    s->wide = pick(0, 2) == 0;
    s->n_in = inputs;
    for (int i = 0; i < inputs; i++) s->in[i] = make_input(s, n, c, h, w);
    s->out = (tensor){n, c, h, w, NULL};
    add_text(s, "batch=%d channels=%d height=%d width=%d wide=%d", (int)n, (int)c, (int)h, (int)w, (int)s->wide);
}

static void make_two(instance *s) { make_elements(s, 2); }
static void make_one(instance *s) { make_elements(s, 1); }

static void make_by(instance *s) {
    make_elements(s, 1);
    s->a = pick(0, 9);
    add_text(s, " by=%d", (int)s->a);
}

static void make_clip(instance *s) {
    make_elements(s, 1);
    s->a = pick(-200, 100);
    s->b = pick(s->a, 200);
    add_text(s, " low=%d high=%d", (int)s->a, (int)s->b);
}

static void make_bias(instance *s) {
    make_elements(s, 1);
    s->bias = true;
    s->bias_of = noise(1, s->out.c, 1, 1, -100000, 100000);
}

/* ---- Windows ---- */

/* Padding such that every window has something of the image. */
static void draw_windows(instance *s, const char *more) {
    int64_t n = pick(1, 5), c = pick(1, 70), h = pick(1, 14), w = pick(1, 14);
    do {
        s->kh = pick(1, 5), s->kw = pick(1, 5), s->sh = pick(1, 4), s->sw = pick(1, 4);
        s->top = pick(0, s->kh - 1), s->left = pick(0, s->kw - 1);
        s->bottom = pick(0, s->kh - 1), s->right = pick(0, s->kw - 1);
        if (pick(0, 2) == 0) s->top = s->bottom = s->left = s->right = 0;
    } while (h + s->top + s->bottom < s->kh || w + s->left + s->right < s->kw);
    s->in[0] = make_input(s, n, c, h, w);
    s->n_in = 1;
    s->out = (tensor){n, c, (h + s->top + s->bottom - s->kh) / s->sh + 1, (w + s->left + s->right - s->kw) / s->sw + 1,
                      NULL};
    add_text(s, "batch=%d channels=%d height=%d width=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d", (int)n,
             (int)c, (int)h, (int)w, (int)s->kh, (int)s->kw, (int)s->sh, (int)s->sw);
    add_text(s, " pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d%s", (int)s->top, (int)s->bottom, (int)s->left,
             (int)s->right, more);
}

static void make_windows(instance *s) { draw_windows(s, ""); }

static void make_average(instance *s) {
    s->a = pick(0, 1);
    draw_windows(s, s->a ? " count_include_pad=1" : "");
}

static void make_global(instance *s) {
    int64_t n = pick(1, 5), c = pick(1, 70), h = pick(1, 12), w = pick(1, 12);
    s->in[0] = make_input(s, n, c, h, w);
    s->n_in = 1;
    s->kh = h, s->kw = w, s->sh = s->sw = 1;
    s->out = (tensor){n, c, 1, 1, NULL};
    add_text(s, "batch=%d channels=%d height=%d width=%d", (int)n, (int)c, (int)h, (int)w);
}

/* The window at an output: its largest element, the sum and the number of its elements. */
typedef struct window {
    int64_t largest, sum, count;
} window;

static window look(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) {
    window r = {INT64_MIN, 0, 0};
    for (int64_t row = y * s->sh - s->top; row < y * s->sh - s->top + s->kh; row++)
        for (int64_t column = x * s->sw - s->left; column < x * s->sw - s->left + s->kw; column++) {
            if (row < 0 || row >= s->in[0].h || column < 0 || column >= s->in[0].w) continue;
            int64_t value = at(&s->in[0], n, c, row, column);
            if (value > r.largest) r.largest = value;
            r.sum += value;
            r.count++;
        }
    return r;
}

static int64_t is_largest(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) {
    return look(s, n, c, y, x).largest;
}

/* The nearest integer, the one above when two are as near: counted from below, without a division that rounds. */
static int64_t nearest(int64_t sum, int64_t count) {
    int64_t q = (int64_t)floor((double)sum / (double)count) - 1;
    while (2 * sum >= (2 * q + 1) * count) q++;
    return q;
}

static int64_t is_average(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) {
    window r = look(s, n, c, y, x);
    return nearest(r.sum, s->a ? s->kh * s->kw : r.count);
}

/* ---- Copies ---- */

static void make_upsample(instance *s) {
    int64_t n = pick(1, 4), c = pick(1, 70), h = pick(1, 9), w = pick(1, 9);
    s->a = pick(1, 3), s->b = pick(1, 3);
    s->in[0] = make_input(s, n, c, h, w);
    s->n_in = 1;
    s->out = (tensor){n, c, h * s->a, w * s->b, NULL};
    add_text(s, "batch=%d channels=%d height=%d width=%d scale_h=%d scale_w=%d", (int)n, (int)c, (int)h, (int)w,
             (int)s->a, (int)s->b);
}

static int64_t is_repeated(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) {
    return at(&s->in[0], n, c, y / s->a, x / s->b);
}

/* Channels that fill blocks, or do not. */
static void make_concat(instance *s) {
    int64_t n = pick(1, 5), h = pick(1, 9), w = pick(1, 9), whole = pick(0, 1), all = 0;
    s->n_in = (int)pick(1, 4);
    s->copies = true;
    add_text(s, "batch=%d height=%d width=%d", (int)n, (int)h, (int)w);
    for (int i = 0; i < s->n_in; i++) {
        int64_t c = whole ? 32 * pick(1, 2) : pick(1, 40);
        s->in[i] = make_input(s, n, c, h, w);
        add_text(s, " channels%d=%d", i, (int)c);
        all += c;
    }
    s->out = (tensor){n, all, h, w, NULL};
}

static int64_t is_joined(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) {
    int i = 0;
    for (; c >= s->in[i].c; i++) c -= s->in[i].c;
    return at(&s->in[i], n, c, y, x);
}

#define X at(&s->in[0], n, c, y, x)
#define Y at(&s->in[1], n, c, y, x)
#define VALUE(name, e)                                                                                                 \
    static int64_t name(const instance *s, int64_t n, int64_t c, int64_t y, int64_t x) { return e; }
VALUE(is_add, (int64_t)X + Y)
VALUE(is_multiply, (int64_t)X *Y)
VALUE(is_max, X > Y ? X : Y)
VALUE(is_min, X < Y ? X : Y)
VALUE(is_identity, X)
VALUE(is_shift, X >> s->a)
VALUE(is_clip, X<s->a ? s->a : X> s->b ? s->b : X)
VALUE(is_relu, X < 0 ? 0 : X)
VALUE(is_leaky, X < 0 ? X >> s->a : X)
VALUE(is_bias, (int64_t)X + s->bias_of.v[c])

static const kind kinds[] = {
    {"add", make_two, is_add},
    {"multiply", make_two, is_multiply},
    {"max", make_two, is_max},
    {"min", make_two, is_min},
    {"identity", make_one, is_identity},
    {"shift", make_by, is_shift},
    {"clip", make_clip, is_clip},
    {"relu", make_one, is_relu},
    {"leaky_relu", make_by, is_leaky},
    {"bias_add", make_bias, is_bias},
    {"max_pool2d", make_windows, is_largest},
    {"max_pool2d", make_windows, is_largest},
    {"avg_pool2d", make_average, is_average},
    {"avg_pool2d", make_average, is_average},
    {"global_avg_pool2d", make_global, is_average},
    {"upsample2d", make_upsample, is_repeated},
    {"concat", make_concat, is_joined},
};
enum { OPERATORS = sizeof kinds / sizeof *kinds };

static void expect(instance *s, const kind *k) {
    tensor *t = &s->out;
    int64_t i = 0;
    t->v = malloc((size_t)size_of(t) * sizeof *t->v);
    for (int64_t n = 0; n < t->n; n++)
        for (int64_t c = 0; c < t->c; c++)
            for (int64_t y = 0; y < t->h; y++)
                for (int64_t x = 0; x < t->w; x++, i++) t->v[i] = follow(s, wrap(k->value(s, n, c, y, x)), c, i);
}

/* ---- Tiles ---- */

/* Where (image, channel, row, column) lies in an array of the operator's layout. */
typedef struct layout {
    int64_t blocks, rows, columns, batch, block;
    int bytes;
} layout;

static size_t place(const layout *l, int64_t n, int64_t c, int64_t y, int64_t x) {
    int64_t tile = ((n / l->batch * l->blocks + c / l->block) * l->rows + y) * l->columns + x;
    return (size_t)((tile * l->batch + n % l->batch) * l->block + c % l->block) * (size_t)l->bytes;
}

static layout layout_of(const te_tensor *t, int bytes, bool is_bias) {
    int64_t d[8];
    size_t n = te_tensor_ndim(t);
    for (size_t i = 0; i < n; i++) d[i] = te_tensor_dim(t, i);
    if (is_bias) return (layout){0, 1, 1, d[n - 2], d[n - 1], bytes};
    return (layout){n == 7 ? d[1] * d[2] : d[1], d[n - 4], d[n - 3], d[n - 2], d[n - 1], bytes};
}

/* What is not a real lane stays noise: no result may depend on it. */
static void put(uint8_t *to, const layout *l, const tensor *t) {
    for (int64_t n = 0; n < t->n; n++)
        for (int64_t c = 0; c < t->c; c++)
            for (int64_t y = 0; y < t->h; y++)
                for (int64_t x = 0; x < t->w; x++) {
                    int32_t value = at(t, n, c, y, x);
                    memcpy(to + place(l, n, c, y, x), &value, (size_t)l->bytes);
                }
}

static int32_t get(const uint8_t *from, const layout *l, int64_t n, int64_t c, int64_t y, int64_t x) {
    uint32_t value = 0;
    memcpy(&value, from + place(l, n, c, y, x), (size_t)l->bytes);
    return (int32_t)(value << (32 - 8 * l->bytes)) >> (32 - 8 * l->bytes);
}

/* ---- One case ---- */

typedef struct run {
    instance *s;
    const vta_config *config;
    vtac_op *op;
    vta_diag *diag;
    vta_array *arrays[ARRAYS];
    DLTensor *tensors[ARRAYS];
    layout layouts[ARRAYS];
    size_t n;
} run;

/* A tensor of channels has a row for each image of a tile, all equal. */
static tensor rows_of(const tensor *bias, int64_t batch) {
    tensor t = {batch, bias->c, 1, 1, malloc((size_t)(batch * bias->c) * sizeof *t.v)};
    for (int64_t i = 0; i < batch * bias->c; i++) t.v[i] = bias->v[i % bias->c];
    return t;
}

static void fill(run *r, size_t i, const tensor *t, bool is_bias) {
    size_t size = vta_array_bytes(r->arrays[i]);
    uint8_t *bytes = malloc(size);
    for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)pick(0, 255);
    if (is_bias) {
        tensor rows = rows_of(t, r->layouts[i].batch);
        put(bytes, &r->layouts[i], &rows);
        free(rows.v);
    } else {
        put(bytes, &r->layouts[i], t);
    }
    assert_int_equal(vta_array_write(r->arrays[i], bytes, size, NULL), VTA_OK);
    free(bytes);
}

static void make_arrays(run *r) {
    vtac_kernel *kernel = vtac_op_kernel(r->op);
    r->n = vtac_kernel_arg_count(kernel);
    assert_true(r->n <= ARRAYS);
    for (size_t i = 0; i < r->n; i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        int64_t dims[VTA_ARRAY_MAX_DIMS];
        size_t ndim = te_tensor_ndim(t);
        int bits = atoi(te_tensor_dtype(vtac_kernel_context(kernel), t) + 3);
        for (size_t d = 0; d < ndim; d++) dims[d] = te_tensor_dim(t, d);
        DLDataType type = {kDLInt, (uint8_t)bits, 1};
        assert_int_equal(vta_array_create(kDLExtDev, (int32_t)ndim, dims, type, NULL, r->diag, &r->arrays[i]), VTA_OK);
        r->tensors[i] = vta_array_tensor(r->arrays[i]);
        r->layouts[i] = layout_of(t, bits / 8, strncmp(te_tensor_name(t), "bias", 4) == 0);
    }
}

/* Inputs, then biases, then residuals. */
static void fill_arrays(run *r) {
    const instance *s = r->s;
    size_t i = 0;
    for (; i < (size_t)s->n_in; i++) fill(r, i, &s->in[i], false);
    if (s->bias) fill(r, i++, &s->bias_of, true);
    for (int k = 0; k < s->n_steps; k++)
        if (s->steps[k].kind == BIAS) fill(r, i++, &s->steps[k].values, true);
    for (int k = 0; k < s->n_steps; k++)
        if (s->steps[k].kind == RESIDUAL) fill(r, i++, &s->steps[k].values, false);
    assert_int_equal(i + 1, r->n);
}

/* Elements that saturated, at either end, and that wrapped. */
static uint64_t at_least, at_most, wrapped;

static int32_t narrowed(const instance *s, int32_t x, int bits) {
    int64_t half = INT64_C(1) << (bits - 1);
    if (s->wraps) {
        wrapped += x < -half || x >= half;
        return (int32_t)((uint32_t)x << (32 - bits)) >> (32 - bits);
    }
    at_least += x < -half, at_most += x >= half;
    return (int32_t)(x < -half ? -half : x >= half ? half - 1 : x);
}

static void compare(run *r) {
    const tensor *t = &r->s->out;
    const layout *l = &r->layouts[r->n - 1];
    size_t size = vta_array_bytes(r->arrays[r->n - 1]);
    uint8_t *got = malloc(size);
    assert_int_equal(vta_array_read(r->arrays[r->n - 1], got, size, NULL), VTA_OK);
    for (int64_t n = 0; n < t->n; n++)
        for (int64_t c = 0; c < t->c; c++)
            for (int64_t y = 0; y < t->h; y++)
                for (int64_t x = 0; x < t->w; x++) {
                    int32_t is = get(got, l, n, c, y, x);
                    int32_t should = narrowed(r->s, at(t, n, c, y, x), 8 * l->bytes);
                    if (is == should) continue;
                    fail_msg("%s %s on %s: image %d, channel %d, row %d, column %d: %d, not %d\n%s", r->s->name,
                             r->s->text, vta_config_bitstream(r->config), (int)n, (int)c, (int)y, (int)x, is, should,
                             vtac_op_text(r->op));
                }
    free(got);
}

static void execute(run *r, uint64_t order_seed) {
    vta_runtime *runtime;
    vta_device_options device = {.check = true, .order = VTA_ORDER_RANDOM, .seed = order_seed};
    vta_runtime_options options = {.device = &device};
    vta_packed_function function;
    assert_int_equal(vta_runtime_create(r->config, "sim", &options, NULL, r->diag, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    assert_int_equal(vtac_module_function(vtac_op_module(r->op), vtac_op_name(r->op), r->diag, &function), VTA_OK);
    make_arrays(r);
    fill_arrays(r);
    if (vta_function_call_tensors(function, r->tensors, (int)r->n, r->diag) != VTA_OK)
        fail_msg("%s %s: %s\n%s", r->s->name, r->s->text, vta_diag_text(r->diag), vtac_op_text(r->op));
    compare(r);
    for (size_t i = 0; i < r->n; i++) vta_array_free(r->arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

static void free_instance(instance *s) {
    for (int i = 0; i < s->n_steps; i++) free(s->steps[i].values.v);
    for (int i = 0; i < s->n_in; i++) free(s->in[i].v);
    free(s->bias_of.v);
    free(s->out.v);
}

static int counts[OPERATORS];

/* True unless not even one output fits the chip. */
static bool run_case(const vta_config *config, uint64_t number) {
    instance s = {.bits = (int)vta_config_width(config, VTA_MEM_INP)};
    vtac_op_result result = {0};
    seed_state = number * 7919 + 17;
    for (int i = 0; i < 8; i++) pick(0, 1);
    const kind *k = &kinds[pick(0, OPERATORS - 1)];
    snprintf(s.name, sizeof s.name, "%s", k->name);
    k->make(&s);
    make_steps(&s);
    run r = {.s = &s, .config = config, .diag = vta_diag_create(NULL)};
    vtac_op_options options = {.tries = 2};
    if (vtac_op_create(s.name, s.text, config, NULL, r.diag, &r.op) != VTA_OK)
        fail_msg("%s %s: %s", s.name, s.text, vta_diag_text(r.diag));
    vta_status status = vtac_op_schedule(r.op, &options, r.diag, &result);
    bool fits = status != VTA_UNSUPPORTED;
    counts[k - kinds]++;
    if ((fits && status != VTA_OK) || result.refused)
        fail_msg("%s %s on %s: %s", s.name, s.text, vta_config_bitstream(config), vta_diag_text(r.diag));
    if (fits) {
        expect(&s, k);
        execute(&r, number);
        if (result.cycles < result.bound)
            fail_msg("%s %s on %s: %d cycles, bound %d\n%s", s.name, s.text, vta_config_bitstream(config),
                     (int)result.cycles, (int)result.bound, vtac_op_text(r.op));
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
    for (size_t i = 0; i < OPERATORS; i++) print_message("%s %d\n", kinds[i].name, counts[i]);
    print_message("saturated: %d at the least, %d at the largest; %d wrapped\n", (int)at_least, (int)at_most,
                  (int)wrapped);
    if (at_least < n || at_most < n || wrapped < n) fail_msg("results hardly leave the output type");
    if (without > n / 20) fail_msg("%d of %d did not fit", (int)without, (int)n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

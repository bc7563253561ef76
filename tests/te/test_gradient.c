/* te_gradient: against differences of the values in doubles, for every function, for kinds of access written out here,
 * and for random computations; against sums written out for whole numbers; what is refused. */
#include <math.h>

#include "ir/interp.h"
#include "te_test.h"

enum { MAX = 512, PLACEHOLDERS = 4 };

static uint32_t state_of_random = 1;

static uint32_t compared, corners; /* elements of gradients; those where there is no slope */

static uint32_t random_below(uint32_t n) {
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (state_of_random >> 8) % n;
}

static size_t elements(const te_tensor *t) {
    size_t n = 1;
    for (size_t i = 0; i < te_tensor_ndim(t); i++) n *= (size_t)te_tensor_dim(t, i);
    return n;
}

/* What is evaluated: placeholders with their elements, the last one the head of the gradient. */
typedef struct problem {
    te_context *c;
    uint32_t n;
    te_tensor *tensors[PLACEHOLDERS + 1];
    double numbers[PLACEHOLDERS + 1][MAX];
    int32_t places[MAX];
    te_tensor *out, *head;
} problem;

static const void *data_of(const problem *p, uint32_t i) {
    const char *type = te_tensor_dtype(p->c, p->tensors[i]);
    return strcmp(type, "int32") == 0 ? (const void *)p->places : p->numbers[i];
}

static te_tensor *add_input(problem *p, const char *name, const char *type, size_t ndim, const int64_t *shape) {
    te_tensor *t = te_placeholder(p->c, name, type, ndim, shape);
    assert_non_null(t);
    assert_true(elements(t) <= MAX);
    for (size_t i = 0; i < elements(t); i++) {
        p->numbers[p->n][i] = (double)random_below(4000) / 1000 - 2 + 1e-4;
        p->places[i] = (int32_t)random_below(2);
    }
    return p->tensors[p->n++] = t;
}

static void evaluate(const problem *p, te_tensor *t, double *out) {
    const void *data[PLACEHOLDERS + 1];
    for (uint32_t i = 0; i < p->n; i++) data[i] = data_of(p, i);
    assert_true(elements(t) <= MAX * MAX);
    if (te_evaluate(p->c, t, p->n, p->tensors, data, out) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p->c)));
}

static double weighted(const problem *p) {
    static double out[MAX];
    double sum = 0;
    evaluate(p, p->out, out);
    for (size_t i = 0; i < elements(p->out); i++) sum += out[i] * p->numbers[p->n - 1][i];
    return sum;
}

/* The slope, and whether there is one: at a corner, such as where two largest values are equal, both sides differ. */
static bool slope(problem *p, uint32_t input, size_t at, double *out) {
    double keep = p->numbers[input][at], step = 1e-5, here = weighted(p);
    p->numbers[input][at] = keep + step;
    double above = weighted(p);
    p->numbers[input][at] = keep - step;
    double below = weighted(p);
    p->numbers[input][at] = keep;
    *out = (above - below) / (2 * step);
    return fabs(above - here - (here - below)) <= step * 1e-3 * (1 + fabs(*out)) || isnan(*out);
}

static void assert_near(const problem *p, const char *what, size_t at, double got, double want) {
    if (fabs(got - want) <= 2e-5 * (1 + fabs(want)) || (isnan(got) && isnan(want))) return;
    fail_msg("%s: element %zu of the gradient is %.12g, not %.12g\n%s", what, at, got, want,
             te_op_of_tensor_text(p->c, p->out));
}

typedef struct job {
    const vt_func *f;
    uint32_t n;
    vt_interp_arg args[PLACEHOLDERS + 2];
} job;

static vta_status interpret(vt_ctx *ctx, void *arg) {
    job *j = arg;
    return vt_interp_run(ctx, j->f, j->n, j->args, NULL);
}

/* The default schedule's loops give what the definition gives. */
static void check_lowered(problem *p, te_tensor *gradient, const double *want) {
    static double got[MAX];
    te_tensor *all[PLACEHOLDERS + 2];
    job j = {.n = p->n + 1};
    for (uint32_t i = 0; i < p->n; i++) {
        all[i] = p->tensors[i];
        j.args[i] = (vt_interp_arg){(void *)(uintptr_t)data_of(p, i), elements(all[i]), {.u = {0}}};
    }
    all[p->n] = gradient;
    j.args[p->n] = (vt_interp_arg){got, elements(gradient), {.u = {0}}};
    j.f = lower(te_schedule_create(p->c, 1, &gradient), j.n, all);
    if (!j.f || vt_protect(vt_te_ctx(p->c), interpret, &j) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p->c)));
    for (size_t i = 0; i < elements(gradient); i++)
        if (fabs(got[i] - want[i]) > 1e-9 * (1 + fabs(want[i])))
            fail_msg("lowered, element %zu is %.12g, not %.12g", i, got[i], want[i]);
}

/* Without a head every output element has a gradient of its own: weighted with the head, it is the other one. */
static void check_without_head(problem *p, uint32_t input, const double *want) {
    static double whole[MAX * MAX];
    te_tensor *gradient;
    size_t n = elements(p->tensors[input]), outs = elements(p->out);
    if (te_gradient(p->c, p->out, 1, &p->tensors[input], NULL, &gradient) != VTA_OK)
        fail_msg("%s", vta_diag_text(te_context_diag(p->c)));
    assert_int_equal(te_tensor_ndim(gradient), te_tensor_ndim(p->out) + te_tensor_ndim(p->tensors[input]));
    evaluate(p, gradient, whole);
    for (size_t x = 0; x < n; x++) {
        double sum = 0;
        for (size_t o = 0; o < outs; o++) sum += p->numbers[p->n - 1][o] * whole[o * n + x];
        assert_near(p, "without a head", x, sum, want[x]);
    }
}

/* Every input of floats. Ends the problem. */
static void check_gradients(problem *p, const char *what) {
    static double got[MAX];
    assert_fine(p->c);
    int64_t shape[8];
    for (size_t i = 0; i < te_tensor_ndim(p->out); i++) shape[i] = te_tensor_dim(p->out, i);
    uint32_t inputs = p->n;
    p->head = add_input(p, "head", "float64", te_tensor_ndim(p->out), shape);
    for (uint32_t k = 0; k < inputs; k++) {
        te_tensor *gradient;
        if (strcmp(te_tensor_dtype(p->c, p->tensors[k]), "int32") == 0) continue;
        if (te_gradient(p->c, p->out, 1, &p->tensors[k], p->head, &gradient) != VTA_OK)
            fail_msg("%s: %s", what, vta_diag_text(te_context_diag(p->c)));
        assert_int_equal(elements(gradient), elements(p->tensors[k]));
        evaluate(p, gradient, got);
        for (size_t i = 0; i < elements(gradient); i++) {
            double want;
            compared++;
            if (slope(p, k, i, &want))
                assert_near(p, what, i, got[i], want);
            else
                corners++;
        }
        check_lowered(p, gradient, got);
        check_without_head(p, k, got);
    }
    te_context_destroy(p->c);
}

/* ---- Functions ---- */

enum {
    ROWS = 0
#define VTA_MATH(name, function, operands, llvm, meaning) +1
#include "vta/math.def"
#undef VTA_MATH
};

/* Each function of vta/math.def where it has a derivative: x[i] * scale + offset has to be in its domain. */
static const struct {
    const char *body;
} functions[] = {
    {"exp(x[i])"},         {"log(x[i] + 3.0)"},
    {"sqrt(x[i] + 3.0)"},  {"tanh(x[i])"},
    {"floor(x[i])"},       {"ceil(x[i])"},
    {"round(x[i])"},       {"pow(x[i] + 3.0, y[i])"},
    {"trunc(x[i])"},       {"nearbyint(x[i])"},
    {"fabs(x[i])"},        {"fmod(x[i], y[i] + 3.0)"},
    {"exp2(x[i])"},        {"log2(x[i] + 3.0)"},
    {"log10(x[i] + 3.0)"}, {"log1p(x[i] + 2.0)"},
    {"sin(x[i])"},         {"cos(x[i])"},
    {"tan(x[i] / 2.0)"},   {"sinh(x[i])"},
    {"cosh(x[i])"},        {"asin(x[i] / 4.0)"},
    {"acos(x[i] / 4.0)"},  {"atan(x[i])"},
    {"asinh(x[i])"},       {"acosh(x[i] + 4.0)"},
    {"atanh(x[i] / 4.0)"}, {"atan2(x[i], y[i])"},
    {"hypot(x[i], y[i])"}, {"copysign(x[i], y[i])"},
    {"erf(x[i])"},
};

TEST_CASE(every_function) {
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    assert_int_equal(ROWS, FUNCTIONS);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        problem p = {.c = context_with(NULL)};
        char text[128], name[16];
        int length = (int)strcspn(functions[f].body, "(");
        snprintf(name, sizeof name, "%.*s", length, functions[f].body);
        bool found = false;
        for (int op = 0; op < TE_OP_COUNT; op++) found = found || strcmp(te_op_text((te_op)op), name) == 0;
        assert_true(found);
        add_input(&p, "x", "float64", 1, (int64_t[]){12});
        add_input(&p, "y", "float64", 1, (int64_t[]){12});
        snprintf(text, sizeof text, "r[i: 12] = %s", functions[f].body);
        p.out = te_define(p.c, text);
        check_gradients(&p, text);
    }
}

/* Functions that only the IR has. */
TEST_CASE(calls) {
    static const char *const names[] = {"sigmoid", "rsqrt"};
    for (int f = 0; f < 2; f++) {
        problem p = {.c = context_with(NULL)};
        te_tensor *x = add_input(&p, "x", "float64", 1, (int64_t[]){12});
        te_axis *i = te_axis_create(p.c, "i", 12);
        te_expr *at = te_axis_value(p.c, i), *three = te_float(p.c, "float64", 3);
        te_expr *value = te_add(p.c, te_load(p.c, x, 1, &at), three), *body;
        body = te_call(p.c, "float64", names[f], 1, &value);
        assert_int_equal(te_compute_axes(p.c, "r", NULL, 1, &i, 1, &body, &p.out), VTA_OK);
        check_gradients(&p, names[f]);
    }
}

/* ---- Accesses ---- */

/* d is 4 by 4, v has 12 elements, w 3, n whole numbers below 2. */
static const char *const accesses[] = {
    "r[i: 11] = v[i + 1]",
    "r[i: 12] = v[11 - i]",
    "r[i: 6] = v[2 * i]",
    "r[i: 4] = v[3 * i + 2] * v[i]",
    "r[i: 10] = sum[k: 3](v[i + k] * w[k])",
    "r[i: 5] = sum[k: 3](v[2 * i + k] * w[k])",
    "r[i: 3] = sum[k: 3](v[2 * i + 3 * k] * w[k])",
    "r[i: 2] = sum[k: 3](v[7 * i - 2 * k + 4] * w[k])",
    "r[i: 9] = w[i // 3]",
    "r[i: 9] = w[i % 3] * v[i]",
    "r[i: 8] = v[i % 3]",
    "r[i: 16] = d[i // 4, i % 4]",
    "r[i: 24] = v[(i // 2) % 12]",
    "r[i: 4, j: 4] = v[(4 * i + j) % 12] + d[i, j]",
    "r[i: 4, j: 3] = v[3 * i + j]",
    "r[i: 2, j: 2] = v[5 * i + 5 * j]",
    "r[i: 4] = d[i, i]",
    "r[i: 4, j: 4] = d[j, i] * d[i, j]",
    "r[i: 4] = d[i, 2] - v[3]",
    "r[i: 4] = sum[k: 4](d[i, k] * d[k, i])",
    "r[i: 4, j: 4] = sum[k: 4](d[k, k] - d[min(j + k, 3), j] * d[i, k])",
    "r[i: 12] = w[n[i]] * v[i]",
    "r[i: 12, j: 4] = d[n[i] + n[j], j]",
    "r[i: 4] = max[k: 4](d[i, k] * d[k, i])",
    "r[i: 4] = min[k: 4](d[i, k])",
    "r[i: 5] = max[k: 3](v[2 * i + k])",
    "r[i: 4] = max[k: 4, l: 4](d[k, l] * v[i])",
    "r[i: 14] = if_then_else(i >= 1 && i < 13, v[i - 1], 0.0)",
    "r[i: 12] = select(v[i] > 0.5, v[i] * v[i], -v[i])",
    "r[i: 12] = max(v[i], w[i % 3]) * min(v[i], 0.5)",
    "r[i: 12] = float64(float32(v[i])) * 0.0 + v[i] / (v[i] + 3.0)",
    "r[i: 12] = float64(1)",
    "r[i: 1, j: 1] = v[i + 5 * j]",
    "r[i: 4] = sum[k: 4](d[i, k], v[i] * v[3])",
};

TEST_CASE(every_access) {
    for (size_t n = 0; n < sizeof accesses / sizeof *accesses; n++) {
        problem p = {.c = context_with(NULL)};
        add_input(&p, "v", "float64", 1, (int64_t[]){12});
        add_input(&p, "d", "float64", 2, (int64_t[]){4, 4});
        add_input(&p, "w", "float64", 1, (int64_t[]){3});
        add_input(&p, "n", "int32", 1, (int64_t[]){12});
        p.out = te_define(p.c, accesses[n]);
        check_gradients(&p, accesses[n]);
    }
}

/* No sum where an element is read at one point, and no larger one than needed. */
TEST_CASE(sums_are_short) {
    static const struct {
        const char *body;
        int64_t points; /* of the sum behind one element of the gradient by v; 0: no sum */
    } rows[] = {{"r[i: 11] = v[i + 1]", 0},          {"r[i: 10] = sum[k: 3](v[i + k] * w[k])", 3},
                {"r[i: 4, j: 3] = v[3 * i + j]", 3}, {"r[i: 5] = sum[k: 3](v[2 * i + k] * w[k])", 3},
                {"r[i: 24] = v[(i // 2) % 12]", 2},  {"r[i: 12, j: 3] = v[i] * w[j]", 3}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        te_context *c = context_with(NULL);
        te_tensor *v = te_placeholder(c, "v", "float64", 1, (int64_t[]){12}), *gradient;
        te_placeholder(c, "w", "float64", 1, (int64_t[]){3});
        te_tensor *r = te_define(c, rows[n].body), *head;
        int64_t shape[2] = {te_tensor_dim(r, 0), te_tensor_ndim(r) > 1 ? te_tensor_dim(r, 1) : 0};
        head = te_placeholder(c, "head", "float64", te_tensor_ndim(r), shape);
        assert_int_equal(te_gradient(c, r, 1, &v, head, &gradient), VTA_OK);
        int64_t points = te_tensor_reduce_axes(gradient) ? 1 : 0;
        for (size_t k = 0; k < te_tensor_reduce_axes(gradient); k++)
            points *= te_axis_extent(te_tensor_reduce_axis(gradient, k));
        if (points != rows[n].points) fail_msg("%s: a sum over %d points", rows[n].body, (int)points);
        te_context_destroy(c);
    }
}

/* A product, whose points all count differently, and a product and a sum whose condition leaves points out. */
TEST_CASE(products) {
    for (int which = 0; which < 3; which++) {
        problem p = {.c = context_with(NULL)};
        te_tensor *d = add_input(&p, "d", "float64", 2, (int64_t[]){4, 5});
        te_axis *i = te_axis_create(p.c, "i", 4), *k = te_reduce_axis(p.c, "k", 1, 4);
        te_expr *x = te_operand(p.c, "x", "float64"), *y = te_operand(p.c, "y", "float64"), *result;
        te_expr *at[] = {te_axis_value(p.c, i), te_axis_value(p.c, k)}, *value = te_load(p.c, d, 2, at);
        te_expr *product = which == 2 ? te_add(p.c, x, y) : te_mul(p.c, x, y);
        te_expr *one = te_float(p.c, "float64", which == 2 ? 0 : 1);
        te_reducer *r = te_reducer_create(p.c, 1, &x, &y, &product, &one);
        te_expr *where = which ? te_parse(p.c, "k != 2") : NULL;
        assert_int_equal(te_reduce_with(p.c, r, &value, NULL, where, 1, &k, &result), VTA_OK);
        assert_int_equal(te_compute_axes(p.c, "r", NULL, 1, &i, 1, &result, &p.out), VTA_OK);
        check_gradients(&p, "a product");
    }
}

/* ---- Exactly ---- */

/* Of C = A B the gradients by A and B are head Bt and At head: whole numbers, so to the last bit. */
TEST_CASE(matrices) {
    enum { N = 3, M = 4, K = 5 };
    te_context *c = context_with(NULL);
    te_tensor *in[3] = {te_placeholder(c, "a", "float32", 2, (int64_t[]){N, K}),
                        te_placeholder(c, "b", "float32", 2, (int64_t[]){K, M})},
              *out, *by[2];
    float a[N][K], b[K][M], h[N][M], by_a[N][K], by_b[K][M];
    for (int i = 0; i < N * K; i++) a[i / K][i % K] = (float)(i * 7 % 11 - 5);
    for (int i = 0; i < K * M; i++) b[i / M][i % M] = (float)(i * 5 % 13 - 6);
    for (int i = 0; i < N * M; i++) h[i / M][i % M] = (float)(i * 3 % 7 - 3);
    out = te_define(c, "c[i: 3, j: 4] = sum[k: 5](a[i, k] * b[k, j])");
    in[2] = te_placeholder(c, "head", "float32", 2, (int64_t[]){N, M});
    assert_int_equal(te_gradient(c, out, 2, in, in[2], by), VTA_OK);
    const void *data[] = {a, b, h};
    assert_int_equal(te_evaluate(c, by[0], 3, in, data, by_a), VTA_OK);
    assert_int_equal(te_evaluate(c, by[1], 3, in, data, by_b), VTA_OK);
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < N; i++) {
            float want = 0;
            for (int j = 0; j < M; j++) want += h[i][j] * b[k][j];
            assert_true(by_a[i][k] == want);
        }
        for (int j = 0; j < M; j++) {
            float want = 0;
            for (int i = 0; i < N; i++) want += a[i][k] * h[i][j];
            assert_true(by_b[k][j] == want);
        }
    }
    te_context_destroy(c);
}

/* Of equal largest values the first counts; a gradient by a tensor on the way, by the output itself, and by what it
 * does not depend on. */
TEST_CASE(special) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}), *by[4];
    te_tensor *other = te_placeholder(c, "u", "float32", 1, (int64_t[]){2}), *head;
    te_tensor *middle = te_define(c, "m[i: 4] = v[i] * 2.0"), *out = te_define(c, "r[i: 1] = max[k: 4](m[k])");
    head = te_placeholder(c, "head", "float32", 2, (int64_t[]){2, 1});
    te_tensor *inputs[] = {v, middle, out, other}, *given[] = {v, head};
    assert_int_equal(te_gradient(c, out, 4, inputs, head, by), VTA_OK);
    const float values[] = {1, 3, 3, 2}, heads[] = {1, 10};
    static const float want[4][8] = {{0, 2, 0, 0, 0, 20, 0, 0}, {0, 1, 0, 0, 0, 10, 0, 0}, {1, 10}, {0, 0, 0, 0}};
    assert_ptr_equal(by[2], head);
    for (int k = 0; k < 4; k++) {
        float got[8];
        if (by[k] == head) continue;
        assert_int_equal(te_tensor_dim(by[k], 0), 2);
        assert_int_equal(te_evaluate(c, by[k], 2, given, (const void *[]){values, heads}, got), VTA_OK);
        for (size_t i = 0; i < elements(by[k]); i++) assert_true(got[i] == want[k][i]);
    }
    te_context_destroy(c);
}

/* The output by itself, without a head: 1 where the indices agree. */
TEST_CASE(by_itself) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 2, (int64_t[]){2, 3}), *by[2];
    te_tensor *out = te_define(c, "r[i: 2, j: 3] = v[i, j] * v[i, j]"), *inputs[] = {out, v};
    const float values[] = {1, 2, 3, 4, 5, 6};
    assert_int_equal(te_gradient(c, out, 2, inputs, NULL, by), VTA_OK);
    for (int k = 0; k < 2; k++) {
        float got[36];
        assert_int_equal(elements(by[k]), 36);
        assert_int_equal(te_evaluate(c, by[k], 1, &v, (const void *[]){values}, got), VTA_OK);
        for (int i = 0; i < 36; i++) assert_true(got[i] == (i / 6 != i % 6 ? 0 : k ? 2 * values[i / 6] : 1));
    }
    te_context_destroy(c);
}

/* ---- At random ---- */

typedef struct program {
    problem p;
    uint32_t n;
    te_tensor *tensors[8];
    char text[4096];
} program;

/* An index below `extent`, of axes of which `n` exist; the reduce axis k is the last where there is one. */
static void add_index(program *g, uint32_t n, bool reduce, int64_t extent) {
    char *to = g->text + strlen(g->text), axis[8];
    uint32_t which = random_below(n + (reduce ? 1 : 0));
    snprintf(axis, sizeof axis, which == n ? "k" : "i%u", which);
    switch (random_below(6)) {
    case 0: sprintf(to, "(%s * %u + %u) %% %d", axis, random_below(3) + 1, random_below(3), (int)extent); break;
    case 1: sprintf(to, "(%s // 2 + %u) %% %d", axis, random_below(2), (int)extent); break;
    case 2: sprintf(to, "(%d - %s) %% %d", (int)extent * 4, axis, (int)extent); break;
    case 3: sprintf(to, "(i0 + %s) %% %d", axis, (int)extent); break;
    case 4: sprintf(to, "n[%s]", axis); break;
    default: sprintf(to, "min(%s, %d)", axis, (int)extent - 1);
    }
}

static void add_read(program *g, uint32_t n, bool reduce) {
    te_tensor *t = g->tensors[random_below(g->n)];
    sprintf(g->text + strlen(g->text), "%s[", te_tensor_name(t));
    for (size_t i = 0; i < te_tensor_ndim(t); i++) {
        if (i) strcat(g->text, ", ");
        add_index(g, n, reduce, te_tensor_dim(t, i));
    }
    strcat(g->text, "]");
}

/* Bounded expressions: functions are called where they and their derivatives exist. */
static void add_value(program *g, uint32_t n, bool reduce, int depth) {
    static const char *const patterns[] = {
        "(@ + @)",
        "(@ - @)",
        "(@ * @)",
        "(@ / (2.5 + tanh(@)))",
        "max(@, @)",
        "min(@, @)",
        "sin(@)",
        "exp(tanh(@))",
        "log(1.5 + tanh(@))",
        "sqrt(2.0 + sin(@))",
        "pow(1.5 + tanh(@), cos(@))",
        "select(@ < 0.3, @, @)",
        "if_then_else(i0 % 2 == 0, @, @)",
        "(-@)",
        "floor(@)",
        "float64(int32(@)) * @",
        "@ * @",
        "atan2(@, 3.0 + sin(@))",
    };
    if (depth == 0 || random_below(4) == 0) {
        add_read(g, n, reduce);
        return;
    }
    for (const char *p = patterns[random_below(sizeof patterns / sizeof *patterns)]; *p; p++) {
        if (*p == '@')
            add_value(g, n, reduce, depth - 1);
        else
            strncat(g->text, p, 1);
    }
}

static void add_computation(program *g, uint32_t number) {
    static const char *const kinds[] = {"sum", "max", "min"};
    uint32_t ndim = random_below(2) + 1, k = random_below(5);
    sprintf(g->text, "t%u[", number);
    for (uint32_t i = 0; i < ndim; i++)
        sprintf(g->text + strlen(g->text), "%si%u: %u", i ? ", " : "", i, random_below(3) + 2);
    strcat(g->text, "] = ");
    if (k < 3) sprintf(g->text + strlen(g->text), "%s[k: %u](", kinds[k], random_below(2) + 2);
    add_value(g, ndim, k < 3, 2);
    if (k < 3) strcat(g->text, ")");
    te_tensor *t = te_define(g->p.c, g->text);
    if (!t) fail_msg("%s\n%s", g->text, vta_diag_text(te_context_diag(g->p.c)));
    g->tensors[g->n++] = g->p.out = t;
}

TEST_CASE(at_random) {
    for (uint32_t round = 1; round <= 2000; round++) {
        static program g;
        state_of_random = round * 7919;
        g = (program){.p = {.c = context_with(NULL)}};
        g.tensors[g.n++] = add_input(&g.p, "a", "float64", 2, (int64_t[]){3, 4});
        g.tensors[g.n++] = add_input(&g.p, "b", "float64", 1, (int64_t[]){5});
        add_input(&g.p, "n", "int32", 1, (int64_t[]){4});
        uint32_t n = random_below(3) + 1;
        for (uint32_t k = 0; k < n; k++) add_computation(&g, k);
        check_gradients(&g.p, g.text);
    }
    assert_true(corners * 50 < compared);
}

/* ---- What is refused ---- */

TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}),
              *i = te_placeholder(c, "i", "int32", 1, (int64_t[]){4});
    te_tensor *r = te_define(c, "r[i0: 4] = v[i0] * 2.0"), *whole = te_define(c, "w[i0: 4] = int32(v[i0])"), *by;
    te_tensor *short_head = te_placeholder(c, "h", "float32", 1, (int64_t[]){3});
    te_tensor *wide_head = te_placeholder(c, "h64", "float64", 1, (int64_t[]){4});
    te_tensor *scalar_head = te_placeholder(c, "h0", "float32", 0, NULL);
    const struct {
        te_tensor *out, *in, *head;
        const char *why;
    } rows[] = {
        {whole, v, NULL, "the output w is int32: only floats have derivatives"},
        {r, i, NULL, "the input i is int32"},
        {r, v, short_head, "the head h of the gradient of r has 1 dimensions; its last ones must be those of r"},
        {r, v, scalar_head, "the head h0 of the gradient of r has 0 dimensions"},
        {r, v, wide_head, "the head h64 of the gradient of r is float64, not float32"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        by = v;
        assert_int_equal(te_gradient(c, rows[k].out, 1, (te_tensor *[]){rows[k].in}, rows[k].head, &by),
                         VTA_INVALID_ARGUMENT);
        assert_null(by);
        assert_refused(c, VTA_INVALID_ARGUMENT, rows[k].why);
    }
    assert_int_equal(te_gradient(c, r, 1, &v, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(te_gradient(c, (te_tensor *)(void *)te_int(c, NULL, 1), 1, &v, NULL, &by), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "an output");
    te_context_destroy(c);
}

TEST_CASE(without_a_derivative) {
    te_context *c = context_with(NULL);
    te_tensor *v = te_placeholder(c, "v", "float32", 1, (int64_t[]){4}), *out[2], *by;
    te_axis *i = te_axis_create(c, "i", 4), *k = te_reduce_axis(c, "k", 0, 4), *one = te_axis_create(c, "i", 1);
    te_expr *at = te_axis_value(c, i), *value = te_load(c, v, 1, &at),
            *body = te_call(c, "float32", "strange", 1, &value);
    assert_int_equal(te_compute_axes(c, "f", NULL, 1, &i, 1, &body, out), VTA_OK);
    if (te_gradient(c, out[0], 1, &v, NULL, &by) != VTA_UNSUPPORTED) fail_msg("%s", vta_diag_text(te_context_diag(c)));
    assert_refused(c, VTA_UNSUPPORTED,
                   "the derivative of strange, which f calls with a value that is differentiated, is not known");
    te_expr *x[] = {te_operand(c, "x", "float32"), te_operand(c, "p", "float32")}, *results[2];
    te_expr *y[] = {te_operand(c, "y", "float32"), te_operand(c, "q", "float32")};
    te_expr *sums[] = {te_add(c, x[0], y[0]), te_mul(c, x[1], y[1])}, *start = te_float(c, "float32", 2);
    te_expr *ids[] = {te_float(c, "float32", 0), te_float(c, "float32", 1)};
    at = te_axis_value(c, k);
    value = te_load(c, v, 1, &at);
    te_expr *values[] = {value, value};
    te_reducer *two = te_reducer_create(c, 2, x, y, sums, ids),
               *product = te_reducer_create(c, 1, x + 1, y + 1, sums + 1, ids + 1);
    assert_int_equal(te_reduce_with(c, two, values, NULL, NULL, 1, &k, results), VTA_OK);
    assert_int_equal(te_compute_axes(c, "g", NULL, 1, &one, 2, results, out), VTA_OK);
    assert_int_equal(te_gradient(c, out[0], 1, &v, NULL, &by), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "g cannot be differentiated: its reduction has 2 results");
    assert_int_equal(te_reduce_with(c, product, values, &start, NULL, 1, &k, results), VTA_OK);
    assert_int_equal(te_compute_axes(c, "h", NULL, 1, &one, 1, results, out), VTA_OK);
    assert_int_equal(te_gradient(c, out[0], 1, &v, NULL, &by), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "its reduction is no sum and starts at a value");
    te_tensor *state_of = te_placeholder(c, "s", "float32", 2, (int64_t[]){4, 4}), *scan;
    te_tensor *first = te_define(c, "s0[t: 1, j: 4] = v[j]"),
              *next = te_define(c, "s1[t: 4, j: 4] = s[t - 1, j] + v[j]");
    assert_int_equal(te_scan(c, "scan", NULL, 1, &first, &next, &state_of, &scan), VTA_OK);
    assert_int_equal(te_gradient(c, scan, 1, &v, NULL, &by), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "scan cannot be differentiated: it is a scan");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }

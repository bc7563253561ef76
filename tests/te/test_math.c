/* Every function of vta/math.def: what the reference evaluation and the interpreter of lowered code make of it, against
 * the C library by a table of this file's own. (Compiled code is held by tests/python/test_math.py, against numpy.) */
#include <math.h>

#include "ir/interp.h"
#include "te_test.h"

enum {
    ROWS = 0
#define VTA_MATH(name, function, operands, llvm, meaning) +1
#include "vta/math.def"
#undef VTA_MATH
};

static const struct {
    te_op op;
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {TE_EXP, "exp", exp, NULL},       {TE_LOG, "log", log, NULL},
    {TE_SQRT, "sqrt", sqrt, NULL},    {TE_TANH, "tanh", tanh, NULL},
    {TE_FLOOR, "floor", floor, NULL}, {TE_CEIL, "ceil", ceil, NULL},
    {TE_ROUND, "round", round, NULL}, {TE_POW, "pow", NULL, pow},
    {TE_TRUNC, "trunc", trunc, NULL}, {TE_NEARBYINT, "nearbyint", nearbyint, NULL},
    {TE_FABS, "fabs", fabs, NULL},    {TE_FMOD, "fmod", NULL, fmod},
    {TE_EXP2, "exp2", exp2, NULL},    {TE_LOG2, "log2", log2, NULL},
    {TE_LOG10, "log10", log10, NULL}, {TE_LOG1P, "log1p", log1p, NULL},
    {TE_SIN, "sin", sin, NULL},       {TE_COS, "cos", cos, NULL},
    {TE_TAN, "tan", tan, NULL},       {TE_SINH, "sinh", sinh, NULL},
    {TE_COSH, "cosh", cosh, NULL},    {TE_ASIN, "asin", asin, NULL},
    {TE_ACOS, "acos", acos, NULL},    {TE_ATAN, "atan", atan, NULL},
    {TE_ASINH, "asinh", asinh, NULL}, {TE_ACOSH, "acosh", acosh, NULL},
    {TE_ATANH, "atanh", atanh, NULL}, {TE_ATAN2, "atan2", NULL, atan2},
    {TE_HYPOT, "hypot", NULL, hypot}, {TE_COPYSIGN, "copysign", NULL, copysign},
    {TE_ERF, "erf", erf, NULL},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, N = 12 };

/* Outside of a function's domain the result is a NaN, as the C library's. */
static const double xs[N] = {0.25, 0.5, 0.75, 1.0, -0.5, 2.5, -2.5, 3.5, 0.1, -1.75, 7.3, 1e-3};
static const double ys[N] = {2.0, -0.5, 3.0, 0.5, 2.0, -1.0, 3.0, 1.5, -2.0, 0.75, 2.0, -3.0};

static double expected(size_t f, double x, double y) {
    return functions[f].one ? functions[f].one(x) : functions[f].two(x, y);
}

typedef struct job {
    const vt_func *f;
    uint32_t n;
    vt_interp_arg args[3];
} job;

static vta_status interpret(vt_ctx *ctx, void *arg) {
    job *j = arg;
    return vt_interp_run(ctx, j->f, j->n, j->args, NULL);
}

static bool same(double got, double want) { return got == want || (isnan(got) && isnan(want)); }

static void check(size_t f, const char *who, const void *got, bool wide) {
    for (int n = 0; n < N; n++) {
        double x = wide ? xs[n] : (double)(float)xs[n], y = wide ? ys[n] : (double)(float)ys[n];
        double want = expected(f, x, y), is = wide ? ((const double *)got)[n] : (double)((const float *)got)[n];
        if (!same(is, wide ? want : (double)(float)want))
            fail_msg("%s: %s(%g, %g) is %.17g, not %.17g", who, functions[f].name, x, y, is, want);
    }
}

static void run_one(size_t f, bool wide) {
    te_context *c = context_with(NULL);
    const char *type = wide ? "float64" : "float32";
    float x32[N], y32[N];
    for (int n = 0; n < N; n++) x32[n] = (float)xs[n], y32[n] = (float)ys[n];
    te_tensor *t[3] = {te_placeholder(c, "x", type, 1, (int64_t[]){N}),
                       te_placeholder(c, "y", type, 1, (int64_t[]){N})};
    char text[64];
    snprintf(text, sizeof text, functions[f].one ? "r[i: %d] = %s(x[i])" : "r[i: %d] = %s(x[i], y[i])", N,
             functions[f].name);
    t[2] = te_define(c, text);
    assert_fine(c);
    double got[N];
    const void *data[] = {wide ? (const void *)xs : x32, wide ? (const void *)ys : y32};
    assert_int_equal(te_evaluate(c, t[2], 2, t, data, got), VTA_OK);
    check(f, "te_evaluate", got, wide);
    job j = {lower(te_schedule_create(c, 1, &t[2]), 3, t), 3, {{NULL, N}, {NULL, N}, {got, N}}};
    for (int k = 0; k < 2; k++) j.args[k].data = (void *)(uintptr_t)data[k];
    memset(got, 0x55, sizeof got);
    assert_int_equal(vt_protect(vt_te_ctx(c), interpret, &j), VTA_OK);
    check(f, "the interpreter", got, wide);
    te_context_destroy(c);
}

TEST_CASE(every_function) {
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (int wide = 0; wide < 2; wide++) run_one(f, wide != 0);
}

/* A row without a reference fails here. */
TEST_CASE(every_row_has_a_reference) {
    assert_int_equal(ROWS, FUNCTIONS);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        assert_string_equal(te_op_text(functions[f].op), functions[f].name);
        assert_int_equal(te_op_operands(functions[f].op), functions[f].one ? 1 : 2);
    }
}

/* Integers are refused, with what to do. */
TEST_CASE(integers) {
    for (size_t f = 0; f < FUNCTIONS; f++) {
        te_context *c = context_with(NULL);
        char text[64], *words;
        te_placeholder(c, "x", "int32", 1, (int64_t[]){N});
        snprintf(text, sizeof text, functions[f].one ? "r[i: %d] = %s(x[i])" : "r[i: %d] = %s(x[i], 2.0)", N,
                 functions[f].name);
        assert_null(te_define(c, text));
        words = take_messages(c);
        snprintf(text, sizeof text, "the operand of %s is not a float: cast it first", functions[f].name);
        if (!strstr(words, text)) fail_msg("expected \"%s\" in \"%s\"", text, words);
        free(words);
        te_context_destroy(c);
    }
}

int main(void) { return run_cases(); }

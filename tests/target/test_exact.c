/* Exact values of index expressions, and all of them over loops: which can be told, and how many loops are too many. */
#include "ir/build.h"
#include "lower/vta/exact.h"
#include "support/diag.h"

static vt_ctx *now;
static const vt_var *x, *y, *unknown; /* 3, -2 */

#define C now
static const vt_expr *n(int64_t value) { return vt_i32(C, value); }
static const vt_expr *bin(vt_expr_kind kind, const vt_expr *a, const vt_expr *b) { return vt_e_bin(C, kind, a, b); }
static const vt_expr *op(vt_op which, const vt_expr *a, const vt_expr *b, const vt_expr *c) {
    const vt_expr *args[] = {a, b, c};
    return vt_e_call(C, b ? b->dtype : a->dtype, which, b ? 3 : 1, args);
}

/* ---- One value --------------------------------------------------------------------------------------------------- */

static void value_is(const char *what, const vt_expr *e, int64_t want) {
    vt_known known = {.n = 3, .vars = {y, x, y}, .values = {99, 3, -2}}; /* the innermost y counts */
    int64_t got = 12345;
    if (!vt__exact_value(&known, e, &got)) fail_msg("%s cannot be told", what);
    if (got != want) fail_msg("%s is %lld, not %lld", what, (long long)got, (long long)want);
}
static void no_value(const char *what, const vt_expr *e) {
    vt_known known = {.n = 2, .vars = {x, y}, .values = {3, -2}};
    int64_t got;
    if (vt__exact_value(&known, e, &got)) fail_msg("%s is %lld", what, (long long)got);
}
#define VALUE(e, want) value_is(#e, e, want)
#define NO_VALUE(e) no_value(#e, e)

static vta_status single_values(vt_ctx *ctx, void *arg) {
    (void)arg;
    C = ctx;
    x = vt_var_new(C, "x", VT_I32), y = vt_var_new(C, "y", VT_I32), unknown = vt_var_new(C, "z", VT_I32);
    const vt_expr *yes = bin(VT_E_GT, x, y), *no = bin(VT_E_LT, x, y), *open = bin(VT_E_LT, unknown, n(0));
    VALUE(n(-7), -7);
    VALUE(y, -2);
    VALUE(bin(VT_E_MUL, x, bin(VT_E_SUB, y, n(5))), -21);
    VALUE(bin(VT_E_FLOORDIV, y, x), -1);
    VALUE(bin(VT_E_FLOORMOD, y, x), 1);
    VALUE(bin(VT_E_DIV, y, x), 0);
    VALUE(bin(VT_E_FLOORDIV, x, bin(VT_E_ADD, y, n(2))), 0); /* by zero: as compiled code does */
    VALUE(bin(VT_E_FLOORMOD, x, bin(VT_E_ADD, y, n(2))), 3);
    VALUE(bin(VT_E_MAX, x, y), 3);
    VALUE(bin(VT_E_MUL, x, n(INT32_MAX)), (int32_t)(3 * (int64_t)INT32_MAX)); /* it wraps as 32 bits do */
    VALUE(yes, 1);
    VALUE(no, 0);
    /* only the side that is chosen must be known */
    VALUE(vt_e_select(C, yes, x, unknown), 3);
    VALUE(vt_e_select(C, no, unknown, y), -2);
    VALUE(op(VT_OP_IF_THEN_ELSE, yes, y, unknown), -2);
    VALUE(op(VT_OP_LIKELY, no, NULL, NULL), 0);
    VALUE(bin(VT_E_AND, yes, no), 0);
    VALUE(bin(VT_E_AND, yes, yes), 1);
    VALUE(bin(VT_E_OR, no, yes), 1);
    VALUE(bin(VT_E_OR, no, no), 0);
    VALUE(vt_e_not(C, no), 1);
    VALUE(vt_e_not(C, yes), 0);
    NO_VALUE(unknown);
    NO_VALUE(bin(VT_E_ADD, x, unknown));
    NO_VALUE(bin(VT_E_ADD, unknown, x));
    NO_VALUE(vt_e_select(C, open, x, y));
    NO_VALUE(vt_e_select(C, yes, unknown, y));
    NO_VALUE(bin(VT_E_AND, no, open));
    NO_VALUE(bin(VT_E_OR, open, yes));
    NO_VALUE(vt_e_not(C, open));
    NO_VALUE(op(VT_OP_LIKELY, open, NULL, NULL));
    NO_VALUE(vt_e_cast(C, VT_I64, x));
    NO_VALUE(bin(VT_E_ADD, vt_e_broadcast(C, x, 4), vt_e_broadcast(C, y, 4)));
    NO_VALUE(bin(VT_E_LT, vt_e_cast(C, VT_F32, x), vt_float(C, VT_F32, 1)));
    return VTA_OK;
}

/* ---- All values -------------------------------------------------------------------------------------------------- */

typedef struct visits {
    int64_t n, most, sum, crossed; /* calls, how many it wants, of the first expression, of both */
} visits;

static bool visit(void *user, const int64_t *values) {
    visits *v = user;
    v->sum += values[0];
    v->crossed += values[0] * values[1];
    return ++v->n < v->most;
}

/* A sum of the first so many loops, and the last one's variable. */
static bool all(uint32_t loops, const int64_t *extents, uint32_t used, visits *out) {
    vt_around around = {.n = 0};
    const vt_expr *exprs[2] = {n(0), n(1)};
    *out = (visits){.most = out->most};
    for (uint32_t i = 0; i < loops; i++) {
        const vt_var *v = vt_var_new(C, "i", VT_I32);
        vt__around_enter(C, &around, v, n(10), n(extents[i]));
        if (i < used) exprs[0] = bin(VT_E_ADD, exprs[0], v), exprs[1] = v;
    }
    assert_int_equal(around.n, loops);
    return vt__exact_values(C, &around, 2, exprs, visit, out);
}

static const struct {
    uint32_t loops, used;
    int64_t extents[18];
    int64_t count; /* of combinations; 0: too many */
} nests[] = {
    {1, 1, {5}, 5},
    {2, 2, {5, 7}, 35},
    {3, 2, {5, 7, 100000}, 35}, /* what is not used does not count */
    {1, 1, {1 << 16}, 1 << 16},
    {1, 1, {(1 << 16) + 1}, 0},
    {2, 2, {1 << 8, 1 << 8}, 1 << 16},
    {2, 2, {1 << 8, (1 << 8) + 1}, 0},
    {16, 16, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 1 << 16},
    {17, 16, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 9}, 3},
    {17, 17, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0},
    {1, 0, {9}, 1},
};

static vta_status all_values(vt_ctx *ctx, void *arg) {
    (void)arg;
    C = ctx;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        visits v = {.most = INT64_MAX};
        assert_int_equal(all(nests[i].loops, nests[i].extents, nests[i].used, &v), nests[i].count != 0);
        if (v.n != nests[i].count) fail_msg("nest %zu: %lld visits", i, (long long)v.n);
    }
    /* 10 to 14 and 10 to 12: each pair once */
    visits v = {.most = INT64_MAX};
    assert_true(all(2, (const int64_t[]){5, 3}, 2, &v));
    assert_int_equal(v.sum, 3 * (10 + 11 + 12 + 13 + 14) + 5 * (10 + 11 + 12));
    assert_int_equal(v.crossed, (10 + 11 + 12 + 13 + 14) * (10 + 11 + 12) + 5 * (100 + 121 + 144));
    v.most = 4; /* a visit that has seen enough */
    assert_true(all(2, (const int64_t[]){5, 3}, 2, &v));
    assert_int_equal(v.n, 4);
    return VTA_OK;
}

/* Too many combinations are too many, also where a loop's variable is never asked for; and a loop counts that only the
 * last expression uses. */
static vta_status unasked_loops(vt_ctx *ctx, void *arg) {
    (void)arg;
    C = ctx;
    static const int64_t extents[] = {2, 1 << 15, (1 << 15) + 1, (1 << 16) + 1};
    for (int i = 0; i < 4; i++) {
        const vt_var *a = vt_var_new(C, "a", VT_I32), *b = vt_var_new(C, "b", VT_I32);
        const vt_expr *low = bin(VT_E_LT, a, n(100)), *exprs[] = {n(1), vt_e_select(C, low, a, b)};
        vt_around around = {.n = 0};
        visits v = {.most = INT64_MAX};
        vt__around_enter(C, &around, a, n(7), n(2));
        vt__around_enter(C, &around, b, n(0), n(extents[i]));
        assert_int_equal(vt__exact_values(C, &around, 2, exprs, visit, &v), i < 2);
        if (i < 2) assert_int_equal(v.crossed, extents[i] * (7 + 8));
    }
    return VTA_OK;
}

/* Loops whose ranges nobody knows are none. */
static vta_status unknown_loops(vt_ctx *ctx, void *arg) {
    (void)arg;
    C = ctx;
    const vt_var *a = vt_var_new(C, "a", VT_I32), *b = vt_var_new(C, "b", VT_I32), *m = vt_var_new(C, "m", VT_I32);
    vt_around around = {.n = 0};
    visits v = {.most = INT64_MAX};
    vt__around_enter(C, &around, a, m, n(4));
    vt__around_enter(C, &around, a, n(4), m);
    assert_int_equal(around.n, 0);
    vt__around_enter(C, &around, b, n(6), n(2));
    assert_null(vt__around_find(&around, a));
    assert_int_equal(vt__around_find(&around, b)->min, 6);
    assert_true(vt__exact_values(C, &around, 2, (const vt_expr *const[]){b, b}, visit, &v));
    assert_int_equal(v.crossed, 36 + 49);
    assert_false(vt__exact_values(C, &around, 2, (const vt_expr *const[]){b, a}, visit, &v));
    vt__around_enter(C, &around, b, n(1), n(3)); /* hides the one around it */
    assert_int_equal(vt__around_find(&around, b)->extent, 3);
    return VTA_OK;
}

static void protected_by(vta_status (*test)(vt_ctx *ctx, void *arg)) {
    vt_ctx ctx;
    vt_ctx_init(&ctx, NULL, diag);
    must(vt_protect(&ctx, test, NULL));
    vt_ctx_clear(&ctx);
}
TEST_CASE(test_single_values) { protected_by(single_values); }
TEST_CASE(test_all_values) { protected_by(all_values); }
TEST_CASE(test_unasked_loops) { protected_by(unasked_loops); }
TEST_CASE(test_unknown_loops) { protected_by(unknown_loops); }

int main(void) { return run_cases_between(diag_begin, diag_end); }

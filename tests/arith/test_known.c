/* What an analyzer is told: a variable is bound once, or again to the same, or again on purpose; and the sets of values
 * of conditions. */
#include "arith/intset.h"
#include "ir/support.h"

/* Two bindings of one variable, each to a value or to a range, and whether they fit together. */
typedef struct binding {
    bool range;
    int64_t min, extent;
} binding;

typedef struct twice {
    binding first, second;
    bool override, same;
} twice;

static void bind(vt_analyzer *an, const vt_var *v, binding b, bool override) {
    vt_ctx *ctx = vt_analyzer_ctx(an);
    if (b.range)
        vt_analyzer_bind_range(an, v, vt_i32(ctx, b.min), vt_i32(ctx, b.extent), override);
    else
        vt_analyzer_bind(an, v, vt_i32(ctx, b.min), override);
}

static vta_status bind_twice(vt_ctx *ctx, void *arg) {
    const twice *t = arg;
    vt_analyzer *an = vt_analyzer_new(ctx);
    const vt_var *v = vt_var_new(ctx, "v", VT_I32), *other = vt_var_new(ctx, "v", VT_I32);
    const vt_expr *twofold = vt_mul(ctx, v, vt_i32(ctx, 2)), *next = vt_add(ctx, v, vt_i32(ctx, 1));
    const vt_expr *first = vt_i32(ctx, t->second.min), *below = vt_lt(ctx, v, first), *from = vt_ge(ctx, v, first);
    assert_false(vt_prove(an, below) || vt_prove(an, from));
    vt_simplify(an, next); /* what it said before it was told is not what it says then */
    vt_const_bound(an, v);
    bind(an, v, t->first, false);
    vt_simplify(an, next);
    vt_simplify(an, below);
    vt_simplify(an, from);
    vt_canonical_simplify(an, twofold);
    bind(an, other, t->second, false); /* of another variable nothing is known yet */
    bind(an, v, t->second, t->override);
    assert_true(vt_prove(an, from) && !vt_prove(an, below));
    assert_true(vt_is_const(vt_simplify(an, below), 0) && vt_is_const(vt_simplify(an, from), 1));
    int64_t last = t->second.min + (t->second.range ? t->second.extent - 1 : 0);
    vt_bound b = vt_const_bound(an, v);
    assert_true(b.min == t->second.min && b.max == last);
    if (b.min != b.max) return VTA_OK;
    assert_true(vt_is_const(vt_simplify(an, next), b.min + 1));
    assert_true(vt_is_const(vt_rewrite_simplify(an, next), b.min + 1));
    assert_true(vt_is_const(vt_canonical_simplify(an, twofold), b.min * 2));
    return VTA_OK;
}

TEST_CASE(test_bound_twice) {
    static twice rows[] = {
        {{false, 3}, {false, 3}, false, true},      {{false, 3}, {false, 4}, false, false},
        {{false, 3}, {false, 4}, true, true},       {{true, 0, 5}, {true, 0, 5}, false, true},
        {{true, 0, 5}, {true, 1, 5}, false, false}, {{true, 0, 5}, {true, 1, 4}, false, false}, /* the same end */
        {{true, 0, 5}, {true, 0, 6}, false, false}, {{true, 0, 5}, {true, 2, 7}, true, true},
        {{false, 3}, {true, 3, 1}, false, true}, /* one value is a value */
        {{true, 3, 1}, {false, 3}, false, true},    {{true, 3, 1}, {true, 4, 1}, false, false},
        {{true, 3, 1}, {true, 4, 1}, true, true},
    };
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
        run_in_context(bind_twice, &rows[n], rows[n].same ? VTA_OK : VTA_INTERNAL,
                       rows[n].same ? "" : "error: variable v is bound a second time, to something else");
}

/* A range that ends beyond the largest number has no end; one that just reaches it, or is shorter, ends there. */
static vta_status long_ranges(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const int64_t rows[][3] = {{INT64_MAX - 5, 4, INT64_MAX - 2},
                                      {INT64_MAX - 5, 6, INT64_MAX},
                                      {INT64_MAX - 5, 7, VT_POS_INF},
                                      {INT64_MAX - 5, INT64_MAX, VT_POS_INF}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        vt_analyzer *an = vt_analyzer_new(ctx);
        const vt_var *v = vt_var_new(ctx, "v", VT_I64);
        vt_analyzer_bind_range(an, v, vt_i64(ctx, rows[n][0]), vt_i64(ctx, rows[n][1]), false);
        vt_bound b = vt_const_bound(an, v);
        assert_true(b.min == rows[n][0] && b.max == rows[n][2]);
    }
    return VTA_OK;
}

/* Of x in 0..4, y in 2..9 and one in 3..3: a condition of what may differ is either, one of single values is decided.
 */
static vta_status conditions(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_analyzer *an = vt_analyzer_new(ctx);
    const vt_var *x = vt_var_new(ctx, "x", VT_I32), *y = vt_var_new(ctx, "y", VT_I32),
                 *one = vt_var_new(ctx, "one", VT_I32);
    vt_dommap *dom = vt_dommap_new(ctx);
    vt_dommap_set_range(dom, x, (vt_range){vt_i32(ctx, 0), vt_i32(ctx, 5)});
    vt_dommap_set_range(dom, y, (vt_range){vt_i32(ctx, 2), vt_i32(ctx, 8)});
    vt_dommap_set_range(dom, one, (vt_range){vt_i32(ctx, 3), vt_i32(ctx, 1)});
    const vt_expr *four = vt_i32(ctx, 4), *less = vt_lt(ctx, x, y), *fixed = vt_lt(ctx, one, four);
    const struct {
        const vt_expr *e;
        int64_t min, max;
    } rows[] = {{less, 0, 1},
                {vt_eq(ctx, x, four), 0, 1},
                {vt_and(ctx, less, vt_ne(ctx, y, four)), 0, 1},
                {fixed, 1, 1},
                {vt_ge(ctx, one, four), 0, 0},
                {vt_add(ctx, x, y), 2, 13},
                {vt_sub(ctx, x, one), -3, 1}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        vt_intset set = vt_eval_set(an, rows[n].e, dom);
        if (!set.min || !set.max || !vt_is_const(set.min, rows[n].min) || !vt_is_const(set.max, rows[n].max))
            fail_msg("row %d", (int)n);
        assert_true(vt_dtype_eq(set.min->dtype, rows[n].e->dtype) && vt_dtype_eq(set.max->dtype, rows[n].e->dtype));
        assert_int_equal(vt_intset_is_point(set), rows[n].min == rows[n].max);
    }
    return VTA_OK;
}

TEST_CASE(test_long_ranges) { run_in_context(long_ranges, NULL, VTA_OK, NULL); }
TEST_CASE(test_conditions) { run_in_context(conditions, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }

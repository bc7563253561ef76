/* Which points of a computation read a given element: equations index == position are solved for the axes, one after
 * the other. What cannot be solved stays as a condition. So no sum over all points is needed for what is read at i + k,
 * 2 * i, or i // 5. */
#include "arith/linear.h"
#include "te/gradient.h"

typedef struct solver {
    te_context *c;
    vt_ctx *ctx;
    vt_analyzer *analyzer;
    vt_varmap *values; /* of variables that were solved for, in those that were not */
    const vt_iter **solved, **open;
    uint32_t n_solved, cap_solved, n_open, cap_open;
    te__equation *equations;
    uint32_t n_equations;
    const vt_expr **conditions;
    uint32_t n_conditions, cap_conditions;
} solver;

/* An equation's variable, and its place: left == coefficient * variable + rest. */
typedef struct candidate {
    uint32_t equation, axis;
    int64_t coefficient;
    const vt_expr *rest;
    int64_t extent;
} candidate;

const vt_iter *te__fresh_axis(te_context *c, const char *name, const vt_expr *extent) {
    return te__axis(c, name, vt_const(&c->ctx, extent->dtype, 0), extent, false);
}

static const vt_expr *now(const solver *s, const vt_expr *e) {
    return vt_simplify(s->analyzer, vt_substitute(s->ctx, e, s->values));
}

static void add_condition(solver *s, const vt_expr *e) {
    vt_grow(s->ctx, &s->conditions, &s->cap_conditions, s->n_conditions + 1, sizeof *s->conditions);
    s->conditions[s->n_conditions++] = e;
}

static void add_open(solver *s, const vt_iter *axis) {
    vt_grow(s->ctx, &s->open, &s->cap_open, s->n_open + 1, sizeof *s->open);
    s->open[s->n_open++] = axis;
    vt_analyzer_bind_range(s->analyzer, axis->var, axis->min, axis->extent, false);
}

static void set_value(solver *s, const vt_iter *axis, const vt_expr *value) {
    vt_grow(s->ctx, &s->solved, &s->cap_solved, s->n_solved + 1, sizeof *s->solved);
    for (uint32_t i = 0; i < s->n_solved; i++) {
        const vt_var *v = s->solved[i]->var;
        vt_varmap_set(s->values, v, vt_substitute1(s->ctx, vt_varmap_get(s->values, v), axis->var, value));
    }
    s->solved[s->n_solved++] = axis;
    vt_varmap_set(s->values, axis->var, value);
}

static void drop_equation(solver *s, uint32_t index) { s->equations[index] = s->equations[--s->n_equations]; }

/* The coefficient of a variable in a sum; 0 where it is not in it, or not linearly. */
static int64_t coefficient_of(const solver *s, const vt_expr *e, const vt_var *v, const vt_expr **out_rest) {
    const vt_expr *parts[2];
    int64_t value;
    if (!vt_expr_uses(e, v) || !vt_detect_linear(s->ctx, e, 1, &v, parts) || !vt_as_const(parts[0], &value)) return 0;
    *out_rest = parts[1];
    return value;
}

static int64_t extent_of(const vt_iter *axis) {
    int64_t extent = te__extent(axis);
    return extent < 0 ? INT64_MAX : extent;
}

/* Long axes first, as what is solved for need not be summed over; of equally long ones those that need no division. */
static bool is_better(const candidate *a, const candidate *b) {
    bool one = a->coefficient == 1 || a->coefficient == -1;
    if (!b->coefficient || a->extent != b->extent) return !b->coefficient || a->extent > b->extent;
    return one && b->coefficient != 1 && b->coefficient != -1;
}

static candidate best_candidate(const solver *s) {
    candidate best = {.coefficient = 0};
    for (uint32_t k = 0; k < s->n_equations; k++) {
        const vt_expr *left = now(s, s->equations[k].left);
        for (uint32_t i = 0; i < s->n_open; i++) {
            candidate one = {.equation = k, .axis = i, .extent = extent_of(s->open[i])};
            one.coefficient = coefficient_of(s, left, s->open[i]->var, &one.rest);
            if (one.coefficient && one.coefficient > INT32_MIN && is_better(&one, &best)) best = one;
        }
    }
    return best;
}

/* variable = (right - rest) / coefficient, where that is whole and within the axis. */
static void solve_for(solver *s, const candidate *how) {
    vt_ctx *ctx = s->ctx;
    const vt_iter *axis = s->open[how->axis];
    const vt_expr *right = s->equations[how->equation].right;
    bool negative = how->coefficient < 0;
    const vt_expr *distance = negative ? vt_sub(ctx, how->rest, right) : vt_sub(ctx, right, how->rest);
    const vt_expr *by = vt_const(ctx, distance->dtype, negative ? -how->coefficient : how->coefficient);
    if (!vt_is_const(by, 1)) {
        add_condition(s, vt_eq(ctx, vt_floormod(ctx, distance, by), vt_const(ctx, by->dtype, 0)));
        distance = vt_floordiv(ctx, distance, by);
    }
    s->open[how->axis] = s->open[--s->n_open];
    drop_equation(s, how->equation);
    set_value(s, axis, vt_cast(ctx, axis->var->dtype, distance));
}

static bool is_rounding(const solver *s, const vt_expr *e) {
    int64_t by;
    bool truncates = e->kind == VT_E_DIV || e->kind == VT_E_MOD;
    if (e->kind != VT_E_FLOORDIV && e->kind != VT_E_FLOORMOD && !truncates) return false;
    return vt_as_const(e->a[1], &by) && by > 0 && (!truncates || vt_prove_ge(s->analyzer, e->a[0], 0));
}

static bool has_open_term(const solver *s, const vt_expr *e) {
    const vt_expr *rest;
    for (uint32_t i = 0; i < s->n_open; i++)
        if (coefficient_of(s, e, s->open[i]->var, &rest)) return true;
    return false;
}

/* e // by == right: e == by * right + t for a t below by; e % by == right: e == by * t + right. Then e may be solved
 * for one of its axes, and t is what is summed over. */
static bool open_rounding(solver *s, te__equation *equation) {
    vt_ctx *ctx = s->ctx;
    const vt_expr *left = now(s, equation->left), *inner = left;
    while (is_rounding(s, inner)) inner = inner->a[0];
    if (inner == left || !has_open_term(s, inner)) return false;
    const vt_expr *by = left->a[1], *e = left->a[0], *right = vt_cast(ctx, e->dtype, equation->right);
    bool quotient = left->kind == VT_E_FLOORDIV || left->kind == VT_E_DIV;
    const vt_expr *least = vt_const(ctx, e->dtype, 0), *extent = by;
    if (!quotient) {
        vt_bound b = vt_const_bound(s->analyzer, vt_floordiv(ctx, e, by));
        if (b.min == VT_NEG_INF || b.max == VT_POS_INF) return false;
        least = vt_const(ctx, e->dtype, b.min);
        extent = vt_const(ctx, e->dtype, b.max - b.min + 1);
        add_condition(s, vt_and(ctx, vt_ge(ctx, right, vt_const(ctx, e->dtype, 0)), vt_lt(ctx, right, by)));
    }
    const vt_iter *t = te__axis(s->c, "part", least, extent, true);
    add_open(s, t);
    equation->left = vt_sub(ctx, e, quotient ? t->var : vt_mul(ctx, t->var, by));
    equation->right = quotient ? vt_mul(ctx, right, by) : right;
    return true;
}

static bool open_some_rounding(solver *s) {
    for (uint32_t k = 0; k < s->n_equations; k++)
        if (open_rounding(s, &s->equations[k])) return true;
    return false;
}

/* Axes of one point have its value. */
static void start(solver *s, uint32_t n_axes, const vt_iter *const *axes, uint32_t n_given,
                  const vt_iter *const *given) {
    for (uint32_t i = 0; i < n_given; i++)
        vt_analyzer_bind_range(s->analyzer, given[i]->var, given[i]->min, given[i]->extent, false);
    for (uint32_t i = 0; i < n_axes; i++)
        if (te__extent(axes[i]) == 1)
            set_value(s, axes[i], axes[i]->min);
        else
            add_open(s, axes[i]);
}

/* Fresh reduce axes in the place of what is still open, which may be an axis of something else. */
static void rename_open(solver *s, te__preimage *p) {
    p->n_rest = s->n_open;
    p->rest = VT_NEW_ARRAY(s->ctx, const vt_iter *, s->n_open);
    while (s->n_open) {
        const vt_iter *axis = s->open[--s->n_open];
        const vt_iter *fresh = te__axis(s->c, vt_var_name(axis->var), axis->min, axis->extent, true);
        vt_analyzer_bind_range(s->analyzer, fresh->var, fresh->min, fresh->extent, false);
        p->rest[s->n_open] = fresh;
        set_value(s, axis, fresh->var);
    }
}

static void join(solver *s, te__preimage *p, const vt_expr *condition) {
    const vt_expr *e = now(s, condition);
    if (vt_is_const(e, 1)) return;
    p->condition = p->condition ? vt_and(s->ctx, p->condition, e) : e;
}

static const vt_expr *within(vt_ctx *ctx, const vt_iter *axis) {
    return vt_and(ctx, vt_ge(ctx, axis->var, axis->min), vt_lt(ctx, axis->var, vt_add(ctx, axis->min, axis->extent)));
}

te__preimage te__solve(te_context *c, uint32_t n_axes, const vt_iter *const *axes, uint32_t n_given,
                       const vt_iter *const *given, uint32_t n, const te__equation *equations) {
    vt_ctx *ctx = &c->ctx;
    solver s = {.c = c, .ctx = ctx, .analyzer = vt_analyzer_new(ctx), .values = vt_varmap_new(ctx), .n_equations = n};
    s.equations = VT_NEW_ARRAY(ctx, te__equation, n);
    for (uint32_t i = 0; i < n; i++) s.equations[i] = equations[i];
    start(&s, n_axes, axes, n_given, given);
    do {
        for (candidate best = best_candidate(&s); best.coefficient; best = best_candidate(&s)) solve_for(&s, &best);
    } while (open_some_rounding(&s));
    te__preimage p = {.values = s.values, .analyzer = s.analyzer};
    uint32_t n_solved = s.n_solved;
    rename_open(&s, &p);
    for (uint32_t i = 0; i < n_solved; i++)
        if (te__extent(s.solved[i]) != 1) join(&s, &p, within(ctx, s.solved[i]));
    for (uint32_t i = 0; i < s.n_conditions; i++) join(&s, &p, s.conditions[i]);
    for (uint32_t i = 0; i < s.n_equations; i++) join(&s, &p, vt_eq(ctx, s.equations[i].left, s.equations[i].right));
    return p;
}

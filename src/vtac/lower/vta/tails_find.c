/* Conditions that a split left, and the steps of a loop at which they change. */
#include <string.h>

#include "arith/linear.h"
#include "lower/vta/tails.h"

enum { MAX_STEPS = 4096 }; /* of a loop, looked at one by one */

static const vt_expr *slack(vt_ctx *ctx, const vt_expr *c) {
    if (vt_expr_infos[c->kind].cls != VT_CLASS_COMPARE || c->a[0]->dtype.code != VT_INT) return NULL;
    const vt_expr *x = c->a[0], *y = c->a[1], *one = vt_int(ctx, x->dtype, 1);
    switch (c->kind) {
    case VT_E_LT: return vt_sub(ctx, x, y);
    case VT_E_LE: return vt_sub(ctx, vt_sub(ctx, x, y), one);
    case VT_E_GT: return vt_sub(ctx, y, x);
    case VT_E_GE: return vt_sub(ctx, vt_sub(ctx, y, x), one);
    default: return NULL;
    }
}

const vt_expr *vt__tails_slack(splitter *st, const vt_stmt *s) {
    if (s->kind != VT_S_IF || s->u.branch.else_case || !vt_is_call(s->u.branch.condition, VT_OP_LIKELY)) return NULL;
    const vt_expr *condition = s->u.branch.condition, *e = vt_ptrmap_get(st->slacks, condition);
    if (e) return e;
    e = slack(st->ctx, condition->a[0]);
    if (e) vt_ptrmap_set(st->slacks, condition, e);
    return e;
}

bool vt__tails_is_marked(const vt_stmt *s) { return vt_pragma_is(s, "dma_copy") || vt_pragma_is(s, "alu"); }

static bool find_accelerator(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt__tails_is_marked(s) || vt_attr_is(s, VT_ATTR_TASK);
    return !*found;
}

static bool holds_accelerator(const vt_stmt *s) {
    bool found = false;
    vt_stmt_walk(s, NULL, find_accelerator, &found);
    return found;
}

static void add_point(finder *f, int64_t at) {
    if (at <= 0 || at >= f->l->extent) return;
    vt_grow(f->st->ctx, &f->points, &f->cap, f->n + 1, sizeof *f->points);
    uint32_t i = f->n;
    while (i > 0 && f->points[i - 1] > at) i--;
    if (i > 0 && f->points[i - 1] == at) return;
    memmove(f->points + i + 1, f->points + i, (f->n - i) * sizeof *f->points);
    f->points[i] = at;
    f->n++;
}

int64_t vt__tails_floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

/* ---- Sums of variables with constant factors: nearly all conditions, whose bounds need no simplifier ------------- */

enum { MAX_TERMS = 16 };

typedef struct sum {
    uint32_t n;
    const vt_var *vars[MAX_TERMS];
    int64_t times[MAX_TERMS], constant;
} sum;

static bool add_product(int64_t *to, int64_t x, int64_t y) {
    int64_t product;
    return !__builtin_mul_overflow(x, y, &product) && !__builtin_add_overflow(*to, product, to);
}

static bool add_var(sum *s, const vt_var *v, int64_t times) {
    uint32_t i = 0;
    while (i < s->n && s->vars[i] != v) i++;
    if (i == MAX_TERMS) return false;
    if (i == s->n) {
        s->vars[s->n++] = v;
        s->times[i] = 0;
    }
    return add_product(&s->times[i], times, 1);
}

/* Adds `times` * e; false: it is no such sum. */
static bool add_terms(sum *s, const vt_expr *e, int64_t times) {
    int64_t factor;
    switch (e->kind) {
    case VT_E_INT: return add_product(&s->constant, times, e->u.i);
    case VT_E_VAR: return add_var(s, e, times);
    case VT_E_ADD: return add_terms(s, e->a[0], times) && add_terms(s, e->a[1], times);
    case VT_E_SUB: return times != INT64_MIN && add_terms(s, e->a[0], times) && add_terms(s, e->a[1], -times);
    case VT_E_MUL: {
        int at = e->a[1]->kind == VT_E_INT;
        factor = 0;
        return e->a[at]->kind == VT_E_INT && add_product(&factor, times, e->a[at]->u.i) &&
               add_terms(s, e->a[1 - at], factor);
    }
    default: return false;
    }
}

static int64_t factor_of(const sum *s, const vt_var *v) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->vars[i] == v) return s->times[i];
    return 0;
}

/* Of all terms but that of `without` (NULL: of all); false where a variable is not bounded. */
static bool bound_sum(splitter *st, const sum *s, const vt_var *without, vt_bound *out) {
    *out = (vt_bound){s->constant, s->constant};
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->times[i] || s->vars[i] == without) continue;
        vt_bound b = vt_const_bound(st->a, s->vars[i]);
        if (b.min == VT_NEG_INF || b.max == VT_POS_INF) return false;
        bool up = s->times[i] > 0;
        if (!add_product(&out->min, s->times[i], up ? b.min : b.max) ||
            !add_product(&out->max, s->times[i], up ? b.max : b.min))
            return false;
    }
    return true;
}

verdict vt__tails_judge(splitter *st, const vt_expr *e) {
    sum s = {.n = 0};
    vt_bound b;
    if (!add_terms(&s, e, 1) || !bound_sum(st, &s, NULL, &b)) b = vt_const_bound(st->a, vt_simplify(st->a, e));
    return b.max < 0 ? HOLDS : b.min >= 0 ? FAILS : OPEN;
}

/* Of a fused loop, for example: each step by itself. */
static void add_changes_by_step(finder *f, const vt_expr *e) {
    vt_dtype t = f->l->var->dtype;
    verdict before = OPEN;
    for (int64_t i = 0; i < f->l->extent && i < MAX_STEPS; i++) {
        vt_poll(f->st->ctx);
        verdict v = vt__tails_judge(f->st, vt_substitute1(f->st->ctx, e, f->l->var, vt_int(f->st->ctx, t, i)));
        if (v != before || v == OPEN) add_point(f, i);
        before = v;
    }
}

/* Its factor of the loop's variable, and the bounds of the rest; false: it has no constant factor. */
static bool split_linear(finder *f, const vt_expr *e, int64_t *coeff, vt_bound *rest) {
    splitter *st = f->st;
    const vt_expr *linear[2];
    sum s = {.n = 0};
    if (add_terms(&s, e, 1) && bound_sum(st, &s, f->l->var, rest)) {
        *coeff = factor_of(&s, f->l->var);
        return true;
    }
    e = vt_simplify(st->a, e);
    if (!vt_detect_linear(st->ctx, e, 1, &f->l->var, linear) || linear[0]->kind != VT_E_INT) return false;
    *coeff = linear[0]->u.i;
    *rest = vt_const_bound(st->a, vt_simplify(st->a, linear[1]));
    return true;
}

/* coeff * var + rest < 0: where it begins or ceases to hold for the largest and for the smallest rest. */
static void add_changes(finder *f, const vt_expr *e) {
    splitter *st = f->st;
    int64_t coeff;
    vt_bound rest;
    vt_grow(st->ctx, &f->conditions, &f->cap_conditions, f->n_conditions + 1, sizeof *f->conditions);
    f->conditions[f->n_conditions++] = e;
    if (!split_linear(f, e, &coeff, &rest)) {
        add_changes_by_step(f, vt_simplify(st->a, e));
        return;
    }
    if (coeff == 0 || rest.min == VT_NEG_INF || rest.max == VT_POS_INF) return;
    const int64_t ends[] = {rest.min, rest.max};
    for (int i = 0; i < 2; i++)
        add_point(f,
                  coeff > 0 ? vt__tails_floor_div(-1 - ends[i], coeff) + 1 : vt__tails_floor_div(ends[i], -coeff) + 1);
}

static bool writes_realized(const finder *f, const vt_stmt *s) {
    for (uint32_t i = 0; i < f->realized.n; i++)
        if (vt__writes(f->st->ctx, s, f->realized.items[i]->u.realize.tensor)) return true;
    return false;
}

static void find_condition(finder *f, const vt_stmt *s, const vt_expr *e) {
    splitter *st = f->st;
    if (f->l && !vt_expr_uses(e, f->l->var)) return;
    if (!f->depth && !holds_accelerator(s)) return;
    if (f->l) {
        add_changes(f, e);
        return;
    }
    if (f->open || (f->var && !vt_expr_uses(e, f->var))) return;
    if (vt__tails_judge(st, e) != HOLDS) f->open = s;
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    finder *f = (finder *)v;
    vt_analyzer *a = f->st->a;
    const vt_expr *e = vt__tails_slack(f->st, s);
    /* A stage computed inside follows those that read it. */
    if (e && f->l && writes_realized(f, s)) return;
    if (e) find_condition(f, s, e);
    if (s->kind == VT_S_FOR) vt_analyzer_bind_range(a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (vt_attr_binds_thread(s))
        vt_analyzer_bind_range(a, s->u.attr.node.u.iter->var, vt_int(f->st->ctx, s->u.attr.value->dtype, 0),
                               s->u.attr.value, true);
    uint32_t n = f->realized.n, depth = f->depth;
    if (s->kind == VT_S_REALIZE) vt_stmt_list_add(f->st->ctx, &f->realized, s);
    if (vt__tails_is_marked(s)) f->depth++;
    vt_visit_stmt_children(v, s);
    f->realized.n = n;
    f->depth = depth;
}

finder vt__tails_look(splitter *st, const vt_stmt *s, const loop *l, const vt_var *var) {
    finder f = {
        .v = {.statements_only = true, .stmt = find_stmt}, .st = st, .l = l, .var = var, .depth = st->accelerated};
    vt_visit_stmt(&f.v, s);
    return f;
}

/* The analyzer: what is known, and the questions that combine its parts. */
#include "arith/analyzer.h"

#include "arith/priv.h"
#include "ir/build.h"
#include "ir/visit.h"

vt_analyzer *vt_analyzer_new(vt_ctx *ctx) {
    vt_analyzer *an = VT_NEW(ctx, vt_analyzer);
    an->ctx = ctx;
    vt__learned(an);
    an->bounds = vt_ptrmap_new(ctx);
    an->modulars = vt_ptrmap_new(ctx);
    vt__rewriter_init(an);
    vt__canonical_init(an);
    return an;
}

vt_ctx *vt_analyzer_ctx(vt_analyzer *an) { return an->ctx; }

static void check_new(vt_analyzer *an, const vt_var *v, const void *old, bool same) {
    if (old && !same)
        vt_raise(an->ctx, VTA_INTERNAL, "variable %s is bound a second time, to something else", vt_var_name(v));
}

void vt_analyzer_bind(vt_analyzer *an, const vt_var *v, const vt_expr *value, bool override) {
    value = vt_rewrite_simplify(an, vt_canonical_simplify(an, value));
    const vt_expr *old = vt_varmap_get(an->rewriter.vars, v);
    if (!override) check_new(an, v, old, old && vt_expr_equal(old, value));
    vt__learned(an);
    vt__bound_set(an, v, vt_const_bound(an, value));
    vt__modular_put(an, v, vt_modular_set(an, value));
    vt_varmap_set(an->rewriter.vars, v, value);
    vt_varmap_set(an->canonical.vars, v, value);
}

void vt_analyzer_bind_range(vt_analyzer *an, const vt_var *v, const vt_expr *min, const vt_expr *extent,
                            bool override) {
    if (vt_is_const(extent, 1)) {
        vt_analyzer_bind(an, v, min, override);
        return;
    }
    vt_bound lower = vt_const_bound(an, min), count = vt_const_bound(an, extent), b = {lower.min, VT_POS_INF};
    if (lower.max != VT_POS_INF && count.max != VT_POS_INF && __builtin_add_overflow(lower.max, count.max - 1, &b.max))
        b.max = VT_POS_INF;
    const vt_bound *old = vt_ptrmap_get(an->bounds, v);
    bool same = old && old->min == b.min && old->max == b.max;
    if (!override) check_new(an, v, old, same);
    if (same) return;
    vt__learned(an);
    vt__bound_set(an, v, b);
}

vt_scope vt_analyzer_enter(vt_analyzer *an, const vt_expr *condition) {
    vt_scope scope = {an->n_literals, an->n_facts, an->n_saved, an->epoch, 0};
    vt__literals_enter(an, condition); /* simplified by what was known before: remembered from there */
    vt__bound_enter(an, condition);
    vt__modular_enter(an, condition);
    vt__learned(an);
    scope.inside = an->epoch;
    return scope;
}

void vt_analyzer_leave(vt_analyzer *an, vt_scope scope) {
    an->n_literals = scope.rewrite;
    an->n_facts = scope.bound;
    bool same = an->epoch == scope.inside; /* nothing was bound since: all is as it was */
    vt__modular_leave(an, scope.modular);
    if (same)
        an->epoch = scope.epoch;
    else
        vt__learned(an);
}

const vt_expr *vt_simplify_steps(vt_analyzer *an, const vt_expr *e, int steps) {
    const vt_expr *before = e;
    for (int i = 0; i < steps && e->kind != VT_E_INT; i++)
        e = i % 2 ? vt_canonical_simplify(an, e) : vt_rewrite_simplify(an, e);
    return vt_expr_equal(e, before) ? before : e; /* the two may have gone there and back */
}

const vt_expr *vt_simplify(vt_analyzer *an, const vt_expr *e) { return vt_simplify_steps(an, e, 2); }
const vt_expr *vt_simplify_free(vt_ctx *ctx, const vt_expr *e) { return vt_simplify(vt_analyzer_new(ctx), e); }

bool vt_prove(vt_analyzer *an, const vt_expr *condition) {
    const vt_expr *e = vt_simplify(an, condition);
    return e->kind == VT_E_INT && e->u.i != 0;
}

bool vt_prove_ge(vt_analyzer *an, const vt_expr *e, int64_t lower) {
    if (e->kind == VT_E_INT) return e->u.i >= lower;
    return vt_const_bound(an, vt_rewrite_simplify(an, e)).min >= lower;
}

bool vt_prove_lt(vt_analyzer *an, const vt_expr *e, int64_t upper) {
    if (e->kind == VT_E_INT) return e->u.i < upper;
    return vt_const_bound(an, vt_rewrite_simplify(an, e)).max < upper;
}

bool vt_prove_equal(vt_analyzer *an, const vt_expr *x, const vt_expr *y) {
    if (x->kind == VT_E_INT && y->kind == VT_E_INT) return x->u.i == y->u.i;
    if (vt_expr_equal(x, y)) return true;
    if (!vt_dtype_is_integral(x->dtype) || !vt_dtype_is_integral(y->dtype)) return false;
    return vt_prove(an, vt_eq(an->ctx, vt_sub(an->ctx, x, y), vt_const(an->ctx, x->dtype, 0)));
}

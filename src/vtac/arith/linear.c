/* Linear forms: coefficients of variables, and bounds from conditions. */
#include "arith/linear.h"

#include "ir/build.h"
#include "ir/visit.h"

/* base + coeff * variable; NULL stands for zero. */
typedef struct linear {
    const vt_expr *base, *coeff;
} linear;

typedef struct detector {
    vt_ctx *ctx;
    const vt_var *v;
    bool failed;
} detector;

static const vt_expr *sum(detector *d, const vt_expr *x, const vt_expr *y) {
    return !x ? y : !y ? x : vt_add(d->ctx, x, y);
}

static const vt_expr *difference(detector *d, const vt_expr *x, const vt_expr *y) {
    return !y ? x : !x ? vt_neg(d->ctx, y) : vt_sub(d->ctx, x, y);
}

static const vt_expr *product(detector *d, const vt_expr *x, const vt_expr *y) {
    return x && y ? vt_mul(d->ctx, x, y) : NULL;
}

static linear detect(detector *d, const vt_expr *e);

static linear detect_product(detector *d, const vt_expr *e) {
    linear x = detect(d, e->a[0]), y = detect(d, e->a[1]);
    if (x.coeff && y.coeff) {
        d->failed = true;
        return (linear){0};
    }
    if (x.coeff) {
        linear swap = x;
        x = y;
        y = swap;
    }
    return (linear){product(d, x.base, y.base), product(d, x.base, y.coeff)};
}

static linear detect(detector *d, const vt_expr *e) {
    if (d->failed) return (linear){0};
    if (e == d->v) return (linear){NULL, vt_const(d->ctx, e->dtype, 1)};
    if (e->kind == VT_E_ADD || e->kind == VT_E_SUB) {
        const vt_expr *(*join)(detector *, const vt_expr *, const vt_expr *) = e->kind == VT_E_ADD ? sum : difference;
        linear x = detect(d, e->a[0]), y = detect(d, e->a[1]);
        if (x.base == e->a[0] && y.base == e->a[1] && !x.coeff && !y.coeff) return (linear){e, NULL};
        return (linear){join(d, x.base, y.base), join(d, x.coeff, y.coeff)};
    }
    if (e->kind == VT_E_MUL) return detect_product(d, e);
    if (vt_expr_uses(e, d->v)) d->failed = true;
    return (linear){e, NULL};
}

static bool detect_one(vt_ctx *ctx, const vt_expr *e, const vt_var *v, linear *out) {
    detector d = {ctx, v, false};
    *out = detect(&d, e);
    if (!out->base) out->base = vt_const(ctx, v->dtype, 0);
    if (!out->coeff) out->coeff = vt_const(ctx, v->dtype, 0);
    return !d.failed;
}

bool vt_detect_linear(vt_ctx *ctx, const vt_expr *e, uint32_t n, const vt_var *const *vars,
                      const vt_expr **out_coeffs) {
    for (uint32_t i = 0; i < n; i++) {
        linear one;
        if (!detect_one(ctx, e, vars[i], &one)) return false;
        out_coeffs[i] = one.coeff;
        e = one.base;
    }
    /* A coefficient must not hold a variable that comes later. */
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (out_coeffs[i]->kind != VT_E_INT && vt_expr_uses(out_coeffs[i], vars[j])) return false;
    out_coeffs[n] = e;
    return true;
}

/* Which of vars a condition is about: its number, or n for none or several. */
typedef struct sole {
    uint32_t n;
    const vt_var *const *vars;
    uint32_t found;
    bool several;
} sole;

static bool see_var(void *user, const vt_expr *e) {
    sole *s = user;
    for (uint32_t i = 0; e->kind == VT_E_VAR && i < s->n; i++) {
        if (s->vars[i] != e) continue;
        s->several |= s->found != s->n && s->found != i;
        s->found = i;
    }
    return true;
}

/* A comparison as something >= 0; *equal: as == 0. NULL: no comparison of signed integers. */
static const vt_expr *nonnegative_form(vt_ctx *ctx, const vt_expr *c, bool *equal) {
    *equal = c->kind == VT_E_EQ;
    if (vt_expr_infos[c->kind].cls != VT_CLASS_COMPARE || !vt_dtype_is_int(c->a[0]->dtype)) return NULL;
    const vt_expr *x = c->a[0], *y = c->a[1], *one = vt_const(ctx, x->dtype, 1);
    switch (c->kind) {
    case VT_E_LT: return vt_sub(ctx, vt_sub(ctx, y, x), one);
    case VT_E_LE: return vt_sub(ctx, y, x);
    case VT_E_GT: return vt_sub(ctx, vt_sub(ctx, x, y), one);
    case VT_E_GE:
    case VT_E_EQ: return vt_sub(ctx, x, y);
    default: return NULL;
    }
}

static bool clip(vt_analyzer *an, const vt_expr *c, uint32_t n, const vt_var *const *vars, const vt_expr **bounds) {
    vt_ctx *ctx = vt_analyzer_ctx(an);
    if (c->kind == VT_E_AND) return clip(an, c->a[0], n, vars, bounds) && clip(an, c->a[1], n, vars, bounds);
    sole s = {n, vars, n, false};
    vt_expr_walk(c, see_var, &s);
    if (s.found == n || s.several) return false;
    bool equal;
    linear form;
    const vt_expr *e = nonnegative_form(ctx, c, &equal);
    if (!e || !detect_one(ctx, e, vars[s.found], &form)) return false;
    const vt_expr *coeff = vt_simplify(an, form.coeff), *min = NULL, *max = NULL;
    if (vt_is_const(coeff, 1))
        min = vt_neg(ctx, form.base);
    else if (vt_is_const(coeff, -1))
        max = form.base;
    else
        return false;
    if (equal) min = max = min ? min : max;
    const vt_expr **low = &bounds[2 * s.found], **high = &bounds[2 * s.found + 1];
    if (min) *low = *low ? vt_max(ctx, *low, min) : min;
    if (max) *high = *high ? vt_min(ctx, *high, max) : max;
    return true;
}

bool vt_detect_clip_bound(vt_analyzer *an, const vt_expr *e, uint32_t n, const vt_var *const *vars,
                          const vt_expr **out_bounds) {
    for (uint32_t i = 0; i < 2 * n; i++) out_bounds[i] = NULL;
    if (!clip(an, vt_simplify(an, e), n, vars, out_bounds)) return false;
    for (uint32_t i = 0; i < 2 * n; i++)
        if (out_bounds[i]) out_bounds[i] = vt_simplify(an, out_bounds[i]);
    return true;
}

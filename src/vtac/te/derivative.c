/* Partial derivatives of an expression, by going from the result to the leaves: what arrives at a node is what a change
 * of its value counts for. */
#include <math.h>

#include "te/gradient.h"

typedef struct walk {
    te_context *c;
    vt_ctx *ctx;
    const char *what;
    const vt_ptrmap *wanted;
    vt_ptrmap *leads; /* node -> itself where a wanted leaf is below it, else the walk */
    te__partials *out;
} walk;

const vt_expr *te__zero(te_context *c, vt_dtype t) { return vt_const(&c->ctx, t, 0); }
const vt_expr *te__one(te_context *c, vt_dtype t) { return vt_const(&c->ctx, t, 1); }

static bool is_wanted(const walk *w, const vt_expr *e) {
    return e->kind == VT_E_PLOAD ? vt_ptrmap_has(w->wanted, te__tensor_key(e->u.tensor))
                                 : e->kind == VT_E_VAR && vt_ptrmap_has(w->wanted, e);
}

/* Does the value depend on a wanted leaf? Integers and conditions count as constants, so indices do too. */
static bool leads(walk *w, const vt_expr *e) {
    if (!vt_dtype_is_float(e->dtype)) return false;
    if (e->kind == VT_E_PLOAD || e->kind == VT_E_VAR) return is_wanted(w, e);
    const void *known = vt_ptrmap_get(w->leads, e);
    if (known) return known == e;
    bool any = false;
    for (uint32_t i = 0; i < e->n && !any; i++) any = leads(w, e->a[i]);
    vt_ptrmap_set(w->leads, e, any ? (const void *)e : w);
    return any;
}

static void add(walk *w, const vt_expr *leaf, const vt_expr *seed) {
    te__partials *out = w->out;
    for (uint32_t i = 0; i < out->n; i++)
        if (vt_expr_equal(out->items[i].leaf, leaf)) {
            out->items[i].factor = vt_add(w->ctx, out->items[i].factor, seed);
            return;
        }
    vt_grow(w->ctx, &out->items, &out->cap, out->n + 1, sizeof *out->items);
    out->items[out->n++] = (te__partial){leaf, seed};
}

/* The derivatives of functions. `x` and `y` are the operands, `e` the function's value. */

static const vt_expr *number(const walk *w, const vt_expr *x, double value) {
    return vt_float(w->ctx, x->dtype, value);
}

static const vt_expr *function(const walk *w, vt_op op, const vt_expr *x) {
    return vt_e_call(w->ctx, x->dtype, op, 1, &x);
}

/* 1 + k * x * x */
static const vt_expr *one_and_square(const walk *w, const vt_expr *x, double k) {
    return vt_add(w->ctx, number(w, x, 1), vt_mul(w->ctx, number(w, x, k), vt_mul(w->ctx, x, x)));
}

static const vt_expr *one_over(const walk *w, const vt_expr *x, double numerator) {
    return vt_div(w->ctx, number(w, x, numerator), x);
}

static const vt_expr *by_only(const walk *w, const vt_expr *e, const vt_expr *x) {
    vt_ctx *ctx = w->ctx;
    switch ((int)e->u.op) {
    case VT_OP_EXP: return e;
    case VT_OP_EXP2: return vt_mul(ctx, e, number(w, x, log(2)));
    case VT_OP_LOG: return one_over(w, x, 1);
    case VT_OP_LOG2: return one_over(w, x, 1 / log(2));
    case VT_OP_LOG10: return one_over(w, x, 1 / log(10));
    case VT_OP_LOG1P: return one_over(w, vt_add(ctx, number(w, x, 1), x), 1);
    case VT_OP_SQRT: return one_over(w, e, 0.5);
    case VT_OP_RSQRT: return vt_div(ctx, vt_mul(ctx, number(w, x, -0.5), e), x);
    case VT_OP_SIGMOID: return vt_mul(ctx, e, vt_sub(ctx, number(w, x, 1), e));
    case VT_OP_TANH: return one_and_square(w, e, -1);
    case VT_OP_SIN: return function(w, VT_OP_COS, x);
    case VT_OP_COS: return vt_neg(ctx, function(w, VT_OP_SIN, x));
    case VT_OP_TAN: return one_and_square(w, e, 1);
    case VT_OP_SINH: return function(w, VT_OP_COSH, x);
    case VT_OP_COSH: return function(w, VT_OP_SINH, x);
    case VT_OP_ASIN: return one_over(w, function(w, VT_OP_SQRT, one_and_square(w, x, -1)), 1);
    case VT_OP_ACOS: return one_over(w, function(w, VT_OP_SQRT, one_and_square(w, x, -1)), -1);
    case VT_OP_ATAN: return one_over(w, one_and_square(w, x, 1), 1);
    case VT_OP_ASINH: return one_over(w, function(w, VT_OP_SQRT, one_and_square(w, x, 1)), 1);
    case VT_OP_ACOSH: return one_over(w, function(w, VT_OP_SQRT, vt_sub(ctx, vt_mul(ctx, x, x), number(w, x, 1))), 1);
    case VT_OP_ATANH: return one_over(w, one_and_square(w, x, -1), 1);
    case VT_OP_ERF:
        return vt_mul(ctx, number(w, x, 2 / sqrt(acos(-1))), function(w, VT_OP_EXP, vt_neg(ctx, vt_mul(ctx, x, x))));
    case VT_OP_FABS: return vt_select(ctx, vt_ge(ctx, x, number(w, x, 0)), number(w, x, 1), number(w, x, -1));
    default: return NULL;
    }
}

static const vt_expr *sign_of(const walk *w, const vt_expr *x) {
    return vt_e_call(w->ctx, x->dtype, VT_OP_COPYSIGN, 2, (const vt_expr *[]){number(w, x, 1), x});
}

/* x * x + y * y */
static const vt_expr *squares(const walk *w, const vt_expr *x, const vt_expr *y) {
    return vt_add(w->ctx, vt_mul(w->ctx, x, x), vt_mul(w->ctx, y, y));
}

static const vt_expr *by_first(const walk *w, const vt_expr *e, const vt_expr *x, const vt_expr *y) {
    vt_ctx *ctx = w->ctx;
    const vt_expr *less[2] = {x, vt_sub(ctx, y, number(w, y, 1))};
    switch ((int)e->u.op) {
    case VT_OP_POW: return vt_mul(ctx, y, vt_e_call(ctx, e->dtype, VT_OP_POW, 2, less));
    case VT_OP_FMOD: return number(w, x, 1);
    case VT_OP_ATAN2: return vt_div(ctx, y, squares(w, x, y));
    case VT_OP_HYPOT: return vt_div(ctx, x, e);
    case VT_OP_COPYSIGN: return vt_mul(ctx, sign_of(w, x), sign_of(w, y));
    default: return NULL;
    }
}

/* A power of zero does not change with its exponent. */
static const vt_expr *by_second(const walk *w, const vt_expr *e, const vt_expr *x, const vt_expr *y) {
    vt_ctx *ctx = w->ctx;
    const vt_expr *zero = number(w, x, 0);
    switch ((int)e->u.op) {
    case VT_OP_POW: return vt_select(ctx, vt_eq(ctx, x, zero), zero, vt_mul(ctx, e, function(w, VT_OP_LOG, x)));
    case VT_OP_FMOD: return vt_neg(ctx, function(w, VT_OP_TRUNC, vt_div(ctx, x, y)));
    case VT_OP_ATAN2: return vt_neg(ctx, vt_div(ctx, x, squares(w, x, y)));
    case VT_OP_HYPOT: return vt_div(ctx, y, e);
    case VT_OP_COPYSIGN: return zero;
    default: return NULL;
    }
}

static void descend(walk *w, const vt_expr *e, const vt_expr *seed);

/* Steps: their derivative is 0 wherever there is one. */
static bool is_step(vt_op op) {
    return op == VT_OP_FLOOR || op == VT_OP_CEIL || op == VT_OP_ROUND || op == VT_OP_TRUNC || op == VT_OP_NEARBYINT;
}

static bool takes_floats(const vt_expr *e) {
    bool all = true;
    for (uint32_t i = 0; i < e->n; i++) all = all && vt_dtype_is_float(e->a[i]->dtype);
    return all;
}

_Noreturn static void refuse_call(const walk *w, const vt_expr *e) {
    const char *name = e->n && e->a[0]->kind == VT_E_STRING ? e->a[0]->u.s : vt_op_infos[e->u.op].name;
    te__raise(
        w->c, VTA_UNSUPPORTED,
        "the derivative of %s, which %s calls with a value that is differentiated, is not known: write the gradient "
        "as a computation",
        name, w->what);
}

static void call(walk *w, const vt_expr *e, const vt_expr *seed) {
    vt_ctx *ctx = w->ctx;
    const vt_expr *zero = te__zero(w->c, seed->dtype), *factors[2] = {NULL, NULL};
    if (is_step(e->u.op)) return;
    if (e->u.op == VT_OP_IF_THEN_ELSE) {
        descend(w, e->a[1], vt_if_then_else(ctx, e->a[0], seed, zero));
        descend(w, e->a[2], vt_if_then_else(ctx, e->a[0], zero, seed));
        return;
    }
    if (!takes_floats(e)) refuse_call(w, e);
    if (e->n == 1) factors[0] = by_only(w, e, e->a[0]);
    if (e->n == 2) factors[0] = by_first(w, e, e->a[0], e->a[1]), factors[1] = by_second(w, e, e->a[0], e->a[1]);
    if (!factors[0]) refuse_call(w, e);
    for (uint32_t i = 0; i < e->n; i++)
        if (leads(w, e->a[i])) descend(w, e->a[i], vt_mul(ctx, seed, factors[i]));
}

/* Of equal values the first is the one that counts. */
static void choose(walk *w, const vt_expr *e, const vt_expr *first, const vt_expr *seed) {
    const vt_expr *zero = te__zero(w->c, seed->dtype);
    descend(w, e->a[0], vt_select(w->ctx, first, seed, zero));
    descend(w, e->a[1], vt_select(w->ctx, first, zero, seed));
}

static void quotient(walk *w, const vt_expr *x, const vt_expr *y, const vt_expr *seed) {
    vt_ctx *ctx = w->ctx;
    descend(w, x, vt_div(ctx, seed, y));
    if (leads(w, y)) descend(w, y, vt_neg(ctx, vt_div(ctx, vt_mul(ctx, seed, x), vt_mul(ctx, y, y))));
}

static void descend(walk *w, const vt_expr *e, const vt_expr *seed) {
    vt_ctx *ctx = w->ctx;
    if (!leads(w, e)) return;
    const vt_expr *x = e->n > 0 ? e->a[0] : NULL, *y = e->n > 1 ? e->a[1] : NULL;
    switch (e->kind) {
    case VT_E_VAR:
    case VT_E_PLOAD: add(w, e, seed); return;
    case VT_E_ADD: descend(w, x, seed), descend(w, y, seed); return;
    case VT_E_SUB: descend(w, x, seed), descend(w, y, vt_neg(ctx, seed)); return;
    case VT_E_MUL: descend(w, x, vt_mul(ctx, seed, y)), descend(w, y, vt_mul(ctx, seed, x)); return;
    case VT_E_DIV: quotient(w, x, y, seed); return;
    case VT_E_MIN: choose(w, e, vt_le(ctx, x, y), seed); return;
    case VT_E_MAX: choose(w, e, vt_ge(ctx, x, y), seed); return;
    case VT_E_CAST: descend(w, x, vt_cast(ctx, x->dtype, seed)); return;
    case VT_E_SELECT:
        descend(w, y, vt_select(ctx, x, seed, te__zero(w->c, seed->dtype)));
        descend(w, e->a[2], vt_select(ctx, x, te__zero(w->c, seed->dtype), seed));
        return;
    case VT_E_CALL: call(w, e, seed); return;
    default:
        te__raise(w->c, VTA_UNSUPPORTED, "%s cannot be differentiated: it contains %s of a value that is", w->what,
                  vt_expr_infos[e->kind].text);
    }
}

void te__differentiate(te_context *c, const char *what, const vt_expr *e, const vt_expr *seed, const vt_ptrmap *wanted,
                       te__partials *out) {
    out->ctx = &c->ctx;
    walk w = {c, &c->ctx, what, wanted, vt_ptrmap_new(&c->ctx), out};
    descend(&w, e, seed);
}

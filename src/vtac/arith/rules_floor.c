/* Division and remainder that round down. */
#include "arith/pattern.h"
#include "arith/rules_short.h"
#include "ir/build.h"

#define BY_C2 AND(POSITIVE(C2), DIVIDES(C1, C2))                       /* c2 divides c1 */
#define C1_IN_C2 AND(AND(POSITIVE(C1), POSITIVE(C2)), DIVIDES(C2, C1)) /* c1 divides c2 */

static const vt__pat *const linear_forms[] = {FLOORDIV(ADD(MUL(X, C1), Y), C2), FLOORDIV(MUL(X, C1), C2),
                                              FLOORDIV(ADD(Y, MUL(X, C1)), C2)};

/* (x * c1 + y) // c2, y possibly absent: x * (c1 // c2) + y // c2 when what is left over is constant; x // (c2 // c1) +
 * y // c2 when c1 divides c2 and y's rest is smaller than c1. */
static const vt_expr *floordiv_linear(vt__rewriter *rw, const vt_expr *e) {
    vt__match m;
    bool found = false;
    for (int i = 0; i < 3 && !found; i++) found = vt__pat_match(linear_forms[i], e, &m);
    if (!found) return NULL;
    vt_ctx *ctx = rw->ctx;
    vt_dtype t = e->dtype;
    int64_t c1 = m.slot[VT__SLOT_C1]->u.i, c2 = m.slot[VT__SLOT_C2]->u.i;
    if (c2 == 0) return NULL;
    const vt_expr *x = m.slot[VT__SLOT_X], *divisor = vt_int(ctx, t, c2);
    const vt_expr *y = m.slot[VT__SLOT_Y] ? m.slot[VT__SLOT_Y] : vt_int(ctx, t, 0);
    const vt_expr *y_rest = vt_floormod(ctx, y, divisor), *y_div = vt_floordiv(ctx, y, divisor);
    const vt_expr *left_over = vt_mul(ctx, x, vt_int(ctx, t, vt__floormod(c1, c2)));
    vt_bound rest = vt_const_bound(rw->an, vt_floordiv(ctx, vt_add(ctx, left_over, y_rest), divisor));
    bool fixed = rest.min == rest.max;
    bool inner = c1 > 0 && c2 > 0 && c2 % c1 == 0 && (fixed || vt_prove_lt(rw->an, y_rest, c1));
    if (!fixed && !inner) return NULL;
    if (vt_prove_equal(rw->an, y_div, vt_int(ctx, t, 0))) y_div = vt_int(ctx, t, 0);
    if (fixed)
        return vt_add(ctx, vt_mul(ctx, x, vt_int(ctx, t, vt__floordiv(c1, c2))),
                      vt_add(ctx, y_div, vt_int(ctx, t, rest.max)));
    return vt_add(ctx, vt_floordiv(ctx, x, vt_int(ctx, t, c2 / c1)), y_div);
}

/* A ramp and a constant: whether all lanes have one quotient. */
typedef struct ramp_by {
    const vt_expr *base;
    int64_t stride, divisor;
    vt_modular mod;
    bool one_quotient;
    bool base_known; /* modulo the divisor */
    bool inside;     /* all lanes in one period that divides the divisor */
} ramp_by;

static bool ramp_by_constant(vt__rewriter *rw, const vt_expr *e, ramp_by *out) {
    const vt_expr *ramp = e->a[0], *by = e->a[1];
    if (ramp->kind != VT_E_RAMP || by->kind != VT_E_BROADCAST) return false;
    if (ramp->a[1]->kind != VT_E_INT || by->a[0]->kind != VT_E_INT || by->a[0]->u.i <= 0) return false;
    *out = (ramp_by){.base = ramp->a[0], .stride = ramp->a[1]->u.i, .divisor = by->a[0]->u.i};
    int64_t last, end;
    if (__builtin_mul_overflow(e->dtype.lanes - 1, out->stride, &last)) return false;
    out->mod = vt_modular_set(rw->an, out->base);
    int64_t base = out->mod.base;
    if (__builtin_add_overflow(base, last, &end)) return false;
    out->one_quotient = vt__floordiv(base, out->divisor) == vt__floordiv(end, out->divisor);
    out->base_known = out->mod.coeff % out->divisor == 0;
    out->inside = out->mod.coeff && out->divisor % out->mod.coeff == 0 && end < out->mod.coeff && end >= 0;
    return true;
}

static const vt_expr *floordiv_ramp(vt__rewriter *rw, const vt_expr *e) {
    ramp_by r;
    if (!ramp_by_constant(rw, e, &r)) return NULL;
    const vt_expr *d = e->a[1]->a[0], *first = vt_floordiv(rw->ctx, r.base, d);
    if (r.stride % r.divisor == 0)
        return vt_e_ramp(rw->ctx, first, vt_floordiv(rw->ctx, e->a[0]->a[1], d), e->dtype.lanes);
    if (r.one_quotient && (r.base_known || r.inside)) return vt_e_broadcast(rw->ctx, first, e->dtype.lanes);
    return NULL;
}

static const vt_expr *floormod_ramp(vt__rewriter *rw, const vt_expr *e) {
    ramp_by r;
    if (!ramp_by_constant(rw, e, &r)) return NULL;
    const vt_expr *d = e->a[1]->a[0], *stride = e->a[0]->a[1], *first = vt_floormod(rw->ctx, r.base, d);
    if (r.stride % r.divisor == 0) return vt_e_broadcast(rw->ctx, first, e->dtype.lanes);
    if (r.base_known) first = vt_int(rw->ctx, d->dtype, vt__floormod(r.mod.base, r.divisor));
    const vt_expr *ramp = vt_e_ramp(rw->ctx, first, stride, e->dtype.lanes);
    if (r.one_quotient && (r.base_known || r.inside)) return ramp;
    return r.base_known ? vt_floormod(rw->ctx, ramp, e->a[1]) : NULL;
}

static const vt_expr *floormod_by_modular(vt__rewriter *rw, const vt_expr *e) {
    if (e->a[1]->kind != VT_E_INT || e->a[1]->u.i <= 0) return NULL;
    int64_t c = e->a[1]->u.i;
    vt_modular m = vt_modular_set(rw->an, e->a[0]);
    return m.coeff % c ? NULL : vt_int(rw->ctx, e->dtype, vt__floormod(m.base, c));
}

static const vt__rule floordiv_vector[] = {
    {FLOORDIV(SPREAD(X), SPREAD(Y)), SPREAD(FLOORDIV(X, Y))},
    {.fn = floordiv_ramp},
    {0},
};

static const vt__rule floordiv_index[] = {
    {FLOORDIV(FLOORDIV(X, C1), C2), FLOORDIV(X, MUL(C1, C2)), AND(POSITIVE(C1), POSITIVE(C2))},
    {FLOORDIV(ADD(FLOORDIV(X, C1), C2), C3), FLOORDIV(ADD(X, MUL(C1, C2)), MUL(C1, C3)),
     AND(POSITIVE(C1), POSITIVE(C3))},
    {.fn = floordiv_linear},
    {FLOORDIV(X, X), N(1), NONZERO(X)},
    {FLOORDIV(MUL(X, C1), X), C1, NONZERO(X)},
    {FLOORDIV(MUL(C1, X), X), C1, NONZERO(X)},
    /* two terms */
    {FLOORDIV(MIN(MUL(X, C1), Y), C2), MIN(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(Y, C2)), BY_C2},
    {FLOORDIV(MAX(MUL(X, C1), Y), C2), MAX(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(Y, C2)), BY_C2},
    {FLOORDIV(MIN(Y, MUL(X, C1)), C2), MIN(FLOORDIV(Y, C2), MUL(X, FLOORDIV(C1, C2))), BY_C2},
    {FLOORDIV(MAX(Y, MUL(X, C1)), C2), MAX(FLOORDIV(Y, C2), MUL(X, FLOORDIV(C1, C2))), BY_C2},
    /* three terms */
    {FLOORDIV(ADD(ADD(MUL(X, C1), Y), Z), C2), ADD(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(ADD(Y, Z), C2)), BY_C2},
    {FLOORDIV(ADD(ADD(MUL(X, C1), Y), Z), C2), FLOORDIV(X, FLOORDIV(C2, C1)),
     AND(C1_IN_C2, PROVES_ZERO(FLOORDIV(ADD(Y, Z), C1)))},
    {FLOORDIV(ADD(SUB(MUL(X, C1), Y), Z), C2), ADD(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(SUB(Z, Y), C2)), BY_C2},
    {FLOORDIV(SUB(ADD(MUL(X, C1), Y), Z), C2), ADD(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(SUB(Y, Z), C2)), BY_C2},
    {FLOORDIV(ADD(ADD(Y, MUL(X, C1)), Z), C2), ADD(MUL(X, FLOORDIV(C1, C2)), FLOORDIV(ADD(Y, Z), C2)), BY_C2},
    {FLOORDIV(ADD(X, C1), C2), ADD(FLOORDIV(X, C2), FLOORDIV(C1, C2)), BY_C2},
    {FLOORDIV(MUL(X, C1), MUL(X, C2)), FLOORDIV(C1, C2), AND(POSITIVE(C2), NONZERO(X))},
    {FLOORDIV(ADD(X, Y), X), ADD(FLOORDIV(Y, X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(ADD(Y, X), X), ADD(FLOORDIV(Y, X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(ADD(ADD(X, Y), Z), X), ADD(FLOORDIV(ADD(Y, Z), X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(ADD(ADD(Y, X), Z), X), ADD(FLOORDIV(ADD(Y, Z), X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(ADD(Y, ADD(Z, X)), X), ADD(FLOORDIV(ADD(Y, Z), X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(ADD(Y, ADD(X, Z)), X), ADD(FLOORDIV(ADD(Y, Z), X), N(1)), PROVES_GE(X, N(1))},
    {FLOORDIV(MUL(X, Y), Y), X, PROVES_GE(Y, N(1))},
    {FLOORDIV(MUL(Y, X), Y), X, PROVES_GE(Y, N(1))},
    {FLOORDIV(ADD(MUL(X, Z), Y), Z), ADD(X, FLOORDIV(Y, Z)), PROVES_GE(Z, N(1))},
    {FLOORDIV(ADD(MUL(Z, X), Y), Z), ADD(X, FLOORDIV(Y, Z)), PROVES_GE(Z, N(1))},
    {FLOORDIV(ADD(Y, MUL(X, Z)), Z), ADD(FLOORDIV(Y, Z), X), PROVES_GE(Z, N(1))},
    {FLOORDIV(ADD(Y, MUL(Z, X)), Z), ADD(FLOORDIV(Y, Z), X), PROVES_GE(Z, N(1))},
    {FLOORDIV(SUB(X, FLOORMOD(X, C1)), C1), FLOORDIV(X, C1), NE(C1, N(0))},
    {0},
};

static const vt__rule floormod_vector[] = {
    {FLOORMOD(SPREAD(X), SPREAD(Y)), SPREAD(FLOORMOD(X, Y))},
    {.fn = floormod_ramp},
    {0},
};

static const vt__rule floormod_index[] = {
    {FLOORMOD(MUL(X, C1), C2), FLOORMOD(MUL(X, FLOORMOD(C1, C2)), C2), NE(C2, N(0))},
    {FLOORMOD(ADD(MUL(X, C1), Y), C2), ADD(MUL(FLOORMOD(X, FLOORDIV(C2, C1)), C1), Y),
     AND(C1_IN_C2, PROVES_ZERO(FLOORDIV(Y, C1)))},
    {FLOORMOD(ADD(MUL(X, C1), Y), C2), FLOORMOD(ADD(MUL(X, FLOORMOD(C1, C2)), Y), C2), POSITIVE(C2)},
    {FLOORMOD(ADD(X, C1), C2), FLOORMOD(X, C2), BY_C2},
    {FLOORMOD(ADD(X, MUL(Y, C1)), C2), FLOORMOD(ADD(X, MUL(Y, FLOORMOD(C1, C2))), C2), POSITIVE(C2)},
    {FLOORMOD(MUL(X, C1), MUL(X, C2)), MUL(X, FLOORMOD(C1, C2)), NE(C2, N(0))},
    {FLOORMOD(MUL(X, Y), Y), N(0)},
    {FLOORMOD(MUL(Y, X), Y), N(0)},
    {.fn = floormod_by_modular},
    {0},
};

const vt__rules vt__rules_floordiv = {floordiv_vector, floordiv_index, NULL};
const vt__rules vt__rules_floormod = {floormod_vector, floormod_index, NULL};

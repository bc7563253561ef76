/* Division and remainder that truncate. Most rules need to know that operands are not negative. */
#include <math.h>
#include <stdlib.h>

#include "arith/pattern.h"
#include "arith/rules_short.h"
#include "ir/build.h"

#define BOTH_NONNEG AND(NONNEG(X), NONNEG(Y))
#define WHOLE AND(AND(GE(C1, N(0)), POSITIVE(C2)), DIVIDES(C1, C2))

/* x / c is x * (1/c) for floats where that is exact: powers of two. */
static const vt_expr *by_reciprocal(vt__rewriter *rw, const vt_expr *e) {
    int exponent;
    if (e->a[1]->kind != VT_E_FLOAT || fabs(frexp(e->a[1]->u.f, &exponent)) != 0.5 || abs(exponent) > 60) return NULL;
    return vt_mul(rw->ctx, e->a[0], vt_float(rw->ctx, e->dtype, 1.0 / e->a[1]->u.f));
}

static const vt__rule div_index[] = {
    {DIV(DIV(X, C1), C2), DIV(X, MUL(C1, C2)), AND(POSITIVE(C1), POSITIVE(C2))},
    {DIV(ADD(DIV(X, C1), C2), C3), DIV(ADD(X, MUL(C1, C2)), MUL(C1, C3)),
     AND(AND(POSITIVE(C1), AND(GE(C2, N(0)), POSITIVE(C3))), NONNEG(X))},
    {DIV(MUL(X, C1), C2), MUL(X, DIV(C1, C2)), AND(AND(POSITIVE(C1), POSITIVE(C2)), DIVIDES(C1, C2))},
    {DIV(MUL(X, C1), C2), DIV(X, DIV(C2, C1)), AND(AND(POSITIVE(C1), POSITIVE(C2)), DIVIDES(C2, C1))},
    {DIV(X, X), N(1), NONZERO(X)},
    {DIV(MUL(X, C1), X), C1, NONZERO(X)},
    {DIV(MUL(C1, X), X), C1, NONZERO(X)},
    /* two terms */
    {DIV(ADD(MUL(X, C1), Y), C2), ADD(MUL(X, DIV(C1, C2)), DIV(Y, C2)), AND(WHOLE, BOTH_NONNEG)},
    {DIV(MIN(MUL(X, C1), Y), C2), MIN(MUL(X, DIV(C1, C2)), DIV(Y, C2)), AND(WHOLE, BOTH_NONNEG)},
    {DIV(MAX(MUL(X, C1), Y), C2), MAX(MUL(X, DIV(C1, C2)), DIV(Y, C2)), AND(WHOLE, BOTH_NONNEG)},
    {DIV(ADD(Y, MUL(X, C1)), C2), ADD(DIV(Y, C2), MUL(X, DIV(C1, C2))), AND(WHOLE, BOTH_NONNEG)},
    {DIV(MIN(Y, MUL(X, C1)), C2), MIN(DIV(Y, C2), MUL(X, DIV(C1, C2))), AND(WHOLE, BOTH_NONNEG)},
    {DIV(MAX(Y, MUL(X, C1)), C2), MAX(DIV(Y, C2), MUL(X, DIV(C1, C2))), AND(WHOLE, BOTH_NONNEG)},
    /* three terms */
    {DIV(ADD(ADD(MUL(X, C1), Y), Z), C2), ADD(MUL(X, DIV(C1, C2)), DIV(ADD(Y, Z), C2)),
     AND(WHOLE, AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(ADD(SUB(MUL(X, C1), Y), Z), C2), ADD(MUL(X, DIV(C1, C2)), DIV(SUB(Z, Y), C2)),
     AND(WHOLE, AND(NONNEG(X), NONNEG(SUB(Z, Y))))},
    {DIV(SUB(ADD(MUL(X, C1), Y), Z), C2), ADD(MUL(X, DIV(C1, C2)), DIV(SUB(Y, Z), C2)),
     AND(WHOLE, AND(NONNEG(X), NONNEG(SUB(Y, Z))))},
    {DIV(ADD(ADD(Y, MUL(X, C1)), Z), C2), ADD(MUL(X, DIV(C1, C2)), DIV(ADD(Y, Z), C2)),
     AND(WHOLE, AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(ADD(X, C1), C2), ADD(DIV(X, C2), DIV(C1, C2)), AND(WHOLE, NONNEG(X))},
    {DIV(ADD(X, Y), X), ADD(DIV(Y, X), N(1)), AND(NONZERO(X), BOTH_NONNEG)},
    {DIV(ADD(Y, X), X), ADD(DIV(Y, X), N(1)), AND(NONZERO(X), BOTH_NONNEG)},
    {DIV(ADD(ADD(X, Y), Z), X), ADD(DIV(ADD(Y, Z), X), N(1)), AND(NONZERO(X), AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(ADD(ADD(Y, X), Z), X), ADD(DIV(ADD(Y, Z), X), N(1)), AND(NONZERO(X), AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(ADD(Y, ADD(Z, X)), X), ADD(DIV(ADD(Y, Z), X), N(1)), AND(NONZERO(X), AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(ADD(Y, ADD(X, Z)), X), ADD(DIV(ADD(Y, Z), X), N(1)), AND(NONZERO(X), AND(NONNEG(X), NONNEG(ADD(Y, Z))))},
    {DIV(MUL(X, Y), Y), X, AND(NONZERO(Y), BOTH_NONNEG)},
    {DIV(MUL(Y, X), Y), X, AND(NONZERO(Y), BOTH_NONNEG)},
    {DIV(ADD(MUL(X, Z), Y), Z), ADD(X, DIV(Y, Z)), AND(NONZERO(Z), AND(BOTH_NONNEG, NONNEG(Z)))},
    {DIV(ADD(MUL(Z, X), Y), Z), ADD(X, DIV(Y, Z)), AND(NONZERO(Z), AND(BOTH_NONNEG, NONNEG(Z)))},
    {DIV(ADD(Y, MUL(X, Z)), Z), ADD(DIV(Y, Z), X), AND(NONZERO(Z), AND(BOTH_NONNEG, NONNEG(Z)))},
    {DIV(ADD(Y, MUL(Z, X)), Z), ADD(DIV(Y, Z), X), AND(NONZERO(Z), AND(BOTH_NONNEG, NONNEG(Z)))},
    {0},
};

static const vt__rule div_vector[] = {
    {DIV(SPREAD(X), SPREAD(Y)), SPREAD(DIV(X, Y))},
    {DIV(RAMP(X, C1), SPREAD(C2)), RAMP(DIV(X, C2), DIV(C1, C2)), AND(WHOLE, NONNEG(X))},
    {0},
};

static const vt__rule div_any[] = {{.fn = by_reciprocal}, {0}};

static const vt__rule mod_vector[] = {
    {MOD(SPREAD(X), SPREAD(Y)), SPREAD(MOD(X, Y))},
    {MOD(RAMP(X, C1), SPREAD(C2)), SPREAD(MOD(X, C2)), AND(WHOLE, NONNEG(X))},
    {0},
};

/* The remainder of what is known modulo a multiple of the divisor. */
static const vt_expr *mod_by_modular(vt__rewriter *rw, const vt_expr *e) {
    if (e->a[1]->kind != VT_E_INT || e->a[1]->u.i <= 0) return NULL;
    int64_t c = e->a[1]->u.i;
    vt_modular m = vt_modular_set(rw->an, e->a[0]);
    if (m.coeff % c || !vt_prove_ge(rw->an, e->a[0], 0)) return NULL;
    return vt_int(rw->ctx, e->dtype, m.base % c);
}

static const vt__rule mod_index[] = {
    {MOD(MUL(X, C1), C2), N(0), AND(NE(C2, N(0)), DIVIDES(C1, C2))},
    {MOD(ADD(MUL(X, C1), Y), C2), MOD(Y, C2),
     AND(AND(POSITIVE(C2), DIVIDES(C1, C2)), AND(NONNEG(MUL(X, C1)), NONNEG(Y)))},
    {MOD(ADD(X, C1), C2), MOD(X, C2), AND(AND(POSITIVE(C2), AND(GE(C1, N(0)), DIVIDES(C1, C2))), NONNEG(X))},
    {MOD(ADD(X, MUL(Y, C1)), C2), MOD(X, C2),
     AND(AND(POSITIVE(C2), DIVIDES(C1, C2)), AND(NONNEG(X), NONNEG(MUL(Y, C1))))},
    {MOD(X, C1), MOD(X, SUB(N(0), C1)), LT(C1, N(0)), AGAIN},
    {.fn = mod_by_modular},
    {0},
};

const vt__rules vt__rules_div = {div_vector, div_index, div_any};
const vt__rules vt__rules_mod = {mod_vector, mod_index, NULL};

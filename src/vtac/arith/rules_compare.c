/* Equality and less-than; the other comparisons are turned into these. */
#include "arith/pattern.h"
#include "arith/rules_short.h"
#include "ir/build.h"

static const vt_expr *eq_by_difference(vt__rewriter *rw, const vt_expr *e) {
    switch (vt__try_compare(rw, vt_sub(rw->ctx, e->a[0], e->a[1]), 0)) {
    case VT__EQ: return vt_int(rw->ctx, e->dtype, 1);
    case VT__NE:
    case VT__GT:
    case VT__LT: return vt_int(rw->ctx, e->dtype, 0);
    case VT__UNKNOWN:
    case VT__GE:
    case VT__LE: break;
    }
    return NULL;
}

static const vt_expr *lt_by_difference(vt__rewriter *rw, const vt_expr *e) {
    switch (vt__try_compare(rw, vt_sub(rw->ctx, e->a[0], e->a[1]), 0)) {
    case VT__LT: return vt_int(rw->ctx, e->dtype, 1);
    case VT__EQ:
    case VT__GT:
    case VT__GE: return vt_int(rw->ctx, e->dtype, 0);
    case VT__UNKNOWN:
    case VT__LE:
    case VT__NE: break;
    }
    return NULL;
}

static const vt__rule eq_vector[] = {
    {EQ(SPREAD(X), SPREAD(Y)), SPREAD(EQ(X, Y))},
    {0},
};

static const vt__rule eq_index[] = {
    {.fn = eq_by_difference},
    {EQ(SUB(X, C1), N(0)), EQ(X, C1)},
    {EQ(SUB(C1, X), N(0)), EQ(X, C1)},
    {EQ(ADD(X, C1), N(0)), EQ(X, SUB(N(0), C1))},
    {EQ(MUL(X, Y), N(0)), OR(EQ(X, N(0)), EQ(Y, N(0)))},
    {0},
};

static const vt__rule lt_vector[] = {
    {LT(SPREAD(X), SPREAD(Y)), SPREAD(LT(X, Y))},
    {LT(RAMP(X, U), RAMP(Y, U)), SPREAD(LT(X, Y))},
    {0},
};

#define NEGATIVE(c) LT(c, N(0))
#define NOT_POSITIVE(c) LE(c, N(0))
#define NOT_NEGATIVE(c) GE(c, N(0))

/* q(x, c1) * c1 < x, for one kind of division. */
#define BELOW_ITSELF(Q, R)                                                                                             \
    {LT(MUL(Q(X, C1), C1), X), LT(N(0), R(X, C1)), POSITIVE(C1)},                                                      \
        {LT(MUL(Q(X, C1), C1), ADD(X, Y)), LT(N(0), ADD(R(X, C1), Y)), POSITIVE(C1)},                                  \
        {LT(MUL(Q(X, C1), C1), SUB(X, Y)), LT(Y, R(X, C1)), POSITIVE(C1)},                                             \
        {LT(MUL(Q(ADD(X, C2), C1), C1), X), LT(C2, R(ADD(X, C2), C1)), POSITIVE(C1)},                                  \
        {LT(MUL(Q(ADD(X, C2), C1), C1), ADD(X, Y)), LT(C2, ADD(R(ADD(X, C2), C1), Y)), POSITIVE(C1)}, {                \
        LT(MUL(Q(ADD(X, C2), C1), C1), SUB(X, Y)), LT(Y, ADD(R(ADD(X, C2), C1), SUB(N(0), C2))), POSITIVE(C1)          \
    }

static const vt__rule lt_index[] = {
    {.fn = lt_by_difference},
    {LT(ADD(X, Y), ADD(X, Z)), LT(Y, Z)},
    {LT(ADD(X, Y), ADD(Z, X)), LT(Y, Z)},
    {LT(ADD(Y, X), ADD(X, Z)), LT(Y, Z)},
    {LT(ADD(Y, X), ADD(Z, X)), LT(Y, Z)},
    {LT(SUB(Y, X), SUB(Z, X)), LT(Y, Z)},
    {LT(SUB(X, Y), SUB(X, Z)), LT(Z, Y)},
    {LT(X, ADD(X, Z)), LT(N(0), Z)},
    {LT(X, ADD(Z, X)), LT(N(0), Z)},
    {LT(X, SUB(X, Z)), LT(Z, N(0))},
    {LT(C1, ADD(X, C2)), LT(SUB(C1, C2), X)},
    {LT(C1, SUB(C2, X)), LT(X, SUB(C2, C1))},
    {LT(MUL(X, C1), MUL(Y, C1)), LT(X, Y), POSITIVE(C1)},
    {LT(MUL(X, C1), MUL(Y, C1)), LT(Y, X), NEGATIVE(C1)},
    /* a factor against a constant */
    {LT(MUL(X, C2), C1), LT(X, ADD(DIV(SUB(C1, N(1)), C2), N(1))), AND(POSITIVE(C1), POSITIVE(C2))},
    {LT(MUL(X, C2), C1), LT(X, DIV(C1, C2)), AND(NOT_POSITIVE(C1), POSITIVE(C2))},
    {LT(MUL(X, C2), C1), LT(SUB(DIV(SUB(C1, N(1)), C2), N(1)), X), AND(POSITIVE(C1), NEGATIVE(C2))},
    {LT(MUL(X, C2), C1), LT(DIV(C1, C2), X), AND(NOT_POSITIVE(C1), NEGATIVE(C2))},
    {LT(C1, MUL(X, C2)), LT(SUB(DIV(ADD(C1, N(1)), C2), N(1)), X), AND(NEGATIVE(C1), POSITIVE(C2))},
    {LT(C1, MUL(X, C2)), LT(DIV(C1, C2), X), AND(NOT_NEGATIVE(C1), POSITIVE(C2))},
    {LT(C1, MUL(X, C2)), LT(X, ADD(DIV(ADD(C1, N(1)), C2), N(1))), AND(NEGATIVE(C1), NEGATIVE(C2))},
    {LT(C1, MUL(X, C2)), LT(X, DIV(C1, C2)), AND(NOT_NEGATIVE(C1), NEGATIVE(C2))},
    /* a quotient against a constant */
    {LT(DIV(X, C1), C2), LT(X, MUL(C1, C2)), AND(POSITIVE(C1), POSITIVE(C2))},
    {LT(DIV(X, C1), C2), LT(X, ADD(MUL(C1, SUB(C2, N(1))), N(1))), AND(POSITIVE(C1), NOT_POSITIVE(C2))},
    {LT(C1, DIV(X, C2)), LT(SUB(MUL(ADD(C1, N(1)), C2), N(1)), X), AND(NOT_NEGATIVE(C1), POSITIVE(C2))},
    {LT(C1, DIV(X, C2)), LT(MUL(C1, C2), X), AND(NEGATIVE(C1), POSITIVE(C2))},
    BELOW_ITSELF(DIV, MOD),
    {LT(FLOORDIV(X, C1), C2), LT(X, MUL(C1, C2)), POSITIVE(C1)},
    {LT(C1, FLOORDIV(X, C2)), LT(SUB(MUL(ADD(C1, N(1)), C2), N(1)), X), POSITIVE(C2)},
    BELOW_ITSELF(FLOORDIV, FLOORMOD),
    /* one form */
    {LT(MIN(X, Y), Z), OR(LT(X, Z), LT(Y, Z)), NULL, AGAIN},
    {LT(MAX(X, Y), Z), AND(LT(X, Z), LT(Y, Z)), NULL, AGAIN},
    {LT(Z, MIN(X, Y)), AND(LT(Z, X), LT(Z, Y)), NULL, AGAIN},
    {LT(Z, MAX(X, Y)), OR(LT(Z, X), LT(Z, Y)), NULL, AGAIN},
    {LT(X, SUB(C1, Y)), LT(ADD(X, Y), C1), NULL, AGAIN},
    {LT(X, ADD(C1, Y)), LT(SUB(X, Y), C1), NULL, AGAIN},
    {LT(SUB(C1, Y), X), LT(C1, ADD(X, Y)), NULL, AGAIN},
    {LT(ADD(C1, Y), X), LT(C1, SUB(X, Y)), NULL, AGAIN},
    {LT(ADD(X, C1), C2), LT(X, SUB(C2, C1)), NULL, AGAIN},
    {LT(SUB(X, C1), C2), LT(X, ADD(C2, C1)), NULL, AGAIN},
    {0},
};

const vt__rules vt__rules_eq = {eq_vector, eq_index, NULL};
const vt__rules vt__rules_lt = {lt_vector, lt_index, NULL};

/* Addition, subtraction, multiplication. */
#include "arith/priv.h"
#include "arith/rules_short.h"

static const vt__rule add_vector[] = {
    {ADD(RAMP(X, Y), RAMP(U, V)), RAMP(ADD(X, U), ADD(Y, V))},
    {ADD(RAMP(X, Y), SPREAD(U)), RAMP(ADD(X, U), Y)},
    {ADD(SPREAD(U), RAMP(X, Y)), RAMP(ADD(U, X), Y)},
    {ADD(SPREAD(X), SPREAD(Y)), SPREAD(ADD(X, Y))},
    {ADD(X, SPREAD(FLOAT_ZERO)), X},
    {0},
};

static const vt__rule add_index[] = {
    /* what cancels */
    {ADD(SUB(X, Y), Y), X},
    {ADD(X, SUB(Y, X)), Y},
    {ADD(SUB(X, Y), SUB(Y, Z)), SUB(X, Z)},
    {ADD(SUB(X, Y), SUB(Z, X)), SUB(Z, Y)},
    {ADD(MIN(X, SUB(Y, Z)), Z), MIN(ADD(X, Z), Y)},
    {ADD(MIN(SUB(X, Z), Y), Z), MIN(X, ADD(Y, Z))},
    {ADD(MAX(X, SUB(Y, Z)), Z), MAX(ADD(X, Z), Y)},
    {ADD(MAX(SUB(X, Z), Y), Z), MAX(X, ADD(Y, Z))},
    {ADD(MIN(X, ADD(Y, MUL(Z, C1))), MUL(Z, C2)), MIN(ADD(X, MUL(Z, C2)), Y), OPPOSITE(C1, C2)},
    {ADD(MAX(X, ADD(Y, MUL(Z, C1))), MUL(Z, C2)), MAX(ADD(X, MUL(Z, C2)), Y), OPPOSITE(C1, C2)},
    {ADD(MIN(ADD(Y, MUL(Z, C1)), X), MUL(Z, C2)), MIN(ADD(X, MUL(Z, C2)), Y), OPPOSITE(C1, C2)},
    {ADD(MAX(ADD(Y, MUL(Z, C1)), X), MUL(Z, C2)), MAX(ADD(X, MUL(Z, C2)), Y), OPPOSITE(C1, C2)},
    {ADD(MAX(X, Y), MIN(X, Y)), ADD(X, Y)},
    {ADD(MIN(X, Y), MAX(X, Y)), ADD(X, Y)},
    {ADD(MAX(X, Y), MIN(Y, X)), ADD(X, Y)},
    {ADD(MIN(X, Y), MAX(Y, X)), ADD(X, Y)},
    {ADD(MIN(X, ADD(Y, C1)), C2), MIN(ADD(X, C2), Y), OPPOSITE(C1, C2)},
    {ADD(MIN(ADD(X, C1), Y), C2), MIN(X, ADD(Y, C2)), OPPOSITE(C1, C2)},
    {ADD(MAX(X, ADD(Y, C1)), C2), MAX(ADD(X, C2), Y), OPPOSITE(C1, C2)},
    {ADD(MAX(ADD(X, C1), Y), C2), MAX(X, ADD(Y, C2)), OPPOSITE(C1, C2)},
    /* constants */
    {ADD(ADD(X, C1), C2), ADD(X, ADD(C1, C2))},
    /* coefficients */
    {ADD(X, X), MUL(X, N(2))},
    {ADD(MUL(X, Y), X), MUL(X, ADD(Y, N(1)))},
    {ADD(MUL(Y, X), X), MUL(X, ADD(Y, N(1)))},
    {ADD(X, MUL(Y, X)), MUL(X, ADD(N(1), Y))},
    {ADD(X, MUL(X, Y)), MUL(X, ADD(N(1), Y))},
    {ADD(MUL(X, Y), MUL(X, Z)), MUL(X, ADD(Y, Z))},
    {ADD(MUL(Y, X), MUL(X, Z)), MUL(X, ADD(Y, Z))},
    {ADD(MUL(X, Y), MUL(Z, X)), MUL(X, ADD(Y, Z))},
    {ADD(MUL(Y, X), MUL(Z, X)), MUL(X, ADD(Y, Z))},
    /* quotient and remainder */
    {ADD(MUL(DIV(X, C1), C1), MOD(X, C1)), X},
    {ADD(MUL(FLOORDIV(X, Y), Y), FLOORMOD(X, Y)), X},
    {ADD(MUL(Y, FLOORDIV(X, Y)), FLOORMOD(X, Y)), X},
    {ADD(FLOORMOD(X, Y), MUL(FLOORDIV(X, Y), Y)), X},
    {ADD(FLOORMOD(X, Y), MUL(Y, FLOORDIV(X, Y))), X},
    {ADD(FLOORDIV(ADD(FLOORMOD(X, C2), C1), C2), FLOORDIV(X, C2)), FLOORDIV(ADD(X, C1), C2), POSITIVE(C2)},
    /* one order of terms */
    {ADD(X, SUB(C1, Y)), ADD(SUB(X, Y), C1), NULL, AGAIN},
    {ADD(SUB(C1, Y), X), ADD(SUB(X, Y), C1), NULL, AGAIN},
    {ADD(ADD(X, C1), Y), ADD(ADD(X, Y), C1), NULL, AGAIN},
    {ADD(X, ADD(C1, Y)), ADD(ADD(X, Y), C1), NULL, AGAIN},
    {ADD(X, MAX(Y, Z)), ADD(MAX(Y, Z), X), NULL, AGAIN},
    {ADD(X, MIN(Y, Z)), ADD(MIN(Y, Z), X), NULL, AGAIN},
    {ADD(MOD(Y, C1), MUL(X, C1)), ADD(MUL(X, C1), MOD(Y, C1)), NULL, AGAIN},
    {ADD(FLOORMOD(Y, C1), MUL(X, C1)), ADD(MUL(X, C1), FLOORMOD(Y, C1)), NULL, AGAIN},
    {0},
};

static const vt__rule add_any[] = {
    {ADD(SELECT(X, Y, Z), SELECT(X, U, V)), SELECT(X, ADD(Y, U), ADD(Z, V))},
    {0},
};

static const vt__rule sub_vector[] = {
    {SUB(RAMP(X, Y), RAMP(U, V)), RAMP(SUB(X, U), SUB(Y, V))},
    {SUB(RAMP(X, Y), SPREAD(U)), RAMP(SUB(X, U), Y)},
    {SUB(SPREAD(U), RAMP(X, Y)), RAMP(SUB(U, X), SUB(N(0), Y))},
    {SUB(SPREAD(X), SPREAD(Y)), SPREAD(SUB(X, Y))},
    {0},
};

/* x - (q(x) * c) and its mirror images, for one kind of division: what is left is the remainder. */
#define REMAINDERS(Q, R)                                                                                               \
    {SUB(X, MUL(Q(X, C1), C1)), R(X, C1), NE(C1, N(0))},                                                               \
        {SUB(MUL(Q(X, C1), C1), X), SUB(N(0), R(X, C1)), NE(C1, N(0))},                                                \
        {SUB(X, MUL(Q(ADD(X, Y), C1), C1)), SUB(R(ADD(X, Y), C1), Y), NE(C1, N(0))},                                   \
        {SUB(MUL(Q(ADD(X, Y), C1), C1), X), SUB(Y, R(ADD(X, Y), C1)), NE(C1, N(0))},                                   \
        {SUB(X, MUL(Q(SUB(X, Y), C1), C1)), ADD(R(SUB(X, Y), C1), Y), NE(C1, N(0))},                                   \
        {SUB(MUL(Q(SUB(X, Y), C1), C1), X), SUB(SUB(N(0), R(SUB(X, Y), C1)), Y), NE(C1, N(0))},                        \
        {SUB(MUL(X, C2), MUL(Q(X, C1), C3)), MUL(R(X, C1), C2), SCALED},                                               \
        {SUB(MUL(Q(X, C1), C3), MUL(X, C2)), SUB(N(0), MUL(R(X, C1), C2)), SCALED},                                    \
        {SUB(MUL(X, C2), MUL(Q(ADD(X, Y), C1), C3)), MUL(SUB(R(ADD(X, Y), C1), Y), C2), SCALED},                       \
        {SUB(MUL(Q(ADD(X, Y), C1), C3), MUL(X, C2)), MUL(SUB(Y, R(ADD(X, Y), C1)), C2), SCALED},                       \
        {SUB(MUL(X, C2), MUL(Q(SUB(X, Y), C1), C3)), MUL(ADD(R(SUB(X, Y), C1), Y), C2), SCALED}, {                     \
        SUB(MUL(Q(SUB(X, Y), C1), C3), MUL(X, C2)), MUL(SUB(SUB(N(0), R(SUB(X, Y), C1)), Y), C2), SCALED               \
    }
#define SCALED AND(NE(C1, N(0)), EQ(C3, MUL(C1, C2)))

static const vt__rule sub_index[] = {
    /* what cancels */
    {SUB(ADD(X, Y), Y), X},
    {SUB(ADD(X, Y), X), Y},
    {SUB(X, ADD(Y, X)), SUB(N(0), Y)},
    {SUB(X, ADD(X, Y)), SUB(N(0), Y)},
    {SUB(MIN(X, Y), X), MIN(N(0), SUB(Y, X))},
    {SUB(MIN(X, Y), Y), MIN(SUB(X, Y), N(0))},
    {SUB(MAX(X, Y), X), MAX(N(0), SUB(Y, X))},
    {SUB(MAX(X, Y), Y), MAX(SUB(X, Y), N(0))},
    {SUB(X, MAX(X, Y)), MIN(N(0), SUB(X, Y))},
    {SUB(Y, MAX(X, Y)), MIN(SUB(Y, X), N(0))},
    {SUB(X, MIN(X, Y)), MAX(N(0), SUB(X, Y))},
    {SUB(Y, MIN(X, Y)), MAX(SUB(Y, X), N(0))},
    /* coefficients */
    {SUB(X, X), N(0)},
    {SUB(MUL(X, Y), X), MUL(X, SUB(Y, N(1)))},
    {SUB(MUL(Y, X), X), MUL(X, SUB(Y, N(1)))},
    {SUB(X, MUL(Y, X)), MUL(X, SUB(N(1), Y))},
    {SUB(X, MUL(X, Y)), MUL(X, SUB(N(1), Y))},
    {SUB(MUL(X, Y), MUL(X, Z)), MUL(X, SUB(Y, Z))},
    {SUB(MUL(Y, X), MUL(X, Z)), MUL(X, SUB(Y, Z))},
    {SUB(MUL(X, Y), MUL(Z, X)), MUL(X, SUB(Y, Z))},
    {SUB(MUL(Y, X), MUL(Z, X)), MUL(X, SUB(Y, Z))},
    /* constants */
    {SUB(ADD(X, C1), C2), ADD(X, SUB(C1, C2))},
    {SUB(SUB(C1, X), SUB(C2, Y)), ADD(SUB(Y, X), SUB(C1, C2))},
    /* what cancels among four */
    {SUB(ADD(X, Y), ADD(X, Z)), SUB(Y, Z)},
    {SUB(ADD(X, Y), ADD(Z, X)), SUB(Y, Z)},
    {SUB(ADD(Y, X), ADD(Z, X)), SUB(Y, Z)},
    {SUB(ADD(Y, X), ADD(X, Z)), SUB(Y, Z)},
    {SUB(MIN(ADD(X, Y), Z), X), MIN(Y, SUB(Z, X))},
    {SUB(MIN(ADD(Y, X), Z), X), MIN(Y, SUB(Z, X))},
    {SUB(MIN(Z, ADD(X, Y)), X), MIN(SUB(Z, X), Y)},
    {SUB(MIN(Z, ADD(Y, X)), X), MIN(SUB(Z, X), Y)},
    {SUB(MAX(ADD(X, Y), Z), X), MAX(Y, SUB(Z, X))},
    {SUB(MAX(ADD(Y, X), Z), X), MAX(Y, SUB(Z, X))},
    {SUB(MAX(Z, ADD(X, Y)), X), MAX(SUB(Z, X), Y)},
    {SUB(MAX(Z, ADD(Y, X)), X), MAX(SUB(Z, X), Y)},
    {SUB(X, MIN(ADD(X, Y), Z)), MAX(SUB(N(0), Y), SUB(X, Z))},
    {SUB(X, MIN(ADD(Y, X), Z)), MAX(SUB(N(0), Y), SUB(X, Z))},
    {SUB(X, MIN(Z, ADD(X, Y))), MAX(SUB(X, Z), SUB(N(0), Y))},
    {SUB(X, MIN(Z, ADD(Y, X))), MAX(SUB(X, Z), SUB(N(0), Y))},
    {SUB(MIN(X, Y), MIN(Y, X)), N(0)},
    {SUB(MAX(X, Y), MAX(Y, X)), N(0)},
    {SUB(MIN(X, Y), MIN(U, V)), SUB(X, U), PROVES_ZERO(SUB(SUB(X, U), SUB(Y, V)))},
    {SUB(MIN(X, Y), MIN(U, V)), SUB(X, V), PROVES_ZERO(SUB(SUB(X, V), SUB(Y, U)))},
    {SUB(MAX(X, Y), MAX(U, V)), SUB(X, U), PROVES_ZERO(SUB(SUB(X, U), SUB(Y, V)))},
    {SUB(MAX(X, Y), MAX(U, V)), SUB(X, V), PROVES_ZERO(SUB(SUB(X, V), SUB(Y, U)))},
    /* quotient and remainder */
    REMAINDERS(DIV, MOD),
    {SUB(DIV(ADD(X, C1), C3), DIV(ADD(X, C2), C3)), DIV(ADD(MOD(ADD(X, FLOORMOD(C2, C3)), C3), SUB(C1, C2)), C3),
     AND(AND(POSITIVE(C3), GE(C1, C2)), AND(PROVES_GE(X, SUB(N(0), C2)), NONNEG(X)))},
    {SUB(DIV(ADD(X, C1), C3), DIV(X, C3)), DIV(ADD(MOD(X, C3), C1), C3),
     AND(AND(POSITIVE(C3), GE(C1, N(0))), NONNEG(X))},
    REMAINDERS(FLOORDIV, FLOORMOD),
    {SUB(FLOORDIV(ADD(X, C1), C3), FLOORDIV(ADD(X, C2), C3)),
     FLOORDIV(ADD(FLOORMOD(ADD(X, FLOORMOD(C2, C3)), C3), SUB(C1, C2)), C3), POSITIVE(C3)},
    {SUB(FLOORDIV(ADD(X, C1), C3), FLOORDIV(X, C3)), FLOORDIV(ADD(FLOORMOD(X, C3), C1), C3), POSITIVE(C3)},
    /* one order of terms */
    {SUB(X, C1), ADD(X, SUB(N(0), C1))},
    {SUB(ADD(X, C1), Y), ADD(SUB(X, Y), C1), NULL, AGAIN},
    {SUB(X, SUB(Y, Z)), SUB(ADD(X, Z), Y), NULL, AGAIN},
    {SUB(X, MUL(Y, C1)), ADD(X, MUL(Y, SUB(N(0), C1))), NULL, AGAIN},
    {0},
};

static const vt__rule sub_any[] = {
    {SUB(SELECT(X, Y, Z), SELECT(X, U, V)), SELECT(X, SUB(Y, U), SUB(Z, V))},
    {SUB(SELECT(X, Y, Z), Z), SELECT(X, SUB(Y, Z), N(0))},
    {SUB(SELECT(X, Y, Z), Y), SELECT(X, N(0), SUB(Z, Y))},
    {0},
};

static const vt__rule mul_vector[] = {
    {MUL(SPREAD(X), SPREAD(Y)), SPREAD(MUL(X, Y))},
    {MUL(RAMP(X, Y), SPREAD(U)), RAMP(MUL(X, U), MUL(Y, U))},
    {MUL(SPREAD(U), RAMP(X, Y)), RAMP(MUL(X, U), MUL(Y, U))},
    {MUL(SPREAD(FLOAT_ZERO), X), N(0)},
    {0},
};

static const vt__rule mul_index[] = {
    {MUL(ADD(X, C1), C2), ADD(MUL(X, C2), MUL(C1, C2))},
    {MUL(MUL(X, C1), C2), MUL(X, MUL(C1, C2))},
    {MUL(MIN(X, Y), MAX(X, Y)), MUL(X, Y)},
    {MUL(MAX(X, Y), MIN(X, Y)), MUL(X, Y)},
    {MUL(FLOORDIV(SUB(X, FLOORMOD(X, C2)), C1), C1), SUB(X, FLOORMOD(X, C2)), OPPOSITE(C1, C2)},
    /* one order of factors */
    {MUL(X, MUL(C1, Y)), MUL(MUL(X, Y), C1), NULL, AGAIN},
    {MUL(C1, X), MUL(X, C1), NULL, AGAIN},
    {MUL(SUB(X, Y), C1), MUL(SUB(Y, X), SUB(N(0), C1)), LT(C1, N(0)), AGAIN},
    {0},
};

const vt__rules vt__rules_add = {add_vector, add_index, add_any};
const vt__rules vt__rules_sub = {sub_vector, sub_index, sub_any};
const vt__rules vt__rules_mul = {mul_vector, mul_index, NULL};

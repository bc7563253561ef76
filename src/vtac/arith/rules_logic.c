/* Not, and, or, select. */
#include "arith/priv.h"
#include "arith/rules_short.h"

static const vt__rule not_vector[] = {
    {NOT(SPREAD(X)), SPREAD(NOT(X))},
    {0},
};

static const vt__rule not_any[] = {
    {NOT(NOT(X)), X},
    {NOT(LE(X, Y)), LT(Y, X)},
    {NOT(LT(X, Y)), LE(Y, X)},
    {NOT(EQ(X, Y)), NE(X, Y)},
    {NOT(NE(X, Y)), EQ(X, Y)},
    {NOT(OR(X, Y)), AND(NOT(X), NOT(Y)), NULL, AGAIN},
    {NOT(AND(X, Y)), OR(NOT(X), NOT(Y)), NULL, AGAIN},
    {0},
};

static const vt__rule and_vector[] = {
    {AND(SPREAD(X), SPREAD(Y)), SPREAD(AND(X, Y))},
    {0},
};

static const vt__rule and_any[] = {
    {AND(EQ(X, Y), NE(X, Y)), N(0)},
    {AND(NE(X, Y), EQ(X, Y)), N(0)},
    {AND(X, NOT(X)), N(0)},
    {AND(LE(X, Y), LT(Y, X)), N(0)},
    {AND(LT(Y, X), LE(X, Y)), N(0)},
    {AND(LT(X, C1), LT(C2, X)), N(0), GE(ADD(C2, N(1)), C1)},
    {AND(LT(C2, X), LT(X, C1)), N(0), GE(ADD(C2, N(1)), C1)},
    {AND(LT(X, C1), LE(C2, X)), N(0), GE(C2, C1)},
    {AND(LE(C2, X), LT(X, C1)), N(0), GE(C2, C1)},
    {AND(LE(X, C1), LT(C2, X)), N(0), GE(C2, C1)},
    {AND(LT(C2, X), LE(X, C1)), N(0), GE(C2, C1)},
    {AND(LE(X, C1), LE(C2, X)), N(0), GT(C2, C1)},
    {AND(LE(C2, X), LE(X, C1)), N(0), GT(C2, C1)},
    {AND(EQ(X, C1), NE(X, C2)), AND(EQ(X, C1), NE(C1, C2))},
    {AND(NE(X, C2), EQ(X, C1)), AND(EQ(X, C1), NE(C1, C2))},
    {0},
};

static const vt__rule or_vector[] = {
    {OR(SPREAD(X), SPREAD(Y)), SPREAD(OR(X, Y))},
    {0},
};

static const vt__rule or_any[] = {
    {OR(EQ(X, Y), NE(X, Y)), N(1)},
    {OR(NE(X, Y), EQ(X, Y)), N(1)},
    {OR(X, NOT(X)), N(1)},
    {OR(LE(X, Y), LT(Y, X)), N(1)},
    {OR(LT(Y, X), LE(X, Y)), N(1)},
    {OR(LT(X, C1), LT(C2, X)), N(1), LT(C2, C1)},
    {OR(LT(C2, X), LT(X, C1)), N(1), LT(C2, C1)},
    {OR(LE(X, C1), LT(C2, X)), N(1), LE(C2, C1)},
    {OR(LT(C2, X), LE(X, C1)), N(1), LE(C2, C1)},
    {OR(LT(X, C1), LE(C2, X)), N(1), LE(C2, C1)},
    {OR(LE(C2, X), LT(X, C1)), N(1), LE(C2, C1)},
    {OR(LE(X, C1), LE(C2, X)), N(1), LE(C2, ADD(C1, N(1)))},
    {OR(LE(C2, X), LE(X, C1)), N(1), LE(C2, ADD(C1, N(1)))},
    {OR(NE(X, C1), EQ(X, C2)), OR(NE(X, C1), EQ(C1, C2))},
    {OR(EQ(X, C2), NE(X, C1)), OR(NE(X, C1), EQ(C1, C2))},
    {0},
};

static const vt__rule select_any[] = {
    {SELECT(X, Y, Y), Y},
    {0},
};

const vt__rules vt__rules_not = {not_vector, NULL, not_any};
const vt__rules vt__rules_and = {and_vector, NULL, and_any};
const vt__rules vt__rules_or = {or_vector, NULL, or_any};
const vt__rules vt__rules_select = {NULL, NULL, select_any};

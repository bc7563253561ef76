/* Minimum and maximum. */
#include "arith/pattern.h"
#include "arith/rules_short.h"

/* One operand that is never above the other. */
static const vt_expr *below(vt__rewriter *rw, const vt_expr *e) {
    vt_bound x = vt_const_bound(rw->an, e->a[0]), y = vt_const_bound(rw->an, e->a[1]);
    return x.max <= y.min ? e->a[0] : y.max <= x.min ? e->a[1] : NULL;
}

static const vt_expr *above(vt__rewriter *rw, const vt_expr *e) {
    vt_bound x = vt_const_bound(rw->an, e->a[0]), y = vt_const_bound(rw->an, e->a[1]);
    return x.min >= y.max ? e->a[0] : y.min >= x.max ? e->a[1] : NULL;
}

/* x rounded up to a multiple of c2, with either division. */
#define UP(D) MUL(D(ADD(X, C1), C2), C2)
#define IS_UP AND(POSITIVE(C2), EQ(ADD(C1, N(1)), C2))
#define DOWN MUL(FLOORDIV(X, C2), C2)

#define ROUNDING                                                                                                       \
    {MIN(UP(DIV), X), X, IS_UP}, {MIN(UP(DIV), MAX(X, C2)), MAX(X, C2), AND(IS_UP, PROVES_GE(X, N(1)))},               \
        {MIN(X, UP(DIV)), X, IS_UP}, {MIN(MAX(X, C2), UP(DIV)), MAX(X, C2), AND(IS_UP, PROVES_GE(X, N(1)))},           \
        {MIN(UP(FLOORDIV), X), X, IS_UP}, {MIN(UP(FLOORDIV), MAX(X, C2)), MAX(X, C2), AND(IS_UP, PROVES_GE(X, N(1)))}, \
        {MIN(X, UP(FLOORDIV)), X, IS_UP}, {MIN(MAX(X, C2), UP(FLOORDIV)), MAX(X, C2), AND(IS_UP, PROVES_GE(X, N(1)))}, \
        {MIN(X, DOWN), DOWN, POSITIVE(C2)}, {MIN(DOWN, X), DOWN, POSITIVE(C2)},
#define LOW MIN
#define HIGH MAX
#define BEATS LT
#define BY_BOUNDS below
static const vt__rule min_index[] = {
#include "arith/rules_minmax.def"
};
#undef ROUNDING
#undef LOW
#undef HIGH
#undef BEATS
#undef BY_BOUNDS

#define ROUNDING                                                                                                       \
    {MAX(UP(DIV), X), UP(DIV), IS_UP}, {MAX(X, UP(DIV)), UP(DIV), IS_UP}, {MAX(UP(FLOORDIV), X), UP(FLOORDIV), IS_UP}, \
        {MAX(X, UP(FLOORDIV)), UP(FLOORDIV), IS_UP}, {MAX(DOWN, X), X, POSITIVE(C2)}, {MAX(X, DOWN), X, POSITIVE(C2)},
#define LOW MAX
#define HIGH MIN
#define BEATS GT
#define BY_BOUNDS above
static const vt__rule max_index[] = {
#include "arith/rules_minmax.def"
};

static const vt__rule min_vector[] = {
    {MIN(SPREAD(X), SPREAD(Y)), SPREAD(MIN(X, Y))},
    {MIN(MIN(X, SPREAD(Y)), SPREAD(Z)), MIN(X, SPREAD(MIN(Y, Z)))},
    {0},
};
static const vt__rule max_vector[] = {
    {MAX(SPREAD(X), SPREAD(Y)), SPREAD(MAX(X, Y))},
    {MAX(MAX(X, SPREAD(Y)), SPREAD(Z)), MAX(X, SPREAD(MAX(Y, Z)))},
    {0},
};
static const vt__rule min_any[] = {
    {MIN(SELECT(X, Y, Z), SELECT(X, U, V)), SELECT(X, MIN(Y, U), MIN(Z, V))},
    {0},
};
static const vt__rule max_any[] = {
    {MAX(SELECT(X, Y, Z), SELECT(X, U, V)), SELECT(X, MAX(Y, U), MAX(Z, V))},
    {0},
};

const vt__rules vt__rules_min = {min_vector, min_index, min_any};
const vt__rules vt__rules_max = {max_vector, max_index, max_any};

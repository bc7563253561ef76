/* Reducers that random programs use: one result, results of which each needs the other, and results in two types. All
 * of them are commutative and associative in integers that wrap around, so that no schedule may change what they give.
 */
#ifndef TE_REDUCERS_H
#define TE_REDUCERS_H

#include "te_test.h"

enum { REDUCERS = 5, RESULTS_MAX = 2 };

static inline te_expr *times(te_context *c, te_expr *x, te_expr *y) { return te_mul(c, x, y); }

static inline te_expr *choose(te_context *c, te_op op, te_expr *x, te_expr *y, te_expr *yes, te_expr *no) {
    te_expr *condition = te_apply(c, op, 2, (te_expr *[]){x, y});
    return te_apply(c, TE_SELECT, 3, (te_expr *[]){condition, yes, no});
}

/* Reducer `which`, and the number of its results: a product, a sum written backwards, bitwise exclusive or, a product
 * of complex numbers, and the smallest place of the largest value. */
static inline te_reducer *reducer_of(te_context *c, uint32_t which, size_t *out_n) {
    te_expr *x[RESULTS_MAX], *y[RESULTS_MAX], *results[RESULTS_MAX], *same;
    te_expr *zero = te_int(c, "int32", 0), *one = te_int(c, "int32", 1);
    te_expr *identities[RESULTS_MAX] = {which == 0 || which == 3 ? one : zero, zero};
    *out_n = which < 3 ? 1 : 2;
    for (size_t k = 0; k < *out_n; k++) {
        x[k] = te_operand(c, k ? "x1" : "x0", "int32");
        y[k] = te_operand(c, k ? "y1" : "y0", "int32");
    }
    switch (which) {
    case 0: results[0] = times(c, x[0], y[0]); break;
    case 1: results[0] = te_add(c, y[0], x[0]); break;
    case 2: results[0] = te_apply(c, TE_BITXOR, 2, (te_expr *[]){x[0], y[0]}); break;
    case 3:
        results[0] = te_sub(c, times(c, x[0], y[0]), times(c, x[1], y[1]));
        results[1] = te_add(c, times(c, x[0], y[1]), times(c, x[1], y[0]));
        break;
    default:
        same = choose(c, TE_LT, x[1], y[1], x[1], y[1]);
        results[0] = choose(c, TE_GT, x[0], y[0], x[0], y[0]);
        results[1] = choose(c, TE_GT, x[0], y[0], x[1], choose(c, TE_GT, y[0], x[0], y[1], same));
        identities[0] = te_int(c, "int32", INT32_MIN);
        identities[1] = te_int(c, "int32", INT32_MAX);
    }
    return te_reducer_create(c, *out_n, x, y, results, identities);
}

#endif

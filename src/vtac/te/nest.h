/* Loop nests. */
#ifndef VT_TE_NEST_H
#define VT_TE_NEST_H

#include "te/schedule.h"

/* The statements around a body, outermost first; bodies of the items are not looked at. */
typedef struct te__nest {
    uint32_t n, cap;
    const vt_stmt **items;
} te__nest;
void te__nest_add(vt_ctx *ctx, te__nest *nest, const vt_stmt *s);
const vt_stmt *te__nest_merge(vt_ctx *ctx, const te__nest *nest, const vt_stmt *body);

/* The loops of a computation: level i + 1 has what stands for leaf i; the last level the conditions. */
typedef struct te__loops {
    uint32_t n_levels;                    /* leaves + 1 (+ 1 for the conditions) */
    te__nest *main, *init;                /* init: only of a reduction */
    vt_ptrmap *main_values, *init_values; /* by axis */
    const vt_expr **main_conditions, **init_conditions;
    uint32_t n_main_conditions, n_init_conditions;
    uint32_t common; /* loops that initialization and update share */
} te__loops;
/* apart: initialization and update share no loop, the first stands before the second. */
te__loops *te__make_loops(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, bool apart);
/* Levels [from, to) around a body. */
const vt_stmt *te__wrap(vt_ctx *ctx, const te__nest *levels, uint32_t from, uint32_t to, const vt_stmt *body);
const vt_stmt *te__wrap_conditions(vt_ctx *ctx, const vt_expr *const *conditions, uint32_t n, const vt_stmt *body);
const vt_stmt *te__substitute_axes(vt_ctx *ctx, const vt_stmt *s, const vt_ptrmap *values);
/* What computes a stage: its loops around its stores. */
const vt_stmt *te__make_provide(te_context *c, const te_stage *st, const vt_ptrmap *ranges);
const vt_stmt *te__make_tensorized(te_context *c, const te_stage *st, const vt_ptrmap *ranges);

#endif

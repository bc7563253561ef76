/* The parts of differentiation: partial derivatives of an expression, and which points of a computation read an
 * element. */
#ifndef VT_TE_GRADIENT_H
#define VT_TE_GRADIENT_H

#include "arith/analyzer.h"
#include "te/expr.h"
#include "te/operation.h"

/* A variable or a read of a tensor, and what its derivative is multiplied by. */
typedef struct te__partial {
    const vt_expr *leaf;
    const vt_expr *factor;
} te__partial;

typedef struct te__partials {
    vt_ctx *ctx;
    uint32_t n, cap;
    te__partial *items;
} te__partials;

/* Adds seed * (derivative of e by leaf) for every leaf that is wanted (a key of `wanted` is a tensor's key, or a
 * variable); equal leaves are one. Raises for a function that has no derivative here; `what` is the computation's name.
 */
void te__differentiate(te_context *c, const char *what, const vt_expr *e, const vt_expr *seed, const vt_ptrmap *wanted,
                       te__partials *out);

/* left == right */
typedef struct te__equation {
    const vt_expr *left, *right;
} te__equation;

/* The points of a computation at which equations hold, in terms of what stands on their right and of `rest`: new reduce
 * axes over the points that are still free. A point counts where the condition holds (NULL: everywhere). */
typedef struct te__preimage {
    vt_varmap *values;
    uint32_t n_rest;
    const vt_iter **rest;
    const vt_expr *condition;
    vt_analyzer *analyzer; /* knows the ranges of all */
} te__preimage;

/* `axes`: what the left sides are made of; `given`: what the right sides are made of. */
te__preimage te__solve(te_context *c, uint32_t n_axes, const vt_iter *const *axes, uint32_t n_given,
                       const vt_iter *const *given, uint32_t n, const te__equation *equations);

/* What the value of a point of the reduction of `op` (its output, no sum) counts for in the result, in op's axes. Makes
 * a computation for it. */
const vt_expr *te__reduction_weight(te_context *c, const vt_operation *op);

const vt_expr *te__zero(te_context *c, vt_dtype t);
const vt_expr *te__one(te_context *c, vt_dtype t);
const vt_iter *te__fresh_axis(te_context *c, const char *name, const vt_expr *extent);

#endif

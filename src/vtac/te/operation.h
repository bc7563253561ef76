/* Operations: what computes tensors. */
#ifndef VT_TE_OPERATION_H
#define VT_TE_OPERATION_H

#include "te/context.h"

typedef struct vt_operation vt_operation;
typedef struct te__scan te__scan;     /* te/scan.h */
typedef struct te__extern te__extern; /* te/extern.h */

struct vt_operation {
    te_context *c;
    bool placeholder;
    const char *name;
    const char *tag;
    vt_pos pos; /* of the call that made it */
    uint32_t n_axes, n_reduce;
    const vt_iter *const *iters; /* data axes, then reduce axes */
    uint32_t n_outputs;
    const vt_expr *const *bodies; /* none for a placeholder */
    const vt_tensor *const *outputs;
    uint32_t n_inputs;
    const vt_tensor *const *inputs; /* what the bodies read, in order of first use */
    const te__scan *scan;           /* NULL: none. Its axis is the one of the rows; bodies have those of columns too */
    const te__extern *external;     /* NULL: none. Its bodies are calls that read one element of each input */
};

/* One pointer for a tensor: two vt_tensor of one output have the same. */
static inline const void *te__tensor_key(const vt_tensor *t) {
    return ((const vt_operation *)t->op)->outputs[t->value_index];
}

static inline const vt_operation *te__op(const vt_tensor *t) { return t->op; }
/* Raises when an operation belongs to a context that `c` does not use. */
void te__need_context(te_context *c, const vt_operation *op);
/* Makes a computation. Raises when bodies are not a legal computation. The reduce axes are those of a reduction. */
const vt_operation *te__compute(te_context *c, const char *name, const char *tag, uint32_t n_axes,
                                const vt_iter *const *axes, uint32_t n_bodies, const vt_expr *const *bodies);
/* An operation with these fields (those of a scan or of statements); its results have the shapes of `like`. */
const vt_operation *te__operation_like(te_context *c, const vt_operation *fields, const vt_tensor *const *like);
/* Raises for a variable in its bodies that is neither of its axes nor a scalar. */
void te__check_variables(te_context *c, const vt_operation *op);
/* The same computation with other bodies, which are taken as they are. */
const vt_operation *te__with_bodies(vt_ctx *ctx, const vt_operation *op, const vt_expr *const *bodies);
/* The operation with other tensors read; the same pointer when it reads none of the keys of `map` (tensor -> tensor,
 * looked up by te__tensor_key). */
const vt_operation *te__replace_inputs(vt_ctx *ctx, const vt_operation *op, const vt_ptrmap *map);
/* Raises when a computation of a schedule in normal form, over the ranges that bound inference found, surely reads an
 * element that a tensor does not have. */
void te__check_reads(const te_schedule *s, const vt_ptrmap *ranges);
const vt_tensor *te__pad(te_context *c, const vt_tensor *x, const char *name, const int64_t *before,
                         const int64_t *after, double value);

#endif

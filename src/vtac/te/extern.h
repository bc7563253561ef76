/* Operations that statements compute. */
#ifndef VT_TE_EXTERN_H
#define VT_TE_EXTERN_H

#include "te/operation.h"

/* What statements compute: `body`, in which buffers stand for parts of tensors; of a reduction `reset` before, and
 * `update` at each point (where there is no reset: `body` at the first point). */
struct te__extern {
    uint32_t n_inputs;
    const vt_buffer *const *in, *const *out;
    const vt_expr *const *const *extents; /* of the part of each input */
    uint32_t n_inner;
    const vt_iter *const *inner; /* axes of the results behind the operation's own, which the statements run over */
    const vt_stmt *body, *reset, *update;
    bool intrinsic; /* what they do is known from outside, so that nothing holds back what stands around them */
};

typedef struct te__part {
    const vt_tensor *tensor;
    const vt_expr *const *begin, *const *extents;
} te__part;

typedef struct te__result {
    vt_dtype dtype;
    uint32_t ndim;
    const vt_expr *const *shape;
} te__result;

/* The operation of statements on parts of tensors; fills in what `x` lacks. */
const vt_operation *te__extern_operation(te_context *c, const vt_operation *fields, te__extern *x,
                                         const te__part *parts, const te__result *results);
/* What `op` computes, once more, of another name and with data axes of its own. */
const vt_operation *te__extern_again(te_context *c, const vt_operation *op, const char *name);
/* A part of it at one point of the operation's axes, where its buffers are bound; with or without its inputs. */
const vt_stmt *te__extern_statement(vt_ctx *ctx, const vt_operation *op, const vt_stmt *part, bool reads);

#endif

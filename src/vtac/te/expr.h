/* Expressions as the calls and the parser make them. */
#ifndef VT_TE_EXPR_H
#define VT_TE_EXPR_H

#include "te/context.h"

/* Raises when an expression is nested so deeply, or shares parts so often, that walking it as a tree would not end. */
void te__measure(te_context *c, const vt_expr *e);
/* Checks the number of indices. */
const vt_expr *te__load(te_context *c, const vt_tensor *t, uint32_t n, const vt_expr *const *indices);
/* A number written without a type: int32, int64 beyond its range; float32, float64 beyond its range. */
const vt_expr *te__number(te_context *c, int64_t value);
const vt_expr *te__real(te_context *c, double value);
const vt_expr *te__cast(te_context *c, vt_dtype t, const vt_expr *e);
const vt_expr *te__apply(te_context *c, te_op op, const vt_expr *const *operands);
/* `start` may be NULL: then the reduction starts at its identity. */
const vt_expr *te__reduce(te_context *c, te_reduction kind, const vt_expr *value, const vt_expr *start, uint32_t n,
                          const vt_iter *const *axes);
const vt_iter *te__axis(te_context *c, const char *name, const vt_expr *min, const vt_expr *extent, bool reduce);
int64_t te__extent(const vt_iter *axis); /* -1: no constant */
/* An expression as the tutorials print it, for messages. */
const char *te__repr(te_context *c, const vt_expr *e);

#endif

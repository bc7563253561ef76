/* Statements made by hand, and their buffers. */
#ifndef VT_TE_STMT_H
#define VT_TE_STMT_H

#include "te/context.h"
#include "vta/te_stmt.h"

const vt_buffer *te__buffer_in(te_context *c, const te_buffer *b, const char *what);
te_buffer *te__buffer_out(const vt_buffer *b);
const vt_stmt *te__stmt_in(te_context *c, const vtac_stmt *s, const char *what);
const vtac_stmt *te__stmt_out(const vt_stmt *s);
/* One index for each dimension; the last may be a vector. */
const vt_expr *const *te__indices_in(te_context *c, const vt_buffer *b, size_t n, te_expr *const *list);
/* How many elements it has. */
const vt_expr *te__elements(vt_ctx *ctx, const vt_buffer *b);
/* tvm_access_ptr of an element, as a value of type `t`; `offset` may be NULL. */
const vt_expr *te__access(te_context *c, vt_dtype t, const vt_buffer *b, const char *access, const vt_expr *offset);
/* Raises for a free variable that is neither of the buffers nor a scalar. */
void te__check_statement(te_context *c, const char *name, const vt_stmt *s, uint32_t n,
                         const vt_buffer *const *buffers);
/* Has the buffer the type, and the extents of the last dimensions of a part, those before being 1? Variables fit
 * anything. */
bool te__stands_for(te_context *c, const vt_buffer *b, vt_dtype t, uint32_t ndim, const vt_expr *const *extents);
/* Raises unless the buffer has the shape and type of the tensor that it is to stand for. */
void te__check_pair(te_context *c, const char *name, const vt_buffer *b, const vt_tensor *t);
/* The buffer stands for the whole tensor in the body. */
const vt_stmt *te__bind_whole(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_stmt *body);

#endif

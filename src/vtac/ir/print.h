/* The two text styles. Output goes to the string buffer; out of memory shows there. */
#ifndef VT_IR_PRINT_H
#define VT_IR_PRINT_H

#include "base/strbuf.h"
#include "ir/node.h"

/* "@main = primfn(...) -> () ..." as TVM's module printer shows one function, with the two blank lines
 * that follow it. */
void vt_print_primfn(vt_ctx *ctx, const vt_func *f, vt_strbuf *out);
/* The TVMScript of a module with this function. */
void vt_print_tvmscript(vt_ctx *ctx, const vt_func *f, vt_strbuf *out);
/* One node in primfn style; variables are shown with names made unique within this one text. */
void vt_print_stmt(vt_ctx *ctx, const vt_stmt *s, vt_strbuf *out);
/* The text in the context's arena. */
const char *vt_expr_text(vt_ctx *ctx, const vt_expr *e);
/* For messages: without the types of names. */
const char *vt_expr_plain(vt_ctx *ctx, const vt_expr *e);
const char *vt_stmt_text(vt_ctx *ctx, const vt_stmt *s);

#endif

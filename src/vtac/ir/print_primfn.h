/* The two parts of the printer of the primfn style: expressions, and statements. */
#ifndef VT_IR_PRINT_PRIMFN_H
#define VT_IR_PRINT_PRIMFN_H

#include "base/strbuf.h"
#include "ir/names.h"
#include "ir/visit.h"

typedef struct printer {
    vt_ctx *ctx;
    vt_strbuf *out;
    vt__names *names;
    vt_ptrmap *known; /* variable, buffer or tensor -> name */
    uint32_t indent;
    bool plain; /* without the types of names */
} printer;

static inline void add(printer *p, const char *text) { vt_strbuf_add(p->out, text); }

static inline void line(printer *p) {
    vt_strbuf_addc(p->out, '\n');
    for (uint32_t i = 0; i < p->indent; i++) vt_strbuf_addc(p->out, ' ');
}

void vt__primfn_quoted(printer *p, const char *text);
void vt__primfn_dtype(printer *p, vt_dtype t);
/* The name of a thing; *is_new says that this is its first mention. */
const char *vt__primfn_name_of(printer *p, const void *thing, const char *hint, const char *prefix, bool *is_new);
void vt__primfn_var(printer *p, const vt_var *v);
void vt__primfn_list(printer *p, uint32_t n, const vt_expr *const *items);
void vt__primfn_buffer_type(printer *p, const vt_buffer *b);
void vt__primfn_buffer(printer *p, const vt_buffer *b);
void vt__primfn_tensor(printer *p, const vt_tensor *t);
void vt__primfn_iter(printer *p, const vt_iter *it);
void vt__primfn_expr(printer *p, const vt_expr *e);

#endif

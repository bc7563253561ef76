/* The parts of the TVMScript printer: expressions, uses, and the statements of lowered and of block functions. */
#ifndef VT_IR_PRINT_SCRIPT_H
#define VT_IR_PRINT_SCRIPT_H

#include "base/arena_text.h"
#include "base/strbuf.h"
#include "ir/names.h"
#include "ir/visit.h"

typedef struct vt__script vt__script;
struct vt__script {
    vt_ctx *ctx;
    vt__names *names;
    vt_ptrmap *known; /* variable or buffer -> its text */
    bool blocks;      /* the older spelling, of functions made of blocks */
    /* Called for a variable or buffer that has no text yet, to declare it: gives its text. */
    const char *(*declare_var)(vt__script *s, const vt_var *v);
    const char *(*declare_buffer)(vt__script *s, const vt_buffer *b);
};

void vt__script_expr(vt__script *s, vt_strbuf *out, const vt_expr *e);
void vt__script_exprs(vt__script *s, vt_strbuf *out, uint32_t n, const vt_expr *const *items);
void vt__script_buffer(vt__script *s, vt_strbuf *out, const vt_buffer *b);
/* buffer[indices] */
void vt__script_element(vt__script *s, vt_strbuf *out, const vt_buffer *b, uint32_t n, const vt_expr *const *indices);
/* (16, 4) or (16,) */
void vt__script_shape(vt__script *s, vt_strbuf *out, const vt_buffer *b);
/* {"key": value, ...} */
void vt__script_notes(vt__script *s, vt_strbuf *out, uint32_t n, const vt_note *notes);
/* A name as Python allows it. */
const char *vt__script_name(vt__script *s, const char *hint);

/* A place in the tree of statements that have bodies. */
typedef struct vt__place {
    const struct vt__place *outer;
    const vt_stmt *stmt; /* NULL: the function */
    uint32_t depth;
} vt__place;

/* Variable or buffer -> the innermost vt__place that holds all its uses. */
vt_ptrmap *vt__script_uses(vt_ctx *ctx, const vt_stmt *body);
bool vt__script_in_grid(const vt_stmt *s);
/* The loops that one T.grid joins: the last of them. Extents that name an outer one end it. */
const vt_stmt *vt__script_grid_end(const vt_stmt *s);

/* The function as blocks; out gets the whole module. */
void vt__script_blocks(vt_ctx *ctx, const vt_func *f, vt_strbuf *out);

#endif

/* Expressions and definitions as text; shared by the C interface and kernel files. Everything raises VTA_PARSE, or what
 * the operator says, at the position of the token. */
#ifndef VT_TE_PARSE_H
#define VT_TE_PARSE_H

#include "te/lex.h"
#include "te/te.h"

enum { VT_PARSE_MAX_ITEMS = 256 }; /* of one list */

typedef struct vt_parser {
    te_context *c;
    vt_lexer lx;
    uint32_t n_axes; /* of the computation being defined, found before all other names */
    const vt_iter *const *axes;
    uint32_t depth;
    uint32_t terms;
} vt_parser;

void vt_parser_init(vt_parser *p, te_context *c, const char *text, size_t size, vt_pos start);
const vt_expr *vt_parse_expr(vt_parser *p);
/* An expression that is an integer constant. */
int64_t vt_parse_int(vt_parser *p, const char *what);
/* "name = extent" or "name = begin .. extent" items of a reduce list, the name already taken. */
const vt_iter *vt_parse_reduce_axis(vt_parser *p, const char *name);
/* "name[a: 4, 16] = body", "name like other = body"; body may be pad(tensor, [before] {, [after]} {, value}). */
const vt_tensor *vt_parse_definition(vt_parser *p);
/* "[e, e, ...]" as integers in the arena; *out_n of them. */
int64_t *vt_parse_ints(vt_parser *p, const char *what, uint32_t *out_n);
/* A tensor's name. */
const vt_tensor *vt_parse_tensor(vt_parser *p);

#endif

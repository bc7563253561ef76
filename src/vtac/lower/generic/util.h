/* What several passes need of statements. */
#ifndef VT_PASS_UTIL_H
#define VT_PASS_UTIL_H

#include <string.h>

#include "ir/attr.h"
#include "ir/build.h"
#include "ir/visit.h"

/* "pragma_KEY", or "pragma_scope" with the string KEY for its value. */
bool vt_pragma_is(const vt_stmt *s, const char *key);

/* The same LET, ATTR, ASSERT, FOR, ALLOC or REALIZE around another body; the same pointer when it is its own. */
const vt_stmt *vt_stmt_with_body(vt_ctx *ctx, const vt_stmt *s, const vt_stmt *body);
/* The body of one of these, NULL for other kinds. */
const vt_stmt *vt_stmt_body(const vt_stmt *s);
/* A serial or otherwise marked loop like `loop` with other fields. */
const vt_stmt *vt_loop_with(vt_ctx *ctx, const vt_stmt *loop, const vt_var *var, const vt_expr *min,
                            const vt_expr *extent, const vt_stmt *body);

/* Gives every variable defined more than once a variable of its own. */
const vt_stmt *vt_convert_ssa(vt_ctx *ctx, const vt_stmt *s);

/* The elements of a constant allocation or shape; 0 when it is not constant or does not fit. */
uint64_t vt_const_elements(uint32_t n, const vt_expr *const *extents);

/* A growing list of statements. */
typedef struct vt_stmt_list {
    const vt_stmt **items;
    uint32_t n, cap;
} vt_stmt_list;
void vt_stmt_list_add(vt_ctx *ctx, vt_stmt_list *list, const vt_stmt *s);

#endif

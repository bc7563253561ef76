/* Statements (vta/te_stmt.h) with less to write: for kernels whose loops depend on values. Indices are int64. */
#ifndef VT_OPS_HOST_STATEMENTS_H
#define VT_OPS_HOST_STATEMENTS_H

#include "operators/host/host_priv.h"
#include "vta/te_stmt.h"

static inline te_expr *vt__int(te_context *c, int64_t value) { return te_int(c, "int64", value); }
static inline te_expr *vt__index(te_context *c, const char *name) { return te_variable(c, name, "int64"); }
te_buffer *vt__buffer(te_context *c, const char *name, const char *type, uint32_t ndim, const int64_t *dims);
te_tensor *vt__input(te_context *c, const char *name, const char *type, uint32_t ndim, const int64_t *dims);

#define VT__AT(...)                                                                                                    \
    sizeof((te_expr *[]){__VA_ARGS__}) / sizeof(te_expr *), (te_expr *const[]) { __VA_ARGS__ }
/* An operator of vta/te_ops.def. */
#define vt__op(c, op, ...) te_apply(c, TE_##op, VT__AT(__VA_ARGS__))
#define vt__load(c, buffer, ...) te_buffer_load(c, buffer, VT__AT(__VA_ARGS__))
#define vt__store(c, buffer, value, ...) te_stmt_store(c, buffer, value, VT__AT(__VA_ARGS__))
#define vt__steps(c, ...)                                                                                              \
    te_stmt_seq(c, sizeof((const vtac_stmt *[]){__VA_ARGS__}) / sizeof(vtac_stmt *),                                   \
                (const vtac_stmt *const[]){__VA_ARGS__})

static inline const vtac_stmt *vt__loop(te_context *c, te_expr *var, te_expr *begin, te_expr *end,
                                        const vtac_stmt *body) {
    return te_stmt_for(c, var, begin, te_sub(c, end, begin), TE_LOOP_SERIAL, body);
}

#endif

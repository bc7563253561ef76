/* Walking and rewriting, equality, substitution, variable use. All generic over the tables expr.def and stmt.def. */
#ifndef VT_IR_VISIT_H
#define VT_IR_VISIT_H

#include "ir/node.h"

/* A visitor: embed it as the first member of a pass's state, set the hooks (NULL: default, visit the children). A hook
 * that descends calls vt_visit_expr_children / vt_visit_stmt_children itself, before or after its own work. A visitor
 * of statements only does not look into expressions: `expr` is not called. */
typedef struct vt_visitor vt_visitor;
struct vt_visitor {
    void (*expr)(vt_visitor *v, const vt_expr *e);
    void (*stmt)(vt_visitor *v, const vt_stmt *s);
    bool statements_only;
    bool stop; /* set by a hook: nothing more is visited */
};
void vt_visit_expr(vt_visitor *v, const vt_expr *e);
void vt_visit_stmt(vt_visitor *v, const vt_stmt *s);
void vt_visit_expr_children(vt_visitor *v, const vt_expr *e);
void vt_visit_stmt_children(vt_visitor *v, const vt_stmt *s);

/* A rewriter, used the same way. A stmt hook may return NULL for "nothing left" only where it handles that itself.
 * The default rebuilds exact nodes (no folding), and returns the same pointer when no child changed. `buffer`, when
 * set, maps the buffers of LOAD, STORE, buffer attributes and regions. Variables stay at their definitions (loop, let,
 * allocate); uses come through `expr`. A rewriter of statements only gives expressions back as they are, without
 * looking into them: `expr` is not called. */
typedef struct vt_mutator vt_mutator;
struct vt_mutator {
    vt_ctx *ctx;
    const vt_expr *(*expr)(vt_mutator *m, const vt_expr *e);
    const vt_stmt *(*stmt)(vt_mutator *m, const vt_stmt *s);
    const vt_buffer *(*buffer)(vt_mutator *m, const vt_buffer *b);
    bool statements_only;
};
const vt_expr *vt_mutate_expr(vt_mutator *m, const vt_expr *e);
const vt_stmt *vt_mutate_stmt(vt_mutator *m, const vt_stmt *s);
const vt_expr *vt_mutate_expr_children(vt_mutator *m, const vt_expr *e);
const vt_stmt *vt_mutate_stmt_children(vt_mutator *m, const vt_stmt *s);

/* Shorthands with plain functions.
 * Post-order rewriting: fn sees each node after its children were rewritten and gives its replacement (or the node). */
const vt_expr *vt_expr_rewrite(vt_ctx *ctx, const vt_expr *e, const vt_expr *(*fn)(void *user, const vt_expr *e),
                               void *user);
const vt_stmt *vt_stmt_rewrite(vt_ctx *ctx, const vt_stmt *s, const vt_expr *(*efn)(void *user, const vt_expr *e),
                               const vt_stmt *(*sfn)(void *user, const vt_stmt *s), void *user);
/* Pre-order walk: fn gives false to skip the node's children. Either function may be NULL. */
void vt_expr_walk(const vt_expr *e, bool (*fn)(void *user, const vt_expr *e), void *user);
void vt_stmt_walk(const vt_stmt *s, bool (*efn)(void *user, const vt_expr *e),
                  bool (*sfn)(void *user, const vt_stmt *s), void *user);
/* Post-order walk: fn sees each node after its children. */
void vt_expr_walk_post(const vt_expr *e, void (*fn)(void *user, const vt_expr *e), void *user);
void vt_stmt_walk_post(const vt_stmt *s, void (*efn)(void *user, const vt_expr *e),
                       void (*sfn)(void *user, const vt_stmt *s), void *user);

/* A map from variables to expressions, by pointer. In the arena of its context. */
typedef struct vt_varmap vt_varmap;
vt_varmap *vt_varmap_new(vt_ctx *ctx);
void vt_varmap_set(vt_varmap *map, const vt_var *v, const vt_expr *value);
/* NULL when absent. */
const vt_expr *vt_varmap_get(const vt_varmap *map, const vt_var *v);
uint32_t vt_varmap_size(const vt_varmap *map);

/* A map from any pointer to any pointer, for passes. */
typedef struct vt_ptrmap vt_ptrmap;
vt_ptrmap *vt_ptrmap_new(vt_ctx *ctx);
void vt_ptrmap_set(vt_ptrmap *map, const void *key, const void *value);
void *vt_ptrmap_get(const vt_ptrmap *map, const void *key); /* NULL when absent */
bool vt_ptrmap_has(const vt_ptrmap *map, const void *key);
uint32_t vt_ptrmap_size(const vt_ptrmap *map);
/* The i-th entry in order of first setting. */
const void *vt_ptrmap_key(const vt_ptrmap *map, uint32_t i);
void *vt_ptrmap_value(const vt_ptrmap *map, uint32_t i);

/* Replaces free variables; rebuilds exact nodes (no folding). Buffers whose data variable is replaced by a variable
 * are replaced by copies, one per buffer. */
const vt_expr *vt_substitute(vt_ctx *ctx, const vt_expr *e, const vt_varmap *map);
const vt_stmt *vt_substitute_stmt(vt_ctx *ctx, const vt_stmt *s, const vt_varmap *map);
const vt_expr *vt_substitute1(vt_ctx *ctx, const vt_expr *e, const vt_var *v, const vt_expr *value);
const vt_stmt *vt_substitute1_stmt(vt_ctx *ctx, const vt_stmt *s, const vt_var *v, const vt_expr *value);

/* Deep equality: the same kinds, types, constants, and the same variables (bound ones too). Fast: hashes first. */
bool vt_expr_equal(const vt_expr *x, const vt_expr *y);
bool vt_stmt_equal(const vt_stmt *x, const vt_stmt *y);
/* Structural equality: variables defined inside may differ, and when map_free also free ones, if one to one. */
bool vt_expr_alpha_equal(vt_ctx *ctx, const vt_expr *x, const vt_expr *y, bool map_free);
bool vt_stmt_alpha_equal(vt_ctx *ctx, const vt_stmt *x, const vt_stmt *y, bool map_free);
/* Parameters correspond one to one in their order, with buffers of the same shapes and types, and bodies are equal with
 * free variables mapped. Names and attributes may differ. */
bool vt_func_alpha_equal(vt_ctx *ctx, const vt_func *x, const vt_func *y);

/* Is the variable used (as an expression, or as the data of a buffer that is loaded or stored)? */
bool vt_expr_uses(const vt_expr *e, const vt_var *v);
bool vt_stmt_uses(const vt_stmt *s, const vt_var *v);
/* Does any variable for which `in` holds occur? */
bool vt_expr_uses_any(const vt_expr *e, bool (*in)(void *user, const vt_var *v), void *user);
bool vt_stmt_uses_any(const vt_stmt *s, bool (*in)(void *user, const vt_var *v), void *user);
/* Variables used and not defined inside, in order of first use; *out_n of them, in the arena. */
const vt_var *const *vt_expr_free_vars(vt_ctx *ctx, const vt_expr *e, uint32_t *out_n);
const vt_var *const *vt_stmt_free_vars(vt_ctx *ctx, const vt_stmt *s, uint32_t *out_n);
/* The strongest effect in an expression: PURE, READ, UPDATE (LOAD counts as READ). */
vt_effect vt_expr_effect(const vt_expr *e);

#endif

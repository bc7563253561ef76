/* Substitution of variables. */
#include "ir/build.h"
#include "ir/visit.h"

typedef struct substitution {
    vt_mutator m;
    const vt_varmap *map;
    vt_ptrmap *buffers; /* buffer -> its copy; made at first need */
} substitution;

static const vt_expr *subst_expr(vt_mutator *m, const vt_expr *e) {
    substitution *s = (substitution *)m;
    if (e->kind == VT_E_VAR) {
        const vt_expr *to = vt_varmap_get(s->map, e);
        return to ? to : e;
    }
    return vt_mutate_expr_children(m, e);
}

/* A buffer whose data, shape, strides or offset name a replaced variable: its copy. */
static const vt_buffer *subst_buffer(vt_mutator *m, const vt_buffer *b) {
    substitution *s = (substitution *)m;
    const vt_expr *data = vt_varmap_get(s->map, b->data);
    bool replace_data = data && data->kind == VT_E_VAR;
    bool symbolic = b->elem_offset && b->elem_offset->kind != VT_E_INT;
    for (uint32_t i = 0; i < b->ndim; i++) symbolic |= b->shape[i]->kind != VT_E_INT;
    for (uint32_t i = 0; i < b->n_strides; i++) symbolic |= b->strides[i]->kind != VT_E_INT;
    if (!replace_data && !symbolic) return b;
    if (!s->buffers) s->buffers = vt_ptrmap_new(m->ctx);
    const vt_buffer *known = vt_ptrmap_get(s->buffers, b);
    if (known) return known;
    vt_buffer copy = *b;
    bool changed = replace_data;
    if (replace_data) copy.data = data;
    const vt_expr **shape = VT_NEW_ARRAY(m->ctx, const vt_expr *, b->ndim);
    const vt_expr **strides = VT_NEW_ARRAY(m->ctx, const vt_expr *, b->n_strides);
    for (uint32_t i = 0; i < b->ndim; i++) changed |= (shape[i] = vt_mutate_expr(m, b->shape[i])) != b->shape[i];
    for (uint32_t i = 0; i < b->n_strides; i++)
        changed |= (strides[i] = vt_mutate_expr(m, b->strides[i])) != b->strides[i];
    copy.elem_offset = vt_mutate_expr(m, b->elem_offset);
    changed |= copy.elem_offset != b->elem_offset;
    copy.shape = shape;
    copy.strides = strides;
    const vt_buffer *result = changed ? vt_buffer_with(m->ctx, &copy) : b;
    vt_ptrmap_set(s->buffers, b, result);
    return result;
}

static substitution start(vt_ctx *ctx, const vt_varmap *map) {
    return (substitution){.m = {.ctx = ctx, .expr = subst_expr, .buffer = subst_buffer}, .map = map};
}

const vt_expr *vt_substitute(vt_ctx *ctx, const vt_expr *e, const vt_varmap *map) {
    if (!e || !vt_varmap_size(map)) return e;
    substitution s = start(ctx, map);
    return vt_mutate_expr(&s.m, e);
}

const vt_stmt *vt_substitute_stmt(vt_ctx *ctx, const vt_stmt *st, const vt_varmap *map) {
    if (!st || !vt_varmap_size(map)) return st;
    substitution s = start(ctx, map);
    return vt_mutate_stmt(&s.m, st);
}

const vt_expr *vt_substitute1(vt_ctx *ctx, const vt_expr *e, const vt_var *v, const vt_expr *value) {
    vt_varmap *map = vt_varmap_new(ctx);
    vt_varmap_set(map, v, value);
    return vt_substitute(ctx, e, map);
}

const vt_stmt *vt_substitute1_stmt(vt_ctx *ctx, const vt_stmt *s, const vt_var *v, const vt_expr *value) {
    vt_varmap *map = vt_varmap_new(ctx);
    vt_varmap_set(map, v, value);
    return vt_substitute_stmt(ctx, s, map);
}

#include "lower/generic/util.h"

#include <string.h>

enum { PREFIX = sizeof VT_PRAGMA_PREFIX - 1 };

static bool attr_is_pragma(const vt_stmt *s) {
    return s->kind == VT_S_ATTR && strncmp(s->u.attr.key, VT_PRAGMA_PREFIX, PREFIX) == 0;
}

bool vt_pragma_is(const vt_stmt *s, const char *key) {
    if (!attr_is_pragma(s)) return false;
    const char *name = s->u.attr.key + PREFIX;
    if (strcmp(name, key) == 0) return true;
    return strcmp(name, "scope") == 0 && s->u.attr.value->kind == VT_E_STRING && strcmp(s->u.attr.value->u.s, key) == 0;
}

/* Where a statement keeps its body. */
static const vt_stmt **body_place(vt_stmt *s) {
    switch (s->kind) {
    case VT_S_LET: return &s->u.let.body;
    case VT_S_ATTR: return &s->u.attr.body;
    case VT_S_ASSERT: return &s->u.assertion.body;
    case VT_S_FOR: return &s->u.loop.body;
    case VT_S_ALLOC: return &s->u.alloc.body;
    case VT_S_REALIZE: return &s->u.realize.body;
    default: return NULL;
    }
}

const vt_stmt *vt_stmt_body(const vt_stmt *s) {
    vt_stmt copy = vt_stmt_copy(s);
    const vt_stmt **place = body_place(&copy);
    return place ? *place : NULL;
}

const vt_stmt *vt_stmt_with_body(vt_ctx *ctx, const vt_stmt *s, const vt_stmt *body) {
    vt_stmt copy = vt_stmt_copy(s);
    const vt_stmt **place = body_place(&copy);
    if (*place == body) return s;
    *place = body;
    return vt_s_new(ctx, &copy);
}

const vt_stmt *vt_loop_with(vt_ctx *ctx, const vt_stmt *loop, const vt_var *var, const vt_expr *min,
                            const vt_expr *extent, const vt_stmt *body) {
    vt_stmt copy = vt_stmt_copy(loop);
    copy.u.loop.var = var;
    copy.u.loop.min = min;
    copy.u.loop.extent = extent;
    copy.u.loop.body = body;
    return vt_s_new(ctx, &copy);
}

/* ---- Single definitions ----------------------------------------------------------------------------------------- */

typedef struct ssa {
    vt_mutator m;
    vt_ptrmap *defined; /* variables that have a definition already */
    vt_ptrmap *now;     /* variable -> what it is called in this scope; NULL: itself */
    uint32_t renamed;   /* variables that are not called themselves in this scope */
    vt_ptrmap *buffers; /* buffer -> its newest copy over a renamed data variable */
} ssa;

static const vt_expr *ssa_expr(vt_mutator *m, const vt_expr *e) {
    ssa *st = (ssa *)m;
    if (!st->renamed) return e;
    if (e->kind != VT_E_VAR) return vt_mutate_expr_children(m, e);
    const vt_var *v = vt_ptrmap_get(st->now, e);
    return v ? v : e;
}

static const vt_buffer *ssa_buffer(vt_mutator *m, const vt_buffer *b) {
    ssa *st = (ssa *)m;
    const vt_var *v = vt_ptrmap_get(st->now, b->data);
    if (!v) return b;
    const vt_buffer *have = vt_ptrmap_get(st->buffers, b);
    if (have && have->data == v) return have;
    vt_buffer copy = *b;
    copy.data = v;
    have = vt_buffer_with(m->ctx, &copy);
    vt_ptrmap_set(st->buffers, b, have);
    return have;
}

/* From here on `v` is called `name`; NULL: itself. */
static void ssa_rename(ssa *st, const vt_var *v, const vt_var *name) {
    const vt_var *before = vt_ptrmap_get(st->now, v);
    if (name == before) return;
    if (!before) st->renamed++;
    if (!name) st->renamed--;
    vt_ptrmap_set(st->now, v, name);
}

/* The variable that a definition of `v` gets: itself the first time, then a copy, to which uses are renamed. */
static const vt_var *ssa_define(ssa *st, const vt_var *v) {
    if (!vt_ptrmap_has(st->defined, v)) {
        vt_ptrmap_set(st->defined, v, v);
        return v;
    }
    const vt_var *fresh = vt_var_copy(st->m.ctx, v, "");
    ssa_rename(st, v, fresh);
    return fresh;
}

static const vt_stmt *ssa_stmt(vt_mutator *m, const vt_stmt *s) {
    ssa *st = (ssa *)m;
    if (s->kind != VT_S_FOR && s->kind != VT_S_LET && s->kind != VT_S_ALLOC) return vt_mutate_stmt_children(m, s);
    vt_stmt copy = vt_stmt_copy(s);
    const vt_var **place = s->kind == VT_S_FOR   ? &copy.u.loop.var
                           : s->kind == VT_S_LET ? &copy.u.let.var
                                                 : &copy.u.alloc.var;
    const vt_var *v = *place;
    const vt_var *outer = vt_ptrmap_get(st->now, v);
    const vt_expr *value = s->kind == VT_S_LET ? vt_mutate_expr(m, s->u.let.value) : NULL;
    const vt_var *fresh = ssa_define(st, v);
    if (fresh == v && !outer) return vt_mutate_stmt_children(m, s);
    if (fresh == v) ssa_rename(st, v, NULL);
    if (value) {
        copy.u.let.value = value;
        copy.u.let.var = fresh;
        copy.u.let.body = vt_mutate_stmt(m, s->u.let.body);
    } else {
        copy = vt_stmt_copy(vt_mutate_stmt_children(m, s));
        *place = fresh;
    }
    ssa_rename(st, v, outer);
    return vt_s_new(m->ctx, &copy);
}

const vt_stmt *vt_convert_ssa(vt_ctx *ctx, const vt_stmt *s) {
    ssa st = {.m = {.ctx = ctx, .expr = ssa_expr, .stmt = ssa_stmt, .buffer = ssa_buffer},
              .defined = vt_ptrmap_new(ctx),
              .now = vt_ptrmap_new(ctx),
              .buffers = vt_ptrmap_new(ctx)};
    return vt_mutate_stmt(&st.m, s);
}

/* ---- Small things ----------------------------------------------------------------------------------------------- */

uint64_t vt_const_elements(uint32_t n, const vt_expr *const *extents) {
    uint64_t product = 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t extent;
        if (!vt_as_const(extents[i], &extent) || extent < 0) return 0;
        if (__builtin_mul_overflow(product, (uint64_t)extent, &product) || product > INT64_MAX) return 0;
    }
    return product;
}

void vt_stmt_list_add(vt_ctx *ctx, vt_stmt_list *list, const vt_stmt *s) {
    vt_grow(ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = s;
}

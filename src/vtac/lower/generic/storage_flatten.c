/* From tensors to flat memory: PLOAD, PSTORE and REALIZE become LOAD, STORE and ALLOC over one-dimensional buffers,
 * row-major over the realized region, and buffers bound to a region of a tensor (the operands of an intrinsic) become
 * addresses in it. */
#include <string.h>

#include "lower/generic/fit.h"
#include "lower/generic/flatten.h"

static void add_entry(vt_flatten *st, vt_flat_tensor *e) { vt_ptrmap_set(st->entries, e->tensor, e); }

static void drop_entry(vt_flatten *st, const vt_flat_tensor *e) { vt_ptrmap_set(st->entries, e->tensor, NULL); }

static void note_align(vt_flatten *st, const vt_stmt *s) {
    const vt_expr *tuple = s->u.attr.value;
    vt_dim_align *a = VT_NEW(st->m.ctx, vt_dim_align);
    *a = (vt_dim_align){s->u.attr.node.u.tensor, tuple->a[0]->u.i, tuple->a[1]->u.i, tuple->a[2]->u.i, st->aligns};
    st->aligns = a;
}

/* Strides that respect what was asked for; NULL when nothing was. */
static const vt_expr **aligned_strides(vt_flatten *st, const vt_tensor *t, uint32_t n, const vt_expr *const *shape) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr **strides = NULL;
    const vt_expr *stride = vt_i32(ctx, 1);
    for (const vt_dim_align *a = st->aligns; a && !strides; a = a->next)
        if (a->tensor == t) strides = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    if (!strides) return NULL;
    for (uint32_t i = n; i-- > 0;) {
        for (const vt_dim_align *a = st->aligns; a; a = a->next) {
            if (a->tensor != t || a->dim != (int64_t)i || a->factor == 0) continue;
            const vt_expr *factor = vt_i32(ctx, a->factor);
            const vt_expr *over = vt_sub(ctx, vt_i32(ctx, a->factor + a->offset), vt_floormod(ctx, stride, factor));
            stride = vt_simplify(st->free, vt_add(ctx, stride, vt_floormod(ctx, over, factor)));
        }
        strides[i] = stride;
        stride = vt_mul(ctx, stride, shape[i]);
    }
    return strides;
}

/* A size that is a constant now that some loops are single steps, as that number. */
static const vt_expr *folded(vt_ctx *ctx, const vt_expr *size) {
    if (size->kind == VT_E_INT) return size;
    const vt_expr *simple = vt_simplify_free(ctx, size);
    return simple->kind == VT_E_INT ? simple : size;
}

static const vt_stmt *realize(vt_flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_tensor *t = s->u.realize.tensor;
    if (vt_ptrmap_get(st->entries, t)) return vt_mutate_stmt(&st->m, s->u.realize.body); /* a parameter */
    uint32_t n = s->u.realize.n_bounds;
    const vt_expr **mins = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        mins[i] = vt_mutate_expr(&st->m, s->u.realize.bounds[i].min);
        shape[i] = folded(ctx, vt_mutate_expr(&st->m, s->u.realize.bounds[i].extent));
    }
    const char *scope = s->u.realize.scope && s->u.realize.scope[0] ? s->u.realize.scope : "global";
    vt_check_fit_tensor(st->l, t, scope, n, shape);
    vt_flat_tensor *e = VT_NEW(ctx, vt_flat_tensor);
    *e = (vt_flat_tensor){.tensor = t, .ndim = n, .mins = mins, .shape = shape, .dtype = t->dtype};
    e->strides = aligned_strides(st, t, n, shape);
    const vt_var *data = vt_var_new_pointer(ctx, t->name, vt__stored_type(t->dtype), scope);
    const vt_buffer *shaped = vt_buffer_new(ctx, t->name, data, t->dtype, n, shape);
    e->flat = vt__flat_buffer(ctx, shaped, n, shape, e->strides);
    add_entry(st, e);
    const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.realize.body);
    drop_entry(st, e); /* its tail may be realized again after it */
    return vt_s_alloc(ctx, data, e->flat->dtype, 1, e->flat->shape, vt_bool(ctx, true), body);
}

static const vt_expr *flatten_expr(vt_mutator *m, const vt_expr *e) {
    vt_flatten *st = (vt_flatten *)m;
    if (e->kind == VT_E_VAR) {
        const vt_expr *value = vt_varmap_get(st->vars, e);
        return value ? value : e;
    }
    if (e->kind == VT_E_PLOAD) {
        const vt_flat_tensor *en = vt__flat_find(st, e->u.tensor);
        return vt__flat_load(st, en, vt__flat_access(st, en, e->n, e->a), e->dtype);
    }
    const vt_flat_view *w = e->kind == VT_E_LOAD ? vt_ptrmap_get(st->views, e->u.buffer) : NULL;
    if (w) return vt__flat_load(st, w->target, vt__view_index(st, w, e->n, e->a), e->dtype);
    if (e->kind == VT_E_LOAD) return vt__other_load(st, e);
    return vt_mutate_expr_children(m, e);
}

static const vt_stmt *flatten_stmt(vt_mutator *m, const vt_stmt *s) {
    vt_flatten *st = (vt_flatten *)m;
    if (s->kind == VT_S_PSTORE) {
        const vt_flat_tensor *e = vt__flat_find(st, s->u.pstore.tensor);
        const vt_expr *value = vt_mutate_expr(m, s->u.pstore.value);
        return vt__flat_store(st, e, vt__flat_access(st, e, s->u.pstore.n_indices, s->u.pstore.indices), value);
    }
    if (s->kind == VT_S_STORE) {
        const vt_flat_view *w = vt_ptrmap_get(st->views, s->u.store.buffer);
        if (w)
            return vt__flat_store(st, w->target, vt__view_index(st, w, s->u.store.n_indices, s->u.store.indices),
                                  vt_mutate_expr(m, s->u.store.value));
        return vt__other_store(st, s);
    }
    if (s->kind == VT_S_REALIZE) return realize(st, s);
    if (vt_attr_is(s, VT_ATTR_BIND_BUFFER)) return vt__bind_buffer(st, s);
    if (vt_attr_is(s, VT_ATTR_DIM_ALIGN)) {
        note_align(st, s);
        return vt_mutate_stmt(m, s->u.attr.body);
    }
    return vt_mutate_stmt_children(m, s);
}

static bool learn_loop(void *user, const vt_stmt *s) {
    vt_analyzer *a = user;
    if (s->kind == VT_S_FOR) vt_analyzer_bind_range(a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    if (s->kind == VT_S_LET) vt_analyzer_bind(a, s->u.let.var, s->u.let.value, true);
    if (vt_attr_binds_thread(s))
        vt_analyzer_bind_range(a, s->u.attr.node.u.iter->var, vt_int(vt_analyzer_ctx(a), s->u.attr.value->dtype, 0),
                               s->u.attr.value, true);
    return true;
}

const vt_func *vt_pass_storage_flatten(vt_lowering *l, const vt_func *f) {
    vt_ctx *ctx = l->ctx;
    vt_flatten st = {.m = {.ctx = ctx, .expr = flatten_expr, .stmt = flatten_stmt},
                     .l = l,
                     .free = vt_analyzer_new(ctx),
                     .bound = vt_analyzer_new(ctx),
                     .entries = vt_ptrmap_new(ctx),
                     .views = vt_ptrmap_new(ctx),
                     .others = vt_ptrmap_new(ctx),
                     .vars = vt_varmap_new(ctx)};
    vt_stmt_walk(f->body, NULL, learn_loop, st.bound);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, f->n_bindings + 1);
    bool changed = false;
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        bindings[i] = f->bindings[i];
        const vt_buffer *b = f->bindings[i].buffer;
        if (!f->bindings[i].tensor) continue;
        changed = true;
        vt_flat_tensor *e = VT_NEW(ctx, vt_flat_tensor);
        *e = (vt_flat_tensor){.tensor = f->bindings[i].tensor, .ndim = b->ndim, .shape = b->shape, .dtype = b->dtype};
        if (b->n_strides) {
            e->strides = VT_NEW_ARRAY(ctx, const vt_expr *, b->n_strides);
            memcpy(e->strides, b->strides, b->n_strides * sizeof *b->strides);
        }
        e->flat = b->ndim == 1 && !b->n_strides && !vt_dtype_is_bool(b->dtype)
                      ? b
                      : vt__flat_buffer(ctx, b, b->ndim, b->shape, b->n_strides ? b->strides : NULL);
        add_entry(&st, e);
        bindings[i] = (vt_binding){.param = bindings[i].param, .buffer = e->flat, .unflattened = b};
    }
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    if (!changed && body == f->body) return f;
    vt_func copy = *vt_func_with_body(ctx, f, body);
    copy.bindings = bindings;
    vt_func *out = VT_NEW(ctx, vt_func);
    *out = copy;
    return out;
}

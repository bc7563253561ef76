/* Does index arithmetic in 32 bits where every intermediate value fits: loop variables, indices, extents and conditions
 * on them. Values that are stored keep their types. */
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

typedef struct narrow {
    vt_mutator m;
    vt_analyzer *a;
    vt_varmap *vars; /* 64-bit loop variable -> its 32-bit one */
} narrow;

static bool fits(narrow *st, const vt_expr *e) {
    vt_bound b = vt_const_bound(st->a, e);
    return b.min >= INT32_MIN && b.max <= INT32_MAX;
}

/* The 32-bit form of a 64-bit integer expression; NULL when an intermediate value may not fit. */
static const vt_expr *narrowed(narrow *st, const vt_expr *e) {
    vt_ctx *ctx = st->m.ctx;
    if (vt_dtype_eq(e->dtype, VT_I32)) return vt_mutate_expr(&st->m, e);
    if (!vt_dtype_eq(e->dtype, VT_I64) || !fits(st, e)) return NULL;
    if (e->kind == VT_E_INT) return vt_i32(ctx, e->u.i);
    if (e->kind == VT_E_VAR) return vt_varmap_get(st->vars, e);
    if (e->kind == VT_E_CAST && vt_dtype_eq(e->a[0]->dtype, VT_I32)) return vt_mutate_expr(&st->m, e->a[0]);
    if (vt_expr_infos[e->kind].cls != VT_CLASS_ARITH) return NULL;
    const vt_expr *x = narrowed(st, e->a[0]), *y = x ? narrowed(st, e->a[1]) : NULL;
    return y ? vt_bin(ctx, e->kind, x, y) : NULL;
}

static const vt_expr *index_of(narrow *st, const vt_expr *e) {
    const vt_expr *n = vt_dtype_eq(e->dtype, VT_I64) ? narrowed(st, e) : NULL;
    return n ? n : vt_mutate_expr(&st->m, e);
}

static const vt_expr *narrow_expr(vt_mutator *m, const vt_expr *e) {
    narrow *st = (narrow *)m;
    vt_ctx *ctx = m->ctx;
    if (e->kind == VT_E_VAR) {
        const vt_expr *v = vt_varmap_get(st->vars, e);
        return v ? vt_e_cast(ctx, e->dtype, v) : e; /* where the wide value is wanted */
    }
    if (vt_expr_infos[e->kind].cls == VT_CLASS_COMPARE && vt_dtype_eq(e->a[0]->dtype, VT_I64)) {
        const vt_expr *x = narrowed(st, e->a[0]), *y = x ? narrowed(st, e->a[1]) : NULL;
        if (y) return vt_e_bin(ctx, e->kind, x, y);
    }
    if (e->kind != VT_E_LOAD) return vt_mutate_expr_children(m, e);
    const vt_expr **indices = VT_NEW_ARRAY(ctx, const vt_expr *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) indices[i] = index_of(st, e->a[i]);
    return vt_e_with(ctx, e, indices);
}

static const vt_stmt *narrow_stmt(vt_mutator *m, const vt_stmt *s) {
    narrow *st = (narrow *)m;
    vt_ctx *ctx = m->ctx;
    if (s->kind == VT_S_FOR) {
        vt_analyzer_bind_range(st->a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
        const vt_expr *min = narrowed(st, s->u.loop.min), *extent = min ? narrowed(st, s->u.loop.extent) : NULL;
        if (vt_dtype_eq(s->u.loop.var->dtype, VT_I64) && extent) {
            const vt_var *v = vt_var_new(ctx, vt_var_name(s->u.loop.var), VT_I32);
            vt_varmap_set(st->vars, s->u.loop.var, v);
            return vt_loop_with(ctx, s, v, min, extent, vt_mutate_stmt(m, s->u.loop.body));
        }
    }
    if (s->kind == VT_S_STORE) {
        const vt_expr *value = vt_mutate_expr(m, s->u.store.value);
        const vt_expr *index = index_of(st, s->u.store.indices[0]);
        if (value == s->u.store.value && index == s->u.store.indices[0]) return s;
        return vt_s_store(ctx, s->u.store.buffer, value, 1, &index);
    }
    return vt_mutate_stmt_children(m, s);
}

static bool is_wide(void *user, const vt_expr *e) {
    bool *found = user;
    *found |= vt_dtype_eq(e->dtype, VT_I64);
    return !*found;
}

const vt_func *vt_pass_narrow_datatype(vt_lowering *l, const vt_func *f) {
    bool any = false;
    vt_stmt_walk(f->body, is_wide, NULL, &any);
    if (!any) return f;
    narrow st = {.m = {.ctx = l->ctx, .expr = narrow_expr, .stmt = narrow_stmt},
                 .a = vt_analyzer_new(l->ctx),
                 .vars = vt_varmap_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

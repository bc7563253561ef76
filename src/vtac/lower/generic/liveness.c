#include "lower/generic/liveness.h"

#include <string.h>

#include "lower/generic/util.h"

typedef struct level {
    uint32_t n, cap;
    const vt_var **touched;
} level;

typedef struct finder {
    vt_visitor v;
    vt_ctx *ctx;
    vt_liveness out;
    uint32_t cap;
    level *levels; /* open scopes and statements */
    uint32_t depth, cap_levels;
    vt_ptrmap *alloc_level; /* data variable -> 1 + the level of its allocation */
    vt_ptrmap *bound;       /* variables that loops, threads and lets define */
    bool in_thread;
} finder;

static void push_var(vt_ctx *ctx, const vt_var ***list, uint32_t *n, uint32_t *cap, const vt_var *v) {
    vt_grow(ctx, list, cap, *n + 1, sizeof **list);
    (*list)[(*n)++] = v;
}

static void open_level(finder *st) {
    vt_grow(st->ctx, &st->levels, &st->cap_levels, st->depth + 1, sizeof *st->levels);
    st->levels[st->depth++] = (level){0};
}

static uint32_t add_event(finder *st, const vt_stmt *s, level touched) {
    vt_grow(st->ctx, &st->out.events, &st->cap, st->out.n + 1, sizeof *st->out.events);
    st->out.events[st->out.n] =
        (vt_event){.stmt = s, .n_touched = touched.n, .cap = touched.cap, .touched = touched.touched};
    return st->out.n++;
}

static void touch(finder *st, const vt_var *data) {
    uintptr_t at = (uintptr_t)vt_ptrmap_get(st->alloc_level, data);
    if (at == 0) return;
    if (at > st->depth) vt_raise(st->ctx, VTA_INTERNAL, "buffer %s is read outside of a statement", vt_var_name(data));
    level *l = &st->levels[at - 1];
    if (l->n && l->touched[l->n - 1] == data) return;
    push_var(st->ctx, &l->touched, &l->n, &l->cap, data);
}

static void find_expr(vt_visitor *v, const vt_expr *e) {
    finder *st = (finder *)v;
    vt_visit_expr_children(v, e);
    if (e->kind == VT_E_LOAD) touch(st, e->u.buffer->data);
    if (e->kind == VT_E_VAR) touch(st, e);
}

static void find_leaf(finder *st, const vt_stmt *s) {
    open_level(st);
    vt_visit_stmt_children(&st->v, s);
    if (s->kind == VT_S_STORE) touch(st, s->u.store.buffer->data);
    level done = st->levels[--st->depth];
    if (done.n) add_event(st, s, done);
}

static void find_scope(finder *st, const vt_stmt *s) {
    open_level(st);
    uint32_t from = add_event(st, s, (level){0});
    vt_visit_stmt_children(&st->v, s);
    uint32_t to = add_event(st, s, st->levels[--st->depth]);
    st->out.events[from].pair = (int32_t)(to - from);
    st->out.events[to].pair = -(int32_t)(to - from);
}

static bool is_bound(void *user, const vt_var *v) { return vt_ptrmap_has(((finder *)user)->bound, v); }

/* The extents change with a loop around the allocation, so that it can stand nowhere else. */
static bool varies(finder *st, const vt_stmt *alloc) {
    for (uint32_t i = 0; i < alloc->u.alloc.n_extents; i++)
        if (vt_expr_uses_any(alloc->u.alloc.extents[i], is_bound, st)) return true;
    return false;
}

static void bind(finder *st, const vt_stmt *s) {
    const vt_var *v = NULL;
    if (s->kind == VT_S_FOR) v = s->u.loop.var;
    if (s->kind == VT_S_LET) v = s->u.let.var;
    if (s->kind == VT_S_ATTR && s->u.attr.node.kind == VT_REF_ITER) v = s->u.attr.node.u.iter->var;
    if (v) vt_ptrmap_set(st->bound, v, s);
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    finder *st = (finder *)v;
    bind(st, s);
    switch (s->kind) {
    case VT_S_ALLOC:
        if (varies(st, s)) break;
        vt_ptrmap_set(st->alloc_level, s->u.alloc.var, (const void *)(uintptr_t)(st->depth + 1));
        vt_ptrmap_set(st->out.allocs, s->u.alloc.var, s);
        break;
    case VT_S_STORE:
    case VT_S_EVAL: find_leaf(st, s); return;
    case VT_S_FOR:
    case VT_S_IF:
    case VT_S_LET:
    case VT_S_ASSERT: find_scope(st, s); return;
    case VT_S_ATTR:
        if (vt_attr_is(s, VT_ATTR_THREAD_EXTENT) && !st->in_thread) {
            st->in_thread = true;
            find_scope(st, s);
            st->in_thread = false;
            return;
        }
        if (vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD) || vt_attr_is(s, VT_ATTR_PHASE) || vt_attr_is(s, VT_ATTR_STEP) ||
            vt_attr_is(s, VT_ATTR_EXTERN)) {
            find_scope(st, s);
            return;
        }
        break;
    default: break;
    }
    vt_visit_stmt_children(v, s);
}

static void find_ends(vt_ctx *ctx, vt_liveness *l) {
    vt_ptrmap *seen = vt_ptrmap_new(ctx);
    for (uint32_t i = l->n; i-- > 0;) {
        vt_event *e = &l->events[i];
        for (uint32_t k = 0; k < e->n_touched; k++) {
            if (vt_ptrmap_has(seen, e->touched[k])) continue;
            vt_ptrmap_set(seen, e->touched[k], e);
            push_var(ctx, &e->kill, &e->n_kill, &e->cap_kill, e->touched[k]);
        }
    }
    seen = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < l->n; i++) {
        vt_event *e = &l->events[i];
        if (e->pair < 0) continue;
        const vt_event *end = e + e->pair; /* a scope's uses stand at its end, but it begins to use here */
        for (uint32_t k = 0; k < end->n_touched; k++) {
            if (vt_ptrmap_has(seen, end->touched[k])) continue;
            vt_ptrmap_set(seen, end->touched[k], e);
            push_var(ctx, &e->gen, &e->n_gen, &e->cap_gen, end->touched[k]);
        }
    }
}

vt_liveness vt_liveness_of(vt_ctx *ctx, const vt_stmt *s) {
    finder st = {.v = {.expr = find_expr, .stmt = find_stmt},
                 .ctx = ctx,
                 .alloc_level = vt_ptrmap_new(ctx),
                 .bound = vt_ptrmap_new(ctx)};
    st.out.allocs = vt_ptrmap_new(ctx);
    vt_visit_stmt(&st.v, s);
    find_ends(ctx, &st.out);
    return st.out;
}

/* ---- In place --------------------------------------------------------------------------------------------------- */

typedef struct inplace {
    vt_visitor v;
    const vt_var *dst, *src;
    const vt_stmt *store; /* the store to dst whose value is visited */
    int nested;           /* inside of an index of a store, or of a load of these two */
    bool accumulates;
    bool found; /* by loads_src */
    bool bad;
} inplace;

static void fail(inplace *st) { st->bad = st->v.stop = true; }

static bool is_load_of(void *user, const vt_expr *e) {
    inplace *st = user;
    st->found |= e->kind == VT_E_LOAD && e->u.buffer->data == st->src;
    return !st->found;
}

static bool loads_src(inplace *st, const vt_expr *e) {
    st->found = false;
    vt_expr_walk(e, is_load_of, st);
    return st->found;
}

static bool is_shift(const vt_expr *e) { return vt_is_call(e, VT_OP_SHIFT_LEFT) || vt_is_call(e, VT_OP_SHIFT_RIGHT); }

static bool is_load_from(const inplace *st, const vt_expr *e) {
    return e->kind == VT_E_LOAD && e->u.buffer->data == st->src;
}

static void inplace_expr(vt_visitor *v, const vt_expr *e) {
    inplace *st = (inplace *)v;
    /* What does not change must be what is there already. */
    if (st->accumulates && e->kind == VT_E_SELECT && loads_src(st, e) && !is_load_from(st, e->a[1]) &&
        !is_load_from(st, e->a[2]))
        fail(st);
    if (st->accumulates && is_shift(e) && loads_src(st, e->a[1]) && !loads_src(st, e->a[0])) fail(st);
    if (e->kind == VT_E_VAR && (e == st->dst || e == st->src)) fail(st);
    if (e->kind == VT_E_LOAD) {
        const vt_var *data = e->u.buffer->data;
        if (data == st->dst || st->nested) fail(st);
        if (data == st->src) {
            const vt_stmt *s = st->store;
            if (!s || !vt_dtype_eq(s->u.store.value->dtype, e->dtype) || s->u.store.n_indices != e->n) fail(st);
            for (uint32_t i = 0; !st->bad && i < e->n; i++)
                if (!vt_expr_equal(s->u.store.indices[i], e->a[i])) fail(st);
        }
        /* What picks an element of another buffer is read before the result is written, like any operand. */
        int index = data == st->src || data == st->dst;
        st->nested += index;
        vt_visit_expr_children(v, e);
        st->nested -= index;
        return;
    }
    vt_visit_expr_children(v, e);
}

static void inplace_stmt(vt_visitor *v, const vt_stmt *s) {
    inplace *st = (inplace *)v;
    if (vt_attr_is(s, VT_ATTR_EXTERN) || vt_attr_is(s, VT_ATTR_VOLATILE)) fail(st);
    if (s->kind != VT_S_STORE) {
        vt_visit_stmt_children(v, s);
        return;
    }
    st->nested++;
    for (uint32_t i = 0; i < s->u.store.n_indices; i++) vt_visit_expr(v, s->u.store.indices[i]);
    st->nested--;
    st->store = s->u.store.buffer->data == st->dst ? s : NULL;
    vt_visit_expr(v, s->u.store.value);
    st->store = NULL;
}

bool vt_inplace_ok(const vt_stmt *s, const vt_var *dst, const vt_var *src, bool accumulates) {
    if (s->kind != VT_S_ATTR && s->kind != VT_S_FOR && s->kind != VT_S_IF && s->kind != VT_S_STORE) return false;
    inplace st = {
        .v = {.expr = inplace_expr, .stmt = inplace_stmt}, .dst = dst, .src = src, .accumulates = accumulates};
    vt_visit_stmt(&st.v, s);
    return !st.bad;
}

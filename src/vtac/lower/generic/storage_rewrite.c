/* Gives buffers their storage: buffers whose lives do not overlap share an allocation, an operation works in place
 * where it may, and all buffers of a special memory (the on-chip ones) become one allocation in which each has its
 * place. A buffer whose size changes with a loop around it stays where it is. Checks that the special memories are
 * large enough.
 *
 * vt_share_before_threads is the same before virtual threads are injected, when lives are still those of one thread.
 * Where threads overlap on the target, the lives of several threads run side by side after that, and only the uses of
 * each thread's buffers are in order: the later run gives the buffers of all threads their place, but lets none take
 * over another's. */
#include "lower/generic/fit.h"
#include "lower/generic/storage_plan.h"

/* ---- Allocations ------------------------------------------------------------------------------------------------ */

static const vt_stmt *make_alloc(vt_storage_plan *st, const vt_storage *e, vt_dtype t, const vt_expr *extent) {
    vt_ctx *ctx = st->m.ctx;
    return vt_s_alloc(ctx, e->var, t, 1, &extent, vt_bool(ctx, true), vt_s_nop(ctx));
}

static uint64_t align_up(uint64_t bits, uint64_t align) { return (bits + align - 1) / align * align; }

/* All storages of a special memory, one after the other. */
static void alloc_special(vt_storage_plan *st, vt_storage *e) {
    vt_ctx *ctx = st->m.ctx;
    vt_memory_info info = {.align_bits = 32, .max_bits = UINT64_MAX};
    vt_memory_of_scope(st->l, e->scope, &info);
    uint64_t align = info.align_bits;
    vt_fit_part *parts = VT_NEW_ARRAY(ctx, vt_fit_part, e->n_children + 1);
    parts[0] = (vt_fit_part){vt_var_name(e->var), e->bits};
    uint64_t total = align_up(e->bits, align);
    for (uint32_t i = 0; i < e->n_children; i++) {
        vt_storage *c = e->children[i];
        c->offset = total;
        c->var = e->var;
        parts[i + 1] = (vt_fit_part){vt_var_name(c->allocs[0]->u.alloc.var), c->bits};
        total = align_up(total + c->bits, align);
    }
    vt_check_fit_parts(st->l, e->scope, total, e->n_children + 1, parts);
    if (e->n_children == 0) return;
    e->alloc = make_alloc(
        st, e, e->elem,
        vt_int(ctx, e->allocs[0]->u.alloc.extents[0]->dtype, (int64_t)((total + e->elem.bits - 1) / e->elem.bits)));
}

static bool same_alloc(const vt_stmt *x, const vt_stmt *y) {
    if (!vt_dtype_eq(x->u.alloc.dtype, y->u.alloc.dtype) || x->u.alloc.n_extents != y->u.alloc.n_extents) return false;
    for (uint32_t i = 0; i < x->u.alloc.n_extents; i++)
        if (!vt_expr_equal(x->u.alloc.extents[i], y->u.alloc.extents[i])) return false;
    return true;
}

static void alloc_plain(vt_storage_plan *st, vt_storage *e, vt_analyzer *a) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt *first = e->allocs[0];
    vt_dtype t = first->u.alloc.dtype;
    bool same = true;
    for (uint32_t i = 1; i < e->n_allocs; i++) {
        same &= same_alloc(e->allocs[i], first);
        if (e->allocs[i]->u.alloc.dtype.lanes > t.lanes) t = e->allocs[i]->u.alloc.dtype;
    }
    if (same) {
        e->alloc = first;
        return;
    }
    const vt_expr *size = NULL;
    for (uint32_t i = 0; i < e->n_allocs; i++) {
        const vt_stmt *s = e->allocs[i];
        int64_t bits = (int64_t)s->u.alloc.dtype.bits * s->u.alloc.dtype.lanes;
        const vt_expr *extent = s->u.alloc.extents[0];
        if (extent->kind == VT_E_INT && extent->u.i > INT32_MAX / bits) extent = vt_i64(ctx, extent->u.i);
        extent = vt_mul(ctx, extent, vt_int(ctx, extent->dtype, bits));
        size = size ? vt_max(ctx, size, extent) : extent;
    }
    const vt_expr *unit = vt_int(ctx, size->dtype, (int64_t)t.bits * t.lanes);
    bool whole = vt_prove(a, vt_eq(ctx, vt_floormod(ctx, size, unit), vt_int(ctx, size->dtype, 0)));
    size = vt_floordiv(ctx, size, unit);
    if (!whole) size = vt_add(ctx, size, vt_int(ctx, size->dtype, 1));
    e->alloc = make_alloc(st, e, t, vt_simplify(a, size));
}

static void raise_varying(vt_ctx *ctx, const vt_stmt *alloc) {
    vt_raise(ctx, VTA_ILLEGAL, "%s is put into %s, so its size must be a constant", vt_var_name(alloc->u.alloc.var),
             vt_scope_of(alloc->u.alloc.var));
}

/* Storages of one scope are linked in the order in which they were made. */
typedef struct chain {
    vt_storage **items;
    uint32_t n, cap;
} chain;

static const char NO_SCOPE = 0; /* the key of storages of the whole function */

static void prepare(vt_storage_plan *st) {
    vt_ctx *ctx = st->m.ctx;
    vt_analyzer *a = vt_analyzer_new(ctx);
    for (uint32_t i = 0; i < st->n; i++) {
        vt_storage *e = st->all[i];
        const void *key = e->attach ? (const void *)e->attach : &NO_SCOPE;
        chain *c = vt_ptrmap_get(st->attached, key);
        if (!c) {
            c = VT_NEW(ctx, chain);
            vt_ptrmap_set(st->attached, key, c);
        }
        e->var = e->allocs[0]->u.alloc.var;
        if (vt_scope_is_special(e->scope)) {
            if (e->bits == 0) raise_varying(ctx, e->allocs[0]);
            /* Buffers of a step get places of their own later (vta.PlaceSlots), each as many as it needs. */
            bool apart = st->early && e->attach && vt_attr_is(e->attach, VT_ATTR_STEP);
            for (uint32_t k = 0; k < c->n && !e->child && !apart; k++) {
                vt_storage *head = c->items[k];
                if (head->child || strcmp(head->scope, e->scope) != 0) continue;
                vt_grow(ctx, &head->children, &head->cap_children, head->n_children + 1, sizeof *head->children);
                head->children[head->n_children++] = e;
                e->child = true;
            }
        }
        /* Children are found through their head; what is walked above stays short: one head for a memory. */
        if (e->child) continue;
        vt_grow(ctx, &c->items, &c->cap, c->n + 1, sizeof *c->items);
        c->items[c->n++] = e;
    }
    for (uint32_t i = 0; i < st->n; i++) {
        vt_storage *e = st->all[i];
        if (e->child) continue;
        if (vt_scope_is_special(e->scope)) alloc_special(st, e);
        if (!e->alloc) alloc_plain(st, e, a);
    }
}

/* ---- Rewriting -------------------------------------------------------------------------------------------------- */

static const vt_stmt *attach(vt_storage_plan *st, const void *key, const vt_stmt *body) {
    const chain *c = vt_ptrmap_get(st->attached, key);
    for (uint32_t i = c ? c->n : 0; i-- > 0;) body = vt_stmt_with_body(st->m.ctx, c->items[i]->alloc, body);
    return body;
}

static const vt_buffer *rewrite_buffer(vt_mutator *m, const vt_buffer *b) {
    vt_storage_plan *st = (vt_storage_plan *)m;
    const vt_storage *e = vt_ptrmap_get(st->of, b->data);
    if (!e || (e->var == b->data && strcmp(b->name, vt_var_name(e->var)) == 0)) return b;
    const vt_buffer *have = vt_ptrmap_get(st->buffers, b);
    if (have) return have;
    vt_buffer copy = *b;
    copy.data = e->var;
    copy.name = vt_var_name(e->var);
    have = vt_buffer_with(m->ctx, &copy);
    vt_ptrmap_set(st->buffers, b, have);
    return have;
}

static const vt_expr *shifted(vt_ctx *ctx, const vt_storage *e, vt_dtype elem, const vt_expr *index) {
    if (e->offset == 0) return index;
    uint64_t bits = (uint64_t)elem.bits * elem.lanes;
    if (e->offset % bits)
        vt_raise(ctx, VTA_INTERNAL, "storage offset %llu is not a multiple of %llu bits", (unsigned long long)e->offset,
                 (unsigned long long)bits);
    return vt_add(ctx, vt_int(ctx, index->dtype, (int64_t)(e->offset / bits)), index);
}

static const vt_expr *rewrite_expr(vt_mutator *m, const vt_expr *e) {
    vt_storage_plan *st = (vt_storage_plan *)m;
    vt_ctx *ctx = m->ctx;
    if (e->kind == VT_E_VAR) {
        const vt_storage *s = vt_ptrmap_get(st->of, e);
        return s ? s->var : e;
    }
    if (vt_is_call(e, VT_OP_ACCESS_PTR)) {
        const vt_storage *s = vt_ptrmap_get(st->of, e->a[1]);
        if (s) {
            const vt_expr *offset = shifted(ctx, s, e->a[0]->dtype, vt_mutate_expr(m, e->a[2]));
            const vt_expr *a[5] = {e->a[0], s->var, offset, vt_mutate_expr(m, e->a[3]), e->a[4]};
            return vt_e_with(ctx, e, a);
        }
    }
    if (e->kind == VT_E_LOAD) {
        const vt_storage *s = vt_ptrmap_get(st->of, e->u.buffer->data);
        if (s && s->offset) {
            const vt_expr *index = shifted(ctx, s, e->u.buffer->dtype, vt_mutate_expr(m, e->a[0]));
            return vt_e_load(ctx, rewrite_buffer(m, e->u.buffer), 1, &index);
        }
    }
    return vt_mutate_expr_children(m, e);
}

static const vt_stmt *rewrite_stmt(vt_mutator *m, const vt_stmt *s) {
    vt_storage_plan *st = (vt_storage_plan *)m;
    if (s->kind == VT_S_ALLOC && vt_ptrmap_has(st->live.allocs, s->u.alloc.var))
        return vt_mutate_stmt(m, s->u.alloc.body);
    if (!st->early && vt_attr_is(s, VT_ATTR_PHASE)) return vt_mutate_stmt(m, s->u.attr.body);
    if (s->kind == VT_S_ALLOC && vt_scope_is_special(vt_scope_of(s->u.alloc.var))) raise_varying(m->ctx, s);
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if (s->kind == VT_S_STORE) {
        const vt_storage *e = vt_ptrmap_get(st->of, s->u.store.buffer->data);
        if (!e || e->offset == 0) return out;
        const vt_expr *index = shifted(m->ctx, e, s->u.store.buffer->dtype, out->u.store.indices[0]);
        return vt_s_store(m->ctx, out->u.store.buffer, out->u.store.value, 1, &index);
    }
    if ((s->kind == VT_S_ATTR || s->kind == VT_S_FOR) && vt_ptrmap_has(st->attached, s))
        return vt_stmt_with_body(m->ctx, out, attach(st, s, vt_stmt_body(out)));
    return out;
}

static const vt_func *storage_rewrite(vt_lowering *l, const vt_func *f, bool early) {
    vt_ctx *ctx = l->ctx;
    vt_storage_plan st = {.m = {.ctx = ctx, .expr = rewrite_expr, .stmt = rewrite_stmt, .buffer = rewrite_buffer},
                          .l = l,
                          .early = early,
                          .live = vt_liveness_of(ctx, f->body),
                          .of = vt_ptrmap_new(ctx),
                          .in_place = vt_ptrmap_new(ctx),
                          .queued = vt_ptrmap_new(ctx),
                          .attached = vt_ptrmap_new(ctx),
                          .buffers = vt_ptrmap_new(ctx)};
    if (vt_ptrmap_size(st.live.allocs) == 0) return f;
    vt_plan_storage(&st, f->body);
    prepare(&st);
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    return vt_func_with_body(ctx, f, attach(&st, &NO_SCOPE, body));
}

const vt_func *vt_pass_storage_rewrite(vt_lowering *l, const vt_func *f) { return storage_rewrite(l, f, false); }
const vt_func *vt_share_before_threads(vt_lowering *l, const vt_func *f) { return storage_rewrite(l, f, true); }

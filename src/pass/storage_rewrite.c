/* Gives buffers their storage: buffers whose lives do not overlap share an allocation, an operation works in place
 * where it may, and all buffers of a special memory (the on-chip ones) become one allocation in which each has its
 * place. A buffer whose size changes with a loop around it stays where it is. Checks that the special memories are
 * large enough.
 *
 * vt_share_before_threads is the same before virtual threads are injected, when lives are still those of one thread.
 * Where threads overlap on the target, the lives of several threads run side by side after that, and only the uses of
 * each thread's buffers are in order: the later run gives the buffers of all threads their place, but lets none take
 * over another's. */
#include <string.h>

#include "pass/fit.h"
#include "pass/liveness.h"
#include "pass/pass.h"
#include "pass/util.h"

/* One storage that a number of buffers use, one after another. */
typedef struct storage storage;
struct storage {
    const vt_stmt *attach; /* the scope at whose begin it is allocated; NULL: the function's */
    uint64_t bits;         /* 0: not a constant */
    const char *scope;
    vt_dtype elem;
    const vt_stmt *phase;   /* of what uses it now */
    const vt_stmt **allocs; /* what uses it */
    uint32_t n_allocs, cap_allocs;
    storage **children; /* storages placed after it in the same special memory */
    uint32_t n_children, cap_children;
    bool child;
    uint64_t offset; /* bits, in the allocation of the storage it is a child of */
    const vt_var *var;
    const vt_stmt *alloc; /* ALLOC to be put around the scope's body; NULL for children */
};

typedef struct rewrite {
    vt_mutator m;
    vt_lowering *l;
    bool early;
    vt_liveness live;
    const vt_stmt *scope; /* of the thread that is being planned */
    const vt_stmt *phase; /* late: that is being planned */
    vt_stmt_list outer;   /* the scopes around it, NULL first */
    storage **all;
    uint32_t n, cap;
    storage **idle; /* free for others: sorted by size, earlier freed first */
    uint32_t n_idle, cap_idle;
    vt_ptrmap *of;       /* data variable -> storage */
    vt_ptrmap *in_place; /* data variables whose storage was taken over */
    vt_ptrmap *attached; /* scope -> list of storages, as index chains: first and next below */
    vt_ptrmap *buffers;  /* buffer -> buffer over its storage */
} rewrite;

/* ---- Scopes of memory ------------------------------------------------------------------------------------------- */

/* "local.acc_buffer" has the tag ".acc_buffer"; "global" and "local" have none. */
static const char *scope_tag(const char *scope) {
    const char *dot = strchr(scope, '.');
    return dot ? dot : "";
}
static bool is_special(const char *scope) {
    const char *tag = scope_tag(scope);
    return tag[0] && strcmp(tag, ".dyn") != 0 && strcmp(tag, ".workspace") != 0 && strcmp(tag, ".vtcm") != 0;
}
/* Held in registers by the code generator, so not worth sharing. */
static bool is_register_like(const char *scope) {
    return strncmp(scope, "local", 5) == 0 || strncmp(scope, "warp", 4) == 0 || strncmp(scope, "wmma", 4) == 0;
}
static const char *scope_of(const vt_var *data) {
    return data->u.var->scope && data->u.var->scope[0] ? data->u.var->scope : "global";
}

static uint64_t alloc_bits(const vt_stmt *alloc) {
    return vt_const_elements(alloc->u.alloc.n_extents, alloc->u.alloc.extents) * alloc->u.alloc.dtype.bits *
           alloc->u.alloc.dtype.lanes;
}

/* ---- Planning --------------------------------------------------------------------------------------------------- */

static storage *new_storage(rewrite *st, const vt_stmt *alloc, const char *scope, uint64_t bits) {
    vt_ctx *ctx = st->m.ctx;
    storage *e = VT_NEW(ctx, storage);
    *e = (storage){.attach = st->scope, .bits = bits, .scope = scope, .elem = vt_dtype_elem(alloc->u.alloc.dtype)};
    vt_grow(ctx, &st->all, &st->cap, st->n + 1, sizeof *st->all);
    st->all[st->n++] = e;
    return e;
}

/* The first idle storage not smaller than `bits`. */
static uint32_t idle_from(const rewrite *st, uint64_t bits) {
    uint32_t low = 0, high = st->n_idle;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (st->idle[mid]->bits < bits)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static storage *take_idle(rewrite *st, uint32_t at, uint64_t bits) {
    storage *e = st->idle[at];
    memmove(st->idle + at, st->idle + at + 1, (st->n_idle - at - 1) * sizeof *st->idle);
    st->n_idle--;
    if (bits > e->bits) e->bits = bits;
    return e;
}

/* In a phase the threads' lives run side by side: only what earlier phases left is free. */
static bool may_share(const rewrite *st, const storage *e, const char *scope) {
    return e->attach == st->scope && strcmp(e->scope, scope) == 0 && (!st->phase || e->phase != st->phase);
}

static storage *find_storage(rewrite *st, const vt_stmt *alloc, const char *scope) {
    enum { MATCH = 16 }; /* sizes that differ by more are not worth sharing */
    uint64_t bits = alloc_bits(alloc), elem_bits = (uint64_t)alloc->u.alloc.dtype.bits * alloc->u.alloc.dtype.lanes;
    bool small = !scope_tag(scope)[0] &&
                 (is_register_like(scope) || alloc->u.alloc.dtype.code == VT_HANDLE || (bits && bits <= 32));
    if (small || alloc->u.alloc.n_extents != 1) return new_storage(st, alloc, scope, bits);
    uint32_t from = bits ? idle_from(st, bits) : 0, least = bits ? idle_from(st, bits / MATCH) : 0;
    uint32_t most = bits ? idle_from(st, bits * MATCH + 1) : idle_from(st, 1);
    for (uint32_t i = from; i < most; i++) {
        storage *e = st->idle[i];
        bool fits = bits ? e->offset % elem_bits == 0 : vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype));
        if (may_share(st, e, scope) && fits) return take_idle(st, i, bits);
    }
    for (uint32_t i = from; bits && i-- > least;) {
        storage *e = st->idle[i];
        if (may_share(st, e, scope) && vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype)))
            return take_idle(st, i, bits);
    }
    return new_storage(st, alloc, scope, bits);
}

static void release(rewrite *st, const vt_var *data) {
    storage *e = vt_ptrmap_get(st->of, data);
    if (!e) return;
    bool small = e->bits > 0 && e->bits <= 32;
    if (!scope_tag(e->scope)[0] &&
        (is_register_like(e->scope) || e->allocs[0]->u.alloc.dtype.code == VT_HANDLE || small))
        return;
    vt_grow(st->m.ctx, &st->idle, &st->cap_idle, st->n_idle + 1, sizeof *st->idle);
    uint32_t at = idle_from(st, e->bits + 1);
    memmove(st->idle + at + 1, st->idle + at, (st->n_idle - at) * sizeof *st->idle);
    st->idle[at] = e;
    st->n_idle++;
}

/* A buffer that dies in the statement and whose place the new one can take. */
static storage *find_in_place(rewrite *st, const vt_event *begin, const vt_event *end, const vt_stmt *alloc,
                              const char *scope) {
    for (uint32_t i = 0; i < end->n_kill; i++) {
        const vt_var *src = end->kill[i];
        storage *e = vt_ptrmap_get(st->of, src);
        if (!e || vt_ptrmap_has(st->in_place, src)) continue;
        /* The storage may be larger: that of a full tile, in which a tail works. */
        uint64_t bits = alloc_bits(vt_ptrmap_get(st->live.allocs, src));
        if (strcmp(e->scope, scope) != 0 || e->attach != st->scope || bits != alloc_bits(alloc) ||
            !vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype)) ||
            !vt_inplace_ok(begin->stmt, alloc->u.alloc.var, src, is_special(scope)))
            continue;
        vt_ptrmap_set(st->in_place, src, src);
        return e;
    }
    return NULL;
}

static void plan_gen(rewrite *st, const vt_event *e) {
    for (uint32_t i = 0; i < e->n_gen; i++) {
        const vt_stmt *alloc = vt_ptrmap_get(st->live.allocs, e->gen[i]);
        const char *scope = scope_of(e->gen[i]);
        bool own = !st->early && vt_threads_overlap(st->l);
        storage *to = e->n_gen <= 2 && !own ? find_in_place(st, e, e + e->pair, alloc, scope) : NULL;
        bool share = !own || (st->phase && is_special(scope));
        if (!to) to = share ? find_storage(st, alloc, scope) : new_storage(st, alloc, scope, alloc_bits(alloc));
        to->phase = st->phase;
        vt_grow(st->m.ctx, &to->allocs, &to->cap_allocs, to->n_allocs + 1, sizeof *to->allocs);
        to->allocs[to->n_allocs++] = alloc;
        vt_ptrmap_set(st->of, e->gen[i], to);
    }
}

/* A thread's storage stays its own: it is not idle for others after the thread. */
static void leave(rewrite *st) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < st->n_idle; i++)
        if (st->idle[i]->attach != st->scope) st->idle[kept++] = st->idle[i];
    st->n_idle = kept;
    st->scope = st->outer.items[--st->outer.n];
}

static void enter_or_leave(rewrite *st, const vt_event *e) {
    if (!st->early && vt_attr_is(e->stmt, VT_ATTR_PHASE)) st->phase = e->pair < 0 ? NULL : e->stmt;
    bool thread = vt_attr_is(e->stmt, VT_ATTR_THREAD_EXTENT) || vt_attr_is(e->stmt, VT_ATTR_VIRTUAL_THREAD) ||
                  (st->early && (vt_attr_is(e->stmt, VT_ATTR_PHASE) || vt_attr_is(e->stmt, VT_ATTR_STEP)));
    bool parallel =
        e->stmt->kind == VT_S_FOR && e->stmt->u.loop.kind == VT_FOR_PARALLEL && (!st->scope || st->scope == e->stmt);
    if (!thread && !parallel) return;
    if (e->pair < 0) {
        leave(st);
    } else {
        vt_stmt_list_add(st->m.ctx, &st->outer, st->scope);
        st->scope = e->stmt;
    }
}

static void plan(rewrite *st) {
    for (uint32_t i = 0; i < st->live.n; i++) {
        const vt_event *e = &st->live.events[i];
        if (e->pair >= 0) plan_gen(st, e);
        enter_or_leave(st, e);
        for (uint32_t k = 0; e->pair <= 0 && k < e->n_kill; k++)
            if (!vt_ptrmap_has(st->in_place, e->kill[k])) release(st, e->kill[k]);
    }
}

/* ---- Allocations ------------------------------------------------------------------------------------------------ */

static const vt_stmt *make_alloc(rewrite *st, const storage *e, vt_dtype t, const vt_expr *extent) {
    vt_ctx *ctx = st->m.ctx;
    return vt_s_alloc(ctx, e->var, t, 1, &extent, vt_bool(ctx, true), vt_s_nop(ctx));
}

static uint64_t align_up(uint64_t bits, uint64_t align) { return (bits + align - 1) / align * align; }

/* All storages of a special memory, one after the other. */
static void alloc_special(rewrite *st, storage *e) {
    vt_ctx *ctx = st->m.ctx;
    vt_memory_info info = {.align_bits = 32, .max_bits = UINT64_MAX};
    vt_memory_of_scope(st->l, e->scope, &info);
    uint64_t align = info.align_bits;
    vt_fit_part *parts = VT_NEW_ARRAY(ctx, vt_fit_part, e->n_children + 1);
    parts[0] = (vt_fit_part){vt_var_name(e->var), e->bits};
    uint64_t total = align_up(e->bits, align);
    for (uint32_t i = 0; i < e->n_children; i++) {
        storage *c = e->children[i];
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

static void alloc_plain(rewrite *st, storage *e, vt_analyzer *a) {
    vt_ctx *ctx = st->m.ctx;
    const vt_stmt *first = e->allocs[0];
    vt_dtype t = first->u.alloc.dtype;
    bool same = true;
    for (uint32_t i = 1; i < e->n_allocs; i++) {
        same &= same_alloc(e->allocs[i], first);
        if (e->allocs[i]->u.alloc.dtype.lanes > t.lanes) t = e->allocs[i]->u.alloc.dtype;
    }
    if (same) {
        vt_stmt copy = *first;
        copy.u.alloc.body = vt_s_nop(ctx);
        e->alloc = vt_s_new(ctx, &copy);
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
             scope_of(alloc->u.alloc.var));
}

/* Storages of one scope are linked in the order in which they were made. */
typedef struct chain {
    storage **items;
    uint32_t n, cap;
} chain;

static const char NO_SCOPE = 0; /* the key of storages of the whole function */

static void prepare(rewrite *st) {
    vt_ctx *ctx = st->m.ctx;
    vt_analyzer *a = vt_analyzer_new(ctx);
    for (uint32_t i = 0; i < st->n; i++) {
        storage *e = st->all[i];
        const void *key = e->attach ? (const void *)e->attach : &NO_SCOPE;
        chain *c = vt_ptrmap_get(st->attached, key);
        if (!c) {
            c = VT_NEW(ctx, chain);
            vt_ptrmap_set(st->attached, key, c);
        }
        e->var = e->allocs[0]->u.alloc.var;
        if (is_special(e->scope)) {
            if (e->bits == 0) raise_varying(ctx, e->allocs[0]);
            /* Buffers of a step get places of their own later (vta.PlaceSlots), each as many as it needs. */
            bool apart = st->early && e->attach && vt_attr_is(e->attach, VT_ATTR_STEP);
            for (uint32_t k = 0; k < c->n && !e->child && !apart; k++) {
                storage *head = c->items[k];
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
        storage *e = st->all[i];
        if (e->child) continue;
        if (is_special(e->scope)) alloc_special(st, e);
        if (!e->alloc) alloc_plain(st, e, a);
    }
}

/* ---- Rewriting -------------------------------------------------------------------------------------------------- */

static const vt_stmt *attach(rewrite *st, const void *key, const vt_stmt *body) {
    const chain *c = vt_ptrmap_get(st->attached, key);
    for (uint32_t i = c ? c->n : 0; i-- > 0;) body = vt_stmt_with_body(st->m.ctx, c->items[i]->alloc, body);
    return body;
}

static const vt_buffer *rewrite_buffer(vt_mutator *m, const vt_buffer *b) {
    rewrite *st = (rewrite *)m;
    const storage *e = vt_ptrmap_get(st->of, b->data);
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

static const vt_expr *shifted(vt_ctx *ctx, const storage *e, vt_dtype elem, const vt_expr *index) {
    if (e->offset == 0) return index;
    uint64_t bits = (uint64_t)elem.bits * elem.lanes;
    if (e->offset % bits)
        vt_raise(ctx, VTA_INTERNAL, "storage offset %llu is not a multiple of %llu bits", (unsigned long long)e->offset,
                 (unsigned long long)bits);
    return vt_add(ctx, vt_int(ctx, index->dtype, (int64_t)(e->offset / bits)), index);
}

static const vt_expr *rewrite_expr(vt_mutator *m, const vt_expr *e) {
    rewrite *st = (rewrite *)m;
    vt_ctx *ctx = m->ctx;
    if (e->kind == VT_E_VAR) {
        const storage *s = vt_ptrmap_get(st->of, e);
        return s ? s->var : e;
    }
    if (vt_is_call(e, VT_OP_ACCESS_PTR)) {
        const storage *s = vt_ptrmap_get(st->of, e->a[1]);
        if (s) {
            const vt_expr *offset = shifted(ctx, s, e->a[0]->dtype, vt_mutate_expr(m, e->a[2]));
            const vt_expr *a[5] = {e->a[0], s->var, offset, vt_mutate_expr(m, e->a[3]), e->a[4]};
            return vt_e_with(ctx, e, a);
        }
    }
    if (e->kind == VT_E_LOAD) {
        const storage *s = vt_ptrmap_get(st->of, e->u.buffer->data);
        if (s && s->offset) {
            const vt_expr *index = shifted(ctx, s, e->u.buffer->dtype, vt_mutate_expr(m, e->a[0]));
            return vt_e_load(ctx, rewrite_buffer(m, e->u.buffer), 1, &index);
        }
    }
    return vt_mutate_expr_children(m, e);
}

static const vt_stmt *rewrite_stmt(vt_mutator *m, const vt_stmt *s) {
    rewrite *st = (rewrite *)m;
    if (s->kind == VT_S_ALLOC && vt_ptrmap_has(st->live.allocs, s->u.alloc.var))
        return vt_mutate_stmt(m, s->u.alloc.body);
    if (!st->early && vt_attr_is(s, VT_ATTR_PHASE)) return vt_mutate_stmt(m, s->u.attr.body);
    if (s->kind == VT_S_ALLOC && is_special(scope_of(s->u.alloc.var))) raise_varying(m->ctx, s);
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if (s->kind == VT_S_STORE) {
        const storage *e = vt_ptrmap_get(st->of, s->u.store.buffer->data);
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
    rewrite st = {.m = {.ctx = ctx, .expr = rewrite_expr, .stmt = rewrite_stmt, .buffer = rewrite_buffer},
                  .l = l,
                  .early = early,
                  .live = vt_liveness_of(ctx, f->body),
                  .of = vt_ptrmap_new(ctx),
                  .in_place = vt_ptrmap_new(ctx),
                  .attached = vt_ptrmap_new(ctx),
                  .buffers = vt_ptrmap_new(ctx)};
    if (vt_ptrmap_size(st.live.allocs) == 0) return f;
    plan(&st);
    prepare(&st);
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    return vt_func_with_body(ctx, f, attach(&st, &NO_SCOPE, body));
}

const vt_func *vt_pass_storage_rewrite(vt_lowering *l, const vt_func *f) { return storage_rewrite(l, f, false); }
const vt_func *vt_share_before_threads(vt_lowering *l, const vt_func *f) { return storage_rewrite(l, f, true); }

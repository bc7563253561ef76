/* Buffers whose lives do not overlap share a storage, and an operation works in place where it may. */
#include "lower/generic/storage_plan.h"

/* Held in registers by the code generator, so not worth sharing. */
static bool is_register_like(const char *scope) {
    return strncmp(scope, "local", 5) == 0 || strncmp(scope, "warp", 4) == 0 || strncmp(scope, "wmma", 4) == 0;
}

static uint64_t alloc_bits(const vt_stmt *alloc) {
    return vt_const_elements(alloc->u.alloc.n_extents, alloc->u.alloc.extents) * alloc->u.alloc.dtype.bits *
           alloc->u.alloc.dtype.lanes;
}

static vt_storage *new_storage(vt_storage_plan *st, const vt_stmt *alloc, const char *scope, uint64_t bits) {
    vt_ctx *ctx = st->m.ctx;
    vt_storage *e = VT_NEW(ctx, vt_storage);
    *e = (vt_storage){.attach = st->scope, .bits = bits, .scope = scope, .elem = vt_dtype_elem(alloc->u.alloc.dtype)};
    vt_grow(ctx, &st->all, &st->cap, st->n + 1, sizeof *st->all);
    st->all[st->n++] = e;
    return e;
}

/* The first idle storage not smaller than `bits`. */
static uint32_t idle_from(const vt_storage_plan *st, uint64_t bits) {
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

static vt_storage *take_idle(vt_storage_plan *st, uint32_t at, uint64_t bits) {
    vt_storage *e = st->idle[at];
    memmove(st->idle + at, st->idle + at + 1, (st->n_idle - at - 1) * sizeof *st->idle);
    st->n_idle--;
    if (bits > e->bits) e->bits = bits;
    return e;
}

/* In a phase the threads' lives run side by side: only what earlier phases left is free. */
static bool may_share(const vt_storage_plan *st, const vt_storage *e, const char *scope) {
    return e->attach == st->scope && strcmp(e->scope, scope) == 0 && (!st->phase || e->phase != st->phase);
}

static vt_storage *find_storage(vt_storage_plan *st, const vt_stmt *alloc, const char *scope) {
    enum { MATCH = 16 }; /* sizes that differ by more are not worth sharing */
    uint64_t bits = alloc_bits(alloc), elem_bits = (uint64_t)alloc->u.alloc.dtype.bits * alloc->u.alloc.dtype.lanes;
    bool small = !vt_scope_tag(scope)[0] &&
                 (is_register_like(scope) || alloc->u.alloc.dtype.code == VT_HANDLE || (bits && bits <= 32));
    if (small || alloc->u.alloc.n_extents != 1) return new_storage(st, alloc, scope, bits);
    uint32_t from = bits ? idle_from(st, bits) : 0, least = bits ? idle_from(st, bits / MATCH) : 0;
    uint32_t most = bits ? idle_from(st, bits * MATCH + 1) : idle_from(st, 1);
    for (uint32_t i = from; i < most; i++) {
        vt_storage *e = st->idle[i];
        bool fits = bits ? e->offset % elem_bits == 0 : vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype));
        if (may_share(st, e, scope) && fits) return take_idle(st, i, bits);
    }
    for (uint32_t i = from; bits && i-- > least;) {
        vt_storage *e = st->idle[i];
        if (may_share(st, e, scope) && vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype)))
            return take_idle(st, i, bits);
    }
    return new_storage(st, alloc, scope, bits);
}

static void release(vt_storage_plan *st, const vt_var *data) {
    vt_storage *e = vt_ptrmap_get(st->of, data);
    if (!e || vt_ptrmap_has(st->queued, data)) return;
    bool small = e->bits > 0 && e->bits <= 32;
    if (!vt_scope_tag(e->scope)[0] &&
        (is_register_like(e->scope) || e->allocs[0]->u.alloc.dtype.code == VT_HANDLE || small))
        return;
    vt_grow(st->m.ctx, &st->idle, &st->cap_idle, st->n_idle + 1, sizeof *st->idle);
    uint32_t at = idle_from(st, e->bits + 1);
    memmove(st->idle + at + 1, st->idle + at, (st->n_idle - at) * sizeof *st->idle);
    st->idle[at] = e;
    st->n_idle++;
}

/* A buffer that dies in the statement and whose place the new one can take. */
static vt_storage *find_in_place(vt_storage_plan *st, const vt_event *begin, const vt_event *end, const vt_stmt *alloc,
                                 const char *scope) {
    for (uint32_t i = 0; i < end->n_kill; i++) {
        const vt_var *src = end->kill[i];
        vt_storage *e = vt_ptrmap_get(st->of, src);
        if (!e || vt_ptrmap_has(st->in_place, src) || vt_ptrmap_has(st->queued, src)) continue;
        /* The storage may be larger: that of a full tile, in which a tail works. */
        uint64_t bits = alloc_bits(vt_ptrmap_get(st->live.allocs, src));
        if (strcmp(e->scope, scope) != 0 || e->attach != st->scope || bits != alloc_bits(alloc) ||
            !vt_dtype_eq(e->elem, vt_dtype_elem(alloc->u.alloc.dtype)) ||
            !vt_inplace_ok(begin->stmt, alloc->u.alloc.var, src, vt_scope_is_special(scope)))
            continue;
        vt_ptrmap_set(st->in_place, src, src);
        return e;
    }
    return NULL;
}

static void plan_gen(vt_storage_plan *st, const vt_event *e) {
    for (uint32_t i = 0; i < e->n_gen; i++) {
        const vt_stmt *alloc = vt_ptrmap_get(st->live.allocs, e->gen[i]);
        const char *scope = vt_scope_of(e->gen[i]);
        bool own = !st->early && vt_threads_overlap(st->l);
        vt_storage *to = e->n_gen <= 2 && !own ? find_in_place(st, e, e + e->pair, alloc, scope) : NULL;
        bool share = !own || (st->phase && vt_scope_is_special(scope));
        if (!to) to = share ? find_storage(st, alloc, scope) : new_storage(st, alloc, scope, alloc_bits(alloc));
        to->phase = st->phase;
        vt_grow(st->m.ctx, &to->allocs, &to->cap_allocs, to->n_allocs + 1, sizeof *to->allocs);
        to->allocs[to->n_allocs++] = alloc;
        vt_ptrmap_set(st->of, e->gen[i], to);
    }
}

/* A thread's storage stays its own: it is not idle for others after the thread. */
static void leave(vt_storage_plan *st) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < st->n_idle; i++)
        if (st->idle[i]->attach != st->scope) st->idle[kept++] = st->idle[i];
    st->n_idle = kept;
    st->scope = st->outer.items[--st->outer.n];
}

/* The steps of the loop may run at one time: each needs buffers of its own. A parallel loop inside of a parallel one
 * runs step by step, but costs nothing by having its own. */
static bool is_concurrent(const vt_stmt *s) {
    return s->kind == VT_S_FOR && (s->u.loop.kind == VT_FOR_PARALLEL || s->u.loop.kind == VT_FOR_VECTORIZED);
}

static void enter_or_leave(vt_storage_plan *st, const vt_event *e) {
    if (!st->early && vt_attr_is(e->stmt, VT_ATTR_PHASE)) st->phase = e->pair < 0 ? NULL : e->stmt;
    bool thread = vt_attr_is(e->stmt, VT_ATTR_THREAD_EXTENT) || vt_attr_is(e->stmt, VT_ATTR_VIRTUAL_THREAD) ||
                  (st->early && (vt_attr_is(e->stmt, VT_ATTR_PHASE) || vt_attr_is(e->stmt, VT_ATTR_STEP)));
    if (!thread && !is_concurrent(e->stmt)) return;
    if (e->pair < 0) {
        leave(st);
    } else {
        vt_stmt_list_add(st->m.ctx, &st->outer, st->scope);
        st->scope = e->stmt;
    }
}

/* A transfer waits in a queue when the statements after it run, which must find its buffer as it was. */
static bool find_queued(void *user, const vt_expr *e) {
    vt_storage_plan *st = user;
    vt_transfer_info t;
    if (vt_transfer_of_call(st->l, e, &t)) vt_ptrmap_set(st->queued, e->a[t.data], e);
    return true;
}

static bool find_calls(void *user, const vt_stmt *s) {
    if (s->kind == VT_S_EVAL) vt_expr_walk(s->u.eval.value, find_queued, user);
    return true;
}

void vt_plan_storage(vt_storage_plan *st, const vt_stmt *body) {
    if (st->l->target) vt_stmt_walk(body, NULL, find_calls, st);
    for (uint32_t i = 0; i < st->live.n; i++) {
        const vt_event *e = &st->live.events[i];
        if (e->pair >= 0) plan_gen(st, e);
        enter_or_leave(st, e);
        for (uint32_t k = 0; e->pair <= 0 && k < e->n_kill; k++)
            if (!vt_ptrmap_has(st->in_place, e->kill[k])) release(st, e->kill[k]);
    }
}

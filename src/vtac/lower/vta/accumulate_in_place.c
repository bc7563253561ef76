/* A sum that starts at another tensor, sum[k](x, A[i, j]), adds to what is in acc already: GEMM accumulates. So the sum
 * takes the place of A, and nothing is copied: stores to A, then the additions. A may be read by nothing else, for
 * after the sum it holds something else. */
#include "lower/vta/vta.h"

/* One sum and what it starts at. */
typedef struct takeover {
    const vt_tensor *sum, *start;
    const vt_stmt *realize[2]; /* of sum and start */
    uint32_t reads;            /* of `start`, but those in stores to itself */
} takeover;

typedef struct state {
    vt_mutator m;
    takeover *all;
    uint32_t n, cap;
} state;

/* ---- Finding ---------------------------------------------------------------------------------------------------- */

/* A store of another tensor's element at the same place. */
static const vt_tensor *copied(const vt_stmt *s) {
    const vt_expr *value = s->u.pstore.value;
    if (value->kind != VT_E_PLOAD || value->u.tensor == s->u.pstore.tensor || value->n != s->u.pstore.n_indices)
        return NULL;
    for (uint32_t i = 0; i < value->n; i++)
        if (!vt_expr_equal(value->a[i], s->u.pstore.indices[i])) return NULL;
    return value->u.tensor;
}

typedef struct search {
    const vt_tensor *t;
    const vt_stmt *realize, *store; /* the store that is looked for, or the one around a load */
    uint32_t n;
} search;

static bool find_realize(void *user, const vt_stmt *s) {
    search *f = user;
    if (s->kind == VT_S_REALIZE && s->u.realize.tensor == f->t) f->realize = s;
    return !f->realize;
}

static const vt_stmt *realize_of(const vt_func *f, const vt_tensor *t) {
    search find = {.t = t};
    vt_stmt_walk(f->body, NULL, find_realize, &find);
    return find.realize && find.realize->u.realize.scope && !strcmp(find.realize->u.realize.scope, VT_SCOPE_ACC)
               ? find.realize
               : NULL;
}

static bool loads(void *user, const vt_expr *e) {
    search *f = user;
    f->n += e->kind == VT_E_PLOAD && e->u.tensor == f->t;
    return true;
}

/* Loads in stores to the tensor itself are those of its own sum. */
static bool count_loads(void *user, const vt_stmt *s) {
    search *f = user;
    if (s->kind == VT_S_PSTORE && s->u.pstore.tensor != f->t) vt_expr_walk(s->u.pstore.value, loads, f);
    return true;
}

/* Does the tensor add to itself somewhere? A plain copy, which is an operation of the ALU or a transfer, does not. */
static bool find_update(void *user, const vt_stmt *s) {
    search *f = user;
    if (s->kind == VT_S_PSTORE && s->u.pstore.tensor == f->t) vt_expr_walk(s->u.pstore.value, loads, f);
    return true;
}

typedef struct finder {
    state *st;
    const vt_func *f;
} finder;

static bool find_start(void *user, const vt_stmt *s) {
    finder *at = user;
    state *st = at->st;
    if (s->kind != VT_S_PSTORE || !copied(s)) return true;
    takeover t = {.sum = s->u.pstore.tensor, .start = copied(s)};
    search updates = {.t = t.sum}, reads = {.t = t.start};
    vt_stmt_walk(at->f->body, NULL, find_update, &updates);
    t.realize[0] = realize_of(at->f, t.sum);
    t.realize[1] = realize_of(at->f, t.start);
    if (!updates.n || !t.realize[0] || !t.realize[1]) return true;
    vt_stmt_walk(at->f->body, NULL, count_loads, &reads);
    t.reads = reads.n;
    vt_grow(st->m.ctx, &st->all, &st->cap, st->n + 1, sizeof *st->all);
    st->all[st->n++] = t;
    return true;
}

static void check(vt_ctx *ctx, const takeover *t) {
    const vt_stmt *sum = t->realize[0], *start = t->realize[1];
    bool same = sum->u.realize.n_bounds == start->u.realize.n_bounds;
    vt_analyzer *a = vt_analyzer_new(ctx);
    for (uint32_t i = 0; same && i < sum->u.realize.n_bounds; i++)
        same = vt_prove_equal(a, sum->u.realize.bounds[i].min, start->u.realize.bounds[i].min) &&
               vt_prove_equal(a, sum->u.realize.bounds[i].extent, start->u.realize.bounds[i].extent);
    if (!same)
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s starts at %s and goes on in its place, but they are not computed for the same part at one time: "
                 "compute both at the same loop",
                 t->sum->name, t->start->name);
    if (t->reads > 1)
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s starts at %s and goes on in its place, but %s is read by something else too: compute it twice",
                 t->sum->name, t->start->name, t->start->name);
}

/* ---- Rewriting -------------------------------------------------------------------------------------------------- */

/* The tensor in whose place `t` is: that of a chain of sums, the first of them. */
static const vt_tensor *place_of(const state *st, const vt_tensor *t) {
    for (uint32_t i = 0; i < st->n; i++)
        if (st->all[i].sum == t) return place_of(st, st->all[i].start);
    return t;
}

static const vt_expr *rename_expr(vt_mutator *m, const vt_expr *e) {
    e = vt_mutate_expr_children(m, e);
    if (e->kind != VT_E_PLOAD) return e;
    const vt_tensor *to = place_of((state *)m, e->u.tensor);
    return to == e->u.tensor ? e : vt_e_pload(m->ctx, to, e->n, e->a);
}

static const vt_stmt *rename_store(state *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_tensor *to = place_of(st, s->u.pstore.tensor);
    if (to != s->u.pstore.tensor && copied(s) && place_of(st, copied(s)) == to) return vt_s_nop(ctx);
    s = vt_mutate_stmt_children(&st->m, s);
    return to == s->u.pstore.tensor
               ? s
               : vt_s_pstore(ctx, to, s->u.pstore.value, s->u.pstore.n_indices, s->u.pstore.indices);
}

static const vt_stmt *without_nops(vt_ctx *ctx, const vt_stmt *s) {
    vt_stmt_list kept = {0};
    for (uint32_t i = 0; i < s->u.seq.n_items; i++)
        if (!vt_stmt_is_nop(s->u.seq.items[i])) vt_stmt_list_add(ctx, &kept, s->u.seq.items[i]);
    return kept.n == s->u.seq.n_items ? s : kept.n ? vt_s_seq(ctx, kept.n, kept.items) : vt_s_nop(ctx);
}

static const vt_stmt *rename_stmt(vt_mutator *m, const vt_stmt *s) {
    state *st = (state *)m;
    if (s->kind == VT_S_PSTORE) return rename_store(st, s);
    if (s->kind == VT_S_REALIZE && place_of(st, s->u.realize.tensor) != s->u.realize.tensor)
        return vt_mutate_stmt(m, s->u.realize.body);
    s = vt_mutate_stmt_children(m, s);
    if (s->kind == VT_S_SEQ) return without_nops(m->ctx, s);
    const vt_stmt *body = s->kind == VT_S_IF && !s->u.branch.else_case ? s->u.branch.then_case : vt_stmt_body(s);
    return body && vt_stmt_is_nop(body) ? body : s;
}

const vt_func *vt_pass_accumulate_in_place(vt_lowering *l, const vt_func *f) {
    state st = {.m = {.ctx = l->ctx, .expr = rename_expr, .stmt = rename_stmt}};
    finder at = {&st, f};
    vt_stmt_walk(f->body, NULL, find_start, &at);
    if (!st.n) return f;
    for (uint32_t i = 0; i < st.n; i++) check(l->ctx, &st.all[i]);
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

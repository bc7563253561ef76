/* The host and the accelerator see device memory through different caches on boards. Before the host's work
 * on a device buffer what its cache holds of it is dropped (VTAWriteBarrier: the accelerator has written), and what it
 * wrote is given to memory afterwards (VTAReadBarrier: the accelerator will read, or somebody copies it out). Also what
 * is only written is dropped first: its neighbours in a line of the cache would be written back with it.
 *
 * A statement without calls of the accelerator is one piece of work, loops and all. */
#include "lower/vta/vta.h"

/* A device buffer: its element and how many there are. */
typedef struct extent {
    vt_dtype dtype;
    const vt_expr *count;
} extent;

typedef struct inserter {
    vt_mutator m;
    vt_ptrmap *extents; /* data variable of a device buffer -> extent */
} inserter;

/* ---- Which buffers are the device's ------------------------------------------------------------------------------ */

static void add_extent(inserter *st, const vt_var *data, vt_dtype dtype, uint32_t n, const vt_expr *const *extents) {
    extent *e = VT_NEW(st->m.ctx, extent);
    *e = (extent){dtype, vt_i32(st->m.ctx, 1)};
    for (uint32_t i = 0; i < n; i++) e->count = vt_mul(st->m.ctx, e->count, extents[i]);
    vt_ptrmap_set(st->extents, data, e);
}

/* A micro-op scope that is in `seen` already: equal ones are one statement. */
static bool is_again(vt_ptrmap *seen, const vt_stmt *s) {
    if (!vt_attr_is(s, VT_ATTR_UOPS)) return false;
    bool again = vt_ptrmap_has(seen, s);
    if (!again) vt_ptrmap_set(seen, s, s);
    return again;
}

typedef struct finder {
    vt_visitor v;
    inserter *to;
    vt_lowering *l;
    vt_ptrmap *transferred; /* data variables that transfers name */
    vt_ptrmap *seen;
} finder;

static void find_expr(vt_visitor *v, const vt_expr *e) {
    finder *f = (finder *)v;
    vt_transfer_info t;
    if (vt_transfer_of_call(f->l, e, &t)) vt_ptrmap_set(f->transferred, e->a[t.data], e);
    vt_visit_expr_children(v, e);
}

/* An allocation is the device's when it is transferred; others are plain memory of the host. */
static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    finder *f = (finder *)v;
    if (is_again(f->seen, s)) return;
    vt_visit_stmt_children(v, s);
    if (s->kind == VT_S_ALLOC && vt_ptrmap_has(f->transferred, s->u.alloc.var))
        add_extent(f->to, s->u.alloc.var, s->u.alloc.dtype, s->u.alloc.n_extents, s->u.alloc.extents);
}

static void find_buffers(inserter *st, vt_lowering *l, const vt_func *f) {
    finder find = {.v = {.expr = find_expr, .stmt = find_stmt},
                   .to = st,
                   .l = l,
                   .transferred = vt_ptrmap_new(l->ctx),
                   .seen = vt_ptrmap_new(l->ctx)};
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        const vt_buffer *b = f->bindings[i].buffer;
        add_extent(st, b->data, b->dtype, b->ndim, b->shape);
    }
    vt_visit_stmt(&find.v, f->body);
}

/* ---- What a statement uses --------------------------------------------------------------------------------------- */

typedef struct uses {
    vt_visitor v;
    const vt_ptrmap *extents;
    vt_ptrmap *touched, *written; /* data variables */
    vt_ptrmap *seen;
    bool accelerator; /* it calls the accelerator's runtime */
} uses;

static bool calls_accelerator(const vt_expr *e) {
    static const char prefix[] = "tir.vta.", name[] = "VTA";
    if (e->kind != VT_E_CALL) return false;
    if (strncmp(vt_op_infos[e->u.op].name, prefix, sizeof prefix - 1) == 0) return true;
    return vt_is_call(e, VT_OP_CALL_EXTERN) && e->n && e->a[0]->kind == VT_E_STRING &&
           strncmp(e->a[0]->u.s, name, sizeof name - 1) == 0;
}

static void touch(uses *u, const vt_var *data, bool write) {
    if (!vt_ptrmap_has(u->extents, data)) return;
    vt_ptrmap_set(u->touched, data, data);
    if (write) vt_ptrmap_set(u->written, data, data);
}

static void use_expr(vt_visitor *v, const vt_expr *e) {
    uses *u = (uses *)v;
    u->accelerator |= calls_accelerator(e);
    if (e->kind == VT_E_LOAD) touch(u, e->u.buffer->data, false);
    vt_visit_expr_children(v, e);
}

static void use_stmt(vt_visitor *v, const vt_stmt *s) {
    if (is_again(((uses *)v)->seen, s)) return;
    if (s->kind == VT_S_STORE) touch((uses *)v, s->u.store.buffer->data, true);
    vt_visit_stmt_children(v, s);
}

static void skip_stmt(vt_visitor *v, const vt_stmt *s) { (void)v, (void)s; }

static uses uses_of(const inserter *st, const vt_stmt *s) {
    uses u = {.v = {.expr = use_expr, .stmt = use_stmt},
              .extents = st->extents,
              .touched = vt_ptrmap_new(st->m.ctx),
              .written = vt_ptrmap_new(st->m.ctx),
              .seen = vt_ptrmap_new(st->m.ctx)};
    vt_visit_stmt(&u.v, s);
    return u;
}

/* Of the statement's own expressions: a condition, an extent, the arguments of a call. */
static uses own_uses_of(const inserter *st, const vt_stmt *s) {
    uses u = {.v = {.expr = use_expr, .stmt = skip_stmt},
              .extents = st->extents,
              .touched = vt_ptrmap_new(st->m.ctx),
              .written = vt_ptrmap_new(st->m.ctx),
              .seen = vt_ptrmap_new(st->m.ctx)};
    vt_visit_stmt_children(&u.v, s);
    return u;
}

/* ---- Inserting --------------------------------------------------------------------------------------------------- */

static void add_barriers(inserter *st, vt_stmt_list *to, vt_op op, const vt_ptrmap *buffers) {
    vt_ctx *ctx = st->m.ctx;
    for (uint32_t i = 0; i < vt_ptrmap_size(buffers); i++) {
        const vt_var *data = vt_ptrmap_key(buffers, i);
        const extent *e = vt_ptrmap_get(st->extents, data);
        const vt_expr *bits = vt_int(ctx, VT_U32, (int64_t)vt_dtype_bytes(e->dtype) * 8);
        const vt_expr *args[] = {data, bits, vt_int(ctx, VT_U32, 0), vt_cast(ctx, VT_U32, e->count)};
        vt_stmt_list_add(ctx, to, vt__call(ctx, op, 4, args));
    }
}

static const vt_stmt *insert_stmt(vt_mutator *m, const vt_stmt *s) {
    inserter *st = (inserter *)m;
    uses u = uses_of(st, s);
    if (vt_ptrmap_size(u.touched) == 0) return s;
    const vt_stmt *out = s;
    if (u.accelerator) {
        out = vt_mutate_stmt_children(m, s);
        u = own_uses_of(st, s);
        if (vt_ptrmap_size(u.touched) == 0) return out;
    }
    vt_stmt_list all = {0};
    add_barriers(st, &all, VT_OP_VTA_COPROC_WRITE_BARRIER, u.touched);
    vt_stmt_list_add(m->ctx, &all, out);
    add_barriers(st, &all, VT_OP_VTA_COPROC_READ_BARRIER, u.written);
    return vt_s_seq(m->ctx, all.n, all.items);
}

const vt_func *vt_pass_cache_barriers(vt_lowering *l, const vt_func *f) {
    inserter st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = insert_stmt},
                   .extents = vt_ptrmap_new(l->ctx)};
    find_buffers(&st, l, f);
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

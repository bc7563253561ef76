#include "lower/vta/uses.h"

typedef struct walk {
    vt_visitor v;
    vt_ctx *ctx;
    const vt_tensor *only; /* NULL: all tensors */
    vt_analyzer *a;
    void (*fn)(void *user, const vt_use *use);
    void *user;
    const vt_stmt *chain; /* the outermost of the binding attributes that are open */
} walk;

static void element(walk *w, const vt_stmt *at, const vt_tensor *t, uint32_t n, const vt_expr *const *indices,
                    bool writes) {
    if (w->only && t != w->only) return;
    vt_range *region = VT_NEW_ARRAY(w->ctx, vt_range, n + 1);
    for (uint32_t i = 0; i < n; i++) region[i] = (vt_range){indices[i], vt_int(w->ctx, indices[i]->dtype, 1)};
    vt_use use = {.at = at, .tensor = t, .n = n, .region = region, .reads = !writes, .writes = writes};
    w->fn(w->user, &use);
}

/* ---- Bound operands --------------------------------------------------------------------------------------------- */

typedef struct masks {
    const vt_buffer *buffer;
    bool reads, writes;
} masks;

static bool mask_expr(void *user, const vt_expr *e) {
    masks *m = user;
    if (e->kind == VT_E_LOAD && e->u.buffer == m->buffer) m->reads = true;
    if (!vt_is_call(e, VT_OP_ACCESS_PTR) || e->a[1] != m->buffer->data) return true;
    int64_t mask = 3;
    vt_as_const(e->a[4], &mask);
    m->reads |= (mask & 1) != 0;
    m->writes |= (mask & 2) != 0;
    return true;
}

static bool mask_stmt(void *user, const vt_stmt *s) {
    masks *m = user;
    if (s->kind == VT_S_STORE && s->u.store.buffer == m->buffer) m->writes = true;
    return true;
}

static void bound_operand(walk *w, const vt_stmt *s) {
    if (w->only && s->u.attr.node.second != w->only) return;
    const vt_expr *tuple = s->u.attr.value;
    uint32_t n = tuple->n / 2;
    vt_range *region = VT_NEW_ARRAY(w->ctx, vt_range, n + 1);
    for (uint32_t i = 0; i < n; i++) region[i] = (vt_range){tuple->a[2 * i], tuple->a[2 * i + 1]};
    masks m = {.buffer = s->u.attr.node.u.buffer};
    vt_stmt_walk(s->u.attr.body, mask_expr, mask_stmt, &m);
    vt_use use = {w->chain, s->u.attr.node.second, n, region, m.reads, m.writes};
    w->fn(w->user, &use);
}

/* ---- Walking ---------------------------------------------------------------------------------------------------- */

static void walk_expr(vt_visitor *v, const vt_expr *e) {
    if (e->kind == VT_E_PLOAD) element((walk *)v, NULL, e->u.tensor, e->n, e->a, false);
    vt_visit_expr_children(v, e);
}

static void walk_stmt(vt_visitor *v, const vt_stmt *s) {
    walk *w = (walk *)v;
    const vt_stmt *outer = w->chain;
    if (vt_attr_is(s, VT_ATTR_BIND_BUFFER)) {
        if (!w->chain) w->chain = s;
        bound_operand(w, s);
    } else if (s->kind == VT_S_PSTORE) {
        element(w, s, s->u.pstore.tensor, s->u.pstore.n_indices, s->u.pstore.indices, true);
    } else if (s->kind == VT_S_FOR && w->a) {
        vt_analyzer_bind_range(w->a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true);
    } else if (vt_attr_binds_thread(s) && w->a) {
        vt_analyzer_bind_range(w->a, s->u.attr.node.u.iter->var, vt_int(w->ctx, s->u.attr.value->dtype, 0),
                               s->u.attr.value, true);
    }
    vt_visit_stmt_children(v, s);
    w->chain = outer;
}

void vt__uses(vt_ctx *ctx, const vt_stmt *s, const vt_tensor *only, vt_analyzer *a,
              void (*fn)(void *user, const vt_use *use), void *user) {
    walk w = {.v = {.expr = walk_expr, .stmt = walk_stmt}, .ctx = ctx, .only = only, .a = a, .fn = fn, .user = user};
    vt_visit_stmt(&w.v, s);
}

/* The first write ends the walk. */
typedef struct question {
    walk w;
    bool found;
} question;

static void answer(void *user, const vt_use *use) {
    question *q = user;
    q->found |= use->writes;
    q->w.v.stop = q->found;
}

bool vt__writes(vt_ctx *ctx, const vt_stmt *s, const vt_tensor *t) {
    question q = {
        .w = {.v = {.statements_only = true, .stmt = walk_stmt}, .ctx = ctx, .only = t, .fn = answer, .user = &q}};
    vt_visit_stmt(&q.w.v, s);
    return q.found;
}

#include "lower/generic/thread_vars.h"

#include "ir/build.h"

/* A set of variables that depend on the thread, and for the others what depends on them. */
typedef struct edge {
    const vt_var *to;
    struct edge *next;
} edge;

typedef struct var_list {
    const vt_var **items;
    uint32_t n, cap;
} var_list;

typedef struct touch {
    vt_visitor v;
    vt_ctx *ctx;
    vt_ptrmap *touched;
    vt_ptrmap *affects; /* variable -> edges */
    /* What the expression now visited does. */
    bool hit;
    var_list used;
    var_list written;
    /* What decides whether the statement now visited runs: conditions and loops' bounds around it. */
    bool decided_hit;
    var_list deciding;
} touch;

static void list_var(vt_ctx *ctx, var_list *list, const vt_var *v) {
    vt_grow(ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = v;
}

static void use_var(touch *t, const vt_var *v) {
    if (vt_ptrmap_has(t->touched, v)) t->hit = true;
    if (!t->hit) list_var(t->ctx, &t->used, v);
}

static void touch_expr(vt_visitor *v, const vt_expr *e) {
    touch *t = (touch *)v;
    if (e->kind == VT_E_VAR) {
        use_var(t, e);
    } else if (vt_is_call(e, VT_OP_ACCESS_PTR)) {
        int64_t mask = e->a[4]->u.i;
        if (mask & 1) use_var(t, e->a[1]);
        if (mask & 2) list_var(t->ctx, &t->written, e->a[1]);
        vt_visit_expr(v, e->a[2]);
    } else {
        if (e->kind == VT_E_LOAD) use_var(t, e->u.buffer->data);
        vt_visit_expr_children(v, e);
    }
}

static void begin(touch *t) {
    t->hit = false;
    t->used.n = t->written.n = 0;
}

/* `v` depends on what is listed. */
static void affect(touch *t, const var_list *list, const vt_var *v) {
    for (uint32_t i = 0; i < list->n; i++) {
        const vt_var *from = list->items[i];
        if (from == v) continue;
        edge *e = VT_NEW(t->ctx, edge);
        *e = (edge){v, vt_ptrmap_get(t->affects, from)};
        vt_ptrmap_set(t->affects, from, e);
    }
}

/* `v` was given a value by what was just visited. */
static void record(touch *t, const vt_var *v) {
    if (vt_ptrmap_has(t->touched, v)) return;
    if (t->hit || t->decided_hit) {
        vt_ptrmap_set(t->touched, v, v);
        return;
    }
    affect(t, &t->used, v);
    affect(t, &t->deciding, v);
}

/* A body that runs, or how often, as what was just visited says. */
static void visit_decided(touch *t, const vt_stmt *body) {
    bool hit = t->decided_hit;
    uint32_t n = t->deciding.n;
    t->decided_hit |= t->hit;
    for (uint32_t i = 0; i < t->used.n; i++) list_var(t->ctx, &t->deciding, t->used.items[i]);
    vt_visit_stmt(&t->v, body);
    t->decided_hit = hit;
    t->deciding.n = n;
}

static void touch_if(touch *t, const vt_stmt *s) {
    const vt_stmt *cases[] = {s->u.branch.then_case, s->u.branch.else_case};
    for (int i = 0; i < 2 && cases[i]; i++) {
        begin(t);
        vt_visit_expr(&t->v, s->u.branch.condition);
        visit_decided(t, cases[i]);
    }
}

static void touch_stmt(vt_visitor *v, const vt_stmt *s) {
    touch *t = (touch *)v;
    begin(t);
    switch (s->kind) {
    case VT_S_LET:
        vt_visit_expr(v, s->u.let.value);
        record(t, s->u.let.var);
        vt_visit_stmt(v, s->u.let.body);
        return;
    case VT_S_STORE:
        vt_visit_expr(v, s->u.store.value);
        for (uint32_t i = 0; i < s->u.store.n_indices; i++) vt_visit_expr(v, s->u.store.indices[i]);
        record(t, s->u.store.buffer->data);
        return;
    case VT_S_FOR:
        vt_visit_expr(v, s->u.loop.min);
        vt_visit_expr(v, s->u.loop.extent);
        record(t, s->u.loop.var);
        visit_decided(t, s->u.loop.body);
        return;
    case VT_S_EVAL:
        vt_visit_expr(v, s->u.eval.value);
        for (uint32_t i = 0; i < t->written.n; i++) record(t, t->written.items[i]);
        return;
    case VT_S_ALLOC:
        for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) vt_visit_expr(v, s->u.alloc.extents[i]);
        record(t, s->u.alloc.var);
        vt_visit_stmt(v, s->u.alloc.body);
        return;
    case VT_S_ATTR: vt_visit_stmt(v, s->u.attr.body); return;
    case VT_S_IF: touch_if(t, s); return;
    default: vt_visit_stmt_children(v, s); return;
    }
}

vt_ptrmap *vt_thread_vars(vt_ctx *ctx, const vt_stmt *body, const vt_var *thread) {
    touch t = {.v = {.expr = touch_expr, .stmt = touch_stmt},
               .ctx = ctx,
               .touched = vt_ptrmap_new(ctx),
               .affects = vt_ptrmap_new(ctx)};
    vt_ptrmap_set(t.touched, thread, thread);
    vt_visit_stmt(&t.v, body);
    for (uint32_t i = 0; i < vt_ptrmap_size(t.touched); i++) /* grows while it is walked */
        for (const edge *e = vt_ptrmap_get(t.affects, vt_ptrmap_key(t.touched, i)); e; e = e->next)
            if (!vt_ptrmap_has(t.touched, e->to)) vt_ptrmap_set(t.touched, e->to, e->to);
    return t.touched;
}

/* Which variables occur, which are free, which effects an expression has. */
#include "ir/fields.h"
#include "ir/visit.h"

typedef struct finder {
    vt_visitor v; /* stop: found */
    bool (*in)(void *user, const vt_var *v);
    void *user;
} finder;

static void test(finder *f, const vt_var *v) {
    if (f->in(f->user, v)) f->v.stop = true;
}

static void find_expr(vt_visitor *v, const vt_expr *e) {
    if (e->kind == VT_E_VAR)
        test((finder *)v, e);
    else if (e->kind == VT_E_LOAD)
        test((finder *)v, e->u.buffer->data);
    vt_visit_expr_children(v, e);
}

static void find_stmt(vt_visitor *v, const vt_stmt *s) {
    if (s->kind == VT_S_STORE) test((finder *)v, s->u.store.buffer->data);
    if (s->kind == VT_S_ATTR && s->u.attr.node.kind == VT_REF_VAR) test((finder *)v, s->u.attr.node.u.var);
    vt_visit_stmt_children(v, s);
}

bool vt_expr_uses_any(const vt_expr *e, bool (*in)(void *user, const vt_var *v), void *user) {
    finder f = {.v = {.expr = find_expr, .stmt = find_stmt}, .in = in, .user = user};
    vt_visit_expr(&f.v, e);
    return f.v.stop;
}

bool vt_stmt_uses_any(const vt_stmt *s, bool (*in)(void *user, const vt_var *v), void *user) {
    finder f = {.v = {.expr = find_expr, .stmt = find_stmt}, .in = in, .user = user};
    vt_visit_stmt(&f.v, s);
    return f.v.stop;
}

static bool is_this(void *user, const vt_var *v) { return user == v; }
bool vt_expr_uses(const vt_expr *e, const vt_var *v) { return vt_expr_uses_any(e, is_this, (void *)(uintptr_t)v); }
bool vt_stmt_uses(const vt_stmt *s, const vt_var *v) { return vt_stmt_uses_any(s, is_this, (void *)(uintptr_t)v); }

/* Free variables: a map holds, for each variable, whether it is defined around here (value non-NULL). */
typedef struct collector {
    vt_visitor v;
    vt_ptrmap *bound; /* variable -> itself while in scope, NULL after */
    vt_ptrmap *free;
} collector;

static void use(collector *c, const vt_var *v) {
    if (!vt_ptrmap_get(c->bound, v)) vt_ptrmap_set(c->free, v, v);
}

static void collect_expr(vt_visitor *v, const vt_expr *e) {
    collector *c = (collector *)v;
    if (e->kind == VT_E_VAR)
        use(c, e);
    else if (e->kind == VT_E_LOAD)
        use(c, e->u.buffer->data);
    if (e->kind != VT_E_LET && e->kind != VT_E_REDUCE) {
        vt_visit_expr_children(v, e);
        return;
    }
    if (e->kind == VT_E_LET) {
        vt_visit_expr(v, e->a[0]);
        vt_ptrmap_set(c->bound, e->u.let_var, e);
        vt_visit_expr(v, e->a[1]);
        vt_ptrmap_set(c->bound, e->u.let_var, NULL);
        return;
    }
    for (uint32_t i = 0; i < e->u.reduce->n_axes; i++) vt_ptrmap_set(c->bound, e->u.reduce->axes[i]->var, e);
    vt_visit_expr_children(v, e);
    for (uint32_t i = 0; i < e->u.reduce->n_axes; i++) vt_ptrmap_set(c->bound, e->u.reduce->axes[i]->var, NULL);
}

static const vt_var *defines(const vt_stmt *s) {
    switch (s->kind) {
    case VT_S_LET: return s->u.let.var;
    case VT_S_FOR: return s->u.loop.var;
    case VT_S_ALLOC: return s->u.alloc.var;
    case VT_S_ATTR: return s->u.attr.node.kind == VT_REF_ITER ? s->u.attr.node.u.iter->var : NULL;
    default: return NULL;
    }
}

static void collect_stmt(vt_visitor *v, const vt_stmt *s) {
    collector *c = (collector *)v;
    if (s->kind == VT_S_STORE) use(c, s->u.store.buffer->data);
    const vt_var *var = defines(s);
    bool outer = var && vt_ptrmap_get(c->bound, var);
    uint32_t iters = s->kind == VT_S_BLOCK ? s->u.block.n_iters : 0;
    uint32_t allocs = s->kind == VT_S_BLOCK ? s->u.block.n_allocs : 0;
    /* Values and bounds stand outside of the definition, but naming the variable there is a mistake the verifier
     * finds; here one scope is enough. */
    if (var) vt_ptrmap_set(c->bound, var, s);
    for (uint32_t i = 0; i < iters; i++) vt_ptrmap_set(c->bound, s->u.block.iters[i]->var, s);
    for (uint32_t i = 0; i < allocs; i++) vt_ptrmap_set(c->bound, s->u.block.allocs[i]->data, s);
    vt_visit_stmt_children(v, s);
    if (var && !outer) vt_ptrmap_set(c->bound, var, NULL);
    for (uint32_t i = 0; i < iters; i++) vt_ptrmap_set(c->bound, s->u.block.iters[i]->var, NULL);
    for (uint32_t i = 0; i < allocs; i++) vt_ptrmap_set(c->bound, s->u.block.allocs[i]->data, NULL);
}

static const vt_var *const *collected(vt_ctx *ctx, const collector *c, uint32_t *out_n) {
    uint32_t n = vt_ptrmap_size(c->free);
    const vt_var **vars = VT_NEW_ARRAY(ctx, const vt_var *, n);
    for (uint32_t i = 0; i < n; i++) vars[i] = vt_ptrmap_key(c->free, i);
    *out_n = n;
    return vars;
}

static collector collect(vt_ctx *ctx) {
    return (collector){{.expr = collect_expr, .stmt = collect_stmt}, vt_ptrmap_new(ctx), vt_ptrmap_new(ctx)};
}

const vt_var *const *vt_expr_free_vars(vt_ctx *ctx, const vt_expr *e, uint32_t *out_n) {
    collector c = collect(ctx);
    vt_visit_expr(&c.v, e);
    return collected(ctx, &c, out_n);
}

const vt_var *const *vt_stmt_free_vars(vt_ctx *ctx, const vt_stmt *s, uint32_t *out_n) {
    collector c = collect(ctx);
    vt_visit_stmt(&c.v, s);
    return collected(ctx, &c, out_n);
}

static bool see_effect(void *user, const vt_expr *e) {
    vt_effect *strongest = user, effect = VT_EFFECT_PURE;
    if (e->kind == VT_E_LOAD || e->kind == VT_E_PLOAD) effect = VT_EFFECT_READ;
    if (e->kind == VT_E_CALL) effect = (vt_effect)vt_op_infos[e->u.op].effect;
    if (effect == VT_EFFECT_ANNOTATE) effect = VT_EFFECT_PURE;
    if (effect > *strongest) *strongest = effect;
    return true;
}

vt_effect vt_expr_effect(const vt_expr *e) {
    vt_effect strongest = VT_EFFECT_PURE;
    vt_expr_walk(e, see_effect, &strongest);
    return strongest;
}

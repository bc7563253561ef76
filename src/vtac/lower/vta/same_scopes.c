#include "lower/vta/same_scopes.h"

#include "ir/build.h"

enum { MAX_DEPTH = 16, SLOTS = 1 << 10 };

typedef struct known known;
struct known {
    known *next; /* with the same slot */
    uint32_t hash;
    const vt_stmt *scope, *made;
};

struct vt_scopes {
    vt_ctx *ctx;
    uint32_t hash;   /* of the scope that was looked for last; 0: it is none to keep */
    vt_ptrmap *made; /* those that were equal by being the same statement */
    known *slots[SLOTS];
};

vt_scopes *vt__scopes_new(vt_ctx *ctx) {
    vt_scopes *s = VT_NEW(ctx, vt_scopes);
    s->ctx = ctx;
    s->made = vt_ptrmap_new(ctx);
    return s;
}

/* A number of what a scope does, whatever its loops' variables are called. */
typedef struct hasher {
    vt_visitor v; /* stop: a variable comes from outside */
    uint32_t hash, depth;
    const vt_var *loops[MAX_DEPTH];
} hasher;

static void mix(hasher *h, uint64_t value) {
    uint64_t x = (h->hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    h->hash = (uint32_t)(x >> 32) ^ (uint32_t)x;
}

static void hash_var(hasher *h, const vt_var *v) {
    uint32_t i = h->depth;
    while (i > 0 && h->loops[i - 1] != v) i--;
    h->v.stop = i == 0;
    mix(h, i);
}

static void hash_expr(vt_visitor *v, const vt_expr *e) {
    hasher *h = (hasher *)v;
    mix(h, e->kind);
    if (e->kind == VT_E_VAR)
        hash_var(h, e);
    else if (e->kind == VT_E_INT)
        mix(h, (uint64_t)e->u.i);
    else if (e->kind == VT_E_LOAD || e->kind == VT_E_LET || e->kind == VT_E_REDUCE)
        v->stop = true;
    else
        vt_visit_expr_children(v, e);
}

static void hash_stmt(vt_visitor *v, const vt_stmt *s) {
    hasher *h = (hasher *)v;
    uint32_t depth = h->depth;
    mix(h, s->kind);
    if (s->kind == VT_S_FOR && depth < MAX_DEPTH)
        h->loops[h->depth++] = s->u.loop.var;
    else if (s->kind != VT_S_SEQ && s->kind != VT_S_IF && s->kind != VT_S_EVAL)
        v->stop = true;
    vt_visit_stmt_children(v, s);
    h->depth = depth;
}

static bool same(const vt_scopes *scopes, const vt_stmt *x, const vt_stmt *y) {
    return x->u.attr.node.u.any == y->u.attr.node.u.any && vt_expr_equal(x->u.attr.value, y->u.attr.value) &&
           vt_stmt_alpha_equal(scopes->ctx, x->u.attr.body, y->u.attr.body, false);
}

const vt_stmt *vt__scopes_find(vt_scopes *scopes, const vt_stmt *scope) {
    const vt_stmt *made = vt_ptrmap_get(scopes->made, scope);
    if (made) return made;
    hasher h = {.v = {.expr = hash_expr, .stmt = hash_stmt}, .hash = 1};
    vt_visit_stmt(&h.v, scope->u.attr.body);
    scopes->hash = h.v.stop ? 0 : h.hash | 1;
    if (!scopes->hash) return NULL;
    for (const known *k = scopes->slots[scopes->hash % SLOTS]; k && !made; k = k->next)
        if (k->hash == scopes->hash && same(scopes, k->scope, scope)) made = k->made;
    if (made) vt_ptrmap_set(scopes->made, scope, made);
    return made;
}

void vt__scopes_add(vt_scopes *scopes, const vt_stmt *scope, const vt_stmt *made) {
    if (!scopes->hash) return;
    known **slot = &scopes->slots[scopes->hash % SLOTS], *k = VT_NEW(scopes->ctx, known);
    *k = (known){*slot, scopes->hash, scope, made};
    *slot = k;
    vt_ptrmap_set(scopes->made, scope, made);
}

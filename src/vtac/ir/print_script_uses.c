/* Where the variables and buffers of a function are used: the innermost statement with a body around all uses. */
#include "ir/build.h"
#include "ir/print_script.h"

typedef struct scan {
    vt_visitor v;
    vt_ctx *ctx;
    vt_ptrmap *places;
    const vt__place *here;
} scan;

static const vt__place *common(const vt__place *x, const vt__place *y) {
    while (x != y) {
        if (x->depth >= y->depth)
            x = x->outer;
        else
            y = y->outer;
    }
    return x;
}

static void used(scan *sc, const void *thing) {
    const vt__place *was = vt_ptrmap_get(sc->places, thing);
    vt_ptrmap_set(sc->places, thing, was ? common(was, sc->here) : sc->here);
}

static void scan_expr(vt_visitor *v, const vt_expr *e) {
    scan *sc = (scan *)v;
    if (e->kind == VT_E_VAR) used(sc, e);
    if (e->kind == VT_E_LOAD) used(sc, e->u.buffer);
    vt_visit_expr_children(v, e);
}

bool vt__script_in_grid(const vt_stmt *s) {
    return s->kind == VT_S_FOR && s->u.loop.kind == VT_FOR_SERIAL && vt_is_const(s->u.loop.min, 0) &&
           !s->u.loop.n_notes;
}

typedef struct outer_vars {
    const vt_stmt *first, *end;
} outer_vars;

static bool is_outer(void *user, const vt_var *v) {
    const outer_vars *o = user;
    for (const vt_stmt *l = o->first; l != o->end; l = l->u.loop.body)
        if (l->u.loop.var == v) return true;
    return false;
}

const vt_stmt *vt__script_grid_end(const vt_stmt *s) {
    if (!vt__script_in_grid(s)) return s;
    const vt_stmt *last = s;
    for (const vt_stmt *l = s->u.loop.body; vt__script_in_grid(l); l = l->u.loop.body) {
        outer_vars o = {s, l};
        if (vt_expr_uses_any(l->u.loop.extent, is_outer, &o)) break;
        last = l;
    }
    return last;
}

static void scan_inside(scan *sc, const vt_stmt *owner, const vt_stmt *body) {
    if (!body) return;
    vt__place *inside = VT_NEW(sc->ctx, vt__place);
    *inside = (vt__place){sc->here, owner, sc->here->depth + 1};
    const vt__place *outside = sc->here;
    sc->here = inside;
    vt_visit_stmt(&sc->v, body);
    sc->here = outside;
}

static void scan_stmt(vt_visitor *v, const vt_stmt *s) {
    scan *sc = (scan *)v;
    switch (s->kind) {
    case VT_S_STORE:
        used(sc, s->u.store.buffer);
        vt_visit_stmt_children(v, s);
        break;
    case VT_S_FOR: {
        const vt_stmt *last = vt__script_grid_end(s);
        for (const vt_stmt *l = s;; l = l->u.loop.body) {
            vt_visit_expr(v, l->u.loop.min);
            vt_visit_expr(v, l->u.loop.extent);
            if (l == last) break;
        }
        scan_inside(sc, s, last->u.loop.body);
        break;
    }
    case VT_S_IF:
        vt_visit_expr(v, s->u.branch.condition);
        scan_inside(sc, s->u.branch.then_case, s->u.branch.then_case);
        scan_inside(sc, s->u.branch.else_case, s->u.branch.else_case);
        break;
    case VT_S_LET:
        vt_visit_expr(v, s->u.let.value);
        scan_inside(sc, s, s->u.let.body);
        break;
    case VT_S_ATTR:
        if (s->u.attr.node.kind == VT_REF_ITER) used(sc, s->u.attr.node.u.iter->var);
        if (s->u.attr.node.kind == VT_REF_BUFFER) used(sc, s->u.attr.node.u.buffer);
        if (s->u.attr.node.kind == VT_REF_VAR) used(sc, s->u.attr.node.u.var);
        vt_visit_expr(v, s->u.attr.value);
        scan_inside(sc, s, s->u.attr.body);
        break;
    case VT_S_ALLOC:
        for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) vt_visit_expr(v, s->u.alloc.extents[i]);
        scan_inside(sc, s, s->u.alloc.body);
        break;
    default: vt_visit_stmt_children(v, s); break;
    }
}

vt_ptrmap *vt__script_uses(vt_ctx *ctx, const vt_stmt *body) {
    vt__place *whole = VT_NEW(ctx, vt__place);
    scan sc = {{.expr = scan_expr, .stmt = scan_stmt}, ctx, vt_ptrmap_new(ctx), whole};
    vt_visit_stmt(&sc.v, body);
    return sc.places;
}

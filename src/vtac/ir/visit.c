/* Walking. */
#include "ir/visit.h"

#include "ir/fields.h"

void vt_visit_expr(vt_visitor *v, const vt_expr *e) {
    if (v->stop || !e) return;
    if (v->expr)
        v->expr(v, e);
    else
        vt_visit_expr_children(v, e);
}

void vt_visit_stmt(vt_visitor *v, const vt_stmt *s) {
    if (v->stop || !s) return;
    if (v->stmt)
        v->stmt(v, s);
    else
        vt_visit_stmt_children(v, s);
}

static void visit_iter(vt_visitor *v, const vt_iter *it) {
    if (!it) return;
    vt_visit_expr(v, it->min);
    vt_visit_expr(v, it->extent);
}

void vt_visit_expr_children(vt_visitor *v, const vt_expr *e) {
    if (e->kind == VT_E_REDUCE) {
        const vt_combiner *how = e->u.reduce->combiner;
        for (uint32_t i = 0; i < e->u.reduce->n_axes; i++) visit_iter(v, e->u.reduce->axes[i]);
        for (uint32_t i = 0; i < how->n_outer; i++) vt_visit_expr(v, how->outer[i]);
    }
    for (uint32_t i = 0; i < e->n; i++) vt_visit_expr(v, e->a[i]);
}

static void visit_ranges(vt_visitor *v, uint32_t n, const vt_range *r) {
    for (uint32_t i = 0; i < n; i++) {
        vt_visit_expr(v, r[i].min);
        vt_visit_expr(v, r[i].extent);
    }
}

static void visit_field(vt_visitor *v, const vt_stmt *s, const vt__field *f) {
    uint32_t n = f->count ? VT__N(s, f) : 0;
    switch (f->type) {
    case VT__EXPR: vt_visit_expr(v, VT__AT_CONST(const vt_expr *, s, f)); break;
    case VT__STMT: vt_visit_stmt(v, VT__AT_CONST(const vt_stmt *, s, f)); break;
    case VT__RANGES: visit_ranges(v, n, VT__AT_CONST(const vt_range *, s, f)); break;
    case VT__ITER: visit_iter(v, VT__AT_CONST(const vt_iter *, s, f)); break;
    case VT__EXPRS:
        for (uint32_t i = 0; i < n; i++) vt_visit_expr(v, VT__AT_CONST(const vt_expr *const *, s, f)[i]);
        break;
    case VT__STMTS:
        for (uint32_t i = 0; i < n; i++) vt_visit_stmt(v, VT__AT_CONST(const vt_stmt *const *, s, f)[i]);
        break;
    case VT__ITERS:
        for (uint32_t i = 0; i < n; i++) visit_iter(v, VT__AT_CONST(const vt_iter *const *, s, f)[i]);
        break;
    case VT__REGIONS:
        for (uint32_t i = 0; i < n; i++) {
            const vt_region *r = VT__AT_CONST(const vt_region *, s, f) + i;
            visit_ranges(v, r->n_ranges, r->ranges);
        }
        break;
    case VT__NOTES:
        for (uint32_t i = 0; i < n; i++) vt_visit_expr(v, VT__AT_CONST(const vt_note *, s, f)[i].value);
        break;
    default: break;
    }
}

void vt_visit_stmt_children(vt_visitor *v, const vt_stmt *s) {
    uint32_t left_out = VT__FIXED | (v->statements_only ? VT__OF_EXPRESSIONS | 1 << VT__REGIONS : 0);
    const vt__field *f, *end;
    for (vt__fields((vt_stmt_kind)s->kind, &f, &end); f < end; f++)
        if (!vt__is_of(left_out, f->type)) visit_field(v, s, f);
}

/* The shorthands: one state for walks before and after the children. */
typedef struct walk {
    vt_visitor v;
    bool (*expr)(void *user, const vt_expr *e);
    bool (*stmt)(void *user, const vt_stmt *s);
    void (*expr_after)(void *user, const vt_expr *e);
    void (*stmt_after)(void *user, const vt_stmt *s);
    void *user;
} walk;

static void walk_expr(vt_visitor *v, const vt_expr *e) {
    walk *w = (walk *)v;
    if (w->expr && !w->expr(w->user, e)) return;
    vt_visit_expr_children(v, e);
    if (w->expr_after) w->expr_after(w->user, e);
}

static void walk_stmt(vt_visitor *v, const vt_stmt *s) {
    walk *w = (walk *)v;
    if (w->stmt && !w->stmt(w->user, s)) return;
    vt_visit_stmt_children(v, s);
    if (w->stmt_after) w->stmt_after(w->user, s);
}

void vt_expr_walk(const vt_expr *e, bool (*fn)(void *user, const vt_expr *e), void *user) {
    walk w = {.v = {.expr = walk_expr}, .expr = fn, .user = user};
    vt_visit_expr(&w.v, e);
}

void vt_stmt_walk(const vt_stmt *s, bool (*efn)(void *user, const vt_expr *e),
                  bool (*sfn)(void *user, const vt_stmt *s), void *user) {
    walk w = {
        .v = {.expr = walk_expr, .stmt = walk_stmt, .statements_only = !efn}, .expr = efn, .stmt = sfn, .user = user};
    vt_visit_stmt(&w.v, s);
}

void vt_expr_walk_post(const vt_expr *e, void (*fn)(void *user, const vt_expr *e), void *user) {
    walk w = {.v = {.expr = walk_expr}, .expr_after = fn, .user = user};
    vt_visit_expr(&w.v, e);
}

void vt_stmt_walk_post(const vt_stmt *s, void (*efn)(void *user, const vt_expr *e),
                       void (*sfn)(void *user, const vt_stmt *s), void *user) {
    walk w = {.v = {.expr = walk_expr, .stmt = walk_stmt, .statements_only = !efn},
              .expr_after = efn,
              .stmt_after = sfn,
              .user = user};
    vt_visit_stmt(&w.v, s);
}

#include "lower/generic/computed.h"

static const char YES = 0, NO = 0;

static bool touches_memory(vt_computed *st, const vt_expr *e) {
    if (e->kind == VT_E_CALL || e->kind == VT_E_LOAD || e->kind == VT_E_PLOAD) return true;
    if (e->n == 0) return false;
    const char *have = vt_ptrmap_get(st->memory, e);
    if (!have) {
        have = &NO;
        for (uint32_t i = 0; i < e->n && have == &NO; i++)
            if (touches_memory(st, e->a[i])) have = &YES;
        vt_ptrmap_set(st->memory, e, have);
    }
    return have == &YES;
}

bool vt_may_introduce(vt_computed *st, const vt_expr *e) {
    return e->n > 0 && e->kind != VT_E_RAMP && e->kind != VT_E_BROADCAST && !touches_memory(st, e);
}

static void add_computed(vt_computed *st, const vt_expr *e, vt_expr_table *t) {
    if (vt_may_introduce(st, e)) {
        vt_expr_table_add(t, e, 1);
        return;
    }
    for (uint32_t i = 0; i < e->n; i++) add_computed(st, e->a[i], t);
}

/* What at least two of three parts compute, with all occurrences counted. */
static vt_expr_table *common(vt_computed *st, const vt_expr_table *const parts[3]) {
    vt_expr_table *t = vt_expr_table_new(st->ctx);
    for (int p = 0; p < 3; p++) {
        for (uint32_t i = 0; parts[p] && i < parts[p]->n; i++) {
            const vt_expr *e = parts[p]->rows[i].e;
            uint32_t in = 0, count = 0;
            for (int q = 0; q < 3; q++) {
                const vt_expr_row *r = parts[q] ? vt_expr_table_find(parts[q], e) : NULL;
                in += r != NULL;
                count += r ? r->count : 0;
            }
            if (in >= 2 && !vt_expr_table_find(t, e)) vt_expr_table_add(t, e, count);
        }
    }
    return t;
}

typedef struct collector {
    vt_visitor v;
    vt_computed *st;
    vt_expr_table *t;
} collector;

static void collect_expr(vt_visitor *v, const vt_expr *e) {
    collector *c = (collector *)v;
    add_computed(c->st, e, c->t);
}
static void collect_stmt(vt_visitor *v, const vt_stmt *s) {
    collector *c = (collector *)v;
    vt_expr_table_add_all(c->t, vt_computed_by_stmt(c->st, s));
}

vt_expr_table *vt_computed_by_expr(vt_computed *st, const vt_expr *e) {
    vt_expr_table *t = vt_expr_table_new(st->ctx);
    add_computed(st, e, t);
    return t;
}

const vt_expr_table *vt_computed_by_stmt(vt_computed *st, const vt_stmt *s) {
    const vt_expr_table *have = vt_ptrmap_get(st->stmt_tables, s);
    if (have) return have;
    if (s->kind == VT_S_FOR) {
        const vt_expr_table *parts[3] = {vt_computed_by_expr(st, s->u.loop.min),
                                         vt_computed_by_expr(st, s->u.loop.extent),
                                         vt_computed_by_stmt(st, s->u.loop.body)};
        have = common(st, parts);
    } else if (s->kind == VT_S_IF) {
        const vt_expr_table *parts[3] = {vt_computed_by_expr(st, s->u.branch.condition),
                                         vt_computed_by_stmt(st, s->u.branch.then_case),
                                         s->u.branch.else_case ? vt_computed_by_stmt(st, s->u.branch.else_case) : NULL};
        have = common(st, parts);
    } else {
        collector c = {.v = {.expr = collect_expr, .stmt = collect_stmt}, .st = st, .t = vt_expr_table_new(st->ctx)};
        vt_visit_stmt_children(&c.v, s);
        have = c.t;
    }
    vt_ptrmap_set(st->stmt_tables, s, have);
    return have;
}

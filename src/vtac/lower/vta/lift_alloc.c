/* Moves allocations to the beginning of the loop body (or virtual thread, or function) that they stand in. */
#include "lower/vta/vta.h"

typedef struct lift {
    vt_mutator m;
    vt_stmt_list found; /* allocations of the open scopes, innermost last */
} lift;

/* Puts the allocations found since `from` around the body, the innermost first. */
static const vt_stmt *put_back(lift *st, uint32_t from, const vt_stmt *body) {
    for (uint32_t i = from; i < st->found.n; i++) body = vt_stmt_with_body(st->m.ctx, st->found.items[i], body);
    st->found.n = from;
    return body;
}

static const vt_stmt *lift_stmt(vt_mutator *m, const vt_stmt *s) {
    lift *st = (lift *)m;
    uint32_t from = st->found.n;
    bool scope = s->kind == VT_S_FOR || vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD) || vt_attr_is(s, VT_ATTR_PHASE) ||
                 vt_attr_is(s, VT_ATTR_STEP);
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if (scope) return vt_stmt_with_body(m->ctx, out, put_back(st, from, vt_stmt_body(out)));
    if (s->kind != VT_S_ALLOC) return out;
    vt_stmt_list_add(m->ctx, &st->found, out);
    return out->u.alloc.body;
}

const vt_func *vt_pass_lift_alloc(vt_lowering *l, const vt_func *f) {
    lift st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = lift_stmt}};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    return vt_func_with_body(l->ctx, f, put_back(&st, 0, body));
}

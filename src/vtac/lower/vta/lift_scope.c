/* Lifts an attribute out of the statements around it: neighbours with the same attribute share one, loops whose whole
 * body has it get it around them. It does not pass an allocation, nor a step that is written out. Used for tasks and
 * for micro-op kernels. All tasks attach to the accelerator's one thread axis, so that equal stages mean equal
 * attributes; kernels merge only when their micro-ops are of one sort, as one instruction runs them all, and ALU loops,
 * whose micro-ops are not there yet, stay kernels of their own. */
#include "lower/vta/vta.h"

typedef struct lift {
    vt_mutator m;
    const char *key;
    const vt_stmt *attr; /* the attribute to put around the statement just visited; NULL: none */
} lift;

static bool find_push(void *user, const vt_expr *e) {
    const vt_expr **push = user;
    if (!*push && vt_is_call(e, VT_OP_VTA_UOP_PUSH)) *push = e;
    return !*push;
}

static bool same_sort(const vt_stmt *x, const vt_stmt *y) {
    const vt_expr *px = NULL, *py = NULL;
    vt_stmt_walk(x->u.attr.body, find_push, NULL, &px);
    vt_stmt_walk(y->u.attr.body, find_push, NULL, &py);
    return px && py && vt__same_sort(px, py);
}

static bool same_attr(const vt_stmt *x, const vt_stmt *y) {
    if (!x || !y || x == y) return x == y;
    if (x->u.attr.node.kind != y->u.attr.node.kind || x->u.attr.node.u.any != y->u.attr.node.u.any) return false;
    if (!vt_expr_equal(x->u.attr.value, y->u.attr.value)) return false;
    return strcmp(x->u.attr.key, VT_ATTR_UOPS) != 0 || same_sort(x, y);
}

static const vt_stmt *wrap(vt_ctx *ctx, const vt_stmt *attr, const vt_stmt *body) {
    return attr ? vt_stmt_with_body(ctx, attr, body) : body;
}

static const vt_stmt *lift_seq(lift *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t n = s->u.seq.n_items;
    const vt_stmt **items = VT_NEW_ARRAY(ctx, const vt_stmt *, n);
    const vt_stmt **attrs = VT_NEW_ARRAY(ctx, const vt_stmt *, n);
    for (uint32_t i = 0; i < n; i++) {
        st->attr = NULL;
        items[i] = vt_mutate_stmt(&st->m, s->u.seq.items[i]);
        attrs[i] = st->attr;
    }
    vt_stmt_list out = {0};
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && same_attr(attrs[begin], attrs[end]); end++) {
        }
        const vt_stmt *run = vt_s_seq(ctx, end - begin, items + begin);
        if (begin == 0 && end == n) {
            st->attr = attrs[0];
            return run;
        }
        vt_stmt_list_add(ctx, &out, wrap(ctx, attrs[begin], run));
    }
    st->attr = NULL;
    return vt_s_seq(ctx, out.n, out.items);
}

static const vt_stmt *lift_if(lift *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    st->attr = NULL;
    const vt_stmt *then_case = vt_mutate_stmt(&st->m, s->u.branch.then_case);
    const vt_stmt *then_attr = st->attr;
    st->attr = NULL;
    const vt_stmt *else_case = vt_mutate_stmt(&st->m, s->u.branch.else_case);
    if (!then_attr || !same_attr(then_attr, st->attr)) {
        then_case = wrap(ctx, then_attr, then_case);
        else_case = wrap(ctx, st->attr, else_case);
        st->attr = NULL;
    }
    if (then_case == s->u.branch.then_case && else_case == s->u.branch.else_case) return s;
    return vt_s_if(ctx, s->u.branch.condition, then_case, else_case);
}

static const vt_stmt *lift_stmt(vt_mutator *m, const vt_stmt *s) {
    lift *st = (lift *)m;
    if (vt_attr_is(s, st->key)) {
        st->attr = s;
        return s->u.attr.body;
    }
    if (s->kind == VT_S_SEQ) return lift_seq(st, s);
    if (s->kind == VT_S_IF && s->u.branch.else_case) return lift_if(st, s);
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    if ((s->kind != VT_S_ALLOC && !vt_attr_is(s, VT_ATTR_STEP)) || !st->attr) return out;
    out = vt_stmt_with_body(m->ctx, out, wrap(m->ctx, st->attr, vt_stmt_body(out)));
    st->attr = NULL;
    return out;
}

static const vt_func *lift_scope(vt_lowering *l, const vt_func *f, const char *key) {
    lift st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = lift_stmt}, .key = key};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    return vt_func_with_body(l->ctx, f, wrap(l->ctx, st.attr, body));
}

const vt_func *vt_pass_lift_uop_scope(vt_lowering *l, const vt_func *f) { return lift_scope(l, f, VT_ATTR_UOPS); }
const vt_func *vt_pass_lift_task_scope(vt_lowering *l, const vt_func *f) { return lift_scope(l, f, VT_ATTR_TASK); }

/* Kernels of micro-ops under conditions: what a condition leaves out brings two writes of one accumulator nearer to
 * each other than the loops say. Where they come too near, each step of the reduction becomes a kernel of its own. */
#include "arith/linear.h"
#include "lower/vta/uop_nest.h"

enum { MAX_STEPS = 1 << 16 };

typedef struct nest {
    uint32_t n, n_conditions;
    const vt_stmt *loops[VT_UOP_LOOPS]; /* outermost first */
    const vt_expr *conditions[VT_UOP_LOOPS];
    int64_t strides[VT_UOP_LOOPS]; /* of dst; 0: a loop of the reduction */
    const vt_stmt *push;
} nest;

static bool add_loop(nest *k, const vt_stmt *s) {
    int64_t extent;
    if (k->n == VT_UOP_LOOPS || !vt_as_const(s->u.loop.extent, &extent)) return false;
    k->loops[k->n++] = s;
    return true;
}

static bool add_condition(nest *k, const vt_stmt *s) {
    if (k->n_conditions == VT_UOP_LOOPS || s->u.branch.else_case) return false;
    k->conditions[k->n_conditions++] = s->u.branch.condition;
    return true;
}

static bool find_strides(vt_ctx *ctx, nest *k) {
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    for (uint32_t i = 0; i < k->n; i++) vars[i] = k->loops[i]->u.loop.var;
    if (!vt_detect_linear(ctx, k->push->u.eval.value->a[VT_UOP(dst_index)], k->n, vars, linear)) return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!vt_as_const(linear[i], &k->strides[i])) return false;
    return true;
}

static bool match(vt_ctx *ctx, const vt_stmt *s, nest *k) {
    while (s->kind == VT_S_FOR || s->kind == VT_S_IF) {
        bool loop = s->kind == VT_S_FOR;
        if (!(loop ? add_loop(k, s) : add_condition(k, s))) return false;
        s = loop ? s->u.loop.body : s->u.branch.then_case;
    }
    k->push = s;
    return k->n_conditions && vt__is_uop_push(s) && find_strides(ctx, k);
}

/* ---- Do two writes of an accumulator come too near? -------------------------------------------------------------- */

typedef struct search {
    const nest *k;
    vt_known known;  /* the loops' variables, in their order */
    int64_t last[2]; /* what the two micro-ops before write, without what the loops around add */
    uint64_t uops;
    uint32_t steps;
    bool unknown;
} search;

static bool meets(search *st, const vt_stmt *s);

static bool meets_in_loop(search *st, const vt_stmt *s) {
    int64_t min, extent;
    if (!vt__exact_value(&st->known, s->u.loop.min, &min) || !vt__exact_value(&st->known, s->u.loop.extent, &extent)) {
        st->unknown = true;
        return false;
    }
    uint32_t at = st->known.n++;
    bool found = false;
    st->known.vars[at] = s->u.loop.var;
    for (int64_t i = 0; i < extent && !found && !st->unknown; i++) {
        st->known.values[at] = min + i;
        found = meets(st, s->u.loop.body);
    }
    st->known.n = at;
    return found;
}

static bool meets_in_push(search *st) {
    int64_t dst = 0;
    for (uint32_t i = 0; i < st->k->n; i++) dst += st->k->strides[i] * st->known.values[i];
    bool found = (st->uops > 0 && st->last[0] == dst) || (st->uops > 1 && st->last[1] == dst);
    st->last[1] = st->last[0];
    st->last[0] = dst;
    st->uops++;
    return found;
}

static bool meets(search *st, const vt_stmt *s) {
    int64_t condition;
    st->unknown |= ++st->steps > MAX_STEPS;
    if (st->unknown) return false;
    if (s->kind == VT_S_FOR) return meets_in_loop(st, s);
    if (s->kind != VT_S_IF) return meets_in_push(st);
    st->unknown |= !vt__exact_value(&st->known, s->u.branch.condition, &condition);
    return !st->unknown && condition && meets(st, s->u.branch.then_case);
}

/* ---- The kernels ------------------------------------------------------------------------------------------------- */

static const vt_stmt *around(vt_ctx *ctx, const nest *k, bool of_result, const vt_stmt *s) {
    for (uint32_t i = k->n; i > 0; i--)
        if ((k->strides[i - 1] != 0) == of_result) s = vt_stmt_with_body(ctx, k->loops[i - 1], s);
    return s;
}

const vt_stmt *vt__order_conditional(vt_ctx *ctx, const vt_stmt *scope, const vt_stmt *body) {
    nest k = {.n = 0};
    if (!match(ctx, body, &k)) return NULL;
    search st = {.k = &k};
    if (!meets(&st, body)) return NULL;
    const vt_stmt *s = k.push;
    for (uint32_t i = k.n_conditions; i > 0; i--) s = vt_s_if(ctx, k.conditions[i - 1], s, NULL);
    return around(ctx, &k, false, vt_stmt_with_body(ctx, scope, around(ctx, &k, true, s)));
}

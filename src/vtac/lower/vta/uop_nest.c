#include "lower/vta/uop_nest.h"

#include "arith/linear.h"

bool vt__is_uop_push(const vt_stmt *s) {
    return s->kind == VT_S_EVAL && vt_is_call(s->u.eval.value, VT_OP_VTA_UOP_PUSH);
}

bool vt__match_uop_nest(vt_ctx *ctx, const vt_stmt *s, vt_uop_nest *out_nest) {
    vt_uop_nest *k = out_nest;
    const vt_var *vars[VT_UOP_LOOPS];
    const vt_expr *linear[VT_UOP_LOOPS + 1];
    k->n = 0;
    for (; s->kind == VT_S_FOR; s = s->u.loop.body) {
        int64_t extent;
        if (k->n == VT_UOP_LOOPS || !vt_as_const(s->u.loop.extent, &extent)) return false;
        if (extent <= 1) continue;
        vars[k->n] = s->u.loop.var;
        k->loops[k->n] = s;
        k->extents[k->n++] = extent;
    }
    k->push = s;
    if (!vt__is_uop_push(s) || !vt_detect_linear(ctx, s->u.eval.value->a[VT_UOP(dst_index)], k->n, vars, linear))
        return false;
    for (uint32_t i = 0; i < k->n; i++)
        if (!vt_as_const(linear[i], &k->strides[i])) return false;
    return true;
}

/* How far dst moves when loop `at` advances and the loops inside of it start again. */
static int64_t carry(const vt_uop_nest *k, uint32_t at) {
    int64_t move = k->strides[at];
    for (uint32_t i = at + 1; i < k->n; i++) move -= k->strides[i] * (k->extents[i] - 1);
    return move;
}

int vt__uop_hazard(const vt_uop_nest *nest, uint32_t *out_loop) {
    uint32_t *i = out_loop, in = nest->n ? nest->n - 1 : 0;
    for (*i = 0; *i < nest->n; ++*i)
        if (carry(nest, *i) == 0) return 1;
    for (*i = 0; *i < in; ++*i)
        if (carry(nest, in) + carry(nest, *i) == 0) return 2;
    return 0;
}

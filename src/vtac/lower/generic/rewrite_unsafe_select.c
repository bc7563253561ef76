/* A selection evaluates both of its sides. Where a side could read out of bounds or have an effect, it becomes a
 * conditional that evaluates one. */
#include "lower/generic/pass.h"

static bool unsafe(const vt_expr *e) {
    switch (e->kind) {
    case VT_E_LOAD:
    case VT_E_PLOAD:
    case VT_E_REDUCE: return true;
    case VT_E_SELECT: return unsafe(e->a[0]); /* made safe by itself */
    case VT_E_CALL:
        if (e->u.op == VT_OP_IF_THEN_ELSE) return unsafe(e->a[0]);
        if (e->u.op == VT_OP_ADDRESS_OF)
            e = e->a[0];
        else if (vt_op_infos[e->u.op].effect > VT_EFFECT_ANNOTATE)
            return true;
        break;
    default: break;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (unsafe(e->a[i])) return true;
    return false;
}

static const vt_expr *rewrite(void *user, const vt_expr *e) {
    vt_ctx *ctx = user;
    if (e->kind != VT_E_SELECT || e->a[0]->dtype.lanes != 1) return e;
    if (!unsafe(e->a[1]) && !unsafe(e->a[2])) return e;
    return vt_e_call(ctx, e->dtype, VT_OP_IF_THEN_ELSE, 3, e->a);
}

const vt_func *vt_pass_rewrite_unsafe_select(vt_lowering *l, const vt_func *f) {
    return vt_func_with_body(l->ctx, f, vt_stmt_rewrite(l->ctx, f->body, rewrite, NULL, l->ctx));
}

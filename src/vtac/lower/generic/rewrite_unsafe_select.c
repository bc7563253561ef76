/* A selection evaluates both of its sides. Where a side could read out of bounds or have an effect, it becomes a
 * conditional that evaluates one. */
#include "lower/generic/pass.h"
#include "lower/generic/unsafe.h"

static const vt_expr *rewrite(void *user, const vt_expr *e) {
    vt_ctx *ctx = user;
    if (e->kind != VT_E_SELECT || e->a[0]->dtype.lanes != 1) return e;
    if (!vt_is_unsafe(NULL, NULL, e->a[1]) && !vt_is_unsafe(NULL, NULL, e->a[2])) return e;
    return vt_e_call(ctx, e->dtype, VT_OP_IF_THEN_ELSE, 3, e->a);
}

const vt_func *vt_pass_rewrite_unsafe_select(vt_lowering *l, const vt_func *f) {
    return vt_func_with_body(l->ctx, f, vt_stmt_rewrite(l->ctx, f->body, rewrite, NULL, l->ctx));
}

/* Moves a condition out of the loops that do not change it: a loop whose whole body is one condition on outer
 * variables becomes a condition around the loop. */
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

static const vt_stmt *hoist(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    s = vt_mutate_stmt_children(m, s);
    if (s->kind != VT_S_FOR || s->u.loop.body->kind != VT_S_IF) return s;
    const vt_stmt *branch = s->u.loop.body;
    const vt_expr *condition = branch->u.branch.condition;
    /* A load may change while the loop runs; a constant condition was decided before. */
    bool stays = condition->kind == VT_E_INT || vt_expr_effect(condition) > VT_EFFECT_ANNOTATE;
    if (stays || vt_expr_uses(condition, s->u.loop.var)) return s;
    const vt_stmt *then_case = vt_stmt_with_body(ctx, s, branch->u.branch.then_case), *else_case = NULL;
    if (branch->u.branch.else_case) else_case = vt_stmt_with_body(ctx, s, branch->u.branch.else_case);
    return vt_s_if(ctx, condition, then_case, else_case);
}

const vt_func *vt_pass_hoist_if_then_else(vt_lowering *l, const vt_func *f) {
    vt_mutator m = {.ctx = l->ctx, .statements_only = true, .stmt = hoist};
    const vt_stmt *body = vt_mutate_stmt(&m, f->body);
    return body == f->body ? f : vt_func_with_body(l->ctx, f, vt_convert_ssa(l->ctx, body));
}

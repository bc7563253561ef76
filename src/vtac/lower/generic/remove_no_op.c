/* Removes statements that do nothing: evaluations without effect, loops and conditions around nothing. */
#include <string.h>

#include "lower/generic/pass.h"
#include "lower/generic/util.h"

/* What is left of an expression whose value nobody needs. */
static const vt_stmt *effect_of(vt_ctx *ctx, const vt_expr *e) {
    return vt_expr_effect(e) > VT_EFFECT_READ ? vt_s_eval(ctx, e) : vt_s_nop(ctx);
}

static const vt_stmt *seq(vt_ctx *ctx, const vt_stmt *s) {
    vt_stmt_list kept = {0};
    for (uint32_t i = 0; i < s->u.seq.n_items; i++)
        if (!vt_stmt_is_nop(s->u.seq.items[i])) vt_stmt_list_add(ctx, &kept, s->u.seq.items[i]);
    if (kept.n == s->u.seq.n_items) return s;
    return kept.n ? vt_s_seq(ctx, kept.n, kept.items) : vt_s_nop(ctx);
}

static const vt_stmt *branch(vt_ctx *ctx, const vt_stmt *s) {
    bool no_then = vt_stmt_is_nop(s->u.branch.then_case);
    bool no_else = !s->u.branch.else_case || vt_stmt_is_nop(s->u.branch.else_case);
    if (no_then && no_else) return effect_of(ctx, s->u.branch.condition);
    if (no_else && s->u.branch.else_case) return vt_s_if(ctx, s->u.branch.condition, s->u.branch.then_case, NULL);
    return s;
}

static const vt_stmt *remove_stmt(vt_mutator *m, const vt_stmt *s) {
    vt_ctx *ctx = m->ctx;
    if (vt_attr_is(s, VT_PRAGMA_PREFIX "debug_skip_region")) return vt_s_nop(ctx);
    s = vt_mutate_stmt_children(m, s);
    const vt_stmt *body = vt_stmt_body(s);
    bool empty = body && vt_stmt_is_nop(body);
    switch (s->kind) {
    case VT_S_LET: return empty ? effect_of(ctx, s->u.let.value) : s;
    case VT_S_ATTR: return empty ? effect_of(ctx, s->u.attr.value) : s;
    case VT_S_FOR: return empty || vt_is_const(s->u.loop.extent, 0) ? vt_s_nop(ctx) : s;
    case VT_S_ALLOC:
    case VT_S_REALIZE: return empty ? vt_s_nop(ctx) : s;
    case VT_S_IF: return branch(ctx, s);
    case VT_S_SEQ: return seq(ctx, s);
    case VT_S_EVAL: return vt_expr_effect(s->u.eval.value) > VT_EFFECT_READ || vt_stmt_is_nop(s) ? s : vt_s_nop(ctx);
    default: return s;
    }
}

const vt_func *vt_pass_remove_no_op(vt_lowering *l, const vt_func *f) {
    vt_mutator m = {.ctx = l->ctx, .statements_only = true, .stmt = remove_stmt};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&m, f->body));
}

/* Index arithmetic in canonical form, with what loops and conditions say about variables. Bindings whose value is
 * pure integer arithmetic are put in place; branches known at compile time are taken. */
#include "lower/generic/pass.h"
#include "lower/generic/util.h"

typedef struct simplify {
    vt_mutator m;
    vt_analyzer *a;
    vt_varmap *kept; /* bindings that stay, for deciding conditions */
} simplify;

static const vt_expr *simplify_expr(vt_mutator *m, const vt_expr *e) { return vt_simplify(((simplify *)m)->a, e); }

static bool can_inline(const vt_expr *value) {
    if (value->kind == VT_E_INT || value->kind == VT_E_FLOAT || value->kind == VT_E_VAR) return true;
    return vt_dtype_is_int(value->dtype) && vt_expr_effect(value) <= VT_EFFECT_ANNOTATE;
}

static const vt_stmt *simplify_let(simplify *st, const vt_stmt *s) {
    const vt_expr *value = vt_simplify(st->a, s->u.let.value);
    if (can_inline(s->u.let.value)) {
        vt_analyzer_bind(st->a, s->u.let.var, value, true);
        return vt_mutate_stmt(&st->m, s->u.let.body);
    }
    if (vt_expr_effect(value) <= VT_EFFECT_ANNOTATE) vt_varmap_set(st->kept, s->u.let.var, value);
    const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.let.body);
    if (value == s->u.let.value && body == s->u.let.body) return s;
    return vt_s_let(st->m.ctx, s->u.let.var, value, body);
}

static const vt_stmt *simplify_under(simplify *st, const vt_expr *condition, const vt_stmt *s) {
    vt_scope scope = vt_analyzer_enter(st->a, condition);
    const vt_stmt *out = vt_mutate_stmt(&st->m, s);
    vt_analyzer_leave(st->a, scope);
    return out;
}

/* Its condition holds in its body, and only there. */
static const vt_stmt *simplify_assert(simplify *st, const vt_stmt *s) {
    const vt_expr *c = vt_mutate_expr(&st->m, s->u.assertion.condition);
    const vt_stmt *body = s->u.assertion.body ? simplify_under(st, c, s->u.assertion.body) : NULL;
    if (body && vt_is_const(c, 1)) return body;
    if (c == s->u.assertion.condition && body == s->u.assertion.body) return s;
    return vt_s_assert(st->m.ctx, c, s->u.assertion.message, body);
}

static const vt_stmt *simplify_if(simplify *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *c = s->u.branch.condition;
    if (vt_varmap_size(st->kept)) c = vt_substitute(ctx, c, st->kept);
    c = vt_simplify(st->a, c);
    int64_t known;
    if (vt_as_const(c, &known)) {
        if (known) return vt_mutate_stmt(&st->m, s->u.branch.then_case);
        return s->u.branch.else_case ? vt_mutate_stmt(&st->m, s->u.branch.else_case) : vt_s_nop(ctx);
    }
    const vt_expr *condition = vt_simplify(st->a, s->u.branch.condition);
    const vt_expr *real = vt_is_call(condition, VT_OP_LIKELY) ? condition->a[0] : condition;
    const vt_stmt *then_case = simplify_under(st, real, s->u.branch.then_case);
    const vt_stmt *else_case = s->u.branch.else_case;
    if (else_case) else_case = simplify_under(st, vt_rewrite_simplify(st->a, vt_not(ctx, real)), else_case);
    if (condition == s->u.branch.condition && then_case == s->u.branch.then_case && else_case == s->u.branch.else_case)
        return s;
    return vt_s_if(ctx, condition, then_case, else_case);
}

/* A store of what is there already does nothing. */
static const vt_stmt *drop_self_store(vt_ctx *ctx, const vt_stmt *s) {
    const vt_expr *v = s->u.store.value;
    if (v->kind != VT_E_LOAD || v->u.buffer->data != s->u.store.buffer->data || v->n != s->u.store.n_indices) return s;
    if (v->u.buffer->ndim != s->u.store.buffer->ndim || !vt_dtype_eq(v->u.buffer->dtype, s->u.store.buffer->dtype))
        return s;
    for (uint32_t i = 0; i < v->n; i++)
        if (!vt_expr_equal(v->a[i], s->u.store.indices[i]) ||
            !vt_expr_equal(v->u.buffer->shape[i], s->u.store.buffer->shape[i]))
            return s;
    return vt_s_nop(ctx);
}

static const vt_stmt *simplify_stmt(vt_mutator *m, const vt_stmt *s) {
    simplify *st = (simplify *)m;
    vt_poll(m->ctx);
    switch (s->kind) {
    case VT_S_FOR: vt_analyzer_bind_range(st->a, s->u.loop.var, s->u.loop.min, s->u.loop.extent, true); break;
    case VT_S_LET: return simplify_let(st, s);
    case VT_S_IF: return simplify_if(st, s);
    case VT_S_STORE: return drop_self_store(m->ctx, vt_mutate_stmt_children(m, s));
    case VT_S_ASSERT: return simplify_assert(st, s);
    case VT_S_ATTR:
        if (vt_attr_binds_thread(s))
            vt_analyzer_bind_range(st->a, s->u.attr.node.u.iter->var, vt_int(m->ctx, s->u.attr.value->dtype, 0),
                                   s->u.attr.value, true);
        break;
    default: break;
    }
    return vt_mutate_stmt_children(m, s);
}

const vt_func *vt_pass_simplify(vt_lowering *l, const vt_func *f) {
    simplify st = {.m = {.ctx = l->ctx, .expr = simplify_expr, .stmt = simplify_stmt},
                   .a = vt_analyzer_new(l->ctx),
                   .kept = vt_varmap_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

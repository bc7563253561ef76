/* The rewriting simplifier: children first, then the first rule that applies. */
#include "arith/pattern.h"
#include "ir/build.h"

enum { MAX_DEPTH = 5 };

const vt_expr *vt__rewrite_again(vt__rewriter *rw, const vt_expr *e) {
    if (rw->depth >= MAX_DEPTH) return e;
    rw->depth++;
    const vt_expr *result = rw->visit(rw, e);
    rw->depth--;
    return result;
}

vt__order vt__try_compare(vt__rewriter *rw, const vt_expr *x, int64_t number) {
    const vt_expr *e = rw->visit(rw, x);
    if (e->kind == VT_E_INT) return e->u.i == number ? VT__EQ : e->u.i > number ? VT__GT : VT__LT;
    vt_bound b = vt_const_bound(rw->an, e);
    if (b.min == number && b.max == number) return VT__EQ;
    if (b.min > number) return VT__GT;
    if (b.max < number) return VT__LT;
    if (b.min >= number) return VT__GE;
    if (b.max <= number) return VT__LE;
    if (number == 0 && vt_modular_set(rw->an, e).base != 0) return VT__NE;
    return VT__UNKNOWN;
}

/* ---- Known conditions ------------------------------------------------------------------------------------ */

static void add_literal(vt_analyzer *an, const vt_expr *e) {
    vt_grow(an->ctx, &an->literals, &an->cap_literals, an->n_literals + 1, sizeof *an->literals);
    an->literals[an->n_literals++] = e;
}

static void literals_of(vt_analyzer *an, const vt_expr *e) {
    if (e->kind == VT_E_AND) {
        literals_of(an, e->a[0]);
        literals_of(an, e->a[1]);
        return;
    }
    if (vt_expr_effect(e) > VT_EFFECT_PURE) return;
    if (vt_dtype_is_bool(e->dtype)) add_literal(an, e);
}

void vt__literals_enter(vt_analyzer *an, const vt_expr *condition) {
    literals_of(an, vt_rewrite_simplify(an, condition));
}

/* A condition that is known to hold, or not to: its value; else NULL. */
static const vt_expr *known(vt__rewriter *rw, const vt_expr *e) {
    vt_analyzer *an = rw->an;
    if (!an->n_literals || rw != &an->rewriter) return NULL;
    const vt_expr *negation = vt_e_not(rw->ctx, e);
    for (uint32_t i = 0; i < an->n_literals; i++) {
        if (vt_expr_equal(an->literals[i], e)) return vt_int(rw->ctx, e->dtype, 1);
        if (vt_expr_equal(an->literals[i], negation)) return vt_int(rw->ctx, e->dtype, 0);
    }
    return NULL;
}

/* ---- Walking --------------------------------------------------------------------------------------------- */

typedef struct child_visitor {
    vt_mutator m;
    vt__rewriter *rw;
} child_visitor;

static const vt_expr *visit_child(vt_mutator *m, const vt_expr *e) {
    vt__rewriter *rw = ((child_visitor *)m)->rw;
    return rw->visit(rw, e);
}

static const vt_expr *children(vt__rewriter *rw, const vt_expr *e) {
    child_visitor v = {.m = {.ctx = rw->ctx, .expr = visit_child}, .rw = rw};
    return vt_mutate_expr_children(&v.m, e);
}

static const vt_expr *apply(vt__rewriter *rw, const vt__rules *rules, const vt_expr *e) {
    const vt_expr *result = NULL;
    for (const vt__rule *const *r = vt__rules_choose(rw->an, rules, e); *r && !result; r++)
        result = vt__rule_apply(rw, *r, e);
    return !result || vt_expr_equal(result, e) ? e : result;
}

static const vt_expr *ruled(vt__rewriter *rw, const vt__rules *rules, const vt_expr *e) {
    const vt_expr *r = children(rw, e);
    const vt_expr *folded = e->n == 2 ? vt_try_fold(rw->ctx, (vt_expr_kind)r->kind, r->a[0], r->a[1]) : NULL;
    if (folded) return folded;
    if (vt_dtype_is_bool(vt_dtype_elem(r->dtype))) {
        const vt_expr *value = known(rw, r);
        if (value) return value;
    }
    return apply(rw, rules, r);
}

/* The comparisons that are written with == and <. */
static const vt_expr *negated(vt__rewriter *rw, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    const vt_expr *positive = vt_bin(rw->ctx, kind, x, y);
    return rw->visit(rw, vt_not(rw->ctx, positive));
}

static const vt_expr *not_node(vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *r = children(rw, e);
    if (r->a[0]->kind == VT_E_INT) return vt_not(rw->ctx, r->a[0]);
    const vt_expr *value = known(rw, r);
    return value ? value : apply(rw, &vt__rules_not, r);
}

/* A value under a condition that holds; of a constant no condition says more. */
static const vt_expr *under(vt__rewriter *rw, const vt_expr *c, bool holds, const vt_expr *e) {
    vt_analyzer *an = rw->an;
    if (e->kind == VT_E_INT || e->kind == VT_E_FLOAT) return e;
    vt_scope scope = vt_analyzer_enter(an, holds ? c : vt_rewrite_simplify(an, vt_not(rw->ctx, c)));
    e = rw->visit(rw, e);
    vt_analyzer_leave(an, scope);
    return e;
}

/* Three operands: condition, and two values of which the condition says more. */
static const vt_expr *chosen(vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *c = rw->visit(rw, e->a[0]);
    const vt_expr *x = under(rw, c, true, e->a[1]), *y = under(rw, c, false, e->a[2]);
    if (c->kind == VT_E_INT) return c->u.i ? x : y;
    return vt_e_with(rw->ctx, e, (const vt_expr *[]){c, x, y});
}

/* if_then_else(c, if_then_else(d, x, y), y) has one condition. */
static const vt_expr *join_conditions(vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *inner = e->a[1];
    if (!vt_is_call(inner, VT_OP_IF_THEN_ELSE) || !vt_prove_equal(rw->an, e->a[2], inner->a[2])) return e;
    return vt_e_call(rw->ctx, e->dtype, VT_OP_IF_THEN_ELSE, 3,
                     (const vt_expr *[]){vt_and(rw->ctx, e->a[0], inner->a[0]), inner->a[1], e->a[2]});
}

static const vt_expr *call_node(vt__rewriter *rw, const vt_expr *e) {
    if (e->u.op == VT_OP_IF_THEN_ELSE) {
        const vt_expr *r = chosen(rw, e);
        return vt_is_call(r, VT_OP_IF_THEN_ELSE) ? join_conditions(rw, r) : r;
    }
    const vt_expr *r = children(rw, e);
    if (r->u.op == VT_OP_LIKELY) {
        if (r->a[0]->kind == VT_E_INT) return r->a[0];
        const vt_expr *value = known(rw, r->a[0]);
        return value ? value : r;
    }
    bool shift = r->u.op == VT_OP_SHIFT_LEFT || r->u.op == VT_OP_SHIFT_RIGHT;
    if (shift && r->a[0]->kind == VT_E_INT && r->a[1]->kind == VT_E_INT) {
        const vt_expr *folded = vt_bitwise(rw->ctx, r->u.op, r->a[0], r->a[1]);
        return vt_expr_equal(folded, r) ? r : folded;
    }
    return r;
}

static const vt_expr *let_node(vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *value = rw->visit(rw, e->a[0]);
    vt_expr_kind kind = (vt_expr_kind)e->a[0]->kind;
    if (kind == VT_E_INT || kind == VT_E_FLOAT || kind == VT_E_VAR) {
        vt_analyzer_bind(rw->an, e->u.let_var, value, true);
        return rw->visit(rw, e->a[1]);
    }
    return vt_e_with(rw->ctx, e, (const vt_expr *[]){value, rw->visit(rw, e->a[1])});
}

static const vt_expr *reduce_node(vt__rewriter *rw, const vt_expr *e) {
    for (uint32_t i = 0; i < e->u.reduce->n_axes; i++) {
        const vt_iter *axis = e->u.reduce->axes[i];
        if (axis->min) vt_analyzer_bind_range(rw->an, axis->var, axis->min, axis->extent, true);
    }
    return children(rw, e);
}

static const vt_expr *rewrite(vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *r;
    switch (e->kind) {
    case VT_E_VAR: return (r = vt_varmap_get(rw->vars, e)) ? r : e;
    case VT_E_INT:
    case VT_E_FLOAT:
    case VT_E_STRING: return e;
    case VT_E_ADD: return ruled(rw, &vt__rules_add, e);
    case VT_E_SUB: return ruled(rw, &vt__rules_sub, e);
    case VT_E_MUL: return ruled(rw, &vt__rules_mul, e);
    case VT_E_DIV: return ruled(rw, &vt__rules_div, e);
    case VT_E_MOD: return ruled(rw, &vt__rules_mod, e);
    case VT_E_FLOORDIV: return ruled(rw, &vt__rules_floordiv, e);
    case VT_E_FLOORMOD: return ruled(rw, &vt__rules_floormod, e);
    case VT_E_MIN: return ruled(rw, &vt__rules_min, e);
    case VT_E_MAX: return ruled(rw, &vt__rules_max, e);
    case VT_E_EQ: return ruled(rw, &vt__rules_eq, e);
    case VT_E_LT: return ruled(rw, &vt__rules_lt, e);
    case VT_E_AND: return ruled(rw, &vt__rules_and, e);
    case VT_E_OR: return ruled(rw, &vt__rules_or, e);
    case VT_E_NE: return negated(rw, VT_E_EQ, e->a[0], e->a[1]);
    case VT_E_LE: return negated(rw, VT_E_LT, e->a[1], e->a[0]);
    case VT_E_GE: return negated(rw, VT_E_LT, e->a[0], e->a[1]);
    case VT_E_GT: return rw->visit(rw, vt_lt(rw->ctx, e->a[1], e->a[0]));
    case VT_E_NOT: return not_node(rw, e);
    case VT_E_SELECT: r = chosen(rw, e); return r->kind == VT_E_SELECT ? apply(rw, &vt__rules_select, r) : r;
    case VT_E_CALL: return call_node(rw, e);
    case VT_E_LET: return let_node(rw, e);
    case VT_E_CAST: r = children(rw, e); return vt_cast(rw->ctx, r->dtype, r->a[0]);
    case VT_E_REDUCE: return reduce_node(rw, e);
    default: return children(rw, e);
    }
}

static vt__memo *memo_of(vt__rewriter *rw, const vt_expr *e) {
    if (!rw->memo) rw->memo = VT_NEW_ARRAY(rw->ctx, vt__memo, VT__MEMO);
    return &rw->memo[(e->hash + 31u * (uint32_t)rw->depth) % VT__MEMO];
}

static void remember(vt__rewriter *rw, const vt_expr *e, const vt_expr *result) {
    *memo_of(rw, e) = (vt__memo){e, result, rw->an->epoch, rw->depth};
}

const vt_expr *vt__rewrite_node(vt__rewriter *rw, const vt_expr *e) {
    if (e->n == 0 && e->kind != VT_E_CALL) return rewrite(rw, e);
    const vt__memo *before = memo_of(rw, e);
    uint32_t epoch = rw->an->epoch;
    bool same_state = before->epoch == epoch && before->depth == rw->depth;
    if (same_state && vt_expr_equal(before->e, e)) return before->result;
    const vt_expr *result = rewrite(rw, e);
    if (rw->an->epoch != epoch) return result;
    remember(rw, e, result);
    /* Values under conditions are simplified under what these say: not once more for each comparison around them. */
    if (result->kind == VT_E_SELECT || vt_is_call(result, VT_OP_IF_THEN_ELSE)) remember(rw, result, result);
    return result;
}

void vt__rewriter_init(vt_analyzer *an) {
    an->rewriter = (vt__rewriter){.an = an, .ctx = an->ctx, .visit = vt__rewrite_node, .vars = vt_varmap_new(an->ctx)};
}

const vt_expr *vt_rewrite_simplify(vt_analyzer *an, const vt_expr *e) {
    /* A result may give other rules their chance; two rounds, as TVM does. */
    for (int round = 0; round < 2; round++) {
        const vt_expr *result = an->rewriter.visit(&an->rewriter, e);
        if (result == e) return e;
        e = result;
    }
    return e;
}

#include "arith/pattern.h"

#include <string.h>

#include "ir/build.h"
#include "ir/visit.h"

static bool match(const vt__pat *p, const vt_expr *e, vt__match *m) {
    const vt_expr **slot = &m->slot[p->slot];
    switch (p->kind) {
    case VT__PAT_CONST:
        if (e->kind != VT_E_INT) return false;
        /* fall through */
    case VT__PAT_ANY:
        if (*slot) return vt_expr_equal(*slot, e);
        *slot = e;
        return true;
    case VT__PAT_NUMBER: return e->kind == VT_E_INT && e->u.i == p->number;
    case VT__PAT_FLOAT_ZERO: return e->kind == VT_E_FLOAT && e->u.f == 0;
    default: break;
    }
    if (e->kind != p->kind) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!match(p->a[i], e->a[i], m)) return false;
    return true;
}

static bool may_match(const vt__pat *p, vt_expr_kind kind) {
    switch (p->kind) {
    case VT__PAT_ANY: return true;
    case VT__PAT_CONST:
    case VT__PAT_NUMBER: return kind == VT_E_INT;
    case VT__PAT_FLOAT_ZERO: return kind == VT_E_FLOAT;
    default: return p->kind == kind;
    }
}

bool vt__pat_possible(const vt__pat *p, const vt_expr *e) {
    if (!may_match(p, (vt_expr_kind)e->kind)) return false;
    for (uint32_t i = 0; p->kind < VT_E_COUNT && i < e->n; i++)
        if (!may_match(p->a[i], (vt_expr_kind)e->a[i]->kind)) return false;
    return true;
}

bool vt__pat_match(const vt__pat *pat, const vt_expr *e, vt__match *m) {
    memset(m, 0, sizeof *m);
    return match(pat, e, m);
}

static _Noreturn void no_such_rule(vt_ctx *ctx, const vt__pat *p) {
    vt_raise(ctx, VTA_INTERNAL, "a simplification rule has a node of kind %u in a place for which there is no code",
             p->kind);
}

static const vt_expr *build(vt_ctx *ctx, const vt__pat *p, const vt__match *m, vt_dtype type);

/* A binary node: a number takes the type of the other side. */
static const vt_expr *build_pair(vt_ctx *ctx, const vt__pat *p, const vt__match *m, vt_dtype type) {
    if (p->kind >= VT_E_COUNT || !p->a[1] || p->a[2]) no_such_rule(ctx, p);
    if (vt_expr_infos[p->kind].cls == VT_CLASS_COMPARE) type = VT_I32; /* of two numbers: any index type will do */
    bool number = p->a[0]->kind == VT__PAT_NUMBER;
    const vt_expr *first = build(ctx, p->a[number], m, type);
    const vt_expr *second = build(ctx, p->a[!number], m, first->dtype);
    const vt_expr *x = number ? second : first, *y = number ? first : second;
    const vt_expr *folded = vt_try_fold(ctx, (vt_expr_kind)p->kind, x, y);
    return folded ? folded : vt_e_bin(ctx, (vt_expr_kind)p->kind, x, y);
}

static const vt_expr *build_vector(vt_ctx *ctx, const vt__pat *p, const vt__match *m, vt_dtype type) {
    vt_dtype elem = vt_dtype_elem(type);
    const vt_expr *x = build(ctx, p->a[0], m, elem);
    if (p->kind == VT_E_BROADCAST) return vt_e_broadcast(ctx, x, type.lanes);
    return vt_e_ramp(ctx, x, build(ctx, p->a[1], m, elem), type.lanes);
}

static const vt_expr *build_select(vt_ctx *ctx, const vt__pat *p, const vt__match *m, vt_dtype type) {
    const vt_expr *c = build(ctx, p->a[0], m, VT_BOOL);
    return vt_e_select(ctx, c, build(ctx, p->a[1], m, type), build(ctx, p->a[2], m, type));
}

static const vt_expr *build(vt_ctx *ctx, const vt__pat *p, const vt__match *m, vt_dtype type) {
    switch (p->kind) {
    case VT__PAT_ANY:
    case VT__PAT_CONST: return m->slot[p->slot];
    case VT__PAT_NUMBER: return vt_const(ctx, type, p->number);
    case VT_E_NOT: return vt_not(ctx, build(ctx, p->a[0], m, type));
    case VT_E_SELECT: return build_select(ctx, p, m, type);
    case VT_E_RAMP:
    case VT_E_BROADCAST: return build_vector(ctx, p, m, type);
    default: return build_pair(ctx, p, m, type);
    }
}

/* Arithmetic of conditions, on 64-bit values; anything modulo 0 counts as a remainder. */
static int64_t value(vt_ctx *ctx, const vt__pat *p, const vt__match *m) {
    if (p->kind == VT__PAT_CONST) return m->slot[p->slot]->u.i;
    if (p->kind == VT__PAT_NUMBER) return p->number;
    int64_t x = value(ctx, p->a[0], m), y = value(ctx, p->a[1], m), r = 0;
    switch (p->kind) {
    case VT_E_ADD: return __builtin_add_overflow(x, y, &r) ? INT64_MAX : r;
    case VT_E_SUB: return __builtin_sub_overflow(x, y, &r) ? INT64_MAX : r;
    case VT_E_MUL: return __builtin_mul_overflow(x, y, &r) ? INT64_MAX : r;
    case VT_E_MOD: return y == 0 ? 1 : y == -1 ? 0 : x % y;
    default: no_such_rule(ctx, p);
    }
}

static bool holds(vt__rewriter *rw, const vt__pat *p, const vt__match *m, vt_dtype type) {
    switch (p->kind) {
    case VT_E_AND: return holds(rw, p->a[0], m, type) && holds(rw, p->a[1], m, type);
    case VT_E_EQ: return value(rw->ctx, p->a[0], m) == value(rw->ctx, p->a[1], m);
    case VT_E_NE: return value(rw->ctx, p->a[0], m) != value(rw->ctx, p->a[1], m);
    case VT_E_LT: return value(rw->ctx, p->a[0], m) < value(rw->ctx, p->a[1], m);
    case VT_E_LE: return value(rw->ctx, p->a[0], m) <= value(rw->ctx, p->a[1], m);
    case VT_E_GT: return value(rw->ctx, p->a[0], m) > value(rw->ctx, p->a[1], m);
    case VT_E_GE: return value(rw->ctx, p->a[0], m) >= value(rw->ctx, p->a[1], m);
    default: break;
    }
    const vt_expr *e = build(rw->ctx, p->a[0], m, type);
    switch (p->kind) {
    case VT__PAT_NONNEG: return vt_prove_ge(rw->an, e, 0);
    case VT__PAT_NONZERO: return vt_prove_ge(rw->an, e, 1) || vt_prove_lt(rw->an, e, 0);
    case VT__PAT_PROVES_GE: return vt_prove_ge(rw->an, e, value(rw->ctx, p->a[1], m));
    case VT__PAT_PROVES_LT: return vt_prove_lt(rw->an, e, value(rw->ctx, p->a[1], m));
    case VT__PAT_PROVES_ZERO: return vt_prove_equal(rw->an, e, vt_const(rw->ctx, e->dtype, 0));
    default: no_such_rule(rw->ctx, p);
    }
}

const vt_expr *vt__rule_apply(vt__rewriter *rw, const vt__rule *rule, const vt_expr *e) {
    vt__match m;
    /* Numbers inside a comparison have its operands' type. */
    vt_dtype type = vt_expr_infos[e->kind].cls == VT_CLASS_COMPARE ? e->a[0]->dtype : e->dtype;
    const vt_expr *result = NULL;
    if (rule->fn)
        result = rule->fn(rw, e);
    else if (vt__pat_match(rule->from, e, &m) && (!rule->when || holds(rw, rule->when, &m, type)))
        result = build(rw->ctx, rule->to, &m, e->dtype);
    return result && rule->again ? vt__rewrite_again(rw, result) : result;
}

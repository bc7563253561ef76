/* The set of values of an expression while some of its variables run over sets. */
#include "arith/intset.h"
#include "ir/build.h"
#include "ir/visit.h"

typedef struct evaluator {
    vt_analyzer *an;
    vt_ctx *ctx;
    const vt_dommap *dom;
    uint32_t depth; /* sets within sets */
} evaluator;

static vt_intset eval(evaluator *ev, const vt_expr *e);

/* A set's own ends may name variables of the map. */
static vt_intset eval_set(evaluator *ev, vt_intset s) {
    if (s.empty || ev->depth >= vt_dommap_size(ev->dom)) return s;
    ev->depth++;
    vt_intset low = s.min ? eval(ev, s.min) : s, high = s.max ? eval(ev, s.max) : s;
    ev->depth--;
    return vt_intset_interval(low.min, high.max);
}

static vt_intset eval_var(evaluator *ev, const vt_expr *v) {
    vt_intset set;
    if (!vt_dommap_get(ev->dom, v, &set)) return vt_intset_point(v);
    if (set.min == v && set.max == v) return set;
    return eval_set(ev, set);
}

static const vt_expr *op(evaluator *ev, vt_expr_kind kind, const vt_expr *x, const vt_expr *y) {
    return x && y ? vt_bin(ev->ctx, kind, x, y) : NULL;
}

/* x * y, x / y and floordiv(x, y) for a y that is one value: the ends, in the order of y's sign. */
static vt_intset scale(evaluator *ev, vt_expr_kind kind, vt_intset x, const vt_expr *y) {
    if (kind == VT_E_MUL && vt_is_const(y, 0)) return vt_intset_point(y);
    if (vt_is_const(y, 1)) return x;
    if (vt_is_const(y, 0)) return vt_intset_everything();
    const vt_expr *low = op(ev, kind, x.min, y), *high = op(ev, kind, x.max, y);
    if (vt_prove_ge(ev->an, y, 0)) return vt_intset_interval(low, high);
    if (vt_prove_ge(ev->an, vt_neg(ev->ctx, y), 1)) return vt_intset_interval(high, low);
    if (!low || !high) return vt_intset_everything();
    const vt_expr *sign = vt_ge(ev->ctx, y, vt_const(ev->ctx, y->dtype, 0));
    return vt_intset_interval(vt_select(ev->ctx, sign, low, high), vt_select(ev->ctx, sign, high, low));
}

/* x mod a value: all remainders, or fewer where x stays within one multiple of it. */
static vt_intset remainder_of(evaluator *ev, vt_expr_kind kind, vt_intset x, const vt_expr *y) {
    vt_ctx *ctx = ev->ctx;
    const vt_expr *zero = vt_const(ctx, y->dtype, 0), *one = vt_const(ctx, y->dtype, 1);
    if (vt_is_const(y, 0)) return vt_intset_everything();
    if (!vt_prove_ge(ev->an, y, 0)) {
        const vt_expr *size = vt_max(ctx, y, vt_neg(ctx, y)), *bound = vt_sub(ctx, size, one);
        return vt_intset_interval(vt_neg(ctx, bound), bound);
    }
    if (kind == VT_E_FLOORMOD && y->kind == VT_E_INT && x.min && x.max) {
        const vt_expr *q_max = vt_floordiv(ctx, x.max, y), *q_min = vt_floordiv(ctx, x.min, y);
        if (vt_prove(ev->an, vt_eq(ctx, q_max, q_min))) {
            const vt_expr *base = vt_mul(ctx, y, q_min);
            return vt_intset_interval(vt_sub(ctx, x.min, base), vt_sub(ctx, x.max, base));
        }
    }
    const vt_expr *last = vt_sub(ctx, y, one);
    bool signs = kind == VT_E_MOD && !(x.min && vt_prove_ge(ev->an, x.min, 0)); /* of what may be negative: either */
    return vt_intset_interval(signs ? vt_neg(ctx, last) : zero, last);
}

static vt_intset combine_sets(evaluator *ev, vt_expr_kind kind, vt_intset x, vt_intset y) {
    switch (kind) {
    case VT_E_ADD: return vt_intset_interval(op(ev, kind, x.min, y.min), op(ev, kind, x.max, y.max));
    case VT_E_SUB: return vt_intset_interval(op(ev, kind, x.min, y.max), op(ev, kind, x.max, y.min));
    case VT_E_MIN:
        return vt_intset_interval(op(ev, kind, x.min, y.min), !x.max   ? y.max
                                                              : !y.max ? x.max
                                                                       : op(ev, kind, x.max, y.max));
    case VT_E_MAX:
        return vt_intset_interval(!x.min   ? y.min
                                  : !y.min ? x.min
                                           : op(ev, kind, x.min, y.min),
                                  op(ev, kind, x.max, y.max));
    case VT_E_MUL:
        if (vt_intset_is_point(x)) return scale(ev, kind, y, x.min);
        return vt_intset_is_point(y) ? scale(ev, kind, x, y.min) : vt_intset_everything();
    case VT_E_DIV:
    case VT_E_FLOORDIV: return vt_intset_is_point(y) ? scale(ev, kind, x, y.min) : vt_intset_everything();
    case VT_E_MOD:
    case VT_E_FLOORMOD: return vt_intset_is_point(y) ? remainder_of(ev, kind, x, y.min) : vt_intset_everything();
    case VT_EACH_LEAF:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    return vt_intset_everything();
}

static vt_intset eval_binary(evaluator *ev, const vt_expr *e) {
    vt_expr_kind kind = (vt_expr_kind)e->kind;
    vt_intset x = eval(ev, e->a[0]), y = eval(ev, e->a[1]);
    if (x.min == e->a[0] && x.max == e->a[0] && y.min == e->a[1] && y.max == e->a[1]) return vt_intset_point(e);
    if (vt_intset_is_point(x) && vt_intset_is_point(y)) {
        bool by_zero = kind >= VT_E_DIV && kind <= VT_E_FLOORMOD && vt_is_const(y.min, 0);
        return by_zero ? vt_intset_everything() : vt_intset_point(vt_bin(ev->ctx, kind, x.min, y.min));
    }
    if (vt_expr_infos[kind].cls != VT_CLASS_ARITH)
        return vt_intset_interval(vt_bool(ev->ctx, false), vt_bool(ev->ctx, true));
    if (x.empty || y.empty) return vt_intset_nothing();
    return combine_sets(ev, kind, x, y);
}

static vt_intset eval_ramp(evaluator *ev, const vt_expr *e) {
    vt_intset base = eval(ev, e->a[0]);
    if (e->a[1]->kind != VT_E_INT) return vt_intset_everything();
    const vt_expr *last = vt_int(ev->ctx, e->a[0]->dtype, (int64_t)((uint64_t)e->a[1]->u.i * (e->dtype.lanes - 1u)));
    const vt_expr *zero = vt_int(ev->ctx, e->a[0]->dtype, 0);
    bool up = last->u.i >= 0;
    return combine_sets(ev, VT_E_ADD, base, vt_intset_interval(up ? zero : last, up ? last : zero));
}

static bool in_map(void *user, const vt_var *v) {
    vt_intset set;
    return vt_dommap_get(user, v, &set);
}

/* Does a cast from one type to the other leave every value of the set as it is? */
static bool fits_type(evaluator *ev, vt_intset s, vt_dtype from, vt_dtype to) {
    if (from.code == to.code && from.bits <= to.bits) return true;
    if (!vt_dtype_is_integral(from) || !vt_dtype_is_integral(to) || !s.min || !s.max) return false;
    vt_dtype t = vt_dtype_elem(to);
    return vt_const_bound(ev->an, s.min).min >= vt_dtype_min_int(t) &&
           vt_const_bound(ev->an, s.max).max <= vt_dtype_max_int(t);
}

static vt_intset eval(evaluator *ev, const vt_expr *e) {
    if (e->n == 2 && vt_expr_infos[e->kind].cls != VT_CLASS_OTHER) return eval_binary(ev, e);
    switch (e->kind) {
    case VT_E_INT: return vt_intset_point(e);
    case VT_E_VAR: return eval_var(ev, e);
    case VT_E_RAMP: return eval_ramp(ev, e);
    case VT_E_BROADCAST: return eval(ev, e->a[0]);
    case VT_E_SELECT: {
        vt_intset both[] = {eval(ev, e->a[2]), eval(ev, e->a[1])};
        if (both[0].empty || both[1].empty) return both[both[0].empty];
        const vt_expr *min = op(ev, VT_E_MIN, both[0].min, both[1].min);
        return vt_intset_interval(min, op(ev, VT_E_MAX, both[0].max, both[1].max));
    }
    case VT_E_CAST: {
        vt_intset s = eval(ev, e->a[0]);
        if (!s.empty && !fits_type(ev, s, e->a[0]->dtype, e->dtype)) return vt_intset_everything();
        return (vt_intset){s.min ? vt_cast(ev->ctx, e->dtype, s.min) : NULL,
                           s.max ? vt_cast(ev->ctx, e->dtype, s.max) : NULL, s.empty};
    }
    case VT_E_LOAD:
        if (!vt_dtype_is_integral(e->dtype) || vt_expr_uses_any(e, in_map, (void *)(uintptr_t)ev->dom))
            return vt_intset_everything();
        return vt_intset_point(e);
    case VT_E_CALL: /* a choice that stands still, as where a part of a list begins */
        if (e->u.op != VT_OP_IF_THEN_ELSE || !vt_dtype_is_integral(e->dtype) ||
            vt_expr_uses_any(e, in_map, (void *)(uintptr_t)ev->dom))
            return vt_intset_everything();
        return vt_intset_point(e);
    default: return vt_intset_everything();
    }
}

static evaluator start(vt_analyzer *an, const vt_dommap *dom) {
    return (evaluator){.an = an, .ctx = vt_analyzer_ctx(an), .dom = dom};
}

vt_intset vt_eval_set(vt_analyzer *an, const vt_expr *e, const vt_dommap *dom) {
    evaluator ev = start(an, dom);
    return eval(&ev, e);
}

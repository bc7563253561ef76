/* Constant bounds of integer expressions. */
#include "arith/priv.h"
#include "ir/build.h"

static bool infinite(int64_t x) { return x == VT_POS_INF || x == VT_NEG_INF; }

/* Results that leave the finite range become infinite. */
static int64_t settle(bool overflow, int64_t value, bool negative) {
    if (overflow || value == INT64_MIN) return negative ? VT_NEG_INF : VT_POS_INF;
    return value;
}

static int64_t inf_add(int64_t x, int64_t y) {
    if (infinite(x)) return x;
    if (infinite(y)) return y;
    int64_t r;
    bool overflow = __builtin_add_overflow(x, y, &r);
    return settle(overflow, r, x < 0);
}

static int64_t inf_mul(int64_t x, int64_t y) {
    if (x == 0 || y == 0) return 0;
    bool negative = (x < 0) != (y < 0);
    if (infinite(x) || infinite(y)) return negative ? VT_NEG_INF : VT_POS_INF;
    int64_t r;
    bool overflow = __builtin_mul_overflow(x, y, &r);
    return settle(overflow, r, negative);
}

static int64_t inf_div(int64_t x, int64_t y) {
    if (infinite(x)) return y > 0 ? x : -x;
    return infinite(y) ? 0 : x / y;
}

static int64_t inf_floordiv(int64_t x, int64_t y) {
    if (infinite(x)) return y > 0 ? x : -x;
    if (infinite(y)) return x == 0 || (x < 0) == (y < 0) ? 0 : -1;
    return vt__floordiv(x, y);
}

static int64_t inf_shift(int64_t x, int64_t y) { return infinite(x) ? x : x >> (y < 0 ? 0 : y > 63 ? 63 : y); }

static int64_t min2(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t max2(int64_t x, int64_t y) { return x > y ? x : y; }
static vt_bound join(vt_bound x, vt_bound y) { return (vt_bound){min2(x.min, y.min), max2(x.max, y.max)}; }
static vt_bound meet(vt_bound x, vt_bound y) { return (vt_bound){max2(x.min, y.min), min2(x.max, y.max)}; }

static vt_bound everything(vt_dtype t) {
    if (!vt_dtype_is_integral(t)) return (vt_bound){VT_NEG_INF, VT_POS_INF};
    vt_dtype elem = vt_dtype_elem(t);
    int64_t min = vt_dtype_min_int(elem);
    return (vt_bound){min == INT64_MIN ? VT_NEG_INF : min, vt_dtype_max_int(elem)};
}

/* The operation is monotonic in each operand: the corners have its extremes. */
static vt_bound corners(vt_bound x, vt_bound y, int64_t (*op)(int64_t, int64_t)) {
    int64_t a = op(x.min, y.min), b = op(x.max, y.max), c = op(x.min, y.max), d = op(x.max, y.min);
    return (vt_bound){min2(min2(a, b), min2(c, d)), max2(max2(a, b), max2(c, d))};
}

static vt_bound division(vt_bound x, vt_bound y, int64_t (*op)(int64_t, int64_t)) {
    if (y.min > y.max) return (vt_bound){0, 0}; /* nothing divides, since the conditions exclude each other */
    if (y.min > 0 || y.max < 0) return corners(x, y, op);
    /* Zero is inside and gives zero; each side without it. */
    vt_bound result = {0, 0};
    if (y.min < 0) result = join(result, corners(x, (vt_bound){y.min, -1}, op));
    if (y.max > 0) result = join(result, corners(x, (vt_bound){1, y.max}, op));
    return result;
}

static vt_bound trunc_mod(vt_bound x, vt_bound y, vt_dtype t) {
    if (y.min <= 0) return everything(t);
    int64_t cap = inf_add(y.max, -1);
    if (x.min >= 0) return x.max < y.min ? x : (vt_bound){0, min2(x.max, cap)};
    return (vt_bound){max2(x.min, -cap), min2(max2(x.max, 0), cap)};
}

static vt_bound floor_mod(vt_bound x, vt_bound y, vt_dtype t) {
    int64_t low = inf_add(y.min, 1), high = inf_add(y.max, -1);
    if (y.min > 0) {
        if (x.min >= 0) return x.max < y.min ? x : (vt_bound){0, min2(x.max, high)};
        return (vt_bound){0, high};
    }
    vt_bound rest = meet((vt_bound){min2(0, low), max2(0, high)}, everything(t));
    return y.max < 0 ? rest : join(rest, x); /* by zero it is x itself */
}

static vt_bound bits_and(vt_bound x, vt_bound y, vt_dtype t) {
    if (x.min >= 0 && y.min >= 0) return (vt_bound){0, min2(x.max, y.max)};
    if (y.min >= 0) return (vt_bound){0, y.max};
    if (x.min >= 0) return (vt_bound){0, x.max};
    return everything(t);
}

/* A negative amount shifts to the left. */
static vt_bound of_shift(vt_analyzer *an, const vt_expr *e) {
    vt_bound by = vt_const_bound(an, e->a[1]);
    return by.min < 0 ? everything(e->dtype) : corners(vt_const_bound(an, e->a[0]), by, inf_shift);
}

static vt_bound of_call(vt_analyzer *an, const vt_expr *e) {
    switch ((int)e->u.op) {
    case VT_OP_SHIFT_RIGHT: return of_shift(an, e);
    case VT_OP_BITWISE_AND: return bits_and(vt_const_bound(an, e->a[0]), vt_const_bound(an, e->a[1]), e->dtype);
    default: return everything(e->dtype);
    }
}

static vt_bound of_ramp(vt_analyzer *an, const vt_expr *e) {
    vt_bound base = vt_const_bound(an, e->a[0]), stride = vt_const_bound(an, e->a[1]);
    vt_bound last = {inf_mul(stride.min, e->dtype.lanes - 1), inf_mul(stride.max, e->dtype.lanes - 1)};
    return join(base, (vt_bound){inf_add(base.min, last.min), inf_add(base.max, last.max)});
}

static vt_bound of_let(vt_analyzer *an, const vt_expr *e) {
    if (!vt_ptrmap_has(an->bounds, e->u.let_var)) {
        vt__learned(an);
        vt__bound_set(an, e->u.let_var, vt_const_bound(an, e->a[0]));
    }
    return vt_const_bound(an, e->a[1]);
}

static vt_bound of_var(vt_analyzer *an, const vt_expr *e) {
    const vt_bound *known = vt_ptrmap_get(an->bounds, e);
    if (known) return *known;
    return e->u.var->size ? (vt_bound){0, VT_POS_INF} : everything(e->dtype);
}

static vt_bound of_binary(vt_analyzer *an, const vt_expr *e) {
    vt_bound x = vt_const_bound(an, e->a[0]), y = vt_const_bound(an, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return (vt_bound){inf_add(x.min, y.min), inf_add(x.max, y.max)};
    case VT_E_SUB: return (vt_bound){inf_add(x.min, -y.max), inf_add(x.max, -y.min)};
    case VT_E_MUL: return corners(x, y, inf_mul);
    case VT_E_DIV: return division(x, y, inf_div);
    case VT_E_MOD: return trunc_mod(x, y, e->dtype);
    case VT_E_FLOORDIV: return division(x, y, inf_floordiv);
    case VT_E_FLOORMOD: return floor_mod(x, y, e->dtype);
    case VT_E_MIN: return (vt_bound){min2(x.min, y.min), min2(x.max, y.max)};
    case VT_E_MAX: return (vt_bound){max2(x.min, y.min), max2(x.max, y.max)};
    default: return everything(e->dtype);
    }
}

/* Narrow and unsigned arithmetic really wraps: (uint8)0 - x is not a negative number. The index types are taken not
 * to overflow, as everywhere in the simplifier. */
static vt_bound of_arithmetic(vt_analyzer *an, const vt_expr *e) {
    vt_bound b = of_binary(an, e), type = everything(e->dtype);
    bool index = e->dtype.code == VT_INT && e->dtype.bits >= 32;
    return !index && (b.min < type.min || b.max > type.max) ? type : b;
}

static vt_bound of_node(vt_analyzer *an, const vt_expr *e) {
    if (vt_expr_infos[e->kind].cls == VT_CLASS_ARITH) return of_arithmetic(an, e);
    switch (e->kind) {
    case VT_E_INT: {
        int64_t v = e->u.i == INT64_MIN ? VT_NEG_INF : e->u.i;
        if (e->dtype.code == VT_UINT && v < 0) return everything(e->dtype);
        return (vt_bound){v == VT_POS_INF ? v - 1 : v, v == VT_NEG_INF ? v + 1 : v};
    }
    case VT_E_VAR: return of_var(an, e);
    case VT_E_CAST: { /* a value that does not fit wraps to anywhere in the type */
        vt_bound value = vt_const_bound(an, e->a[0]), type = everything(e->dtype);
        return value.min >= type.min && value.max <= type.max ? value : type;
    }
    case VT_E_SELECT: return join(vt_const_bound(an, e->a[1]), vt_const_bound(an, e->a[2]));
    case VT_E_BROADCAST: return vt_const_bound(an, e->a[0]);
    case VT_E_RAMP: return of_ramp(an, e);
    case VT_E_CALL: return of_call(an, e);
    case VT_E_LET: return of_let(an, e);
    default: return everything(e->dtype);
    }
}

vt_bound vt_const_bound(vt_analyzer *an, const vt_expr *e) {
    vt_bound b = of_node(an, e);
    for (uint32_t i = 0; i < an->n_facts; i++)
        if (vt_expr_equal(an->facts[i].e, e)) b = meet(b, an->facts[i].bound);
    return b;
}

void vt__bound_set(vt_analyzer *an, const vt_var *v, vt_bound b) {
    vt_bound *own = VT_NEW(an->ctx, vt_bound);
    *own = b;
    vt_ptrmap_set(an->bounds, v, own);
}

static void add_fact(vt_analyzer *an, const vt_expr *e, vt_bound b) {
    vt_grow(an->ctx, &an->facts, &an->cap_facts, an->n_facts + 1, sizeof *an->facts);
    an->facts[an->n_facts++] = (vt__fact){e, b};
}

void vt__bound_enter(vt_analyzer *an, const vt_expr *c) {
    if (c->kind == VT_E_AND) {
        vt__bound_enter(an, c->a[0]);
        vt__bound_enter(an, c->a[1]);
        return;
    }
    if (c->kind != VT_E_LT && c->kind != VT_E_LE) return;
    int64_t strict = c->kind == VT_E_LT;
    const vt_expr *x = c->a[0], *y = c->a[1];
    if (x->kind == VT_E_INT)
        add_fact(an, y, (vt_bound){inf_add(x->u.i, strict), VT_POS_INF});
    else if (y->kind == VT_E_INT)
        add_fact(an, x, (vt_bound){VT_NEG_INF, inf_add(y->u.i, -strict)});
}

/* What an integer expression is modulo something: coeff * x + base. */
#include "arith/priv.h"

static int64_t gcd(int64_t x, int64_t y) {
    uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a > INT64_MAX ? 1 : (int64_t)a;
}

static vt_modular make(int64_t coeff, int64_t base) {
    return (vt_modular){coeff, coeff ? vt__floormod(base, coeff) : base};
}

static vt_modular everything(void) { return (vt_modular){1, 0}; }

/* Sums and products that overflow say nothing. */
static vt_modular sum(vt_modular x, vt_modular y, bool minus) {
    int64_t base;
    bool overflow =
        minus ? __builtin_sub_overflow(x.base, y.base, &base) : __builtin_add_overflow(x.base, y.base, &base);
    return overflow ? everything() : make(gcd(x.coeff, y.coeff), base);
}

/* (p x + n)(q y + m) = pq xy + pm x + qn y + mn */
static vt_modular product(vt_modular x, vt_modular y) {
    int64_t pq, pm, qn, nm;
    if (__builtin_mul_overflow(x.coeff, y.coeff, &pq) || __builtin_mul_overflow(x.coeff, y.base, &pm) ||
        __builtin_mul_overflow(x.base, y.coeff, &qn) || __builtin_mul_overflow(x.base, y.base, &nm))
        return everything();
    return make(gcd(pq, gcd(pm, qn)), nm);
}

static vt_modular join(vt_modular x, vt_modular y) {
    int64_t coeff = gcd(x.coeff, y.coeff);
    if (coeff == 0) {
        if (x.base == y.base) return x;
        return everything();
    }
    int64_t a = vt__floormod(x.base, coeff), b = vt__floormod(y.base, coeff);
    return a == b ? make(coeff, a) : make(gcd(gcd(a, b), coeff), a);
}

static vt_modular quotient(vt_analyzer *an, const vt_expr *x, int64_t by, bool floor) {
    vt_modular m = vt_modular_set(an, x);
    if (by == 0 || by == -1 || m.coeff % by) return everything();
    if (m.base == 0) return make(m.coeff / by < 0 ? -(m.coeff / by) : m.coeff / by, 0);
    if (m.base > 0 && by > 0 && (floor || vt_prove_ge(an, x, 0))) return make(m.coeff / by, m.base / by);
    return everything();
}

static vt_modular remainder_of(vt_analyzer *an, const vt_expr *x, int64_t by, bool floor) {
    vt_modular m = vt_modular_set(an, x);
    if (by <= 0) return everything();
    int64_t coeff = gcd(m.coeff, by);
    if (m.base % coeff == 0 || (m.base > 0 && (floor || vt_prove_ge(an, x, 0)))) return make(coeff, m.base % coeff);
    return everything();
}

static vt_modular of_call(vt_analyzer *an, const vt_expr *e) {
    if (e->u.op != VT_OP_SHIFT_RIGHT) return everything();
    vt_modular by = vt_modular_set(an, e->a[1]);
    if (by.coeff || by.base < 0 || by.base > 62) return everything();
    return quotient(an, e->a[0], INT64_C(1) << by.base, true);
}

static vt_modular of_binary(vt_analyzer *an, const vt_expr *e) {
    vt_modular y = vt_modular_set(an, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return sum(vt_modular_set(an, e->a[0]), y, false);
    case VT_E_SUB: return sum(vt_modular_set(an, e->a[0]), y, true);
    case VT_E_MUL: return product(vt_modular_set(an, e->a[0]), y);
    case VT_E_MIN:
    case VT_E_MAX: return join(vt_modular_set(an, e->a[0]), y);
    default: break;
    }
    if (y.coeff) return everything();
    bool floor = e->kind == VT_E_FLOORDIV || e->kind == VT_E_FLOORMOD;
    if (e->kind == VT_E_DIV || e->kind == VT_E_FLOORDIV) return quotient(an, e->a[0], y.base, floor);
    return remainder_of(an, e->a[0], y.base, floor);
}

/* What holds of a value holds of its cast where the type takes it without wrapping. */
static vt_modular of_cast(vt_analyzer *an, const vt_expr *e) {
    if (!vt_dtype_is_integral(e->a[0]->dtype) || !vt_dtype_is_integral(e->dtype)) return everything();
    vt_bound value = vt_const_bound(an, e->a[0]);
    vt_dtype t = vt_dtype_elem(e->dtype);
    bool wider = e->dtype.code == e->a[0]->dtype.code && e->dtype.bits >= e->a[0]->dtype.bits;
    if (!wider && (value.min < vt_dtype_min_int(t) || value.max > vt_dtype_max_int(t))) return everything();
    return vt_modular_set(an, e->a[0]);
}

vt_modular vt_modular_set(vt_analyzer *an, const vt_expr *e) {
    if (vt_expr_infos[e->kind].cls == VT_CLASS_ARITH) return of_binary(an, e);
    const vt_modular *known;
    switch (e->kind) {
    case VT_E_INT: return (vt_modular){0, e->u.i};
    case VT_E_VAR: return (known = vt_ptrmap_get(an->modulars, e)) ? *known : everything();
    case VT_E_CAST: return of_cast(an, e);
    case VT_E_SELECT: return join(vt_modular_set(an, e->a[1]), vt_modular_set(an, e->a[2]));
    case VT_E_CALL: return of_call(an, e);
    case VT_E_LET:
        if (!vt_ptrmap_has(an->modulars, e->u.let_var)) vt__modular_put(an, e->u.let_var, vt_modular_set(an, e->a[0]));
        return vt_modular_set(an, e->a[1]);
    default: return everything();
    }
}

void vt__modular_put(vt_analyzer *an, const vt_var *v, vt_modular m) {
    vt_modular *own = VT_NEW(an->ctx, vt_modular);
    *own = m;
    vt_ptrmap_set(an->modulars, v, own);
    vt__learned(an);
}

/* c1 * x + d with x * c1 = gcd (mod c2): the extended Euclidean algorithm. */
static int64_t inverse(int64_t c1, int64_t c2, int64_t *out_x) {
    int64_t r0 = c1, r1 = c2, x0 = 1, x1 = 0;
    while (r1) {
        int64_t q = r0 / r1, r = r0 - q * r1, x = x0 - q * x1;
        r0 = r1, r1 = r, x0 = x1, x1 = x;
    }
    *out_x = x0;
    return r0;
}

/* Both hold: the Chinese remainder, or the first where they contradict or leave the range. */
static vt_modular meet(vt_modular a, vt_modular b) {
    int64_t x, step, coeff, base;
    if (a.coeff == 0 || b.coeff == 0) return a.coeff == 0 ? a : b;
    int64_t g = inverse(a.coeff, b.coeff, &x), v = b.base - a.base;
    if (v % g) return a;
    if (__builtin_mul_overflow(v / g, x, &step) || __builtin_mul_overflow(a.coeff / g, b.coeff, &coeff)) return a;
    step = vt__floormod(step, b.coeff / g);
    if (__builtin_mul_overflow(step, a.coeff, &base) || __builtin_add_overflow(base, a.base, &base)) return a;
    return make(coeff, base);
}

void vt__modular_enter(vt_analyzer *an, const vt_expr *c) {
    if (c->kind != VT_E_EQ || c->a[1]->kind != VT_E_INT) return;
    const vt_expr *mod = c->a[0];
    if ((mod->kind != VT_E_MOD && mod->kind != VT_E_FLOORMOD) || mod->a[0]->kind != VT_E_VAR) return;
    if (mod->a[1]->kind != VT_E_INT || mod->a[1]->u.i <= 0) return;
    const vt_var *v = mod->a[0];
    vt_modular was = vt_modular_set(an, v);
    vt_grow(an->ctx, &an->saved, &an->cap_saved, an->n_saved + 1, sizeof *an->saved);
    an->saved[an->n_saved++] = (vt__saved){v, was};
    vt__modular_put(an, v, meet(was, make(mod->a[1]->u.i, c->a[1]->u.i)));
}

void vt__modular_leave(vt_analyzer *an, uint32_t n_saved) {
    while (an->n_saved > n_saved) {
        vt__saved *s = &an->saved[--an->n_saved];
        vt__modular_put(an, s->v, s->was);
    }
}

/* The values that expressions take at a path, and whether conditions hold there. */
#include "lower/vta/verify_form.h"

static vt_form of_var(const vt_path *p, const vt_expr *e) {
    for (uint32_t i = p->let_count; i-- > 0;)
        if (p->let_vars[i] == e) return p->let_forms[i];
    for (uint32_t i = p->n < VT_PATH_MAX ? p->n : VT_PATH_MAX; i-- > 0;) {
        const vt_binder *b = &p->binders[i];
        if (b->kind == VT_BINDER_IF || b->var != e) continue;
        if (b->index < VT_FORM_VARS) return vt__form_var(b->index);
        return b->kind == VT_BINDER_LET ? b->form : vt__form_unknown();
    }
    return vt__form_unknown();
}

/* A let inside of an expression; false when there are too many. */
static bool begin_let(vt_path *p, const vt_expr *e) {
    if (p->let_count == VT_LETS_MAX) return false;
    vt_form value = vt__form_of(p, e->a[0]);
    p->let_vars[p->let_count] = e->u.let_var;
    p->let_forms[p->let_count++] = value;
    return true;
}

static vt_form of_let(vt_path *p, const vt_expr *e) {
    if (!begin_let(p, e)) return vt__form_unknown();
    vt_form f = vt__form_of(p, e->a[1]);
    p->let_count--;
    return f;
}

static vt_form chosen(vt_path *p, const vt_expr *condition, const vt_expr *yes, const vt_expr *no) {
    uint64_t loops = 0;
    vt_truth t = vt__truth_of(p, condition, &loops);
    if (t != VT_OPEN) return vt__form_of(p, t == VT_HOLDS ? yes : no);
    vt_form x = vt__form_of(p, yes), y = vt__form_of(p, no), f = vt__form_either(p, &x, &y);
    f.bent |= loops;
    return f;
}

static vt_form of_call(vt_path *p, const vt_expr *e) {
    int64_t c;
    if (e->u.op == VT_OP_LIKELY) return vt__form_of(p, e->a[0]);
    if (e->u.op == VT_OP_IF_THEN_ELSE) return chosen(p, e->a[0], e->a[1], e->a[2]);
    if (e->n != 2) return vt__form_unknown();
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    if (!vt__form_is_const(p, &y, &c)) return vt__form_unknown();
    if (e->u.op == VT_OP_SHIFT_LEFT && c >= 0 && c < 31) return vt__form_scaled(&x, (int64_t)1 << c);
    if (e->u.op == VT_OP_SHIFT_RIGHT && c >= 0 && c < 31) return vt__form_floor_div(p, &x, (int64_t)1 << c);
    if (e->u.op == VT_OP_BITWISE_AND && c >= 0 && c < INT32_MAX && !(c & (c + 1)))
        return vt__form_floor_mod(p, &x, c + 1);
    return vt__form_unknown();
}

static vt_form of_division(vt_path *p, const vt_expr *e) {
    int64_t d;
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    if (!vt__form_is_const(p, &y, &d) || d <= 0) return vt__form_unknown();
    bool truncates = e->kind == VT_E_DIV || e->kind == VT_E_MOD;
    if (truncates && vt__form_least(p, &x) < 0) { /* rounding up below 0: the interval is enough */
        int64_t lo = vt__form_least(p, &x), hi = vt__form_max(p, &x);
        if (e->kind == VT_E_DIV) return vt__form_flattened(p, &x, NULL, lo / d, hi / d);
        if (lo == hi) return vt__form_const(lo % d);
        return vt__form_flattened(p, &x, NULL, -(d - 1), d - 1);
    }
    return e->kind == VT_E_DIV || e->kind == VT_E_FLOORDIV ? vt__form_floor_div(p, &x, d)
                                                           : vt__form_floor_mod(p, &x, d);
}

static vt_form of_two(vt_path *p, const vt_expr *e) {
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return vt__form_add(&x, &y, 1);
    case VT_E_SUB: return vt__form_add(&x, &y, -1);
    case VT_E_MUL: return vt__form_mul(p, &x, &y);
    case VT_E_MIN: return vt__form_smaller(p, &x, &y);
    case VT_E_MAX: return vt__form_larger(p, &x, &y);
    default: return vt__form_unknown();
    }
}

vt_form vt__form_of(vt_path *p, const vt_expr *e) {
    switch (e->kind) {
    case VT_E_INT: return vt__form_const(e->u.i);
    case VT_E_VAR: return of_var(p, e);
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MUL:
    case VT_E_MIN:
    case VT_E_MAX: return of_two(p, e);
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD: return of_division(p, e);
    case VT_E_SELECT: return chosen(p, e->a[0], e->a[1], e->a[2]);
    case VT_E_CALL: return of_call(p, e);
    case VT_E_LET: return of_let(p, e);
    case VT_E_CAST: /* wrapping is not followed; 32 bits hold every number of the machine */
        if (e->dtype.code != VT_INT || e->dtype.bits < 32 || e->dtype.lanes != 1) return vt__form_unknown();
        if (e->a[0]->dtype.code != VT_INT) return vt__form_unknown();
        return vt__form_of(p, e->a[0]);
    default: return vt__form_unknown();
    }
}

/* ---- Conditions -------------------------------------------------------------------------------------------- */

static vt_truth negated(vt_truth t) { return t == VT_OPEN ? t : t == VT_HOLDS ? VT_BROKEN : VT_HOLDS; }

static vt_truth compared(vt_path *p, const vt_expr *e, uint64_t *loops) {
    if (e->a[0]->dtype.code != VT_INT) return VT_OPEN;
    vt_form x = vt__form_of(p, e->a[0]), y = vt__form_of(p, e->a[1]), d, one = vt__form_const(1);
    bool turn = e->kind == VT_E_LT || e->kind == VT_E_LE;
    bool strict = e->kind == VT_E_LT || e->kind == VT_E_GT;
    d = turn ? vt__form_add(&y, &x, -1) : vt__form_add(&x, &y, -1);
    if (e->kind != VT_E_EQ && e->kind != VT_E_NE) {
        if (strict) d = vt__form_add(&d, &one, -1);
        return vt__form_at_least_zero(p, &d, loops);
    }
    int64_t c;
    vt_truth equal = VT_OPEN;
    if (d.unknown) return VT_OPEN;
    if (vt__form_least(p, &d) > 0 || vt__form_max(p, &d) < 0) equal = VT_BROKEN;
    if (vt__form_is_const(p, &d, &c)) equal = c == 0 ? VT_HOLDS : VT_BROKEN;
    if (equal == VT_OPEN) *loops |= vt__form_loops(p, &d);
    return e->kind == VT_E_EQ ? equal : negated(equal);
}

vt_truth vt__truth_of(vt_path *p, const vt_expr *e, uint64_t *loops) {
    if (vt_is_call(e, VT_OP_LIKELY)) return vt__truth_of(p, e->a[0], loops);
    switch (e->kind) {
    case VT_E_INT: return e->u.i ? VT_HOLDS : VT_BROKEN;
    case VT_E_NOT: return negated(vt__truth_of(p, e->a[0], loops));
    case VT_E_LET: {
        if (!begin_let(p, e)) return VT_OPEN;
        vt_truth t = vt__truth_of(p, e->a[1], loops);
        p->let_count--;
        return t;
    }
    case VT_E_AND:
    case VT_E_OR: {
        vt_truth x = vt__truth_of(p, e->a[0], loops), y = vt__truth_of(p, e->a[1], loops);
        vt_truth decides = e->kind == VT_E_AND ? VT_BROKEN : VT_HOLDS;
        if (x == decides || y == decides) return decides;
        return x == VT_OPEN || y == VT_OPEN ? VT_OPEN : negated(decides);
    }
    case VT_E_EQ:
    case VT_E_NE:
    case VT_E_LT:
    case VT_E_LE:
    case VT_E_GT:
    case VT_E_GE: return compared(p, e, loops);
    default: return VT_OPEN;
    }
}

vt_truth vt__path_truth(vt_path *p, const vt_expr *condition) {
    uint64_t loops = 0;
    return vt__truth_of(p, condition, &loops);
}

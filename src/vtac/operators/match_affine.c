/* Indices and conditions as sums of axes. */
#include "ir/visit.h"
#include "operators/match.h"

enum { DEPTH = 64 };

static bool fits(int64_t x) { return x >= -INT32_MAX && x <= INT32_MAX; }

static bool same_term(const vt_var *a, const vt_var *b) {
    return a == b || (a->kind != VT_E_VAR && vt_expr_equal(a, b));
}

static bool add_term(vt_affine *a, const vt_var *v, int64_t times) {
    for (uint32_t i = 0; i < a->n; i++)
        if (same_term(a->var[i], v)) return fits(a->times[i] += times);
    if (a->n == VT_MATCH_AXES) return false;
    a->var[a->n] = v;
    a->times[a->n++] = times;
    return fits(times);
}

static bool constant_of(const vt_expr *e, int64_t *out) {
    if (e->kind != VT_E_INT || !fits(e->u.i)) return false;
    *out = e->u.i;
    return true;
}

static bool seen_through(const vt_expr *e) {
    if (e->kind == VT_E_CAST) return vt_dtype_is_int(e->dtype) && e->dtype.bits >= 32 && e->a[0]->dtype.bits >= 32;
    return e->kind == VT_E_CALL && e->u.op == VT_OP_LIKELY;
}

static bool read(const vt_expr *e, int64_t times, int depth, vt_affine *out) {
    int64_t number;
    if (depth > DEPTH) return false;
    if (e->kind == VT_E_VAR) return add_term(out, e, times);
    if (constant_of(e, &number)) return fits(number * times) && fits(out->constant += number * times);
    if (seen_through(e)) return read(e->a[0], times, depth + 1, out);
    if (e->kind == VT_E_ADD || e->kind == VT_E_SUB)
        return read(e->a[0], times, depth + 1, out) &&
               read(e->a[1], e->kind == VT_E_SUB ? -times : times, depth + 1, out);
    if ((e->kind == VT_E_FLOORDIV || e->kind == VT_E_FLOORMOD) && constant_of(e->a[1], &number))
        return add_term(out, e, times);
    if (e->kind != VT_E_MUL) return false;
    int right = constant_of(e->a[1], &number);
    if (!right && !constant_of(e->a[0], &number)) return false;
    return fits(number * times) && read(e->a[!right], number * times, depth + 1, out);
}

/* Terms that cancelled out do not count. */
static void drop_zeros(vt_affine *a) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!a->times[i]) continue;
        a->var[n] = a->var[i];
        a->times[n++] = a->times[i];
    }
    a->n = n;
}

bool vt__affine_read(const vt_expr *e, vt_affine *out) {
    *out = (vt_affine){.n = 0};
    if (!read(e, 1, 0, out)) return false;
    drop_zeros(out);
    return true;
}

bool vt__affine_add(vt_affine *to, const vt_affine *a, int64_t times) {
    for (uint32_t i = 0; i < a->n; i++)
        if (!fits(a->times[i] * times) || !add_term(to, a->var[i], a->times[i] * times)) return false;
    if (!fits(a->constant * times) || !fits(to->constant += a->constant * times)) return false;
    drop_zeros(to);
    return true;
}

int64_t vt__affine_times(const vt_affine *a, const vt_var *v) {
    for (uint32_t i = 0; i < a->n; i++)
        if (same_term(a->var[i], v)) return a->times[i];
    return 0;
}

bool vt__affine_same(const vt_affine *a, const vt_affine *b) {
    if (a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (vt__affine_times(b, a->var[i]) != a->times[i]) return false;
    return true;
}

bool vt__affine_is_axis(const vt_affine *a, const vt_tensor *t, uint32_t axis) {
    if (!a->n && !a->constant && vt__match_dim(t, axis) == 1) return true;
    return a->n == 1 && a->times[0] == 1 && !a->constant && a->var[0] == vt__match_axis(t, axis);
}

/* ---- Conditions ------------------------------------------------------------------------------------------------ */

static vt_guard *guard_of(vt_guards *g, const vt_affine *sum) {
    for (uint32_t i = 0; i < g->n; i++)
        if (vt__affine_same(&g->of[i].sum, sum)) return &g->of[i];
    if (g->n == VT_MATCH_GUARDS) return NULL;
    vt_guard *made = &g->of[g->n++];
    *made = (vt_guard){.sum = *sum, .least = INT32_MIN, .most = INT32_MAX};
    made->sum.constant = 0;
    return made;
}

/* lower <= upper, as lower - upper <= 0; a sum whose first axis counts negatively is turned round. */
static bool add_order(vt_guards *g, const vt_expr *lower, const vt_expr *upper, int64_t margin) {
    vt_affine sum = {.n = 0};
    if (!read(lower, 1, 0, &sum) || !read(upper, -1, 0, &sum)) return false;
    drop_zeros(&sum);
    if (!sum.n) return false;
    int64_t limit = -sum.constant - margin;
    bool negative = sum.times[0] < 0;
    for (uint32_t i = 0; i < sum.n && negative; i++) sum.times[i] = -sum.times[i];
    vt_guard *guard = guard_of(g, &sum);
    if (!guard) return false;
    if (negative && -limit > guard->least) guard->least = -limit;
    if (!negative && limit < guard->most) guard->most = limit;
    return true;
}

static bool read_guards(const vt_expr *e, int depth, vt_guards *out) {
    if (depth > DEPTH) return false;
    if (seen_through(e)) return read_guards(e->a[0], depth + 1, out);
    switch (e->kind) {
    case VT_E_AND: return read_guards(e->a[0], depth + 1, out) && read_guards(e->a[1], depth + 1, out);
    case VT_E_LE: return add_order(out, e->a[0], e->a[1], 0);
    case VT_E_LT: return add_order(out, e->a[0], e->a[1], 1);
    case VT_E_GE: return add_order(out, e->a[1], e->a[0], 0);
    case VT_E_GT: return add_order(out, e->a[1], e->a[0], 1);
    default: return false;
    }
}

bool vt__guards_read(const vt_expr *e, vt_guards *out) {
    *out = (vt_guards){.n = 0};
    return read_guards(e, 0, out);
}

static bool is_zero(const vt_expr *e) {
    while (e->kind == VT_E_CAST) e = e->a[0];
    return e->kind == VT_E_INT && e->u.i == 0;
}

bool vt__choice_read(const vt_expr *e, const vt_expr **out_condition, const vt_expr **out_value) {
    bool call = e->kind == VT_E_CALL && e->u.op == VT_OP_IF_THEN_ELSE;
    if ((!call && e->kind != VT_E_SELECT) || !is_zero(e->a[2])) return false;
    *out_condition = e->a[0];
    *out_value = e->a[1];
    return true;
}

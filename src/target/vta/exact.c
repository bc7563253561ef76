#include "target/vta/exact.h"

#include "ir/fold.h"

enum { MOST_COMBINATIONS = 1 << 16, MOST_LOOPS = 16 };

void vt__around_enter(vt_ctx *ctx, vt_around *around, const vt_var *v, const vt_expr *min, const vt_expr *extent) {
    int64_t from, steps;
    if (!vt_as_const(min, &from) || !vt_as_const(extent, &steps)) return;
    vt_grow(ctx, &around->loops, &around->cap, around->n + 1, sizeof *around->loops);
    around->loops[around->n++] = (struct vt_around_loop){v, from, steps};
}

typedef struct exact {
    uint32_t n; /* loops that the expressions use */
    const struct vt_around_loop *loops[MOST_LOOPS];
    int64_t at[MOST_LOOPS];
} exact;

static bool value_of(const exact *x, const vt_expr *e, int64_t *out);

static bool variable(const exact *x, const vt_expr *e, int64_t *out) {
    for (uint32_t i = 0; i < x->n; i++)
        if (x->loops[i]->var == e) {
            *out = x->at[i];
            return true;
        }
    return false;
}

static bool choice(const exact *x, const vt_expr *e, int64_t *out) {
    int64_t condition;
    return value_of(x, e->a[0], &condition) && value_of(x, condition ? e->a[1] : e->a[2], out);
}

/* AND and OR. */
static bool connective(const exact *x, const vt_expr *e, int64_t *out) {
    int64_t a, b;
    if (!value_of(x, e->a[0], &a) || !value_of(x, e->a[1], &b)) return false;
    *out = e->kind == VT_E_AND ? a && b : a || b;
    return true;
}

static bool arithmetic(const exact *x, const vt_expr *e, int64_t *out) {
    int64_t a, b;
    if (!vt_dtype_is_integral(e->a[0]->dtype) || e->dtype.lanes != 1) return false;
    if (!value_of(x, e->a[0], &a) || !value_of(x, e->a[1], &b)) return false;
    if (!vt__fold_int(e->kind, e->a[0]->dtype, a, b, out)) return false;
    *out = vt__wrap_int(e->dtype, *out);
    return true;
}

static bool value_of(const exact *x, const vt_expr *e, int64_t *out) {
    if (e->kind == VT_E_INT) {
        *out = e->u.i;
        return true;
    }
    if (e->kind == VT_E_VAR) return variable(x, e, out);
    if (e->kind == VT_E_SELECT || vt_is_call(e, VT_OP_IF_THEN_ELSE)) return choice(x, e, out);
    if (vt_is_call(e, VT_OP_LIKELY)) return value_of(x, e->a[0], out);
    if (e->kind == VT_E_AND || e->kind == VT_E_OR) return connective(x, e, out);
    if (e->kind == VT_E_NOT) {
        if (!value_of(x, e->a[0], out)) return false;
        *out = !*out;
        return true;
    }
    uint8_t cls = vt_expr_infos[e->kind].cls;
    return (cls == VT_CLASS_ARITH || cls == VT_CLASS_COMPARE) && arithmetic(x, e, out);
}

/* The loops that the expressions use, and how many combinations they have. */
static bool find_loops(const vt_around *around, uint32_t n, const vt_expr *const *exprs, exact *x, int64_t *out_count) {
    *out_count = 1;
    for (uint32_t i = 0; i < around->n; i++) {
        bool used = false;
        for (uint32_t k = 0; k < n && !used; k++) used = vt_expr_uses(exprs[k], around->loops[i].var);
        if (!used) continue;
        if (x->n == MOST_LOOPS || around->loops[i].extent > MOST_COMBINATIONS) return false;
        *out_count *= around->loops[i].extent;
        if (*out_count > MOST_COMBINATIONS) return false;
        x->at[x->n] = around->loops[i].min;
        x->loops[x->n++] = &around->loops[i];
    }
    return true;
}

static void advance(exact *x) {
    for (uint32_t i = 0; i < x->n; i++) {
        if (++x->at[i] < x->loops[i]->min + x->loops[i]->extent) return;
        x->at[i] = x->loops[i]->min;
    }
}

bool vt__exact_values(vt_ctx *ctx, const vt_around *around, uint32_t n, const vt_expr *const *exprs,
                      vt_exact_visit visit, void *user) {
    exact x = {0};
    int64_t count, *values = VT_NEW_ARRAY(ctx, int64_t, n + 1);
    if (!find_loops(around, n, exprs, &x, &count)) return false;
    for (int64_t round = 0; round < count; round++, advance(&x)) {
        for (uint32_t i = 0; i < n; i++)
            if (!value_of(&x, exprs[i], &values[i])) return false;
        if (!visit(user, values)) return true;
    }
    return true;
}

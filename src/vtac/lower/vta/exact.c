#include "lower/vta/exact.h"

#include "ir/fold.h"

enum { MAX_COMBINATIONS = 1 << 16, MAX_LOOPS = 16 };

void vt__around_enter(vt_ctx *ctx, vt_around *around, const vt_var *v, const vt_expr *min, const vt_expr *extent) {
    int64_t from, steps;
    if (!vt_as_const(min, &from) || !vt_as_const(extent, &steps)) return;
    vt_grow(ctx, &around->loops, &around->cap, around->n + 1, sizeof *around->loops);
    around->loops[around->n++] = (struct vt_around_loop){v, from, steps};
}

const struct vt_around_loop *vt__around_find(const vt_around *around, const vt_var *v) {
    for (uint32_t i = around->n; i-- > 0;)
        if (around->loops[i].var == v) return &around->loops[i];
    return NULL;
}

static bool variable(const vt_known *known, const vt_expr *e, int64_t *out) {
    for (uint32_t i = known->n; i-- > 0;)
        if (known->vars[i] == e) {
            *out = known->values[i];
            return true;
        }
    return false;
}

static bool choice(const vt_known *known, const vt_expr *e, int64_t *out) {
    int64_t condition;
    return vt__exact_value(known, e->a[0], &condition) && vt__exact_value(known, condition ? e->a[1] : e->a[2], out);
}

/* AND and OR. */
static bool connective(const vt_known *known, const vt_expr *e, int64_t *out) {
    int64_t a, b;
    if (!vt__exact_value(known, e->a[0], &a) || !vt__exact_value(known, e->a[1], &b)) return false;
    *out = e->kind == VT_E_AND ? a && b : a || b;
    return true;
}

static bool arithmetic(const vt_known *known, const vt_expr *e, int64_t *out) {
    int64_t a, b;
    if (!vt_dtype_is_integral(e->a[0]->dtype) || e->dtype.lanes != 1) return false;
    if (!vt__exact_value(known, e->a[0], &a) || !vt__exact_value(known, e->a[1], &b)) return false;
    if (!vt_fold_int(e->kind, e->a[0]->dtype, a, b, out)) return false;
    *out = vt_wrap_int(e->dtype, *out);
    return true;
}

bool vt__exact_value(const vt_known *known, const vt_expr *e, int64_t *out) {
    if (e->kind == VT_E_INT) {
        *out = e->u.i;
        return true;
    }
    if (e->kind == VT_E_VAR) return variable(known, e, out);
    if (e->kind == VT_E_SELECT || vt_is_call(e, VT_OP_IF_THEN_ELSE)) return choice(known, e, out);
    if (vt_is_call(e, VT_OP_LIKELY)) return vt__exact_value(known, e->a[0], out);
    if (e->kind == VT_E_AND || e->kind == VT_E_OR) return connective(known, e, out);
    if (e->kind == VT_E_NOT) {
        if (!vt__exact_value(known, e->a[0], out)) return false;
        *out = !*out;
        return true;
    }
    uint8_t cls = vt_expr_infos[e->kind].cls;
    return (cls == VT_CLASS_ARITH || cls == VT_CLASS_COMPARE) && arithmetic(known, e, out);
}

/* ---- Trying all values ------------------------------------------------------------------------------------------ */

typedef struct counter {
    vt_known known;
    const struct vt_around_loop *loops[MAX_LOOPS];
} counter;

/* The loops that the expressions use, and how many combinations they have. */
static bool find_loops(const vt_around *around, uint32_t n, const vt_expr *const *exprs, counter *c,
                       int64_t *out_count) {
    *out_count = 1;
    for (uint32_t i = 0; i < around->n; i++) {
        const struct vt_around_loop *loop = &around->loops[i];
        bool used = false;
        for (uint32_t k = 0; k < n && !used; k++) used = vt_expr_uses(exprs[k], loop->var);
        if (!used) continue;
        if (c->known.n == MAX_LOOPS || loop->extent > MAX_COMBINATIONS) return false;
        *out_count *= loop->extent;
        if (*out_count > MAX_COMBINATIONS) return false;
        c->loops[c->known.n] = loop;
        c->known.vars[c->known.n] = loop->var;
        c->known.values[c->known.n++] = loop->min;
    }
    return true;
}

static void advance(counter *c) {
    for (uint32_t i = 0; i < c->known.n; i++) {
        if (++c->known.values[i] < c->loops[i]->min + c->loops[i]->extent) return;
        c->known.values[i] = c->loops[i]->min;
    }
}

bool vt__exact_values(vt_ctx *ctx, const vt_around *around, uint32_t n, const vt_expr *const *exprs,
                      vt_exact_visit visit, void *user) {
    counter c = {.known = {.n = 0}};
    int64_t count, *values = VT_NEW_ARRAY(ctx, int64_t, n + 1);
    if (!find_loops(around, n, exprs, &c, &count)) return false;
    for (int64_t round = 0; round < count; round++, advance(&c)) {
        for (uint32_t i = 0; i < n; i++)
            if (!vt__exact_value(&c.known, exprs[i], &values[i])) return false;
        if (!visit(user, values)) return true;
    }
    return true;
}

/* Looking into expressions, comparing and rewriting them, and the bounds of a schedule. */
#include "te/bound.h"
#include "te/expr.h"
#include "te/extern.h"

static const vt_expr *node(const te_expr *e) { return vt_is(e, VT_TAG_EXPR) ? vt_te_expr(e) : NULL; }

size_t te_expr_operands(const te_expr *e) { return node(e) ? node(e)->n : 0; }

te_expr *te_expr_operand(const te_expr *e, size_t index) {
    return index < te_expr_operands(e) ? te__out(node(e)->a[index]) : NULL;
}

te_tensor *te_expr_tensor(const te_expr *e) {
    return node(e) && node(e)->kind == VT_E_PLOAD ? te__out(node(e)->u.tensor) : NULL;
}

size_t te_expr_axes(const te_expr *e) {
    return node(e) && node(e)->kind == VT_E_REDUCE ? node(e)->u.reduce->n_axes : 0;
}

te_axis *te_expr_axis(const te_expr *e, size_t index) {
    return index < te_expr_axes(e) ? te__out(node(e)->u.reduce->axes[index]) : NULL;
}

double te_expr_float(const te_expr *e) { return node(e) && node(e)->kind == VT_E_FLOAT ? node(e)->u.f : 0; }

const char *te_expr_name(const te_expr *e) {
    if (!node(e)) return NULL;
    switch ((int)node(e)->kind) {
    case VT_E_VAR: return vt_var_name(node(e));
    case VT_E_STRING: return node(e)->u.s;
    case VT_E_LOAD: return node(e)->u.buffer->name;
    case VT_E_CALL: return vt_op_infos[node(e)->u.op].name;
    default: return NULL;
    }
}

static bool equal(te_context *c, const te_expr *x, const te_expr *y, bool map_free) {
    const vt_expr *a = te__expr_in(c, x, "an expression"), *b = te__expr_in(c, y, "an expression");
    te__measure(c, a);
    te__measure(c, b);
    return vt_expr_alpha_equal(&c->ctx, a, b, map_free);
}

static void equal_into(te_context *c, const te_expr *x, const te_expr *y, bool map_free, bool *out) {
    *out = equal(c, x, y, map_free);
}

vta_status te_expr_equal(te_context *c, const te_expr *x, const te_expr *y, bool map_free, bool *out_equal) {
    if (!out_equal) return VTA_INVALID_ARGUMENT;
    *out_equal = false;
    TE_RETURN_STATUS(c, equal_into(c, x, y, map_free, out_equal));
}

static const vt_expr *simplified(te_context *c, const te_expr *given) {
    const vt_expr *e = te__expr_in(c, given, "an expression");
    te__measure(c, e);
    return vt_simplify_free(&c->ctx, e);
}

te_expr *te_simplify(te_context *c, const te_expr *e) { TE_RETURN(c, te__out(simplified(c, e))); }

static const vt_expr *substituted(te_context *c, const te_expr *given, size_t n, te_expr *const *vars,
                                  te_expr *const *values) {
    const vt_expr *e = te__expr_in(c, given, "an expression");
    const vt_expr *const *from = te__exprs_in(c, n, vars, "a variable");
    const vt_expr *const *to = te__exprs_in(c, n, values, "the value of a variable");
    vt_varmap *map = vt_varmap_new(&c->ctx);
    te__measure(c, e);
    for (size_t i = 0; i < n; i++) {
        if (from[i]->kind != VT_E_VAR)
            te__raise(c, VTA_INVALID_ARGUMENT, "te_substitute: %s is no variable", te__repr(c, from[i]));
        vt_varmap_set(map, from[i], te__cast(c, from[i]->dtype, to[i]));
    }
    return vt_substitute(&c->ctx, e, map);
}

te_expr *te_substitute(te_context *c, const te_expr *e, size_t n, te_expr *const vars[], te_expr *const values[]) {
    TE_RETURN(c, te__out(substituted(c, e, n, vars, values)));
}

/* ---- Bounds ---- */

vta_status te_axis_range(const te_axis *axis, te_expr **out_min, te_expr **out_extent) {
    if (!out_min || !out_extent || !vt_is(axis, VT_TAG_AXIS)) return VTA_INVALID_ARGUMENT;
    const vt_iter *iter = vt_te_iter(axis);
    *out_min = iter->min ? te__out(iter->min) : NULL;
    *out_extent = iter->extent ? te__out(iter->extent) : NULL;
    return iter->min ? VTA_OK : VTA_NOT_FOUND;
}

struct te_bounds {
    vt_ptrmap *ranges;
};

/* What intrinsics run over, all of which is written. */
static void add_inner(te_context *c, te_bounds *b, const te__extern *x) {
    for (uint32_t i = 0; x && i < x->n_inner; i++)
        te__range_set(&c->ctx, b->ranges, x->inner[i], x->inner[i]->min, x->inner[i]->extent);
}

static te_bounds *bounds_of(te_context *c, te_schedule *s) {
    te_bounds *b = VT_NEW(&c->ctx, te_bounds);
    te_schedule *normal = te__normalize(s);
    b->ranges = te__infer_bounds(normal);
    for (uint32_t i = 0; i < normal->n_stages; i++) add_inner(c, b, normal->stages[i]->op->external);
    return b;
}

te_bounds *te_infer_bounds(te_schedule *s) {
    if (!vt_is(s, VT_TAG_SCHEDULE)) return NULL;
    TE_RETURN(s->c, bounds_of(s->c, s));
}

size_t te_bounds_count(const te_bounds *b) { return b ? vt_ptrmap_size(b->ranges) : 0; }

te_axis *te_bounds_axis(const te_bounds *b, size_t index) {
    return index < te_bounds_count(b) ? te__out((const vt_iter *)vt_ptrmap_key(b->ranges, (uint32_t)index)) : NULL;
}

vta_status te_bounds_range(const te_bounds *b, const te_axis *axis, te_expr **out_min, te_expr **out_extent) {
    if (!b || !out_min || !out_extent || !vt_is(axis, VT_TAG_AXIS)) return VTA_INVALID_ARGUMENT;
    const vt_range *r = te__range(b->ranges, vt_te_iter(axis));
    *out_min = r ? te__out(r->min) : NULL;
    *out_extent = r ? te__out(r->extent) : NULL;
    return r ? VTA_OK : VTA_NOT_FOUND;
}

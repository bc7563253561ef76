/* Reductions: sum, least, largest, and those whose combination is given. */
#include "te/expr.h"

static const vt_combiner *combiner(te_context *c, te_reduction kind, vt_dtype t) {
    vt_ctx *ctx = &c->ctx;
    const vt_var **sides = VT_NEW_ARRAY(ctx, const vt_var *, 2);
    const vt_expr **values = VT_NEW_ARRAY(ctx, const vt_expr *, 2);
    sides[0] = vt_var_new(ctx, "x", t);
    sides[1] = vt_var_new(ctx, "y", t);
    static const vt_expr_kind kinds[] = {[TE_SUM] = VT_E_ADD, [TE_MIN_OF] = VT_E_MIN, [TE_MAX_OF] = VT_E_MAX};
    values[0] = vt_e_bin(ctx, kinds[kind], sides[0], sides[1]);
    values[1] = kind == TE_SUM ? vt_const(ctx, t, 0) : kind == TE_MIN_OF ? vt_max_value(ctx, t) : vt_min_value(ctx, t);
    return vt_combiner_new(ctx, 1, &sides[0], &sides[1], &values[0], &values[1]);
}

/* Neither what is reduced nor what it starts at may be a reduction, or a condition. */
static void check_value(te_context *c, const vt_expr *value) {
    if (value->kind == VT_E_REDUCE)
        te__raise(c, VTA_INVALID_ARGUMENT, "a reduction cannot be reduced again: make it a tensor");
    if (vt_dtype_is_bool(value->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "a condition cannot be reduced: cast it to a number");
}

static void check_start(te_context *c, const vt_expr *value, const vt_expr *start, uint32_t n,
                        const vt_iter *const *axes) {
    char is[VT_DTYPE_TEXT], must[VT_DTYPE_TEXT];
    if (start->kind == VT_E_REDUCE)
        te__raise(c, VTA_INVALID_ARGUMENT, "a reduction cannot start at a reduction: make that a tensor");
    if (!vt_dtype_eq(start->dtype, value->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "a reduction of %s cannot start at a value of %s: cast it",
                  vt_dtype_text(value->dtype, must), vt_dtype_text(start->dtype, is));
    for (uint32_t i = 0; i < n; i++)
        if (vt_expr_uses(start, axes[i]->var))
            te__raise(c, VTA_INVALID_ARGUMENT, "what a reduction starts at may not use its reduce axis %s",
                      vt_var_name(axes[i]->var));
}

static void check_axes(te_context *c, uint32_t n, const vt_iter *const *axes) {
    if (!n) te__raise(c, VTA_INVALID_ARGUMENT, "a reduction needs at least one axis");
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i]->type != VT_ITER_COMM_REDUCE || !axes[i]->extent)
            te__raise(c, VTA_INVALID_ARGUMENT, "%s is not a reduce axis", vt_var_name(axes[i]->var));
        for (uint32_t j = 0; j < i; j++)
            if (axes[j] == axes[i])
                te__raise(c, VTA_INVALID_ARGUMENT, "reduce axis %s is given twice", vt_var_name(axes[i]->var));
    }
}

const vt_expr *te__reduce(te_context *c, te_reduction kind, const vt_expr *value, const vt_expr *start, uint32_t n,
                          const vt_iter *const *axes) {
    check_axes(c, n, axes);
    check_value(c, value);
    if (start) check_start(c, value, start, n, axes);
    return vt_e_reduce(&c->ctx, combiner(c, kind, value->dtype), 1, &value, n, axes, NULL, start ? &start : NULL, 0);
}

static const vt_expr *reduce(te_context *c, te_reduction kind, const te_expr *value, const te_expr *start, size_t n,
                             te_axis *const *axes) {
    const vt_expr *e = te__expr_in(c, value, "an expression");
    const vt_expr *from = start ? te__expr_in(c, start, "an expression") : NULL;
    if ((int)kind < TE_SUM || (int)kind > TE_MAX_OF)
        te__raise(c, VTA_INVALID_ARGUMENT, "there is no reduction %lld", (long long)kind);
    return te__reduce(c, kind, e, from, (uint32_t)n, te__axes_in(c, n, axes, "an axis"));
}

te_expr *te_reduce(te_context *c, te_reduction kind, te_expr *value, size_t n, te_axis *const axes[]) {
    TE_RETURN(c, te__out(reduce(c, kind, value, NULL, n, axes)));
}

te_expr *te_reduce_from(te_context *c, te_reduction kind, te_expr *value, te_expr *start, size_t n,
                        te_axis *const axes[]) {
    TE_RETURN(c, te__out(reduce(c, kind, value, start, n, axes)));
}

/* ---- Combinations that are given ---- */

struct te_reducer {
    vt_tag tag;
    const te_context *c;
    const vt_combiner *how;
};

static te_expr *operand(te_context *c, const char *name, const char *dtype) {
    return te__out(vt_var_new(&c->ctx, te__name(c, name, "an operand"), te__dtype(c, dtype)));
}

te_expr *te_operand(te_context *c, const char *name, const char *dtype) { TE_RETURN(c, operand(c, name, dtype)); }

static const vt_var **operands_in(te_context *c, size_t n, te_expr *const *list) {
    const vt_expr *const *given = te__exprs_in(c, n, list, "an operand");
    const vt_var **vars = VT_NEW_ARRAY(&c->ctx, const vt_var *, n);
    for (size_t i = 0; i < n; i++) {
        if (given[i]->kind != VT_E_VAR)
            te__raise(c, VTA_INVALID_ARGUMENT, "an operand of a reducer is made by te_operand, not an expression");
        vars[i] = given[i];
    }
    return vars;
}

static bool finds_read(void *user, const vt_expr *e) {
    bool *found = user;
    if (e->kind == VT_E_PLOAD || e->kind == VT_E_REDUCE) *found = true;
    return !*found;
}

static bool is_operand(const vt_combiner *how, const vt_var *v) {
    for (uint32_t k = 0; k < how->n; k++)
        if (how->lhs[k] == v || how->rhs[k] == v) return true;
    return false;
}

/* A part of a reducer is made of its operands (an identity of none), of scalars, axes and constants. */
static void check_part(te_context *c, const vt_combiner *how, uint32_t k, const vt_expr *e, bool identity) {
    const char *what = identity ? "identity" : "result";
    char is[VT_DTYPE_TEXT], must[VT_DTYPE_TEXT];
    uint32_t n;
    bool reads = false;
    vt_expr_walk(e, finds_read, &reads);
    if (reads) te__raise(c, VTA_INVALID_ARGUMENT, "%s %u of a reducer reads a tensor, or is a reduction", what, k);
    if (!vt_dtype_eq(e->dtype, how->lhs[k]->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "%s %u of a reducer is %s, but its operands are %s", what, k,
                  vt_dtype_text(e->dtype, is), vt_dtype_text(how->lhs[k]->dtype, must));
    const vt_var *const *vars = vt_expr_free_vars(&c->ctx, e, &n);
    for (uint32_t i = 0; i < n; i++)
        if (identity && is_operand(how, vars[i]))
            te__raise(c, VTA_INVALID_ARGUMENT, "%s %u of a reducer uses %s, which is one of its operands", what, k,
                      vt_var_name(vars[i]));
    if (how->n_outer && how->n > 1)
        te__raise(c, VTA_UNSUPPORTED, "a reducer of several results cannot use an axis, as this one does with %s",
                  vt_var_name(how->outer[0]));
}

static void check_operands(te_context *c, const vt_combiner *how) {
    for (uint32_t k = 0; k < how->n; k++) {
        if (!vt_dtype_eq(how->lhs[k]->dtype, how->rhs[k]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "operands %s and %s of a reducer differ in type",
                      vt_var_name(how->lhs[k]), vt_var_name(how->rhs[k]));
        const vt_var *twice = how->lhs[k] == how->rhs[k] ? how->lhs[k] : NULL;
        for (uint32_t j = 0; j < k; j++) {
            if (how->lhs[k] == how->lhs[j] || how->lhs[k] == how->rhs[j]) twice = how->lhs[k];
            if (how->rhs[k] == how->lhs[j] || how->rhs[k] == how->rhs[j]) twice = how->rhs[k];
        }
        if (twice) te__raise(c, VTA_INVALID_ARGUMENT, "operand %s of a reducer is given twice", vt_var_name(twice));
    }
}

static te_reducer *reducer(te_context *c, size_t n, te_expr *const *lhs, te_expr *const *rhs, te_expr *const *results,
                           te_expr *const *identities) {
    if (!n || n > UINT16_MAX) te__raise(c, VTA_INVALID_ARGUMENT, "a reducer has at least one result");
    te_reducer *r = VT_NEW(&c->ctx, te_reducer);
    const vt_var **left = operands_in(c, n, lhs), **right = operands_in(c, n, rhs);
    const vt_expr *const *result = vt_exprs_copy(&c->ctx, (uint32_t)n, te__exprs_in(c, n, results, "a result"));
    const vt_expr *const *identity = vt_exprs_copy(&c->ctx, (uint32_t)n, te__exprs_in(c, n, identities, "an identity"));
    for (size_t k = 0; k < n; k++) te__measure(c, result[k]);
    for (size_t k = 0; k < n; k++) te__measure(c, identity[k]);
    *r = (te_reducer){VT_TAG_REDUCER, c, vt_combiner_new(&c->ctx, (uint32_t)n, left, right, result, identity)};
    check_operands(c, r->how);
    for (uint32_t k = 0; k < r->how->n; k++) {
        check_part(c, r->how, k, result[k], false);
        check_part(c, r->how, k, identity[k], true);
    }
    return r;
}

te_reducer *te_reducer_create(te_context *c, size_t n, te_expr *const lhs[], te_expr *const rhs[],
                              te_expr *const results[], te_expr *const identities[]) {
    TE_RETURN(c, reducer(c, n, lhs, rhs, results, identities));
}

static void check_outer(te_context *c, const vt_combiner *how, uint32_t n, const vt_iter *const *axes) {
    for (uint32_t i = 0; i < how->n_outer; i++)
        for (uint32_t j = 0; j < n; j++)
            if (how->outer[i] == axes[j]->var)
                te__raise(c, VTA_INVALID_ARGUMENT, "how a reduction combines may not depend on its reduce axis %s",
                          vt_var_name(axes[j]->var));
}

static void reduce_with(te_context *c, const te_reducer *r, te_expr *const *given, te_expr *const *starts,
                        const te_expr *where, size_t axis_count, te_axis *const *list, te_expr **out_exprs) {
    te__need_a(c, VT_TAG_REDUCER, r, "a reducer");
    uint32_t n = r->how->n;
    const vt_expr *const *values = te__exprs_in(c, n, given, "a value"), *const *from = NULL;
    const vt_iter *const *axes = te__axes_in(c, axis_count, list, "an axis");
    const vt_expr *condition = where ? te__expr_in(c, where, "a condition") : NULL;
    if (starts) from = te__exprs_in(c, n, starts, "a start");
    check_axes(c, (uint32_t)axis_count, axes);
    check_outer(c, r->how, (uint32_t)axis_count, axes);
    if (condition && !vt_dtype_is_bool(condition->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "the condition of a reduction is of type %s, not bool",
                  te__dtype_text(c, condition->dtype));
    for (uint32_t k = 0; k < n; k++) {
        check_value(c, values[k]);
        if (!vt_dtype_eq(values[k]->dtype, r->how->lhs[k]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "value %u of a reduction is %s, but its reducer combines %s", k,
                      te__dtype_text(c, values[k]->dtype), te__dtype_text(c, r->how->lhs[k]->dtype));
        if (from) check_start(c, values[k], from[k], (uint32_t)axis_count, axes);
    }
    for (uint32_t k = 0; k < n; k++)
        out_exprs[k] = te__out(vt_e_reduce(&c->ctx, r->how, n, values, (uint32_t)axis_count, axes, condition, from, k));
}

vta_status te_reduce_with(te_context *c, const te_reducer *r, te_expr *const values[], te_expr *const starts[],
                          te_expr *condition, size_t axis_count, te_axis *const axes[], te_expr *out_exprs[]) {
    if (!out_exprs) return VTA_INVALID_ARGUMENT;
    TE_RETURN_STATUS(c, reduce_with(c, r, values, starts, condition, axis_count, axes, out_exprs));
}

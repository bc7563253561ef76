/* What one point of a reduction counts for in the result, where that is not the same for all points. */
#include "te/gradient.h"

/* A copy of a reduction's parts over axes of its own. */
typedef struct copied {
    const vt_iter **data, **reduce;
    vt_varmap *map;
    const vt_expr *source, *condition;
} copied;

static const vt_iter *copy_axis(te_context *c, const vt_iter *axis, bool reduce, vt_varmap *map) {
    const vt_iter *copy = te__axis(c, vt_var_name(axis->var), axis->min, axis->extent, reduce);
    vt_varmap_set(map, axis->var, copy->var);
    return copy;
}

static copied copy_reduction(te_context *c, const vt_operation *op) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr *e = op->bodies[0];
    copied x = {.map = vt_varmap_new(ctx)};
    x.data = VT_NEW_ARRAY(ctx, const vt_iter *, op->n_axes + op->n_reduce);
    x.reduce = VT_NEW_ARRAY(ctx, const vt_iter *, op->n_reduce);
    for (uint32_t i = 0; i < op->n_axes; i++) x.data[i] = copy_axis(c, op->iters[i], false, x.map);
    for (uint32_t i = 0; i < op->n_reduce; i++) x.reduce[i] = copy_axis(c, op->iters[op->n_axes + i], true, x.map);
    x.source = vt_substitute(ctx, e->a[0], x.map);
    x.condition = vt_substitute(ctx, e->a[e->n - 1], x.map);
    return x;
}

static const vt_expr *load_at(vt_ctx *ctx, const vt_tensor *t, uint32_t n, const vt_iter *const *axes) {
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) at[i] = axes[i]->var;
    return vt_e_pload(ctx, t, n, at);
}

/* The number of a point in the order of its axes. */
static const vt_expr *place_of(vt_ctx *ctx, uint32_t n, const vt_iter *const *axes) {
    const vt_expr *place = vt_i32(ctx, 0);
    for (uint32_t i = 0; i < n; i++)
        place = vt_add(ctx, vt_mul(ctx, place, axes[i]->extent), vt_sub(ctx, axes[i]->var, axes[i]->min));
    return place;
}

/* A combiner of two results, of which the second is `value`. */
static vt_combiner *combiner_of_two(vt_ctx *ctx, vt_dtype first, vt_dtype second, const vt_expr *identity) {
    const vt_var **sides = VT_NEW_ARRAY(ctx, const vt_var *, 4);
    const vt_expr **values = VT_NEW_ARRAY(ctx, const vt_expr *, 4);
    static const char *const names[] = {"p", "x", "q", "y"};
    for (int i = 0; i < 4; i++) sides[i] = vt_var_new(ctx, names[i], i % 2 ? second : first);
    values[2] = vt_const(ctx, first, 0);
    values[3] = identity;
    vt_combiner *r = VT_NEW(ctx, vt_combiner);
    *r = (vt_combiner){.n = 2, .lhs = sides, .rhs = sides + 2, .result = values, .identity = values + 2};
    return r;
}

/* Of the least or largest value its place; the first one where there are several. */
static const vt_combiner *place_combiner(vt_ctx *ctx, const vt_combiner *how, bool largest, vt_dtype place) {
    vt_combiner *r = combiner_of_two(ctx, place, how->lhs[0]->dtype, how->identity[0]);
    const vt_expr **results = (const vt_expr **)(uintptr_t)r->result;
    const vt_expr *p = r->lhs[0], *x = r->lhs[1], *q = r->rhs[0], *y = r->rhs[1];
    const vt_expr *before = vt_and(ctx, vt_eq(ctx, x, y), vt_lt(ctx, p, q));
    const vt_expr *wins = vt_or(ctx, largest ? vt_gt(ctx, x, y) : vt_lt(ctx, x, y), before);
    results[0] = vt_select(ctx, wins, p, q);
    results[1] = vt_select(ctx, wins, x, y);
    ((const vt_expr **)(uintptr_t)r->identity)[0] = vt_max_value(ctx, place);
    return r;
}

/* Results `how` and its derivative by one source: d of how(x, y) = (d how / d x) p + (d how / d y) q. */
static const vt_combiner *dual_combiner(te_context *c, const char *what, const vt_combiner *how) {
    vt_ctx *ctx = &c->ctx;
    vt_dtype t = how->lhs[0]->dtype;
    vt_combiner *r = combiner_of_two(ctx, t, t, how->identity[0]);
    const vt_expr **results = (const vt_expr **)(uintptr_t)r->result, *derivative = te__zero(c, t);
    vt_varmap *map = vt_varmap_new(ctx);
    vt_varmap_set(map, how->lhs[0], r->lhs[1]);
    vt_varmap_set(map, how->rhs[0], r->rhs[1]);
    results[1] = vt_substitute(ctx, how->result[0], map);
    vt_ptrmap *wanted = vt_ptrmap_new(ctx);
    vt_ptrmap_set(wanted, r->lhs[1], r);
    vt_ptrmap_set(wanted, r->rhs[1], r);
    te__partials parts = {.n = 0};
    te__differentiate(c, what, results[1], te__one(c, t), wanted, &parts);
    for (uint32_t i = 0; i < parts.n; i++) {
        const vt_var *change = parts.items[i].leaf == r->lhs[1] ? r->lhs[0] : r->rhs[0];
        derivative = vt_add(ctx, derivative, vt_mul(ctx, parts.items[i].factor, change));
    }
    results[0] = derivative;
    return r;
}

/* The first result of a reduction to two. */
static const vt_tensor *reduce_two(te_context *c, const vt_operation *op, const char *suffix, const vt_combiner *how,
                                   const vt_expr *first, const copied *x, uint32_t n_data) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr *sources[2] = {first, x->source}, *bodies[2];
    for (uint32_t k = 0; k < 2; k++)
        bodies[k] = vt_e_reduce(ctx, how, 2, sources, op->n_reduce, x->reduce, x->condition, NULL, k);
    const char *name = vt_new_format(ctx, "%s.%s", op->name, suffix);
    return te__compute(c, name, "", n_data, x->data, 2, bodies)->outputs[0];
}

static const vt_expr *chosen(te_context *c, const vt_operation *op, bool largest) {
    vt_ctx *ctx = &c->ctx;
    copied x = copy_reduction(c, op);
    const vt_expr *place = place_of(ctx, op->n_reduce, x.reduce);
    const vt_combiner *how = place_combiner(ctx, op->bodies[0]->u.reduce->combiner, largest, place->dtype);
    const vt_tensor *t = reduce_two(c, op, "place", how, place, &x, op->n_axes);
    const vt_expr *here = place_of(ctx, op->n_reduce, op->iters + op->n_axes),
                  *there = load_at(ctx, t, op->n_axes, op->iters);
    vt_dtype type = op->bodies[0]->dtype;
    return vt_select(ctx, vt_eq(ctx, here, there), te__one(c, type), te__zero(c, type));
}

/* For every point of the reduction the derivative of the result by the value there: a tensor with its axes behind. */
static const vt_expr *by_each(te_context *c, const vt_operation *op) {
    vt_ctx *ctx = &c->ctx;
    copied x = copy_reduction(c, op);
    vt_dtype type = op->bodies[0]->dtype;
    const vt_expr *same = vt_bool(ctx, true);
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_axes + op->n_reduce);
    for (uint32_t i = 0; i < op->n_axes + op->n_reduce; i++) at[i] = op->iters[i]->var;
    for (uint32_t i = 0; i < op->n_reduce; i++) {
        const vt_iter *r = x.reduce[i];
        x.data[op->n_axes + i] = te__fresh_axis(c, vt_var_name(r->var), r->extent);
        same = vt_and(ctx, same, vt_eq(ctx, r->var, vt_add(ctx, x.data[op->n_axes + i]->var, r->min)));
        at[op->n_axes + i] = vt_sub(ctx, at[op->n_axes + i], r->min);
    }
    const vt_combiner *how = dual_combiner(c, op->name, op->bodies[0]->u.reduce->combiner);
    const vt_expr *is = vt_select(ctx, same, te__one(c, type), te__zero(c, type));
    const vt_tensor *t = reduce_two(c, op, "weight", how, is, &x, op->n_axes + op->n_reduce);
    return vt_e_pload(ctx, t, t->ndim, at);
}

static bool combines_by(const vt_combiner *how, vt_expr_kind kind) {
    const vt_expr *e = how->result[0];
    return e->kind == kind &&
           ((e->a[0] == how->lhs[0] && e->a[1] == how->rhs[0]) || (e->a[0] == how->rhs[0] && e->a[1] == how->lhs[0]));
}

const vt_expr *te__reduction_weight(te_context *c, const vt_operation *op) {
    const vt_reduce *r = op->bodies[0]->u.reduce;
    if (r->n_sources > 1)
        te__raise(c, VTA_UNSUPPORTED,
                  "%s cannot be differentiated: its reduction has %u results; write the gradient as a computation",
                  op->name, r->n_sources);
    if (combines_by(r->combiner, VT_E_ADD)) return NULL;
    if (r->has_init)
        te__raise(c, VTA_UNSUPPORTED,
                  "%s cannot be differentiated: its reduction is no sum and starts at a value (init)", op->name);
    if (r->combiner->n_outer)
        te__raise(c, VTA_UNSUPPORTED,
                  "%s cannot be differentiated: its reducer uses %s, which is not one of its operands", op->name,
                  vt_var_name(r->combiner->outer[0]));
    if (combines_by(r->combiner, VT_E_MAX)) return chosen(c, op, true);
    if (combines_by(r->combiner, VT_E_MIN)) return chosen(c, op, false);
    return by_each(c, op);
}

/* Does what the inner loops of a stage compute match what an intrinsic computes? */
#include "te/bound.h"
#include "te/expr.h"
#include "te/tensorize.h"

const char *te__match_where(const te__match *m) {
    return vt_new_format(m->ctx, "cannot tensorize %s at %s with %s", m->st->origin->name,
                         vt_var_name(m->st->leaf.items[m->at]->var), m->intrin->name);
}

static const vt_expr *const *extents_of(const te__match *m, uint32_t n, const vt_range *region) {
    const vt_expr **extents = VT_NEW_ARRAY(m->ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) extents[i] = vt_simplify_free(m->ctx, region[i].extent);
    return extents;
}

static const char *shape_text(const te__match *m, uint32_t n, const vt_expr *const *shape) {
    const char *text = "";
    for (uint32_t i = 0; i < n; i++)
        text = vt_new_format(m->ctx, "%s%s%s", text, i ? " x " : "", te__repr(m->c, shape[i]));
    return n ? text : "1";
}

/* ---- What the replaced loops cover ---- */

static vt_ptrmap *inner_sets(te__match *m) {
    vt_ptrmap *sets = vt_ptrmap_new(m->ctx);
    for (uint32_t i = m->st->leaf.n; i > 0; i--) {
        const vt_iter *axis = m->st->leaf.items[i - 1];
        const vt_range *r = te__range(m->ranges, axis);
        const te__axis_attr *attr = te__attr(m->st, axis);
        if (i > m->at && attr && attr->thread)
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the loop %s inside it is bound to thread %s",
                         te__match_where(m), vt_var_name(axis->var), attr->thread->thread_tag);
        if (vt_is_const(r->extent, 1))
            te__set_put(m->ctx, sets, axis, vt_intset_point(r->min));
        else if (i <= m->at)
            te__set_put(m->ctx, sets, axis, vt_intset_point(axis->var));
        else
            te__set_put(m->ctx, sets, axis, vt_intset_range(m->ctx, r->min, r->extent));
    }
    te__pass_up_domain(vt_analyzer_new(m->ctx), m->st, m->ranges, sets);
    return sets;
}

void te__find_regions(te__match *m) {
    vt_ctx *ctx = m->ctx;
    uint32_t n = m->op->n_axes + m->op->n_reduce;
    vt_ptrmap *sets = inner_sets(m);
    vt_analyzer *a = vt_analyzer_new(ctx);
    vt_dommap *domain = vt_dommap_new(ctx);
    m->own = VT_NEW_ARRAY(ctx, vt_range, n);
    for (uint32_t i = 0; i < n; i++) {
        const vt_iter *axis = m->op->iters[i];
        const vt_intset *set = vt_ptrmap_get(sets, axis);
        m->own[i] = vt_intset_cover(vt_analyzer_new(ctx), *set, *te__range(m->ranges, axis));
        vt_analyzer_bind_range(a, axis->var, m->own[i].min, m->own[i].extent, true);
        vt_dommap_set(domain, axis->var, *set);
    }
    te__demand *demands = VT_NEW_ARRAY(ctx, te__demand, m->op->n_inputs);
    m->regions = VT_NEW_ARRAY(ctx, vt_range *, m->op->n_inputs);
    for (uint32_t k = 0; k < m->op->n_inputs; k++) demands[k].tensor = m->op->inputs[k];
    te__demand_of(a, m->op, domain, m->op->n_inputs, demands);
    for (uint32_t k = 0; k < m->op->n_inputs; k++) {
        uint32_t ndim = demands[k].tensor->ndim;
        m->regions[k] = VT_NEW_ARRAY(ctx, vt_range, ndim);
        for (uint32_t d = 0; d < ndim; d++) {
            vt_range r = vt_intset_cover(vt_analyzer_new(ctx), te__demand_union(ctx, &demands[k], d), (vt_range){0});
            if (!r.min)
                te__raise_at(m->c, m->pos, VTA_ILLEGAL,
                             "%s: which part of %s its loops read (dimension %u) cannot be told", te__match_where(m),
                             demands[k].tensor->name, d);
            m->regions[k][d] = r;
        }
    }
}

/* ---- Shapes ---- */

static void check_input(te__match *m, uint32_t k) {
    const vt_tensor *t = m->op->inputs[k], *want = m->what->inputs[k];
    const vt_range *region = m->regions[k];
    bool fits = t->ndim >= want->ndim;
    uint32_t start = fits ? t->ndim - want->ndim : 0;
    for (uint32_t d = 0; fits && d < t->ndim; d++) {
        const vt_expr *extent = vt_simplify(m->analyzer, region[d].extent);
        fits = d < start ? vt_is_const(extent, 1) : vt_prove_equal(m->analyzer, extent, want->shape[d - start]);
    }
    if (!fits)
        te__raise_at(
            m->c, m->pos, VTA_ILLEGAL,
            "%s: the intrinsic reads %s of %s, but the loops from %s inwards read %s of %s; split or reorder until "
            "the inner loops are those of the intrinsic",
            te__match_where(m), shape_text(m, want->ndim, want->shape), want->name,
            vt_var_name(m->st->leaf.items[m->at]->var), shape_text(m, t->ndim, extents_of(m, t->ndim, region)),
            t->name);
}

static _Noreturn void refuse_extent(te__match *m, const vt_iter *axis, const vt_expr *extent, const vt_expr *want,
                                    const char *kind) {
    const char *loop = vt_var_name(m->st->leaf.items[m->at]->var),
               *is = te__repr(m->c, vt_simplify_free(m->ctx, extent));
    if (vt_is_const(want, 1))
        te__raise_at(
            m->c, m->pos, VTA_ILLEGAL,
            "%s: inside it the %s axis %s of %s runs over %s, but the intrinsic takes one step of it; move its loop "
            "outside of %s",
            te__match_where(m), kind, vt_var_name(axis->var), m->st->origin->name, is, loop);
    te__raise_at(
        m->c, m->pos, VTA_ILLEGAL,
        "%s: inside it the %s axis %s of %s runs over %s, but the intrinsic needs %s; split it by %s, and keep the "
        "inner part inside of %s",
        te__match_where(m), kind, vt_var_name(axis->var), m->st->origin->name, is, te__repr(m->c, want),
        te__repr(m->c, want), loop);
}

/* Root axes [0, n) of the stage against the last of the intrinsic's; `first` is where they start in the lists. */
static void match_axes(te__match *m, uint32_t first, uint32_t n, uint32_t want_first, uint32_t want_n,
                       const char *kind) {
    vt_ctx *ctx = m->ctx;
    if (n < want_n)
        te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has %u %s axes, %s only %u", te__match_where(m),
                     want_n, kind, m->st->origin->name, n);
    for (uint32_t i = 0; i < n; i++) {
        const vt_iter *axis = m->op->iters[first + i];
        vt_range r = m->own[first + i];
        const vt_iter *target = i < n - want_n ? NULL : m->what->iters[want_first + i - (n - want_n)];
        const vt_expr *want = target ? target->extent : vt_i32(ctx, 1);
        if (!vt_prove_equal(m->analyzer, r.extent, want)) refuse_extent(m, axis, r.extent, want, kind);
        vt_varmap_set(m->vars, axis->var, target ? vt_add(ctx, target->var, r.min) : r.min);
        m->axes[first + i] = target;
        if (target) vt_analyzer_bind_range(m->analyzer, target->var, target->min, target->extent, true);
    }
}

void te__match_shapes(te__match *m) {
    for (uint32_t i = 0; i < m->st->leaf.n; i++) {
        const vt_iter *axis = m->st->leaf.items[i];
        const vt_range *r = te__range(m->ranges, axis);
        vt_analyzer_bind_range(m->analyzer, axis->var, r->min, r->extent, true);
    }
    if (m->op->n_inputs != m->what->n_inputs || m->op->n_outputs != m->what->n_outputs)
        te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has %u inputs and %u outputs, %s has %u and %u",
                     te__match_where(m), m->what->n_inputs, m->what->n_outputs, m->st->origin->name, m->op->n_inputs,
                     m->op->n_outputs);
    match_axes(m, 0, m->op->n_axes, 0, m->what->n_axes, "data");
    match_axes(m, m->op->n_axes, m->op->n_reduce, m->what->n_axes, m->what->n_reduce, "reduce");
    for (uint32_t k = 0; k < m->op->n_inputs; k++) check_input(m, k);
}

/* ---- Bodies ---- */

static const vt_expr *remap(void *user, const vt_expr *e) {
    te__match *m = user;
    if (e->kind == VT_E_VAR) {
        const vt_expr *value = vt_varmap_get(m->vars, e);
        return value ? value : e;
    }
    if (e->kind != VT_E_PLOAD) return e;
    for (uint32_t k = 0; k < m->op->n_inputs; k++) {
        if (e->u.tensor != m->op->inputs[k]) continue;
        const vt_tensor *to = m->what->inputs[k];
        uint32_t start = e->n - to->ndim;
        const vt_expr **index = VT_NEW_ARRAY(m->ctx, const vt_expr *, to->ndim);
        for (uint32_t d = 0; d < to->ndim; d++)
            index[d] = vt_sub(m->ctx, e->a[start + d], m->regions[k][start + d].min);
        return vt_e_pload(m->ctx, to, to->ndim, index);
    }
    return e;
}

static const vt_expr *settle(te__match *m, const vt_expr *e, const vt_ptrmap *values) {
    vt_varmap *map = vt_varmap_new(m->ctx);
    for (uint32_t i = 0; i < vt_ptrmap_size(values); i++)
        vt_varmap_set(map, ((const vt_iter *)vt_ptrmap_key(values, i))->var, vt_ptrmap_value(values, i));
    return vt_simplify(m->analyzer, vt_substitute(m->ctx, e, map));
}

static bool same_reduction(vt_ctx *ctx, const vt_combiner *x, const vt_combiner *y) {
    bool same = x->n == y->n;
    vt_varmap *map = vt_varmap_new(ctx);
    for (uint32_t k = 0; same && k < x->n; k++) {
        same = vt_dtype_eq(x->lhs[k]->dtype, y->lhs[k]->dtype) && vt_dtype_eq(x->rhs[k]->dtype, y->rhs[k]->dtype);
        vt_varmap_set(map, x->lhs[k], y->lhs[k]);
        vt_varmap_set(map, x->rhs[k], y->rhs[k]);
    }
    for (uint32_t k = 0; same && k < x->n; k++)
        same = vt_expr_equal(vt_substitute(ctx, x->result[k], map), y->result[k]) &&
               vt_expr_equal(x->identity[k], y->identity[k]);
    return same;
}

void te__match_bodies(te__match *m, const vt_ptrmap *values) {
    vt_ctx *ctx = m->ctx;
    for (uint32_t k = 0; k < m->op->n_outputs; k++) {
        const vt_expr *x = m->op->bodies[k], *y = m->what->bodies[k];
        bool reduce = x->kind == VT_E_REDUCE;
        if (!vt_dtype_eq(x->dtype, y->dtype))
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: %s has elements of type %s, the intrinsic gives %s",
                         te__match_where(m), m->st->origin->name, te__dtype_text(m->c, x->dtype),
                         te__dtype_text(m->c, y->dtype));
        if (reduce != (y->kind == VT_E_REDUCE) ||
            (reduce && !same_reduction(ctx, x->u.reduce->combiner, y->u.reduce->combiner)))
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: %s is not a reduction of the kind that the intrinsic computes",
                         te__match_where(m), m->st->origin->name);
        uint32_t parts = reduce ? x->n : 1;
        for (uint32_t i = 0; i < parts; i++) {
            const vt_expr *mine = reduce ? x->a[i] : x, *its = reduce && i < y->n ? y->a[i] : y;
            mine = settle(m, vt_expr_rewrite(ctx, mine, remap, m), values);
            its = settle(m, its, values);
            if (!vt_expr_equal(mine, its))
                te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: its body computes %s where the intrinsic computes %s",
                             te__match_where(m), te__repr(m->c, mine), te__repr(m->c, its));
        }
    }
}

const vt_expr *te__matched_body(te__match *m, uint32_t index, const vt_ptrmap *values) {
    vt_ctx *ctx = m->ctx;
    const vt_expr *e = m->op->bodies[index];
    if (e->kind != VT_E_REDUCE) return settle(m, vt_expr_rewrite(ctx, e, remap, m), values);
    const vt_reduce *r = e->u.reduce,
                    *its = m->what->bodies[index]->u.reduce; /* they combine alike: te__match_bodies */
    const vt_expr **parts = VT_NEW_ARRAY(ctx, const vt_expr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) parts[i] = settle(m, vt_expr_rewrite(ctx, e->a[i], remap, m), values);
    const vt_iter **axes = VT_NEW_ARRAY(ctx, const vt_iter *, r->n_axes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_axes; i++)
        if (m->axes[m->op->n_axes + i]) axes[n++] = m->axes[m->op->n_axes + i];
    return vt_e_reduce(ctx, its->combiner, r->n_sources, parts, n, axes, parts[e->n - 1],
                       r->has_init ? parts + r->n_sources : NULL, index);
}

/* Putting an intrinsic in place of the inner loops of a stage: does what they compute match what it computes? */
#include "te/priv.h"

typedef struct matcher {
    te_context *c;
    vt_ctx *ctx;
    const te_stage *st;
    const vt_operation *op; /* of the stage */
    te_intrin *intrin;
    vt_pos pos;               /* where tensorize was called */
    const vt_operation *what; /* of the intrinsic */
    const vt_ptrmap *ranges;
    uint32_t at;           /* leaf from which on the loops are replaced */
    vt_range *own;         /* what each root axis covers inside */
    vt_range **regions;    /* what is read of each input */
    vt_varmap *vars;       /* root axis -> the intrinsic's axis + offset */
    const vt_iter **axes;  /* reduce axis of the stage -> of the intrinsic, NULL where it is fixed */
    vt_analyzer *analyzer; /* knows the ranges of the outer loops and of the intrinsic's axes */
} matcher;

static const char *where(const matcher *m) {
    return vt_new_format(m->ctx, "cannot tensorize %s at %s with %s", m->st->origin->name,
                         vt_var_name(m->st->leaf.items[m->at]->var), m->intrin->name);
}

static const vt_expr *const *extents_of(const matcher *m, uint32_t n, const vt_range *region) {
    const vt_expr **extents = VT_NEW_ARRAY(m->ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) extents[i] = vt_simplify_free(m->ctx, region[i].extent);
    return extents;
}

static const char *shape_text(const matcher *m, uint32_t n, const vt_expr *const *shape) {
    const char *text = "";
    for (uint32_t i = 0; i < n; i++)
        text = vt_new_format(m->ctx, "%s%s%s", text, i ? " x " : "", te__repr(m->c, shape[i]));
    return n ? text : "1";
}

/* ---- What the replaced loops cover ---- */

static vt_ptrmap *inner_sets(matcher *m) {
    vt_ptrmap *sets = vt_ptrmap_new(m->ctx);
    for (uint32_t i = m->st->leaf.n; i > 0; i--) {
        const vt_iter *axis = m->st->leaf.items[i - 1];
        const vt_range *r = te__range(m->ranges, axis);
        const te__axis_attr *attr = te__attr(m->st, axis);
        if (i > m->at && attr && attr->thread)
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the loop %s inside it is bound to thread %s", where(m),
                         vt_var_name(axis->var), attr->thread->thread_tag);
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

static void find_regions(matcher *m) {
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
                             "%s: which part of %s its loops read (dimension %u) cannot be told", where(m),
                             demands[k].tensor->name, d);
            m->regions[k][d] = r;
        }
    }
}

/* ---- Shapes ---- */

static void check_input(matcher *m, uint32_t k) {
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
            where(m), shape_text(m, want->ndim, want->shape), want->name, vt_var_name(m->st->leaf.items[m->at]->var),
            shape_text(m, t->ndim, extents_of(m, t->ndim, region)), t->name);
}

static _Noreturn void refuse_extent(matcher *m, const vt_iter *axis, const vt_expr *extent, const vt_expr *want,
                                    const char *kind) {
    const char *loop = vt_var_name(m->st->leaf.items[m->at]->var),
               *is = te__repr(m->c, vt_simplify_free(m->ctx, extent));
    if (vt_is_const(want, 1))
        te__raise_at(
            m->c, m->pos, VTA_ILLEGAL,
            "%s: inside it the %s axis %s of %s runs over %s, but the intrinsic takes one step of it; move its loop "
            "outside of %s",
            where(m), kind, vt_var_name(axis->var), m->st->origin->name, is, loop);
    te__raise_at(
        m->c, m->pos, VTA_ILLEGAL,
        "%s: inside it the %s axis %s of %s runs over %s, but the intrinsic needs %s; split it by %s, and keep the "
        "inner part inside of %s",
        where(m), kind, vt_var_name(axis->var), m->st->origin->name, is, te__repr(m->c, want), te__repr(m->c, want),
        loop);
}

/* Root axes [0, n) of the stage against the last of the intrinsic's; `first` is where they start in the lists. */
static void match_axes(matcher *m, uint32_t first, uint32_t n, uint32_t want_first, uint32_t want_n, const char *kind) {
    vt_ctx *ctx = m->ctx;
    if (n < want_n)
        te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has %u %s axes, %s only %u", where(m), want_n, kind,
                     m->st->origin->name, n);
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

static void match_shapes(matcher *m) {
    for (uint32_t i = 0; i < m->st->leaf.n; i++) {
        const vt_iter *axis = m->st->leaf.items[i];
        const vt_range *r = te__range(m->ranges, axis);
        vt_analyzer_bind_range(m->analyzer, axis->var, r->min, r->extent, true);
    }
    if (m->op->n_inputs != m->what->n_inputs || m->op->n_outputs != m->what->n_outputs)
        te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has %u inputs and %u outputs, %s has %u and %u",
                     where(m), m->what->n_inputs, m->what->n_outputs, m->st->origin->name, m->op->n_inputs,
                     m->op->n_outputs);
    match_axes(m, 0, m->op->n_axes, 0, m->what->n_axes, "data");
    match_axes(m, m->op->n_axes, m->op->n_reduce, m->what->n_axes, m->what->n_reduce, "reduce");
    for (uint32_t k = 0; k < m->op->n_inputs; k++) check_input(m, k);
}

/* ---- Bodies ---- */

static const vt_expr *remap(void *user, const vt_expr *e) {
    matcher *m = user;
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

static const vt_expr *settle(matcher *m, const vt_expr *e, const vt_ptrmap *values) {
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

static void match_bodies(matcher *m, const vt_ptrmap *values) {
    vt_ctx *ctx = m->ctx;
    for (uint32_t k = 0; k < m->op->n_outputs; k++) {
        const vt_expr *x = m->op->bodies[k], *y = m->what->bodies[k];
        bool reduce = x->kind == VT_E_REDUCE;
        if (!vt_dtype_eq(x->dtype, y->dtype))
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: %s has elements of type %s, the intrinsic gives %s", where(m),
                         m->st->origin->name, te__dtype_text(m->c, x->dtype), te__dtype_text(m->c, y->dtype));
        if (reduce != (y->kind == VT_E_REDUCE) ||
            (reduce && !same_reduction(ctx, x->u.reduce->combiner, y->u.reduce->combiner)))
            te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: %s is not a reduction of the kind that the intrinsic computes",
                         where(m), m->st->origin->name);
        uint32_t parts = reduce ? x->n : 1;
        for (uint32_t i = 0; i < parts; i++) {
            const vt_expr *mine = reduce ? x->a[i] : x, *its = reduce && i < y->n ? y->a[i] : y;
            mine = settle(m, vt_expr_rewrite(ctx, mine, remap, m), values);
            its = settle(m, its, values);
            if (!vt_expr_equal(mine, its))
                te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: its body computes %s where the intrinsic computes %s",
                             where(m), te__repr(m->c, mine), te__repr(m->c, its));
        }
    }
}

/* ---- Conditions ---- */

static bool defined_inside(void *user, const vt_var *v) { return vt_varmap_get(user, v) != NULL; }

static void note_defined(vt_varmap *inside, const te__nest *level) {
    for (uint32_t i = 0; i < level->n; i++) {
        const vt_stmt *s = level->items[i];
        if (s->kind == VT_S_FOR) vt_varmap_set(inside, s->u.loop.var, s->u.loop.var);
        if (s->kind == VT_S_LET) vt_varmap_set(inside, s->u.let.var, s->u.let.var);
        if (s->kind == VT_S_ATTR && s->u.attr.node.kind == VT_REF_ITER)
            vt_varmap_set(inside, s->u.attr.node.u.iter->var, s->u.attr.node.u.iter->var);
    }
}

/* The split that a condition comes from: one that does not divide its axis and whose loops the condition uses. */
static const te__relation *inexact_split(matcher *m, const vt_expr *condition) {
    for (uint32_t i = 0; i < m->st->n_relations; i++) {
        const te__relation *r = &m->st->relations[i];
        if (r->kind != TE__SPLIT) continue;
        const vt_expr *extent = te__range(m->ranges, r->parent)->extent;
        const vt_expr *factor = te__range(m->ranges, r->inner)->extent;
        bool uses = vt_expr_uses(condition, r->inner->var) || vt_expr_uses(condition, r->outer->var);
        if (uses && !vt_is_const(vt_simplify_free(m->ctx, vt_floormod(m->ctx, extent, factor)), 0)) return r;
    }
    return NULL;
}

static _Noreturn void refuse_split(matcher *m, const te__relation *r) {
    const char *steps = te__repr(m->c, vt_simplify_free(m->ctx, te__range(m->ranges, r->parent)->extent));
    te__raise_at(
        m->c, m->pos, VTA_ILLEGAL,
        "axis %s of %s is split by %s, which does not divide its %s steps, and the loop %s that %s replaces can "
        "have no tail: choose a factor that divides %s",
        vt_var_name(r->parent->var), m->st->origin->name,
        te__repr(m->c, vt_simplify_free(m->ctx, te__range(m->ranges, r->inner)->extent)), steps,
        vt_var_name(m->st->leaf.items[m->at]->var), m->intrin->name, steps);
}

static void refuse_conditions(matcher *m, const vt_varmap *inside, const vt_expr *const *conditions, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!vt_expr_uses_any(conditions[i], defined_inside, (void *)(uintptr_t)inside)) continue;
        const te__relation *r = inexact_split(m, conditions[i]);
        if (r) refuse_split(m, r);
        te__raise_at(m->c, m->pos, VTA_ILLEGAL,
                     "%s: the loops inside it need the condition %s, since a split does not divide its axis; choose a "
                     "factor that does",
                     where(m), te__repr(m->c, conditions[i]));
    }
}

static void check_conditions(matcher *m, const te__loops *l) {
    vt_varmap *inside = vt_varmap_new(m->ctx);
    for (uint32_t i = m->at; i < m->st->leaf.n; i++) {
        note_defined(inside, &l->main[i + 1]);
        if (l->init) note_defined(inside, &l->init[i + 1]);
    }
    refuse_conditions(m, inside, l->main_conditions, l->n_main_conditions);
    refuse_conditions(m, inside, l->init_conditions, l->n_init_conditions);
}

/* ---- The statement ---- */

static const vt_stmt *bind_buffer(matcher *m, const vt_buffer *b, const vt_tensor *t, uint32_t n,
                                  const vt_range *region, const vt_stmt *body) {
    const vt_expr **tuple = VT_NEW_ARRAY(m->ctx, const vt_expr *, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        tuple[2 * i] = region[i].min;
        tuple[2 * i + 1] = region[i].extent;
    }
    const vt_expr *value = vt_e_call(m->ctx, VT_HANDLE_T, VT_OP_TUPLE, 2 * n, tuple);
    return vt_s_attr(m->ctx, vt_ref_pair(b, t), VT_ATTR_BIND_BUFFER, value, body);
}

static const vt_stmt *bind_outputs(matcher *m, const vt_stmt *body) {
    uint32_t n = m->op->n_inputs;
    for (uint32_t k = m->op->n_outputs; k > 0; k--)
        body = bind_buffer(m, m->intrin->buffers[n + k - 1], m->op->outputs[k - 1], m->op->n_axes, m->own, body);
    return body;
}

static const vt_stmt *bind_inputs(matcher *m, const vt_stmt *body) {
    for (uint32_t k = m->op->n_inputs; k > 0; k--)
        body = bind_buffer(m, m->intrin->buffers[k - 1], m->op->inputs[k - 1], m->op->inputs[k - 1]->ndim,
                           m->regions[k - 1], body);
    return body;
}

static const vt_stmt *need_part(matcher *m, te_intrin_part part, const char *what) {
    const vt_stmt *s = te__intrin_part(m->ctx, m->intrin, part);
    if (!s) te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has no %s part", where(m), what);
    return s;
}

/* Without a reset part: the body part in the first step of the reduction, the update part in the others. */
static const vt_stmt *reset_by_body(matcher *m, const te__loops *l) {
    const vt_expr *later = NULL;
    vt_varmap *reduction = vt_varmap_new(m->ctx);
    for (uint32_t i = 0; i < m->at; i++) {
        const vt_iter *axis = m->st->leaf.items[i];
        if (axis->type != VT_ITER_COMM_REDUCE) continue;
        const vt_expr *c = vt_likely(m->ctx, vt_gt(m->ctx, axis->var, te__range(m->ranges, axis)->min));
        later = later ? vt_or(m->ctx, later, c) : c;
        vt_varmap_set(reduction, axis->var, axis->var);
    }
    refuse_conditions(m, reduction, l->main_conditions, l->n_main_conditions);
    const vt_stmt *update = need_part(m, TE_INTRIN_UPDATE, "update"), *body = need_part(m, TE_INTRIN_BODY, "body");
    return later ? vt_s_if(m->ctx, later, update, body) : update;
}

/* A body that is the update adds to what is there, so a reduction wholly inside of it needs a reset as well. Its loops
 * stand before those of the update. */
static bool body_accumulates(const matcher *m) {
    const vt_stmt *body = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_BODY),
                  *reset = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_RESET);
    const vt_stmt *update = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_UPDATE);
    return m->op->n_reduce && body && reset && update && vt_stmt_equal(body, update);
}

static const vt_stmt *assemble(matcher *m, const te__loops *l) {
    vt_ctx *ctx = m->ctx;
    bool whole = m->at <= l->common, apart = whole && body_accumulates(m);
    if (apart) l = te__make_loops(ctx, m->st, m->ranges, true);
    uint32_t inner = m->at + 1, outer = l->common + 1;
    if (whole && !apart) {
        if (l->n_init_conditions) refuse_conditions(m, vt_varmap_new(ctx), l->init_conditions, l->n_init_conditions);
        const vt_stmt *body = bind_inputs(m, bind_outputs(m, need_part(m, TE_INTRIN_BODY, "body")));
        body = te__substitute_axes(ctx, body, l->main_values);
        body = te__wrap_conditions(ctx, l->main_conditions, l->n_main_conditions, body);
        return te__wrap(ctx, l->main, 0, inner, body);
    }
    const vt_stmt *init = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_RESET);
    const vt_stmt *update = init ? need_part(m, TE_INTRIN_UPDATE, "update") : reset_by_body(m, l);
    update = te__substitute_axes(ctx, bind_inputs(m, bind_outputs(m, update)), l->main_values);
    update = te__wrap_conditions(ctx, l->main_conditions, l->n_main_conditions, update);
    update = te__wrap(ctx, l->main, outer, inner, update);
    if (init) {
        init = te__substitute_axes(ctx, bind_outputs(m, init), l->init_values);
        init = te__wrap_conditions(ctx, l->init_conditions, l->n_init_conditions, init);
        init = te__wrap(ctx, l->init, 0, inner, init);
        update = vt_s_seq(ctx, 2, (const vt_stmt *const[]){init, update});
    }
    return te__wrap(ctx, l->main, 0, outer, update);
}

const vt_stmt *te__make_tensorized(te_context *c, const te_stage *st, const vt_ptrmap *ranges) {
    vt_ctx *ctx = &c->ctx;
    matcher m = {.c = c, .ctx = ctx, .st = st, .op = st->op, .ranges = ranges};
    while (te__attr(st, st->leaf.items[m.at]) == NULL || te__attr(st, st->leaf.items[m.at])->type != VT_ITER_TENSORIZED)
        m.at++;
    m.intrin = te__attr(st, st->leaf.items[m.at])->intrin;
    m.pos = te__attr(st, st->leaf.items[m.at])->intrin_pos;
    m.what = m.intrin->op;
    m.vars = vt_varmap_new(ctx);
    m.analyzer = vt_analyzer_new(ctx);
    m.axes = VT_NEW_ARRAY(ctx, const vt_iter *, st->op->n_axes + st->op->n_reduce);
    find_regions(&m);
    te__loops *loops = te__make_loops(ctx, st, ranges, false);
    match_shapes(&m);
    check_conditions(&m, loops);
    match_bodies(&m, loops->main_values);
    return assemble(&m, loops);
}

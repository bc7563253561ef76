/* A reduction in two stages: the first reduces for each value of one of its loops, the second what that gave. */
#include "te/bound.h"
#include "te/expr.h"

enum { OF_DATA = 1, OF_REDUCTION = 2 };

typedef struct factoring {
    te_context *c;
    vt_ctx *ctx;
    te_schedule *s;
    te_stage *st;
    const vt_operation *op;
    const vt_iter *axis; /* the loop that becomes a data axis */
    uint32_t place;
    vt_ptrmap *masks;   /* of which axes a loop is made */
    vt_ptrmap *touched; /* the axes that `axis` is made of, all made of these, and what else those are made of */
    vt_ptrmap *ranges;
    vt_varmap *values;    /* of the old axes, in terms of the new ones */
    const vt_iter **axes; /* of the first stage: data axes with `axis` among them, then what is left of the reduction */
    uint32_t n_axes, n_reduce;
    te__iters loops; /* of the first stage */
    const vt_operation *first, *second;
} factoring;

static uintptr_t mask_of(const factoring *f, const vt_iter *axis) { return (uintptr_t)vt_ptrmap_get(f->masks, axis); }
static bool is_touched(const factoring *f, const vt_iter *axis) { return vt_ptrmap_has(f->touched, axis); }

static _Noreturn void refuse(const factoring *f, const char *why) {
    te__raise(f->c, VTA_ILLEGAL, "cannot rfactor %s at %s: %s; its loops are %s", f->st->origin->name,
              vt_var_name(f->axis->var), why, te__leaf_names(f->ctx, f->st));
}

/* ---- What is legal ---- */

static void check(const factoring *f, int64_t at) {
    const te_stage *st = f->st;
    const te__axis_attr *attr = te__attr(st, f->axis);
    if (te__iters_find(&st->leaf, f->axis) == st->leaf.n) refuse(f, "it is no loop of the stage");
    if (mask_of(f, f->axis) != OF_REDUCTION) refuse(f, "it is not made of reduce axes only");
    if (te__has_mixed_loops(f->ctx, st)) refuse(f, "a data axis and a reduce axis of the stage are fused");
    if (attr && attr->thread) refuse(f, "it is bound to a thread");
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].type == VT_ITER_TENSORIZED) refuse(f, "the stage is tensorized");
    int64_t most = f->op->n_axes;
    if (at < -most - 1 || at > most)
        te__raise(f->c, VTA_OUT_OF_RANGE,
                  "cannot rfactor %s: the new axis goes to a place from %lld to %lld, not to %lld", st->origin->name,
                  (long long)-most - 1, (long long)most, (long long)at);
}

static void find_masks(factoring *f) {
    for (uint32_t i = 0; i < f->op->n_axes + f->op->n_reduce; i++)
        vt_ptrmap_set(f->masks, f->op->iters[i], (void *)(uintptr_t)(i < f->op->n_axes ? OF_DATA : OF_REDUCTION));
    te__pass_down_mask(f->st, f->masks);
}

/* Of a relation all axes are touched or none: whether this one had some of both. */
static bool touch_all(factoring *f, const te__relation *r) {
    const vt_iter *of[] = {r->parent, r->outer, r->inner};
    uint32_t touched = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        if (!of[i]) continue;
        all++;
        touched += is_touched(f, of[i]);
    }
    for (int i = 0; touched && i < 3; i++)
        if (of[i]) vt_ptrmap_set(f->touched, of[i], f);
    return touched && touched < all;
}

static void find_touched(factoring *f) {
    vt_ptrmap_set(f->touched, f->axis, f);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < f->st->n_relations; i++) more |= touch_all(f, &f->st->relations[i]);
    }
}

static void find_ranges(factoring *f) {
    vt_analyzer *a = vt_analyzer_new(f->ctx);
    for (uint32_t i = 0; i < f->op->n_axes + f->op->n_reduce; i++) {
        const vt_iter *axis = f->op->iters[i];
        te__range_set(f->ctx, f->ranges, axis, axis->min, axis->extent);
        vt_analyzer_bind_range(a, axis->var, axis->min, axis->extent, false);
    }
    te__pass_down_domain(f->ctx, f->st, f->ranges, a, true);
}

/* ---- The first stage ---- */

/* An axis in the place of `from`: of data with a variable of its own that begins at 0, of the reduction the loop
 * itself, which the second stage has no more. */
static const vt_iter *fresh_axis(factoring *f, const vt_iter *from, vt_iter_type type) {
    vt_ctx *ctx = f->ctx;
    const vt_range *r = te__range(f->ranges, from);
    bool data = type == VT_ITER_DATA_PAR;
    const vt_var *v = data ? vt_var_copy(ctx, from->var, "") : from->var;
    const vt_expr *zero = vt_int(ctx, v->dtype, 0);
    vt_varmap_set(f->values, from->var, data && !vt_is_const(r->min, 0) ? vt_add(ctx, v, r->min) : v);
    return vt_iter_new(ctx, v, data ? zero : r->min, vt_simplify_free(ctx, r->extent), type, "");
}

static void make_axes(factoring *f) {
    const te_stage *st = f->st;
    for (uint32_t i = 0; i <= f->op->n_axes; i++) {
        if (i == f->place) f->axes[f->n_axes++] = fresh_axis(f, f->axis, VT_ITER_DATA_PAR);
        if (i < f->op->n_axes) f->axes[f->n_axes++] = fresh_axis(f, f->op->iters[i], VT_ITER_DATA_PAR);
    }
    for (uint32_t i = 0; i < f->n_axes; i++) te__iters_insert(f->ctx, &f->loops, i, f->axes[i]);
    const vt_iter **reduce = f->axes + f->n_axes;
    for (uint32_t i = 0; i < f->op->n_reduce; i++)
        if (!is_touched(f, f->op->iters[f->op->n_axes + i])) reduce[f->n_reduce++] = f->op->iters[f->op->n_axes + i];
    for (uint32_t i = 0; i < st->leaf.n; i++) {
        const vt_iter *axis = st->leaf.items[i];
        if (axis == f->axis || mask_of(f, axis) != OF_REDUCTION) continue;
        if (is_touched(f, axis)) axis = reduce[f->n_reduce++] = fresh_axis(f, axis, VT_ITER_COMM_REDUCE);
        te__iters_insert(f->ctx, &f->loops, f->loops.n, axis);
    }
}

/* The condition under which a point of the new axes is one of the old ones. */
static const vt_expr *find_values(factoring *f) {
    vt_ctx *ctx = f->ctx;
    const te_stage *st = f->st;
    vt_ptrmap *values = vt_ptrmap_new(ctx), *skip = vt_ptrmap_new(ctx);
    for (uint32_t i = 0; i < st->leaf.n; i++)
        if (is_touched(f, st->leaf.items[i])) vt_ptrmap_set(values, st->leaf.items[i], st->leaf.items[i]->var);
    for (uint32_t i = 0; i < st->all.n; i++)
        if (!is_touched(f, st->all.items[i])) vt_ptrmap_set(skip, st->all.items[i], f);
    te__pass_up_index(ctx, st, f->ranges, values);
    uint32_t n;
    const vt_expr **checks = te__bound_checks(ctx, st, f->ranges, values, true, skip, &n), *inside = vt_bool(ctx, true);
    for (uint32_t i = 0; i < n; i++) inside = vt_and(ctx, inside, checks[i]);
    inside = vt_substitute(ctx, inside, f->values);
    for (uint32_t i = f->op->n_axes; i < f->op->n_axes + f->op->n_reduce; i++) {
        const vt_iter *axis = f->op->iters[i];
        if (!is_touched(f, axis) || te__iters_find(&st->leaf, axis) < st->leaf.n) continue;
        vt_varmap_set(f->values, axis->var, vt_substitute(ctx, vt_ptrmap_get(values, axis), f->values));
    }
    return inside;
}

static void make_first(factoring *f, const vt_expr *inside) {
    vt_ctx *ctx = f->ctx;
    const vt_expr *body = f->op->bodies[0];
    const vt_reduce *r = body->u.reduce;
    uint32_t n = r->n_sources;
    const vt_expr **sources = VT_NEW_ARRAY(ctx, const vt_expr *, n), **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t k = 0; k < n; k++) sources[k] = vt_substitute(ctx, body->a[k], f->values);
    const vt_expr *condition = vt_and(ctx, inside, vt_substitute(ctx, body->a[body->n - 1], f->values));
    for (uint32_t k = 0; k < n; k++)
        bodies[k] = f->n_reduce ? vt_e_reduce(ctx, r->combiner, n, sources, f->n_reduce, f->axes + f->n_axes, condition,
                                              NULL, k)
                    : vt_is_const(condition, 1) ? sources[k]
                                                : vt_if_then_else(ctx, condition, sources[k], r->combiner->identity[k]);
    const char *name = vt_new_format(ctx, "%s.rf", f->op->name);
    f->first = te__compute(f->c, name, f->op->tag, f->n_axes, f->axes, n, bodies);
}

/* ---- The second stage ---- */

static void make_second(factoring *f) {
    vt_ctx *ctx = f->ctx;
    const vt_expr *body = f->op->bodies[0];
    const vt_reduce *r = body->u.reduce;
    uint32_t n = r->n_sources;
    const vt_iter *of = f->axes[f->place];
    const char *name = vt_new_format(ctx, "%s.v", vt_var_name(f->axis->var));
    const vt_iter *v = te__axis(f->c, name, vt_int(ctx, of->var->dtype, 0), of->extent, true);
    const vt_expr **index = VT_NEW_ARRAY(ctx, const vt_expr *, f->n_axes);
    const vt_expr **sources = VT_NEW_ARRAY(ctx, const vt_expr *, n), **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < f->n_axes; i++) index[i] = i == f->place ? v->var : f->op->iters[i - (i > f->place)]->var;
    for (uint32_t k = 0; k < n; k++) sources[k] = vt_e_pload(ctx, f->first->outputs[k], f->n_axes, index);
    for (uint32_t k = 0; k < n; k++)
        bodies[k] = vt_e_reduce(ctx, r->combiner, n, sources, 1, &v, NULL, r->has_init ? body->a + n : NULL, k);
    f->second = te__compute(f->c, f->op->name, f->op->tag, f->op->n_axes, f->op->iters, n, bodies);
}

/* ---- The stages ---- */

/* The relations of `from` among axes that are all touched or not, made of the given axes. */
static void keep_relations(factoring *f, te_stage *to, uintptr_t mask) {
    const te_stage *from = f->st;
    te__relation *kept = VT_NEW_ARRAY(f->ctx, te__relation, from->n_relations);
    uint32_t n = 0;
    for (uint32_t i = 0; i < from->n_relations; i++) {
        const te__relation *r = &from->relations[i];
        bool own =
            r->kind == TE__SINGLETON ? mask == OF_DATA : mask_of(f, r->inner) == mask && !is_touched(f, r->inner);
        if (own) kept[n++] = *r;
    }
    to->relations = kept;
    to->n_relations = to->cap_relations = n;
}

static bool is_kept(const factoring *f, const vt_iter *axis, bool data) {
    return data ? !(mask_of(f, axis) & OF_REDUCTION) : mask_of(f, axis) == OF_REDUCTION && !is_touched(f, axis);
}

static te_stage *first_stage(factoring *f) {
    te_stage *fresh = te__stage_new(f->s, f->first);
    fresh->group = f->st->group;
    for (uint32_t i = 0; i < f->st->all.n; i++) {
        const vt_iter *axis = f->st->all.items[i];
        const te__axis_attr *attr = te__attr(f->st, axis);
        if (!is_kept(f, axis, false)) continue;
        if (te__iters_find(&fresh->all, axis) == fresh->all.n)
            te__iters_insert(f->ctx, &fresh->all, fresh->all.n, axis);
        if (attr) *te__attr_for(f->ctx, fresh, axis) = *attr;
    }
    keep_relations(f, fresh, OF_REDUCTION);
    fresh->leaf = f->loops;
    return fresh;
}

/* The lists and relations of the second stage, in a stage that only holds them. */
static te_stage second_lists(factoring *f) {
    te_stage lists = {.tag = VT_TAG_NONE};
    const vt_iter *v = f->second->iters[f->op->n_axes];
    for (uint32_t i = 0; i < f->st->all.n; i++)
        if (is_kept(f, f->st->all.items[i], true))
            te__iters_insert(f->ctx, &lists.all, lists.all.n, f->st->all.items[i]);
    for (uint32_t i = 0; i < f->st->leaf.n; i++)
        if (is_kept(f, f->st->leaf.items[i], true))
            te__iters_insert(f->ctx, &lists.leaf, lists.leaf.n, f->st->leaf.items[i]);
    te__iters_insert(f->ctx, &lists.all, f->op->n_axes, v);
    te__iters_insert(f->ctx, &lists.leaf, lists.leaf.n, v);
    keep_relations(f, &lists, OF_DATA);
    return lists;
}

static vta_status apply(vt_ctx *ctx, void *arg) {
    factoring *f = arg;
    te__replacing *r = te__replacing_new(ctx);
    te__replacing_op(r, f->op, f->second);
    te__replace_dataflow(f->s, r);
    f->st->op = f->second;
    return VTA_OK;
}

static te_tensor *rfactor(te_context *c, te_schedule *s, const te_tensor *tensor, const te_axis *axis, int64_t at) {
    vt_ctx *ctx = &c->ctx;
    te_stage *st = te__stage_for(c, s, tensor, "rfactor");
    const vt_operation *op = st->op;
    factoring f = {.c = c, .ctx = ctx, .s = s, .st = st, .op = op, .axis = te__axis_in(c, axis, "an axis")};
    if (op->placeholder || !op->n_reduce)
        te__raise(c, VTA_ILLEGAL, "cannot rfactor %s: it is not a reduction", op->name);
    if (op->bodies[0]->u.reduce->combiner->n_outer)
        te__raise(c, VTA_UNSUPPORTED, "cannot rfactor %s: its reducer uses the axis %s", op->name,
                  vt_var_name(op->bodies[0]->u.reduce->combiner->outer[0]));
    f.masks = vt_ptrmap_new(ctx);
    f.touched = vt_ptrmap_new(ctx);
    f.ranges = vt_ptrmap_new(ctx);
    f.values = vt_varmap_new(ctx);
    f.axes = VT_NEW_ARRAY(ctx, const vt_iter *, op->n_axes + 1 + st->all.n);
    find_masks(&f);
    check(&f, at);
    f.place = (uint32_t)(at < 0 ? op->n_axes + 1 + at : at);
    find_touched(&f);
    find_ranges(&f);
    make_axes(&f);
    make_first(&f, find_values(&f));
    make_second(&f);
    te_stage *fresh = first_stage(&f), lists = second_lists(&f);
    te__change_all(s, apply, &f);
    st->all = lists.all;
    st->leaf = lists.leaf;
    st->relations = lists.relations;
    st->n_relations = st->cap_relations = lists.n_relations;
    te__stage_insert(s, te__stage_index(s, st), fresh);
    return te__out(f.first->outputs[vt_te_tensor(tensor)->value_index]);
}

te_tensor *te_rfactor(te_schedule *s, te_tensor *t, te_axis *axis, int64_t at) {
    if (!vt_is(s, VT_TAG_SCHEDULE)) return NULL;
    TE_RETURN(s->c, rfactor(s->c, s, t, axis, at));
}

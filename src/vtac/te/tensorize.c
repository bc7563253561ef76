/* Putting an intrinsic in place of the inner loops of a stage that it matches. */
#include "te/tensorize.h"
#include "ir/attr.h"
#include "te/bound.h"
#include "te/expr.h"

/* ---- Conditions that the replaced loops would need ---- */

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
static const te__relation *inexact_split(te__match *m, const vt_expr *condition) {
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

static _Noreturn void refuse_split(te__match *m, const te__relation *r) {
    const char *steps = te__repr(m->c, vt_simplify_free(m->ctx, te__range(m->ranges, r->parent)->extent));
    te__raise_at(
        m->c, m->pos, VTA_ILLEGAL,
        "axis %s of %s is split by %s, which does not divide its %s steps, and the loop %s that %s replaces can "
        "have no tail: choose a factor that divides %s",
        vt_var_name(r->parent->var), m->st->origin->name,
        te__repr(m->c, vt_simplify_free(m->ctx, te__range(m->ranges, r->inner)->extent)), steps,
        vt_var_name(m->st->leaf.items[m->at]->var), m->intrin->name, steps);
}

static void refuse_conditions(te__match *m, const vt_varmap *inside, const vt_expr *const *conditions, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!vt_expr_uses_any(conditions[i], defined_inside, (void *)(uintptr_t)inside)) continue;
        const te__relation *r = inexact_split(m, conditions[i]);
        if (r) refuse_split(m, r);
        te__raise_at(m->c, m->pos, VTA_ILLEGAL,
                     "%s: the loops inside it need the condition %s, since a split does not divide its axis; choose a "
                     "factor that does",
                     te__match_where(m), te__repr(m->c, conditions[i]));
    }
}

static void check_conditions(te__match *m, const te__loops *l) {
    vt_varmap *inside = vt_varmap_new(m->ctx);
    for (uint32_t i = m->at; i < m->st->leaf.n; i++) {
        note_defined(inside, &l->main[i + 1]);
        if (l->init) note_defined(inside, &l->init[i + 1]);
    }
    refuse_conditions(m, inside, l->main_conditions, l->n_main_conditions);
    refuse_conditions(m, inside, l->init_conditions, l->n_init_conditions);
}

/* ---- The statement ---- */

static const vt_stmt *bind_buffer(te__match *m, const vt_buffer *b, const vt_tensor *t, uint32_t n,
                                  const vt_range *region, const vt_stmt *body) {
    const vt_expr **tuple = VT_NEW_ARRAY(m->ctx, const vt_expr *, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        tuple[2 * i] = region[i].min;
        tuple[2 * i + 1] = region[i].extent;
    }
    const vt_expr *value = vt_e_call(m->ctx, VT_HANDLE_T, VT_OP_TUPLE, 2 * n, tuple);
    return vt_s_attr(m->ctx, vt_ref_pair(b, t), VT_ATTR_BIND_BUFFER, value, body);
}

static const vt_stmt *bind_outputs(te__match *m, const vt_stmt *body) {
    uint32_t n = m->op->n_inputs;
    for (uint32_t k = m->op->n_outputs; k > 0; k--)
        body = bind_buffer(m, m->intrin->buffers[n + k - 1], m->op->outputs[k - 1], m->op->n_axes, m->own, body);
    return body;
}

static const vt_stmt *bind_inputs(te__match *m, const vt_stmt *body) {
    for (uint32_t k = m->op->n_inputs; k > 0; k--)
        body = bind_buffer(m, m->intrin->buffers[k - 1], m->op->inputs[k - 1], m->op->inputs[k - 1]->ndim,
                           m->regions[k - 1], body);
    return body;
}

static const vt_stmt *need_part(te__match *m, te_intrin_part part, const char *what) {
    const vt_stmt *s = te__intrin_part(m->ctx, m->intrin, part);
    if (!s) te__raise_at(m->c, m->pos, VTA_ILLEGAL, "%s: the intrinsic has no %s part", te__match_where(m), what);
    return s;
}

/* Without a reset part: the body part in the first step of the reduction, the update part in the others. */
static const vt_stmt *reset_by_body(te__match *m, const te__loops *l) {
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
    return later ? vt_s_if(m->ctx, later, update, body) : body;
}

/* A body that is the update adds to what is there, so a reduction wholly inside of it needs a reset as well. Its loops
 * stand before those of the update. */
static bool body_accumulates(const te__match *m) {
    const vt_stmt *body = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_BODY),
                  *reset = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_RESET);
    const vt_stmt *update = te__intrin_part(m->ctx, m->intrin, TE_INTRIN_UPDATE);
    return m->op->n_reduce && body && reset && update && vt_stmt_equal(body, update);
}

static const vt_stmt *assemble(te__match *m, const te__loops *l) {
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

static bool is_tensorized_at(const te_stage *st, uint32_t i) {
    const te__axis_attr *attr = te__attr(st, st->leaf.items[i]);
    return attr && attr->type == VT_ITER_TENSORIZED;
}

static bool is_tensorized(const te_stage *st) {
    bool any = false;
    for (uint32_t i = 0; i < st->leaf.n; i++) any = any || is_tensorized_at(st, i);
    return any;
}

/* The match of a stage of a schedule in normal form; raises where the two differ. Its loops. */
static te__loops *match_stage(te_context *c, const te_stage *st, const vt_ptrmap *ranges, te__match *out_match) {
    vt_ctx *ctx = &c->ctx;
    te__match m = {.c = c, .ctx = ctx, .st = st, .op = st->op, .ranges = ranges};
    while (!is_tensorized_at(st, m.at)) m.at++;
    m.intrin = te__attr(st, st->leaf.items[m.at])->intrin;
    m.pos = te__attr(st, st->leaf.items[m.at])->intrin_pos;
    m.what = m.intrin->op;
    m.vars = vt_varmap_new(ctx);
    m.analyzer = vt_analyzer_new(ctx);
    m.axes = VT_NEW_ARRAY(ctx, const vt_iter *, st->op->n_axes + st->op->n_reduce);
    te__find_regions(&m);
    te__loops *loops = te__make_loops(ctx, st, ranges, false);
    te__match_shapes(&m);
    check_conditions(&m, loops);
    te__match_bodies(&m, loops->main_values);
    *out_match = m;
    return loops;
}

const vt_stmt *te__make_tensorized(te_context *c, const te_stage *st, const vt_ptrmap *ranges) {
    te__match m;
    te__loops *loops = match_stage(c, st, ranges, &m);
    return assemble(&m, loops);
}

/* ---- The match, for programs that ask ---------------------------------------------------------------------------- */

struct te_matching {
    te__match m;
    const vt_expr **bodies;
};

static te_stage *normal_stage(const te_stage *st) {
    te_schedule *s = te__normalize(st->schedule);
    return s->stages[te__stage_index(st->schedule, st)];
}

static te_matching *matching(te_context *c, const te_stage *given) {
    te_matching *result = VT_NEW(&c->ctx, te_matching);
    const te_stage *st = normal_stage(given);
    if (!is_tensorized(st))
        te__raise(c, VTA_INVALID_ARGUMENT, "te_tensorized: no loop of %s is tensorized", given->origin->name);
    const vt_ptrmap *ranges = te__infer_bounds(st->schedule);
    te__loops *loops = match_stage(c, st, ranges, &result->m);
    result->bodies = VT_NEW_ARRAY(&c->ctx, const vt_expr *, st->op->n_outputs);
    for (uint32_t k = 0; k < st->op->n_outputs; k++)
        result->bodies[k] = te__matched_body(&result->m, k, loops->main_values);
    return result;
}

te_matching *te_tensorized(te_stage *st) {
    if (!vt_is(st, VT_TAG_STAGE)) return NULL;
    te_context *c = st->schedule->c;
    TE_RETURN(c, matching(c, st));
}

static void give(vt_range r, te_expr **out_min, te_expr **out_extent) {
    *out_min = te__out(r.min);
    *out_extent = te__out(r.extent);
}

vta_status te_tensorized_axis(const te_matching *m, size_t axis, te_expr **out_min, te_expr **out_extent) {
    if (!m || !out_min || !out_extent) return VTA_INVALID_ARGUMENT;
    if (axis >= m->m.op->n_axes + m->m.op->n_reduce) return VTA_OUT_OF_RANGE;
    give(m->m.own[axis], out_min, out_extent);
    return VTA_OK;
}

vta_status te_tensorized_input(const te_matching *m, size_t input, size_t dim, te_expr **out_min,
                               te_expr **out_extent) {
    if (!m || !out_min || !out_extent) return VTA_INVALID_ARGUMENT;
    if (input >= m->m.op->n_inputs || dim >= m->m.op->inputs[input]->ndim) return VTA_OUT_OF_RANGE;
    give(m->m.regions[input][dim], out_min, out_extent);
    return VTA_OK;
}

te_expr *te_tensorized_body(const te_matching *m, size_t index) {
    return m && index < m->m.op->n_outputs ? te__out(m->bodies[index]) : NULL;
}

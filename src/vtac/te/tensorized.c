/* How a tensorized stage matches its intrinsic, for programs that look. */
#include "te/bound.h"
#include "te/tensorize.h"

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
    if (!te__is_tensorized(st))
        te__raise(c, VTA_INVALID_ARGUMENT, "te_tensorized: no loop of %s is tensorized", given->origin->name);
    const vt_ptrmap *ranges = te__infer_bounds(st->schedule);
    te__loops *loops = te__match_stage(c, st, ranges, &result->m);
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

vta_status te_tensorized_input(const te_matching *m, size_t input, size_t dim, te_expr **out_min, te_expr **out_extent) {
    if (!m || !out_min || !out_extent) return VTA_INVALID_ARGUMENT;
    if (input >= m->m.op->n_inputs || dim >= m->m.op->inputs[input]->ndim) return VTA_OUT_OF_RANGE;
    give(m->m.regions[input][dim], out_min, out_extent);
    return VTA_OK;
}

te_expr *te_tensorized_body(const te_matching *m, size_t index) {
    return m && index < m->m.op->n_outputs ? te__out(m->bodies[index]) : NULL;
}

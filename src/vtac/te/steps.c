/* What the steps of a schedule have in common: finding a loop, refusing one, recording a relation. */
#include "te/steps.h"

uint32_t te__loop_at(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    uint32_t at = te__iters_find(&st->leaf, axis);
    if (at < st->leaf.n) return at;
    if (te__iters_find(&st->all, axis) < st->all.n) {
        const char *how = "replaced";
        for (uint32_t i = 0; i < st->n_relations; i++) {
            const te__relation *r = &st->relations[i];
            if ((r->kind == TE__SPLIT || r->kind == TE__LIST) && r->parent == axis) how = "split";
            if (r->kind == TE__FUSE && (r->outer == axis || r->inner == axis)) how = "fused";
        }
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the axis has already been %s; the loops of %s are now %s", step,
                  te__stage_name(st), te__axis_name(axis), how, te__stage_name(st), te__leaf_names(&c->ctx, st));
    }
    te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the axis does not belong to %s, whose loops are %s", step,
              te__stage_name(st), te__axis_name(axis), te__stage_name(st), te__leaf_names(&c->ctx, st));
}

const vt_iter *te__loop_of(te_context *c, const te_stage *st, const te_axis *axis, const char *step) {
    const vt_iter *node = te__axis_in(c, axis, "an axis");
    te__loop_at(c, st, node, step);
    return node;
}

void te__refuse_bound(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    const te__axis_attr *attr = te__attr(st, axis);
    if (attr && attr->thread)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is bound to thread %s", step, te__stage_name(st),
                  te__axis_name(axis), attr->thread->thread_tag);
}

void te__refuse_marked(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    const te__axis_attr *attr = te__attr(st, axis);
    te__refuse_bound(c, st, axis, step);
    if (attr && attr->type == VT_ITER_TENSORIZED)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is tensorized", step, te__stage_name(st), te__axis_name(axis));
}

void te__add_relation(vt_ctx *ctx, te_stage *st, te__relation r) {
    vt_grow(ctx, &st->relations, &st->cap_relations, st->n_relations + 1, sizeof *st->relations);
    st->relations[st->n_relations++] = r;
}

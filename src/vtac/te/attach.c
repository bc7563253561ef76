/* Where a stage is computed, and in which memory. */
#include <string.h>

#include "te/group.h"
#include "te/steps.h"

static void refuse_fixed(te_context *c, const te_stage *st, const char *step) {
    if (st->op->placeholder)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an input and is not computed; use cache_read for a copy of it",
                  step, te__stage_name(st));
    if (st->is_output)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an output of the schedule", step, te__stage_name(st));
}

/* Does `to` read what `from` computes, directly or through other stages? */
static bool feeds(vt_ctx *ctx, const te_schedule *s, const te_stage *from, const te_stage *to) {
    bool *reached = VT_NEW_ARRAY(ctx, bool, s->n_stages);
    for (uint32_t i = te__stage_index(s, from); i < s->n_stages; i++) {
        const vt_operation *op = s->stages[i]->op;
        reached[i] = s->stages[i] == from;
        for (uint32_t j = 0; j < op->n_inputs && !reached[i]; j++) {
            const te_stage *input = te__stage_of(s, te__op(op->inputs[j]));
            reached[i] = input && reached[te__stage_index(s, input)];
        }
        if (s->stages[i] == to) return reached[i];
    }
    return false;
}

void te__attach_at(te_context *c, te_stage *st, te_stage *parent, const vt_iter *at) {
    refuse_fixed(c, st, "compute_at");
    if (parent == st) te__raise(c, VTA_ILLEGAL, "cannot compute %s at its own loop", te__stage_name(st));
    if (!feeds(&c->ctx, st->schedule, st, parent))
        te__raise(c, VTA_ILLEGAL, "cannot compute %s at %s.%s: %s does not need it", te__stage_name(st),
                  te__stage_name(parent), te__axis_name(at), te__stage_name(parent));
    st->attach = TE__AT;
    st->at_stage = parent;
    st->at_axis = at;
    st->at_pos = c->pos;
}

static void compute_at(te_context *c, te_stage *st, te_stage *parent, const te_axis *axis) {
    te__need_a(c, VT_TAG_STAGE, parent, "a stage");
    if (parent->schedule != st->schedule)
        te__raise(c, VTA_ILLEGAL, "%s and %s are of different schedules", te__stage_name(st), te__stage_name(parent));
    const vt_iter *at = te__loop_of(c, parent, axis, "compute another stage at");
    if (!te__group_holds(st->group, parent))
        te__raise(
            c, VTA_ILLEGAL,
            "cannot compute %s at %s.%s: it belongs to a group of stages, and %s does not; compute the group there",
            te__stage_name(st), te__stage_name(parent), te__axis_name(at), te__stage_name(parent));
    te__attach_at(c, st, parent, at);
}

vta_status te_compute_at(te_stage *st, te_stage *parent, te_axis *axis) {
    TE_RETURN_STATUS(te__stage_context(st), compute_at(st->schedule->c, st, parent, axis));
}

static void attach(te_stage *st, te__attach how) {
    st->attach = how;
    st->at_stage = NULL;
    st->at_axis = NULL;
}

/* What a statement reads is memory, no value that could be computed in place. */
static void refuse_statements(te_context *c, const te_stage *st) {
    const te_schedule *s = st->schedule;
    if (st->op->external)
        te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it consists of statements", te__stage_name(st));
    for (uint32_t i = 0; i < s->n_stages; i++)
        for (uint32_t k = 0; s->stages[i]->op->external && k < s->stages[i]->op->n_inputs; k++)
            if (te__op(s->stages[i]->op->inputs[k]) == st->op)
                te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: %s, which reads it, consists of statements",
                          te__stage_name(st), te__stage_name(s->stages[i]));
}

static void compute_inline(te_context *c, te_stage *st) {
    refuse_fixed(c, st, "compute_inline");
    if (st->op->n_reduce) te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it is a reduction", te__stage_name(st));
    if (st->op->n_outputs != 1)
        te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it has several outputs", te__stage_name(st));
    if (st->op->scan) te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it is a scan", te__stage_name(st));
    refuse_statements(c, st);
    attach(st, TE__INLINE);
}

vta_status te_compute_inline(te_stage *st) {
    TE_RETURN_STATUS(te__stage_context(st), compute_inline(st->schedule->c, st));
}

vta_status te_compute_root(te_stage *st) { TE_RETURN_STATUS(te__stage_context(st), attach(st, TE__ROOT)); }

static void set_scope(te_context *c, te_stage *st, const char *text) {
    const char *scope = te__scope(c, text);
    bool ordinary = !*scope || strcmp(scope, "global") == 0;
    if (st->is_output && ordinary) return; /* where the caller's memory is anyway */
    refuse_fixed(c, st, "set_scope of");
    st->scope = scope;
}

vta_status te_set_scope(te_stage *st, const char *scope) {
    TE_RETURN_STATUS(te__stage_context(st), set_scope(st->schedule->c, st, scope));
}

/* Attributes of one loop: how it runs, pragmas, threads, alignment, tensorize. */
#include <string.h>

#include "te/intrin.h"
#include "te/schedule.h"
#include "te/steps.h"
#include "vta/support.h"

static void set_type(te_context *c, te_stage *st, const vt_iter *axis, vt_iter_type type, const char *step) {
    te__loop_at(c, st, axis, step);
    te__refuse_marked(c, st, axis, step);
    if (type != VT_ITER_UNROLLED && axis->type == VT_ITER_ORDERED)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the rows of a scan follow from each other", step,
                  te__stage_name(st), te__axis_name(axis));
    if (type != VT_ITER_UNROLLED && axis->type == VT_ITER_COMM_REDUCE)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is a reduce axis, whose steps depend on each other", step,
                  te__stage_name(st), te__axis_name(axis));
    te__attr_for(&c->ctx, st, axis)->type = type;
}

static const struct {
    const char *step;
    vt_iter_type type;
} types[] = {{"vectorize", VT_ITER_VECTORIZED}, {"parallel", VT_ITER_PARALLELIZED}, {"unroll", VT_ITER_UNROLLED}};

static void mark(te_context *c, te_stage *st, const te_axis *axis, vt_iter_type type, const char *step) {
    set_type(c, st, te__axis_in(c, axis, "an axis"), type, step);
}

static vta_status public_mark(te_stage *st, te_axis *axis, int which) {
    TE_RETURN_STATUS(te__stage_context(st), mark(st->schedule->c, st, axis, types[which].type, types[which].step));
}
vta_status te_vectorize(te_stage *st, te_axis *axis) { return public_mark(st, axis, 0); }
vta_status te_parallel(te_stage *st, te_axis *axis) { return public_mark(st, axis, 1); }
vta_status te_unroll(te_stage *st, te_axis *axis) { return public_mark(st, axis, 2); }

static void add_pragma(te_context *c, te_stage *st, const te_axis *axis, const char *name, const te_expr *value) {
    const char *pragma = te__name(c, name, "a pragma");
    const vt_iter *on = te__loop_of(c, st, axis, "put a pragma on");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(pragma, types[i].step) == 0) {
            set_type(c, st, on, types[i].type, types[i].step);
            return;
        }
    const vt_expr *said = value ? te__expr_in(c, value, "a pragma's value") : vt_i32(&c->ctx, 1);
    te__axis_attr *attr = te__attr_for(&c->ctx, st, on);
    vt_grow(&c->ctx, &attr->pragmas, &attr->cap_pragmas, attr->n_pragmas + 1, sizeof *attr->pragmas);
    attr->pragmas[attr->n_pragmas++] = (te__pragma){pragma, said, c->pos};
}

vta_status te_pragma(te_stage *st, te_axis *axis, const char *pragma, te_expr *value) {
    TE_RETURN_STATUS(te__stage_context(st), add_pragma(st->schedule->c, st, axis, pragma, value));
}

static void bind_to(te_context *c, te_stage *st, const te_axis *loop, const te_axis *to) {
    const vt_iter *axis = te__loop_of(c, st, loop, "bind"), *thread = te__axis_in(c, to, "a thread axis");
    if (thread->type != VT_ITER_THREAD_INDEX)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is not a thread axis", te__stage_name(st),
                  te__axis_name(axis), te__axis_name(thread));
    if (axis->type == VT_ITER_ORDERED)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: the rows of a scan follow from each other",
                  te__stage_name(st), te__axis_name(axis), te__axis_name(thread));
    if (axis->type == VT_ITER_COMM_REDUCE)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is a reduce axis; threads cannot share a sum",
                  te__stage_name(st), te__axis_name(axis), te__axis_name(thread));
    if (strcmp(thread->thread_tag, "vta") == 0)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to vta: only virtual threads (cthread, vthread) share out loops",
                  te__stage_name(st), te__axis_name(axis));
    const te__axis_attr *old = te__attr(st, axis);
    if (old && old->thread && old->thread != thread)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is already bound to %s", te__stage_name(st),
                  te__axis_name(axis), te__axis_name(thread), te__axis_name(old->thread));
    if (old && old->type != VT_ITER_DATA_PAR)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s: it is already marked as %s", te__stage_name(st),
                  te__axis_name(axis), vt_iter_type_text(old->type));
    te__attr_for(&c->ctx, st, axis)->thread = thread;
}

vta_status te_bind(te_stage *st, te_axis *axis, te_axis *thread) {
    TE_RETURN_STATUS(te__stage_context(st), bind_to(st->schedule->c, st, axis, thread));
}

static void align(te_context *c, te_stage *st, const te_axis *given, int64_t factor, int64_t offset) {
    const vt_iter *axis = te__axis_in(c, given, "an axis");
    if (te__iters_find(&st->all, axis) >= st->op->n_axes)
        te__raise(c, VTA_ILLEGAL, "storage_align of %s needs one of its own data axes", te__stage_name(st));
    if (factor < 1 || offset < 0)
        te__raise(c, VTA_OUT_OF_RANGE, "storage_align of %s: factor at least 1, offset at least 0", te__stage_name(st));
    te__axis_attr *attr = te__attr_for(&c->ctx, st, axis);
    attr->align_factor = factor;
    attr->align_offset = offset;
}

vta_status te_storage_align(te_stage *st, te_axis *axis, int64_t factor, int64_t offset) {
    TE_RETURN_STATUS(te__stage_context(st), align(st->schedule->c, st, axis, factor, offset));
}

static void tensorize(te_context *c, te_stage *st, const te_axis *at, te_intrin *intrin) {
    const vt_iter *axis = te__loop_of(c, st, at, "tensorize");
    te__refuse_bound(c, st, axis, "tensorize");
    if (st->op->scan) te__raise(c, VTA_ILLEGAL, "cannot tensorize %s: it is a scan", te__stage_name(st));
    if (st->op->external)
        te__raise(c, VTA_ILLEGAL, "cannot tensorize %s: it consists of statements", te__stage_name(st));
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].type == VT_ITER_TENSORIZED && st->attrs[i].axis != axis)
            te__raise(c, VTA_ILLEGAL, "cannot tensorize %s.%s: %s is already tensorized at %s", te__stage_name(st),
                      te__axis_name(axis), te__stage_name(st), te__axis_name(st->attrs[i].axis));
    if (intrin) te__need_a(c, VT_TAG_INTRIN, intrin, "an intrinsic");
    if (!intrin) intrin = te__gemm(c);
    te__axis_attr *attr = te__attr_for(&c->ctx, st, axis);
    attr->type = VT_ITER_TENSORIZED;
    attr->intrin = intrin;
    attr->intrin_pos = c->pos;
}

vta_status te_tensorize(te_stage *st, te_axis *axis, te_intrin *intrin) {
    TE_RETURN_STATUS(te__stage_context(st), tensorize(st->schedule->c, st, axis, intrin));
}

/* ---- The names of pragmas ---------------------------------------------------------------------------------------- */

static const char *const names[] = {
#define VT_PRAGMA(name) #name,
#include "te/pragmas.def"
#undef VT_PRAGMA
};
enum { N_NAMES = sizeof names / sizeof *names };

static void check(const te_stage *st, const vt_iter *axis, const te__pragma *p) {
    for (int i = 0; i < N_NAMES; i++)
        if (strcmp(names[i], p->name) == 0) return;
    const char *near = vta_nearest_name(p->name, names, N_NAMES);
    te__raise_at(st->schedule->c, p->pos, VTA_INVALID_ARGUMENT,
                 "%s.%s: there is no pragma \"%s\" for the accelerator%s%s%s", st->origin->name, vt_var_name(axis->var),
                 p->name, near ? "; did you mean " : "", near ? near : "",
                 near ? "?" : ": there are dma_copy, alu, ... (docs/kernel-files.md)");
}

void vt_te_check_pragmas(const te_schedule *s) {
    for (uint32_t i = 0; i < s->n_stages; i++)
        for (uint32_t j = 0; j < s->stages[i]->n_attrs; j++) {
            const te__axis_attr *attr = &s->stages[i]->attrs[j];
            for (uint32_t k = 0; k < attr->n_pragmas; k++) check(s->stages[i], attr->axis, &attr->pragmas[k]);
        }
}

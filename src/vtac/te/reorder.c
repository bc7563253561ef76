/* Fusing, reordering and tiling the loops of a stage. */
#include <string.h>

#include "te/steps.h"

static const vt_iter *fuse_two(te_context *c, te_stage *st, const vt_iter *outer, const vt_iter *inner) {
    vt_ctx *ctx = &c->ctx;
    uint32_t at = te__loop_at(c, st, outer, "fuse"), next = te__loop_at(c, st, inner, "fuse");
    te__refuse_marked(c, st, outer, "fuse");
    te__refuse_marked(c, st, inner, "fuse");
    if (next + 1 == at) {
        const vt_iter *swap = outer;
        outer = inner;
        inner = swap;
        at = next++;
    }
    if (next != at + 1)
        te__raise(c, VTA_ILLEGAL, "cannot fuse %s.%s and %s: they are not neighbours; reorder first (the loops are %s)",
                  te__stage_name(st), te__axis_name(outer), te__axis_name(inner), te__leaf_names(ctx, st));
    bool reduces = outer->type == VT_ITER_COMM_REDUCE || inner->type == VT_ITER_COMM_REDUCE;
    const char *name = vt_new_format(ctx, "%s.%s.fused", te__axis_name(outer), te__axis_name(inner));
    const vt_iter *fused = vt_iter_new(ctx, vt_var_new(ctx, name, outer->var->dtype), NULL, NULL,
                                       reduces ? VT_ITER_COMM_REDUCE : outer->type, "");
    te__iters_insert(ctx, &st->all, st->all.n, fused);
    te__add_relation(ctx, st, (te__relation){TE__FUSE, fused, outer, inner, NULL, NULL});
    st->leaf.items[at] = fused;
    memmove(st->leaf.items + at + 1, st->leaf.items + at + 2, (st->leaf.n - at - 2) * sizeof *st->leaf.items);
    st->leaf.n--;
    return fused;
}

static const vt_iter *singleton(vt_ctx *ctx, te_stage *st) {
    const vt_var *v = vt_var_new(ctx, "singleton", VT_I32);
    const vt_iter *one = vt_iter_new(ctx, v, vt_i32(ctx, 0), vt_i32(ctx, 1), VT_ITER_DATA_PAR, "");
    te__iters_insert(ctx, &st->all, st->all.n, one);
    te__iters leaf = {0};
    te__iters_insert(ctx, &leaf, 0, one);
    for (uint32_t i = 0; i < st->leaf.n; i++) te__iters_insert(ctx, &leaf, leaf.n, st->leaf.items[i]);
    te__add_relation(ctx, st, (te__relation){TE__SINGLETON, NULL, NULL, one, NULL, NULL});
    st->leaf = leaf;
    return one;
}

static const vt_iter *fuse_all(te_context *c, te_stage *st, size_t n, te_axis *const *axes) {
    if (!n) return singleton(&c->ctx, st);
    te__need(c, axes, "a list of axes");
    const vt_iter *fused = te__axis_in(c, axes[0], "an axis");
    uint32_t first = te__loop_at(c, st, fused, "fuse");
    for (size_t i = 1; i < n; i++) { /* all or nothing: check the whole chain before the first change */
        const vt_iter *axis = te__axis_in(c, axes[i], "an axis");
        uint32_t at = te__loop_at(c, st, axis, "fuse");
        bool back = n == 2 && at + 1 == first;
        if (at != first + i && !back)
            te__raise(
                c, VTA_ILLEGAL,
                "cannot fuse %s.%s and %s: they are not neighbours in this order; reorder first (the loops are %s)",
                te__stage_name(st), te_axis_name(axes[i - 1]), te__axis_name(axis), te__leaf_names(&c->ctx, st));
    }
    for (size_t i = 1; i < n; i++) fused = fuse_two(c, st, fused, vt_te_iter(axes[i]));
    return fused;
}

static void fuse_to(te_context *c, te_stage *st, size_t n, te_axis *const *axes, te_axis **out_fused) {
    const vt_iter *fused = fuse_all(c, st, n, axes);
    if (out_fused) *out_fused = te__out(fused);
}

vta_status te_fuse(te_stage *st, size_t n, te_axis *const axes[], te_axis **out_fused) {
    if (out_fused) *out_fused = NULL;
    TE_RETURN_STATUS(te__stage_context(st), fuse_to(st->schedule->c, st, n, axes, out_fused));
}

static void reorder(te_context *c, te_stage *st, size_t n, const vt_iter *const *order) {
    te__iters leaf = {0};
    for (uint32_t i = 0; i < st->leaf.n; i++) te__iters_insert(&c->ctx, &leaf, i, st->leaf.items[i]);
    bool *taken = VT_NEW_ARRAY(&c->ctx, bool, leaf.n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = te__loop_at(c, st, order[i], "reorder");
        if (taken[at])
            te__raise(c, VTA_ILLEGAL, "cannot reorder %s: axis %s is given twice", te__stage_name(st),
                      te__axis_name(order[i]));
        taken[at] = true;
    }
    size_t next = 0;
    for (uint32_t i = 0; i < leaf.n; i++)
        if (taken[i]) leaf.items[i] = order[next++];
    st->leaf = leaf;
}

static void reorder_by(te_context *c, te_stage *st, size_t n, te_axis *const *axes) {
    if (n) te__need(c, axes, "a list of axes");
    reorder(c, st, n, te__axes_in(c, n, axes, "an axis"));
}

vta_status te_reorder(te_stage *st, size_t n, te_axis *const axes[]) {
    TE_RETURN_STATUS(te__stage_context(st), reorder_by(st->schedule->c, st, n, axes));
}

static void tile(te_context *c, te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor,
                 te_axis **out_axes) {
    const vt_iter *second = te__loop_of(c, st, y, "tile"), *out[4];
    if (x == y || y_factor < 1)
        te__raise(c, VTA_ILLEGAL, "cannot tile %s: two axes and factors of at least 1 are needed", te__stage_name(st));
    te__split(c, st, te__loop_of(c, st, x, "split"), x_factor, false, &out[0], &out[2]);
    te__split(c, st, second, y_factor, false, &out[1], &out[3]);
    reorder(c, st, 4, out);
    for (int i = 0; i < 4; i++) out_axes[i] = te__out(out[i]);
}

static vta_status try_tile(te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor,
                           te_axis **out_axes) {
    TE_RETURN_STATUS(te__stage_context(st), tile(st->schedule->c, st, x, y, x_factor, y_factor, out_axes));
}

vta_status te_tile(te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor, te_axis *out_axes[4]) {
    if (!out_axes) return VTA_INVALID_ARGUMENT;
    memset(out_axes, 0, 4 * sizeof *out_axes);
    if (!te__stage_context(st)) return VTA_INVALID_ARGUMENT;
    te__iters leaf = st->leaf;
    uint32_t all = st->all.n, relations = st->n_relations;
    vta_status status = try_tile(st, x, y, x_factor, y_factor, out_axes);
    if (status == VTA_OK) return VTA_OK;
    st->leaf = leaf; /* the first split may have been made */
    st->all.n = all;
    st->n_relations = relations;
    memset(out_axes, 0, 4 * sizeof *out_axes);
    return status;
}

/* Steps of a schedule that change the loops of a stage: splitting, fusing, reordering. */
#include <string.h>

#include "arith/analyzer.h"
#include "te/expr.h"
#include "te/steps.h"

/* ---- What steps have in common ----------------------------------------------------------------------------------- */

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

static void add_relation(vt_ctx *ctx, te_stage *st, te__relation r) {
    vt_grow(ctx, &st->relations, &st->cap_relations, st->n_relations + 1, sizeof *st->relations);
    st->relations[st->n_relations++] = r;
}

/* ---- Splitting --------------------------------------------------------------------------------------------------- */

static const vt_iter *derive(vt_ctx *ctx, const vt_iter *from, const char *suffix) {
    return vt_iter_new(ctx, vt_var_copy(ctx, from->var, suffix), NULL, NULL, from->type, "");
}

/* Two axes in the place of one, as the relation says. */
static void split_axis(vt_ctx *ctx, te_stage *st, uint32_t at, te__relation r) {
    te__iters leaf = {0};
    for (uint32_t i = 0; i < st->leaf.n; i++) {
        if (i != at) te__iters_insert(ctx, &leaf, leaf.n, st->leaf.items[i]);
        if (i == at) te__iters_insert(ctx, &leaf, leaf.n, r.outer);
        if (i == at) te__iters_insert(ctx, &leaf, leaf.n, r.inner);
    }
    te__iters_insert(ctx, &st->all, st->all.n, r.outer);
    te__iters_insert(ctx, &st->all, st->all.n, r.inner);
    add_relation(ctx, st, r);
    st->leaf = leaf;
}

/* By a constant factor, or into `factor` parts. */
static void split_loop(te_context *c, te_stage *st, const vt_iter *axis, int64_t factor, bool parts,
                       const vt_iter **outer, const vt_iter **inner) {
    vt_ctx *ctx = &c->ctx;
    uint32_t at = te__loop_at(c, st, axis, "split");
    te__refuse_marked(c, st, axis, "split");
    if (factor < 1 || factor > INT32_MAX)
        te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s %s %lld: the number must be at %s", te__stage_name(st),
                  te__axis_name(axis), parts ? "into" : "by", (long long)factor,
                  factor < 1 ? "least 1" : "most 2147483647");
    *outer = derive(ctx, axis, ".outer");
    *inner = derive(ctx, axis, ".inner");
    const vt_expr *number = vt_int(ctx, axis->var->dtype, factor);
    split_axis(ctx, st, at,
               (te__relation){TE__SPLIT, axis, *outer, *inner, parts ? NULL : number, parts ? number : NULL, 0, NULL});
}

/* The largest of the sizes; raises when they do not make up the axis. */
static int64_t check_sizes(te_context *c, const te_stage *st, const vt_iter *axis, size_t n, const int64_t *sizes) {
    int64_t sum = 0, largest = 0, extent = axis->extent ? te__extent(axis) : -1;
    if (extent < 0)
        te__raise(c, VTA_ILLEGAL,
                  "cannot split %s.%s by a list of sizes: its extent is not a constant of the computation",
                  te__stage_name(st), te__axis_name(axis));
    for (size_t i = 0; i < n; i++) {
        if (sizes[i] < 1 || sizes[i] > extent)
            te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s by a list with %lld: its extent is %lld",
                      te__stage_name(st), te__axis_name(axis), (long long)sizes[i], (long long)extent);
        sum += sizes[i];
        if (sizes[i] > largest) largest = sizes[i];
    }
    if (sum != extent)
        te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s by sizes that make %lld: its extent is %lld",
                  te__stage_name(st), te__axis_name(axis), (long long)sum, (long long)extent);
    return largest;
}

static void split_sizes(te_context *c, te_stage *st, const te_axis *handle, size_t n, const int64_t *sizes,
                        te_axis **out_outer, te_axis **out_inner) {
    vt_ctx *ctx = &c->ctx;
    const vt_iter *axis = te__loop_of(c, st, handle, "split");
    uint32_t at = te__loop_at(c, st, axis, "split");
    te__refuse_marked(c, st, axis, "split");
    te__need(c, sizes, "a list of sizes");
    int64_t largest = check_sizes(c, st, axis, n, sizes), *copy = VT_NEW_ARRAY(ctx, int64_t, n);
    memcpy(copy, sizes, n * sizeof *copy);
    const vt_iter *outer = derive(ctx, axis, ".outer"), *inner = derive(ctx, axis, ".inner");
    split_axis(
        ctx, st, at,
        (te__relation){TE__LIST, axis, outer, inner, vt_int(ctx, axis->var->dtype, largest), NULL, (uint32_t)n, copy});
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

vta_status te_split_sizes(te_stage *st, te_axis *axis, size_t n, const int64_t sizes[], te_axis **out_outer,
                          te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(te__stage_context(st), split_sizes(st->schedule->c, st, axis, n, sizes, out_outer, out_inner));
}

static bool is_no_scalar(void *user, const vt_var *v) {
    (void)user;
    return !v->u.var->scalar;
}

/* By an expression of scalars. */
static void split_by(te_context *c, te_stage *st, const te_axis *handle, const te_expr *number, bool parts,
                     te_axis **out_outer, te_axis **out_inner) {
    vt_ctx *ctx = &c->ctx;
    const vt_iter *axis = te__loop_of(c, st, handle, "split"), *outer, *inner;
    const vt_expr *e = te__expr_in(c, number, "a factor");
    int64_t value;
    te__measure(c, e);
    e = vt_simplify_free(ctx, e);
    if (vt_as_const(e, &value)) {
        split_loop(c, st, axis, value, parts, &outer, &inner);
    } else {
        uint32_t at = te__loop_at(c, st, axis, "split");
        te__refuse_marked(c, st, axis, "split");
        if (!vt_dtype_is_index(e->dtype) || vt_expr_effect(e) != VT_EFFECT_PURE ||
            vt_expr_uses_any(e, is_no_scalar, NULL))
            te__raise(
                c, VTA_INVALID_ARGUMENT,
                "cannot split %s.%s %s %s: the number must be an integer made of constants and scalars of the kernel",
                te__stage_name(st), te__axis_name(axis), parts ? "into" : "by", te__repr(c, e));
        e = vt_cast(ctx, axis->var->dtype, e);
        outer = derive(ctx, axis, ".outer");
        inner = derive(ctx, axis, ".inner");
        split_axis(ctx, st, at,
                   (te__relation){TE__SPLIT, axis, outer, inner, parts ? NULL : e, parts ? e : NULL, 0, NULL});
    }
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

static vta_status public_split_by(te_stage *st, te_axis *axis, te_expr *number, bool parts, te_axis **out_outer,
                                  te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(te__stage_context(st), split_by(st->schedule->c, st, axis, number, parts, out_outer, out_inner));
}

vta_status te_split_expr(te_stage *st, te_axis *axis, te_expr *factor, te_axis **out_outer, te_axis **out_inner) {
    return public_split_by(st, axis, factor, false, out_outer, out_inner);
}

vta_status te_split_nparts_expr(te_stage *st, te_axis *axis, te_expr *nparts, te_axis **out_outer,
                                te_axis **out_inner) {
    return public_split_by(st, axis, nparts, true, out_outer, out_inner);
}

static void split_to(te_context *c, te_stage *st, const te_axis *axis, int64_t factor, bool parts, te_axis **out_outer,
                     te_axis **out_inner) {
    const vt_iter *outer, *inner;
    split_loop(c, st, te__loop_of(c, st, axis, "split"), factor, parts, &outer, &inner);
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

static vta_status public_split(te_stage *st, te_axis *axis, int64_t factor, bool parts, te_axis **out_outer,
                               te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(te__stage_context(st), split_to(st->schedule->c, st, axis, factor, parts, out_outer, out_inner));
}

vta_status te_split(te_stage *st, te_axis *axis, int64_t factor, te_axis **out_outer, te_axis **out_inner) {
    return public_split(st, axis, factor, false, out_outer, out_inner);
}

vta_status te_split_nparts(te_stage *st, te_axis *axis, int64_t nparts, te_axis **out_outer, te_axis **out_inner) {
    return public_split(st, axis, nparts, true, out_outer, out_inner);
}

/* ---- Fusing and reordering --------------------------------------------------------------------------------------- */

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
    add_relation(ctx, st, (te__relation){TE__FUSE, fused, outer, inner, NULL, NULL});
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
    add_relation(ctx, st, (te__relation){TE__SINGLETON, NULL, NULL, one, NULL, NULL});
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
    split_loop(c, st, te__loop_of(c, st, x, "split"), x_factor, false, &out[0], &out[2]);
    split_loop(c, st, second, y_factor, false, &out[1], &out[3]);
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

/* Splitting a loop in two: by a number, by an expression of scalars, by a list of sizes. */
#include <string.h>

#include "arith/analyzer.h"
#include "te/expr.h"
#include "te/steps.h"

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
    te__add_relation(ctx, st, r);
    st->leaf = leaf;
}

void te__split(te_context *c, te_stage *st, const vt_iter *axis, int64_t factor, bool parts, const vt_iter **outer,
               const vt_iter **inner) {
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
    const vt_expr *e = vt_simplify_free(ctx, te__expr_in(c, number, "a factor"));
    int64_t value;
    if (vt_as_const(e, &value)) {
        te__split(c, st, axis, value, parts, &outer, &inner);
    } else {
        uint32_t at = te__loop_at(c, st, axis, "split");
        te__refuse_marked(c, st, axis, "split");
        te__measure(c, e);
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
    te__split(c, st, te__loop_of(c, st, axis, "split"), factor, parts, &outer, &inner);
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

/* Computations by calls of an intrinsic: on parts of tensors, at each point of data axes. */
#include "base/versioned.h"
#include "te/expr.h"
#include "te/extern.h"
#include "te/intrin.h"
#include "te/stmt.h"

typedef struct intrin_call {
    te_context *c;
    const te_intrin *in;
    const char *name;
    uint32_t n_axes, n_reduce;
    const vt_iter **iters;
} intrin_call;

static _Noreturn void refuse_part(const intrin_call *k, const vt_buffer *want, const char *what) {
    te__raise(k->c, VTA_INVALID_ARGUMENT,
              "%s: %s is given to %s for its operand %s, which has another type or other extents: its last dimensions "
              "must be "
              "those of the operand, and those before of extent 1",
              k->name, what, k->in->name, want->name);
}

static te__part part_in(const intrin_call *k, const te_region *r, const vt_buffer *want) {
    te_context *c = k->c;
    const vt_tensor *t = te__tensor_in(c, r->tensor, "an operand");
    te__need_context(c, te__op(t));
    const vt_expr *const *begin = te__exprs_in(c, t->ndim, r->mins, "the begin of a part");
    const vt_expr *const *extents = te__exprs_in(c, t->ndim, r->extents, "the extent of a part");
    for (uint32_t d = 0; d < t->ndim; d++)
        if (!vt_dtype_is_index(begin[d]->dtype) || !vt_dtype_is_index(extents[d]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "%s: a part of %s begins, and ends, at integers of type int32 or int64",
                      k->name, t->name);
    if (!te__stands_for(c, want, t->dtype, t->ndim, extents)) refuse_part(k, want, t->name);
    return (te__part){t, vt_exprs_copy(&c->ctx, t->ndim, begin), vt_exprs_copy(&c->ctx, t->ndim, extents)};
}

static void add_axes(const intrin_call *k, uint32_t at, size_t n, te_axis *const *list, bool reduce) {
    const vt_iter *const *axes = te__axes_in(k->c, n, list, "an axis");
    for (size_t i = 0; i < n; i++) {
        if (axes[i]->type != (reduce ? VT_ITER_COMM_REDUCE : VT_ITER_DATA_PAR) || !axes[i]->extent)
            te__raise(k->c, VTA_INVALID_ARGUMENT, "axis %s of %s is not a %s axis", vt_var_name(axes[i]->var), k->name,
                      reduce ? "reduce" : "data");
        k->iters[at + i] = axes[i];
    }
}

/* What a result consists of: the axes, then the dimensions behind them. */
static te__result result_of(const intrin_call *k, const vt_buffer *want, size_t n_inner, const vt_expr *const *inner) {
    vt_ctx *ctx = &k->c->ctx;
    uint32_t ndim = k->n_axes + (uint32_t)n_inner;
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, ndim),
                  **extents = VT_NEW_ARRAY(ctx, const vt_expr *, ndim);
    for (uint32_t i = 0; i < ndim; i++) {
        shape[i] = i < k->n_axes ? k->iters[i]->extent : inner[i - k->n_axes];
        extents[i] = i < k->n_axes ? vt_int(ctx, shape[i]->dtype, 1) : shape[i];
    }
    if (!te__stands_for(k->c, want, want->dtype, ndim, extents)) refuse_part(k, want, "its result");
    return (te__result){want->dtype, ndim, shape};
}

/* Axes for the dimensions that the intrinsic writes; no loops. */
static const vt_iter *const *inner_axes(te_context *c, size_t n, const vt_expr *const *extents) {
    const vt_iter **axes = VT_NEW_ARRAY(&c->ctx, const vt_iter *, n);
    for (size_t i = 0; i < n; i++)
        axes[i] =
            te__axis(c, vt_new_format(&c->ctx, "ax%zu", i), vt_int(&c->ctx, extents[i]->dtype, 0), extents[i], false);
    return axes;
}

/* A part of the intrinsic with the values of its scalars; NULL for none. */
static const vt_stmt *with_scalars(const intrin_call *k, te_intrin_part part, const vt_varmap *values) {
    const vt_stmt *s = te__intrin_part(&k->c->ctx, k->in, part);
    return s ? vt_substitute_stmt(&k->c->ctx, s, values) : NULL;
}

static vt_varmap *scalars_in(const intrin_call *k, size_t n, te_expr *const *params, te_expr *const *values) {
    vt_varmap *map = vt_varmap_new(&k->c->ctx);
    const vt_expr *const *from = te__exprs_in(k->c, n, params, "a scalar"), *const *to = te__exprs_in(k->c, n, values,
                                                                                                      "a value");
    for (size_t i = 0; i < n; i++) {
        if (from[i]->kind != VT_E_VAR)
            te__raise(k->c, VTA_INVALID_ARGUMENT, "%s: a scalar of %s is made by te_scalar", k->name, k->in->name);
        vt_varmap_set(map, from[i], te__cast(k->c, from[i]->dtype, to[i]));
    }
    return map;
}

static void need_parts(const intrin_call *k, const te__extern *x) {
    const char *lacks = k->n_reduce ? (x->update ? (x->reset || x->body ? NULL : "a body or a reset") : "an update")
                                    : (x->body ? NULL : "a body");
    if (lacks) te__raise(k->c, VTA_INVALID_ARGUMENT, "%s: the intrinsic %s lacks %s part", k->name, k->in->name, lacks);
}

static void make(te_context *c, const char *text, const te_intrin_call *given, te_tensor **out_tensors) {
    vt_ctx *ctx = &c->ctx;
    te_intrin_call o;
    if (vt_options_read(&o, sizeof o, given, "te_intrin_call", ctx->diag) != VTA_OK)
        vt_leave(ctx, te_context_status(c));
    te__need_a(c, VT_TAG_INTRIN, o.intrin, "an intrinsic");
    const te_intrin *in = o.intrin;
    const vt_operation *what = in->op;
    intrin_call k = {c, in, te__name(c, text, "a tensor"), (uint32_t)o.axis_count, (uint32_t)o.reduce_axis_count, NULL};
    k.iters = VT_NEW_ARRAY(ctx, const vt_iter *, o.axis_count + o.reduce_axis_count);
    add_axes(&k, 0, o.axis_count, o.axes, false);
    add_axes(&k, k.n_axes, o.reduce_axis_count, o.reduce_axes, true);
    if (o.region_count != what->n_inputs)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s: %s has %u operands that it reads, but %zu are given", k.name, in->name,
                  what->n_inputs, o.region_count);
    te__part *parts = VT_NEW_ARRAY(ctx, te__part, o.region_count);
    te__result *results = VT_NEW_ARRAY(ctx, te__result, what->n_outputs);
    if (o.region_count) te__need(c, o.regions, "a list");
    for (size_t i = 0; i < o.region_count; i++) parts[i] = part_in(&k, &o.regions[i], in->buffers[i]);
    const vt_expr *const *inner = te__exprs_in(c, o.inner_count, o.inner, "an extent");
    for (uint32_t i = 0; i < what->n_outputs; i++)
        results[i] = result_of(&k, in->buffers[what->n_inputs + i], o.inner_count, inner);
    const vt_varmap *values = scalars_in(&k, o.scalar_count, o.scalars, o.values);
    te__extern *x = VT_NEW(ctx, te__extern);
    *x = (te__extern){.n_inputs = what->n_inputs,
                      .in = in->buffers,
                      .out = in->buffers + what->n_inputs,
                      .body = with_scalars(&k, TE_INTRIN_BODY, values),
                      .reset = with_scalars(&k, TE_INTRIN_RESET, values),
                      .update = with_scalars(&k, TE_INTRIN_UPDATE, values),
                      .n_inner = (uint32_t)o.inner_count,
                      .inner = inner_axes(c, o.inner_count, inner),
                      .intrinsic = true};
    need_parts(&k, x);
    const vt_operation fields = {.name = k.name,
                                 .tag = o.tag ? vt_new_string(ctx, o.tag) : "",
                                 .n_axes = k.n_axes,
                                 .n_reduce = k.n_reduce,
                                 .iters = k.iters,
                                 .n_outputs = what->n_outputs};
    const vt_operation *op = te__extern_operation(c, &fields, x, parts, results);
    te__check_variables(c, op);
    for (uint32_t i = 0; i < op->n_outputs; i++) out_tensors[i] = te__out(op->outputs[i]);
}

vta_status te_compute_intrin(te_context *c, const char *name, const te_intrin_call *call, te_tensor *out_tensors[]) {
    if (!out_tensors || !call) return VTA_INVALID_ARGUMENT;
    TE_RETURN_STATUS(c, make(c, name, call, out_tensors));
}

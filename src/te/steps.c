/* Schedule steps. Each is checked, and has all the memory it needs, before the schedule is changed: an axis that is
 * in the list of all axes but in no relation has no effect. */
#include <string.h>

#include "te/priv.h"

static const char *name_of(const te_stage *st) { return st->origin->name; }
static const char *axis_of(const vt_iter *axis) { return vt_var_name(axis->var); }

static te_context *context_of(const te_stage *st) { return vt_is(st, VT_TAG_STAGE) ? st->schedule->c : NULL; }

/* Position of a loop of the stage; raises what is wrong with an axis that is not one of its loops. */
static uint32_t loop_at(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
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
                  name_of(st), axis_of(axis), how, name_of(st), te__leaf_names(&c->ctx, st));
    }
    te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the axis does not belong to %s, whose loops are %s", step, name_of(st),
              axis_of(axis), name_of(st), te__leaf_names(&c->ctx, st));
}

/* An axis that is a loop of the stage. */
static const vt_iter *loop_of(te_context *c, const te_stage *st, const te_axis *axis, const char *step) {
    const vt_iter *node = te__axis_in(c, axis, "an axis");
    loop_at(c, st, node, step);
    return node;
}

static void refuse_bound(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    const te__axis_attr *attr = te__attr(st, axis);
    if (attr && attr->thread)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is bound to thread %s", step, name_of(st), axis_of(axis),
                  attr->thread->thread_tag);
}

static void refuse_threads(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    const te__axis_attr *attr = te__attr(st, axis);
    refuse_bound(c, st, axis, step);
    if (attr && attr->type == VT_ITER_TENSORIZED)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is tensorized", step, name_of(st), axis_of(axis));
}

static void add_relation(vt_ctx *ctx, te_stage *st, te__relation r) {
    vt_grow(ctx, &st->relations, &st->cap_relations, st->n_relations + 1, sizeof *st->relations);
    st->relations[st->n_relations++] = r;
}

static const vt_iter *derive(vt_ctx *ctx, const vt_iter *from, const char *suffix) {
    return vt_iter_new(ctx, vt_var_copy(ctx, from->var, suffix), NULL, NULL, from->type, "");
}

/* ---- Loops ---- */

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

static void split(te_context *c, te_stage *st, const vt_iter *axis, int64_t factor, bool parts, const vt_iter **outer,
                  const vt_iter **inner) {
    vt_ctx *ctx = &c->ctx;
    uint32_t at = loop_at(c, st, axis, "split");
    refuse_threads(c, st, axis, "split");
    if (factor < 1 || factor > INT32_MAX)
        te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s %s %lld: the number must be at least 1", name_of(st),
                  axis_of(axis), parts ? "into" : "by", (long long)factor);
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
        te__raise(c, VTA_ILLEGAL, "cannot split %s.%s by a list of sizes: its extent is not a constant of the computation",
                  name_of(st), axis_of(axis));
    for (size_t i = 0; i < n; i++) {
        if (sizes[i] < 1 || sizes[i] > extent)
            te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s by a list with %lld: its extent is %lld", name_of(st),
                      axis_of(axis), (long long)sizes[i], (long long)extent);
        sum += sizes[i];
        if (sizes[i] > largest) largest = sizes[i];
    }
    if (sum != extent)
        te__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s by sizes that make %lld: its extent is %lld", name_of(st),
                  axis_of(axis), (long long)sum, (long long)extent);
    return largest;
}

static void split_sizes(te_context *c, te_stage *st, const te_axis *handle, size_t n, const int64_t *sizes,
                        te_axis **out_outer, te_axis **out_inner) {
    vt_ctx *ctx = &c->ctx;
    const vt_iter *axis = loop_of(c, st, handle, "split");
    uint32_t at = loop_at(c, st, axis, "split");
    refuse_threads(c, st, axis, "split");
    te__need(c, sizes, "a list of sizes");
    int64_t largest = check_sizes(c, st, axis, n, sizes), *copy = VT_NEW_ARRAY(ctx, int64_t, n);
    memcpy(copy, sizes, n * sizeof *copy);
    const vt_iter *outer = derive(ctx, axis, ".outer"), *inner = derive(ctx, axis, ".inner");
    split_axis(ctx, st, at,
               (te__relation){TE__LIST, axis, outer, inner, vt_int(ctx, axis->var->dtype, largest), NULL, (uint32_t)n, copy});
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

vta_status te_split_sizes(te_stage *st, te_axis *axis, size_t n, const int64_t sizes[], te_axis **out_outer,
                          te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(context_of(st), split_sizes(st->schedule->c, st, axis, n, sizes, out_outer, out_inner));
}

static bool is_no_scalar(void *user, const vt_var *v) {
    (void)user;
    return !v->u.var->scalar;
}

/* By an expression of scalars. */
static void split_by(te_context *c, te_stage *st, const te_axis *handle, const te_expr *number, bool parts,
                     te_axis **out_outer, te_axis **out_inner) {
    vt_ctx *ctx = &c->ctx;
    const vt_iter *axis = loop_of(c, st, handle, "split"), *outer, *inner;
    const vt_expr *e = vt_simplify_free(ctx, te__expr_in(c, number, "a factor"));
    int64_t value;
    if (vt_as_const(e, &value)) {
        split(c, st, axis, value, parts, &outer, &inner);
    } else {
        uint32_t at = loop_at(c, st, axis, "split");
        refuse_threads(c, st, axis, "split");
        te__measure(c, e);
        if (!vt_dtype_is_index(e->dtype) || vt_expr_effect(e) != VT_EFFECT_PURE || vt_expr_uses_any(e, is_no_scalar, NULL))
            te__raise(c, VTA_INVALID_ARGUMENT,
                      "cannot split %s.%s %s %s: the number must be an integer made of constants and scalars of the kernel",
                      name_of(st), axis_of(axis), parts ? "into" : "by", te__repr(c, e));
        e = vt_cast(ctx, axis->var->dtype, e);
        outer = derive(ctx, axis, ".outer");
        inner = derive(ctx, axis, ".inner");
        split_axis(ctx, st, at, (te__relation){TE__SPLIT, axis, outer, inner, parts ? NULL : e, parts ? e : NULL, 0, NULL});
    }
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

static vta_status public_split_by(te_stage *st, te_axis *axis, te_expr *number, bool parts, te_axis **out_outer,
                                  te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(context_of(st), split_by(st->schedule->c, st, axis, number, parts, out_outer, out_inner));
}

vta_status te_split_expr(te_stage *st, te_axis *axis, te_expr *factor, te_axis **out_outer, te_axis **out_inner) {
    return public_split_by(st, axis, factor, false, out_outer, out_inner);
}

vta_status te_split_nparts_expr(te_stage *st, te_axis *axis, te_expr *nparts, te_axis **out_outer, te_axis **out_inner) {
    return public_split_by(st, axis, nparts, true, out_outer, out_inner);
}

static void split_to(te_context *c, te_stage *st, const te_axis *axis, int64_t factor, bool parts, te_axis **out_outer,
                     te_axis **out_inner) {
    const vt_iter *outer, *inner;
    split(c, st, loop_of(c, st, axis, "split"), factor, parts, &outer, &inner);
    if (out_outer) *out_outer = te__out(outer);
    if (out_inner) *out_inner = te__out(inner);
}

static vta_status public_split(te_stage *st, te_axis *axis, int64_t factor, bool parts, te_axis **out_outer,
                               te_axis **out_inner) {
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    TE_RETURN_STATUS(context_of(st), split_to(st->schedule->c, st, axis, factor, parts, out_outer, out_inner));
}

vta_status te_split(te_stage *st, te_axis *axis, int64_t factor, te_axis **out_outer, te_axis **out_inner) {
    return public_split(st, axis, factor, false, out_outer, out_inner);
}

vta_status te_split_nparts(te_stage *st, te_axis *axis, int64_t nparts, te_axis **out_outer, te_axis **out_inner) {
    return public_split(st, axis, nparts, true, out_outer, out_inner);
}

static const vt_iter *fuse_two(te_context *c, te_stage *st, const vt_iter *outer, const vt_iter *inner) {
    vt_ctx *ctx = &c->ctx;
    uint32_t at = loop_at(c, st, outer, "fuse"), next = loop_at(c, st, inner, "fuse");
    refuse_threads(c, st, outer, "fuse");
    refuse_threads(c, st, inner, "fuse");
    if (next + 1 == at) {
        const vt_iter *swap = outer;
        outer = inner;
        inner = swap;
        at = next++;
    }
    if (next != at + 1)
        te__raise(c, VTA_ILLEGAL, "cannot fuse %s.%s and %s: they are not neighbours; reorder first (the loops are %s)",
                  name_of(st), axis_of(outer), axis_of(inner), te__leaf_names(ctx, st));
    bool reduces = outer->type == VT_ITER_COMM_REDUCE || inner->type == VT_ITER_COMM_REDUCE;
    const char *name = vt_new_format(ctx, "%s.%s.fused", axis_of(outer), axis_of(inner));
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
    uint32_t first = loop_at(c, st, fused, "fuse");
    for (size_t i = 1; i < n; i++) { /* all or nothing: check the whole chain before the first change */
        const vt_iter *axis = te__axis_in(c, axes[i], "an axis");
        uint32_t at = loop_at(c, st, axis, "fuse");
        bool back = n == 2 && at + 1 == first;
        if (at != first + i && !back)
            te__raise(
                c, VTA_ILLEGAL,
                "cannot fuse %s.%s and %s: they are not neighbours in this order; reorder first (the loops are %s)",
                name_of(st), te_axis_name(axes[i - 1]), axis_of(axis), te__leaf_names(&c->ctx, st));
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
    TE_RETURN_STATUS(context_of(st), fuse_to(st->schedule->c, st, n, axes, out_fused));
}

static void reorder(te_context *c, te_stage *st, size_t n, const vt_iter *const *order) {
    te__iters leaf = {0};
    for (uint32_t i = 0; i < st->leaf.n; i++) te__iters_insert(&c->ctx, &leaf, i, st->leaf.items[i]);
    bool *taken = VT_NEW_ARRAY(&c->ctx, bool, leaf.n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = loop_at(c, st, order[i], "reorder");
        if (taken[at])
            te__raise(c, VTA_ILLEGAL, "cannot reorder %s: axis %s is given twice", name_of(st), axis_of(order[i]));
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
    TE_RETURN_STATUS(context_of(st), reorder_by(st->schedule->c, st, n, axes));
}

static void tile(te_context *c, te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor,
                 te_axis **out_axes) {
    const vt_iter *second = loop_of(c, st, y, "tile"), *out[4];
    if (x == y || y_factor < 1)
        te__raise(c, VTA_ILLEGAL, "cannot tile %s: two axes and factors of at least 1 are needed", name_of(st));
    split(c, st, loop_of(c, st, x, "split"), x_factor, false, &out[0], &out[2]);
    split(c, st, second, y_factor, false, &out[1], &out[3]);
    reorder(c, st, 4, out);
    for (int i = 0; i < 4; i++) out_axes[i] = te__out(out[i]);
}

vta_status te_tile(te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor, te_axis *out_axes[4]) {
    if (!out_axes) return VTA_INVALID_ARGUMENT;
    memset(out_axes, 0, 4 * sizeof *out_axes);
    TE_RETURN_STATUS(context_of(st), tile(st->schedule->c, st, x, y, x_factor, y_factor, out_axes));
}

/* ---- Where a stage is computed ---- */

static void refuse_fixed(te_context *c, const te_stage *st, const char *step) {
    if (st->op->placeholder)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an input and is not computed; use cache_read for a copy of it",
                  step, name_of(st));
    if (st->is_output) te__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an output of the schedule", step, name_of(st));
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

static void compute_at(te_context *c, te_stage *st, te_stage *parent, const te_axis *axis) {
    te__need_a(c, VT_TAG_STAGE, parent, "a stage");
    refuse_fixed(c, st, "compute_at");
    if (parent->schedule != st->schedule)
        te__raise(c, VTA_ILLEGAL, "%s and %s are of different schedules", name_of(st), name_of(parent));
    const vt_iter *at = loop_of(c, parent, axis, "compute another stage at");
    if (parent == st) te__raise(c, VTA_ILLEGAL, "cannot compute %s at its own loop", name_of(st));
    if (!feeds(&c->ctx, st->schedule, st, parent))
        te__raise(c, VTA_ILLEGAL, "cannot compute %s at %s.%s: %s does not need it", name_of(st), name_of(parent),
                  axis_of(at), name_of(parent));
    st->attach = TE__AT;
    st->at_stage = parent;
    st->at_axis = at;
    st->at_pos = c->pos;
}

vta_status te_compute_at(te_stage *st, te_stage *parent, te_axis *axis) {
    TE_RETURN_STATUS(context_of(st), compute_at(st->schedule->c, st, parent, axis));
}

static void attach(te_stage *st, te__attach how) {
    st->attach = how;
    st->at_stage = NULL;
    st->at_axis = NULL;
}

static void compute_inline(te_context *c, te_stage *st) {
    refuse_fixed(c, st, "compute_inline");
    if (st->op->n_reduce) te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it is a reduction", name_of(st));
    if (st->op->n_outputs != 1)
        te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it has several outputs", name_of(st));
    if (st->op->scan) te__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it is a scan", name_of(st));
    attach(st, TE__INLINE);
}

vta_status te_compute_inline(te_stage *st) { TE_RETURN_STATUS(context_of(st), compute_inline(st->schedule->c, st)); }

vta_status te_compute_root(te_stage *st) { TE_RETURN_STATUS(context_of(st), attach(st, TE__ROOT)); }

static void set_scope(te_context *c, te_stage *st, const char *text) {
    const char *scope = te__scope(c, text);
    refuse_fixed(c, st, "set_scope of");
    st->scope = scope;
}

vta_status te_set_scope(te_stage *st, const char *scope) {
    TE_RETURN_STATUS(context_of(st), set_scope(st->schedule->c, st, scope));
}

/* ---- Attributes of one axis ---- */

static void set_type(te_context *c, te_stage *st, const vt_iter *axis, vt_iter_type type, const char *step) {
    loop_at(c, st, axis, step);
    refuse_threads(c, st, axis, step);
    if (type != VT_ITER_UNROLLED && axis->type == VT_ITER_ORDERED)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the rows of a scan follow from each other", step, name_of(st),
                  axis_of(axis));
    if (type != VT_ITER_UNROLLED && axis->type == VT_ITER_COMM_REDUCE)
        te__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is a reduce axis, whose steps depend on each other", step,
                  name_of(st), axis_of(axis));
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
    TE_RETURN_STATUS(context_of(st), mark(st->schedule->c, st, axis, types[which].type, types[which].step));
}
vta_status te_vectorize(te_stage *st, te_axis *axis) { return public_mark(st, axis, 0); }
vta_status te_parallel(te_stage *st, te_axis *axis) { return public_mark(st, axis, 1); }
vta_status te_unroll(te_stage *st, te_axis *axis) { return public_mark(st, axis, 2); }

static void add_pragma(te_context *c, te_stage *st, const te_axis *axis, const char *name, const te_expr *value) {
    const char *pragma = te__name(c, name, "a pragma");
    const vt_iter *on = loop_of(c, st, axis, "put a pragma on");
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
    TE_RETURN_STATUS(context_of(st), add_pragma(st->schedule->c, st, axis, pragma, value));
}

static void bind_to(te_context *c, te_stage *st, const te_axis *loop, const te_axis *to) {
    const vt_iter *axis = loop_of(c, st, loop, "bind"), *thread = te__axis_in(c, to, "a thread axis");
    if (thread->type != VT_ITER_THREAD_INDEX)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is not a thread axis", name_of(st), axis_of(axis),
                  axis_of(thread));
    if (axis->type == VT_ITER_ORDERED)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: the rows of a scan follow from each other", name_of(st),
                  axis_of(axis), axis_of(thread));
    if (axis->type == VT_ITER_COMM_REDUCE)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is a reduce axis; threads cannot share a sum",
                  name_of(st), axis_of(axis), axis_of(thread));
    if (strcmp(thread->thread_tag, "vta") == 0)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to vta: only virtual threads (cthread, vthread) share out loops",
                  name_of(st), axis_of(axis));
    const te__axis_attr *old = te__attr(st, axis);
    if (old && old->thread && old->thread != thread)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is already bound to %s", name_of(st), axis_of(axis),
                  axis_of(thread), axis_of(old->thread));
    if (old && old->type != VT_ITER_DATA_PAR)
        te__raise(c, VTA_ILLEGAL, "cannot bind %s.%s: it is already marked as %s", name_of(st), axis_of(axis),
                  vt_iter_type_text(old->type));
    te__attr_for(&c->ctx, st, axis)->thread = thread;
}

vta_status te_bind(te_stage *st, te_axis *axis, te_axis *thread) {
    TE_RETURN_STATUS(context_of(st), bind_to(st->schedule->c, st, axis, thread));
}

static void align(te_context *c, te_stage *st, const te_axis *given, int64_t factor, int64_t offset) {
    const vt_iter *axis = te__axis_in(c, given, "an axis");
    if (te__iters_find(&st->all, axis) >= st->op->n_axes)
        te__raise(c, VTA_ILLEGAL, "storage_align of %s needs one of its own data axes", name_of(st));
    if (factor < 1 || offset < 0)
        te__raise(c, VTA_OUT_OF_RANGE, "storage_align of %s: factor at least 1, offset at least 0", name_of(st));
    te__axis_attr *attr = te__attr_for(&c->ctx, st, axis);
    attr->align_factor = factor;
    attr->align_offset = offset;
}

vta_status te_storage_align(te_stage *st, te_axis *axis, int64_t factor, int64_t offset) {
    TE_RETURN_STATUS(context_of(st), align(st->schedule->c, st, axis, factor, offset));
}

static void tensorize(te_context *c, te_stage *st, const te_axis *at, te_intrin *intrin) {
    const vt_iter *axis = loop_of(c, st, at, "tensorize");
    refuse_bound(c, st, axis, "tensorize");
    if (st->op->scan) te__raise(c, VTA_ILLEGAL, "cannot tensorize %s: it is a scan", name_of(st));
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].type == VT_ITER_TENSORIZED && st->attrs[i].axis != axis)
            te__raise(c, VTA_ILLEGAL, "cannot tensorize %s.%s: %s is already tensorized at %s", name_of(st),
                      axis_of(axis), name_of(st), axis_of(st->attrs[i].axis));
    if (intrin) te__need_a(c, VT_TAG_INTRIN, intrin, "an intrinsic");
    if (!intrin) intrin = te__gemm(c);
    te__axis_attr *attr = te__attr_for(&c->ctx, st, axis);
    attr->type = VT_ITER_TENSORIZED;
    attr->intrin = intrin;
    attr->intrin_pos = c->pos;
}

vta_status te_tensorize(te_stage *st, te_axis *axis, te_intrin *intrin) {
    TE_RETURN_STATUS(context_of(st), tensorize(st->schedule->c, st, axis, intrin));
}

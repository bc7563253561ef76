/* Schedule steps. Each is checked, and has all the memory it needs, before anything that counts is changed: an axis
 * that stands in the list of all axes but in no relation has no effect. */
#include <string.h>

#include "te/priv.h"

static const char *name_of(const te_stage *st) { return st->origin->name; }
static const char *axis_of(const vt_iter *axis) { return vt_var_name(axis->var); }

/* The stage as a step may change it. */
static te_stage *stage_of(te_context *c, const void *st) {
    vt__need_a(c, VT_TAG_STAGE, st, "a stage");
    return vt__out(st);
}

/* Position of a loop of the stage; raises what is wrong with an axis that is none. */
static uint32_t loop_at(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    vt__need_a(c, VT_TAG_AXIS, axis, "an axis");
    uint32_t at = vt__iters_find(&st->leaf, axis);
    if (at < st->leaf.n) return at;
    if (vt__iters_find(&st->all, axis) < st->all.n) {
        const char *how = "replaced";
        for (uint32_t i = 0; i < st->n_relations; i++) {
            const vt__relation *r = &st->relations[i];
            if (r->kind == VT__SPLIT && r->parent == axis) how = "split";
            if (r->kind == VT__FUSE && (r->outer == axis || r->inner == axis)) how = "fused";
        }
        vt__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the axis has already been %s; the loops of %s are now %s", step,
                  name_of(st), axis_of(axis), how, name_of(st), vt__leaf_names(&c->ctx, st));
    }
    vt__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: the axis does not belong to %s, whose loops are %s", step, name_of(st),
              axis_of(axis), name_of(st), vt__leaf_names(&c->ctx, st));
}

static void refuse_threads(te_context *c, const te_stage *st, const vt_iter *axis, const char *step) {
    const vt__axis_attr *attr = vt__attr(st, axis);
    if (attr && attr->thread)
        vt__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is bound to thread %s", step, name_of(st), axis_of(axis),
                  attr->thread->thread_tag);
    if (attr && attr->type == VT_ITER_TENSORIZED)
        vt__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is tensorized", step, name_of(st), axis_of(axis));
}

static void add_relation(vt_ctx *ctx, te_stage *st, vt__relation r) {
    vt_grow(ctx, &st->relations, &st->cap_relations, st->n_relations + 1, sizeof *st->relations);
    st->relations[st->n_relations++] = r;
}

static const vt_iter *derive(vt_ctx *ctx, const vt_iter *from, const char *suffix) {
    return vt_iter_new(ctx, vt_var_copy(ctx, from->var, suffix), NULL, NULL, from->type, "");
}

/* ---- Loops ---- */

static void split(te_context *c, te_stage *st, const vt_iter *axis, int64_t factor, bool parts, const vt_iter **outer,
                  const vt_iter **inner) {
    vt_ctx *ctx = &c->ctx;
    uint32_t at = loop_at(c, st, axis, "split");
    refuse_threads(c, st, axis, "split");
    if (factor < 1 || factor > INT32_MAX)
        vt__raise(c, VTA_OUT_OF_RANGE, "cannot split %s.%s %s %lld: the number must be at least 1", name_of(st),
                  axis_of(axis), parts ? "into" : "by", (long long)factor);
    *outer = derive(ctx, axis, ".outer");
    *inner = derive(ctx, axis, ".inner");
    const vt_expr *number = vt_int(ctx, axis->var->dtype, factor);
    vt__iters leaf = {0};
    for (uint32_t i = 0; i < st->leaf.n; i++) {
        if (i != at) vt__iters_insert(ctx, &leaf, leaf.n, st->leaf.items[i]);
        if (i == at) vt__iters_insert(ctx, &leaf, leaf.n, *outer);
        if (i == at) vt__iters_insert(ctx, &leaf, leaf.n, *inner);
    }
    vt__iters_insert(ctx, &st->all, st->all.n, *outer);
    vt__iters_insert(ctx, &st->all, st->all.n, *inner);
    add_relation(ctx, st,
                 (vt__relation){VT__SPLIT, axis, *outer, *inner, parts ? NULL : number, parts ? number : NULL});
    st->leaf = leaf;
}

static void do_split(te_context *c, vt__call *k) {
    const vt_iter *outer, *inner;
    split(c, stage_of(c, k->a), k->b, k->i, k->j != 0, &outer, &inner);
    k->out = vt__out(outer);
    k->out2 = vt__out(inner);
}

static te_context *context_of(const te_stage *st) { return vt_is(st, VT_TAG_STAGE) ? st->schedule->c : NULL; }

static vta_status public_split(te_stage *st, te_axis *axis, int64_t factor, bool parts, te_axis **out_outer,
                               te_axis **out_inner) {
    vt__call k = {.a = st, .b = axis, .i = factor, .j = parts};
    if (out_outer) *out_outer = NULL;
    if (out_inner) *out_inner = NULL;
    vta_status status = vt__do(context_of(st), do_split, &k);
    if (status != VTA_OK) return status;
    if (out_outer) *out_outer = k.out;
    if (out_inner) *out_inner = k.out2;
    return VTA_OK;
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
        vt__raise(c, VTA_ILLEGAL, "cannot fuse %s.%s and %s: they are not neighbours; reorder first (the loops are %s)",
                  name_of(st), axis_of(outer), axis_of(inner), vt__leaf_names(ctx, st));
    if (outer->type != inner->type)
        vt__raise(c, VTA_ILLEGAL, "cannot fuse %s.%s and %s: one is a data axis, the other a reduce axis", name_of(st),
                  axis_of(outer), axis_of(inner));
    const char *name = vt_new_format(ctx, "%s.%s.fused", axis_of(outer), axis_of(inner));
    const vt_iter *fused = vt_iter_new(ctx, vt_var_new(ctx, name, outer->var->dtype), NULL, NULL, outer->type, "");
    vt__iters_insert(ctx, &st->all, st->all.n, fused);
    add_relation(ctx, st, (vt__relation){VT__FUSE, fused, outer, inner, NULL, NULL});
    st->leaf.items[at] = fused;
    memmove(st->leaf.items + at + 1, st->leaf.items + at + 2, (st->leaf.n - at - 2) * sizeof *st->leaf.items);
    st->leaf.n--;
    return fused;
}

static void do_fuse(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    vt_ctx *ctx = &c->ctx;
    if (!k->n) {
        const vt_iter *one = vt_iter_new(ctx, vt_var_new(ctx, "singleton", VT_I32), vt_i32(ctx, 0), vt_i32(ctx, 1),
                                         VT_ITER_DATA_PAR, "");
        vt__iters_insert(ctx, &st->all, st->all.n, one);
        vt__iters leaf = {0};
        vt__iters_insert(ctx, &leaf, 0, one);
        for (uint32_t i = 0; i < st->leaf.n; i++) vt__iters_insert(ctx, &leaf, leaf.n, st->leaf.items[i]);
        add_relation(ctx, st, (vt__relation){VT__SINGLETON, NULL, NULL, one, NULL, NULL});
        st->leaf = leaf;
        k->out = vt__out(one);
        return;
    }
    vt__need(c, k->list, "a list of axes");
    const vt_iter *fused = k->list[0];
    uint32_t first = loop_at(c, st, fused, "fuse");
    for (size_t i = 1; i < k->n; i++) { /* all or nothing: check the whole chain before the first change */
        uint32_t at = loop_at(c, st, k->list[i], "fuse");
        bool back = k->n == 2 && at + 1 == first;
        if (at != first + i && !back)
            vt__raise(
                c, VTA_ILLEGAL,
                "cannot fuse %s.%s and %s: they are not neighbours in this order; reorder first (the loops are %s)",
                name_of(st), axis_of(k->list[i - 1]), axis_of(k->list[i]), vt__leaf_names(ctx, st));
    }
    for (size_t i = 1; i < k->n; i++) fused = fuse_two(c, st, fused, k->list[i]);
    k->out = vt__out(fused);
}

vta_status te_fuse(te_stage *st, size_t n, te_axis *const axes[], te_axis **out_fused) {
    vt__call k = {.a = st, .n = n, .list = (const void *const *)axes};
    if (out_fused) *out_fused = NULL;
    vta_status status = vt__do(context_of(st), do_fuse, &k);
    if (out_fused && status == VTA_OK) *out_fused = k.out;
    return status;
}

static void reorder(te_context *c, te_stage *st, size_t n, const vt_iter *const *order) {
    vt__iters leaf = {0};
    for (uint32_t i = 0; i < st->leaf.n; i++) vt__iters_insert(&c->ctx, &leaf, i, st->leaf.items[i]);
    bool *taken = VT_NEW_ARRAY(&c->ctx, bool, leaf.n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t at = loop_at(c, st, order[i], "reorder");
        if (taken[at])
            vt__raise(c, VTA_ILLEGAL, "cannot reorder %s: axis %s is given twice", name_of(st), axis_of(order[i]));
        taken[at] = true;
    }
    size_t next = 0;
    for (uint32_t i = 0; i < leaf.n; i++)
        if (taken[i]) leaf.items[i] = order[next++];
    st->leaf = leaf;
}

static void do_reorder(te_context *c, vt__call *k) {
    if (k->n) vt__need(c, k->list, "a list of axes");
    reorder(c, stage_of(c, k->a), k->n, (const vt_iter *const *)k->list);
}

vta_status te_reorder(te_stage *st, size_t n, te_axis *const axes[]) {
    return vt__do(context_of(st), do_reorder, &(vt__call){.a = st, .n = n, .list = (const void *const *)axes});
}

static void do_tile(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    const vt_iter **out = k->out;
    loop_at(c, st, k->d, "tile");
    if (k->b == k->d || k->j < 1)
        vt__raise(c, VTA_ILLEGAL, "cannot tile %s: two axes and factors of at least 1 are needed", name_of(st));
    split(c, st, k->b, k->i, false, &out[0], &out[2]);
    split(c, st, k->d, k->j, false, &out[1], &out[3]);
    reorder(c, st, 4, out);
}

vta_status te_tile(te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor, te_axis *out_axes[4]) {
    if (!out_axes) return VTA_INVALID_ARGUMENT;
    memset(out_axes, 0, 4 * sizeof *out_axes);
    return vt__do(context_of(st), do_tile,
                  &(vt__call){.a = st, .b = x, .d = y, .i = x_factor, .j = y_factor, .out = out_axes});
}

/* ---- Where a stage is computed ---- */

static void refuse_fixed(te_context *c, const te_stage *st, const char *step) {
    if (st->op->placeholder)
        vt__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an input and is not computed; use cache_read for a copy of it",
                  step, name_of(st));
    if (st->is_output) vt__raise(c, VTA_ILLEGAL, "cannot %s %s: it is an output of the schedule", step, name_of(st));
}

/* Does `to` read what `from` computes, directly or through other stages? */
static bool feeds(vt_ctx *ctx, const te_schedule *s, const te_stage *from, const te_stage *to) {
    bool *reached = VT_NEW_ARRAY(ctx, bool, s->n_stages);
    for (uint32_t i = vt__stage_index(s, from); i < s->n_stages; i++) {
        const vt_operation *op = s->stages[i]->op;
        reached[i] = s->stages[i] == from;
        for (uint32_t j = 0; j < op->n_inputs && !reached[i]; j++) {
            const te_stage *input = vt__stage_of(s, vt__op(op->inputs[j]));
            reached[i] = input && reached[vt__stage_index(s, input)];
        }
        if (s->stages[i] == to) return reached[i];
    }
    return false;
}

static void do_compute_at(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a), *parent = stage_of(c, k->b);
    refuse_fixed(c, st, "compute_at");
    if (parent->schedule != st->schedule)
        vt__raise(c, VTA_ILLEGAL, "%s and %s are of different schedules", name_of(st), name_of(parent));
    loop_at(c, parent, k->d, "compute another stage at");
    if (parent == st) vt__raise(c, VTA_ILLEGAL, "cannot compute %s at its own loop", name_of(st));
    if (!feeds(&c->ctx, st->schedule, st, parent))
        vt__raise(c, VTA_ILLEGAL, "cannot compute %s at %s.%s: %s does not need it", name_of(st), name_of(parent),
                  axis_of(k->d), name_of(parent));
    st->attach = VT__AT;
    st->at_stage = parent;
    st->at_axis = k->d;
    st->at_pos = c->pos;
}

vta_status te_compute_at(te_stage *st, te_stage *parent, te_axis *axis) {
    return vt__do(context_of(st), do_compute_at, &(vt__call){.a = st, .b = parent, .d = axis});
}

static void attach(te_stage *st, vt__attach how) {
    st->attach = how;
    st->at_stage = NULL;
    st->at_axis = NULL;
}

static void do_inline(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    refuse_fixed(c, st, "compute_inline");
    if (st->op->n_reduce) vt__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it is a reduction", name_of(st));
    if (st->op->n_outputs != 1)
        vt__raise(c, VTA_ILLEGAL, "cannot compute_inline %s: it has several outputs", name_of(st));
    attach(st, VT__INLINE);
}

static void do_root(te_context *c, vt__call *k) { attach(stage_of(c, k->a), VT__ROOT); }
vta_status te_compute_inline(te_stage *st) { return vt__do(context_of(st), do_inline, &(vt__call){.a = st}); }
vta_status te_compute_root(te_stage *st) { return vt__do(context_of(st), do_root, &(vt__call){.a = st}); }

static void do_scope(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    const char *scope = vt__scope(c, k->s);
    refuse_fixed(c, st, "set_scope of");
    st->scope = scope;
}

vta_status te_set_scope(te_stage *st, const char *scope) {
    return vt__do(context_of(st), do_scope, &(vt__call){.a = st, .s = scope});
}

/* ---- What is said of one axis ---- */

static void set_type(te_context *c, te_stage *st, const vt_iter *axis, vt_iter_type type, const char *step) {
    loop_at(c, st, axis, step);
    refuse_threads(c, st, axis, step);
    if (type != VT_ITER_UNROLLED && axis->type == VT_ITER_COMM_REDUCE)
        vt__raise(c, VTA_ILLEGAL, "cannot %s %s.%s: it is a reduce axis, whose steps depend on each other", step,
                  name_of(st), axis_of(axis));
    vt__attr_for(&c->ctx, st, axis)->type = type;
}

static const struct {
    const char *step;
    vt_iter_type type;
} types[] = {{"vectorize", VT_ITER_VECTORIZED}, {"parallel", VT_ITER_PARALLELIZED}, {"unroll", VT_ITER_UNROLLED}};

static void do_type(te_context *c, vt__call *k) {
    set_type(c, stage_of(c, k->a), k->b, types[k->i].type, types[k->i].step);
}

static vta_status mark(te_stage *st, te_axis *axis, int which) {
    return vt__do(context_of(st), do_type, &(vt__call){.a = st, .b = axis, .i = which});
}
vta_status te_vectorize(te_stage *st, te_axis *axis) { return mark(st, axis, 0); }
vta_status te_parallel(te_stage *st, te_axis *axis) { return mark(st, axis, 1); }
vta_status te_unroll(te_stage *st, te_axis *axis) { return mark(st, axis, 2); }

static void do_pragma(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    const char *pragma = vt__name(c, k->s, "a pragma");
    loop_at(c, st, k->b, "put a pragma on");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(pragma, types[i].step) == 0) {
            set_type(c, st, k->b, types[i].type, types[i].step);
            return;
        }
    if (k->d) vt__need_a(c, VT_TAG_EXPR, k->d, "a pragma's value");
    vt__axis_attr *attr = vt__attr_for(&c->ctx, st, k->b);
    vt_grow(&c->ctx, &attr->pragmas, &attr->cap_pragmas, attr->n_pragmas + 1, sizeof *attr->pragmas);
    attr->pragmas[attr->n_pragmas++] = (vt__pragma){pragma, k->d ? k->d : vt_i32(&c->ctx, 1), c->pos};
}

vta_status te_pragma(te_stage *st, te_axis *axis, const char *pragma, te_expr *value) {
    return vt__do(context_of(st), do_pragma, &(vt__call){.a = st, .b = axis, .s = pragma, .d = value});
}

static void do_bind(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    const vt_iter *axis = k->b, *thread = k->d;
    loop_at(c, st, axis, "bind");
    vt__need_a(c, VT_TAG_AXIS, thread, "a thread axis");
    if (thread->type != VT_ITER_THREAD_INDEX)
        vt__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is no thread axis", name_of(st), axis_of(axis),
                  axis_of(thread));
    if (axis->type == VT_ITER_COMM_REDUCE)
        vt__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is a reduce axis; threads cannot share a sum",
                  name_of(st), axis_of(axis), axis_of(thread));
    if (strcmp(thread->thread_tag, "vta") == 0)
        vt__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to vta: only virtual threads (cthread, vthread) share out loops",
                  name_of(st), axis_of(axis));
    const vt__axis_attr *old = vt__attr(st, axis);
    if (old && old->thread && old->thread != thread)
        vt__raise(c, VTA_ILLEGAL, "cannot bind %s.%s to %s: it is already bound to %s", name_of(st), axis_of(axis),
                  axis_of(thread), axis_of(old->thread));
    if (old && old->type != VT_ITER_DATA_PAR)
        vt__raise(c, VTA_ILLEGAL, "cannot bind %s.%s: it is already marked as %s", name_of(st), axis_of(axis),
                  vt_iter_type_text(old->type));
    vt__attr_for(&c->ctx, st, axis)->thread = thread;
}

vta_status te_bind(te_stage *st, te_axis *axis, te_axis *thread) {
    return vt__do(context_of(st), do_bind, &(vt__call){.a = st, .b = axis, .d = thread});
}

static void do_align(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    vt__need_a(c, VT_TAG_AXIS, k->b, "an axis");
    if (vt__iters_find(&st->all, k->b) >= st->op->n_axes)
        vt__raise(c, VTA_ILLEGAL, "storage_align of %s needs one of its own data axes", name_of(st));
    if (k->i < 1 || k->j < 0)
        vt__raise(c, VTA_OUT_OF_RANGE, "storage_align of %s: factor at least 1, offset at least 0", name_of(st));
    vt__axis_attr *attr = vt__attr_for(&c->ctx, st, k->b);
    attr->align_factor = k->i;
    attr->align_offset = k->j;
}

vta_status te_storage_align(te_stage *st, te_axis *axis, int64_t factor, int64_t offset) {
    return vt__do(context_of(st), do_align, &(vt__call){.a = st, .b = axis, .i = factor, .j = offset});
}

static void do_tensorize(te_context *c, vt__call *k) {
    te_stage *st = stage_of(c, k->a);
    loop_at(c, st, k->b, "tensorize");
    refuse_threads(c, st, k->b, "tensorize");
    for (uint32_t i = 0; i < st->n_attrs; i++)
        if (st->attrs[i].type == VT_ITER_TENSORIZED)
            vt__raise(c, VTA_ILLEGAL, "cannot tensorize %s.%s: %s is already tensorized at %s", name_of(st),
                      axis_of(k->b), name_of(st), axis_of(st->attrs[i].axis));
    if (k->d) vt__need_a(c, VT_TAG_INTRIN, k->d, "an intrinsic");
    te_intrin *intrin = k->d ? vt__out(k->d) : vt__gemm(c);
    vt__axis_attr *attr = vt__attr_for(&c->ctx, st, k->b);
    attr->type = VT_ITER_TENSORIZED;
    attr->intrin = intrin;
    attr->intrin_pos = c->pos;
}

vta_status te_tensorize(te_stage *st, te_axis *axis, te_intrin *intrin) {
    return vt__do(context_of(st), do_tensorize, &(vt__call){.a = st, .b = axis, .d = intrin});
}

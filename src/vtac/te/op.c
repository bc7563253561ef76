/* Operations: placeholders and computations, and the tensors they make. */
#include <string.h>

#include "te/expr.h"
#include "te/schedule.h"

int64_t te__extent(const vt_iter *axis) {
    int64_t value;
    return axis->extent && vt_as_const(axis->extent, &value) ? value : -1;
}

const vt_iter *te__axis(te_context *c, const char *name, const vt_expr *min, const vt_expr *extent, bool reduce) {
    if (!vt_dtype_is_index(extent->dtype) || !vt_dtype_is_index(min->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "the range of axis %s must be of type int32 or int64", name);
    int64_t value;
    if (vt_as_const(extent, &value) && value < 1)
        te__raise(c, VTA_OUT_OF_RANGE, "axis %s has an extent of %lld; it must be at least 1", name, (long long)value);
    const vt_var *v = vt_var_new(&c->ctx, name, extent->dtype);
    return vt_iter_new(&c->ctx, v, min, extent, reduce ? VT_ITER_COMM_REDUCE : VT_ITER_DATA_PAR, "");
}

static te_axis *new_axis(te_context *c, const char *name, const vt_expr *min, const vt_expr *extent, bool reduce) {
    const vt_iter *axis = te__axis(c, name, min, extent, reduce);
    if (reduce) te__symbol_add(c, TE__AXIS, name, 0, axis);
    return te__out(axis);
}

static te_axis *axis_const(te_context *c, const char *text, int64_t begin, int64_t extent, bool reduce) {
    const char *name = te__name(c, text, "an axis");
    return new_axis(c, name, te__number(c, begin), te__number(c, extent), reduce);
}

static te_axis *axis_expr(te_context *c, const char *text, te_expr *extent) {
    const char *name = te__name(c, text, "an axis");
    return new_axis(c, name, te__number(c, 0), te__expr_in(c, extent, "an extent"), false);
}

static te_axis *reduce_axis_expr(te_context *c, const char *text, te_expr *begin, te_expr *extent) {
    const char *name = te__name(c, text, "an axis");
    const vt_expr *min = te__expr_in(c, begin, "the begin of an axis");
    return new_axis(c, name, min, te__expr_in(c, extent, "an extent"), true);
}

te_axis *te_axis_create(te_context *c, const char *name, int64_t extent) {
    TE_RETURN(c, axis_const(c, name, 0, extent, false));
}
te_axis *te_axis_create_expr(te_context *c, const char *name, te_expr *extent) {
    TE_RETURN(c, axis_expr(c, name, extent));
}
te_axis *te_reduce_axis(te_context *c, const char *name, int64_t begin, int64_t extent) {
    TE_RETURN(c, axis_const(c, name, begin, extent, true));
}
te_axis *te_reduce_axis_expr(te_context *c, const char *name, te_expr *begin, te_expr *extent) {
    TE_RETURN(c, reduce_axis_expr(c, name, begin, extent));
}

/* Virtual threads, the accelerator, and the threads of graphics processors: loops bound to these can be lowered and
 * read, but there is no target that they are compiled for. */
static const vt_iter *thread_axis(te_context *c, const char *text) {
    static const char *const known[] = {"cthread",    "vthread",     "vta",         "blockIdx.x", "blockIdx.y",
                                        "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"};
    te__need(c, text, "a thread tag");
    const char *tag = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i]) == 0) tag = known[i];
    if (!tag)
        te__raise(c, VTA_UNSUPPORTED,
                  "there is no thread axis \"%s\" here: use cthread, vthread or vta (blockIdx.x to threadIdx.z are "
                  "lowered, not compiled)",
                  text);
    return vt_iter_new(&c->ctx, vt_var_new(&c->ctx, tag, VT_I32), NULL, NULL, VT_ITER_THREAD_INDEX, tag);
}

bool te__is_virtual(const vt_iter *thread) { return thread->thread_tag[0] == 'c' || thread->thread_tag[0] == 'v'; }

te_axis *te_thread_axis(te_context *c, const char *tag) { TE_RETURN(c, te__out(thread_axis(c, tag))); }

const vt_iter *vt_te_vta_axis(te_context *c) {
    if (!c->vta_axis) c->vta_axis = thread_axis(c, "vta");
    return c->vta_axis;
}

/* ---- Making operations ---- */

typedef struct input_list {
    vt_ctx *ctx;
    const vt_tensor **items;
    uint32_t n, cap;
} input_list;

static void note_input(void *user, const vt_expr *e) {
    input_list *list = user;
    if (e->kind != VT_E_PLOAD) return;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i] == e->u.tensor) return;
    vt_grow(list->ctx, &list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = e->u.tensor;
}

static void find_inputs(vt_ctx *ctx, vt_operation *op) {
    input_list list = {.ctx = ctx};
    for (uint32_t i = 0; i < op->n_outputs && !op->placeholder; i++)
        vt_expr_walk_post(op->bodies[i], note_input, &list);
    op->inputs = list.items;
    op->n_inputs = list.n;
}

/* Sizes and offsets have 64 bits; a tensor that has no more elements than they hold may be larger than any memory. */
static void check_size(te_context *c, const char *name, vt_dtype t, uint32_t ndim, const vt_expr *const *shape) {
    int64_t size = (t.bits + 7) / 8, extent;
    for (uint32_t i = 0; i < ndim; i++)
        if (vt_as_const(shape[i], &extent) && __builtin_mul_overflow(size, extent, &size))
            te__raise(c, VTA_OUT_OF_RANGE,
                      "%s has more than 2^63 - 1 bytes with dimension %u, of %lld: make its dimensions smaller", name,
                      (unsigned)i, (long long)extent);
}

static const vt_tensor *make_tensor(vt_ctx *ctx, const vt_operation *op, vt_dtype t, uint32_t index, uint32_t ndim,
                                    const vt_expr *const *shape) {
    check_size(op->c, op->name, t, ndim, shape);
    vt_tensor *tensor = VT_NEW(ctx, vt_tensor);
    *tensor = (vt_tensor){.tag = VT_TAG_TENSOR,
                          .name = op->name,
                          .dtype = t,
                          .ndim = ndim,
                          .shape = shape,
                          .op = op,
                          .value_index = index};
    return tensor;
}

/* Of the shapes of `like`; NULL: of the axes' extents. */
static void make_outputs(vt_ctx *ctx, vt_operation *op, const vt_tensor *const *like) {
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_axes);
    for (uint32_t i = 0; i < op->n_axes; i++) shape[i] = op->iters[i]->extent;
    const vt_tensor **outputs = VT_NEW_ARRAY(ctx, const vt_tensor *, op->n_outputs);
    for (uint32_t i = 0; i < op->n_outputs; i++)
        outputs[i] = make_tensor(ctx, op, op->bodies[i]->dtype, i, like ? like[i]->ndim : op->n_axes,
                                 like ? like[i]->shape : shape);
    op->outputs = outputs;
}

const vt_operation *te__with_bodies(vt_ctx *ctx, const vt_operation *op, const vt_expr *const *bodies) {
    vt_operation *copy = VT_NEW(ctx, vt_operation);
    *copy = *op;
    copy->bodies = bodies;
    make_outputs(ctx, copy, op->scan || op->external ? op->outputs : NULL);
    find_inputs(ctx, copy);
    return copy;
}

/* A reduction anywhere but at the top. */
static bool finds_reduction(void *user, const vt_expr *e) {
    bool *found = user;
    if (e->kind == VT_E_REDUCE) *found = true;
    return !*found;
}

/* Result `k` of the reduction that `first` is a result of. */
static bool is_result(const vt_expr *e, const vt_expr *first, uint32_t k) {
    if (e->kind != VT_E_REDUCE) return first->kind != VT_E_REDUCE;
    const vt_reduce *r = e->u.reduce, *f = first->u.reduce;
    if (first->kind != VT_E_REDUCE || r->combiner != f->combiner || r->value_index != k || e->n != first->n)
        return false;
    bool same = r->n_axes == f->n_axes;
    for (uint32_t i = 0; same && i < r->n_axes; i++) same = r->axes[i] == f->axes[i];
    for (uint32_t i = 0; same && i < e->n; i++) same = vt_expr_equal(e->a[i], first->a[i]);
    return same;
}

static void check_bodies(te_context *c, const vt_operation *op) {
    const vt_expr *first = op->bodies[0];
    for (uint32_t k = 0; k < op->n_outputs; k++) te__measure(c, op->bodies[k]);
    if (first->kind == VT_E_REDUCE && first->u.reduce->n_sources != op->n_outputs)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %u bodies, but its reduction has %u results: give all of them",
                  op->name, op->n_outputs, first->u.reduce->n_sources);
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        const vt_expr *e = op->bodies[k];
        if (!is_result(e, first, k))
            te__raise(c, VTA_INVALID_ARGUMENT,
                      "the bodies of %s must be the results of one reduction in their order, or none reductions",
                      op->name);
        bool found = false;
        for (uint32_t i = 0; e->kind == VT_E_REDUCE && i < e->n; i++) vt_expr_walk(e->a[i], finds_reduction, &found);
        if (e->kind != VT_E_REDUCE) vt_expr_walk(e, finds_reduction, &found);
        if (found)
            te__raise(c, VTA_INVALID_ARGUMENT,
                      "%s has a reduction inside its body; it may only stand at the top: make it a tensor of its own",
                      op->name);
    }
}

void te__check_variables(te_context *c, const vt_operation *op) {
    for (uint32_t k = 0; k < op->n_outputs; k++) {
        uint32_t n;
        const vt_var *const *vars = vt_expr_free_vars(&c->ctx, op->bodies[k], &n);
        for (uint32_t i = 0; i < n; i++) {
            bool known = false;
            for (uint32_t j = 0; j < op->n_axes + op->n_reduce; j++) known = known || op->iters[j]->var == vars[i];
            if (known || vars[i]->u.var->scalar) continue;
            te__raise(
                c, VTA_INVALID_ARGUMENT,
                "the body of %s uses %s, which is neither one of its axes nor a scalar; a reduce axis may only be "
                "used inside its reduction",
                op->name, vt_var_name(vars[i]));
        }
    }
}

const vt_operation *te__compute(te_context *c, const char *name, const char *tag, uint32_t n_axes,
                                const vt_iter *const *axes, uint32_t n_bodies, const vt_expr *const *bodies) {
    vt_ctx *ctx = &c->ctx;
    if (!n_bodies) te__raise(c, VTA_INVALID_ARGUMENT, "%s has no body", name);
    vt_operation *op = VT_NEW(ctx, vt_operation);
    const vt_reduce *reduce = bodies[0]->kind == VT_E_REDUCE ? bodies[0]->u.reduce : NULL;
    *op = (vt_operation){.c = c, .name = name, .tag = tag, .pos = c->pos, .n_axes = n_axes, .n_outputs = n_bodies};
    op->n_reduce = reduce ? reduce->n_axes : 0;
    const vt_iter **iters = VT_NEW_ARRAY(ctx, const vt_iter *, n_axes + op->n_reduce);
    for (uint32_t i = 0; i < n_axes; i++) {
        iters[i] = axes[i];
        if (axes[i]->type != VT_ITER_DATA_PAR || !axes[i]->extent)
            te__raise(c, VTA_INVALID_ARGUMENT, "axis %s of %s is not a data axis", vt_var_name(axes[i]->var), name);
        for (uint32_t j = 0; j < i; j++)
            if (axes[j] == axes[i])
                te__raise(c, VTA_INVALID_ARGUMENT, "axis %s is given twice to %s", vt_var_name(axes[i]->var), name);
    }
    for (uint32_t i = 0; i < op->n_reduce; i++) iters[n_axes + i] = reduce->axes[i];
    op->iters = iters;
    op->bodies = vt_exprs_copy(ctx, n_bodies, bodies);
    for (uint32_t i = 0; i < n_bodies; i++)
        if (bodies[i]->dtype.lanes != 1 || bodies[i]->dtype.code == VT_HANDLE)
            te__raise(c, VTA_INVALID_ARGUMENT, "an element of %s would be of type %s: elements are single numbers",
                      name, te__dtype_text(c, bodies[i]->dtype));
    check_bodies(c, op);
    te__check_variables(c, op);
    make_outputs(ctx, op, NULL);
    find_inputs(ctx, op);
    for (uint32_t i = 0; i < n_bodies; i++) te__symbol_add(c, TE__TENSOR, name, 0, op->outputs[i]);
    return op;
}

const vt_operation *te__operation_like(te_context *c, const vt_operation *fields, const vt_tensor *const *like) {
    vt_operation *op = VT_NEW(&c->ctx, vt_operation);
    *op = *fields;
    op->c = c;
    op->pos = c->pos;
    make_outputs(&c->ctx, op, like);
    find_inputs(&c->ctx, op);
    for (uint32_t i = 0; i < op->n_outputs; i++) te__symbol_add(c, TE__TENSOR, op->name, 0, op->outputs[i]);
    return op;
}

static const vt_expr *swap_tensor(void *user, const vt_expr *e) {
    void *const *state = user;
    if (e->kind != VT_E_PLOAD) return e;
    const vt_tensor *to = vt_ptrmap_get(state[1], te__tensor_key(e->u.tensor));
    return to ? vt_e_pload(state[0], to, e->n, e->a) : e;
}

const vt_operation *te__replace_inputs(vt_ctx *ctx, const vt_operation *op, const vt_ptrmap *map) {
    bool reads = false;
    for (uint32_t i = 0; i < op->n_inputs; i++) reads = reads || vt_ptrmap_has(map, te__tensor_key(op->inputs[i]));
    if (!reads) return op;
    const vt_expr **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, op->n_outputs);
    void *state[2] = {ctx, (void *)(uintptr_t)map};
    for (uint32_t i = 0; i < op->n_outputs; i++) bodies[i] = vt_expr_rewrite(ctx, op->bodies[i], swap_tensor, state);
    return te__with_bodies(ctx, op, bodies);
}

/* ---- Placeholders and computations ---- */

static vt_operation *new_placeholder(te_context *c, const char *name) {
    vt_operation *op = VT_NEW(&c->ctx, vt_operation);
    *op = (vt_operation){.c = c, .placeholder = true, .name = te__name(c, name, "a tensor"), .tag = "", .n_outputs = 1};
    return op;
}

static te_tensor *with_shape(te_context *c, vt_operation *op, const char *dtype, size_t ndim,
                             const vt_expr *const *shape) {
    for (size_t i = 0; i < ndim; i++) {
        int64_t value;
        if (vt_as_const(shape[i], &value) && value < 1)
            te__raise(c, VTA_OUT_OF_RANGE, "dimension %zu of %s is %lld; it must be at least 1", i, op->name,
                      (long long)value);
    }
    const vt_tensor **outputs = VT_NEW_ARRAY(&c->ctx, const vt_tensor *, 1);
    outputs[0] = make_tensor(&c->ctx, op, te__dtype(c, dtype), 0, (uint32_t)ndim, shape);
    op->outputs = outputs;
    te__symbol_add(c, TE__TENSOR, op->name, 0, outputs[0]);
    return te__out(outputs[0]);
}

static te_tensor *placeholder(te_context *c, const char *name, const char *dtype, size_t ndim, const int64_t *extents) {
    vt_operation *op = new_placeholder(c, name);
    if (ndim) te__need(c, extents, "a shape");
    const vt_expr **shape = VT_NEW_ARRAY(&c->ctx, const vt_expr *, ndim);
    for (size_t i = 0; i < ndim; i++) shape[i] = te__number(c, extents[i]);
    return with_shape(c, op, dtype, ndim, shape);
}

static te_tensor *placeholder_expr(te_context *c, const char *name, const char *dtype, size_t ndim,
                                   te_expr *const *extents) {
    vt_operation *op = new_placeholder(c, name);
    if (ndim) te__need(c, extents, "a shape");
    return with_shape(c, op, dtype, ndim,
                      vt_exprs_copy(&c->ctx, (uint32_t)ndim, te__exprs_in(c, ndim, extents, "an extent")));
}

te_tensor *te_placeholder(te_context *c, const char *name, const char *dtype, size_t ndim, const int64_t shape[]) {
    TE_RETURN(c, placeholder(c, name, dtype, ndim, shape));
}

te_tensor *te_placeholder_expr(te_context *c, const char *name, const char *dtype, size_t ndim,
                               te_expr *const shape[]) {
    TE_RETURN(c, placeholder_expr(c, name, dtype, ndim, shape));
}

static void compute_axes(te_context *c, const char *name, const char *tag, size_t ndim, te_axis *const *axes,
                         size_t body_count, te_expr *const *bodies, te_tensor **out_tensors) {
    if (ndim) te__need(c, axes, "a list of axes");
    const vt_iter *const *iters = te__axes_in(c, ndim, axes, "an axis");
    const vt_expr *const *values = te__exprs_in(c, body_count, bodies, "a body");
    const char *checked = te__name(c, name, "a tensor"), *tags = tag ? vt_new_string(&c->ctx, tag) : "";
    const vt_operation *op = te__compute(c, checked, tags, (uint32_t)ndim, iters, (uint32_t)body_count, values);
    for (size_t i = 0; i < body_count; i++) out_tensors[i] = te__out(op->outputs[i]);
}

vta_status te_compute_axes(te_context *c, const char *name, const char *tag, size_t ndim, te_axis *const axes[],
                           size_t body_count, te_expr *const bodies[], te_tensor *out_tensors[]) {
    if (!out_tensors || !bodies) return VTA_INVALID_ARGUMENT;
    for (size_t i = 0; i < body_count; i++) out_tensors[i] = NULL;
    TE_RETURN_STATUS(c, compute_axes(c, name, tag, ndim, axes, body_count, bodies, out_tensors));
}

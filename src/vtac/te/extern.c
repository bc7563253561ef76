/* Computations that consist of statements: their operations, what they need, and what is lowered for them.
 *
 * In place of a body there is for each result a call of an external function that reads two elements of each input:
 * where the part that the statement reads begins, and its last. So inputs are found, replaced and checked as
 * everywhere, and what evaluates bodies refuses. */
#include "te/extern.h"
#include "ir/attr.h"
#include "te/bound.h"
#include "te/stmt.h"

/* ---- Checks ---- */

static bool is_variable_of(const vt_buffer *b, const vt_var *v) {
    bool found = b->data == v || b->elem_offset == v;
    for (uint32_t i = 0; i < b->ndim; i++) found = found || b->shape[i] == v;
    for (uint32_t i = 0; i < b->n_strides; i++) found = found || b->strides[i] == v;
    return found;
}

void te__check_statement(te_context *c, const char *name, const vt_stmt *s, uint32_t n,
                         const vt_buffer *const *buffers) {
    uint32_t count;
    const vt_var *const *vars = vt_stmt_free_vars(&c->ctx, s, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool known = vars[i]->u.var->scalar || vars[i]->u.var->size;
        for (uint32_t k = 0; k < n && !known; k++) known = is_variable_of(buffers[k], vars[i]);
        if (!known)
            te__raise(c, VTA_INVALID_ARGUMENT,
                      "the statement of %s uses %s, which no loop, allocation or value in it defines, and which is "
                      "neither of "
                      "its buffers nor a scalar",
                      name, vt_var_name(vars[i]));
    }
}

/* Has the buffer the type, and the extents of a part's last dimensions? Variables get what is there. */
bool te__stands_for(te_context *c, const vt_buffer *b, vt_dtype t, uint32_t ndim, const vt_expr *const *extents) {
    bool same = b->ndim <= ndim && vt_dtype_eq(b->dtype, t);
    for (uint32_t i = 0; same && i < ndim; i++) {
        const vt_expr *want = i + b->ndim < ndim ? vt_int(&c->ctx, extents[i]->dtype, 1) : b->shape[i + b->ndim - ndim];
        same = want->kind == VT_E_VAR || vt_prove_equal(vt_analyzer_new(&c->ctx), want, extents[i]);
    }
    return same;
}

void te__check_pair(te_context *c, const char *name, const vt_buffer *b, const vt_tensor *t) {
    if (b->ndim == t->ndim && te__stands_for(c, b, t->dtype, t->ndim, t->shape)) return;
    te__raise(c, VTA_INVALID_ARGUMENT, "%s: buffer %s has not the shape and type of %s, which it stands for", name,
              b->name, t->name);
}

/* ---- Making ---- */

/* A tensor that only says a shape. */
static const vt_tensor *shaped(vt_ctx *ctx, uint32_t ndim, const vt_expr *const *shape) {
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.ndim = ndim, .shape = shape};
    return t;
}

/* The call that stands for a result. */
static const vt_expr *stand_in(te_context *c, const char *name, vt_dtype t, uint32_t n, const te__part *parts) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr **loads = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * (size_t)n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ndim = parts[i].tensor->ndim;
        const vt_expr **last = VT_NEW_ARRAY(ctx, const vt_expr *, ndim);
        for (uint32_t d = 0; d < ndim; d++) {
            const vt_expr *end = vt_add(ctx, parts[i].begin[d], parts[i].extents[d]);
            last[d] = vt_simplify_free(ctx, vt_sub(ctx, end, vt_int(ctx, end->dtype, 1)));
        }
        loads[2 * i] = vt_e_pload(ctx, parts[i].tensor, ndim, parts[i].begin);
        loads[2 * i + 1] = vt_e_pload(ctx, parts[i].tensor, ndim, last);
    }
    return vt_e_call_extern(ctx, t, name, 2 * n, loads);
}

const vt_operation *te__extern_operation(te_context *c, const vt_operation *fields, te__extern *x,
                                         const te__part *parts, const te__result *results) {
    vt_ctx *ctx = &c->ctx;
    vt_operation op = *fields;
    const vt_expr **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, op.n_outputs);
    const vt_tensor **like = VT_NEW_ARRAY(ctx, const vt_tensor *, op.n_outputs);
    const vt_expr *const **extents = VT_NEW_ARRAY(ctx, const vt_expr *const *, x->n_inputs);
    for (uint32_t i = 0; i < x->n_inputs; i++) extents[i] = parts[i].extents;
    for (uint32_t k = 0; k < op.n_outputs; k++) {
        bodies[k] = stand_in(c, op.name, results[k].dtype, x->n_inputs, parts);
        like[k] = shaped(ctx, results[k].ndim, results[k].shape);
    }
    x->extents = extents;
    op.bodies = bodies;
    op.external = x;
    return te__operation_like(c, &op, like);
}

/* ---- Once more ---- */

static const vt_expr *const *substituted(vt_ctx *ctx, uint32_t n, const vt_expr *const *list, const vt_varmap *map) {
    const vt_expr **copy = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) copy[i] = vt_substitute(ctx, list[i], map);
    return copy;
}

static const vt_stmt *statement_with(vt_ctx *ctx, const vt_stmt *s, const vt_varmap *map) {
    return s ? vt_substitute_stmt(ctx, s, map) : NULL;
}

const vt_operation *te__extern_again(te_context *c, const vt_operation *op, const char *name) {
    vt_ctx *ctx = &c->ctx;
    vt_varmap *fresh = vt_varmap_new(ctx);
    const vt_iter **iters = VT_NEW_ARRAY(ctx, const vt_iter *, op->n_axes + op->n_reduce);
    for (uint32_t i = 0; i < op->n_axes + op->n_reduce; i++) {
        const vt_iter *axis = op->iters[i];
        iters[i] = axis;
        if (i >= op->n_axes) continue;
        iters[i] = vt_iter_new(ctx, vt_var_copy(ctx, axis->var, ".c"), axis->min, axis->extent, axis->type, "");
        vt_varmap_set(fresh, axis->var, iters[i]->var);
    }
    te__extern *x = VT_NEW(ctx, te__extern);
    const vt_expr *const **extents = VT_NEW_ARRAY(ctx, const vt_expr *const *, op->external->n_inputs);
    *x = *op->external;
    for (uint32_t i = 0; i < x->n_inputs; i++)
        extents[i] = substituted(ctx, op->bodies[0]->a[1 + 2 * i]->n, x->extents[i], fresh);
    x->extents = extents;
    x->body = statement_with(ctx, x->body, fresh);
    x->reset = statement_with(ctx, x->reset, fresh);
    x->update = statement_with(ctx, x->update, fresh);
    vt_operation fields = *op;
    fields.name = name;
    fields.iters = iters;
    fields.external = x;
    fields.bodies = substituted(ctx, op->n_outputs, op->bodies, fresh);
    return te__operation_like(c, &fields, op->outputs);
}

static const vt_buffer **buffers_in(te_context *c, size_t n, te_buffer *const *list) {
    const vt_buffer **buffers = VT_NEW_ARRAY(&c->ctx, const vt_buffer *, n);
    if (n) te__need(c, list, "a list");
    for (size_t i = 0; i < n; i++) buffers[i] = te__buffer_in(c, list[i], "a buffer");
    return buffers;
}

/* All of a tensor. */
static te__part whole(vt_ctx *ctx, const vt_tensor *t) {
    const vt_expr **begin = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
    for (uint32_t d = 0; d < t->ndim; d++) begin[d] = vt_int(ctx, t->shape[d]->dtype, 0);
    return (te__part){t, begin, t->shape};
}

static const te__result *whole_results(te_context *c, size_t n, const vt_buffer *const *buffers) {
    te__result *results = VT_NEW_ARRAY(&c->ctx, te__result, n);
    for (size_t k = 0; k < n; k++) results[k] = (te__result){buffers[k]->dtype, buffers[k]->ndim, buffers[k]->shape};
    return results;
}

static void make(te_context *c, const char *text, const char *tag, size_t input_count, te_tensor *const *inputs,
                 te_buffer *const *in_buffers, size_t output_count, te_buffer *const *result_buffers,
                 const vtac_stmt *body, te_tensor **out_tensors) {
    vt_ctx *ctx = &c->ctx;
    const char *name = te__name(c, text, "a tensor");
    if (!output_count || output_count > UINT16_MAX || input_count > UINT16_MAX)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %zu inputs and %zu results", name, input_count, output_count);
    if (input_count) te__need(c, inputs, "a list");
    te__part *parts = VT_NEW_ARRAY(ctx, te__part, input_count);
    te__extern *x = VT_NEW(ctx, te__extern);
    *x = (te__extern){.n_inputs = (uint32_t)input_count, .body = te__stmt_in(c, body, "a statement")};
    const vt_buffer **all = VT_NEW_ARRAY(ctx, const vt_buffer *, input_count + output_count);
    const vt_buffer **ins = buffers_in(c, input_count, in_buffers),
                    **outs = buffers_in(c, output_count, result_buffers);
    for (size_t i = 0; i < input_count; i++) {
        const vt_tensor *t = te__tensor_in(c, inputs[i], "an input");
        te__need_context(c, te__op(t));
        te__check_pair(c, name, ins[i], t);
        parts[i] = whole(ctx, t);
        all[i] = ins[i];
    }
    for (size_t i = 0; i < output_count; i++) all[input_count + i] = outs[i];
    te__check_statement(c, name, x->body, (uint32_t)(input_count + output_count), all);
    x->in = ins;
    x->out = outs;
    const vt_operation fields = {.name = name, .tag = vt_new_string(ctx, tag), .n_outputs = (uint32_t)output_count};
    const vt_operation *op = te__extern_operation(c, &fields, x, parts, whole_results(c, output_count, outs));
    for (size_t k = 0; k < output_count; k++) out_tensors[k] = te__out(op->outputs[k]);
}

vta_status te_extern(te_context *c, const char *name, const char *tag, size_t input_count, te_tensor *const inputs[],
                     te_buffer *const in_buffers[], size_t output_count, te_buffer *const result_buffers[],
                     const vtac_stmt *body, te_tensor *out_tensors[]) {
    if (!out_tensors) return VTA_INVALID_ARGUMENT;
    for (size_t k = 0; k < output_count; k++) out_tensors[k] = NULL;
    TE_RETURN_STATUS(c, make(c, name, tag ? tag : "", input_count, inputs, in_buffers, output_count, result_buffers,
                             body, out_tensors));
}

static const te__extern *extern_of(const te_tensor *t) {
    return vt_is(t, VT_TAG_TENSOR) ? te__op(vt_te_tensor(t))->external : NULL;
}

bool te_tensor_is_extern(const te_tensor *t) { return extern_of(t) != NULL; }

const vtac_stmt *te_tensor_stmt(const te_tensor *t) { return extern_of(t) ? te__stmt_out(extern_of(t)->body) : NULL; }

/* ---- In a schedule ---- */

/* Where the part of input `k` begins, and its last element. */
static const vt_expr *first_of(const vt_operation *op, uint32_t k) { return op->bodies[0]->a[1 + 2 * k]; }
static const vt_expr *last_of(const vt_operation *op, uint32_t k) { return op->bodies[0]->a[2 + 2 * k]; }

void te__extern_demand(vt_analyzer *a, const vt_operation *op, const vt_dommap *domain, uint32_t n,
                       te__demand *demands) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    for (uint32_t k = 0; k < op->external->n_inputs; k++) {
        const vt_expr *first = first_of(op, k), *last = last_of(op, k);
        const vt_tensor *t = first->u.tensor;
        for (uint32_t j = 0; j < n; j++) {
            te__demand *d = &demands[j];
            if (d->tensor != t) continue;
            vt_grow(ctx, &d->sets, &d->cap, d->n + t->ndim, sizeof *d->sets);
            for (uint32_t i = 0; i < t->ndim; i++) {
                const vt_expr *min = vt_eval_set(a, first->a[i], domain).min,
                              *max = vt_eval_set(a, last->a[i], domain).max;
                bool known = min && max;
                d->sets[d->n++] = known ? vt_intset_interval(min, max)
                                        : vt_intset_range(ctx, vt_int(ctx, t->shape[i]->dtype, 0), t->shape[i]);
            }
        }
    }
}

static const vt_stmt *bind(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_expr *const *begin,
                           const vt_expr *const *extents, const vt_stmt *body) {
    const vt_expr **tuple = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * (size_t)t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) {
        tuple[2 * i] = begin[i];
        tuple[2 * i + 1] = extents[i];
    }
    const vt_expr *region = vt_e_call(ctx, VT_HANDLE_T, VT_OP_TUPLE, 2 * t->ndim, tuple);
    return vt_s_attr(ctx, vt_ref_pair(b, t), VT_ATTR_BIND_BUFFER, region, body);
}

const vt_stmt *te__bind_whole(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_stmt *body) {
    return bind(ctx, b, t, whole(ctx, t).begin, t->shape, body);
}

/* Of each result one point of the operation's axes, and all of the dimensions behind them. */
static const vt_stmt *bind_results(vt_ctx *ctx, const vt_operation *op, const vt_stmt *s) {
    for (uint32_t k = op->n_outputs; k > 0; k--) {
        const vt_tensor *t = op->outputs[k - 1];
        const vt_expr **begin = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
        const vt_expr **extents = VT_NEW_ARRAY(ctx, const vt_expr *, t->ndim);
        for (uint32_t i = 0; i < t->ndim; i++) {
            begin[i] = i < op->n_axes ? op->iters[i]->var : vt_int(ctx, t->shape[i]->dtype, 0);
            extents[i] = i < op->n_axes ? vt_int(ctx, t->shape[i]->dtype, 1) : t->shape[i];
        }
        s = bind(ctx, op->external->out[k - 1], t, begin, extents, s);
    }
    return s;
}

const vt_stmt *te__extern_statement(vt_ctx *ctx, const vt_operation *op, const vt_stmt *part, bool reads) {
    const te__extern *x = op->external;
    const vt_stmt *s = x->intrinsic ? part : vt_s_attr(ctx, vt_ref_none(), VT_ATTR_EXTERN, vt_i32(ctx, 0), part);
    s = bind_results(ctx, op, s);
    for (uint32_t k = x->n_inputs; reads && k > 0; k--)
        s = bind(ctx, x->in[k - 1], first_of(op, k - 1)->u.tensor, first_of(op, k - 1)->a, x->extents[k - 1], s);
    return s;
}

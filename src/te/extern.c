/* Computations that consist of statements: their operations, what they need, and what is lowered for them.
 *
 * In place of a body there is for each result a call of an external function that reads one element of each input: where
 * the part that the statement reads begins. So inputs are found and replaced as everywhere, and what evaluates bodies
 * refuses. */
#include "te/priv.h"

/* ---- Making ---- */

static bool is_variable_of(const vt_buffer *b, const vt_var *v) {
    bool found = b->data == v || b->elem_offset == v;
    for (uint32_t i = 0; i < b->ndim; i++) found = found || b->shape[i] == v;
    for (uint32_t i = 0; i < b->n_strides; i++) found = found || b->strides[i] == v;
    return found;
}

void te__check_statement(te_context *c, const char *name, const vt_stmt *s, uint32_t n, const vt_buffer *const *buffers) {
    uint32_t count;
    const vt_var *const *vars = vt_stmt_free_vars(&c->ctx, s, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool known = vars[i]->u.var->scalar || vars[i]->u.var->size;
        for (uint32_t k = 0; k < n && !known; k++) known = is_variable_of(buffers[k], vars[i]);
        if (!known)
            te__raise(c, VTA_INVALID_ARGUMENT,
                      "the statement of %s uses %s, which no loop, allocation or value in it defines, and which is neither of "
                      "its buffers nor a scalar",
                      name, vt_var_name(vars[i]));
    }
}

void te__check_pair(te_context *c, const char *name, const vt_buffer *b, const vt_tensor *t) {
    bool same = b->ndim == t->ndim && vt_dtype_eq(b->dtype, t->dtype);
    for (uint32_t i = 0; same && i < t->ndim; i++)
        same = b->shape[i]->kind == VT_E_VAR || vt_prove_equal(vt_analyzer_new(&c->ctx), b->shape[i], t->shape[i]);
    if (!same)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s: buffer %s has not the shape and type of %s, which it stands for", name,
                  b->name, t->name);
}

static const vt_tensor *const *tensors_like(te_context *c, size_t n, const vt_buffer *const *buffers) {
    const vt_tensor **like = VT_NEW_ARRAY(&c->ctx, const vt_tensor *, n);
    for (size_t k = 0; k < n; k++) {
        vt_tensor *t = VT_NEW(&c->ctx, vt_tensor);
        *t = (vt_tensor){.ndim = buffers[k]->ndim, .shape = buffers[k]->shape};
        like[k] = t;
    }
    return like;
}

/* The call that stands for result `k`. */
static const vt_expr *stand_in(te_context *c, const char *name, vt_dtype t, uint32_t n, const vt_tensor *const *inputs) {
    vt_ctx *ctx = &c->ctx;
    const vt_expr **loads = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        const vt_expr **begin = VT_NEW_ARRAY(ctx, const vt_expr *, inputs[i]->ndim);
        for (uint32_t d = 0; d < inputs[i]->ndim; d++) begin[d] = vt_int(ctx, inputs[i]->shape[d]->dtype, 0);
        loads[i] = vt_e_pload(ctx, inputs[i], inputs[i]->ndim, begin);
    }
    return vt_e_call_extern(ctx, t, name, n, loads);
}

static const vt_buffer **buffers_in(te_context *c, size_t n, te_buffer *const *list) {
    const vt_buffer **buffers = VT_NEW_ARRAY(&c->ctx, const vt_buffer *, n);
    if (n) te__need(c, list, "a list");
    for (size_t i = 0; i < n; i++) buffers[i] = te__buffer_in(c, list[i], "a buffer");
    return buffers;
}

static void make(te_context *c, const char *text, const char *tag, size_t input_count, te_tensor *const *inputs,
                 te_buffer *const *in_buffers, size_t output_count, te_buffer *const *result_buffers, const vtac_stmt *body,
                 te_tensor **out_tensors) {
    vt_ctx *ctx = &c->ctx;
    const char *name = te__name(c, text, "a tensor");
    if (!output_count || output_count > UINT16_MAX || input_count > UINT16_MAX)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %zu inputs and %zu results", name, input_count, output_count);
    if (input_count) te__need(c, inputs, "a list");
    const vt_tensor **from = VT_NEW_ARRAY(ctx, const vt_tensor *, input_count);
    te__extern *x = VT_NEW(ctx, te__extern);
    *x = (te__extern){.n_inputs = (uint32_t)input_count, .body = te__stmt_in(c, body, "a statement")};
    const vt_buffer **all = VT_NEW_ARRAY(ctx, const vt_buffer *, input_count + output_count);
    const vt_buffer **ins = buffers_in(c, input_count, in_buffers), **outs = buffers_in(c, output_count, result_buffers);
    for (size_t i = 0; i < input_count; i++) {
        from[i] = te__tensor_in(c, inputs[i], "an input");
        te__need_context(c, te__op(from[i]));
        te__check_pair(c, name, ins[i], from[i]);
        all[i] = ins[i];
    }
    for (size_t i = 0; i < output_count; i++) all[input_count + i] = outs[i];
    te__check_statement(c, name, x->body, (uint32_t)(input_count + output_count), all);
    x->in = ins;
    x->out = outs;
    const vt_expr **bodies = VT_NEW_ARRAY(ctx, const vt_expr *, output_count);
    for (size_t k = 0; k < output_count; k++) bodies[k] = stand_in(c, name, outs[k]->dtype, x->n_inputs, from);
    const vt_operation fields = {.name = name,
                                 .tag = vt_new_string(ctx, tag),
                                 .n_outputs = (uint32_t)output_count,
                                 .bodies = bodies,
                                 .external = x};
    const vt_operation *op = te__operation_like(c, &fields, tensors_like(c, output_count, outs));
    for (size_t k = 0; k < output_count; k++) out_tensors[k] = te__out(op->outputs[k]);
}

vta_status te_extern(te_context *c, const char *name, const char *tag, size_t input_count, te_tensor *const inputs[],
                     te_buffer *const in_buffers[], size_t output_count, te_buffer *const result_buffers[],
                     const vtac_stmt *body, te_tensor *out_tensors[]) {
    if (!out_tensors) return VTA_INVALID_ARGUMENT;
    for (size_t k = 0; k < output_count; k++) out_tensors[k] = NULL;
    TE_RETURN_STATUS(c, make(c, name, tag ? tag : "", input_count, inputs, in_buffers, output_count, result_buffers, body,
                             out_tensors));
}

static const te__extern *extern_of(const te_tensor *t) {
    return vt_is(t, VT_TAG_TENSOR) ? te__op(vt_te_tensor(t))->external : NULL;
}

bool te_tensor_is_extern(const te_tensor *t) { return extern_of(t) != NULL; }

const vtac_stmt *te_tensor_stmt(const te_tensor *t) { return extern_of(t) ? te__stmt_out(extern_of(t)->body) : NULL; }

/* ---- In a schedule ---- */

const vt_expr *te__extern_input(const vt_operation *op, uint32_t k) { return op->bodies[0]->a[1 + k]; }

void te__extern_demand(vt_ctx *ctx, const vt_operation *op, uint32_t n, te__demand *demands) {
    for (uint32_t k = 0; k < op->external->n_inputs; k++) {
        const vt_tensor *t = te__extern_input(op, k)->u.tensor;
        for (uint32_t j = 0; j < n; j++) {
            te__demand *d = &demands[j];
            if (d->tensor != t) continue;
            vt_grow(ctx, &d->sets, &d->cap, d->n + t->ndim, sizeof *d->sets);
            for (uint32_t i = 0; i < t->ndim; i++)
                d->sets[d->n++] = vt_intset_range(ctx, vt_int(ctx, t->shape[i]->dtype, 0), t->shape[i]);
        }
    }
}

const vt_stmt *te__bind_whole(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_stmt *body) {
    const vt_expr **tuple = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * (size_t)t->ndim);
    for (uint32_t i = 0; i < t->ndim; i++) {
        tuple[2 * i] = vt_int(ctx, t->shape[i]->dtype, 0);
        tuple[2 * i + 1] = t->shape[i];
    }
    const vt_expr *region = vt_e_call(ctx, VT_HANDLE_T, VT_OP_TUPLE, 2 * t->ndim, tuple);
    return vt_s_attr(ctx, vt_ref_pair(b, t), VT_ATTR_BIND_BUFFER, region, body);
}

const vt_stmt *te__extern_statement(vt_ctx *ctx, const vt_operation *op) {
    const te__extern *x = op->external;
    const vt_stmt *s = vt_s_attr(ctx, vt_ref_none(), VT_ATTR_EXTERN, vt_i32(ctx, 0), x->body);
    for (uint32_t k = op->n_outputs; k > 0; k--) s = te__bind_whole(ctx, x->out[k - 1], op->outputs[k - 1], s);
    for (uint32_t k = x->n_inputs; k > 0; k--)
        s = te__bind_whole(ctx, x->in[k - 1], te__extern_input(op, k - 1)->u.tensor, s);
    return s;
}

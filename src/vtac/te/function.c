/* Functions that consist of a statement: each parameter's buffer stands for the tensor that the caller gives. */
#include "te/expr.h"
#include "te/stmt.h"

static const vt_tensor *tensor_of(te_context *c, const vt_buffer *b) {
    te_expr **shape = VT_NEW_ARRAY(&c->ctx, te_expr *, b->ndim);
    for (uint32_t i = 0; i < b->ndim; i++) shape[i] = te__out(b->shape[i]);
    te_tensor *t = te_placeholder_expr(c, b->name, te__dtype_text(c, b->dtype), b->ndim, shape);
    if (!t) vt_leave(&c->ctx, te_context_status(c));
    return vt_te_tensor(t);
}

static void add_param(te_context *c, const vt_te_param *given, uint32_t i, const vt_var **param, vt_binding *binding) {
    vt_ctx *ctx = &c->ctx;
    if (!given->buffer == !given->scalar)
        te__raise(c, VTA_INVALID_ARGUMENT, "parameter %u is neither a buffer nor a scalar, or both", i);
    if (given->scalar) {
        *param = te__expr_in(c, given->scalar, "a scalar");
        if ((*param)->kind != VT_E_VAR)
            te__raise(c, VTA_INVALID_ARGUMENT, "parameter %u is neither a buffer nor a scalar but %s", i,
                      te__repr(c, *param));
        return;
    }
    const vt_buffer *b = te__buffer_in(c, given->buffer, "a buffer");
    *param = vt_var_new(ctx, b->name, VT_HANDLE_T);
    *binding = (vt_binding){.param = *param, .tensor = tensor_of(c, b)};
    binding->buffer = vt_buffer_new(ctx, b->name, NULL, b->dtype, b->ndim, b->shape);
}

const vt_func *vt_te_function(te_context *c, uint32_t n, const vt_te_param *params, const vtac_stmt *body,
                              const char *name) {
    vt_ctx *ctx = &c->ctx;
    const vt_stmt *s = te__stmt_in(c, body, "a statement");
    const vt_var **vars = VT_NEW_ARRAY(ctx, const vt_var *, n);
    vt_binding *bindings = VT_NEW_ARRAY(ctx, vt_binding, n);
    const vt_buffer **buffers = VT_NEW_ARRAY(ctx, const vt_buffer *, n);
    uint32_t bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        add_param(c, &params[i], i, &vars[i], &bindings[bound]);
        if (params[i].buffer) buffers[bound++] = te__buffer_in(c, params[i].buffer, "a buffer");
    }
    te__check_statement(c, name, s, bound, buffers);
    for (uint32_t i = bound; i > 0; i--) s = te__bind_whole(ctx, buffers[i - 1], bindings[i - 1].tensor, s);
    vt_func *f = VT_NEW(ctx, vt_func);
    *f = (vt_func){.name = vt_new_string(ctx, name),
                   .n_params = n,
                   .params = vars,
                   .n_bindings = bound,
                   .bindings = bindings,
                   .body = s,
                   .result = VT_VOID_T};
    return vt_func_with_attr(ctx, f, "global_symbol", vt_string(ctx, name));
}

/* Padding and the element-wise helpers, written as TVM's operator library writes them. */
#include "arith/analyzer.h"
#include "te/expr.h"
#include "te/operation.h"

static const vt_iter **axes_of(te_context *c, uint32_t n, const vt_expr *const *shape) {
    const vt_iter **axes = VT_NEW_ARRAY(&c->ctx, const vt_iter *, n);
    for (uint32_t i = 0; i < n; i++)
        axes[i] = te__axis(c, vt_new_format(&c->ctx, "i%u", i), vt_i32(&c->ctx, 0), shape[i], false);
    return axes;
}

static const vt_expr *constant(te_context *c, vt_dtype t, double value) {
    return vt_dtype_is_float(t) ? vt_float(&c->ctx, t, value) : vt_const(&c->ctx, t, (int64_t)value);
}

const vt_tensor *te__pad(te_context *c, const vt_tensor *x, const char *name, const int64_t *before,
                         const int64_t *after, double value) {
    vt_ctx *ctx = &c->ctx;
    uint32_t n = x->ndim;
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, n), **index = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (before[i] < 0 || after[i] < 0 || before[i] > INT32_MAX || after[i] > INT32_MAX)
            te__raise(c, VTA_OUT_OF_RANGE, "the padding of dimension %u of %s is negative or too large", i, x->name);
        const vt_expr *sum = vt_add(ctx, vt_add(ctx, x->shape[i], vt_i32(ctx, before[i])), vt_i32(ctx, after[i]));
        shape[i] = vt_simplify_free(ctx, sum);
    }
    const vt_iter **axes = axes_of(c, n, shape);
    const vt_expr *inside = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const vt_expr *v = axes[i]->var, *low = vt_i32(ctx, before[i]);
        index[i] = v;
        if (!before[i] && !after[i]) continue;
        index[i] = vt_sub(ctx, v, low);
        const vt_expr *conditions[2] = {vt_ge(ctx, v, low), vt_lt(ctx, v, vt_add(ctx, x->shape[i], low))};
        for (int k = 0; k < 2; k++) inside = inside ? vt_and(ctx, inside, conditions[k]) : conditions[k];
    }
    const vt_expr *body = vt_e_pload(ctx, x, n, index);
    if (inside) body = vt_if_then_else(ctx, inside, body, constant(c, x->dtype, value));
    return te__compute(c, name, "injective,pad", n, axes, 1, &body)->outputs[0];
}

static te_tensor *pad(te_context *c, const te_tensor *x, const char *name, const int64_t *before, const int64_t *after,
                      double value) {
    const vt_tensor *t = te__tensor_in(c, x, "a tensor");
    te__need(c, before, "a padding");
    return te__out(te__pad(c, t, te__name(c, name, "a tensor"), before, after ? after : before, value));
}

te_tensor *te_pad(te_context *c, te_tensor *x, const char *name, const int64_t before[], const int64_t after[],
                  double value) {
    TE_RETURN(c, pad(c, x, name, before, after, value));
}

/* One element of x at the axes, and the axes. */
static const vt_expr *element(te_context *c, const vt_tensor *x, const vt_iter ***out_axes) {
    const vt_expr **index = VT_NEW_ARRAY(&c->ctx, const vt_expr *, x->ndim);
    *out_axes = axes_of(c, x->ndim, x->shape);
    for (uint32_t i = 0; i < x->ndim; i++) index[i] = (*out_axes)[i]->var;
    return vt_e_pload(&c->ctx, x, x->ndim, index);
}

static te_tensor *elementwise(te_context *c, const char *name, const vt_tensor *x, const vt_iter *const *axes,
                              const vt_expr *body) {
    return te__out(te__compute(c, te__name(c, name, "a tensor"), "elemwise", x->ndim, axes, 1, &body)->outputs[0]);
}

static te_tensor *relu(te_context *c, const te_tensor *tensor, const char *name) {
    const vt_tensor *x = te__tensor_in(c, tensor, "a tensor");
    const vt_iter **axes;
    const vt_expr *body = element(c, x, &axes);
    return elementwise(c, name, x, axes, vt_max(&c->ctx, body, vt_const(&c->ctx, x->dtype, 0)));
}

te_tensor *te_relu(te_context *c, te_tensor *x, const char *name) { TE_RETURN(c, relu(c, x, name)); }

static te_tensor *clip(te_context *c, const te_tensor *tensor, const char *name, double low, double high) {
    const vt_tensor *x = te__tensor_in(c, tensor, "a tensor");
    const vt_iter **axes;
    const vt_expr *body = element(c, x, &axes);
    body = vt_min(&c->ctx, body, constant(c, x->dtype, high));
    body = vt_max(&c->ctx, body, constant(c, x->dtype, low));
    return elementwise(c, name, x, axes, body);
}

te_tensor *te_clip(te_context *c, te_tensor *x, const char *name, double low, double high) {
    TE_RETURN(c, clip(c, x, name, low, high));
}

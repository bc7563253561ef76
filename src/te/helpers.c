/* Padding and the element-wise helpers, written as the original's operator library writes them. */
#include "te/priv.h"

static const vt_iter **axes_of(te_context *c, uint32_t n, const vt_expr *const *shape) {
    const vt_iter **axes = VT_NEW_ARRAY(&c->ctx, const vt_iter *, n);
    for (uint32_t i = 0; i < n; i++)
        axes[i] = vt__axis(c, vt_new_format(&c->ctx, "i%u", i), vt_i32(&c->ctx, 0), shape[i], false);
    return axes;
}

static const vt_expr *constant(te_context *c, vt_dtype t, double value) {
    return vt_dtype_is_float(t) ? vt_float(&c->ctx, t, value) : vt_const(&c->ctx, t, (int64_t)value);
}

const vt_tensor *vt__pad(te_context *c, const vt_tensor *x, const char *name, const int64_t *before,
                         const int64_t *after, double value) {
    vt_ctx *ctx = &c->ctx;
    uint32_t n = x->ndim;
    const vt_expr **shape = VT_NEW_ARRAY(ctx, const vt_expr *, n), **index = VT_NEW_ARRAY(ctx, const vt_expr *, n);
    for (uint32_t i = 0; i < n; i++) {
        if (before[i] < 0 || after[i] < 0 || before[i] > INT32_MAX || after[i] > INT32_MAX)
            vt__raise(c, VTA_OUT_OF_RANGE, "the padding of dimension %u of %s is negative or too large", i, x->name);
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
    return vt__compute(c, name, "injective,pad", n, axes, 1, &body)->outputs[0];
}

static void do_pad(te_context *c, vt__call *k) {
    vt__need_a(c, VT_TAG_TENSOR, k->a, "a tensor");
    vt__need(c, k->ints, "a padding");
    const vt_tensor *x = k->a;
    k->out =
        vt__out(vt__pad(c, x, vt__name(c, k->s, "a tensor"), k->ints, k->more_ints ? k->more_ints : k->ints, k->f));
}

te_tensor *te_pad(te_context *c, te_tensor *x, const char *name, const int64_t before[], const int64_t after[],
                  double value) {
    return vt__make(c, do_pad, (vt__call){.a = x, .s = name, .ints = before, .more_ints = after, .f = value});
}

/* One element of x at the axes, and the axes. */
static const vt_expr *element(te_context *c, const vt_tensor *x, const vt_iter ***out_axes) {
    const vt_expr **index = VT_NEW_ARRAY(&c->ctx, const vt_expr *, x->ndim);
    *out_axes = axes_of(c, x->ndim, x->shape);
    for (uint32_t i = 0; i < x->ndim; i++) index[i] = (*out_axes)[i]->var;
    return vt_e_pload(&c->ctx, x, x->ndim, index);
}

static void do_relu(te_context *c, vt__call *k) {
    vt__need_a(c, VT_TAG_TENSOR, k->a, "a tensor");
    const vt_tensor *x = k->a;
    const vt_iter **axes;
    const vt_expr *body = element(c, x, &axes);
    body = vt_max(&c->ctx, body, vt_const(&c->ctx, x->dtype, 0));
    k->out = vt__out(vt__compute(c, vt__name(c, k->s, "a tensor"), "elemwise", x->ndim, axes, 1, &body)->outputs[0]);
}

te_tensor *te_relu(te_context *c, te_tensor *x, const char *name) {
    return vt__make(c, do_relu, (vt__call){.a = x, .s = name});
}

static void do_clip(te_context *c, vt__call *k) {
    vt__need_a(c, VT_TAG_TENSOR, k->a, "a tensor");
    const vt_tensor *x = k->a;
    const vt_iter **axes;
    const vt_expr *body = element(c, x, &axes);
    body = vt_min(&c->ctx, body, constant(c, x->dtype, k->g));
    body = vt_max(&c->ctx, body, constant(c, x->dtype, k->f));
    k->out = vt__out(vt__compute(c, vt__name(c, k->s, "a tensor"), "elemwise", x->ndim, axes, 1, &body)->outputs[0]);
}

te_tensor *te_clip(te_context *c, te_tensor *x, const char *name, double low, double high) {
    return vt__make(c, do_clip, (vt__call){.a = x, .s = name, .f = low, .g = high});
}

/* What a packed function expects of its arguments, and what it says when it gets something else. */
#include <stdio.h>
#include <string.h>

#include "codegen/prepare.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/visit.h"

typedef struct describer {
    vt_ctx *ctx;
    const vt_stmt *body;
    const char *who;   /* "vadd: argument 1 (B)", safe inside a format */
    const char *shape; /* "[1, 64]", likewise */
    const vt_buffer *buffer;
    vt_ptrmap *bound; /* extents that are known by now */
    vt__check *checks;
    uint32_t n_checks, cap_checks;
    const vt_var **vars;
    uint32_t n_vars, cap_vars;
    int32_t device_type;
} describer;

/* A text with every % doubled. */
static const char *escaped(vt_ctx *ctx, const char *text) {
    size_t n = strlen(text), extra = 0;
    for (size_t i = 0; i < n; i++) extra += text[i] == '%';
    if (!extra) return text;
    char *out = vt_new_array_bytes(ctx, n + extra + 1, 1), *p = out;
    for (; *text; text++) {
        if (*text == '%') *p++ = '%';
        *p++ = *text;
    }
    return out;
}

static const char *number_text(vt_ctx *ctx, const vt_expr *e) {
    if (e->kind == VT_E_INT) return vt_new_format(ctx, "%lld", (long long)e->u.i);
    return escaped(ctx, vt_expr_plain(ctx, e));
}

static const char *shape_text(vt_ctx *ctx, const vt_buffer *b) {
    const char *text = "";
    for (uint32_t i = 0; i < b->ndim; i++)
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", number_text(ctx, b->shape[i]));
    return vt_new_format(ctx, "[%s]", text);
}

static vt__check *add_check(describer *d, vt__check_kind kind, const vt_expr *expected, const char *message) {
    vt_grow(d->ctx, &d->checks, &d->cap_checks, d->n_checks + 1, sizeof *d->checks);
    vt__check *c = &d->checks[d->n_checks++];
    *c = (vt__check){.kind = kind, .expected = expected, .message = message};
    return c;
}

/* The variable is known from here on; the body gets it when it uses it. */
static void add_var(describer *d, const vt_var *v) {
    if (vt_ptrmap_has(d->bound, v)) return;
    vt_ptrmap_set(d->bound, v, v);
    if (!vt_stmt_uses(d->body, v)) return;
    vt_grow(d->ctx, &d->vars, &d->cap_vars, d->n_vars + 1, sizeof *d->vars);
    d->vars[d->n_vars++] = v;
}

static void check_dtype(describer *d) {
    vt_dtype t = d->buffer->dtype;
    char text[VT_DTYPE_TEXT];
    int64_t word = t.code | (int64_t)t.bits << 8 | (int64_t)t.lanes << 16;
    add_check(d, VT__CHECK_DTYPE, vt_i32(d->ctx, word),
              vt_new_format(d->ctx,
                            "%s: elements must be %s, not type code %%lld (0 int, 1 uint, 2 float) of %%lld bits",
                            d->who, vt_dtype_text(t, text)));
}

static bool binds(const describer *d, const vt_expr *extent) {
    return extent->kind == VT_E_VAR && !vt_ptrmap_has(d->bound, extent);
}

/* An extent that is a variable not known yet gives it its value; the others are compared with what is known then. */
static void check_shape(describer *d) {
    vt_ctx *ctx = d->ctx;
    bool *bound = VT_NEW_ARRAY(ctx, bool, d->buffer->ndim);
    for (uint32_t i = 0; i < d->buffer->ndim; i++) {
        const vt_expr *extent = d->buffer->shape[i];
        if (!(bound[i] = binds(d, extent))) continue;
        add_check(d, VT__CHECK_BIND, NULL, NULL)->bind = extent;
        d->checks[d->n_checks - 1].dim = i;
        add_var(d, extent);
    }
    for (uint32_t i = 0; i < d->buffer->ndim; i++) {
        const vt_expr *extent = d->buffer->shape[i];
        if (bound[i]) continue;
        const char *message = vt_new_format(ctx, "%s: dimension %u is %%lld, must be %s (shape %s)", d->who, i,
                                            number_text(ctx, extent), d->shape);
        add_check(d, VT__CHECK_SHAPE, extent, message)->dim = i;
    }
}

static void check_strides(describer *d) {
    vt_ctx *ctx = d->ctx;
    const vt_buffer *b = d->buffer;
    const vt_expr *stride = vt_i64(ctx, 1);
    for (uint32_t i = b->ndim; i-- > 0;) {
        const vt_expr *extent = vt_cast(ctx, VT_I64, b->shape[i]);
        const vt_expr *expected = b->n_strides ? vt_cast(ctx, VT_I64, b->strides[i]) : stride;
        if (!vt_is_const(extent, 1)) /* the stride of a dimension of extent 1 does not matter */
            add_check(d, VT__CHECK_STRIDE, expected,
                      vt_new_format(ctx,
                                    "%s: stride of dimension %u is %%lld elements, must be %s: make a compact copy",
                                    d->who, i, number_text(ctx, expected)))
                ->dim = i;
        stride = vt_mul(ctx, stride, extent);
    }
}

static const char *device_message(describer *d) {
    if (d->device_type == VT_DEVICE_EXT_DEV)
        return vt_new_format(d->ctx,
                             "%s: is in memory of device type %%lld, must be on the accelerator (ext_dev, 12): copy it "
                             "there first",
                             d->who);
    return vt_new_format(d->ctx, "%s: is in memory of device type %%lld, must be on device type %d (%s)", d->who,
                         (int)d->device_type, d->device_type == VT_DEVICE_CPU ? "cpu" : "as compiled");
}

static const vt_buffer *shaped(const vt_binding *b) { return b->unflattened ? b->unflattened : b->buffer; }

static void describe_tensor(describer *d, vt__param *param) {
    vt_ctx *ctx = d->ctx;
    const vt_binding *b = param->binding;
    d->buffer = shaped(b);
    d->shape = shape_text(ctx, d->buffer);
    d->checks = NULL;
    d->n_checks = d->cap_checks = 0;
    param->code_message =
        vt_new_format(ctx, "%s: must be a tensor (DLTensor *), not a value of type code %%lld", d->who);
    param->null_message = vt_new_format(ctx, "%s: is a null pointer, must be a tensor of shape %s", d->who, d->shape);
    add_check(
        d, VT__CHECK_NDIM, vt_i32(ctx, d->buffer->ndim),
        vt_new_format(ctx, "%s: has %%lld dimensions, must have %u (shape %s)", d->who, d->buffer->ndim, d->shape));
    check_dtype(d);
    check_shape(d);
    add_check(d, VT__CHECK_DEVICE, vt_i32(ctx, d->device_type), device_message(d));
    /* A processor's function adds the offset to the pointer; the accelerator's handles are not addresses. */
    if (d->device_type == VT_DEVICE_EXT_DEV)
        add_check(d, VT__CHECK_OFFSET, vt_i64(ctx, 0),
                  vt_new_format(ctx, "%s: byte_offset is %%lld, must be 0 for a buffer of the accelerator", d->who));
    add_check(d, VT__CHECK_DATA, NULL, vt_new_format(ctx, "%s: its data pointer is null", d->who));
    check_strides(d);
    param->checks = d->checks;
    param->n_checks = d->n_checks;
    add_var(d, b->buffer->data);
    param->used = vt_stmt_uses(d->body, b->buffer->data);
}

static void describe_scalar(describer *d, vt__param *param) {
    const char *what = vt_dtype_is_float(param->var->dtype)    ? "a float (or int)"
                       : vt_dtype_is_handle(param->var->dtype) ? "a handle"
                                                               : "an int";
    param->code_message = vt_new_format(d->ctx, "%s: must be %s, not a value of type code %%lld", d->who, what);
    add_var(d, param->var);
}

static const vt_binding *binding_of(const vt_func *f, const vt_var *param) {
    for (uint32_t i = 0; i < f->n_bindings; i++)
        if (f->bindings[i].param == param) return &f->bindings[i];
    return NULL;
}

/* A variable of the tensor's shape that neither arguments before it nor its own extents give; NULL when there is none.
 */
static const vt_var *missing(const describer *d, const vt_buffer *b) {
    for (uint32_t i = 0; i < b->ndim; i++) {
        uint32_t n;
        const vt_var *const *vars = vt_expr_free_vars(d->ctx, b->shape[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            bool known = vt_ptrmap_has(d->bound, vars[k]);
            for (uint32_t j = 0; j < b->ndim && !known; j++) known = b->shape[j] == vars[k];
            if (!known) return vars[k];
        }
    }
    return NULL;
}

/* The next parameter to take: scalars first, which shapes may depend on, then tensors as soon as theirs is known. */
static uint32_t next_param(const describer *d, const vt_func *f, const bool *taken) {
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!taken[i] && !binding_of(f, f->params[i])) return i;
    const vt_var *v = NULL;
    const vt_binding *first = NULL;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (taken[i]) continue;
        const vt_binding *b = binding_of(f, f->params[i]);
        const vt_var *needs = missing(d, shaped(b));
        if (!needs) return i;
        if (!first) first = b, v = needs;
    }
    vt_raise(d->ctx, VTA_ILLEGAL,
             "%s: the shape of argument %s depends on %s, which no argument gives: make it an argument", f->name,
             first->buffer->name, vt_var_name(v));
}

static const char *param_names(vt_ctx *ctx, const vt_func *f) {
    const char *names = "";
    for (uint32_t i = 0; i < f->n_params; i++) {
        const vt_binding *b = binding_of(f, f->params[i]);
        names = vt_new_format(ctx, "%s%s%s", names, i ? ", " : "", b ? b->buffer->name : vt_var_name(f->params[i]));
    }
    return names;
}

const vt__entry *vt__entry_describe(vt_ctx *ctx, const vt_codegen_func *cf) {
    const vt_func *f = cf->func;
    vt__entry *entry = VT_NEW(ctx, vt__entry);
    vt__param *params = VT_NEW_ARRAY(ctx, vt__param, f->n_params);
    const vt_expr *no_alias = vt_func_attr(f, "tir.noalias");
    *entry = (vt__entry){.name = cf->name ? cf->name : f->name,
                         .n_params = f->n_params,
                         .params = params,
                         .no_alias = no_alias && !vt_is_const(no_alias, 0),
                         .share_kernels = vt_func_attr(f, VT_ATTR_SHARE_KERNELS)};
    describer d = {.ctx = ctx, .body = f->body, .bound = vt_ptrmap_new(ctx), .device_type = cf->device_type};
    const char *safe_name = escaped(ctx, entry->name);
    entry->count_message = vt_new_format(ctx, "%s: takes %u arguments (%s), not %%lld", safe_name, f->n_params,
                                         escaped(ctx, param_names(ctx, f)));
    uint32_t *order = VT_NEW_ARRAY(ctx, uint32_t, f->n_params);
    bool *taken = VT_NEW_ARRAY(ctx, bool, f->n_params);
    for (uint32_t step = 0; step < f->n_params; step++) {
        uint32_t i = order[step] = next_param(&d, f, taken);
        vt__param *p = &params[i];
        taken[i] = true;
        p->var = f->params[i];
        p->binding = binding_of(f, p->var);
        d.who = vt_new_format(ctx, "%s: argument %u (%s)", safe_name, i,
                              escaped(ctx, p->binding ? p->binding->buffer->name : vt_var_name(p->var)));
        if (p->binding)
            describe_tensor(&d, p);
        else
            describe_scalar(&d, p);
    }
    entry->order = order;
    entry->n_vars = d.n_vars;
    entry->vars = d.vars;
    return entry;
}

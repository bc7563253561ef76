/* Buffers made by hand, and what reaches their elements. */
#include <string.h>

#include "base/versioned.h"
#include "te/schedule.h"
#include "te/stmt.h"

const vt_buffer *te__buffer_in(te_context *c, const te_buffer *b, const char *what) {
    te__need_a(c, VT_TAG_BUFFER, b, what);
    return (const vt_buffer *)(const void *)b;
}

te_buffer *te__buffer_out(const vt_buffer *b) { return (te_buffer *)(uintptr_t)b; }

static const vt_buffer *inside(const te_buffer *b) {
    return vt_is(b, VT_TAG_BUFFER) ? (const vt_buffer *)(const void *)b : NULL;
}

/* ---- Making ---- */

static void place(te_context *c, vt_buffer *b, const te_buffer_options *o) {
    if (o->elem_offset) b->elem_offset = te__expr_in(c, o->elem_offset, "an element offset");
    if (!vt_dtype_is_index(b->elem_offset->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "the element offset of %s must be of type int32 or int64", b->name);
    if (o->offset_factor < 0 || o->offset_factor > INT32_MAX)
        te__raise(c, VTA_OUT_OF_RANGE, "an offset factor is at least 1");
    if (o->offset_factor) b->offset_factor = (int32_t)o->offset_factor;
    if (o->stride_count && o->stride_count != b->ndim)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %u dimensions, but %zu strides are given", b->name, b->ndim,
                  o->stride_count);
    b->n_strides = (uint32_t)o->stride_count;
    b->strides = vt_exprs_copy(&c->ctx, b->n_strides, te__exprs_in(c, o->stride_count, o->strides, "a stride"));
}

/* The variable of the address: a given one, as a pointer to the elements. */
static const vt_var *address(te_context *c, const te_buffer_options *o, const char *name, vt_dtype t) {
    const char *scope = o->scope ? te__scope(c, o->scope) : "";
    if (!o->data) return vt_var_new_pointer(&c->ctx, name, t, scope);
    const vt_var *v = te__expr_in(c, o->data, "the address of a buffer");
    if (v->kind != VT_E_VAR || !vt_dtype_is_handle(v->dtype))
        te__raise(c, VTA_INVALID_ARGUMENT, "the address of %s must be a variable of type handle", name);
    return v;
}

static te_buffer *create(te_context *c, const char *text, const char *dtype, size_t ndim, te_expr *const *extents,
                         const te_buffer_options *options) {
    vt_ctx *ctx = &c->ctx;
    te_buffer_options o;
    if (vt_options_read(&o, sizeof o, options, "te_buffer_options", ctx->diag) != VTA_OK)
        vt_leave(ctx, te_context_status(c));
    const char *name = te__name(c, text, "a buffer");
    vt_dtype t = te__dtype(c, dtype);
    const vt_expr *const *shape = te__exprs_in(c, ndim, extents, "an extent");
    for (size_t i = 0; i < ndim; i++)
        if (!vt_dtype_is_index(shape[i]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "dimension %zu of %s must be of type int32 or int64", i, name);
    vt_buffer b = *vt_buffer_new(ctx, name, address(c, &o, name, t), t, (uint32_t)ndim, shape);
    place(c, &b, &o);
    return te__buffer_out(vt_buffer_with(ctx, &b));
}

te_buffer *te_buffer_create(te_context *c, const char *name, const char *dtype, size_t ndim, te_expr *const shape[],
                            const te_buffer_options *options) {
    TE_RETURN(c, create(c, name, dtype, ndim, shape, options));
}

const vt_expr *te__elements(vt_ctx *ctx, const vt_buffer *b) {
    const vt_expr *product = vt_i32(ctx, 1);
    for (uint32_t i = 0; i < b->ndim; i++) product = vt_mul(ctx, product, b->shape[i]);
    return product;
}

static te_buffer *flat(te_context *c, const te_buffer *given) {
    vt_ctx *ctx = &c->ctx;
    vt_buffer b = *te__buffer_in(c, given, "a buffer");
    if (b.n_strides)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has strides, so that its elements are not one dimension", b.name);
    const vt_expr *size = te__elements(ctx, &b);
    b.ndim = 1;
    b.shape = vt_exprs_copy(ctx, 1, &size);
    return te__buffer_out(vt_buffer_with(ctx, &b));
}

te_buffer *te_buffer_flat(te_context *c, te_buffer *b) { TE_RETURN(c, flat(c, b)); }

/* ---- Looking ---- */

const char *te_buffer_name(const te_buffer *b) { return inside(b) ? inside(b)->name : NULL; }
size_t te_buffer_ndim(const te_buffer *b) { return inside(b) ? inside(b)->ndim : 0; }
te_expr *te_buffer_dim(const te_buffer *b, size_t dim) {
    return dim < te_buffer_ndim(b) ? te__out(inside(b)->shape[dim]) : NULL;
}
te_expr *te_buffer_stride(const te_buffer *b, size_t dim) {
    return inside(b) && dim < inside(b)->n_strides ? te__out(inside(b)->strides[dim]) : NULL;
}
te_expr *te_buffer_data(const te_buffer *b) { return inside(b) ? te__out(inside(b)->data) : NULL; }
te_expr *te_buffer_offset(const te_buffer *b) { return inside(b) ? te__out(inside(b)->elem_offset) : NULL; }

static const char *dtype(te_context *c, const te_buffer *b) {
    return te__dtype_text(c, te__buffer_in(c, b, "a buffer")->dtype);
}

const char *te_buffer_dtype(te_context *c, const te_buffer *b) { TE_RETURN(c, dtype(c, b)); }

/* ---- Elements ---- */

const vt_expr *const *te__indices_in(te_context *c, const vt_buffer *b, size_t n, te_expr *const *list) {
    const vt_expr *const *indices = te__exprs_in(c, n, list, "an index");
    if (n != b->ndim)
        te__raise(c, VTA_INVALID_ARGUMENT, "%s has %u dimensions, but %zu indices are given", b->name, b->ndim, n);
    for (size_t i = 0; i < n; i++) {
        if (!vt_dtype_is_integral(indices[i]->dtype))
            te__raise(c, VTA_INVALID_ARGUMENT, "index %zu of %s is not an integer but %s", i, b->name,
                      te__dtype_text(c, indices[i]->dtype));
        if (indices[i]->dtype.lanes > 1 && i + 1 < n)
            te__raise(c, VTA_INVALID_ARGUMENT, "index %zu of %s is a vector: only the last one can be", i, b->name);
    }
    return indices;
}

static te_expr *load(te_context *c, const te_buffer *given, size_t n, te_expr *const *indices) {
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    return te__out(vt_e_load(&c->ctx, b, b->ndim, te__indices_in(c, b, n, indices)));
}

te_expr *te_buffer_load(te_context *c, te_buffer *b, size_t n, te_expr *const indices[]) {
    TE_RETURN(c, load(c, b, n, indices));
}

const vt_expr *te__access(te_context *c, vt_dtype t, const vt_buffer *b, const char *access, const vt_expr *offset) {
    vt_ctx *ctx = &c->ctx;
    te__need(c, access, "an access");
    int mask = (strchr(access, 'r') ? 1 : 0) | (strchr(access, 'w') ? 2 : 0);
    if (!mask) te__raise(c, VTA_INVALID_ARGUMENT, "an access is \"r\", \"w\" or \"rw\", not \"%s\"", access);
    const vt_expr *at = offset ? vt_add(ctx, b->elem_offset, offset) : b->elem_offset, *extent = te__elements(ctx, b);
    if (offset) extent = vt_sub(ctx, extent, offset);
    const vt_expr *type = vt_e_call(ctx, b->dtype, VT_OP_TYPE_ANNOTATION, 0, NULL);
    const vt_expr *args[] = {type, b->data, at, extent, vt_i32(ctx, mask)};
    return vt_e_call(ctx, t, VT_OP_ACCESS_PTR, 5, args);
}

/* On the chip addresses are element numbers. */
static vt_dtype address_type(const vt_buffer *b) {
    return strncmp(vt_buffer_scope(b), "local.", 6) == 0 ? VT_I32 : VT_HANDLE_T;
}

static te_expr *access_to(te_context *c, const te_buffer *given, const char *access, const te_expr *offset) {
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    const vt_expr *at = offset ? te__expr_in(c, offset, "an offset") : NULL;
    return te__out(te__access(c, address_type(b), b, access, at));
}

te_expr *te_buffer_access(te_context *c, te_buffer *b, const char *access, te_expr *offset) {
    TE_RETURN(c, access_to(c, b, access, offset));
}

/* ---- Packed calls ---- */

static const vt_expr *extents(vt_ctx *ctx, uint32_t n, const vt_expr *const *list) {
    return vt_e_call(ctx, VT_HANDLE_T, VT_OP_STACK_MAKE_SHAPE, n, list);
}

/* tvm_stack_make_array(data, shape, strides or 0, dimensions, a value of the type, element offset) */
static te_expr *tensor(te_context *c, const te_buffer *given) {
    vt_ctx *ctx = &c->ctx;
    const vt_buffer *b = te__buffer_in(c, given, "a buffer");
    const vt_expr *args[] = {b->data,
                             extents(ctx, b->ndim, b->shape),
                             b->n_strides ? extents(ctx, b->n_strides, b->strides) : vt_i32(ctx, 0),
                             vt_i32(ctx, b->ndim),
                             vt_dtype_is_float(b->dtype) ? vt_float(ctx, b->dtype, 0) : vt_const(ctx, b->dtype, 0),
                             b->elem_offset};
    return te__out(vt_e_call(ctx, VT_HANDLE_T, VT_OP_STACK_MAKE_ARRAY, 6, args));
}

te_expr *te_buffer_tensor(te_context *c, te_buffer *b) { TE_RETURN(c, tensor(c, b)); }

static te_expr *packed(te_context *c, const char *dtype_text, const char *name, size_t n, te_expr *const *given) {
    vt_ctx *ctx = &c->ctx;
    te__need(c, name, "the name of a function");
    if (!*name) te__raise(c, VTA_INVALID_ARGUMENT, "the name of a function that is called is empty");
    vt_dtype t = te__value_dtype(c, dtype_text);
    const vt_expr *const *values = te__exprs_in(c, n, given, "an argument");
    const vt_expr **args = VT_NEW_ARRAY(ctx, const vt_expr *, n + 1);
    args[0] = vt_string(ctx, name);
    for (size_t i = 0; i < n; i++) {
        if (values[i]->dtype.lanes > 1) te__raise(c, VTA_INVALID_ARGUMENT, "argument %zu of %s is a vector", i, name);
        args[i + 1] = values[i];
    }
    if (t.lanes > 1) te__raise(c, VTA_INVALID_ARGUMENT, "%s cannot return a vector", name);
    return te__out(vt_e_call(ctx, t, VT_OP_CALL_PACKED, (uint32_t)n + 1, args));
}

te_expr *te_call_packed(te_context *c, const char *dtype, const char *name, size_t n, te_expr *const args[]) {
    TE_RETURN(c, packed(c, dtype, name, n, args));
}

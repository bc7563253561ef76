/* Tensors as flat memory: the buffer of one, and the index of an element in it. */
#include "lower/generic/flatten.h"

vt_flat_tensor *vt__flat_find(vt_flatten *st, const vt_tensor *t) {
    vt_flat_tensor *e = vt_ptrmap_get(st->entries, t);
    if (e) return e;
    vt_raise(st->m.ctx, VTA_INTERNAL, "tensor %s is used outside of the region where it is computed", t->name);
}

vt_dtype vt__stored_type(vt_dtype t) { return vt_dtype_is_bool(t) ? VT_DTYPE(VT_INT, 8, t.lanes) : t; }

static const vt_expr *product(vt_ctx *ctx, uint32_t n, const vt_expr *const *factors) {
    const vt_expr *p = vt_i32(ctx, 1);
    for (uint32_t i = 0; i < n; i++) p = vt_mul(ctx, p, factors[i]);
    return p;
}

const vt_buffer *vt__flat_buffer(vt_ctx *ctx, const vt_buffer *shaped, uint32_t ndim, const vt_expr *const *shape,
                                 const vt_expr *const *strides) {
    const vt_expr *size = strides && ndim ? vt_mul(ctx, strides[0], shape[0]) : product(ctx, ndim, shape);
    vt_buffer flat = *shaped;
    flat.dtype = vt__stored_type(shaped->dtype);
    flat.ndim = 1;
    flat.shape = vt_exprs_copy(ctx, 1, &size);
    flat.n_strides = 0;
    flat.strides = NULL;
    return vt_buffer_with(ctx, &flat);
}

const vt_expr *vt__flat_index(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *const *at) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *index = vt_i32(ctx, 0);
    for (uint32_t i = 0; i < e->ndim; i++)
        index = e->strides ? vt_add(ctx, index, vt_mul(ctx, at[i], e->strides[i]))
                           : vt_add(ctx, vt_mul(ctx, index, e->shape[i]), at[i]);
    if (e->flat->elem_offset && !vt_is_const(e->flat->elem_offset, 0)) index = vt_add(ctx, e->flat->elem_offset, index);
    return vt_simplify(st->free, index);
}

const vt_expr *vt__flat_access(vt_flatten *st, const vt_flat_tensor *e, uint32_t n, const vt_expr *const *indices) {
    vt_ctx *ctx = st->m.ctx;
    if (n != e->ndim)
        vt_raise(ctx, VTA_INTERNAL, "tensor %s has %u dimensions and is used with %u indices", e->tensor->name, e->ndim,
                 n);
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        at[i] = vt_mutate_expr(&st->m, indices[i]);
        if (e->mins) at[i] = vt_sub(ctx, at[i], e->mins[i]);
    }
    return vt__flat_index(st, e, at);
}

const vt_expr *vt__flat_load(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *index, vt_dtype dtype) {
    const vt_expr *value = vt_e_load(st->m.ctx, e->flat, 1, &index);
    return vt_dtype_is_bool(dtype) ? vt_cast(st->m.ctx, dtype, value) : value;
}

const vt_stmt *vt__flat_store(vt_flatten *st, const vt_flat_tensor *e, const vt_expr *index, const vt_expr *value) {
    vt_ctx *ctx = st->m.ctx;
    if (vt_dtype_is_bool(value->dtype)) value = vt_cast(ctx, vt__stored_type(value->dtype), value);
    return vt_s_store(ctx, e->flat, value, 1, &index);
}

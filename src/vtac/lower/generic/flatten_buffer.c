/* Buffers that stand for a region of a tensor (the operands of an intrinsic), and those of statements made by hand. */
#include <string.h>

#include "ir/print.h"
#include "lower/generic/flatten.h"

/* ---- Operands of an intrinsic ------------------------------------------------------------------------------------ */

const vt_expr *vt__view_index(vt_flatten *st, const vt_flat_view *w, uint32_t n, const vt_expr *const *indices) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t ndim = w->target->ndim;
    const vt_expr **at = VT_NEW_ARRAY(ctx, const vt_expr *, ndim ? ndim : 1);
    for (uint32_t i = 0; i < ndim; i++) {
        at[i] = w->begins[i];
        if (i + n >= ndim) at[i] = vt_add(ctx, at[i], vt_mutate_expr(&st->m, indices[i + n - ndim]));
    }
    return vt__flat_index(st, w->target, at);
}

/* What a variable of the bound buffer must be; a constant there must be that value. */
static void bind(vt_flatten *st, const vt_buffer *b, const char *what, const vt_expr *formal, const vt_expr *actual) {
    if (formal->kind == VT_E_VAR)
        vt_varmap_set(st->vars, formal, actual);
    else if (!vt_prove_equal(st->bound, formal, actual))
        vt_raise(st->m.ctx, VTA_ILLEGAL, "intrinsic operand %s: its %s must be %s but is %s here", b->name, what,
                 vt_expr_plain(st->m.ctx, formal), vt_expr_plain(st->m.ctx, actual));
}

/* Strides of a region, if any of its rows is not all of the tensor's: then the operand must allow strides. */
static void bind_strides(vt_flatten *st, const vt_buffer *b, const vt_flat_tensor *e, const vt_expr *const *begins,
                         const vt_expr *const *extents) {
    vt_ctx *ctx = st->m.ctx;
    bool inner = false, strided = e->strides != NULL;
    for (uint32_t i = 0; i < e->ndim; i++) {
        if (inner && (!vt_is_const(begins[i], 0) || !vt_prove_equal(st->free, extents[i], e->shape[i]))) strided = true;
        if (!vt_is_const(extents[i], 1)) inner = true;
    }
    if (b->n_strides == 0) {
        if (strided)
            vt_raise(ctx, VTA_ILLEGAL,
                     "intrinsic operand %s must be compact, but the part of %s that it gets is not: the rows of its "
                     "inner dimensions are longer than the part; give %s the shape of the operand in its last "
                     "dimensions",
                     b->name, e->tensor->name, e->tensor->name);
        return;
    }
    const vt_expr *stride = vt_i32(ctx, 1);
    for (uint32_t i = e->ndim, k = b->n_strides; k > 0 && i > 0; i--, k--) {
        if (e->strides) stride = e->strides[i - 1];
        bind(st, b, "stride", b->strides[k - 1], vt_simplify(st->free, stride));
        stride = vt_mul(ctx, stride, e->shape[i - 1]);
    }
}

/* The element offset must be a multiple of what the operand declares; where that shows only at run time and the memory
 * is ordinary, it becomes a check. */
static const vt_expr *offset_check(vt_flatten *st, const vt_buffer *b, const vt_flat_tensor *e, const vt_expr *offset) {
    vt_ctx *ctx = st->m.ctx;
    if (b->offset_factor <= 1) return NULL;
    const vt_expr *rest =
        vt_simplify(st->bound, vt_floormod(ctx, offset, vt_int(ctx, offset->dtype, b->offset_factor)));
    if (vt_is_const(rest, 0)) return NULL;
    vt_memory_info info;
    if (rest->kind == VT_E_INT || vt_memory_of_scope(st->l, vt_buffer_scope(b), &info))
        vt_raise(ctx, VTA_ILLEGAL,
                 "intrinsic operand %s: the part of %s that it gets begins at element %s, which is not a multiple of "
                 "%d; split the axes of %s so that each part begins at a whole tile of %d elements",
                 b->name, e->tensor->name, vt_expr_plain(ctx, vt_simplify(st->bound, offset)), b->offset_factor,
                 e->tensor->name, b->offset_factor);
    return vt_eq(ctx, rest, vt_int(ctx, rest->dtype, 0));
}

const vt_stmt *vt__bind_buffer(vt_flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_buffer *b = s->u.attr.node.u.buffer;
    const vt_flat_tensor *e = vt__flat_find(st, s->u.attr.node.second);
    const vt_expr *tuple = s->u.attr.value;
    if (!vt_is_call(tuple, VT_OP_TUPLE) || tuple->n != 2 * e->ndim || b->ndim > e->ndim)
        vt_raise(ctx, VTA_INTERNAL, "the region bound to %s does not have the dimensions of %s", b->name,
                 e->tensor->name);
    const char *scope = vt_buffer_scope(e->flat);
    if (strcmp(scope, vt_buffer_scope(b)) != 0)
        vt_raise(ctx, VTA_ILLEGAL, "intrinsic operand %s must be in %s, but %s is in %s: set the scope of that stage",
                 b->name, vt_buffer_scope(b), e->tensor->name, scope);
    if (!vt_dtype_eq(b->dtype, e->dtype))
        vt_raise(ctx, VTA_ILLEGAL, "intrinsic operand %s and tensor %s have different element types", b->name,
                 e->tensor->name);
    const vt_expr **begins = VT_NEW_ARRAY(ctx, const vt_expr *, e->ndim + 1);
    const vt_expr **extents = VT_NEW_ARRAY(ctx, const vt_expr *, e->ndim + 1);
    for (uint32_t i = 0; i < e->ndim; i++) {
        const vt_expr *begin = vt_mutate_expr(&st->m, tuple->a[2 * i]);
        if (e->mins) begin = vt_sub(ctx, begin, e->mins[i]);
        begins[i] = vt_simplify(st->bound, begin);
        extents[i] = vt_simplify(st->bound, vt_mutate_expr(&st->m, tuple->a[2 * i + 1]));
        if (i + b->ndim >= e->ndim) bind(st, b, "extent", b->shape[i + b->ndim - e->ndim], extents[i]);
    }
    bind_strides(st, b, e, begins, extents);
    const vt_expr *offset = vt__flat_index(st, e, begins);
    vt_varmap_set(st->vars, b->data, e->flat->data);
    if (b->elem_offset) bind(st, b, "element offset", b->elem_offset, offset);
    vt_flat_view *w = VT_NEW(ctx, vt_flat_view);
    *w = (vt_flat_view){.target = e, .begins = begins, .ndim = b->ndim};
    vt_ptrmap_set(st->views, b, w);
    const vt_expr *check = offset_check(st, b, e, offset);
    const vt_stmt *body = vt_mutate_stmt(&st->m, s->u.attr.body);
    if (!check) return body;
    return vt_s_assert(ctx, check, vt_string(ctx, vt_new_format(ctx, "%s: misaligned element offset", b->name)), body);
}

/* ---- Buffers of statements made by hand ------------------------------------------------------------------------- */

/* The one-dimensional buffer of the memory that it lies in: that of a bound buffer, or its own. */
static const vt_buffer *other_buffer(vt_flatten *st, const vt_buffer *b) {
    const vt_expr *data = vt_varmap_get(st->vars, b->data);
    const vt_buffer *known = vt_ptrmap_get(st->others, b); /* bound elsewhere it lies elsewhere */
    if (known && known->data == (data ? data : b->data)) return known;
    const vt_expr *none = vt_int(st->m.ctx, b->elem_offset->dtype, 0);
    bool plain = b->ndim == 1 && !b->n_strides && vt_is_const(b->elem_offset, 0);
    if (!data && plain) return b;
    vt_buffer flat = *vt__flat_buffer(st->m.ctx, b, b->ndim, b->shape, b->n_strides ? b->strides : NULL);
    flat.shape = vt_exprs_copy(st->m.ctx, 1, (const vt_expr *const[]){vt_mutate_expr(&st->m, flat.shape[0])});
    if (data) flat.data = data;
    flat.elem_offset = none;
    const vt_buffer *made = vt_buffer_with(st->m.ctx, &flat);
    vt_ptrmap_set(st->others, b, made);
    return made;
}

static const vt_expr *other_index(vt_flatten *st, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    const vt_expr *index = vt_buffer_offset(st->m.ctx, b, n, indices);
    return vt_simplify(st->free, vt_mutate_expr(&st->m, index));
}

const vt_expr *vt__other_load(vt_flatten *st, const vt_expr *e) {
    const vt_buffer *b = other_buffer(st, e->u.buffer);
    if (b == e->u.buffer) return vt_mutate_expr_children(&st->m, e);
    const vt_expr *index = other_index(st, e->u.buffer, e->n, e->a);
    const vt_expr *value = vt_e_load(st->m.ctx, b, 1, &index);
    return vt_dtype_is_bool(e->dtype) ? vt_cast(st->m.ctx, e->dtype, value) : value;
}

const vt_stmt *vt__other_store(vt_flatten *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vt_buffer *from = s->u.store.buffer, *b = other_buffer(st, from);
    if (b == from) return vt_mutate_stmt_children(&st->m, s);
    const vt_expr *index = other_index(st, from, s->u.store.n_indices, s->u.store.indices);
    const vt_expr *value = vt_mutate_expr(&st->m, s->u.store.value);
    if (vt_dtype_is_bool(value->dtype)) value = vt_cast(ctx, vt__stored_type(value->dtype), value);
    return vt_s_store(ctx, b, value, 1, &index);
}

#include "target/vta/copy.h"

#include "arith/linear.h"
#include "base/strbuf.h"
#include "ir/print.h"

static const char *list_text(vt_ctx *ctx, uint32_t n, const vt_expr *const *items) {
    const char *text = "";
    for (uint32_t i = 0; i < n; i++)
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", vt_expr_plain(ctx, items[i]));
    return text;
}

static const char *copy_name(vt_ctx *ctx, const vt_copy *c) {
    return vt_new_format(ctx, "copy of %s to %s", c->src.buffer->name, c->dst.buffer->name);
}

/* ---- Matching --------------------------------------------------------------------------------------------------- */

static _Noreturn void no_copy(vt_ctx *ctx, const vt_stmt *nest, const char *why) {
    vt_raise(ctx, VTA_ILLEGAL,
             "the loops marked dma_copy are no copy that a transfer can make: %s. A copy is y[i, j] = x[...], with an "
             "optional cast or padding, and nothing else:\n%s",
             why, vt_stmt_text(ctx, nest));
}

/* The load that is copied, and the condition under which it is (else padding). */
static const vt_expr *copied_load(vt_ctx *ctx, const vt_stmt *nest, const vt_expr *value,
                                  const vt_expr **out_condition) {
    *out_condition = NULL;
    if (value->kind == VT_E_SELECT || vt_is_call(value, VT_OP_IF_THEN_ELSE)) {
        *out_condition = value->a[0];
        if (!vt__is(ctx, value->a[2], 0))
            no_copy(ctx, nest, "the padding is not 0, which is all that the hardware writes");
        value = value->a[1];
    } else if (value->kind == VT_E_CAST) {
        value = value->a[0];
    }
    if (value->kind != VT_E_LOAD || value->dtype.lanes != 1) no_copy(ctx, nest, "the value is not a load");
    return value;
}

/* Shrinks the source by what the condition makes padding. */
static void match_padding(vt_ctx *ctx, const vt_stmt *nest, vt_copy *c, const vt_expr *condition) {
    const vt_expr **bounds = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * c->ndim);
    vt_analyzer *a = vt_analyzer_new(ctx);
    if (!vt_detect_clip_bound(ctx, condition, c->ndim, c->axes, bounds))
        no_copy(
            ctx, nest,
            vt_new_format(ctx, "the condition %s does not bound each axis by itself", vt_expr_plain(ctx, condition)));
    c->pad_before = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim);
    c->pad_after = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim);
    for (uint32_t i = 0; i < c->ndim; i++) {
        vt_dtype t = c->axes[i]->dtype;
        const vt_expr *zero = vt_int(ctx, t, 0), *low = bounds[2 * i], *high = bounds[2 * i + 1];
        const vt_expr *size = c->src.shape[i];
        c->pad_before[i] = c->pad_after[i] = zero;
        if (low) {
            c->pad_before[i] = vt_simplify(a, vt_e_bin(ctx, VT_E_MAX, low, zero));
            c->src.offset = vt_add(ctx, c->src.offset, vt_mul(ctx, c->pad_before[i], c->src.strides[i]));
            size = vt_sub(ctx, size, c->pad_before[i]);
        }
        if (high) {
            const vt_expr *rest = vt_sub(ctx, vt_sub(ctx, c->dst.shape[i], high), vt_int(ctx, t, 1));
            c->pad_after[i] = vt_simplify(a, vt_max(ctx, rest, zero));
            size = vt_sub(ctx, size, c->pad_after[i]);
        }
        c->src.shape[i] = vt_simplify(a, size);
    }
    c->src.offset = vt_simplify(a, c->src.offset);
}

vt_copy vt__match_copy(vt_lowering *l, const vt_stmt *nest) {
    vt_ctx *ctx = l->ctx;
    uint32_t n = 0;
    const vt_stmt *s = nest;
    for (; s->kind == VT_S_FOR; s = s->u.loop.body, n++)
        if (!vt_is_const(s->u.loop.min, 0)) no_copy(ctx, nest, "a loop does not begin at 0");
    if (s->kind != VT_S_STORE) no_copy(ctx, nest, "there is not one store inside of the loops");
    const vt_expr *condition, *value = copied_load(ctx, nest, s->u.store.value, &condition);
    if (n == 0 && condition) no_copy(ctx, nest, "a single element cannot be padded");
    uint32_t ndim = n ? n : 1;
    vt_copy c = {.ndim = ndim, .axes = VT_NEW_ARRAY(ctx, const vt_var *, ndim)};
    c.src = (vt_side){.buffer = value->u.buffer, .dtype = value->dtype};
    c.dst = (vt_side){.buffer = s->u.store.buffer, .dtype = s->u.store.value->dtype};
    c.src.shape = VT_NEW_ARRAY(ctx, const vt_expr *, ndim);
    c.dst.shape = VT_NEW_ARRAY(ctx, const vt_expr *, ndim);
    c.src.strides = VT_NEW_ARRAY(ctx, const vt_expr *, ndim + 1);
    c.dst.strides = VT_NEW_ARRAY(ctx, const vt_expr *, ndim + 1);
    uint32_t i = 0;
    for (const vt_stmt *loop = nest; loop->kind == VT_S_FOR; loop = loop->u.loop.body, i++) {
        c.axes[i] = loop->u.loop.var;
        c.src.shape[i] = c.dst.shape[i] = loop->u.loop.extent;
    }
    if (!vt_detect_linear(ctx, s->u.store.indices[0], n, c.axes, c.dst.strides) ||
        !vt_detect_linear(ctx, value->a[0], n, c.axes, c.src.strides))
        no_copy(ctx, nest, "an index is not a sum of axes times constants");
    c.src.offset = c.src.strides[n];
    c.dst.offset = c.dst.strides[n];
    if (n == 0) c.src.shape[0] = c.dst.shape[0] = c.src.strides[0] = c.dst.strides[0] = vt_i32(ctx, 1);
    if (condition) match_padding(ctx, nest, &c, condition);
    return c;
}

/* ---- Two dimensions --------------------------------------------------------------------------------------------- */

static const char *axis_text(vt_ctx *ctx, const vt_copy *c, uint32_t dim) {
    return c->axes[dim] ? vt_new_format(ctx, "axis %s", vt_var_name(c->axes[dim])) : "the single element";
}

static _Noreturn void no_pattern(vt_ctx *ctx, const vt_copy *c, const vt_side *side, const char *memory, int64_t block,
                                 uint32_t dim, const char *why) {
    vt_raise(ctx, VTA_ILLEGAL,
             "%s is no two-dimensional pattern of %s elements (%lld scalars each): shape [%s], strides [%s] of %s; %s "
             "breaks it: %s. Move an outer axis out of the copy (compute_at a deeper axis, or put dma_copy on an inner "
             "axis), so that rows of whole elements at one distance are left",
             copy_name(ctx, c), memory, (long long)block, list_text(ctx, c->ndim, side->shape),
             list_text(ctx, c->ndim, side->strides), side->buffer->name, axis_text(ctx, c, dim), why);
}

void vt__check_compact(vt_lowering *l, const vt_copy *c, const vt_side *side) {
    vt_ctx *ctx = l->ctx;
    const vt_expr *size = vt_i32(ctx, 1);
    for (uint32_t i = c->ndim; i-- > 0;) {
        if (!vt__is(ctx, vt_sub(ctx, size, side->strides[i]), 0))
            vt_raise(ctx, VTA_ILLEGAL,
                     "%s: the buffer on the chip must be filled without gaps, but shape [%s] has strides [%s] in %s; "
                     "%s should have stride %s",
                     copy_name(ctx, c), list_text(ctx, c->ndim, side->shape), list_text(ctx, c->ndim, side->strides),
                     side->buffer->name, axis_text(ctx, c, i), vt_expr_plain(ctx, vt_simplify_free(ctx, size)));
        size = vt_mul(ctx, size, side->shape[i]);
    }
}

/* Dimensions after merging, innermost first: [0] is one element. `dim` is the axis each ends at, for messages. */
typedef struct folded {
    uint32_t n;
    const vt_expr **shape, **strides;
    uint32_t *dim;
} folded;

static void add_dim(folded *f, const vt_expr *shape, const vt_expr *stride, uint32_t dim) {
    f->shape[f->n] = shape;
    f->strides[f->n] = stride;
    f->dim[f->n++] = dim;
}

/* Innermost axes that make up one element become dimension 0; the others merge while their strides allow it. */
static folded fold_dims(vt_ctx *ctx, const vt_copy *c, const vt_side *side, const char *memory, int64_t block) {
    folded f = {.shape = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim + 2),
                .strides = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim + 2),
                .dim = VT_NEW_ARRAY(ctx, uint32_t, c->ndim + 2)};
    vt_analyzer *a = vt_analyzer_new(ctx);
    const vt_expr *size = vt_i32(ctx, 1);
    uint32_t i = c->ndim;
    for (;;) {
        if (i == 0) no_pattern(ctx, c, side, memory, block, 0, "the innermost axes do not make up whole elements");
        i--;
        if (!vt__is(ctx, vt_sub(ctx, side->strides[i], size), 0))
            no_pattern(ctx, c, side, memory, block, i, "the scalars of an element are not adjacent");
        size = vt_mul(ctx, size, side->shape[i]);
        if (vt__is(ctx, vt_sub(ctx, size, vt_i32(ctx, block)), 0)) break;
    }
    const vt_expr *element = vt_i32(ctx, block);
    add_dim(&f, element, vt_i32(ctx, 1), i);
    if (i > 0 && !vt__is(ctx, side->strides[i - 1], block)) add_dim(&f, vt_i32(ctx, 1), element, i);
    while (i > 0) {
        const vt_expr *stride = side->strides[i - 1], *extent = vt_i32(ctx, 1);
        uint32_t first = i - 1;
        if (!vt__is(ctx, vt_floormod(ctx, stride, element), 0))
            no_pattern(ctx, c, side, memory, block, i - 1, "its stride is not a whole number of elements");
        for (; i > 0 && vt__is(ctx, vt_sub(ctx, vt_mul(ctx, extent, stride), side->strides[i - 1]), 0); i--)
            extent = vt_mul(ctx, extent, side->shape[i - 1]);
        add_dim(&f, vt_simplify(a, extent), stride, first);
    }
    return f;
}

static folded plain_dims(vt_ctx *ctx, const vt_copy *c, const vt_side *side) {
    folded f = {.shape = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim),
                .strides = VT_NEW_ARRAY(ctx, const vt_expr *, c->ndim),
                .dim = VT_NEW_ARRAY(ctx, uint32_t, c->ndim)};
    for (uint32_t i = c->ndim; i-- > 0;) add_dim(&f, side->shape[i], side->strides[i], i);
    return f;
}

vt_pattern vt__pattern_2d(vt_lowering *l, const vt_copy *c, const vt_side *side, const char *memory, int64_t block,
                          bool fold) {
    vt_ctx *ctx = l->ctx;
    const vt_expr *element = vt_i32(ctx, block), *one = vt_i32(ctx, 1);
    if (!vt__is(ctx, vt_floormod(ctx, side->offset, element), 0))
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s begins at scalar %s of %s, which is not a whole number of %s elements (%lld scalars each): split "
                 "so that every tile begins at an element",
                 copy_name(ctx, c), vt_expr_plain(ctx, side->offset), side->buffer->name, memory, (long long)block);
    folded f = fold ? fold_dims(ctx, c, side, memory, block) : plain_dims(ctx, c, side);
    vt_pattern p = {one, one, one, vt_floordiv(ctx, side->offset, element)};
    if (!vt__is(ctx, f.strides[0], 1))
        no_pattern(ctx, c, side, memory, block, f.dim[0], "the scalars of an element are not adjacent");
    uint32_t in = 1; /* dimensions that make up one element */
    if (!vt__is(ctx, f.shape[0], block)) {
        in = 2;
        if (f.n < 2 || !vt__is(ctx, vt_sub(ctx, f.strides[1], f.shape[0]), 0) ||
            !vt__is(ctx, vt_mul(ctx, f.shape[0], f.shape[1]), block))
            no_pattern(ctx, c, side, memory, block, f.dim[f.n < 2 ? 0 : 1],
                       "the innermost axes do not make up one element");
    }
    if (f.n == in) return p;
    if (!vt__is(ctx, f.strides[in], block))
        no_pattern(ctx, c, side, memory, block, f.dim[in], "elements of a row are not adjacent");
    p.x_size = p.x_stride = f.shape[in];
    if (f.n == in + 1) return p;
    if (!vt__is(ctx, vt_floormod(ctx, f.strides[in + 1], element), 0))
        no_pattern(ctx, c, side, memory, block, f.dim[in + 1], "its stride is not a whole number of elements");
    p.x_stride = vt_floordiv(ctx, f.strides[in + 1], element);
    p.y_size = f.shape[in + 1];
    if (f.n == in + 2) return p;
    no_pattern(ctx, c, side, memory, block, f.dim[in + 2], "it is a third dimension");
}

#include "lower/vta/copy.h"

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
    vt_raise_detailed(
        ctx, VTA_ILLEGAL, vt_stmt_text(ctx, nest),
        "the loops marked dma_copy are not a copy that a transfer can make: %s. A copy is y[i, j] = x[...], "
        "with an optional cast or padding, and nothing else",
        why);
}

/* The load that is copied, and the condition under which it is (else padding). All padding gives the zero itself. */
static const vt_expr *copied_load(vt_ctx *ctx, const vt_stmt *nest, const vt_expr *value,
                                  const vt_expr **out_condition) {
    *out_condition = NULL;
    bool cast = value->kind == VT_E_CAST;
    if (cast) value = value->a[0];
    if (value->kind == VT_E_SELECT || vt_is_call(value, VT_OP_IF_THEN_ELSE)) {
        *out_condition = value->a[0];
        if (!vt__is(ctx, value->a[2], 0))
            no_copy(ctx, nest, "the padding is not 0, which is all that the hardware writes");
        value = value->a[1];
    }
    if (!cast && value->kind == VT_E_CAST) value = value->a[0];
    if (value->kind != VT_E_LOAD && vt__is(ctx, value, 0)) return value;
    if (value->kind != VT_E_LOAD || value->dtype.lanes != 1) no_copy(ctx, nest, "the value is not a load");
    return value;
}

static bool is_axis(void *user, const vt_var *v) {
    const vt_copy *c = user;
    for (uint32_t i = 0; i < c->ndim; i++)
        if (c->axes[i] == v) return true;
    return false;
}

/* Splits a condition into the terms that bound axes, which it gives (NULL: none), and c->guard. */
static const vt_expr *take_guard(vt_ctx *ctx, vt_copy *c, const vt_expr *condition) {
    if (condition->kind == VT_E_AND) {
        const vt_expr *x = take_guard(ctx, c, condition->a[0]), *y = take_guard(ctx, c, condition->a[1]);
        return x && y ? vt_and(ctx, x, y) : x ? x : y;
    }
    if (vt_expr_uses_any(condition, is_axis, c)) return condition;
    c->guard = c->guard ? vt_and(ctx, c->guard, condition) : condition;
    return NULL;
}

/* Shrinks the source by what the condition makes padding. */
static void match_padding(vt_analyzer *a, const vt_stmt *nest, vt_copy *c, const vt_expr *condition) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_expr **bounds = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * c->ndim);
    condition = take_guard(ctx, c, condition);
    if (condition && !vt_detect_clip_bound(a, condition, c->ndim, c->axes, bounds))
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

vt_copy vt__match_copy(vt_analyzer *a, const vt_stmt *nest) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    uint32_t n = 0;
    const vt_stmt *s = nest;
    for (; s->kind == VT_S_FOR; s = s->u.loop.body, n++)
        if (!vt_is_const(s->u.loop.min, 0)) no_copy(ctx, nest, "a loop does not begin at 0");
    if (s->kind != VT_S_STORE) no_copy(ctx, nest, "there is not one store inside of the loops");
    const vt_expr *condition, *value = copied_load(ctx, nest, s->u.store.value, &condition);
    uint32_t ndim = n ? n : 1;
    vt_copy c = {.ndim = ndim, .axes = VT_NEW_ARRAY(ctx, const vt_var *, ndim)};
    c.zeros = value->kind != VT_E_LOAD;
    c.src = (vt_side){.buffer = c.zeros ? s->u.store.buffer : value->u.buffer, .dtype = value->dtype};
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
    const vt_expr *from = c.zeros ? s->u.store.indices[0] : value->a[0];
    if (!vt_detect_linear(ctx, s->u.store.indices[0], n, c.axes, c.dst.strides) ||
        !vt_detect_linear(ctx, from, n, c.axes, c.src.strides))
        no_copy(ctx, nest, "an index is not a sum of axes times constants");
    c.src.offset = c.src.strides[n];
    c.dst.offset = c.dst.strides[n];
    if (n == 0) c.src.shape[0] = c.dst.shape[0] = c.src.strides[0] = c.dst.strides[0] = vt_i32(ctx, 1);
    if (condition) match_padding(a, nest, &c, condition);
    return c;
}

/* ---- Types ------------------------------------------------------------------------------------------------------ */

void vt__check_chip_type(vt_lowering *l, const vt_buffer *b, vta_memory memory) {
    uint32_t width = vta_config_width(vt__config(l), memory);
    char text[VT_DTYPE_TEXT];
    if (!width)
        vt_raise(l->ctx, VTA_UNSUPPORTED,
                 "%s is in the %s memory, and the configuration has none; LOG_TABLE_BUFF_SIZE, 8 or more, gives it one",
                 b->name, vta_memory_name(memory));
    if (b->dtype.code == VT_INT && b->dtype.bits == width) return;
    vt_raise(l->ctx, VTA_ILLEGAL,
             "%s is in the %s buffer, which holds int%u, but has elements of type %s; cast to int%u", b->name,
             vta_memory_name(memory), width, vt_dtype_text(b->dtype, text), width);
}

/* ---- Two dimensions --------------------------------------------------------------------------------------------- */

static const char *axis_text(vt_ctx *ctx, const vt_copy *c, uint32_t dim) {
    return c->axes[dim] ? vt_new_format(ctx, "axis %s", vt_var_name(c->axes[dim])) : "the single element";
}

static _Noreturn void no_pattern(vt_ctx *ctx, const vt_copy *c, const vt_side *side, const char *memory, int64_t block,
                                 uint32_t dim, const char *why) {
    vt_raise(
        ctx, VTA_ILLEGAL,
        "%s is not a two-dimensional pattern of %s elements (%lld scalars each): shape [%s], strides [%s] of %s; %s "
        "breaks it: %s. Move an outer axis out of the copy (compute_at a deeper axis, or put dma_copy on an inner "
        "axis), so that rows of whole elements at one distance are left",
        copy_name(ctx, c), memory, (long long)block, list_text(ctx, c->ndim, side->shape),
        list_text(ctx, c->ndim, side->strides), side->buffer->name, axis_text(ctx, c, dim), why);
}

static bool is_compact(vt_ctx *ctx, const vt_copy *c, const vt_side *side) {
    const vt_expr *size = vt_i32(ctx, 1);
    for (uint32_t i = c->ndim; i-- > 0; size = vt_mul(ctx, size, side->shape[i]))
        if (!vt__is(ctx, vt_sub(ctx, size, side->strides[i]), 0)) return false;
    return true;
}

static void swap(const vt_expr **a, const vt_expr **b) {
    const vt_expr *kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_axes(vt_copy *c, uint32_t i, uint32_t j) {
    const vt_expr **of_axis[] = {c->src.shape,   c->src.strides, c->dst.shape,
                                 c->dst.strides, c->pad_before,  c->pad_after};
    swap(&c->axes[i], &c->axes[j]);
    for (uint32_t k = 0; k < sizeof of_axis / sizeof *of_axis; k++)
        if (of_axis[k]) swap(&of_axis[k][i], &of_axis[k][j]);
}

/* How far out an axis belongs: one that repeats the same elements goes outermost. */
static int64_t reach(const vt_expr *stride) { return stride->u.i ? stride->u.i : INT64_MAX; }

/* Does axis i belong further out than axis i - 1? */
static bool belongs_outside(const vt_side *side, uint32_t i) {
    const vt_expr *outer = side->strides[i - 1], *inner = side->strides[i];
    return outer->kind == VT_E_INT && inner->kind == VT_E_INT && reach(outer) < reach(inner);
}

static void turn_side(vt_ctx *ctx, vt_side *side, uint32_t i) {
    const vt_expr *last = vt_sub(ctx, side->shape[i], vt_i32(ctx, 1));
    side->offset = vt_simplify_free(ctx, vt_add(ctx, side->offset, vt_mul(ctx, last, side->strides[i])));
    side->strides[i] = vt_simplify_free(ctx, vt_sub(ctx, vt_i32(ctx, 0), side->strides[i]));
}

/* The same copy with axis i counted from its other end. */
static void turn_axis(vt_ctx *ctx, vt_copy *c, uint32_t i) {
    turn_side(ctx, &c->src, i);
    turn_side(ctx, &c->dst, i);
    if (c->pad_before) swap(&c->pad_before[i], &c->pad_after[i]);
}

void vt__order_axes(vt_lowering *l, vt_copy *c, const vt_side *side) {
    if (is_compact(l->ctx, c, side)) return;
    for (uint32_t i = 0; i < c->ndim; i++)
        if (side->strides[i]->kind == VT_E_INT && side->strides[i]->u.i < 0) turn_axis(l->ctx, c, i);
    for (uint32_t n = 1; n < c->ndim; n++)
        for (uint32_t i = n; i > 0 && belongs_outside(side, i); i--) swap_axes(c, i - 1, i);
}

static bool is_padded(vt_ctx *ctx, const vt_copy *c, uint32_t axis) {
    return c->pad_before && (!vt__is(ctx, c->pad_before[axis], 0) || !vt__is(ctx, c->pad_after[axis], 0));
}

/* What is the same for all axes of a pattern. */
typedef struct folder {
    vt_ctx *ctx;
    vt_analyzer *a;
    const vt_copy *c;
    const vt_side *dram, *chip;
    const char *memory;
    int64_t block;
} folder;

static _Noreturn void broken(const folder *f, uint32_t axis, const char *why) {
    no_pattern(f->ctx, f->c, f->dram, f->memory, f->block, axis, why);
}

/* The number of outer axes: the others, innermost, make up one element. */
static uint32_t take_element(const folder *f) {
    const vt_expr *size = vt_i32(f->ctx, 1);
    uint32_t i = f->c->ndim;
    do {
        if (i == 0) broken(f, 0, "the innermost axes do not make up whole elements");
        i--;
        if (is_padded(f->ctx, f->c, i)) broken(f, i, "it is padded inside of an element");
        if (!vt__is(f->ctx, vt_sub(f->ctx, f->dram->strides[i], size), 0) ||
            !vt__is(f->ctx, vt_sub(f->ctx, f->chip->strides[i], size), 0))
            broken(f, i, "the scalars of an element are not adjacent");
        size = vt_mul(f->ctx, size, f->dram->shape[i]);
    } while (!vt__is(f->ctx, vt_sub(f->ctx, size, vt_i32(f->ctx, f->block)), 0));
    return i;
}

/* One step along elements that lie next to each other. */
static vt_dim single(const folder *f, uint32_t axis) {
    const vt_expr *one = vt_i32(f->ctx, 1), *zero = vt_i32(f->ctx, 0);
    return (vt_dim){axis, one, one, zero, zero, one, vt_i32(f->ctx, f->block)};
}

/* Axis `at - 1` and those outside of it that merge with it; `*at` becomes their number. */
static vt_dim fold_axes(const folder *f, uint32_t *at) {
    vt_ctx *ctx = f->ctx;
    uint32_t i = *at - 1;
    const vt_copy *c = f->c;
    const vt_expr *stride = f->dram->strides[i], *element = vt_i32(ctx, f->block), *zero = vt_i32(ctx, 0);
    if (!vt__is(ctx, vt_floormod(ctx, stride, element), 0))
        broken(f, i, "its stride is not a whole number of elements");
    vt_dim d = {.axis = i, .size = f->dram->shape[i], .pad_before = zero, .pad_after = zero};
    d.chip_size = f->chip->shape[i];
    d.chip_stride = f->chip->strides[i];
    if (is_padded(ctx, c, i)) {
        d.pad_before = c->pad_before[i];
        d.pad_after = c->pad_after[i];
    }
    for (; i > 0 && !is_padded(ctx, c, i) && !is_padded(ctx, c, i - 1) &&
           vt__is(ctx, vt_sub(ctx, vt_mul(ctx, d.size, stride), f->dram->strides[i - 1]), 0) &&
           vt__is(ctx, vt_sub(ctx, vt_mul(ctx, d.chip_size, d.chip_stride), f->chip->strides[i - 1]), 0);
         i--) {
        d.size = vt_mul(ctx, d.size, f->dram->shape[i - 1]);
        d.chip_size = vt_mul(ctx, d.chip_size, f->chip->shape[i - 1]);
    }
    d.size = vt_simplify(f->a, d.size);
    d.stride = vt_floordiv(ctx, stride, element);
    *at = i;
    return d;
}

vt_pattern vt__pattern_of(vt_analyzer *a, const vt_copy *c, const vt_side *dram, const vt_side *chip,
                          const char *memory, int64_t block) {
    vt_ctx *ctx = vt_analyzer_ctx(a);
    const vt_expr *element = vt_i32(ctx, block);
    if (!vt__is(ctx, vt_floormod(ctx, dram->offset, element), 0))
        vt_raise(ctx, VTA_ILLEGAL,
                 "%s begins at scalar %s of %s, which is not a whole number of %s elements (%lld scalars each): split "
                 "so that every tile begins at an element",
                 copy_name(ctx, c), vt_expr_plain(ctx, dram->offset), dram->buffer->name, memory, (long long)block);
    folder f = {ctx, a, c, dram, chip, memory, block};
    vt_pattern p = {.offset = vt_floordiv(ctx, dram->offset, element), .dims = VT_NEW_ARRAY(ctx, vt_dim, c->ndim + 2)};
    uint32_t outer = take_element(&f);
    bool adjacent =
        outer > 0 && vt__is(ctx, dram->strides[outer - 1], block) && vt__is(ctx, chip->strides[outer - 1], block);
    if (!adjacent) p.dims[p.n++] = single(&f, outer);
    while (outer > 0) p.dims[p.n++] = fold_axes(&f, &outer);
    return p;
}

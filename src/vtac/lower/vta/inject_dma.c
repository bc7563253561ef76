/* Replaces loop nests marked dma_copy by VTALoadBuffer2D and VTAStoreBuffer2D, each a task of its stage.
 *
 * A transfer has two dimensions: further ones become loops around it. Padding is part of a load as long as there is
 * something to load. A tile that lies wholly in the padding, for some values of the loops around it, is loaded from
 * zeros in DRAM instead, row by row the same: the hardware has no load of padding alone. */
#include <string.h>

#include "config/field_bits.h"
#include "ir/print.h"
#include "lower/vta/copy.h"
#include "lower/vta/exact.h"

/* What the instruction's fields hold. */
enum { SIZE_MOST = VT_FIELD_MAX(MEM_x_size), PAD_MAX = VT_FIELD_MAX(MEM_x_pad_0) };
_Static_assert(VT_BITS_MEM_y_size == VT_BITS_MEM_x_size && VT_BITS_MEM_x_stride == VT_BITS_MEM_x_size &&
                   VT_BITS_MEM_x_pad_1 == VT_BITS_MEM_x_pad_0 && VT_BITS_MEM_y_pad_0 == VT_BITS_MEM_x_pad_0 &&
                   VT_BITS_MEM_y_pad_1 == VT_BITS_MEM_x_pad_0,
               "one bound for all sizes, one for all paddings");

typedef struct dma {
    vt_mutator m;
    vt_lowering *l;
    const vt_iter *axis;
    vt_analyzer *a; /* that knows nothing */
    vt_around around;
    const vt_var *zeros; /* NULL: not needed so far */
    int64_t zero_bytes;
} dma;

/* A transfer: two dimensions of the pattern, the others as loops. */
typedef struct transfer {
    const vt_copy *copy;
    const vt_side *chip;
    vt_pattern p;
    vt_dim x, y;
    uint32_t in;                /* dimensions of the pattern that the transfer has itself */
    const vt_var **loops;       /* of the others */
    const vt_expr *dram, *sram; /* where it begins: elements, scalars */
} transfer;

static vt_dim one_row(vt_ctx *ctx, const vt_dim *x) {
    const vt_expr *one = vt_i32(ctx, 1), *zero = vt_i32(ctx, 0);
    return (vt_dim){x->axis, one, x->size, zero, zero, one, vt_mul(ctx, x->chip_size, x->chip_stride)};
}

/* Rows that the instruction has no field for, that go backwards, or between which the chip has others are loops too. */
static bool is_row_dim(vt_ctx *ctx, const vt_dim *x, const vt_dim *d) {
    if (!vt__is(ctx, vt_sub(ctx, vt_mul(ctx, x->chip_size, x->chip_stride), d->chip_stride), 0)) return false;
    return !(d->stride->kind == VT_E_INT && (d->stride->u.i > SIZE_MOST || d->stride->u.i < 0)) &&
           !(d->size->kind == VT_E_INT && d->size->u.i > SIZE_MOST);
}

static transfer plan(dma *st, vt_copy *c, const vt_side *dram, const vt_side *chip, vta_memory memory,
                     const char *name) {
    vt_ctx *ctx = st->m.ctx;
    vt__order_axes(st->l, c, chip);
    transfer t = {.copy = c, .chip = chip};
    t.p = vt__pattern_of(st->a, c, dram, chip, name, vt__elem_scalars(vt__config(st->l), memory));
    t.x = t.p.dims[0];
    t.in = t.p.n > 1 && is_row_dim(ctx, &t.x, &t.p.dims[1]) ? 2 : 1;
    t.y = t.in > 1 ? t.p.dims[1] : one_row(ctx, &t.x);
    t.dram = t.p.offset;
    t.sram = chip->offset;
    t.loops = VT_NEW_ARRAY(ctx, const vt_var *, t.p.n);
    for (uint32_t i = t.in; i < t.p.n; i++) {
        const vt_dim *d = &t.p.dims[i];
        t.loops[i] = vt_var_new(ctx, vt_var_name(c->axes[d->axis]), VT_I32);
        const vt_expr *step = vt_sub(ctx, t.loops[i], d->pad_before);
        t.dram = vt_add(ctx, t.dram, vt_mul(ctx, step, d->stride));
        t.sram = vt_add(ctx, t.sram, vt_mul(ctx, t.loops[i], d->chip_stride));
    }
    return t;
}

static const vt_stmt *with_loops(dma *st, const transfer *t, const vt_stmt *body) {
    for (uint32_t i = t->in; i < t->p.n; i++)
        body = vt_s_for(st->m.ctx, t->loops[i], vt_i32(st->m.ctx, 0), t->p.dims[i].chip_size, VT_FOR_SERIAL, body);
    return body;
}

static const vt_expr *chip_address(vt_ctx *ctx, const transfer *t) {
    const vt_side *side = t->chip;
    const vt_expr *extent =
        t->p.n > t->in ? vt_mul(ctx, t->y.chip_size, t->y.chip_stride) : vt_mul(ctx, side->strides[0], side->shape[0]);
    return vt__access(ctx, side->dtype, side->buffer->data, t->sram, extent, 1);
}

/* ---- Stores ----------------------------------------------------------------------------------------------------- */

static void check_store(dma *st, const vt_copy *c) {
    vt_ctx *ctx = st->m.ctx;
    const char *from = vt_buffer_scope(c->src.buffer);
    uint32_t width = vta_config_width(vt__config(st->l), VTA_MEM_OUT);
    if (c->zeros)
        vt_raise(ctx, VTA_ILLEGAL, "copy to %s: zeros cannot be stored; store a tensor of the accumulator",
                 c->dst.buffer->name);
    if (c->pad_before)
        vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: a store cannot pad", c->src.buffer->name, c->dst.buffer->name);
    if (strcmp(from, VT_SCOPE_ACC) != 0)
        vt_raise(ctx, VTA_ILLEGAL,
                 "copy of %s to %s: only the accumulator can be stored, but %s is in %s; set its scope to acc",
                 c->src.buffer->name, c->dst.buffer->name, c->src.buffer->name, from);
    vt__check_chip_type(st->l, c->src.buffer, VTA_MEM_ACC);
    if (c->dst.dtype.code != VT_INT || c->dst.dtype.bits != width) {
        char text[VT_DTYPE_TEXT];
        vt_raise(
            ctx, VTA_ILLEGAL,
            "copy of %s to %s: a store writes int%u, the low bits of each accumulator, but %s has elements of type "
            "%s; cast what is stored to int%u",
            c->src.buffer->name, c->dst.buffer->name, width, c->dst.buffer->name, vt_dtype_text(c->dst.dtype, text),
            width);
    }
}

static const vt_stmt *store_copy(dma *st, vt_copy *c) {
    vt_ctx *ctx = st->m.ctx;
    check_store(st, c);
    transfer t = plan(st, c, &c->dst, &c->src, VTA_MEM_OUT, "out");
    const vt_expr *args[] = {vt__command_handle(ctx),
                             chip_address(ctx, &t),
                             vt_i32(ctx, VTA_MEM_OUT),
                             c->dst.buffer->data,
                             t.dram,
                             t.x.size,
                             t.y.size,
                             t.y.stride};
    const vt_stmt *store = vt__extern(ctx, "VTAStoreBuffer2D", 8, args);
    return vt__task(st->l, st->axis, VTA_STAGE_STORE, with_loops(st, &t, store));
}

/* ---- Padding ---------------------------------------------------------------------------------------------------- */

/* Adds a condition that may not hold; NULL: none so far. */
static const vt_expr *also(vt_ctx *ctx, const vt_expr *all, const vt_expr *one) {
    return all ? vt_and(ctx, all, one) : one;
}

static const vt_expr *has_some(vt_ctx *ctx, const vt_dim *d) {
    return vt_e_bin(ctx, VT_E_LT, vt_int(ctx, d->size->dtype, 0), d->size);
}

static bool is_zero(const vt_expr *e) { return vt_is_const(e, 0); }

/* Where there is something to load; NULL: everywhere. */
static const vt_expr *inside(dma *st, const transfer *t) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *all = t->copy->guard;
    for (uint32_t i = 0; i < t->p.n; i++) {
        const vt_dim *d = &t->p.dims[i];
        if (is_zero(d->pad_before) && is_zero(d->pad_after)) continue;
        if (i < t->in) {
            all = also(ctx, all, has_some(ctx, d));
            continue;
        }
        all = also(ctx, all, vt_e_bin(ctx, VT_E_LE, d->pad_before, t->loops[i]));
        all = also(ctx, all, vt_e_bin(ctx, VT_E_LT, t->loops[i], vt_add(ctx, d->pad_before, d->size)));
    }
    return all;
}

typedef struct pads {
    bool some, none; /* inside for some values, and outside */
    int64_t most[4];
} pads;

static bool see_pads(void *user, const int64_t *values) {
    pads *p = user;
    if (!values[0]) {
        p->none = true;
        return true;
    }
    p->some = true;
    for (int i = 0; i < 4; i++)
        if (values[1 + i] > p->most[i]) p->most[i] = values[1 + i];
    return true;
}

/* Simplifies the condition where all values can be tried, and refuses padding that the fields do not hold. */
static const vt_expr *check_padding(dma *st, const transfer *t, const vt_expr *condition) {
    static const char *const names[] = {"columns on the left", "columns on the right", "rows above", "rows below"};
    vt_ctx *ctx = st->m.ctx;
    vt_around around = st->around;
    for (uint32_t i = t->in; i < t->p.n; i++)
        vt__around_enter(ctx, &around, t->loops[i], vt_i32(ctx, 0), t->p.dims[i].chip_size);
    const vt_expr *exprs[] = {condition ? condition : vt_bool(ctx, true), t->x.pad_before, t->x.pad_after,
                              t->y.pad_before, t->y.pad_after};
    pads p = {0};
    if (!vt__exact_values(ctx, &around, 5, exprs, see_pads, &p)) return condition;
    for (int i = 0; i < 4; i++)
        if (p.most[i] > PAD_MAX)
            vt_raise(ctx, VTA_ILLEGAL,
                     "copy of %s to %s: up to %lld %s of padding, but the instruction's field holds 0 to %d; pad by "
                     "less, or in a stage of its own on the host",
                     t->copy->src.buffer->name, t->copy->dst.buffer->name, (long long)p.most[i], names[i], PAD_MAX);
    if (!p.none) return NULL;
    return p.some ? condition : vt_bool(ctx, false);
}

/* ---- Loads ------------------------------------------------------------------------------------------------------ */

static vta_memory load_type(dma *st, const vt_copy *c, vta_memory memory) {
    const vta_config *config = vt__config(st->l);
    uint32_t width = vta_config_width(config, memory);
    if (c->src.dtype.code == VT_INT && c->src.dtype.bits == width) return memory;
    if (memory == VTA_MEM_ACC && c->src.dtype.code == VT_INT &&
        c->src.dtype.bits == vta_config_width(config, VTA_MEM_ACC_8BIT))
        return VTA_MEM_ACC_8BIT;
    char text[VT_DTYPE_TEXT];
    vt_raise(st->m.ctx, VTA_ILLEGAL, "copy of %s to %s: the %s buffer holds int%u, but the source has %s",
             c->src.buffer->name, c->dst.buffer->name, vta_memory_name(memory), width,
             vt_dtype_text(c->src.dtype, text));
}

static const vt_stmt *load(dma *st, const transfer *t, vta_memory type) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *args[] = {vt__command_handle(ctx),
                             t->copy->src.buffer->data,
                             t->dram,
                             t->x.size,
                             t->y.size,
                             t->y.stride,
                             t->x.pad_before,
                             t->y.pad_before,
                             t->x.pad_after,
                             t->y.pad_after,
                             chip_address(ctx, t),
                             vt_i32(ctx, type)};
    return vt__extern(ctx, "VTALoadBuffer2D", 12, args);
}

/* The whole tile from one row of zeros, again and again. */
static const vt_stmt *load_zeros(dma *st, const transfer *t, vta_memory type) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *zero = vt_i32(ctx, 0), *columns = vt_simplify(st->a, t->x.chip_size);
    if (columns->kind != VT_E_INT || columns->u.i > SIZE_MOST)
        vt_raise(ctx, VTA_ILLEGAL,
                 "copy of %s to %s: a row of %s elements may lie wholly in the padding, and is loaded from zeros then; "
                 "their number must be a constant of at most %d",
                 t->copy->src.buffer->name, t->copy->dst.buffer->name, vt_expr_plain(ctx, columns), SIZE_MOST);
    int64_t bytes = columns->u.i * (int64_t)vta_config_elem_bytes(vt__config(st->l), type);
    if (bytes > st->zero_bytes) st->zero_bytes = bytes;
    if (!st->zeros) st->zeros = vt_var_new_pointer(ctx, "zeros", VT_DTYPE(VT_INT, 8, 1), "global");
    const vt_expr *args[] = {
        vt__command_handle(ctx), st->zeros,        zero, columns, t->y.chip_size, zero, zero, zero, zero, zero,
        chip_address(ctx, t),    vt_i32(ctx, type)};
    return vt__extern(ctx, "VTALoadBuffer2D", 12, args);
}

static const vt_stmt *load_copy(dma *st, vt_copy *c) {
    vt_ctx *ctx = st->m.ctx;
    const char *to = vt_buffer_scope(c->dst.buffer);
    vta_memory memory;
    if (!vt__memory_of(to, &memory))
        vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: %s is in %s; set its scope to inp, wgt, acc or table to load it",
                 c->src.buffer->name, c->dst.buffer->name, c->dst.buffer->name, to);
    vt__check_chip_type(st->l, c->dst.buffer, memory);
    vta_memory type = load_type(st, c, memory);
    transfer t = plan(st, c, &c->src, &c->dst, memory, vta_memory_name(memory));
    const vt_expr *condition = check_padding(st, &t, inside(st, &t));
    const vt_stmt *body = c->zeros ? load_zeros(st, &t, type) : load(st, &t, type);
    if (condition && !c->zeros) body = vt_s_if(ctx, condition, body, load_zeros(st, &t, type));
    if (memory == VTA_MEM_TABLE && (c->zeros || c->pad_before))
        vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: a load of tables has no padding", c->src.buffer->name,
                 c->dst.buffer->name);
    vta_stage stage = memory == VTA_MEM_ACC || memory == VTA_MEM_TABLE ? VTA_STAGE_COMPUTE : VTA_STAGE_LOAD;
    return vt__task(st->l, st->axis, stage, with_loops(st, &t, body));
}

/* ---- The pass --------------------------------------------------------------------------------------------------- */

static const vt_stmt *inject_copy(dma *st, const vt_stmt *nest) {
    vt_copy c = vt__match_copy(st->a, nest);
    bool to_dram = strcmp(vt_buffer_scope(c.dst.buffer), "global") == 0;
    bool from_dram = c.zeros || strcmp(vt_buffer_scope(c.src.buffer), "global") == 0;
    if (!to_dram && !from_dram)
        vt_raise(st->m.ctx, VTA_ILLEGAL, "copy of %s (%s) to %s (%s): a transfer has one side in DRAM",
                 c.src.buffer->name, vt_buffer_scope(c.src.buffer), c.dst.buffer->name, vt_buffer_scope(c.dst.buffer));
    return to_dram ? store_copy(st, &c) : load_copy(st, &c);
}

/* Intrinsics may have been declared with an axis of their own; there is one accelerator. */
static const vt_stmt *inject_other(dma *st, const vt_stmt *s) {
    uint32_t depth = st->around.n;
    if (s->kind == VT_S_FOR) vt__around_enter(st->m.ctx, &st->around, s->u.loop.var, s->u.loop.min, s->u.loop.extent);
    if (vt_attr_binds_thread(s))
        vt__around_enter(st->m.ctx, &st->around, s->u.attr.node.u.iter->var, vt_i32(st->m.ctx, 0), s->u.attr.value);
    s = vt_mutate_stmt_children(&st->m, s);
    st->around.n = depth;
    bool task = vt_attr_is(s, VT_ATTR_TASK) || vt_attr_is(s, VT_ATTR_UOPS);
    if (!task || s->u.attr.node.kind != VT_REF_ITER || s->u.attr.node.u.iter == st->axis) return s;
    return vt_s_attr(st->m.ctx, vt_ref_iter(st->axis), s->u.attr.key, s->u.attr.value, s->u.attr.body);
}

static const vt_stmt *inject_stmt(vt_mutator *m, const vt_stmt *s) {
    dma *st = (dma *)m;
    if (!vt_pragma_is(s, "dma_copy")) return inject_other(st, s);
    bool nothing = vt__vta(st->l)->mock || vt__does_nothing(s->u.attr.body);
    return nothing ? vt_s_nop(m->ctx) : inject_copy(st, s->u.attr.body);
}

/* The row of zeros, written by the host before anything else. */
static const vt_stmt *with_zeros(dma *st, const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    const vt_expr *extent = vt_i32(ctx, st->zero_bytes), *zero = vt_i32(ctx, 0);
    vt_dtype byte = st->zeros->u.var->elem;
    const vt_buffer *b = vt_buffer_new(ctx, "zeros", st->zeros, byte, 1, &extent);
    const vt_expr *i = vt_var_new(ctx, "i", VT_I32);
    const vt_stmt *fill =
        vt_s_for(ctx, i, zero, extent, VT_FOR_SERIAL, vt_s_store(ctx, b, vt_int(ctx, byte, 0), 1, &i));
    const vt_stmt *items[] = {fill, body};
    return vt_s_alloc(ctx, st->zeros, byte, 1, &extent, vt_bool(ctx, true), vt_s_seq(ctx, 2, items));
}

const vt_func *vt_pass_inject_dma(vt_lowering *l, const vt_func *f) {
    dma st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = inject_stmt},
              .l = l,
              .axis = vt__task_axis(l, f),
              .a = vt_analyzer_new(l->ctx)};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    if (st.zeros) body = with_zeros(&st, body);
    return vt_func_with_body(l->ctx, f, body);
}

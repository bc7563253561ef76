/* Replaces loop nests marked dma_copy by VTALoadBuffer2D and VTAStoreBuffer2D, each a task of its stage. */
#include <string.h>

#include "ir/print.h"
#include "target/vta/copy.h"

typedef struct dma {
    vt_mutator m;
    vt_lowering *l;
    const vt_iter *axis;
} dma;

static const vt_expr *chip_address(vt_ctx *ctx, const vt_side *side) {
    const vt_expr *extent = vt_mul(ctx, side->strides[0], side->shape[0]);
    return vt__access(ctx, side->dtype, side->buffer->data, side->offset, extent, 1);
}

static const vt_stmt *store_copy(dma *st, const vt_copy *c) {
    vt_ctx *ctx = st->m.ctx;
    if (c->pad_before)
        vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: a store cannot pad", c->src.buffer->name, c->dst.buffer->name);
    const char *from = vt_buffer_scope(c->src.buffer);
    if (strcmp(from, VT_SCOPE_ACC) != 0)
        vt_raise(ctx, VTA_ILLEGAL,
                 "copy of %s to %s: only the accumulator can be stored, but %s is in %s; set its scope to acc",
                 c->src.buffer->name, c->dst.buffer->name, c->src.buffer->name, from);
    vt__check_compact(st->l, c, &c->src);
    vt_pattern p =
        vt__pattern_2d(st->l, c, &c->dst, "out", vt__elem_scalars(st->l->options->config, VTA_MEM_OUT), true);
    const vt_expr *args[] = {vt__command_handle(ctx),
                             chip_address(ctx, &c->src),
                             vt_i32(ctx, VTA_MEM_OUT),
                             c->dst.buffer->data,
                             p.offset,
                             p.x_size,
                             p.y_size,
                             p.x_stride};
    return vt__task(st->l, st->axis, VTA_STAGE_STORE, vt__extern(ctx, "VTAStoreBuffer2D", 8, args));
}

/* Paddings in y and x: of the first two axes (of five, the second and third, since the first is the batch); the axes
 * inside must have none. */
static void take_padding(dma *st, const vt_copy *c, const vt_expr *out_pads[4]) {
    vt_ctx *ctx = st->m.ctx;
    if (c->ndim <= 2 || c->ndim > 5)
        vt_raise(ctx, VTA_ILLEGAL,
                 "copy of %s to %s: a padded load has three to five loops of more than one step (rows, columns, the "
                 "element), this one has %u",
                 c->src.buffer->name, c->dst.buffer->name, c->ndim);
    uint32_t y = c->ndim == 5 ? 1 : 0;
    for (uint32_t i = y + 2; i < c->ndim; i++)
        if (!vt__is(ctx, c->pad_before[i], 0) || !vt__is(ctx, c->pad_after[i], 0))
            vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: padding of axis %s, which is inside of an element or a row",
                     c->src.buffer->name, c->dst.buffer->name, vt_var_name(c->axes[i]));
    out_pads[0] = c->pad_before[y + 1];
    out_pads[1] = c->pad_before[y];
    out_pads[2] = c->pad_after[y + 1];
    out_pads[3] = c->pad_after[y];
}

static const vt_stmt *load_copy(dma *st, const vt_copy *c) {
    vt_ctx *ctx = st->m.ctx;
    const vta_config *config = st->l->options->config;
    const char *to = vt_buffer_scope(c->dst.buffer);
    vta_memory memory;
    if (!vt__memory_of(to, &memory))
        vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: %s is in %s; set its scope to inp, wgt or acc to load it",
                 c->src.buffer->name, c->dst.buffer->name, c->dst.buffer->name, to);
    const vt_expr *pads[4] = {vt_i32(ctx, 0), vt_i32(ctx, 0), vt_i32(ctx, 0), vt_i32(ctx, 0)};
    if (c->pad_before) take_padding(st, c, pads);
    vt__check_compact(st->l, c, &c->dst);
    vt_pattern p =
        vt__pattern_2d(st->l, c, &c->src, vta_memory_name(memory), vt__elem_scalars(config, memory), !c->pad_before);
    uint32_t width = vta_config_width(config, memory);
    vta_memory type = memory;
    if (c->src.dtype.code != VT_INT || c->src.dtype.bits != width) {
        if (memory != VTA_MEM_ACC || c->src.dtype.code != VT_INT ||
            c->src.dtype.bits != vta_config_width(config, VTA_MEM_ACC_8BIT))
            vt_raise(ctx, VTA_ILLEGAL, "copy of %s to %s: the %s buffer holds int%u, but the source has int%u",
                     c->src.buffer->name, c->dst.buffer->name, vta_memory_name(memory), width, c->src.dtype.bits);
        type = VTA_MEM_ACC_8BIT;
    }
    const vt_expr *args[] = {vt__command_handle(ctx),
                             c->src.buffer->data,
                             p.offset,
                             p.x_size,
                             p.y_size,
                             p.x_stride,
                             pads[0],
                             pads[1],
                             pads[2],
                             pads[3],
                             chip_address(ctx, &c->dst),
                             vt_i32(ctx, type)};
    vta_stage stage = memory == VTA_MEM_ACC ? VTA_STAGE_COMPUTE : VTA_STAGE_LOAD;
    return vt__task(st->l, st->axis, stage, vt__extern(ctx, "VTALoadBuffer2D", 12, args));
}

static const vt_stmt *inject_stmt(vt_mutator *m, const vt_stmt *s) {
    dma *st = (dma *)m;
    if (vt_pragma_is(s, "dma_copy") && st->l->options->mock) return vt_s_nop(m->ctx);
    if (vt_pragma_is(s, "dma_copy")) {
        vt_copy c = vt__match_copy(st->l, s->u.attr.body);
        bool to_dram = strcmp(vt_buffer_scope(c.dst.buffer), "global") == 0;
        bool from_dram = strcmp(vt_buffer_scope(c.src.buffer), "global") == 0;
        if (!to_dram && !from_dram)
            vt_raise(m->ctx, VTA_ILLEGAL, "copy of %s (%s) to %s (%s): a transfer has one side in DRAM",
                     c.src.buffer->name, vt_buffer_scope(c.src.buffer), c.dst.buffer->name,
                     vt_buffer_scope(c.dst.buffer));
        return to_dram ? store_copy(st, &c) : load_copy(st, &c);
    }
    /* Intrinsics may have been declared with an axis of their own; there is one accelerator. */
    s = vt_mutate_stmt_children(m, s);
    bool task = vt_attr_is(s, VT_ATTR_TASK) || vt_attr_is(s, VT_ATTR_UOPS);
    if (!task || s->u.attr.node.kind != VT_REF_ITER || s->u.attr.node.u.iter == st->axis) return s;
    return vt_s_attr(m->ctx, vt_ref_iter(st->axis), s->u.attr.key, s->u.attr.value, s->u.attr.body);
}

static const vt_expr *no_expr(vt_mutator *m, const vt_expr *e) {
    (void)m;
    return e;
}

const vt_func *vt_pass_inject_dma(vt_lowering *l, const vt_func *f) {
    dma st = {.m = {.ctx = l->ctx, .expr = no_expr, .stmt = inject_stmt}, .l = l, .axis = vt__task_axis(l, f)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}

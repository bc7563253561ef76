/* upsample2d: each element again and again, in rows and in columns. The product with the unit matrix is taken once for
 * every place of the result, from inputs that are loaded once. */
#include <stdio.h>

#include "operators/lanes.h"
#include "operators/tiles.h"

#define VALUE(name) (op->values[VT_ATTRIBUTE_upsample2d_##name])

vta_status vt__describe_upsample2d(vtac_op *op, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    int64_t rows = VALUE(scale_h) ? VALUE(scale_h) : VALUE(scale);
    int64_t columns = VALUE(scale_w) ? VALUE(scale_w) : VALUE(scale);
    *s = (vt_op_shape){.n = vt__ceil_div(VALUE(batch), vta_config_batch(op->config)),
                       .h = VALUE(height),
                       .w = VALUE(width),
                       .out_h = VALUE(height) * rows,
                       .out_w = VALUE(width) * columns,
                       .unit_h = rows,
                       .unit_w = columns};
    vt__lanes_describe(op, VALUE(channels), false, s);
    return vt__lanes_check(op, diag);
}

static vt_tile_use use(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t outputs = b->oc * s->out_blocks * b->y * b->x;
    int64_t rows = vt__ceil_div(b->y, s->unit_h), columns = vt__ceil_div(b->x, s->unit_w);
    vt_tile_use u = {.acc = outputs,
                     .inp = b->oc * s->in_blocks * rows * columns,
                     .wgt = s->in_blocks * s->out_blocks,
                     .uops = b->oc * s->out_blocks * s->unit_h * s->unit_w * (s->in_blocks > 1 ? columns : 1),
                     .compute = (double)(outputs * (1 + s->in_blocks)),
                     .instructions = 2};
    u.inp_loads = (double)u.inp;
    u.inp_rows = (double)(b->oc * s->in_blocks * (columns < s->w ? rows : 1));
    vt__tiles_add_epilogue(op, b, &u);
    return u;
}

const vt_op_space vt__space_repeats = VT_TILES(use);

/* Rows and columns that are equal are loops of their own, so that the others have one stride. */
static void write_stage(const vt_op_shape *s, const char *at, vt_strbuf *out) {
    vt_strbuf_addf(out,
                   "stage sums\n  scope acc\n  compute_at res, %s\n  split i by %lld -> i_from, i_again\n"
                   "  split j by %lld -> j_from, j_again\n",
                   at, (long long)s->unit_h, (long long)s->unit_w);
    vt_strbuf_addf(out, "  reorder %sbo, i_from, j_from, i_again, j_again, co, %sbi, ci, ri\n  tensorize bi gemm\n",
                   s->in_blocks > 1 ? "kr, " : "", s->out_blocks > 1 ? "ks, " : "");
}

void vt__write_upsample2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_lanes l = vt__lanes_of(s, s->out_h, s->out_w);
    const char *at = vt__tiles_at(op, b);
    char row[48], column[48];
    snprintf(row, sizeof row, "i // %lld", (long long)s->unit_h);
    snprintf(column, sizeof column, "j // %lld", (long long)s->unit_w);
    vt_strbuf_add(out, "kernel upsample2d\n\n");
    vt__lanes_input(s, "data", out);
    vt__epilogue_inputs(op, l.bias_shape, l.shape, out);
    vt__lanes_unit(s, 1, out);
    vt_strbuf_add(out, "tensor data_buf like data = data[...]\n");
    vt__lanes_product(s, "sums", l.axes, "data", "", row, column, out);
    vt__epilogue_tensors(op, l.axes, l.index, l.bias_index, out);
    vt__tiles_write(op, b, out);
    write_stage(s, at, out);
    vt__lanes_load_stage("data", "inp", at, out);
    vt__lanes_unit_stage(b, out);
    vt__epilogue_stages(op, at, at, out);
}

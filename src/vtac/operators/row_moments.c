/* row_moments: of rows of 16 bits the sums of squares, of each lane of a tile by itself; what layer_norm divides by.
 *
 * The squares of what is left of elements without the mean of their row are summed over blocks by the ALU. Sums over
 * lanes are products with ones, of bytes, and so another operator's: a lane's sum is stored in four bytes, each of
 * which is rounded to the nearest that the lower ones leave: their sum, with their powers of 256, is the sum itself. */
#include "operators/norm.h"

#include <stdio.h>

#define VALUE(name) (op->values[VT_ATTRIBUTE_row_moments_##name])

vta_status vt__describe_row_moments(vtac_op *op, vta_diag *diag) {
    if (op->n_said) return vt_fail(diag, VTA_UNSUPPORTED, "%s: bytes of sums have no epilogue", op->is->name);
    op->narrow = VT_NARROW_wrap;
    return vt__norm_describe(op, VALUE(batch), VALUE(features), 1, diag);
}

/* Half of what is shifted away, of all bytes below, and the amounts. */
static void write_parts(const vt_norm_writing *w) {
    vt_strbuf_addf(w->out,
                   "tensor halves[pa: %d, bi: BATCH, ci: BLOCK_OUT] = acc_t(select(pa == 3, %d, select(pa == 2, %d,\n"
                   "    select(pa == 1, %d, 0))))\ntensor bits[pa: %d, bi: BATCH, ci: BLOCK_OUT] = acc_t(pa * 8)\n"
                   "tensor halves_buf like halves = halves[...]\ntensor bits_buf like bits = bits[...]\n",
                   VT_NORM_PARTS, 0x808080, 0x8080, 0x80, VT_NORM_PARTS);
}

static void write_sums(const vt_norm_writing *w) {
    char form[32];
    vt__norm_write_apart(w);
    vt__norm_write_tile(w, "squares", "%s * apart[bo, co, bi, ci]", "apart", NULL);
    snprintf(form, sizeof form, "%%s >> %d", vt__norm_square_shift(w->op->terms));
    vt__norm_write_tile(w, "small", form, "squares", NULL);
}

void vt__write_row_moments(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    vt_norm_writing w = {.op = op, .blocks = vt__ceil_div(op->terms, vta_config_block_in(op->config)), .out = out};
    char axes[96];
    snprintf(axes, sizeof axes, "bo: %lld, pa: %d, bi: BATCH, ci: BLOCK_OUT", (long long)op->shape.out_h,
             VT_NORM_PARTS);
    vt__norm_write_inputs(&w);
    write_parts(&w);
    write_sums(&w);
    vt_strbuf_addf(out, "tensor lanes[bo: %lld, bi: BATCH, ci: BLOCK_OUT] = sum[ks: %lld](small[bo, ks, bi, ci])\n",
                   (long long)op->shape.out_h, (long long)w.blocks);
    vt_strbuf_addf(out, "tensor rounded[%s] = lanes[bo, bi, ci] + halves_buf[pa, bi, ci]\n", axes);
    vt_strbuf_addf(out, "tensor parts[%s] = rounded[bo, pa, bi, ci] >> bits_buf[pa, bi, ci]\n", axes);
    vt_strbuf_addf(out, "output res[%s] = out_t(parts[bo, pa, bi, ci])\n", axes);
    w.at = vt__norm_write_tiles(b, false, out);
    w.stages = true;
    write_sums(&w);
    vt_strbuf_addf(out,
                   "stage lanes\n  scope acc\n  compute_at res, %s\n  reorder ks, bo, bi, ci\n  pragma 0 alu\nstage "
                   "rounded\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\nstage parts\n  scope acc\n  compute_at "
                   "res, %s\n  pragma 0 alu\n",
                   w.at, w.at, w.at);
    vt_strbuf_addf(out,
                   "stage halves_buf\n  scope acc\n  compute_at res, %s\n  pragma 0 dma_copy\nstage bits_buf\n  scope "
                   "acc\n  compute_at res, %s\n  pragma 0 dma_copy\n",
                   w.at, w.at);
    vt__norm_write_loads(&w, b);
}

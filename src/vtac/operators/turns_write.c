/* The schedule of tiles that take turns as statements of a kernel file. */
#include "operators/turns.h"

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* "[4, 4, 3]", or one size when all are equal. */
static void write_parts(const vt_op_parts *p, vt_strbuf *out) {
    bool equal = true;
    for (uint32_t i = 1; i < p->n; i++) equal &= p->of[i] == p->of[0];
    if (!equal) vt_strbuf_addc(out, '[');
    for (uint32_t i = 0; i < (equal ? 1 : p->n); i++) vt_strbuf_addf(out, "%s%u", i ? ", " : "", (unsigned)p->of[i]);
    if (!equal) vt_strbuf_addc(out, ']');
}

static void write_operand(const char *name, const char *scope, bool keep, int axis, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s\n  scope %s\n", name, scope);
    if (keep)
        vt_strbuf_addf(out, "  compute_at res, 0\n  pragma %d slots = 1\n  pragma %d dma_copy\n", axis, axis + 1);
    else
        vt_strbuf_add(out, "  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
}

void vt__turns_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const char *outer = b->rows_inside ? "oc_out" : "y_out", *inner = b->rows_inside ? "y_out" : "oc_out";
    vt_strbuf_add(out, "\nstage res\n  split 1 by ");
    write_parts(&b->oc_parts, out);
    vt_strbuf_add(out, " -> oc_out, oc_in\n  split 2 by ");
    write_parts(&b->y_parts, out);
    vt_strbuf_addf(out, " -> y_out, y_in\n  reorder 0, %s, %s, oc_in, y_in, 3, 4, 5\n  pragma %s slots = %d\n", outer,
                   inner, inner, VT_TURNS_PLACES);
    vt_strbuf_addf(out, "  pragma oc_in dma_copy\nstage sums\n  scope acc\n  compute_at res, %s\n  split rc by ",
                   inner);
    write_parts(&b->ic_parts, out);
    vt_strbuf_addf(
        out,
        " -> rc_out, rc_in\n  reorder rc_out, bo, i, j, rc_in, dy, dx, co, bi, ci, ri\n  pragma rc_out slots "
        "= %d\n%s  %s\n",
        (int)vt__turns_places(b), b->late_uops ? "  pragma bo late_uops\n" : "",
        b->skip || vt__epilogue_start(op, b) ? "pragma bi conv2d_transpose_gemm" : "tensorize bi gemm");
    write_operand("data_buf", "inp", b->keep_data, 1, out);
    write_operand("weight_buf", "wgt", b->keep_weight, 0, out);
    vt__epilogue_stages(op, "0", inner, out);
    vt__epilogue_gemm_stages(op, b, "bo, co, i, j, bi, ci", inner, out);
}

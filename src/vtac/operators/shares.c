/* batch_matmul with shares: a row of sums is divided by the sum of its data, as the last product of attention wants it,
 * whose data are exponentials that do not sum up to one yet. Nothing has to be divided for each element of the data
 * then, only for each of the result, and data keep all their bits in every row.
 *
 * The machine divides nothing. But a product with ones puts the sum of a row into all lanes, where it is the same as in
 * the sums themselves: what is made of it is an ALU operation for each row. Times 2^10 it is shifted to the right until
 * it has TOTAL_BITS bits, by 8, 4, 2 and 1 where it has so many more, and so are the sums, times 2^4 (never to the
 * left, which not all hardware does by an operand). Of the bits that are left, t, 2^28 / t comes from a line, within 6
 * %, and two steps of Newton's, r * (2 - t * r / 2^28), which leave it some 14 bits. No tables, and no instruction that
 * the original set has not. */
#include "operators/shares.h"

#include <stdio.h>

enum {
    TOTAL_BITS = 15, /* of a sum of data, which are not negative, */
    UP = 10,         /* once it is so many bits larger */
    SUM_UP = 4,      /* the same of the sums: less than 2^7 of those of data, they have 17 bits then */
    HALF_BITS = 14,
    SLOPE = 7710,        /* 2^14 * 8 / 17 / 2^TOTAL_BITS * 2^HALF_BITS: 24 / 17 - 8 / 17 * t is the line that */
    OFFSET = 23130,      /* 2^14 * 24 / 17: is nearest to 1 / t from 1 to 2 */
    TERMS_MAX = 1 << 12, /* so that sums times 2^SUM_UP have 31 bits */
    STEPS = 4,           /* 8, 4, 2, 1 */
    ROW_STEPS = 2 + 5 * STEPS + 4 + 12,
    ROW_TENSORS = 4, /* of them at a time */
};

vta_status vt__shares_check(const vtac_op *op, vta_diag *diag) {
    const vta_config *c = op->config;
    if (vta_config_width(c, VTA_MEM_INP) != 8 || vta_config_width(c, VTA_MEM_WGT) != 8)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "%s: shares: data and weights of 8 bits only; this configuration has %u and %u", op->is->name,
                       vta_config_width(c, VTA_MEM_INP), vta_config_width(c, VTA_MEM_WGT));
    if (op->terms > TERMS_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: shares: longer sums may not fit: in_features is %d at most",
                       op->is->name, TERMS_MAX);
    for (uint32_t i = 0; i < op->n_said; i++)
        if (op->said[i].kind == VT_EPILOGUE_bias_int8)
            return vt_fail(diag, VTA_UNSUPPORTED, "%s: shares: bias_int8 is added to what is divided: use bias",
                           op->is->name);
    return VTA_OK;
}

vt_epilogue_use vt__shares_use(const vtac_op *op, int64_t oc, int64_t tile) {
    int64_t rows = oc ? tile / oc : 0;
    return (vt_epilogue_use){.acc = ROW_TENSORS * rows,
                             .inp = rows,
                             .wgt = 1,
                             .micro_ops = 5 + (2 * ROW_STEPS + op->shape.ic) / op->shape.oc,
                             .instructions = 3 + ROW_STEPS + op->shape.ic};
}

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

/* Rows: "bb: 3, bo: 9, bi: BATCH, ci: BLOCK_OUT" and "bb, bo, bi, ci". `stages`: their stages are written, not they. */
typedef struct writing {
    const char *axes, *index, *at;
    bool stages;
    vt_strbuf *out;
} writing;

/* A tensor of rows; `form` is made of elements of `a` and `b` (NULL: it has a number, or none). */
static void add(const writing *w, const char *name, int k, const char *form, const char *a, const char *b) {
    char left[64], right[64];
    if (w->stages) {
        vt_strbuf_addf(w->out, "stage %s%d\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", name, k, w->at);
        return;
    }
    snprintf(left, sizeof left, "%s[%s]", a, w->index);
    snprintf(right, sizeof right, "%s[%s]", b ? b : "", w->index);
    vt_strbuf_addf(w->out, "tensor %s%d[%s] = ", name, k, w->axes);
    vt_strbuf_addf(w->out, form, left, right);
    vt_strbuf_addc(w->out, '\n');
}

/* The total, shifted to TOTAL_BITS bits (total1), and by how much: amount1. */
static void write_bits(const writing *w) {
    char form[32], total[24] = "total16", amount[24] = "", by[24];
    add(w, "positive", 0, "max(%s, 0)", "total", NULL);
    snprintf(form, sizeof form, "%%s * %d", 1 << UP);
    add(w, "total", 16, form, "positive0", NULL);
    for (int k = 1 << (STEPS - 1); k; k >>= 1) {
        char high[24];
        snprintf(high, sizeof high, "high%d", k);
        snprintf(by, sizeof by, "by%d", k);
        snprintf(form, sizeof form, "%%s >> %d", TOTAL_BITS - 1 + k);
        add(w, "high", k, form, total, NULL);
        add(w, k > 1 ? "some" : "by", k, "min(%s, 1)", high, NULL);
        snprintf(high, sizeof high, "some%d", k);
        snprintf(form, sizeof form, "%%s * %d", k);
        if (k > 1) add(w, "by", k, form, high, NULL);
        add(w, "total", k, "%s >> %s", total, by);
        snprintf(total, sizeof total, "total%d", k);
        if (*amount) add(w, "amount", k, "%s + %s", amount, by);
        snprintf(amount, sizeof amount, *amount ? "amount%d" : "by%d", k);
    }
}

/* 2^28 / t of the total's upper bits: inverse2. */
static void write_inverse(const writing *w) {
    char form[32], inverse[24] = "inverse0", rest[24], error[24];
    snprintf(form, sizeof form, "%%s * %d", -SLOPE);
    add(w, "slope", 0, form, "total1", NULL);
    snprintf(form, sizeof form, "%%s >> %d", HALF_BITS);
    add(w, "slope", 1, form, "slope0", NULL);
    snprintf(form, sizeof form, "%%s + %d", OFFSET);
    add(w, "inverse", 0, form, "slope1", NULL);
    for (int k = 1; k <= 2; k++) {
        snprintf(rest, sizeof rest, "rest%d", k);
        snprintf(error, sizeof error, "error%d", k);
        add(w, "rest", k, "%s * %s", "total1", inverse);
        snprintf(form, sizeof form, "%%s >> %d", HALF_BITS);
        add(w, "error", k, form, rest, NULL);
        add(w, "minus", k, "%s * -1", error, NULL);
        snprintf(error, sizeof error, "minus%d", k);
        add(w, "factor", k, "%s + 32767", error, NULL);
        snprintf(error, sizeof error, "factor%d", k);
        add(w, "product", k, "%s * %s", inverse, error);
        snprintf(rest, sizeof rest, "product%d", k);
        snprintf(inverse, sizeof inverse, "inverse%d", k);
        add(w, "inverse", k, form, rest, NULL);
    }
}

void vt__shares_total(const vtac_op *op, const char *axes, const char *index, const char *data, vt_strbuf *out) {
    long long in = op->shape.ic;
    vt_strbuf_addf(out,
                   "tensor ones[kr: %lld, ci: BLOCK_OUT, ri: BLOCK_IN] = select(kr * BLOCK_IN + ri < %lld, wgt_t(1), "
                   "wgt_t(0))\ntensor ones_buf like ones = ones[...]\ntensor again_buf like data = data[...]\n"
                   "tensor total[%s] =\n    sum[kr: %lld, rj: BLOCK_IN](acc_t(again_buf[%s]) * acc_t(ones_buf[kr, ci, "
                   "rj]))\n",
                   in, (long long)op->terms, axes, in, data);
    const writing w = {.axes = axes, .index = index, .out = out};
    write_bits(&w);
    write_inverse(&w);
}

void vt__shares_sums(const char *axes, const char *index, const char *row_index, vt_strbuf *out) {
    vt_strbuf_addf(out, "tensor larger[%s] = products[%s] * %d\n", axes, index, 1 << SUM_UP);
    vt_strbuf_addf(out, "tensor shifted[%s] = larger[%s] >> amount1[%s]\n", axes, index, row_index);
    vt_strbuf_addf(out, "tensor sums[%s] = shifted[%s] * inverse2[%s]\n", axes, index, row_index);
}

void vt__shares_stages(const char *batch, const char *at, vt_strbuf *out) {
    static const char alu[] = "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n";
    vt_strbuf_addf(out,
                   "stage total\n  scope acc\n  compute_at res, %s\n  reorder kr, %sbo, bi, ci, rj\n  tensorize bi "
                   "gemm\nstage again_buf\n  scope inp\n  compute_at total, kr\n  pragma 0 dma_copy\nstage "
                   "ones_buf\n  scope wgt\n  compute_at total, kr\n  pragma 0 dma_copy\n",
                   at, batch);
    const writing w = {.at = at, .stages = true, .out = out};
    write_bits(&w);
    write_inverse(&w);
    vt_strbuf_addf(out, alu, "larger", at);
    vt_strbuf_addf(out, alu, "shifted", at);
    vt_strbuf_addf(out, alu, "sums", at);
}

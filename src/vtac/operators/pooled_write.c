/* The kernel file of a pooled convolution (pooled.c): its tensors, and their stages. */
#include <stdio.h>
#include <string.h>

#include "operators/pooled.h"
#include "operators/pooled_axes.h"
#include "operators/windows.h"

/* ---- The computation -------------------------------------------------------------------------------------------- */

static const char index_of[] = "bo, co, i, j, bi, ci";

/* "bo: 1, co: 4, i: ROWS, j: COLUMNS, bi: BATCH, ci: BLOCK_OUT" */
static void axes_of(const vt_op_shape *s, int64_t rows, int64_t columns, char out[160]) {
    snprintf(out, 160, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)s->n,
             (long long)s->oc, (long long)rows, (long long)columns);
}

static void write_data(const vt_op_shape *s, const char *name, vt_strbuf *out) {
    vt_pool_padding d = vt__pool_padding(s);
    if (d.top || d.bottom || d.left || d.right)
        vt_strbuf_addf(out, "tensor data_%s = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0])\n", name,
                       (long long)d.top, (long long)d.left, (long long)d.bottom, (long long)d.right);
    else
        vt_strbuf_addf(out, "tensor data_%s like data = data[...]\n", name);
}

/* Rows of sums with one remainder, and of them columns step * (j + from) + rest. */
static void write_sums(const vt_op_shape *s, const char *n, int64_t p, int64_t columns, int64_t step, int64_t from,
                       vt_strbuf *out) {
    char axes[160];
    long long row = (long long)(p * s->stride_h), rows = (long long)(s->pool_stride * s->stride_h);
    axes_of(s, s->pool_h + vt__pool_reach(s, p).high, columns, axes);
    write_data(s, n, out);
    vt_strbuf_addf(out, "tensor rows_%s[%s] =\n    sum[rc%s: %lld, dy%s: %lld, dx%s: %lld, ri%s: BLOCK_IN](", n, axes,
                   n, (long long)s->ic, n, (long long)s->kernel_h, n, (long long)s->kernel_w, n);
    vt_strbuf_addf(out, "\n        acc_t(data_%s[bo, rc%s, i * %lld + %lld + dy%s * %lld, ", n, n, rows, row, n,
                   (long long)s->dilation_h);
    vt_strbuf_addf(out, "j * %lld + %lld + dx%s * %lld, bi, ri%s]) *\n        ", (long long)(step * s->stride_w),
                   (long long)(from * s->stride_w), n, (long long)s->dilation_w, n);
    vt_strbuf_addf(out, "acc_t(weight_buf[rc%s, co, dy%s, dx%s, ci, ri%s]))\n", n, n, n, n);
}

/* "1", and of the first row "1_0": calls `each` with the name of each tensor of sums. */
typedef struct names {
    const vtac_op *op;
    const vt_op_blocks *b;
    vt_strbuf *out;
} names;

static void for_each(const names *of, void (*each)(const names *of, const char *name, int64_t p, int64_t q)) {
    const vt_op_shape *s = &of->op->shape;
    char name[48];
    for (int64_t p = 0; p < s->pool_stride; p++) {
        bool first = p == vt__pool_first_row(s) % s->pool_stride;
        snprintf(name, sizeof name, "%lld", (long long)p);
        if (!first && vt__pool_is_read(s, p)) each(of, name, p, -1);
        for (int64_t q = 0; first && q < s->pool_stride; q++) {
            snprintf(name, sizeof name, "%lld_%lld", (long long)p, (long long)q);
            if (vt__pool_width(s, q) > 0) each(of, name, p, q);
        }
    }
}

static void write_rows(const names *of, const char *name, int64_t p, int64_t q) {
    const vt_op_shape *s = &of->op->shape;
    if (q < 0)
        write_sums(s, name, p, s->out_w, 1, 0, of->out);
    else
        write_sums(s, name, p, vt__pool_width(s, q), s->pool_stride, vt__pool_span(s, q).low * s->pool_stride + q,
                   of->out);
}

/* TO = the larger of FROM and of OTHER at another place, where the tap is inside: chosen by if_then_else for each row,
 * whose number is known, by select for columns. */
static void write_maximum(const char *choice, const char *axes, const char *to, const char *from, const char *other,
                          const char *index, const char *condition, vt_strbuf *out) {
    vt_strbuf_addf(out, "tensor %s[%s] =\n    ", to, axes);
    if (condition[0]) vt_strbuf_addf(out, "%s(%s, ", choice, condition);
    vt_strbuf_addf(out, "max(%s[%s], %s[%s])", from, index_of, other, index);
    if (condition[0]) vt_strbuf_addf(out, ", %s[%s])", from, index_of);
    vt_strbuf_addc(out, '\n');
}

/* Over rows, for the columns with one remainder; the name of the last. */
static void write_over_rows(const vt_op_shape *s, int64_t q, char now[48], vt_strbuf *out) {
    vt_window_axis a = vt__pool_rows(s);
    char axes[160], next[48], other[32], index[96], condition[96];
    int64_t first = vt__pool_first_row(s), from = vt__pool_span(s, q).low * s->pool_stride + q;
    axes_of(s, s->pool_h, vt__pool_width(s, q), axes);
    snprintf(now, 48, "rows_%lld_%lld", (long long)(first % s->pool_stride), (long long)q);
    for (int64_t t = s->pool - 1; t >= 0; t--) { /* a row is kept for the next tile: the oldest is needed last */
        if (t == first || !vt__window_valid(&a, t)) continue;
        snprintf(next, sizeof next, "high_%lld_%lld", (long long)t, (long long)q);
        snprintf(other, sizeof other, "rows_%lld", (long long)(t % s->pool_stride));
        snprintf(index, sizeof index, "bo, co, i + %lld, j * %lld + %lld, bi, ci", (long long)(t / s->pool_stride),
                 (long long)s->pool_stride, (long long)from);
        vt__window_condition(&a, t, "i", condition);
        write_maximum("if_then_else", axes, next, now, other, index, condition, out);
        snprintf(now, 48, "%s", next);
    }
}

/* The column at the tap in its tensor, or any that is inside where the tap is not. */
static void column_at(const vt_op_shape *s, int64_t tap, char out[96]) {
    int64_t q = vt__pool_remainder(s, tap), by = vt__pool_shift(s, tap) - vt__pool_span(s, q).low,
            most = vt__pool_width(s, q) - 1;
    bool below = by<0, above = s->pool_w - 1 + by> most;
    char bounded[64] = "";
    if (below) snprintf(bounded, sizeof bounded, ", 0)");
    snprintf(out, 96, "bo, co, i, %s%sj + %lld%s", below ? "max(" : "", above ? "min(" : "", (long long)by,
             above ? "" : bounded);
    if (above) snprintf(out + strlen(out), 96 - strlen(out), ", %lld)%s", (long long)most, bounded);
    snprintf(out + strlen(out), 96 - strlen(out), ", bi, ci");
}

static int64_t count_valid(const vt_window_axis *a) {
    int64_t n = 0;
    for (int64_t t = 0; t < a->taps; t++) n += vt__window_valid(a, t) > 0;
    return n;
}

/* Over columns, in the tensor of the first tap's; the last is "sums", which one tap alone is a copy of. */
static void write_over_columns(const vt_op_shape *s, char over_rows[][48], vt_strbuf *out) {
    vt_window_axis a = vt__pool_columns(s);
    char axes[160], now[48], next[48], index[96], condition[96];
    int64_t first = vt__pool_first(&a), left = count_valid(&a) - 1;
    axes_of(s, s->pool_h, s->pool_w, axes);
    snprintf(now, sizeof now, "%s", over_rows[vt__pool_remainder(s, first)]);
    if (!left) vt_strbuf_addf(out, "tensor sums[%s] = %s[%s]\n", axes, now, index_of);
    for (int64_t t = 0; t < s->pool; t++) {
        if (t == first || !vt__window_valid(&a, t)) continue;
        snprintf(next, sizeof next, --left ? "wide_%lld" : "sums", (long long)t);
        column_at(s, t, index);
        vt__window_condition(&a, t, "j", condition);
        write_maximum("select", axes, next, now, over_rows[vt__pool_remainder(s, t)], index, condition, out);
        snprintf(now, sizeof now, "%s", next);
    }
}

/* ---- The schedule ----------------------------------------------------------------------------------------------- */

static void write_parts(const vt_op_parts *p, vt_strbuf *out) {
    for (uint32_t i = 0; i < p->n; i++) vt_strbuf_addf(out, "%s%u", i ? ", " : "[", (unsigned)p->of[i]);
    vt_strbuf_addc(out, ']');
}

static void write_row_stage(const names *of, const char *n, int64_t p, int64_t q) {
    vt_strbuf *out = of->out;
    bool few = of->b->oc < 4; /* neighbours must not write one accumulator */
    (void)q;
    vt_strbuf_addf(out, "stage rows_%s\n  scope acc\n  compute_at res, y_out\n  split rc%s by ", n, n);
    write_parts(&of->b->ic_parts, out);
    vt_strbuf_addf(out, " -> rc_out, rc_in\n  reorder 2, rc_out, 0, %src_in, dy%s, dx%s, 1, %s4, 5, ri%s\n",
                   few ? "" : "3, ", n, n, few ? "3, " : "", n);
    if (vt__pool_slides(&of->op->shape, p)) vt_strbuf_add(out, "  pragma 2 sliding = 2\n");
    vt_strbuf_addf(out, "  pragma rc_out slots = 2\n  tensorize 4 gemm\n");
    vt_strbuf_addf(out, "stage data_%s\n  scope inp\n  compute_at rows_%s, rc_out\n  pragma 0 dma_copy\n", n, n);
}

static void write_alu(const char *name, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, y_out\n  pragma 0 alu\n", name);
}

static void write_maxima_stages(const vt_op_shape *s, vt_strbuf *out) {
    vt_window_axis y = vt__pool_rows(s), x = vt__pool_columns(s);
    char name[48];
    for (int64_t q = 0; q < s->pool_stride; q++)
        for (int64_t t = s->pool - 1; t >= 0; t--) {
            snprintf(name, sizeof name, "high_%lld_%lld", (long long)t, (long long)q);
            if (t != vt__pool_first_row(s) && vt__window_valid(&y, t) && vt__pool_width(s, q) > 0) write_alu(name, out);
        }
    int64_t left = count_valid(&x) - 1;
    for (int64_t t = 0; t < s->pool; t++) {
        if (t == vt__pool_first(&x) || !vt__window_valid(&x, t)) continue;
        snprintf(name, sizeof name, "wide_%lld", (long long)t);
        if (--left) write_alu(name, out);
    }
    write_alu("sums", out);
}

static void write_schedule(const names *of) {
    vt_strbuf *out = of->out;
    vt_strbuf_add(out, "\nstage res\n  split 1 by ");
    write_parts(&of->b->oc_parts, out);
    vt_strbuf_add(out,
                  " -> oc_out, oc_in\n  split 2 by 1 -> y_out, y_in\n  reorder 0, oc_out, y_out, oc_in, y_in, 3, 4, "
                  "5\n  pragma y_out slots = 2\n  pragma oc_in dma_copy\n");
    for_each(of, write_row_stage);
    vt_strbuf_add(out,
                  "stage weight_buf\n  scope wgt\n  compute_at res, 0\n  pragma 0 slots = 1\n  pragma 1 dma_copy\n");
    write_maxima_stages(&of->op->shape, out);
}

void vt__pooled_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    const names of = {op, b, out};
    char over_rows[VT_POOL_MAX_STRIDE][48], axes[160];
    for_each(&of, write_rows);
    for (int64_t q = 0; q < s->pool_stride; q++)
        if (vt__pool_width(s, q) > 0) write_over_rows(s, q, over_rows[q], out);
    write_over_columns(s, over_rows, out);
    axes_of(s, s->pool_h, s->pool_w, axes);
    vt__epilogue_tensors(op, axes, index_of, "co, bi, ci", out);
    write_schedule(&of);
    vt__epilogue_stages(op, "0", "y_out", out);
    vt__epilogue_gemm_stages(op, b, index_of, "y_out", out);
}

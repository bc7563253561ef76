/* conv2d with pool: the maximum over windows of sums, before anything else is done to them. What follows then works on
 * the pooled result alone, a quarter of the sums for a stride of 2.
 *
 * A tile is one row of the result and all its columns. The rows of sums that its windows read are sorted by their
 * remainder under the stride: tensors rows_0, rows_1, of which each tap of the window is one at an offset. A remainder
 * whose windows overlap from tile to tile keeps its row for the next tile (pragma sliding). Maxima over rows are taken
 * in place, in a remainder that has one tap only; those over columns in a tensor of their own. */
#include <stdio.h>
#include <string.h>

#include "ops/pooled.h"
#include "ops/windows.h"

enum { MOST_PAD = 15, MOST_STEPS = 2048, MOST_STRIDE = 4, INSTRUCTION = 7, LOAD = 23, STORE = 20 };

/* ---- Sizes ------------------------------------------------------------------------------------------------------ */

static vt_window_axis rows_of(const vt_op_shape *s) {
    return (vt_window_axis){s->out_h, s->pool, s->pool_stride, s->pool_pad, s->pool_h};
}
static vt_window_axis columns_of(const vt_op_shape *s) {
    return (vt_window_axis){s->out_w, s->pool, s->pool_stride, s->pool_pad, s->pool_w};
}

static bool always_inside(const vt_window_axis *a, int64_t tap) { return vt__window_valid(a, tap) == a->outs; }

/* The tap in whose place the maxima over rows are taken: of all outputs, and alone in its remainder; -1: none. */
static int64_t first_row(const vt_op_shape *s) {
    vt_window_axis a = rows_of(s);
    for (int64_t t = 0; t < s->pool && t < s->pool_stride; t++)
        if (t + s->pool_stride >= s->pool && always_inside(&a, t)) return t;
    return -1;
}

static int64_t first_column(const vt_op_shape *s) {
    vt_window_axis a = columns_of(s);
    for (int64_t t = 0; t < s->pool; t++)
        if (always_inside(&a, t)) return t;
    return -1;
}

/* Offsets of the taps of a remainder that are inside for some output: a tile reads the rows from `low` to `high` of it
 * beyond its own; high < low: there is none. */
typedef struct reach {
    int64_t low, high;
} reach;

static reach reach_of(const vt_op_shape *s, int64_t p) {
    vt_window_axis a = rows_of(s);
    reach r = {0, -1};
    for (int64_t t = p; t < s->pool; t += s->pool_stride) {
        if (!vt__window_valid(&a, t)) continue;
        if (r.high < r.low) r.low = t / s->pool_stride;
        r.high = t / s->pool_stride;
    }
    return r;
}

static bool is_read(const vt_op_shape *s, int64_t p) { return reach_of(s, p).high >= reach_of(s, p).low; }
static bool slides(const vt_op_shape *s, int64_t p) { return reach_of(s, p).high > reach_of(s, p).low; }

/* Padding of the data, so that rows of sums outside of the image may be computed, if not used. */
typedef struct padding {
    int64_t top, bottom, left, right;
} padding;

static padding padding_of(const vt_op_shape *s) {
    int64_t last = (s->pool_h - 1) * s->pool_stride + s->pool - 1 - s->pool_pad; /* row of sums */
    int64_t row = last * s->stride_h + (s->kernel_h - 1) * s->dilation_h - s->top;
    int64_t column = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w - s->left;
    return (padding){s->top + s->pool_pad * s->stride_h, row >= s->h ? row - s->h + 1 : 0, s->left,
                     column >= s->w ? column - s->w + 1 : 0};
}

vta_status vt__pooled_describe(vtac_op *op, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    int64_t rows = s->out_h + 2 * s->pool_pad - s->pool, columns = s->out_w + 2 * s->pool_pad - s->pool;
    if (s->pool_pad >= s->pool || rows < 0 || columns < 0)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "conv2d: windows of pool=%lld do not fit its %lld x %lld outputs with pool_pad=%lld",
                       (long long)s->pool, (long long)s->out_h, (long long)s->out_w, (long long)s->pool_pad);
    s->pool_h = rows / s->pool_stride + 1;
    s->pool_w = columns / s->pool_stride + 1;
    padding p = padding_of(s);
    bool far = p.top > MOST_PAD || p.bottom > MOST_PAD || p.left > MOST_PAD || p.right > MOST_PAD;
    if (first_row(s) < 0 || first_column(s) < 0 || s->pool_stride > MOST_STRIDE || far || s->n > 1 ||
        s->in_total != s->ic || op->residuals || op->addends)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "conv2d: pool=%lld with pool_stride=%lld and pool_pad=%lld is not computed behind this "
            "convolution: that takes one block of images, no groups, no residuals, a tap that is inside for "
            "all outputs, and alone among those whose rows differ by multiples of the stride; use max_pool2d",
            (long long)s->pool, (long long)s->pool_stride, (long long)s->pool_pad);
    return VTA_OK;
}

/* ---- Candidates ------------------------------------------------------------------------------------------------- */

typedef struct sizes {
    int64_t acc, inp, wgt, uop, steps;
} sizes;

/* Rows of a remainder that are held: one, or, of those that slide, in two places what the first tile of a group of
 * channels reads of the image. */
static int64_t rows_held(const vt_op_shape *s, int64_t p) {
    reach r = reach_of(s, p);
    int64_t first = 0;
    for (int64_t i = r.low; i <= r.high; i++) first += i * s->pool_stride + p >= s->pool_pad;
    return slides(s, p) ? 2 * first : is_read(s, p);
}

static int64_t acc_of(const vt_op_shape *s, int64_t oc) {
    int64_t rows = 0;
    for (int64_t p = 0; p < s->pool_stride; p++) rows += rows_held(s, p);
    return rows * oc * s->out_w;
}

static int64_t data_columns(const vt_op_shape *s) {
    padding p = padding_of(s);
    return s->w + p.left + p.right;
}

static sizes sizes_of(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t tile = b->oc * s->pool_w, taps = s->kernel_h * s->kernel_w, high = (s->kernel_h - 1) * s->dilation_h + 1;
    int64_t groups = vt__ceil_div(s->oc, b->oc), per_row = vt__ceil_div(s->ic, b->ic);
    vt_epilogue_use use = vt__epilogue_use(op, b->oc, tile), all = vt__epilogue_use(op, s->oc, 0);
    int64_t remainders = 0;
    for (int64_t p = 0; p < s->pool_stride; p++) remainders += is_read(s, p);
    return (sizes){.acc = acc_of(s, b->oc) + 2 * (tile + use.acc) + all.acc,
                   .inp = remainders * 2 * b->ic * high * data_columns(s) + use.inp,
                   .wgt = s->oc * s->ic * taps + all.wgt,
                   .uop = 2 * b->oc * b->ic * taps + 2 * s->pool_w + 64,
                   .steps = groups * s->pool_h * (1 + remainders * per_row)};
}

static bool holds(const vtac_op *op, vta_memory memory, int64_t elements) {
    return elements <= (int64_t)vta_config_depth(op->config, memory);
}

static bool fits(const vtac_op *op, const vt_op_blocks *b) {
    sizes z = sizes_of(op, b);
    return holds(op, VTA_MEM_ACC, z.acc) && holds(op, VTA_MEM_INP, z.inp) && holds(op, VTA_MEM_WGT, z.wgt) &&
           holds(op, VTA_MEM_UOP, z.uop) && z.steps <= MOST_STEPS;
}

/* Cycles of the ALU for a row of the result and a block of channels, without the epilogue; a copy is a reset and a sum.
 */
static double maxima(const vt_op_shape *s, bool with_copy) {
    double rows = 2.0 * (double)(s->pool - 1) * (double)s->out_w;
    return rows + (2.0 * (double)(s->pool - 1) + (with_copy ? 3 : 0)) * (double)s->pool_w;
}

static double passes(const vtac_op *op) { return (double)vt__epilogue_use(op, 1, 1).micro_ops; }

/* A row of the result after the other: the longer of computing and loading. */
static double estimate(const vt_op_cost *c, const vt_op_blocks *b) {
    const vtac_op *op = c->op;
    const vt_op_shape *s = &op->shape;
    double bus = c->profile->bus_bits / 8.0, oc = (double)b->oc, rows = (double)s->pool_stride;
    double chunks = (double)vt__ceil_div(s->ic, b->ic), high = (double)((s->kernel_h - 1) * s->dilation_h + 1);
    double inp = (double)s->w * vta_config_elem_bytes(op->config, VTA_MEM_INP) / bus;
    double load = rows * (double)s->ic * high * (LOAD + inp);
    double products = (double)(s->out_w * s->ic) * (double)(s->kernel_h * s->kernel_w);
    double compute = rows * (oc * (products + (double)s->out_w) + INSTRUCTION * (chunks + 1)) +
                     oc * (maxima(s, true) + passes(op) * (double)s->pool_w) +
                     INSTRUCTION * (double)(2 * s->pool + op->n_epilogue);
    double groups = (double)s->oc / oc, longer = load > compute ? load : compute;
    return groups * (double)s->pool_h * longer + load / chunks + STORE;
}

static void make_parts(int64_t extent, int64_t size, vt_op_parts *out) {
    int64_t n = vt__ceil_div(extent, size);
    out->n = 0;
    for (int64_t i = 0; i < n && i < VT_OP_PARTS; i++) out->of[out->n++] = (uint16_t)(extent / n + (i < extent % n));
}

/* The best alone: what these schedules differ in is how often data are loaded, which the estimate tells. */
uint32_t vt__pooled_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered) {
    const vt_op_shape *s = &cost->op->shape;
    *out_considered = 0;
    memset(out, 0, room * sizeof *out);
    for (int64_t oc = 1; oc <= s->oc; oc++)
        for (int64_t ic = 1; ic <= s->ic; ic++) {
            vt_op_blocks b = {.turns = true, .oc = oc, .y = 1, .x = s->pool_w, .ic = ic, .threads = 1};
            b.rows_inside = b.keep_weight = true;
            if (vt__ceil_div(s->oc, oc) > VT_OP_PARTS || vt__ceil_div(s->ic, ic) > VT_OP_PARTS) continue;
            make_parts(s->oc, oc, &b.oc_parts);
            make_parts(s->ic, ic, &b.ic_parts);
            if (b.oc_parts.of[0] != oc || b.ic_parts.of[0] != ic || !fits(cost->op, &b)) continue;
            b.estimate = estimate(cost, &b);
            if (!(*out_considered)++ || b.estimate < out->estimate) *out = b;
        }
    return *out_considered > 0;
}

uint64_t vt__pooled_bound(const vt_op_cost *cost) {
    const vt_op_shape *s = &cost->op->shape;
    double rows = (double)(s->oc * s->pool_h), sums = (double)(s->oc * s->out_h) * (double)s->out_w;
    return (uint64_t)(vt__cost_products(cost->op) + sums +
                      rows * (maxima(s, false) + passes(cost->op) * (double)s->pool_w));
}

vta_status vt__pooled_nothing_fits(const vtac_op *op, vta_diag *diag) {
    vt_op_blocks one = {.oc = 1, .ic = 1};
    sizes z = sizes_of(op, &one);
    return vt_fail(
        diag, VTA_UNSUPPORTED,
        "conv2d: with pool=%lld a row of the result does not fit the chip: it takes %lld inp elements of %u, "
        "%lld wgt of %u and %lld acc of %u, in %lld steps of %d; use conv2d and max_pool2d",
        (long long)op->shape.pool, (long long)z.inp, (unsigned)vta_config_depth(op->config, VTA_MEM_INP),
        (long long)z.wgt, (unsigned)vta_config_depth(op->config, VTA_MEM_WGT), (long long)z.acc,
        (unsigned)vta_config_depth(op->config, VTA_MEM_ACC), (long long)z.steps, MOST_STEPS);
}

/* ---- The computation -------------------------------------------------------------------------------------------- */

static const char index_of[] = "bo, co, i, j, bi, ci";

/* "bo: 1, co: 4, i: ROWS, j: COLUMNS, bi: BATCH, ci: BLOCK_OUT" */
static void axes_of(const vt_op_shape *s, int64_t rows, int64_t columns, char out[160]) {
    snprintf(out, 160, "bo: %lld, co: %lld, i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT", (long long)s->n,
             (long long)s->oc, (long long)rows, (long long)columns);
}

static void write_data(const vt_op_shape *s, int64_t p, vt_strbuf *out) {
    padding d = padding_of(s);
    if (d.top || d.bottom || d.left || d.right)
        vt_strbuf_addf(out, "tensor data_%lld = pad(data, [0, 0, %lld, %lld, 0, 0], [0, 0, %lld, %lld, 0, 0])\n",
                       (long long)p, (long long)d.top, (long long)d.left, (long long)d.bottom, (long long)d.right);
    else
        vt_strbuf_addf(out, "tensor data_%lld like data = data[...]\n", (long long)p);
}

/* Rows of sums with one remainder. */
static void write_rows(const vt_op_shape *s, int64_t p, vt_strbuf *out) {
    char axes[160];
    long long n = (long long)p, row = (long long)(p * s->stride_h), step = (long long)(s->pool_stride * s->stride_h);
    axes_of(s, s->pool_h + reach_of(s, p).high, s->out_w, axes);
    write_data(s, p, out);
    vt_strbuf_addf(out, "tensor rows_%lld[%s] =\n    sum[rc%lld: %lld, dy%lld: %lld, dx%lld: %lld, ri%lld: BLOCK_IN](",
                   n, axes, n, (long long)s->ic, n, (long long)s->kernel_h, n, (long long)s->kernel_w, n);
    vt_strbuf_addf(
        out,
        "\n        acc_t(data_%lld[bo, rc%lld, i * %lld + %lld + dy%lld * %lld, j * %lld + dx%lld * %lld, bi, "
        "ri%lld]) *\n        ",
        n, n, step, row, n, (long long)s->dilation_h, (long long)s->stride_w, n, (long long)s->dilation_w, n);
    vt_strbuf_addf(out, "acc_t(weight_buf[rc%lld, co, dy%lld, dx%lld, ci, ri%lld]))\n", n, n, n, n);
}

/* "i >= 1 && i < 5": where a tap is inside; empty where it always is. */
static void condition_of(const vt_window_axis *a, int64_t tap, const char *axis, char out[96]) {
    int64_t low = vt__ceil_div(a->before - tap, a->stride), end = (a->size - 1 + a->before - tap) / a->stride + 1;
    bool below = a->before > tap && low > 0, above = end < a->outs;
    out[0] = '\0';
    if (below && above)
        snprintf(out, 96, "%s >= %lld && %s < %lld", axis, (long long)low, axis, (long long)end);
    else if (below)
        snprintf(out, 96, "%s >= %lld", axis, (long long)low);
    else if (above)
        snprintf(out, 96, "%s < %lld", axis, (long long)end);
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

/* Over rows, in the place of the first tap's; the name of the last. */
static void write_over_rows(const vt_op_shape *s, char now[32], vt_strbuf *out) {
    vt_window_axis a = rows_of(s);
    char axes[160], next[32], other[32], index[64], condition[96];
    int64_t first = first_row(s);
    axes_of(s, s->pool_h, s->out_w, axes);
    snprintf(now, 32, "rows_%lld", (long long)(first % s->pool_stride));
    for (int64_t t = s->pool - 1; t >= 0; t--) { /* a row is kept for the next tile: the oldest is needed last */
        if (t == first || !vt__window_valid(&a, t)) continue;
        snprintf(next, sizeof next, "high_%lld", (long long)t);
        snprintf(other, sizeof other, "rows_%lld", (long long)(t % s->pool_stride));
        snprintf(index, sizeof index, "bo, co, i + %lld, j, bi, ci", (long long)(t / s->pool_stride));
        condition_of(&a, t, "i", condition);
        write_maximum("if_then_else", axes, next, now, other, index, condition, out);
        snprintf(now, 32, "%s", next);
    }
}

/* A column at the tap, or any that is inside where the tap is not. */
static void column_at(const vt_op_shape *s, int64_t tap, char out[96]) {
    int64_t offset = tap - s->pool_pad, last = (s->pool_w - 1) * s->pool_stride + offset;
    const char *low = offset < 0 ? "max(" : "", *high = last >= s->out_w ? "min(" : "";
    char plain[48], bounded[64] = "";
    snprintf(plain, sizeof plain, "%s%sj * %lld + %lld", high, low, (long long)s->pool_stride, (long long)offset);
    if (offset < 0) snprintf(bounded, sizeof bounded, ", 0)");
    snprintf(out, 96, "bo, co, i, %s%s", plain, bounded);
    if (last >= s->out_w) snprintf(out + strlen(out), 96 - strlen(out), ", %lld)", (long long)s->out_w - 1);
    snprintf(out + strlen(out), 96 - strlen(out), ", bi, ci");
}

/* Over columns, in a tensor of their own, which begins as a copy; the last is "sums". */
static void write_over_columns(const vt_op_shape *s, const char *from, vt_strbuf *out) {
    vt_window_axis a = columns_of(s);
    char axes[160], now[32], next[32], index[96], condition[96];
    int64_t first = first_column(s), left = 0;
    axes_of(s, s->pool_h, s->pool_w, axes);
    for (int64_t t = 0; t < s->pool; t++) left += t != first && vt__window_valid(&a, t) > 0;
    column_at(s, first, index);
    snprintf(now, sizeof now, left ? "wide_%lld" : "sums", (long long)first);
    vt_strbuf_addf(out, "tensor %s[%s] = %s[%s]\n", now, axes, from, index);
    for (int64_t t = 0; t < s->pool; t++) {
        if (t == first || !vt__window_valid(&a, t)) continue;
        snprintf(next, sizeof next, --left ? "wide_%lld" : "sums", (long long)t);
        column_at(s, t, index);
        condition_of(&a, t, "j", condition);
        write_maximum("select", axes, next, now, from, index, condition, out);
        snprintf(now, sizeof now, "%s", next);
    }
}

/* ---- The schedule ----------------------------------------------------------------------------------------------- */

static void write_parts(const vt_op_parts *p, vt_strbuf *out) {
    for (uint32_t i = 0; i < p->n; i++) vt_strbuf_addf(out, "%s%u", i ? ", " : "[", (unsigned)p->of[i]);
    vt_strbuf_addc(out, ']');
}

static void write_row_stage(const vt_op_shape *s, const vt_op_blocks *b, int64_t p, vt_strbuf *out) {
    long long n = (long long)p;
    bool few = b->oc < 4; /* neighbours must not write one accumulator */
    vt_strbuf_addf(out, "stage rows_%lld\n  scope acc\n  compute_at res, y_out\n  split rc%lld by ", n, n);
    write_parts(&b->ic_parts, out);
    vt_strbuf_addf(out, " -> rc_out, rc_in\n  reorder 2, rc_out, 0, %src_in, dy%lld, dx%lld, 1, %s4, 5, ri%lld\n",
                   few ? "" : "3, ", n, n, few ? "3, " : "", n);
    if (slides(s, p)) vt_strbuf_add(out, "  pragma 2 sliding = 2\n");
    vt_strbuf_addf(out, "  pragma rc_out slots = 2\n  tensorize 4 gemm\n");
    vt_strbuf_addf(out, "stage data_%lld\n  scope inp\n  compute_at rows_%lld, rc_out\n  pragma 0 dma_copy\n", n, n);
}

static void write_alu(const char *form, int64_t tap, vt_strbuf *out) {
    char name[32];
    snprintf(name, sizeof name, form, (long long)tap);
    vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, y_out\n  pragma 0 alu\n", name);
}

static void write_schedule(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_window_axis y = rows_of(s), x = columns_of(s);
    vt_strbuf_add(out, "\nstage res\n  split 1 by ");
    write_parts(&b->oc_parts, out);
    vt_strbuf_add(out,
                  " -> oc_out, oc_in\n  split 2 by 1 -> y_out, y_in\n  reorder 0, oc_out, y_out, oc_in, y_in, 3, 4, "
                  "5\n  pragma y_out slots = 2\n  pragma oc_in dma_copy\n");
    for (int64_t p = 0; p < s->pool_stride; p++)
        if (is_read(s, p)) write_row_stage(s, b, p, out);
    vt_strbuf_add(out,
                  "stage weight_buf\n  scope wgt\n  compute_at res, 0\n  pragma 0 slots = 1\n  pragma 1 dma_copy\n");
    for (int64_t t = s->pool - 1; t >= 0; t--)
        if (t != first_row(s) && vt__window_valid(&y, t)) write_alu("high_%lld", t, out);
    int64_t left = 0, done = 0;
    for (int64_t t = 0; t < s->pool; t++) left += vt__window_valid(&x, t) > 0;
    write_alu(left > 1 ? "wide_%lld" : "sums", first_column(s), out);
    for (int64_t t = 0; t < s->pool; t++)
        if (t != first_column(s) && vt__window_valid(&x, t))
            write_alu(++done + 1 < left ? "wide_%lld" : "sums", t, out);
}

void vt__pooled_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    char last[32], axes[160];
    for (int64_t p = 0; p < s->pool_stride; p++)
        if (is_read(s, p)) write_rows(s, p, out);
    write_over_rows(s, last, out);
    write_over_columns(s, last, out);
    axes_of(s, s->pool_h, s->pool_w, axes);
    vt__epilogue_tensors(op, axes, index_of, "co, bi, ci", out);
    write_schedule(op, b, out);
    vt__epilogue_stages(op, "0", "y_out", out);
    vt__epilogue_gemm_stages(op, b, index_of, "y_out", out);
}

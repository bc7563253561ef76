/* conv2d with pool: the maximum over windows of sums, before anything else is done to them. What follows then works on
 * the pooled result alone, a quarter of the sums for a stride of 2.
 *
 * A tile is one row of the result and all its columns. The rows of sums that its windows read are sorted by their
 * remainder under the stride: tensors rows_0, rows_1, of which each tap of the window is one at an offset. A remainder
 * whose windows overlap from tile to tile keeps its row for the next tile (pragma sliding). Maxima over rows are taken
 * in place, in a remainder that has one tap only. Its columns are sorted in the same way: tensors rows_1_0, rows_1_1,
 * of which one holds one tap only, a column for each of the result. There the maxima over columns are taken, in place
 * too, and from there the result is stored. Data of this row are loaded once for each of these tensors. */
#include "operators/pooled.h"

#include <string.h>

#include "operators/pooled_axes.h"

enum { MAX_PAD = 15, MAX_STEPS = 2048, INSTRUCTION = 7, LOAD = 23, STORE = 20 };

vta_status vt__pooled_describe(vtac_op *op, vta_diag *diag) {
    vt_op_shape *s = &op->shape;
    int64_t rows = s->out_h + 2 * s->pool_pad - s->pool, columns = s->out_w + 2 * s->pool_pad - s->pool;
    vt_window_axis x;
    if (s->pool_pad >= s->pool || rows < 0 || columns < 0)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "conv2d: windows of pool=%lld do not fit its %lld x %lld outputs with pool_pad=%lld",
                       (long long)s->pool, (long long)s->out_h, (long long)s->out_w, (long long)s->pool_pad);
    s->pool_h = rows / s->pool_stride + 1;
    s->pool_w = columns / s->pool_stride + 1;
    x = vt__pool_columns(s);
    vt_pool_padding p = vt__pool_padding(s);
    bool far = p.top > MAX_PAD || p.bottom > MAX_PAD || p.left > MAX_PAD || p.right > MAX_PAD;
    if (vt__pool_first_row(s) < 0 || vt__pool_first(&x) < 0 || s->pool_stride > VT_POOL_MAX_STRIDE || far || s->n > 1 ||
        s->in_total != s->ic || op->residuals || op->addends)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "conv2d: pool=%lld with pool_stride=%lld and pool_pad=%lld is not computed behind this "
                       "convolution: that takes one block of images, no groups, no residuals, a tap that is inside for "
                       "all outputs, and alone among those that differ by multiples of the stride; use max_pool2d",
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
    vt_pool_span r = vt__pool_reach(s, p);
    int64_t first = 0;
    for (int64_t i = r.low; i <= r.high; i++) first += i * s->pool_stride + p >= s->pool_pad;
    return vt__pool_slides(s, p) ? 2 * first : vt__pool_is_read(s, p);
}

static int64_t acc_of(const vt_op_shape *s, int64_t oc) {
    int64_t first = vt__pool_first_row(s) % s->pool_stride, columns = 0;
    for (int64_t p = 0; p < s->pool_stride; p++)
        if (p != first) columns += rows_held(s, p) * s->out_w;
    for (int64_t q = 0; q < s->pool_stride; q++)
        columns += 2 * vt__pool_width(s, q); /* one is stored while the next is made */
    return columns * oc;
}

/* Tensors of sums: those of the first row come by column. */
static int64_t count_tensors(const vt_op_shape *s) {
    int64_t n = -1;
    for (int64_t p = 0; p < s->pool_stride; p++) n += vt__pool_is_read(s, p);
    for (int64_t q = 0; q < s->pool_stride; q++) n += vt__pool_width(s, q) > 0;
    return n;
}

static int64_t data_columns(const vt_op_shape *s) {
    vt_pool_padding p = vt__pool_padding(s);
    return s->w + p.left + p.right;
}

static sizes sizes_of(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t tile = b->oc * s->pool_w, taps = s->kernel_h * s->kernel_w, high = (s->kernel_h - 1) * s->dilation_h + 1;
    int64_t groups = vt__ceil_div(s->oc, b->oc), per_row = vt__ceil_div(s->ic, b->ic);
    vt_epilogue_use use = vt__epilogue_use(op, b->oc, tile), all = vt__epilogue_use(op, s->oc, 0);
    int64_t tensors = count_tensors(s);
    return (sizes){.acc = acc_of(s, b->oc) + 2 * use.acc + all.acc,
                   .inp = tensors * 2 * b->ic * high * data_columns(s) + use.inp,
                   .wgt = s->oc * s->ic * taps + all.wgt,
                   .uop = 2 * b->oc * b->ic * taps + 2 * s->pool_w + 64,
                   .steps = groups * s->pool_h * (1 + tensors * per_row)};
}

static bool holds(const vtac_op *op, vta_memory memory, int64_t elements) {
    return elements <= (int64_t)vta_config_depth(op->config, memory);
}

static bool fits(const vtac_op *op, const vt_op_blocks *b) {
    sizes z = sizes_of(op, b);
    return holds(op, VTA_MEM_ACC, z.acc) && holds(op, VTA_MEM_INP, z.inp) && holds(op, VTA_MEM_WGT, z.wgt) &&
           holds(op, VTA_MEM_UOP, z.uop) && z.steps <= MAX_STEPS;
}

/* Cycles of the ALU for a row of the result and a block of channels, without the epilogue. */
static double maxima(const vt_op_shape *s) { return 2.0 * (double)(s->pool - 1) * (double)(s->out_w + s->pool_w); }

static double passes(const vtac_op *op) { return (double)vt__epilogue_use(op, 1, 1).micro_ops; }

/* A row of the result after the other: the longer of computing and loading. */
static double estimate(const vt_op_cost *c, const vt_op_blocks *b) {
    const vtac_op *op = c->op;
    const vt_op_shape *s = &op->shape;
    double bus = c->profile->bus_bits / 8.0, oc = (double)b->oc, rows = (double)s->pool_stride,
           tensors = (double)count_tensors(s);
    double chunks = (double)vt__ceil_div(s->ic, b->ic), high = (double)((s->kernel_h - 1) * s->dilation_h + 1);
    double inp = (double)s->w * vta_config_elem_bytes(op->config, VTA_MEM_INP) / bus;
    double load = tensors * (double)s->ic * high * (LOAD + inp);
    double products = (double)(s->out_w * s->ic) * (double)(s->kernel_h * s->kernel_w);
    double compute = rows * oc * (products + (double)s->out_w) + tensors * INSTRUCTION * (chunks + 1) +
                     oc * (maxima(s) + passes(op) * (double)s->pool_w) +
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
    return (uint64_t)(vt__cost_products(cost->op) + sums + rows * (maxima(s) + passes(cost->op) * (double)s->pool_w));
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
        (unsigned)vta_config_depth(op->config, VTA_MEM_ACC), (long long)z.steps, MAX_STEPS);
}

/* avg_pool2d and global_avg_pool2d: sums of the elements under each window by GEMM, divided by their number.
 *
 * The quotient is rounded to the nearest integer, halves up: floor((2 sum + count) / (2 count)). The accelerator has no
 * division; it multiplies 2 sum + 1 + 2 floor(count / 2) by 2^bits / (2 count), rounded, and shifts by `bits`. The odd
 * number lies at least 1 / (2 count) from where the quotient changes, which the rounding of the factor does not bridge
 * for windows of up to 180 elements of 8 bits (docs/operators.md). A power of two is added half and shifted. */
#include <stdio.h>

#include "ops/windows.h"

/* ---- Division -------------------------------------------------------------------------------------------------- */

static bool is_power(int64_t x) { return (x & (x - 1)) == 0; }

static int log2_floor(int64_t x) {
    int n = 0;
    while (x >>= 1) n++;
    return n;
}

/* Do windows have different numbers of elements? */
static bool counts_differ(const vtac_op *op) {
    return op->shape.padded && op->is->write == vt__write_avg_pool2d &&
           !op->values[VT_ATTRIBUTE_avg_pool2d_count_include_pad];
}

static int64_t count_of(const vt_op_shape *s) { return s->kernel_h * s->kernel_w; }

/* The product stays within 32 bits; as a constant of an instruction the factor has 15. */
static int bits_of(const vtac_op *op) {
    int most = 31 - (int)vta_config_width(op->config, VTA_MEM_INP);
    int held = counts_differ(op) ? most : 16 + log2_floor(count_of(&op->shape));
    return held < most ? held : most;
}

static bool is_doubled(const vtac_op *op) { return counts_differ(op) || !is_power(count_of(&op->shape)); }

/* Steps that divide the sums, where all windows have one number of elements. */
static vta_status prepend_division(vtac_op *op, vta_diag *diag) {
    char steps[96] = "";
    int64_t count = count_of(&op->shape);
    int bits = bits_of(op);
    if (counts_differ(op)) return VTA_OK;
    if (is_power(count))
        snprintf(steps, sizeof steps, "add:%lld,shift:%d", (long long)count / 2, log2_floor(count));
    else
        snprintf(steps, sizeof steps, "add:%lld,multiply:%lld,shift:%d", (long long)(count / 2 * 2 + 1),
                 (long long)(((INT64_C(1) << bits) + count) / (2 * count)), bits);
    return vt__tiles_prepend(op, steps, diag);
}

static vta_status check_count(const vtac_op *op, vta_diag *diag) {
    enum { COUNT_MOST = 32766 };
    unsigned width = vta_config_width(op->config, VTA_MEM_INP);
    if (width > 16)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "%s: cannot run on the accelerator, because sums of inputs of %u bits do not fit an accumulator; "
            "inputs of 16 bits or fewer do (LOG_INP_WIDTH=4), and the processor can",
            op->is->name, width);
    if (count_of(&op->shape) <= COUNT_MOST) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "%s: cannot run on the accelerator, because a window of %lld elements is more than an instruction's "
                   "constants can divide by (%d); pool in two steps, or on the processor",
                   op->is->name, (long long)count_of(&op->shape), COUNT_MOST);
}

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

vta_status vt__describe_avg_pool2d(vtac_op *op, vta_diag *diag) {
    VT_TRY(vt__windows_describe(op, &op->values[VT_ATTRIBUTE_avg_pool2d_batch], diag));
    VT_TRY(check_count(op, diag));
    return prepend_division(op, diag);
}

vta_status vt__describe_global_avg_pool2d(vtac_op *op, vta_diag *diag) {
    const int64_t *v = &op->values[VT_ATTRIBUTE_global_avg_pool2d_batch];
    int64_t values[] = {v[0], v[1], v[2], v[3], 1, v[2], v[3], 1, 0, 0, 0, -1, -1, -1, -1};
    VT_TRY(vt__windows_describe(op, values, diag));
    VT_TRY(check_count(op, diag));
    return prepend_division(op, diag);
}

/* ---- Cost ------------------------------------------------------------------------------------------------------ */

/* Rows of a window that are on the chip at one time. */
static int64_t rows_at_once(const vt_op_shape *s, const vt_op_blocks *b) { return b->ic ? b->ic : s->kernel_h; }

static vt_tile_use use(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t pixels = b->y * b->x, outputs = b->oc * s->out_blocks * pixels;
    double taps = (double)(s->kernel_h * s->kernel_w * s->in_blocks);
    double chunks = (double)vt__ceil_div(s->kernel_h, rows_at_once(s, b));
    vt_tile_use u = {.acc = outputs, .uops = outputs * (s->in_blocks > 1 ? s->kernel_w : 1)};
    vt__windows_add_load(s, b, &u);
    u.inp_loads *= chunks;
    u.inp_rows *= chunks;
    u.compute = (double)outputs * (1 + taps);
    u.instructions = 1 + (outputs < 3 ? taps : chunks);
    if (counts_differ(op)) {
        u.acc += 2 * pixels;
        u.acc_loads += 2.0 * (double)pixels;
        u.acc_rows += 2.0 * (double)b->y;
        u.compute += 5.0 * (double)outputs;
        u.instructions += 3;
    }
    vt__tiles_add_epilogue(op, b, &u);
    return u;
}

const vt_op_space vt__space_averages = VT_TILES_IN_PARTS(use);

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

/* Taps of the window at i, j that lie in the image, along one axis. */
static void write_count(const vt_window_axis *a, const char *axis, vt_strbuf *out) {
    vt_strbuf_addf(out, "(min(%s * %lld + %lld, %lld) - max(%s * %lld - %lld, 0))", axis, (long long)a->stride,
                   (long long)(a->taps - a->before), (long long)a->size, axis, (long long)a->stride,
                   (long long)a->before);
}

/* For each place in the image what is added and what it is multiplied by; the processor writes them. */
static void write_counts(const vt_op_shape *s, int bits, vt_strbuf *out) {
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    vt_strbuf_addf(out, "tensor count[i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT] = ", (long long)s->out_h,
                   (long long)s->out_w);
    write_count(&y, "i", out);
    vt_strbuf_add(out, " * ");
    write_count(&x, "j", out);
    vt_strbuf_addf(out,
                   "\ntensor half like count = count[...] // 2 * 2 + 1\n"
                   "tensor factor like count = (%lld + count[...]) // (2 * count[...])\n"
                   "tensor half_buf like count = half[...]\ntensor factor_buf like count = factor[...]\n",
                   (long long)(INT64_C(1) << bits));
}

static void write_division(const vtac_op *op, const vt_lanes *l, vt_strbuf *out) {
    vt_strbuf_addf(out, "tensor odd[%s] = total[%s] + half_buf[i, j, bi, ci]\n", l->axes, l->index);
    vt_strbuf_addf(out, "tensor scaled[%s] = odd[%s] * factor_buf[i, j, bi, ci]\n", l->axes, l->index);
    vt_strbuf_addf(out, "tensor sums[%s] = scaled[%s] >> %d\n", l->axes, l->index, bits_of(op));
}

/* Rows of a window that do not come at once are steps of the sum, each with a load of its own. */
static void write_sum_stage(const vt_op_shape *s, const vt_op_blocks *b, const char *name, const char *at,
                            vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n", name, at);
    if (b->ic) vt_strbuf_addf(out, "  split dy by %lld -> dy_out, dy_in\n", (long long)b->ic);
    vt_strbuf_addf(out, "  reorder %s%s, dx, bo, i, j, co, %sbi, ci, ri\n  tensorize bi gemm\n",
                   b->ic ? "dy_out, " : "",
                   s->in_blocks > 1 ? b->ic ? "kr, dy_in" : "kr, dy"
                   : b->ic          ? "dy_in"
                                    : "dy",
                   s->out_blocks > 1 ? "ks, " : "");
    vt_strbuf_addf(out, "stage data_buf\n  scope inp\n  compute_at %s, %s\n  pragma 0 dma_copy\n", b->ic ? name : "res",
                   b->ic ? "dy_out" : at);
}

static void write_division_stages(const char *at, vt_strbuf *out) {
    static const char *const names[] = {"odd", "scaled", "sums"}, *const loads[] = {"half_buf", "factor_buf"};
    for (int i = 0; i < 3; i++)
        vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", names[i], at);
    for (int i = 0; i < 2; i++)
        vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 dma_copy\n", loads[i], at);
}

static void write_average(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_lanes l = vt__lanes_of(s, s->out_h, s->out_w);
    const char *at = vt__tiles_at(op, b), *name = counts_differ(op) ? "total" : "sums";
    char taps[64], row[48], column[48];
    vt_strbuf_addf(out, "kernel %s\n\n", op->is->name);
    vt__lanes_input(s, "data", out);
    vt__epilogue_inputs(op, l.bias_shape, l.shape, out);
    vt__lanes_unit(s, is_doubled(op) ? 2 : 1, out);
    vt__windows_input(s, out);
    if (counts_differ(op)) write_counts(s, bits_of(op), out);
    snprintf(taps, sizeof taps, "dy: %lld, dx: %lld, ", (long long)s->kernel_h, (long long)s->kernel_w);
    snprintf(row, sizeof row, "i * %lld + dy", (long long)s->stride_h);
    snprintf(column, sizeof column, "j * %lld + dx", (long long)s->stride_w);
    vt__lanes_product(s, name, l.axes, "data", taps, row, column, out);
    if (counts_differ(op)) write_division(op, &l, out);
    vt__epilogue_tensors(op, l.axes, l.index, l.bias_index, out);
    vt__tiles_write(op, b, out);
    write_sum_stage(s, b, name, at, out);
    if (counts_differ(op)) write_division_stages(at, out);
    vt__lanes_unit_stage(b, out);
    vt__epilogue_stages(op, at, at, out);
}

void vt__write_avg_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) { write_average(op, b, out); }
void vt__write_global_avg_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    write_average(op, b, out);
}

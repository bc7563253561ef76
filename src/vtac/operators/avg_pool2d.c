/* avg_pool2d and global_avg_pool2d: sums of the elements under each window by GEMM, divided by their number; and
 * sum_pool2d: the sums alone, for the steps of an epilogue.
 *
 * The quotient is rounded to the nearest integer, halves up: floor((2 sum + count) / (2 count)), for every sum. The
 * accelerator has no division; operators/division.c finds constants to multiply and shift by, and shows that they are
 * exact.
 */
#include <stdio.h>
#include <string.h>

#include "operators/windows.h"

/* ---- Division -------------------------------------------------------------------------------------------------- */

/* Do windows have different numbers of elements? */
static bool counts_differ(const vtac_op *op) {
    return op->shape.padded && op->is->write == vt__write_avg_pool2d &&
           !op->values[VT_ATTRIBUTE_avg_pool2d_count_include_pad];
}

static int64_t count_of(const vt_op_shape *s) { return s->kernel_h * s->kernel_w; }
static bool is_doubled(const vtac_op *op) { return op->division.way == VT_DIVIDE_ONCE; }
/* The division is steps in front of those of the epilogue; else it has tensors of its own. */
static bool is_prepended(const vtac_op *op) { return !op->division.tables && op->division.way != VT_DIVIDE_TWICE; }

static vta_status prepend_division(vtac_op *op, vta_diag *diag) {
    const vt_division *d = &op->division;
    int64_t count = count_of(&op->shape);
    vt_op_step steps[3] = {{VT_EPILOGUE_add, 1, {vt__division_half(d, count)}}};
    uint32_t n = 1;
    if (!is_prepended(op)) return VTA_OK;
    if (d->way != VT_DIVIDE_SHIFT) steps[n++] = (vt_op_step){VT_EPILOGUE_multiply, 1, {vt__division_factor(d, count)}};
    steps[n++] = (vt_op_step){VT_EPILOGUE_shift, 1, {d->bits}};
    return vt__tiles_prepend(op, steps, n, diag);
}

/* Elements of windows that lie in the image, along one axis: marks each number that there is. */
static void mark_valid(const vt_window_axis *a, bool valid[256]) {
    for (int64_t out = 0; out < a->outs; out++) {
        int64_t first = out * a->stride - a->before, end = first + a->taps;
        valid[(end < a->size ? end : a->size) - (first > 0 ? first : 0)] = true;
    }
}

/* Every number of elements that a window has. Padding is at most 15 wide on each side: 31 numbers along an axis. */
enum { COUNTS = 31 * 31, COUNT_MAX = 255 * 255 };
static uint32_t different_counts(const vt_op_shape *s, int64_t out[COUNTS]) {
    bool rows[256] = {false}, columns[256] = {false}, seen[COUNT_MAX + 1];
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    uint32_t n = 0;
    memset(seen, 0, sizeof seen);
    mark_valid(&y, rows);
    mark_valid(&x, columns);
    for (int64_t i = 1; i < 256; i++)
        for (int64_t j = 1; j < 256; j++) {
            if (!rows[i] || !columns[j] || seen[i * j] || n == COUNTS) continue;
            seen[i * j] = true;
            out[n++] = i * j;
        }
    return n;
}

static vta_status refuse(const vtac_op *op, const vt_division_counts *counts, int64_t error, vta_diag *diag) {
    unsigned width = vta_config_width(op->config, VTA_MEM_INP);
    int64_t most = 0;
    char off[96] = "they do not fit an instruction, or the products an accumulator";
    for (uint32_t i = 0; i < counts->n; i++)
        if (counts->of[i] > most) most = counts->of[i];
    if (error > 0) snprintf(off, sizeof off, "the average would be off by up to %lld", (long long)error);
    return vt_fail(
        diag, VTA_UNSUPPORTED,
        "%s: cannot run on the accelerator, because no constants of its instructions divide the sum of %lld "
        "elements of %u bits exactly: %s, and 0 is the bound; pool in two steps, in windows of a power of two "
        "elements, or on the host",
        op->is->name, (long long)most, width, off);
}

static vta_status choose_division(vtac_op *op, vta_diag *diag) {
    unsigned width = vta_config_width(op->config, VTA_MEM_INP);
    int64_t of[COUNTS] = {count_of(&op->shape)}, error;
    vt_division_counts counts = {of, 1, true};
    if (width > 16)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "%s: cannot run on the accelerator, because sums of inputs of %u bits do not fit an accumulator; "
            "inputs of 16 bits or fewer do (LOG_INP_WIDTH=4), and the host can",
            op->is->name, width);
    if (counts_differ(op)) counts = (vt_division_counts){of, different_counts(&op->shape, of), false};
    if (of[0] > INT32_MAX || !vt__division_choose(counts, width, &op->division, &error))
        return refuse(op, &counts, of[0] > INT32_MAX ? -1 : error, diag);
    return prepend_division(op, diag);
}

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

vta_status vt__describe_avg_pool2d(vtac_op *op, vta_diag *diag) {
    VT_TRY(vt__windows_describe(op, &op->values[VT_ATTRIBUTE_avg_pool2d_batch], diag));
    return choose_division(op, diag);
}

vta_status vt__describe_global_avg_pool2d(vtac_op *op, vta_diag *diag) {
    const int64_t *v = &op->values[VT_ATTRIBUTE_global_avg_pool2d_batch];
    int64_t values[] = {v[0], v[1], v[2], v[3], 1, v[2], v[3], 1, 0, 0, 0, -1, -1, -1, -1};
    VT_TRY(vt__windows_describe(op, values, diag));
    return choose_division(op, diag);
}

vta_status vt__describe_sum_pool2d(vtac_op *op, vta_diag *diag) {
    return vt__windows_describe(op, &op->values[VT_ATTRIBUTE_sum_pool2d_batch], diag);
}

/* ---- Cost ------------------------------------------------------------------------------------------------------ */

/* Rows of a window that are on the chip at one time. */
static int64_t rows_at_once(const vt_op_shape *s, const vt_op_blocks *b) { return b->ic ? b->ic : s->kernel_h; }

/* What division takes where it is no steps: operations of two tensors take two cycles, copies of one three. */
static void add_division(const vtac_op *op, int64_t pixels, int64_t outputs, double rows, vt_tile_use *u) {
    bool twice = op->division.way == VT_DIVIDE_TWICE, differ = counts_differ(op);
    int64_t tables = !differ ? 0 : twice ? 3 : 2;
    u->acc += tables * pixels + (twice ? 2 * outputs : 0);
    u->acc_loads += (double)(tables * pixels);
    u->acc_rows += (double)tables * rows;
    u->compute += (!twice ? 5.0 : differ ? 20.0 : 16.0) * (double)outputs;
    u->instructions += twice ? 13 : 3;
}

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
    if (!is_prepended(op)) add_division(op, pixels, outputs, (double)b->y, &u);
    vt__tiles_add_epilogue(op, b, &u);
    return u;
}

/* The schedule in words, and how exact the average is. */
static char *report(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                    const vtac_op_result *result) {
    static const char *const ways[] = {"a shift", "one product", "two products"};
    vt_strbuf out;
    char *schedule = vt__tiles_report(op, profile, b, result);
    if (!schedule) return NULL;
    vt_strbuf_init(&out, op->allocator);
    vt_strbuf_addf(
        &out, "%s The average is exact (largest error 0, for every sum of up to %lld elements of %u bits), by %s.",
        schedule, (long long)count_of(&op->shape), vta_config_width(op->config, VTA_MEM_INP), ways[op->division.way]);
    vt_strfree(op->allocator, schedule);
    return vt_strbuf_take(&out);
}

const vt_op_space vt__space_averages = {vt__tiles_candidates,
                                        vt__tiles_nothing_fits,
                                        vt__tiles_admit,
                                        vt__tiles_bound,
                                        report,
                                        .in_parts = true,
                                        .use = use};

const vt_op_space vt__space_sums = {vt__tiles_candidates, vt__tiles_nothing_fits, vt__tiles_admit, vt__tiles_bound,
                                    vt__tiles_report,     .in_parts = true,       .use = use};

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

/* Taps of the window at i, j that lie in the image, along one axis. */
static void write_count(const vt_window_axis *a, const char *axis, vt_strbuf *out) {
    vt_strbuf_addf(out, "(min(%s * %lld + %lld, %lld) - max(%s * %lld - %lld, 0))", axis, (long long)a->stride,
                   (long long)(a->taps - a->before), (long long)a->size, axis, (long long)a->stride,
                   (long long)a->before);
}

/* For each place in the image what is added, what it is multiplied by, and what takes a guess back; the host
 * writes them. */
static void write_counts(const vtac_op *op, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    bool twice = op->division.way == VT_DIVIDE_TWICE;
    long long unit = INT64_C(1) << op->division.bits;
    vt_window_axis y = vt__window_rows(s), x = vt__window_columns(s);
    vt_strbuf_addf(out, "tensor count[i: %lld, j: %lld, bi: BATCH, ci: BLOCK_OUT] = ", (long long)s->out_h,
                   (long long)s->out_w);
    write_count(&y, "i", out);
    vt_strbuf_add(out, " * ");
    write_count(&x, "j", out);
    if (twice)
        vt_strbuf_addf(out,
                       "\ntensor half like count = count[...] // 2\n"
                       "tensor factor like count = (%lld + count[...]) // count[...]\n"
                       "tensor minus like count = 0 - count[...]\ntensor minus_buf like count = minus[...]\n",
                       unit - 1);
    else
        vt_strbuf_addf(out,
                       "\ntensor half like count = count[...] // 2 * 2 + 1\n"
                       "tensor factor like count = (%lld + count[...]) // (2 * count[...])\n",
                       unit);
    vt_strbuf_add(out, "tensor half_buf like count = half[...]\ntensor factor_buf like count = factor[...]\n");
}

/* "half_buf[i, j, bi, ci]", or the number where all windows have one count. */
static const char *operand(char out[64], bool differ, const char *name, int64_t number) {
    if (differ)
        snprintf(out, 64, "%s_buf[i, j, bi, ci]", name);
    else
        snprintf(out, 64, "%lld", (long long)number);
    return out;
}

static void write_step(const vt_lanes *l, const char *name, const char *from, const char *how, const char *with,
                       vt_strbuf *out) {
    vt_strbuf_addf(out, "tensor %s[%s] = %s[%s] %s %s\n", name, l->axes, from, l->index, how, with);
}

static void write_once(const vtac_op *op, const vt_lanes *l, vt_strbuf *out) {
    char bits[16];
    snprintf(bits, sizeof bits, "%d", op->division.bits);
    write_step(l, "odd", "total", "+", "half_buf[i, j, bi, ci]", out);
    write_step(l, "scaled", "odd", "*", "factor_buf[i, j, bi, ci]", out);
    write_step(l, "sums", "scaled", ">>", bits, out);
}

static void write_twice(const vtac_op *op, const vt_lanes *l, vt_strbuf *out) {
    const vt_division *d = &op->division;
    bool differ = counts_differ(op);
    int64_t count = count_of(&op->shape);
    const char *guess = d->below ? "guess" : "whole";
    char text[64], other[64];
    write_step(l, "centred", "total", "+", operand(text, differ, "half", vt__division_half(d, count)), out);
    if (d->before) write_step(l, "high", "centred", ">>", operand(text, false, "", d->before), out);
    write_step(l, "part", d->before ? "high" : "centred", "*",
               operand(text, differ, "factor", vt__division_factor(d, count)), out);
    write_step(l, "whole", "part", ">>", operand(text, false, "", d->bits - d->before), out);
    if (d->below) write_step(l, "guess", "whole", "+", operand(text, false, "", -d->below), out);
    write_step(l, "back", guess, "*", operand(text, differ, "minus", -count), out);
    snprintf(other, sizeof other, "back[%s]", l->index);
    write_step(l, "rest", "centred", "+", other, out);
    write_step(l, "again", "rest", "*", operand(text, differ, "factor", vt__division_factor(d, count)), out);
    write_step(l, "fine", "again", ">>", operand(text, false, "", d->bits), out);
    snprintf(other, sizeof other, "fine[%s]", l->index);
    write_step(l, "sums", guess, "+", other, out);
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

/* A tensor of the division; one whose number is 0 is left out. */
static void write_division_stage(const char *name, bool there, const char *at, vt_strbuf *out) {
    if (there) vt_strbuf_addf(out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", name, at);
}

static void write_division_stages(const vtac_op *op, const char *at, vt_strbuf *out) {
    static const char *const once[] = {"odd", "scaled", "sums"}, *const loads[] = {"half", "factor", "minus"};
    static const char *const twice[] = {"centred", "high", "part",  "whole", "guess",
                                        "back",    "rest", "again", "fine",  "sums"};
    const vt_division *d = &op->division;
    bool is_twice = d->way == VT_DIVIDE_TWICE;
    for (int i = 0; i < 3 && !is_twice; i++) write_division_stage(once[i], true, at, out);
    for (int i = 0; i < 10 && is_twice; i++)
        write_division_stage(twice[i], (i != 1 || d->before) && (i != 4 || d->below), at, out);
    for (int i = 0; counts_differ(op) && i < (is_twice ? 3 : 2); i++) vt__lanes_load_stage(loads[i], "acc", at, out);
}

static void write_average(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_lanes l = vt__lanes_of(s, s->out_h, s->out_w);
    const char *at = vt__tiles_at(op, b), *name = is_prepended(op) ? "sums" : "total";
    char taps[64], row[48], column[48];
    vt_strbuf_addf(out, "kernel %s\n\n", op->is->name);
    vt__lanes_input(s, "data", out);
    vt__epilogue_inputs(op, l.bias_shape, l.shape, out);
    vt__lanes_unit(s, is_doubled(op) ? 2 : 1, out);
    vt__windows_input(s, out);
    if (counts_differ(op)) write_counts(op, out);
    snprintf(taps, sizeof taps, "dy: %lld, dx: %lld, ", (long long)s->kernel_h, (long long)s->kernel_w);
    snprintf(row, sizeof row, "i * %lld + dy", (long long)s->stride_h);
    snprintf(column, sizeof column, "j * %lld + dx", (long long)s->stride_w);
    vt__lanes_product(s, name, l.axes, "data", taps, row, column, out);
    if (!is_prepended(op)) (op->division.way == VT_DIVIDE_TWICE ? write_twice : write_once)(op, &l, out);
    vt__epilogue_tensors(op, l.axes, l.index, l.bias_index, out);
    vt__tiles_write(op, b, out);
    write_sum_stage(s, b, name, at, out);
    if (!is_prepended(op)) write_division_stages(op, at, out);
    vt__lanes_unit_stage(b, out);
    vt__epilogue_stages(op, at, at, out);
}

void vt__write_sum_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) { write_average(op, b, out); }
void vt__write_avg_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) { write_average(op, b, out); }
void vt__write_global_avg_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    write_average(op, b, out);
}

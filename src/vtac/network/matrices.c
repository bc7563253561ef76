/* Products of two tensors, and their matrices on the device: [count, rows / T, columns / BLOCK, T, BLOCK], where T is
 * BATCH in rows and BLOCK in weights. Lanes past the last row or column are zeros. */
#include <inttypes.h>

#include "network/integer.h"

int64_t vt__tile_rows(const vt__net *n, const vt_qtensor *t) {
    return t->form == VT_QFORM_WEIGHTS ? n->block : n->batch;
}

void vt__matrix_tiles(const vt__net *n, const vt_qtensor *t, int64_t out[3]) {
    int64_t rows = vt__tile_rows(n, t);
    out[0] = t->matrices.count;
    out[1] = (t->matrices.rows + rows - 1) / rows;
    out[2] = (t->matrices.columns + n->block - 1) / n->block;
}

int64_t vt__matrix_place(const vt__net *n, const vt_qtensor *t, int64_t i) {
    int64_t d[3], rows = vt__tile_rows(n, t), column = i % t->matrices.columns, row = i / t->matrices.columns;
    int64_t matrix = row / t->matrices.rows;
    row %= t->matrices.rows;
    vt__matrix_tiles(n, t, d);
    return (((matrix * d[1] + row / rows) * d[2] + column / n->block) * rows + row % rows) * n->block +
           column % n->block;
}

/* ---- Side by side ------------------------------------------------------------------------------------------------ */

bool vt__is_image_of(const vt__net *n, const vt_qmatrices *m, const vt_gtype *image) {
    return image->rank == 2 && image->dim[0] == m->rows && image->dim[1] == m->count * m->columns &&
           m->columns % n->block == 0;
}

static bool is_side_by_side(const vt__net *n, const vt_qtensor *matrices, const vt_qtensor *image) {
    return vt__is_image_of(n, &matrices->matrices, &image->type) && !image->form && !image->parts &&
           matrices->form == VT_QFORM_ROWS && !vt__is_wide(image) && !vt__is_wide(matrices);
}

int64_t vt__place_in_image(const vt_qmatrices *m, int64_t i) {
    int64_t column = i % m->columns, row = i / m->columns % m->rows, matrix = i / (m->columns * m->rows);
    return row * m->count * m->columns + matrix * m->columns + column;
}

/* Does the move, to or from matrices, leave every element where it is? */
static bool moves_nothing(const vt__net *n, const vt_qlayer *l, bool to_matrices) {
    const vt_qtensor *x = l->inputs[0], *y = l->output, *of = to_matrices ? y : x;
    if (l->kind != VT_Q_MOVE || !is_side_by_side(n, of, to_matrices ? x : y)) return false;
    for (int64_t i = 0; i < vt_gtype_count(&y->type); i++) {
        int64_t from = to_matrices ? i : l->places[i], to = to_matrices ? l->places[i] : i;
        if (from < 0 || to != vt__place_in_image(&of->matrices, from)) return false;
    }
    return true;
}

static bool reads(const vt_qlayer *l, const vt_qtensor *t) {
    for (uint32_t k = 0; k < l->input_count; k++)
        if (l->inputs[k] == t) return true;
    return false;
}

/* A result whose readers are all such moves; an output of the network has a reader that makes floats of it. */
static bool is_for_images(const vt__net *n, const vt_qtensor *t) {
    uint32_t readers = 0;
    for (uint32_t i = t->by->index + 1; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (!reads(l, t)) continue;
        if (!moves_nothing(n, l, false)) return false;
        readers++;
    }
    return readers > 0;
}

bool vt__lies_beside(const vt__net *n, const vt_qtensor *t) {
    if (n->options->processor_only || n->kept[t->index] || t->form != VT_QFORM_ROWS || !t->by) return false;
    return t->by->kind == VT_Q_MATMUL ? is_for_images(n, t) : moves_nothing(n, t->by, true);
}

/* Operands are made for one product. */
const vt_qlayer *vt__first_reader(const vt__net *n, const vt_qtensor *t) {
    for (uint32_t i = t->by->index + 1; i < n->net->layer_count; i++)
        if (reads(n->net->layers[i], t)) return n->net->layers[i];
    return NULL;
}

bool vt__is_moved_beside(vt__net *n, const vt_qlayer *l) {
    if (l->kind != VT_Q_MOVE) return false;
    if (l->inputs[0]->form) return vt__lies_beside(n, l->inputs[0]);
    if (!vt__lies_beside(n, l->output)) return false;
    const vt_qlayer *product = vt__first_reader(n, l->output);
    if (product && vt__has_operator(n, product)) return true;
    n->kept[l->output->index] = true;
    return false;
}

/* ---- Text of kernels --------------------------------------------------------------------------------------------- */

/* The three outer axes in the order of the tensor: matrices side by side lie behind their rows, keys by columns. */
static const char *outer(vt__integer *w, const vt_qtensor *t, const char *m, const char *row, const char *column) {
    const char *of[3] = {m, row, column};
    if (vt__lies_beside(w->n, t)) of[0] = row, of[1] = m;
    if (vt__lies_by_columns(w->n, t)) of[1] = column, of[2] = row;
    return vt_new_format(w->n->ctx, "%s, %s, %s", of[0], of[1], of[2]);
}

static const char *number(vt__integer *w, int64_t x) { return vt_new_format(w->n->ctx, "%" PRId64, x); }

void vt__matrices_input(vt__integer *w, const char *name, const vt_qtensor *t) {
    int64_t d[3];
    vt__matrix_tiles(w->n, t, d);
    vt_strbuf_addf(w->out, "input %s: int8[%s%s, %" PRId64 ", %" PRId64 "]\n", name, vt__is_wide(t) ? "2, " : "",
                   outer(w, t, number(w, d[0]), number(w, d[1]), number(w, d[2])), vt__tile_rows(w->n, t), w->n->block);
    vt__give_place(w->args, vt__place_of(w->n, t));
}

/* Of tiles of 16 bits `half` is "0, " or "1, ", else "". */
const char *vt__matrices_element(vt__integer *w, const char *name, const vt_qtensor *t, const char *half,
                                 const char *row, const char *column) {
    int64_t rows = vt__tile_rows(w->n, t), b = w->n->block;
    vt_ctx *ctx = w->n->ctx;
    const char *at = outer(w, t, "m", vt_new_format(ctx, "(%s) // %" PRId64, row, rows),
                           vt_new_format(ctx, "(%s) // %" PRId64, column, b));
    return vt_new_format(ctx, "int32(%s[%s%s, (%s) %% %" PRId64 ", (%s) %% %" PRId64 "])", name, half, at, row, rows,
                         column, b);
}

static const char *axes_of(vt__integer *w) {
    int64_t d[3];
    vt__matrix_tiles(w->n, w->l->output, d);
    return vt_new_format(w->n->ctx, "m: %" PRId64 ", ro: %" PRId64 ", co: %" PRId64 ", ri: %" PRId64 ", ci: %" PRId64,
                         d[0], d[1], d[2], vt__tile_rows(w->n, w->l->output), w->n->block);
}

/* Row and column of an element of the result; past the last one the last, so that operands have it. */
const char *vt__matrices_row(vt__integer *w) {
    const vt_qtensor *y = w->l->output;
    return vt_new_format(w->n->ctx, "min(ro * %" PRId64 " + ri, %" PRId64 ")", vt__tile_rows(w->n, y),
                         y->matrices.rows - 1);
}

static const char *column_of(vt__integer *w) {
    return vt_new_format(w->n->ctx, "min(co * %" PRId64 " + ci, %" PRId64 ")", w->n->block,
                         w->l->output->matrices.columns - 1);
}

void vt__matrices_result(vt__integer *w, const char *value) {
    const vt_qtensor *y = w->l->output;
    bool wide = vt__is_wide(y);
    vt_strbuf_addf(w->out,
                   "output y[%s%s] = int8(select(ro * %" PRId64 " + ri < %" PRId64 " && co * %" PRId64
                   " + ci < %" PRId64 ", %s%s, 0))\n",
                   wide ? "half: 2, " : "", axes_of(w), vt__tile_rows(w->n, y), y->matrices.rows, w->n->block,
                   y->matrices.columns, value, wide ? " >> half * 8" : "");
    vt__give_place(w->args, vt__place_of(w->n, y));
}

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

/* A row that all rows are. */
static void quantize_row(vt__integer *w) {
    vt_strbuf_addf(w->out, "input x: float32[%" PRId64 "]\n", w->l->output->matrices.columns);
    vt__give_place(w->args, vt__place_of(w->n, w->l->inputs[0]));
    vt__integer_scale(w, 1 / w->l->output->scale);
    vt__matrices_result(
        w, vt_new_format(w->n->ctx, "int32(min(max(nearbyint(x[%s] * scale[0]), -128.0), 127.0))", column_of(w)));
}

void vt__matrices_quantize(vt__integer *w) {
    const vt_qmatrices *m = &w->l->output->matrices;
    bool transposed = w->l->transposed;
    if (w->l->repeated) {
        quantize_row(w);
        return;
    }
    vt_strbuf_addf(w->out, "input x: float32[%" PRId64 ", %" PRId64 ", %" PRId64 "]\n", m->count,
                   transposed ? m->columns : m->rows, transposed ? m->rows : m->columns);
    vt__give_place(w->args, vt__place_of(w->n, w->l->inputs[0]));
    vt__integer_scale(w, 1 / w->l->output->scale);
    vt__matrices_result(w,
                        vt_new_format(w->n->ctx, "int32(min(max(nearbyint(x[m, %s, %s] * scale[0]), -128.0), 127.0))",
                                      transposed ? column_of(w) : vt__matrices_row(w),
                                      transposed ? vt__matrices_row(w) : column_of(w)));
}

void vt__matrices_dequantize(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    const vt_qmatrices *m = &x->matrices;
    bool wide = vt__is_wide(x);
    const char *integer = vt__matrices_element(w, "x", x, wide ? "1, " : "", "i", "j");
    if (wide)
        integer = vt_new_format(w->n->ctx, "(%s * 256 + (%s & 255))", integer,
                                vt__matrices_element(w, "x", x, "0, ", "i", "j"));
    vt__matrices_input(w, "x", x);
    vt__integer_scale(w, x->scale);
    vt_strbuf_addf(w->out, "output y[m: %" PRId64 ", i: %" PRId64 ", j: %" PRId64 "] = float32(%s) * scale[0]\n",
                   m->count, m->rows, m->columns, integer);
    vt__give_place(w->args, vt__place_of(w->n, w->l->output));
}

void vt__integer_matmul(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0], *f = w->l->inputs[1];
    const char *sum = "all[m, ro, co, ri, ci]";
    vt__matrices_input(w, "x", x);
    vt__matrices_input(w, "f", f);
    for (uint32_t i = 0; i < w->l->step_count; i++)
        if (w->l->steps[i].tensor)
            vt__matrices_input(w, vt_new_format(w->n->ctx, "s%" PRIu32, i), w->l->steps[i].tensor);
    vt_strbuf_addf(w->out, "tensor all[%s] = sum[rc: %" PRId64 "](%s * %s)\n", axes_of(w), x->matrices.columns,
                   vt__matrices_element(w, "x", x, "", vt__matrices_row(w), "rc"),
                   vt__matrices_element(w, "f", f, "", column_of(w), "rc"));
    if (w->l->shares) {
        vt__shares_rows(w);
        sum = vt__shares_divided(w, sum);
    }
    vt__matrices_result(w, vt__integer_finished(w, sum));
    vt_strbuf_addf(w->out, "stage all\n  compute_at y, %d\n", vt__is_wide(w->l->output) ? 5 : 4);
}

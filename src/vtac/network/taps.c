/* Windows that a load of the accelerator cannot pad, or whose taps are too far apart for its buffers.
 *
 * A tap that falls on padding for every output is left out: of a 3 x 3 kernel with 36 rows between its taps, only the
 * one in the middle sees an image of 33 rows. What is still beyond the accelerator has its taps gathered by the
 * host: the inputs of an output, row by row of the window, next to each other and apart from those of the other
 * outputs. Then the window's stride is its size, and nothing is between taps or around the image. */
#include <inttypes.h>
#include <string.h>

#include "base/arena_text.h"
#include "network/priv.h"

/* Does the tap read the image for any output? */
static bool sees(const vt_qwindow *w, int axis, int64_t tap, int64_t in, int64_t out) {
    int64_t at = tap * w->dilations[axis] - w->pads[axis], stride = w->strides[axis];
    int64_t first = at < 0 ? (stride - 1 - at) / stride : 0;
    return first < out && at + first * stride < in;
}

/* Less padding takes their room, so that the outputs stay where they are; none can be less than nothing. */
static void drop(vt_qwindow *w, int axis, int64_t in, int64_t out, int64_t *out_first) {
    int64_t apart = w->dilations[axis];
    for (*out_first = 0; w->kernel[axis] > 1 && w->pads[axis] >= apart && !sees(w, axis, 0, in, out); ++*out_first) {
        w->kernel[axis]--;
        w->pads[axis] -= apart;
    }
    while (w->kernel[axis] > 1 && w->pads[2 + axis] >= apart && !sees(w, axis, w->kernel[axis] - 1, in, out)) {
        w->kernel[axis]--;
        w->pads[2 + axis] -= apart;
    }
    if (w->kernel[axis] == 1) w->dilations[axis] = 1;
}

vt_qwindow vt__seen_window(const vt_qlayer *l, int64_t out_first[2]) {
    int64_t in[4], to[4];
    vt_qwindow w = l->window;
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    for (int axis = 0; axis < 2; axis++) drop(&w, axis, in[2 + axis], to[2 + axis], &out_first[axis]);
    return w;
}

const int8_t *vt__seen_weights(const vt__net *n, const vt_qlayer *l) {
    int64_t first[2], rows = l->window.kernel[0], columns = l->window.kernel[1];
    vt_qwindow w = vt__seen_window(l, first);
    if (w.kernel[0] == rows && w.kernel[1] == columns) return l->weight;
    int64_t kernels = vt_gtype_count(&l->weight_type) / (rows * columns);
    int8_t *seen = vt_new_bytes(n->ctx, (size_t)(kernels * w.kernel[0] * w.kernel[1])), *to = seen;
    for (int64_t k = 0; k < kernels; k++)
        for (int64_t y = 0; y < w.kernel[0]; y++, to += w.kernel[1])
            memcpy(to, l->weight + (k * rows + first[0] + y) * columns + first[1], (size_t)w.kernel[1]);
    return seen;
}

/* ---- Gathered taps ----------------------------------------------------------------------------------------------- */

/* Of the last output's last tap, behind the image. */
static int64_t behind(const vt_qwindow *w, int axis, int64_t in, int64_t out) {
    return (out - 1) * w->strides[axis] + (w->kernel[axis] - 1) * w->dilations[axis] - w->pads[axis] - in + 1;
}

bool vt__is_far(const vt_qlayer *l) {
    enum { PAD_MAX = 15 }; /* the fields of a load have 4 bits in every configuration */
    int64_t in[4], to[4], first[2];
    vt_qwindow w = vt__seen_window(l, first);
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    if ((l->kind == VT_Q_MAX_POOL || l->kind == VT_Q_SUM_POOL) && (w.dilations[0] != 1 || w.dilations[1] != 1))
        return true;
    for (int axis = 0; axis < 2; axis++)
        if (w.pads[axis] > PAD_MAX || behind(&w, axis, in[2 + axis], to[2 + axis]) > PAD_MAX) return true;
    return false;
}

/* Extents of the gathered taps: images, blocks of channels, and rows and columns as outputs x taps. */
static void gathered(const vt__net *n, const vt_qlayer *l, const vt_qwindow *w, int64_t d[6]) {
    int64_t in[4], to[4];
    vt__tiles(n, &l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    memcpy(d, (int64_t[6]){in[0], in[1], to[2], w->kernel[0], to[3], w->kernel[1]}, 6 * sizeof *d);
}

/* False where a number would be too large to count. */
static bool count_bytes(const vt__net *n, const int64_t d[6], int64_t *out) {
    *out = n->batch * n->block;
    for (int i = 0; i < 6; i++)
        if (__builtin_mul_overflow(*out, d[i], out)) return false;
    return true;
}

bool vt__may_gather(const vt__net *n, const vt_qlayer *l) {
    enum { BYTES_MAX = 128 << 20 }; /* boards have few hundreds of them for all */
    int64_t d[6], bytes, first[2];
    if (l->kind != VT_Q_CONV && l->kind != VT_Q_SUM_POOL && l->kind != VT_Q_MAX_POOL) return false;
    if (vt__is_wide(l->inputs[0]) || vt__is_wide(l->output) || (l->kind == VT_Q_CONV && vt__is_folded(n, l)))
        return false;
    vt_qwindow w = vt__seen_window(l, first);
    gathered(n, l, &w, d);
    return count_bytes(n, d, &bytes) && bytes <= BYTES_MAX;
}

vt_qwindow vt__gathered_window(const vt_qwindow *seen) {
    return (vt_qwindow){{seen->kernel[0], seen->kernel[1]}, {seen->kernel[0], seen->kernel[1]}, {1, 1}, {0}};
}

static const char *place(const vt__net *n, const vt_qwindow *w, int axis) {
    return vt_new_format(n->ctx, "(%c * %" PRId64 " + d%c * %" PRId64 " - %" PRId64 ")", axis ? 'j' : 'i',
                         w->strides[axis], axis ? 'x' : 'y', w->dilations[axis], w->pads[axis]);
}

/* A kernel file. Only tiles are moved: lanes and images past the last stay what they are in the input. */
static const char *write_gather(const vt__net *n, const vt_qlayer *l, const vt_qwindow *w, const int64_t d[6]) {
    int64_t in[4];
    const char *row = place(n, w, 0), *column = place(n, w, 1);
    vt__tiles(n, &l->inputs[0]->type, in);
    return vt_new_format(
        n->ctx,
        "kernel taps\ntarget llvm\ninput x: int8[%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
        ", %" PRId64 "]\noutput y[bo: %" PRId64 ", co: %" PRId64 ", i: %" PRId64 ", dy: %" PRId64 ", j: %" PRId64
        ", dx: %" PRId64 ", bi: %" PRId64 ", ci: %" PRId64 "] =\n    if_then_else(%s >= 0 && %s < %" PRId64
        " && %s >= 0 && %s < %" PRId64 ", x[bo, co, %s, %s, bi, ci], int8(%d))\nstage y\n  vectorize ci\n",
        in[0], in[1], in[2], in[3], n->batch, n->block, d[0], d[1], d[2], d[3], d[4], d[5], n->batch, n->block, row,
        row, in[2], column, column, in[3], row, column, l->kind == VT_Q_MAX_POOL ? INT8_MIN : 0);
}

uint32_t vt__gathered_input(vt__net *n, const vt_qlayer *l) {
    int64_t d[6], bytes, first[2];
    vt__args args = {.count = 0};
    uint32_t buffer;
    vt_qwindow w = vt__seen_window(l, first);
    gathered(n, l, &w, d);
    count_bytes(n, d, &bytes);
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, l->name, (uint64_t)bytes, n->ctx->diag, &buffer));
    vt__give_place(&args, vt__place_of(n, l->inputs[0]));
    vt__give(&args, buffer);
    const char *text = write_gather(n, l, &w, d);
    vt__call_kernel(n, l, vt__kernel_of(n, l, text), &args);
    return buffer;
}

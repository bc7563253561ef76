/* Convolutions and pools: windows over images, with the padding worked out. */
#include <string.h>

#include "frontend/onnx/window.h"

enum { LARGEST = 1 << 24 };

static void copy_list(const vt_onnx_node *n, const char *name, uint32_t count, int64_t least, int64_t *to) {
    vt_onnx_ints list = vt__onnx_ints_of(n, name);
    if (list.given && list.count != count)
        vt__onnx_wrong(n, "%s has %u entries, expected %u", name, (unsigned)list.count, (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = list.given ? list.item[i] : least;
        if (to[i] < least || to[i] > LARGEST) vt__onnx_wrong(n, "%s has %lld", name, (long long)to[i]);
    }
}

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* SAME: as many outputs as there are strides in the input. */
static void same_pads(const vt_onnx_node *n, vt_onnx_window *w, const vt_gtype *x, bool upper) {
    (void)n;
    for (uint32_t i = 0; i < w->spatial; i++) {
        int64_t in = x->dim[2 + i], out = (in + w->strides[i] - 1) / w->strides[i];
        int64_t all = (out - 1) * w->strides[i] + (w->kernel[i] - 1) * w->dilations[i] + 1 - in;
        if (all < 0) all = 0;
        w->pads[i] = upper ? all / 2 : all - all / 2;
        w->pads[w->spatial + i] = all - w->pads[i];
    }
}

/* `kernel`: the weights' extents; NULL: kernel_shape says it. */
static vt_onnx_window window_of(const vt_onnx_node *n, const vt_gtype *x, const int64_t *kernel) {
    vt_onnx_window w = {.spatial = x->rank > 2 ? x->rank - 2 : 0};
    const char *how = vt__onnx_string(n, "auto_pad", "NOTSET");
    if (w.spatial < 1 || w.spatial > 3)
        vt__onnx_unsupported(n, "windows over %u axes; over one to three they are supported", (unsigned)w.spatial);
    if (!kernel && !vt__onnx_has(n, "kernel_shape")) vt__onnx_wrong(n, "kernel_shape is missing");
    copy_list(n, "kernel_shape", w.spatial, 1, w.kernel);
    for (uint32_t i = 0; kernel && i < w.spatial; i++) {
        if (vt__onnx_has(n, "kernel_shape") && w.kernel[i] != kernel[i])
            vt__onnx_wrong(n, "kernel_shape has %lld, the weights %lld", (long long)w.kernel[i], (long long)kernel[i]);
        w.kernel[i] = kernel[i];
    }
    copy_list(n, "strides", w.spatial, 1, w.strides);
    copy_list(n, "dilations", w.spatial, 1, w.dilations);
    if (is(how, "NOTSET")) copy_list(n, "pads", 2 * w.spatial, 0, w.pads);
    if (is(how, "SAME_UPPER") || is(how, "SAME_LOWER")) same_pads(n, &w, x, is(how, "SAME_UPPER"));
    return w;
}

/* Weights: input 1, or 3 of a quantized one. */
vt_gvalue *vt__mk_conv(const vt_onnx_node *n, vt_gop op, size_t inputs) {
    vt_gvalue *in[9] = {NULL};
    vt_gvalue *x = vt__onnx_need(n, 0), *k = vt__onnx_need(n, op == VT_G_QLINEAR_CONV ? 3 : 1);
    if (inputs > 9) vt__onnx_wrong(n, "%zu inputs", inputs);
    for (size_t i = 0; i < inputs; i++) in[i] = vt__onnx_in(n, i);
    if (k->type.rank != x->type.rank) vt__onnx_wrong(n, "input and weights have not as many axes");
    vt_onnx_window w = window_of(n, &x->type, &k->type.dim[2]);
    int64_t group = vt__onnx_int(n, "group", 1);
    if (w.spatial == 3 && op != VT_G_CONV) vt__onnx_unsupported(n, "quantized windows over 3 axes");
    if (w.spatial == 3) return vt__mk_volume_conv(n, in, &w, group);
    return vt__onnx_make(n, op, (uint32_t)inputs, in,
                         VT_ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(w), VT_GSET_INT(GROUP, group)));
}

void vt__onnx_conv(const vt_onnx_node *n) {
    vt__onnx_out(n, 0, vt__mk_conv(n, vt_gop_find(n->p->op_type), n->p->n_input));
}

/* The extent of an output without padding. */
static int64_t full_extent(const vt_onnx_window *w, const vt_gtype *x, uint32_t i, int64_t more) {
    return w->strides[i] * (x->dim[2 + i] - 1) + more + (w->kernel[i] - 1) * w->dilations[i] + 1;
}

/* Padding that gives the output shape that was asked for. */
static void pads_for_shape(const vt_onnx_node *n, vt_onnx_window *w, const vt_gtype *x, const int64_t *more) {
    const char *how = vt__onnx_string(n, "auto_pad", "NOTSET");
    vt_onnx_ints shape = vt__onnx_ints_of(n, "output_shape");
    bool same = is(how, "SAME_UPPER") || is(how, "SAME_LOWER");
    if (!shape.given && !same) return;
    if (shape.given && shape.count != w->spatial)
        vt__onnx_wrong(n, "output_shape has %u entries", (unsigned)shape.count);
    for (uint32_t i = 0; i < w->spatial; i++) {
        int64_t wanted = shape.given ? shape.item[i] : x->dim[2 + i] * w->strides[i];
        int64_t full = full_extent(w, x, i, more[i]), all = full - (wanted < 0 ? 0 : wanted);
        if (all < 0 || wanted < 1)
            vt__onnx_unsupported(n, "an output of %lld needs negative padding", (long long)wanted);
        w->pads[i] = is(how, "SAME_UPPER") ? all / 2 : all - all / 2;
        w->pads[w->spatial + i] = all - w->pads[i];
    }
}

void vt__onnx_conv_transpose(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *k = vt__onnx_need(n, 1), *in[] = {x, k, vt__onnx_in(n, 2)};
    int64_t more[SPATIAL];
    if (k->type.rank != x->type.rank) vt__onnx_wrong(n, "input and weights have not as many axes");
    vt_onnx_window w = window_of(n, &x->type, &k->type.dim[2]);
    copy_list(n, "output_padding", w.spatial, 0, more);
    pads_for_shape(n, &w, &x->type, more);
    int64_t group = vt__onnx_int(n, "group", 1);
    if (w.spatial == 3)
        vt__onnx_out(n, 0, vt__mk_volume_conv_transpose(n, in, &w, more, group));
    else
        vt__onnx_out(n, 0,
                     vt__onnx_make(n, VT_G_CONV_TRANSPOSE, 3, in,
                                   VT_ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(w), VT_GSET_INTS(OUTPUT_PADS, w.spatial, more),
                                                      VT_GSET_INT(GROUP, group))));
}

/* ---- Pools ---- */

/* ceil_mode: a window that begins inside of the input, or of its padding before it, may end beyond: that is padding
 * more, of which `out_more` says how much. */
static bool ceil_pads(const vt_onnx_node *n, vt_onnx_window *w, const vt_gtype *x, int64_t *out_more) {
    bool any = false;
    for (uint32_t i = 0; i < w->spatial; i++) {
        int64_t all = x->dim[2 + i] + w->pads[i] + w->pads[w->spatial + i];
        int64_t over = all - ((w->kernel[i] - 1) * w->dilations[i] + 1), rest = over < 0 ? 0 : over % w->strides[i];
        out_more[i] = 0;
        if (!rest || !vt__onnx_int(n, "ceil_mode", 0)) continue;
        if (over - rest + w->strides[i] >= x->dim[2 + i] + w->pads[i]) continue;
        out_more[i] = w->strides[i] - rest;
        w->pads[w->spatial + i] += out_more[i];
        any = true;
    }
    return any;
}

/* Of a kernel from `begin` on, how many taps are before `end`: at least 1. */
static int64_t taps_before(int64_t begin, int64_t end, int64_t kernel, int64_t dilation) {
    int64_t inside = end > begin ? (end - begin - 1) / dilation + 1 : 0;
    return inside < 1 ? 1 : inside < kernel ? inside : kernel;
}

/* Means over whole kernels as means over their part inside of the input and its padding, without what ceil_mode
 * added: so they are from operator set 19 on. */
static vt_gvalue *without_more(const vt_onnx_node *n, vt_gvalue *y, const vt_onnx_window *w, const vt_gtype *x,
                               const int64_t *more) {
    for (uint32_t i = 0; i < w->spatial; i++) {
        int64_t dims[VT_MAX_RANK], count = y->type.dim[2 + i],
                                   end = w->pads[i] + x->dim[2 + i] + w->pads[w->spatial + i] - more[i];
        float *share;
        if (!more[i]) continue;
        for (uint32_t k = 0; k < y->type.rank; k++) dims[k] = k == 2 + i ? count : 1;
        vt_gvalue *shares = vt__mk_room(n, VT_ELEMENT_F32, y->type.rank, dims, &share);
        for (int64_t o = 0; o < count; o++)
            share[o] = (float)w->kernel[i] / (float)taps_before(o * w->strides[i], end, w->kernel[i], w->dilations[i]);
        y = vt__mk_two(n, VT_G_MUL, y, shares);
    }
    return y;
}

static vt_gvalue *plain_pool(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, const vt_onnx_window *w, bool all) {
    const vt_gattr set[] = {VT_GSET_INTS(KERNEL, w->spatial, w->kernel), WINDOW_ATTRIBUTES(*w),
                            VT_GSET_INT(COUNT_PADS, all)};
    if (w->spatial == 3) return vt__mk_volume_pool(n, op, x, w, all);
    return vt__onnx_make(n, op, 1, &x, op == VT_G_AVERAGE_POOL ? 5 : 4, set);
}

/* The sum of LpPool is a mean over whole kernels, zeros in the padding. */
vt_gvalue *vt__onnx_pool_of(const vt_onnx_node *n, vt_gop op, vt_gvalue *x) {
    vt_onnx_window w = window_of(n, &x->type, NULL);
    int64_t more[SPATIAL] = {0};
    const char *how = vt__onnx_string(n, "auto_pad", "NOTSET");
    bool sum = is(n->p->op_type, "LpPool"), all = sum || vt__onnx_int(n, "count_include_pad", 0);
    bool beyond = (is(how, "NOTSET") || is(how, "VALID")) && ceil_pads(n, &w, &x->type, more);
    vt_gvalue *y = plain_pool(n, op, x, &w, all);
    bool less = beyond && all && !sum && n->r->opset >= 19 && op == VT_G_AVERAGE_POOL;
    return less ? without_more(n, y, &w, &x->type, more) : y;
}

/* All axes after the channels are one, or two. */
vt_gvalue *vt__onnx_global_pool_of(const vt_onnx_node *n, vt_gop op, vt_gvalue *x) {
    const int64_t ones[] = {1, 1}, zeros[] = {0, 0, 0, 0};
    const vt_gtype t = x->type;
    uint32_t spatial = t.rank > 2 ? t.rank - 2 : 0;
    int64_t result[VT_MAX_RANK];
    if (spatial < 1) vt__onnx_wrong(n, "the input has %u axes; at least 3 are expected", (unsigned)t.rank);
    if (spatial > 2)
        x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){t.dim[0], t.dim[1], t.dim[2], vt_gtype_span(&t, 3, t.rank)});
    const vt_gattr set[] = {
        VT_GSET_INTS(KERNEL, x->type.rank - 2, &x->type.dim[2]), VT_GSET_INTS(STRIDES, x->type.rank - 2, ones),
        VT_GSET_INTS(PADS, 2 * (x->type.rank - 2), zeros), VT_GSET_INTS(DILATIONS, x->type.rank - 2, ones)};
    x = vt__onnx_make(n, op, 1, &x, 4, set);
    for (uint32_t i = 0; i < t.rank; i++) result[i] = i < 2 ? t.dim[i] : 1;
    return spatial > 2 ? vt__onnx_reshape_to(n, x, t.rank, result) : x;
}

void vt__onnx_pool(const vt_onnx_node *n) {
    if (vt__onnx_is_read(n, 1)) vt__onnx_unsupported(n, "its second output, the indices, is used");
    vt__onnx_out(n, 0, vt__onnx_pool_of(n, vt_gop_find(n->p->op_type), vt__onnx_need(n, 0)));
}

void vt__onnx_global_pool(const vt_onnx_node *n) {
    vt_gop op = is(n->p->op_type, "GlobalMaxPool") ? VT_G_MAX_POOL : VT_G_AVERAGE_POOL;
    vt__onnx_out(n, 0, vt__onnx_global_pool_of(n, op, vt__onnx_need(n, 0)));
}

/* Windows over three axes (depth, rows, columns), made of those over rows and columns, which the accelerator computes.
 *
 * A convolution: the slices of the input under a kernel become channels of one image, so that its depth is summed with
 * the channels. A transposed one: an image for each slice of input and kernel, then sums of those that meet. */
#include "frontend/onnx/window.h"

/* The window over rows and columns alone. */
static vt_onnx_window flat(const vt_onnx_window *w) {
    vt_onnx_window f = {.spatial = 2};
    for (uint32_t i = 0; i < 2; i++) {
        f.kernel[i] = w->kernel[1 + i], f.strides[i] = w->strides[1 + i], f.dilations[i] = w->dilations[1 + i];
        f.pads[i] = w->pads[1 + i], f.pads[2 + i] = w->pads[4 + i];
    }
    return f;
}

static void check(const vt_onnx_node *n, const vt_gvalue *x, const vt_gvalue *k, int64_t group, bool transposed) {
    int64_t channels = x->type.dim[1];
    vt__onnx_want_floats(n, x);
    if (x->type.rank != 5 || k->type.rank != 5) vt__onnx_wrong(n, "input and weights have not 5 axes");
    if (group < 1 || channels % group ||
        (!transposed && (k->type.dim[0] % group || k->type.dim[1] * group != channels)) ||
        (transposed && k->type.dim[0] != channels))
        vt__onnx_wrong(n, "weights of %lld and %lld channels do not fit an input of %lld in %lld groups",
                       (long long)k->type.dim[0], (long long)k->type.dim[1], (long long)channels, (long long)group);
    if (!vt_gtype_count(&x->type) || !vt_gtype_count(&k->type)) vt__onnx_unsupported(n, "of an empty tensor");
}

/* How many windows fit along the depth. */
static int64_t depth_of(const vt_onnx_node *n, const vt_onnx_window *w, int64_t depth) {
    int64_t over = depth + w->pads[0] + w->pads[3] - ((w->kernel[0] - 1) * w->dilations[0] + 1);
    if (over < 0) vt__onnx_wrong(n, "the kernel is deeper than the input with its padding");
    return over / w->strides[0] + 1;
}

/* x with `before` and `after` zeros along axis 2. */
static vt_gvalue *padded(const vt_onnx_node *n, vt_gvalue *x, int64_t before, int64_t after) {
    int64_t pads[2 * VT_MAX_RANK] = {0};
    uint32_t r = x->type.rank;
    if (!before && !after) return x;
    pads[2] = before, pads[r + 2] = after;
    return vt__onnx_make(n, VT_G_PAD, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PADS, 2 * r, pads)));
}

/* The slices under the kernel at each depth: [depths, kernel]. */
static vt_gvalue *slices(const vt_onnx_node *n, const vt_onnx_window *w, int64_t depths) {
    int64_t *table;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_I64, 2, (int64_t[]){depths, w->kernel[0]}, &table);
    for (int64_t o = 0; o < depths; o++)
        for (int64_t k = 0; k < w->kernel[0]; k++) *table++ = o * w->strides[0] + k * w->dilations[0];
    return v;
}

vt_gvalue *vt__mk_volume_conv(const vt_onnx_node *n, vt_gvalue *const in[3], const vt_onnx_window *w, int64_t group) {
    vt_gvalue *x = in[0], *k = in[1];
    check(n, x, k, group, false);
    const int64_t *d = x->type.dim, own = d[1] / group, deep = w->kernel[0], outs = k->type.dim[0];
    const int64_t images = d[0], rows = d[3], columns = d[4], depths = depth_of(n, w, d[2]);
    vt_onnx_window f = flat(w);
    x = vt__mk_take(n, padded(n, x, w->pads[0], w->pads[3]), 2, slices(n, w, depths)); /* N C Do KD H W */
    x = vt__onnx_reshape_to(n, x, 7, (int64_t[]){images, group, own, depths, deep, rows, columns});
    x = vt__mk_transpose(n, x, (int64_t[]){0, 3, 1, 4, 2, 5, 6});
    x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){images * depths, group * deep * own, rows, columns});
    k = vt__mk_transpose(n, k, (int64_t[]){0, 2, 1, 3, 4});
    k = vt__onnx_reshape_to(n, k, 4, (int64_t[]){outs, deep * own, f.kernel[0], f.kernel[1]});
    if (vt__onnx_known(n, k)) k = vt__onnx_known(n, k);
    vt_gvalue *y = vt__onnx_make(n, VT_G_CONV, VT_ONNX_INPUTS(x, k, in[2]),
                                 VT_ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(f), VT_GSET_INT(GROUP, group)));
    const int64_t high = y->type.dim[2], wide = y->type.dim[3];
    y = vt__onnx_reshape_to(n, y, 5, (int64_t[]){images, depths, outs, high, wide});
    return vt__mk_transpose(n, y, (int64_t[]){0, 2, 1, 3, 4});
}

/* Which slice of input and kernel adds to each depth of the result, [depths, kernel]; `none` is one of zeros. */
static vt_gvalue *meeting(const vt_onnx_node *n, const vt_onnx_window *w, int64_t depths, int64_t in) {
    int64_t *table, none = in * w->kernel[0];
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_I64, 2, (int64_t[]){depths, w->kernel[0]}, &table);
    for (int64_t o = 0; o < depths; o++)
        for (int64_t k = 0; k < w->kernel[0]; k++) {
            int64_t at = o + w->pads[0] - k * w->dilations[0], from = at / w->strides[0];
            bool meets = at >= 0 && at % w->strides[0] == 0 && from < in;
            *table++ = meets ? from * w->kernel[0] + k : none;
        }
    return v;
}

vt_gvalue *vt__mk_volume_conv_transpose(const vt_onnx_node *n, vt_gvalue *const in[3], const vt_onnx_window *w,
                                        const int64_t more[3], int64_t group) {
    vt_gvalue *x = in[0], *k = in[1];
    check(n, x, k, group, true);
    const int64_t *d = x->type.dim, deep = w->kernel[0], own = k->type.dim[1], outs = own * group;
    const int64_t images = d[0], channels = d[1], slice_count = d[2], rows = d[3], columns = d[4];
    const int64_t depths =
        w->strides[0] * (slice_count - 1) + more[0] + (deep - 1) * w->dilations[0] + 1 - w->pads[0] - w->pads[3];
    vt_onnx_window f = flat(w);
    if (depths < 1) vt__onnx_wrong(n, "the result would have a depth of %lld", (long long)depths);
    x = vt__mk_transpose(n, x, (int64_t[]){0, 2, 1, 3, 4});
    x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){images * slice_count, channels, rows, columns});
    k = vt__mk_transpose(n, k, (int64_t[]){0, 2, 1, 3, 4});
    k = vt__onnx_reshape_to(n, k, 4, (int64_t[]){channels, deep * own, f.kernel[0], f.kernel[1]});
    if (vt__onnx_known(n, k)) k = vt__onnx_known(n, k);
    vt_gvalue *y = vt__onnx_make(
        n, VT_G_CONV_TRANSPOSE, VT_ONNX_INPUTS(x, k),
        VT_ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(f), VT_GSET_INTS(OUTPUT_PADS, 2, &more[1]), VT_GSET_INT(GROUP, group)));
    const int64_t high = y->type.dim[2], wide = y->type.dim[3], kernels = 3;
    y = vt__onnx_reshape_to(n, y, 7, (int64_t[]){images, slice_count, group, deep, own, high, wide});
    y = vt__mk_transpose(n, y, (int64_t[]){0, 2, 4, 1, 3, 5, 6});
    y = vt__onnx_reshape_to(n, y, 5, (int64_t[]){images, outs, slice_count * deep, high, wide});
    y = vt__mk_take(n, padded(n, y, 0, 1), 2, meeting(n, w, depths, slice_count)); /* N O Do KD H W */
    y = vt__mk_reduce(n, VT_G_REDUCE_SUM, y, 1, &kernels, false);
    if (!in[2]) return y;
    if (in[2]->type.rank != 1 || in[2]->type.dim[0] != outs) vt__onnx_wrong(n, "the bias is not one number a channel");
    return vt__mk_two(n, VT_G_ADD, y, vt__onnx_reshape_to(n, in[2], 4, (int64_t[]){outs, 1, 1, 1}));
}

/* Over rows and columns, then over the depth: the part of a window that is inside is so along each axis by itself. */
vt_gvalue *vt__mk_volume_pool(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, const vt_onnx_window *w, bool all) {
    const vt_gtype t = x->type;
    const uint32_t count = op == VT_G_AVERAGE_POOL ? 5 : 4;
    const int64_t depth = t.dim[2];
    vt_onnx_window f = flat(w);
    const vt_gattr set[] = {VT_GSET_INTS(KERNEL, 2, f.kernel), WINDOW_ATTRIBUTES(f), VT_GSET_INT(COUNT_PADS, all)};
    x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){t.dim[0], t.dim[1] * depth, t.dim[3], t.dim[4]});
    x = vt__onnx_make(n, op, 1, &x, count, set);
    const int64_t high = x->type.dim[2], wide = x->type.dim[3];
    vt_onnx_window g = {.spatial = 2,
                        .kernel = {w->kernel[0], 1},
                        .strides = {w->strides[0], 1},
                        .dilations = {w->dilations[0], 1},
                        .pads = {w->pads[0], 0, w->pads[3], 0}};
    const vt_gattr along[] = {VT_GSET_INTS(KERNEL, 2, g.kernel), WINDOW_ATTRIBUTES(g), VT_GSET_INT(COUNT_PADS, all)};
    x = vt__onnx_reshape_to(n, x, 4, (int64_t[]){t.dim[0], t.dim[1], depth, high * wide});
    x = vt__onnx_make(n, op, 1, &x, count, along);
    return vt__onnx_reshape_to(n, x, 5, (int64_t[]){t.dim[0], t.dim[1], x->type.dim[2], high, wide});
}

/* Types of convolutions and pools. */
#include "frontend/graph/priv.h"

enum { LARGEST = 1 << 24 }; /* of a stride, a padding, a dilation: products with an extent fit 64 bits */

/* What windows over the axes after channels are made of. */
typedef struct windows {
    uint32_t spatial; /* axes */
    const int64_t *kernel, *strides, *pads, *dilations;
} windows;

static void check_lists(vt_ctx *ctx, const vt_gnode *n, const windows *w) {
    for (uint32_t i = 0; i < w->spatial; i++) {
        vt__want_range(ctx, n, VT_A_STRIDES, w->strides[i], 1, LARGEST);
        vt__want_range(ctx, n, VT_A_DILATIONS, w->dilations[i], 1, LARGEST);
        if (w->kernel[i] < 1 || w->kernel[i] > LARGEST)
            vt_gnode_refuse(ctx, n, "a kernel of %lld in axis %u", (long long)w->kernel[i], (unsigned)i + 2);
    }
    for (uint32_t i = 0; i < 2 * w->spatial; i++) vt__want_range(ctx, n, VT_A_PADS, w->pads[i], 0, LARGEST);
}

static windows windows_of(vt_ctx *ctx, const vt_gnode *n, const int64_t *kernel) {
    const vt_gtype *x = &n->inputs[0]->type;
    char text[VT_GTYPE_TEXT];
    if (x->rank != 3 && x->rank != 4)
        vt_gnode_refuse(ctx, n, "input 0 (%s) is %s: windows over one or two axes after N and C are supported",
                        n->inputs[0]->name, vt_gtype_text(x, text));
    windows w = {.spatial = x->rank - 2, .kernel = kernel};
    w.strides = vt__want_ints(ctx, n, VT_A_STRIDES, w.spatial);
    w.pads = vt__want_ints(ctx, n, VT_A_PADS, 2 * w.spatial);
    w.dilations = vt__want_ints(ctx, n, VT_A_DILATIONS, w.spatial);
    check_lists(ctx, n, &w);
    return w;
}

/* How many windows fit. */
static int64_t extent_of(vt_ctx *ctx, const vt_gnode *n, const windows *w, uint32_t i) {
    int64_t size = n->inputs[0]->type.dim[2 + i] + w->pads[i] + w->pads[w->spatial + i];
    int64_t window = (w->kernel[i] - 1) * w->dilations[i] + 1;
    if (size < window)
        vt_gnode_refuse(ctx, n, "the kernel takes %lld elements of axis %u, which has %lld with its padding",
                        (long long)window, (unsigned)i + 2, (long long)size);
    return (size - window) / w->strides[i] + 1;
}

void vt__infer_pool(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    int64_t dims[VT_MAX_RANK] = {x->dim[0], x->dim[1]};
    uint32_t spatial = x->rank > 2 ? x->rank - 2 : 0;
    windows w = windows_of(ctx, n, vt__want_ints(ctx, n, VT_A_KERNEL, spatial));
    for (uint32_t i = 0; i < spatial; i++) {
        dims[2 + i] = extent_of(ctx, n, &w, i);
        if (w.pads[i] >= (w.kernel[i] - 1) * w.dilations[i] + 1)
            vt_gnode_refuse(ctx, n, "the padding of axis %u holds a whole window", (unsigned)i + 2);
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, x->element, x->rank, dims));
}

/* Checks weights, groups and bias; `channels_of` says which axis of the weights holds the input's channels. Gives the
 * number of output channels. */
static int64_t channels_out(vt_ctx *ctx, const vt_gnode *n, uint32_t weights, bool transposed) {
    const vt_gtype *x = &n->inputs[0]->type, *w = &n->inputs[weights]->type;
    int64_t group = vt_gattr_int(n, VT_A_GROUP);
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    vt__want_rank(ctx, n, weights, x->rank);
    vt__want_range(ctx, n, VT_A_GROUP, group, 1, x->dim[1] > 0 ? x->dim[1] : 1);
    int64_t in = transposed ? w->dim[0] : w->dim[1], out = transposed ? w->dim[1] : w->dim[0];
    int64_t wanted = transposed ? x->dim[1] : x->dim[1] / group;
    if (x->dim[1] % group || (!transposed && out % group) || in != wanted || out == 0 || in == 0)
        vt_gnode_refuse(ctx, n, "weights %s do not fit an input %s in %lld groups", vt_gtype_text(w, left),
                        vt_gtype_text(x, right), (long long)group);
    return transposed ? out * group : out;
}

static void check_bias(vt_ctx *ctx, const vt_gnode *n, uint32_t input, vt_element element, int64_t channels) {
    char text[VT_GTYPE_TEXT];
    if (!vt_ginput_given(n, input)) return;
    const vt_gtype *b = &n->inputs[input]->type;
    vt__want_element(ctx, n, input, element);
    if (b->rank != 1 || b->dim[0] != channels)
        vt_gnode_refuse(ctx, n, "bias (%s) is %s, expected one number for each of %lld channels",
                        n->inputs[input]->name, vt_gtype_text(b, text), (long long)channels);
}

/* Of convolutions whose weights are that input; gives the number of output channels. */
static int64_t infer_conv(vt_ctx *ctx, const vt_gnode *n, uint32_t weights, vt_element result) {
    const vt_gtype *x = &n->inputs[0]->type, *t = &n->inputs[weights]->type;
    vt__want_rank(ctx, n, weights, x->rank);
    windows w = windows_of(ctx, n, &t->dim[2]);
    int64_t dims[VT_MAX_RANK] = {x->dim[0], channels_out(ctx, n, weights, false)};
    for (uint32_t i = 0; i < w.spatial; i++) dims[2 + i] = extent_of(ctx, n, &w, i);
    vt__gives(n, 0, vt__infer_type(ctx, n, result, x->rank, dims));
    return dims[1];
}

void vt__infer_conv(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_element(ctx, n, 1, VT_ELEMENT_F32);
    check_bias(ctx, n, 2, VT_ELEMENT_F32, infer_conv(ctx, n, 1, VT_ELEMENT_F32));
}

void vt__infer_conv_transpose(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type, *t = &n->inputs[1]->type;
    vt__want_element(ctx, n, 1, VT_ELEMENT_F32);
    vt__want_rank(ctx, n, 1, x->rank);
    windows w = windows_of(ctx, n, &t->dim[2]);
    const int64_t *more = vt__want_ints(ctx, n, VT_A_OUTPUT_PADS, w.spatial);
    int64_t dims[VT_MAX_RANK] = {x->dim[0], channels_out(ctx, n, 1, true)};
    for (uint32_t i = 0; i < w.spatial; i++) {
        int64_t largest = w.strides[i] > w.dilations[i] ? w.strides[i] : w.dilations[i];
        vt__want_range(ctx, n, VT_A_OUTPUT_PADS, more[i], 0, largest - 1);
        dims[2 + i] = w.strides[i] * (x->dim[2 + i] - 1) + more[i] + (w.kernel[i] - 1) * w.dilations[i] + 1 -
                      w.pads[i] - w.pads[w.spatial + i];
        if (dims[2 + i] < 1)
            vt_gnode_refuse(ctx, n, "axis %u of the result would have %lld elements", (unsigned)i + 2,
                            (long long)dims[2 + i]);
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, VT_ELEMENT_F32, x->rank, dims));
    check_bias(ctx, n, 2, VT_ELEMENT_F32, dims[1]);
}

/* ---- Of integers ---- */

void vt__infer_conv_integer(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_bytes(ctx, n, 1);
    int64_t channels = infer_conv(ctx, n, 1, VT_ELEMENT_I32);
    vt__want_parameter(ctx, n, 2, n->inputs[0]->type.element, 1);
    vt__want_parameter(ctx, n, 3, n->inputs[1]->type.element, channels);
}

void vt__infer_qlinear_conv(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_bytes(ctx, n, 3);
    vt__want_bytes(ctx, n, 7);
    int64_t channels = infer_conv(ctx, n, 3, n->inputs[7]->type.element);
    vt__want_parameter(ctx, n, 1, VT_ELEMENT_F32, 1);
    vt__want_parameter(ctx, n, 2, n->inputs[0]->type.element, 1);
    vt__want_parameter(ctx, n, 4, VT_ELEMENT_F32, channels);
    vt__want_parameter(ctx, n, 5, n->inputs[3]->type.element, channels);
    vt__want_parameter(ctx, n, 6, VT_ELEMENT_F32, 1);
    vt__want_scales(ctx, n, 1, false), vt__want_scales(ctx, n, 4, false), vt__want_scales(ctx, n, 6, true);
    vt__want_parameter(ctx, n, 7, n->inputs[7]->type.element, 1);
    check_bias(ctx, n, 8, VT_ELEMENT_I32, channels);
}

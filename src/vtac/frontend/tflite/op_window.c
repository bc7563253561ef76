/* Convolutions, pools and matrix products: windows over images, with the padding worked out. */
#include "frontend/tflite/priv.h"

enum { SAME, VALID, LARGEST = 1 << 24 };

/* What the options say of a window over images. */
typedef struct window {
    int64_t kernel[2], strides[2], dilations[2], pads[4];
} window;

static int64_t between(const vt_tfl_node *n, const char *what, int64_t value) {
    if (value < 1 || value > LARGEST) vt__tfl_wrong(n, "%s is %lld", what, (long long)value);
    return value;
}

/* Fields 1 and 2 are the strides of all windows: along columns, then along rows. */
static window window_of(const vt_tfl_node *n, int64_t height, int64_t width, unsigned dilation_field) {
    window w = {
        .kernel = {between(n, "the height of the window", height), between(n, "the width of the window", width)}};
    w.strides[0] = between(n, "the stride", vt__fb_int(n->options, 2, 4, 0));
    w.strides[1] = between(n, "the stride", vt__fb_int(n->options, 1, 4, 0));
    w.dilations[0] = dilation_field ? between(n, "the dilation", vt__fb_int(n->options, dilation_field + 1, 4, 1)) : 1;
    w.dilations[1] = dilation_field ? between(n, "the dilation", vt__fb_int(n->options, dilation_field, 4, 1)) : 1;
    return w;
}

static void check_padding(const vt_tfl_node *n, int64_t padding) {
    if (padding != SAME && padding != VALID) vt__tfl_wrong(n, "its padding is %lld", (long long)padding);
}

/* SAME: as many outputs as there are strides in the input; what is odd of the padding is behind. */
static void pad_window(const vt_tfl_node *n, window *w, const vt_gtype *x) {
    int64_t padding = vt__fb_int(n->options, 0, 1, SAME);
    check_padding(n, padding);
    for (int i = 0; i < 2; i++) {
        int64_t in = x->dim[2 + i], out = (in + w->strides[i] - 1) / w->strides[i];
        int64_t all = (out - 1) * w->strides[i] + (w->kernel[i] - 1) * w->dilations[i] + 1 - in;
        if (padding == VALID || all < 0) all = 0;
        w->pads[i] = all / 2;
        w->pads[2 + i] = all - all / 2;
    }
}

#define WINDOW_ATTRIBUTES(w)                                                                                           \
    VT_GSET_INTS(STRIDES, 2, (w).strides), VT_GSET_INTS(PADS, 4, (w).pads), VT_GSET_INTS(DILATIONS, 2, (w).dilations)

static vt_gvalue *images_of(const vt_tfl_node *n, uint32_t i) {
    vt_tfl_tensor *t = vt__tfl_need(n, i);
    if (t->type.rank != 4)
        vt__tfl_wrong(n, "input %u has %u axes, and images have 4", (unsigned)i, (unsigned)t->type.rank);
    return vt__tfl_real(n, t, VT_TFL_IMAGES);
}

static vt_gvalue *bias_of(const vt_tfl_node *n, uint32_t i) {
    vt_tfl_tensor *t = vt__tfl_in(n, i);
    return t ? vt__tfl_real(n, t, VT_TFL_FILE) : NULL;
}

static vt_tfl_tensor *weights_of(const vt_tfl_node *n, uint32_t i) {
    vt_tfl_tensor *t = vt__tfl_need(n, i);
    if (t->type.rank != 4) vt__tfl_wrong(n, "its weights have %u axes, and should have 4", (unsigned)t->type.rank);
    return t;
}

/* Weights are O H W I. */
void vt__tfl_conv(const vt_tfl_node *n) {
    static const int64_t perm[] = {0, 3, 1, 2};
    vt_gvalue *x = images_of(n, 0), *in[] = {x, NULL, bias_of(n, 2)};
    vt_tfl_tensor *k = weights_of(n, 1);
    window w = window_of(n, k->type.dim[1], k->type.dim[2], 4);
    int64_t channels = x->type.dim[1], of_weights = k->type.dim[3];
    if (!of_weights || channels % of_weights)
        vt__tfl_wrong(n, "weights for %lld channels, and the input has %lld", (long long)of_weights,
                      (long long)channels);
    in[1] = vt__tfl_weights(n, k, perm);
    pad_window(n, &w, &x->type);
    vt_gvalue *v = vt__tfl_make(n, VT_G_CONV, in[2] ? 3 : 2, in,
                                VT_TFL_ATTRIBUTES(WINDOW_ATTRIBUTES(w), VT_GSET_INT(GROUP, channels / of_weights)));
    vt__tfl_give(n, 0, vt__tfl_activation(n, 3, v), VT_TFL_IMAGES);
}

/* Weights are 1 H W O: the filters of a channel one after the other, as those of a group are. */
void vt__tfl_depthwise_conv(const vt_tfl_node *n) {
    static const int64_t perm[] = {3, 0, 1, 2};
    vt_gvalue *x = images_of(n, 0), *in[] = {x, NULL, bias_of(n, 2)};
    vt_tfl_tensor *k = weights_of(n, 1);
    window w = window_of(n, k->type.dim[1], k->type.dim[2], 5);
    if (k->type.dim[0] != 1) vt__tfl_wrong(n, "the first extent of its weights is %lld", (long long)k->type.dim[0]);
    in[1] = vt__tfl_weights(n, k, perm);
    pad_window(n, &w, &x->type);
    vt_gvalue *v = vt__tfl_make(n, VT_G_CONV, in[2] ? 3 : 2, in,
                                VT_TFL_ATTRIBUTES(WINDOW_ATTRIBUTES(w), VT_GSET_INT(GROUP, x->type.dim[1])));
    vt__tfl_give(n, 0, vt__tfl_activation(n, 4, v), VT_TFL_IMAGES);
}

/* Output shape, weights (O H W I, O of the output), images, bias. */
void vt__tfl_transpose_conv(const vt_tfl_node *n) {
    static const int64_t perm[] = {3, 0, 1, 2};
    uint32_t count;
    const int64_t *shape = vt__tfl_ints(n, 0, "the shape of its output", &count);
    vt_gvalue *x = images_of(n, 2), *in[] = {x, NULL, bias_of(n, 3)};
    vt_tfl_tensor *k = weights_of(n, 1);
    window w = window_of(n, k->type.dim[1], k->type.dim[2], 0);
    int64_t padding = vt__fb_int(n->options, 0, 1, SAME), more[2] = {0, 0};
    check_padding(n, padding);
    if (count != 4) vt__tfl_wrong(n, "the shape of its output has %u extents", (unsigned)count);
    in[1] = vt__tfl_weights(n, k, perm);
    for (int i = 0; i < 2; i++) {
        int64_t all = w.strides[i] * (x->type.dim[2 + i] - 1) + w.kernel[i] - shape[1 + i];
        if (all < 0) more[i] = -all, all = 0;
        w.pads[i] = all / 2;
        w.pads[2 + i] = all - all / 2;
    }
    vt_gvalue *v = vt__tfl_make(n, VT_G_CONV_TRANSPOSE, in[2] ? 3 : 2, in,
                                VT_TFL_ATTRIBUTES(WINDOW_ATTRIBUTES(w), VT_GSET_INTS(OUTPUT_PADS, 2, more)));
    vt__tfl_give(n, 0, vt__tfl_activation(n, 3, v), VT_TFL_IMAGES);
}

/* Padding is not counted by averages. */
void vt__tfl_pool(const vt_tfl_node *n) {
    vt_gvalue *x = images_of(n, 0);
    window w = window_of(n, vt__fb_int(n->options, 4, 4, 0), vt__fb_int(n->options, 3, 4, 0), 0);
    pad_window(n, &w, &x->type);
    vt_gvalue *v =
        vt__tfl_make(n, n->op->gop, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INTS(KERNEL, 2, w.kernel), WINDOW_ATTRIBUTES(w)));
    vt__tfl_give(n, 0, vt__tfl_activation(n, 5, v), VT_TFL_IMAGES);
}

/* Weights are O I; all that comes before the last axis of the input is a batch. */
void vt__tfl_fully_connected(const vt_tfl_node *n) {
    enum { WEIGHTS_FORMAT = 1 };
    static const int64_t perm[] = {0, 1};
    vt_tfl_tensor *k = vt__tfl_need(n, 1), *out = vt__tfl_out(n, 0);
    if (vt__fb_int(n->options, WEIGHTS_FORMAT, 1, 0)) vt__tfl_unsupported(n, "its weights are shuffled");
    if (k->type.rank != 2) vt__tfl_wrong(n, "its weights have %u axes, and should have 2", (unsigned)k->type.rank);
    vt_gvalue *x = vt__tfl_real(n, vt__tfl_need(n, 0), VT_TFL_FILE);
    int64_t depth = k->type.dim[1], all = vt_gtype_count(&x->type);
    if (!depth || all % depth) vt__tfl_wrong(n, "%lld elements are no rows of %lld", (long long)all, (long long)depth);
    const int64_t rows[] = {all / depth, depth};
    if (x->type.rank != 2 || x->type.dim[1] != depth) x = vt__tfl_reshape(n, x, 2, rows);
    vt_gvalue *in[] = {x, vt__tfl_weights(n, k, perm), bias_of(n, 2)};
    vt_gvalue *v = vt__tfl_make(n, VT_G_GEMM, in[2] ? 3 : 2, in, VT_TFL_ATTRIBUTES(VT_GSET_INT(TRANS_B, 1)));
    v = vt__tfl_activation(n, 0, v);
    if (!vt_gtype_same_shape(&v->type, &out->type) && vt_gtype_count(&v->type) == vt_gtype_count(&out->type))
        v = vt__tfl_reshape(n, v, out->type.rank, out->type.dim);
    vt__tfl_give(n, 0, v, VT_TFL_FILE);
}

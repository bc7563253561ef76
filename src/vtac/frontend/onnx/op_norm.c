/* Normalization by the mean and the variance of the input itself, or by its neighbours: the graph has its parts, sums
 * and not means, since they are to be computed in floats. */
#include "frontend/onnx/make.h"

static vt_gvalue *mean(const vt_onnx_node *n, vt_gvalue *x, uint32_t first) {
    int64_t axes[VT_MAX_RANK];
    uint32_t count = x->type.rank - first;
    for (uint32_t i = 0; i < count; i++) axes[i] = first + i;
    vt_gvalue *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, x, count, axes, true);
    int64_t elements = vt_gtype_span(&x->type, first, x->type.rank);
    bool wide = x->type.element == VT_ELEMENT_F64;
    return vt__mk_with(n, VT_G_MUL, sum, wide ? 1 / (double)elements : (double)(1 / (float)elements));
}

/* The square root of x and epsilon. */
static vt_gvalue *root(const vt_onnx_node *n, vt_gvalue *x) {
    double epsilon = vt__onnx_float(n, "epsilon", (double)1e-5f);
    return vt__mk_one(n, VT_G_SQRT, vt__mk_with(n, VT_G_ADD, x, epsilon));
}

typedef struct moments {
    vt_gvalue *mean, *deviation;
} moments;

/* (x - mean) / sqrt(variance + epsilon), both over the axes from `first` on. */
static vt_gvalue *normalized(const vt_onnx_node *n, vt_gvalue *x, uint32_t first, moments *out_moments) {
    moments m = {.mean = mean(n, x, first)};
    vt_gvalue *apart = vt__mk_two(n, VT_G_SUB, x, m.mean);
    m.deviation = root(n, mean(n, vt__mk_two(n, VT_G_MUL, apart, apart), first));
    if (out_moments) *out_moments = m;
    return vt__mk_two(n, VT_G_DIV, apart, m.deviation);
}

static void check_floats(const vt_onnx_node *n, const vt_gvalue *x) {
    vt__onnx_want_floats(n, x);
    if (vt_gtype_count(&x->type) == 0) vt__onnx_unsupported(n, "the input has no elements");
}

/* One number a channel, as a tensor that broadcasts over N, C and all that follows. */
static vt_gvalue *by_channel(const vt_onnx_node *n, size_t input, const vt_gtype *x) {
    int64_t dims[VT_MAX_RANK];
    vt_gvalue *v = vt__onnx_need(n, input);
    if (v->type.rank != 1 || v->type.dim[0] != x->dim[1])
        vt__onnx_wrong(n, "input %zu is not one number for each of %lld channels", input, (long long)x->dim[1]);
    dims[0] = x->dim[1];
    for (uint32_t i = 1; i + 1 < x->rank; i++) dims[i] = 1;
    return vt__onnx_reshape_to(n, v, x->rank - 1, dims);
}

void vt__onnx_instance_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    check_floats(n, x);
    if (x->type.rank < 3) vt__onnx_wrong(n, "the input has %u axes, expected at least 3", (unsigned)x->type.rank);
    vt_gvalue *y = normalized(n, x, 2, NULL);
    y = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(y, by_channel(n, 1, &x->type)), 0, NULL);
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_ADD, VT_ONNX_INPUTS(y, by_channel(n, 2, &x->type)), 0, NULL));
}

/* Its other outputs are the mean, and 1 over the deviation. */
void vt__onnx_layer_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    moments m;
    check_floats(n, x);
    vt_gvalue *y = normalized(n, x, vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank), &m);
    y = vt__mk_two(n, VT_G_MUL, y, vt__onnx_need(n, 1));
    if (vt__onnx_in(n, 2)) y = vt__mk_two(n, VT_G_ADD, y, vt__onnx_in(n, 2));
    vt__onnx_out(n, 0, y);
    if (vt__onnx_wants(n, 1)) vt__onnx_out(n, 1, m.mean);
    if (vt__onnx_wants(n, 2)) vt__onnx_out(n, 2, vt__mk_one(n, VT_G_RECIPROCAL, m.deviation));
}

/* x / sqrt(mean of squares + epsilon) * scale */
void vt__onnx_rms_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    check_floats(n, x);
    uint32_t first = vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank);
    vt_gvalue *y = vt__mk_two(n, VT_G_DIV, x, root(n, mean(n, vt__mk_two(n, VT_G_MUL, x, x), first)));
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_MUL, y, vt__onnx_need(n, 1)));
}

/* QuantLab's RMSNorm of floats, which has no attributes: along the last axis, with 1e-6 below the root. */
void vt__onnx_quantlab_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    check_floats(n, x);
    if (!x->type.rank) vt__onnx_wrong(n, "the input has no axes");
    vt_gvalue *squares = mean(n, vt__mk_two(n, VT_G_MUL, x, x), x->type.rank - 1);
    vt_gvalue *y = vt__mk_two(n, VT_G_DIV, x, vt__mk_one(n, VT_G_SQRT, vt__mk_with(n, VT_G_ADD, squares, 1e-6)));
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_MUL, y, vt__onnx_need(n, 1)));
}

/* Groups of channels, each with all pixels. Scale and bias are one a group in operator sets 18 to 20, one a channel
 * from 21 on. */
void vt__onnx_group_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype t = x->type;
    int64_t groups = vt__onnx_int(n, "num_groups", 0), each = n->r->opset < 21 ? groups : t.rank > 1 ? t.dim[1] : 0;
    check_floats(n, x);
    if (t.rank < 3 || groups < 1 || t.dim[1] % groups) vt__onnx_wrong(n, "%lld groups of channels", (long long)groups);
    x = vt__onnx_reshape_to(n, x, 3, (int64_t[]){t.dim[0], groups, vt_gtype_span(&t, 1, t.rank) / groups});
    x = normalized(n, x, 2, NULL);
    x = vt__onnx_reshape_to(n, x, 3, (int64_t[]){t.dim[0], each, vt_gtype_span(&t, 1, t.rank) / each});
    for (size_t i = 1; i < 3; i++) {
        vt_gvalue *v = vt__onnx_need(n, i);
        if (v->type.rank != 1 || v->type.dim[0] != each)
            vt__onnx_wrong(n, "input %zu is not one number for each of %lld", i, (long long)each);
        x = vt__mk_two(n, i == 1 ? VT_G_MUL : VT_G_ADD, x, vt__onnx_reshape_to(n, v, 2, (int64_t[]){each, 1}));
    }
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, t.rank, t.dim));
}

/* (x - mean) / (deviation + 1e-9) along axes, by default all but those of channels. */
void vt__onnx_mean_variance(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const int64_t usual[] = {0, 2, 3};
    vt_onnx_ints given = vt__onnx_ints_of(n, "axes");
    int64_t axes[VT_MAX_RANK], count = given.given ? given.count : 3, elements = 1;
    check_floats(n, x);
    if (count > x->type.rank) vt__onnx_wrong(n, "%lld axes", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        axes[i] = vt__onnx_axis(n, given.given ? given.item[i] : usual[i], x->type.rank);
        elements *= x->type.dim[axes[i]];
    }
    vt_gvalue *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, x, (uint32_t)count, axes, true);
    vt_gvalue *apart = vt__mk_two(n, VT_G_SUB, x, vt__mk_with(n, VT_G_DIV, sum, (double)elements));
    vt_gvalue *squares = vt__mk_two(n, VT_G_MUL, apart, apart);
    sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, squares, (uint32_t)count, axes, true);
    vt_gvalue *deviation = vt__mk_one(n, VT_G_SQRT, vt__mk_with(n, VT_G_DIV, sum, (double)elements));
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_DIV, apart, vt__mk_with(n, VT_G_ADD, deviation, 1e-9)));
}

enum { MAX_CHANNELS = 1 << 16 }; /* around one */

/* How many of the channels from c - before to c - before + size - 1 there are, as a share of `size`: [1, C, 1]. */
static vt_gvalue *shares(const vt_onnx_node *n, int64_t channels, int64_t before, int64_t size) {
    float *data = VT_NEW_ARRAY(n->r->ctx, float, (size_t)channels);
    for (int64_t c = 0; c < channels; c++) {
        int64_t first = c < before ? 0 : c - before, end = c - before + size;
        data[c] = (float)((end < channels ? end : channels) - first) / (float)size;
    }
    return vt_graph_constant(n->r->g, n->name, (vt_gtype){VT_ELEMENT_F32, 3, {1, channels, 1}}, data);
}

/* The mean of `size` channels around each, those outside counting as 0: x as an image whose rows are the channels. */
static vt_gvalue *mean_of_channels(const vt_onnx_node *n, vt_gvalue *x, int64_t size) {
    const vt_gtype *t = &x->type;
    int64_t image[] = {t->dim[0], 1, t->dim[1], vt_gtype_span(t, 2, t->rank)}, before = (size - 1) / 2;
    const int64_t kernel[] = {size, 1}, ones[] = {1, 1}, pads[] = {before, 0, size - 1 - before, 0};
    vt_gvalue *rows = vt__onnx_reshape_to(n, x, 4, image);
    vt_gvalue *mean = vt__onnx_make(n, VT_G_AVERAGE_POOL, 1, &rows,
                                    VT_ONNX_ATTRIBUTES(VT_GSET_INTS(KERNEL, 2, kernel), VT_GSET_INTS(STRIDES, 2, ones),
                                                       VT_GSET_INTS(PADS, 4, pads), VT_GSET_INTS(DILATIONS, 2, ones)));
    vt_gvalue *all = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(mean, shares(n, t->dim[1], before, size)), 0, NULL);
    return vt__onnx_reshape_to(n, all, t->rank, t->dim);
}

/* x / (bias + alpha * mean of squares of neighbours)^beta. */
void vt__onnx_lrn(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    int64_t size = vt__onnx_int(n, "size", 0);
    vt_gvalue *number[3] = {vt_graph_scalar(n->r->g, n->name, (float)vt__onnx_float(n, "alpha", (double)1e-4f)),
                            vt_graph_scalar(n->r->g, n->name, (float)vt__onnx_float(n, "bias", 1)),
                            vt_graph_scalar(n->r->g, n->name, (float)vt__onnx_float(n, "beta", 0.75))};
    check_floats(n, x);
    if (x->type.rank < 2) vt__onnx_wrong(n, "the input has %u axes, expected at least 2", (unsigned)x->type.rank);
    if (size < 1 || size > MAX_CHANNELS) vt__onnx_wrong(n, "attribute size: %lld channels", (long long)size);
    vt_gvalue *squares = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(x, x), 0, NULL);
    vt_gvalue *mean = size > 1 ? mean_of_channels(n, squares, size) : squares;
    mean = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(mean, number[0]), 0, NULL);
    mean = vt__onnx_make(n, VT_G_ADD, VT_ONNX_INPUTS(mean, number[1]), 0, NULL);
    mean = vt__onnx_make(n, VT_G_POW, VT_ONNX_INPUTS(mean, number[2]), 0, NULL);
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_DIV, VT_ONNX_INPUTS(x, mean), 0, NULL));
}

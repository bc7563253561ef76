/* Normalization by the mean and the variance of the input itself: the graph has its parts, sums and not means, since they
 * are to be computed in floats. */
#include "graph/onnx/priv.h"

static vt_gvalue *mean(const vt_onnx_node *n, vt_gvalue *x, uint32_t first) {
    int64_t axes[VT_MOST_RANK];
    uint32_t count = x->type.rank - first;
    for (uint32_t i = 0; i < count; i++) axes[i] = first + i;
    vt_gvalue *sum = vt__onnx_make(n, VT_G_REDUCE_SUM, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(AXES, count, axes)));
    vt_gvalue *share =
        vt_graph_scalar(n->r->g, n->name, 1 / (float)vt_gtype_span(&x->type, first, x->type.rank));
    return vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(sum, share), 0, NULL);
}

/* (x - mean) / sqrt(variance + epsilon), both over the axes from `first` on. */
static vt_gvalue *normalized(const vt_onnx_node *n, vt_gvalue *x, uint32_t first) {
    vt_gvalue *apart = vt__onnx_make(n, VT_G_SUB, VT_ONNX_INPUTS(x, mean(n, x, first)), 0, NULL);
    vt_gvalue *variance = mean(n, vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(apart, apart), 0, NULL), first);
    vt_gvalue *epsilon =
        vt_graph_scalar(n->r->g, n->name, (float)vt__onnx_float(n, "epsilon", (double)1e-5f));
    vt_gvalue *sum = vt__onnx_make(n, VT_G_ADD, VT_ONNX_INPUTS(variance, epsilon), 0, NULL);
    vt_gvalue *deviation = vt__onnx_make(n, VT_G_SQRT, 1, &sum, 0, NULL);
    return vt__onnx_make(n, VT_G_DIV, VT_ONNX_INPUTS(apart, deviation), 0, NULL);
}

static void check_floats(const vt_onnx_node *n, const vt_gvalue *x) {
    if (x->type.element != VT_ELEMENT_F32) vt__onnx_unsupported(n, "only float32 is normalized");
    if (vt_gtype_count(&x->type) == 0) vt__onnx_unsupported(n, "the input has no elements");
}

/* One number a channel, as a tensor that broadcasts over N, C and all that follows. */
static vt_gvalue *by_channel(const vt_onnx_node *n, size_t input, const vt_gtype *x) {
    int64_t dims[VT_MOST_RANK];
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
    if (x->type.rank < 3) vt__onnx_wrong(n, "the input has %u axes; at least 3 are wanted", (unsigned)x->type.rank);
    vt_gvalue *y = normalized(n, x, 2);
    y = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(y, by_channel(n, 1, &x->type)), 0, NULL);
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_ADD, VT_ONNX_INPUTS(y, by_channel(n, 2, &x->type)), 0, NULL));
}

void vt__onnx_layer_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    check_floats(n, x);
    for (size_t i = 1; i < 3; i++)
        if (vt__onnx_wants(n, i)) vt__onnx_unsupported(n, "output %zu, which is for training, is used", i);
    vt_gvalue *y = normalized(n, x, vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank));
    y = vt__onnx_make(n, VT_G_MUL, VT_ONNX_INPUTS(y, vt__onnx_need(n, 1)), 0, NULL);
    if (vt__onnx_in(n, 2)) y = vt__onnx_make(n, VT_G_ADD, VT_ONNX_INPUTS(y, vt__onnx_in(n, 2)), 0, NULL);
    vt__onnx_out(n, 0, y);
}

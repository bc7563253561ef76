#include "frontend/onnx/runtime.h"

vt_gvalue *vt__mk_times(const vt_onnx_node *n, vt_gvalue *x, double factor) {
    return factor == 1 ? x : vt__mk_with(n, VT_G_MUL, x, factor);
}

vt_gvalue *vt__mk_plus(const vt_onnx_node *n, vt_gvalue *x, double summand) {
    return summand == 0 ? x : vt__mk_with(n, VT_G_ADD, x, summand);
}

vt_gvalue *vt__mk_sum(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *b) {
    return b ? vt__mk_two(n, VT_G_ADD, x, b) : x;
}

vt_gvalue *vt__mk_clip(const vt_onnx_node *n, vt_gvalue *x, double low, double high) {
    return vt__onnx_make(n, VT_G_CLIP, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(MIN, low), VT_GSET_FLOAT(MAX, high)));
}

vt_gvalue *vt__mk_part(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, int64_t start, int64_t count) {
    int64_t extent = axis < x->type.rank ? x->type.dim[axis] : 0;
    if (axis >= x->type.rank || start < 0 || count < 0 || count > extent || start > extent - count)
        vt__onnx_wrong(n, "%s has %lld elements along axis %u; %lld from %lld on are needed", x->name,
                       (long long)extent, (unsigned)axis, (long long)count, (long long)start);
    return vt__mk_slice(n, x, axis, start, count);
}

vt_gvalue *vt__mk_exchanged(const vt_onnx_node *n, vt_gvalue *x) {
    int64_t order[VT_MAX_RANK];
    uint32_t rank = x->type.rank;
    if (rank < 2) vt__onnx_wrong(n, "%s has %u axes; at least 2 are needed", x->name, (unsigned)rank);
    for (uint32_t i = 0; i < rank; i++) order[i] = i;
    order[rank - 1] = rank - 2, order[rank - 2] = rank - 1;
    return vt__mk_transpose(n, x, order);
}

vt_gvalue *vt__mk_joined(const vt_onnx_node *n, uint32_t axis, uint32_t count, vt_gvalue *const *items) {
    vt_gvalue **given = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, count);
    uint32_t some = 0;
    for (uint32_t i = 0; i < count; i++)
        if (items[i]) given[some++] = items[i];
    return some == 1 ? given[0] : vt__mk_concat(n, some, given, axis);
}

vt_gvalue *vt__mk_softmax(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis) {
    return vt__onnx_make(n, VT_G_SOFTMAX, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

/* A sum and not a mean, since it is to be computed in floats. */
static vt_gvalue *mean(const vt_onnx_node *n, vt_gvalue *x) {
    uint32_t last = x->type.rank - 1;
    vt_gvalue *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, x, 1, (const int64_t[]){last}, true);
    return vt__mk_times(n, sum, 1 / (double)x->type.dim[last]);
}

vt_gvalue *vt__mk_normalized(const vt_onnx_node *n, vt_gvalue *x, bool centred, double epsilon, vt_gvalue *scale,
                             vt_gvalue *bias) {
    vt__onnx_want_floats(n, x);
    if (!x->type.rank || !vt_gtype_count(&x->type)) vt__onnx_unsupported(n, "the input has no elements");
    if (centred) x = vt__mk_two(n, VT_G_SUB, x, mean(n, x));
    vt_gvalue *variance = vt__mk_plus(n, mean(n, vt__mk_two(n, VT_G_MUL, x, x)), epsilon);
    vt_gvalue *y = vt__mk_two(n, VT_G_DIV, x, vt__mk_one(n, VT_G_SQRT, variance));
    return vt__mk_sum(n, vt__mk_two(n, VT_G_MUL, y, scale), bias);
}

static vt_gvalue *linear(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero,
                         uint32_t axis) {
    return vt__onnx_make(n, op, VT_ONNX_INPUTS(x, scale, zero), VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

vt_gvalue *vt__mk_dequantized(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero, uint32_t axis) {
    return linear(n, VT_G_DEQUANTIZE_LINEAR, x, scale, zero, axis);
}

vt_gvalue *vt__mk_quantized(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero, uint32_t axis) {
    return linear(n, VT_G_QUANTIZE_LINEAR, x, scale, zero, axis);
}

/* ---- Checks ---- */

void vt__want_axes(const vt_onnx_node *n, const vt_gvalue *v, uint32_t rank) {
    char text[VT_GTYPE_TEXT];
    if (v->type.rank != rank)
        vt__onnx_wrong(n, "%s is %s; %u axes are needed", v->name, vt_gtype_text(&v->type, text), (unsigned)rank);
}

int64_t vt__want_positive(const vt_onnx_node *n, const char *name, int64_t otherwise) {
    int64_t x = vt__onnx_int(n, name, otherwise);
    if (x < 1 || x > VT_MAX_ELEMENTS) vt__onnx_wrong(n, "attribute %s is %lld", name, (long long)x);
    return x;
}

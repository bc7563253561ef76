/* Quantization, and ONNX Runtime's operators on quantized values: what they mean is said with DequantizeLinear, the
 * operator on floats, and QuantizeLinear. */
#include <string.h>

#include "frontend/onnx/runtime.h"

static vt_gvalue *linear(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero,
                         uint32_t axis) {
    return vt__onnx_make(n, op, VT_ONNX_INPUTS(x, scale, zero), VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

/* x with an axis of blocks and one of what is in them; scales and zero points with one element there. */
static vt_gvalue *in_blocks(const vt_onnx_node *n, vt_gvalue *v, uint32_t axis, int64_t size) {
    int64_t dims[VT_MAX_RANK + 1];
    uint32_t rank = v->type.rank;
    if (rank >= VT_MAX_RANK) vt__onnx_unsupported(n, "blocks of a tensor of %u axes", (unsigned)rank);
    for (uint32_t i = 0; i <= rank; i++) dims[i] = v->type.dim[i <= axis ? i : i - 1];
    dims[axis] /= size, dims[axis + 1] = size;
    return vt__onnx_reshape_to(n, v, rank + 1, dims);
}

/* One scale for each block along an axis: (x - zero point) * scale, by these operators. */
static void dequantize_blocks(const vt_onnx_node *n, int64_t size) {
    vt_gvalue *x = vt__onnx_need(n, 0), *scale = vt__onnx_need(n, 1), *zero = vt__onnx_in(n, 2);
    const vt_gtype t = x->type;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 1), t.rank);
    vt__want_axes(n, scale, t.rank), vt__onnx_want_floats(n, scale);
    if (size < 1 || t.dim[axis] % size || scale->type.dim[axis] != t.dim[axis] / size)
        vt__onnx_unsupported(n, "%lld elements in blocks of %lld with %lld scales", (long long)t.dim[axis],
                             (long long)size, (long long)scale->type.dim[axis]);
    x = vt__mk_cast(n, in_blocks(n, x, axis, size), VT_ELEMENT_F32);
    if (zero) {
        vt__want_axes(n, zero, t.rank);
        x = vt__mk_two(n, VT_G_SUB, x, vt__mk_cast(n, in_blocks(n, zero, axis, 1), VT_ELEMENT_F32));
    }
    x = vt__mk_two(n, VT_G_MUL, x, in_blocks(n, scale, axis, 1));
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, x, t.rank, t.dim));
}

/* Integers of 4 bits have become bytes, in which nothing tells that they end at 7 or 15. */
static void refuse_four_bits(const vt_onnx_node *n) {
    const vt_gvalue *zero = vt__onnx_in(n, 2);
    if (zero && vt__onnx_has_four_bits(n->r, zero)) vt__onnx_unsupported(n, "to integers of 4 bits is not supported");
}

/* The axis counts where there is more than one scale. */
void vt__onnx_quantize(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *scale = vt__onnx_need(n, 1);
    bool back = !strcmp(n->p->op_type, "DequantizeLinear");
    if (back && vt__onnx_int(n, "block_size", 0)) {
        dequantize_blocks(n, vt__onnx_int(n, "block_size", 0));
        return;
    }
    if (!back) refuse_four_bits(n);
    int64_t axis = vt__onnx_int(n, "axis", 1);
    bool many = vt_gtype_count(&scale->type) != 1;
    uint32_t at = many ? vt__onnx_axis(n, axis, x->type.rank) : 0;
    vt__onnx_out(n, 0, linear(n, vt_gop_find(n->p->op_type), x, scale, vt__onnx_in(n, 2), at));
}

/* Input i with the scale and the zero point after it, as floats; and back. */
static vt_gvalue *dequantized(const vt_onnx_node *n, size_t i) {
    return linear(n, VT_G_DEQUANTIZE_LINEAR, vt__onnx_need(n, i), vt__onnx_need(n, i + 1), vt__onnx_in(n, i + 2), 0);
}

static void give_quantized(const vt_onnx_node *n, vt_gvalue *v, size_t i) {
    vt__onnx_out(n, 0, linear(n, VT_G_QUANTIZE_LINEAR, v, vt__onnx_need(n, i), vt__onnx_in(n, i + 1), 0));
}

void vt__onnx_qlinear_binary(const vt_onnx_node *n) {
    vt_gvalue *a = dequantized(n, 0), *b = dequantized(n, 3);
    vt_gop op = !strcmp(n->p->op_type, "QLinearMul") ? VT_G_MUL : VT_G_ADD;
    give_quantized(n, vt__onnx_make(n, op, VT_ONNX_INPUTS(a, b), 0, NULL), 6);
}

void vt__onnx_qlinear_unary(const vt_onnx_node *n) {
    vt_gvalue *x = dequantized(n, 0);
    if (!strcmp(n->p->op_type, "QLinearSigmoid"))
        x = vt__onnx_make(n, VT_G_SIGMOID, 1, &x, 0, NULL);
    else
        x = vt__onnx_make(n, VT_G_LEAKY_RELU, 1, &x,
                          VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(ALPHA, vt__onnx_float(n, "alpha", 0.01))));
    give_quantized(n, x, 3);
}

void vt__onnx_qlinear_pool(const vt_onnx_node *n) {
    vt_gvalue *x = dequantized(n, 0);
    bool global = !strcmp(n->p->op_type, "QLinearGlobalAveragePool");
    x = global ? vt__onnx_global_pool_of(n, VT_G_AVERAGE_POOL, x) : vt__onnx_pool_of(n, VT_G_AVERAGE_POOL, x);
    give_quantized(n, x, 3);
}

/* Scale and zero point of the result come first. */
void vt__onnx_qlinear_concat(const vt_onnx_node *n) {
    uint32_t count = (uint32_t)(n->p->n_input > 2 ? (n->p->n_input - 2) / 3 : 0);
    vt_gvalue **in = VT_NEW_ARRAY(n->r->ctx, vt_gvalue *, count);
    if (!count || (n->p->n_input - 2) % 3) vt__onnx_wrong(n, "%zu inputs", n->p->n_input);
    for (uint32_t i = 0; i < count; i++) in[i] = dequantized(n, 2 + 3 * i);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), in[0]->type.rank);
    give_quantized(n, vt__onnx_make(n, VT_G_CONCAT, count, in, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis))), 0);
}

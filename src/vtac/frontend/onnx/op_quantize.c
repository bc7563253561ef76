/* Quantization, and ONNX Runtime's operators on quantized values: what they mean is said with DequantizeLinear, the
 * operator on floats, and QuantizeLinear. */
#include <string.h>

#include "frontend/onnx/priv.h"

static vt_gvalue *linear(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero,
                         uint32_t axis) {
    return vt__onnx_make(n, op, VT_ONNX_INPUTS(x, scale, zero), VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

/* The axis counts where there is more than one scale. */
void vt__onnx_quantize(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *scale = vt__onnx_need(n, 1);
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

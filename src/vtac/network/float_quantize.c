/* QuantizeLinear and DequantizeLinear on the host, where they are no conversion of the network: integers that a model
 * computes with, or gives. */
#include "network/float.h"

/* One number for each place along the axis: extents of 1 around it. */
static void spread(vt__float_node *o, uint32_t operand) {
    vt_host_shape *s = &o->shapes[operand];
    uint32_t rank = o->is->inputs[0]->type.rank, axis = (uint32_t)vt_gattr_int(o->is, VT_A_AXIS);
    int64_t count = s->dim[0];
    if (operand >= o->is->input_count || s->ndim != 1 || count == 1) return;
    s->ndim = (int32_t)rank;
    for (uint32_t i = 0; i < rank; i++) s->dim[i] = i == axis ? count : 1;
}

/* Saturated first, as in the evaluator: the bounds are integers, so that rounding does not leave them. */
static const char *quantize(const vt__float_node *o) {
    vt_ctx *ctx = o->n->ctx;
    vt_element to = o->l->output->type.element;
    bool zeros = vt_ginput_given(o->is, 2);
    const char *zero = zeros ? " - float32($2)" : "";
    const char *low = vt_new_format(ctx, "(float32(%.0f)%s)", vt_element_least(to), zero);
    const char *high = vt_new_format(ctx, "(float32(%.0f)%s)", vt_element_max(to), zero);
    const char *y = "(float32($0) / $1)";
    return vt_new_format(ctx,
                         "int32(nearbyint(select(fabs%s <= float32(1e39), select(%s < %s, %s, select(%s > %s, %s, %s)),"
                         " 0.0)))%s",
                         y, y, low, low, y, high, high, y, zeros ? " + int32($2)" : "");
}

const char *vt__float_quantized(vt__float_node *o) {
    spread(o, 1);
    spread(o, 2);
    if (o->is->op == VT_G_QUANTIZE_LINEAR) return quantize(o);
    return vt_ginput_given(o->is, 2) ? "float32(int32($0) - int32($2)) * $1" : "float32($0) * $1";
}

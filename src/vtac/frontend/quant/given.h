/* Models that are quantized already: between QuantizeLinear and DequantizeLinear the range of a value is known. */
#ifndef VT_QUANT_GIVEN_H
#define VT_QUANT_GIVEN_H

#include "frontend/quant/range.h"

/* The graph on floats, without the nodes that quantize and dequantize: integer weights become the floats that they
 * stand for, QLinearConv a Conv, QLinearMatMul a MatMul. *out_ranges, by the new graph's values, has the ranges that
 * the model says; NULL when it says none (then the graph is `g`). Where the limits of a pair's integers are not known
 * already, a Clip takes its place. A pair whose scale is not one constant, or differs between its nodes, stays. */
const vt_graph *vt_quant_take_given(const vt_graph *g, vt_ranges **out_ranges);

#endif

/* Models that are quantized already: between QuantizeLinear and DequantizeLinear the range of a value is known. */
#ifndef VT_QUANT_GIVEN_H
#define VT_QUANT_GIVEN_H

#include "frontend/quant/range.h"

/* A value that the model has integers for. */
typedef struct vt_given {
    const char *value;    /* of the graph on floats */
    const char *integers; /* the value of the model; NULL: it is rounded later */
    double step, zero;    /* what one of them stands for, and which stands for 0 */
    double most;          /* the largest magnitude that they stand for */
} vt_given;

typedef struct vt_givens {
    vt_given *item;
    uint32_t count, cap;
} vt_givens;

/* The graph on floats, without the nodes that quantize and dequantize: integer weights become the floats that they
 * stand for, QLinearConv a Conv, QLinearMatMul a MatMul. *out_ranges, by the new graph's values, has the ranges that
 * the model says; NULL when it says none (then the graph is `g`). Where the limits of a pair's integers are not known
 * already, a Clip takes its place. A pair whose scale is not one constant, or differs between its nodes, stays.
 * *out_givens has what was found (NULL: it is not asked for). */
const vt_graph *vt_quant_take_given(const vt_graph *g, vt_ranges **out_ranges, vt_givens *out_givens);

#endif

/* What operators outside of ONNX's own set are made of, over make.h: most of them are ONNX Runtime's. */
#ifndef VT_GRAPH_ONNX_RUNTIME_H
#define VT_GRAPH_ONNX_RUNTIME_H

#include "frontend/onnx/make.h"

/* x times a number, x plus a number; x itself where that changes nothing. */
vt_gvalue *vt__mk_times(const vt_onnx_node *n, vt_gvalue *x, double factor);
vt_gvalue *vt__mk_plus(const vt_onnx_node *n, vt_gvalue *x, double summand);
/* x + b; x where b is NULL. */
vt_gvalue *vt__mk_sum(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *b);
vt_gvalue *vt__mk_clip(const vt_onnx_node *n, vt_gvalue *x, double low, double high);
/* `count` elements of an axis from `start` on; refuses what the axis does not have. */
vt_gvalue *vt__mk_part(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, int64_t start, int64_t count);
/* The last two axes exchanged. */
vt_gvalue *vt__mk_exchanged(const vt_onnx_node *n, vt_gvalue *x);
/* One after the other; NULL entries are left out. */
vt_gvalue *vt__mk_joined(const vt_onnx_node *n, uint32_t axis, uint32_t count, vt_gvalue *const *items);
vt_gvalue *vt__mk_softmax(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis);
/* (x - mean) / sqrt(variance + epsilon) over the last axis, or x / sqrt(mean of squares + epsilon); times scale, plus
 * bias (may be NULL). */
vt_gvalue *vt__mk_normalized(const vt_onnx_node *n, vt_gvalue *x, bool centred, double epsilon, vt_gvalue *scale,
                             vt_gvalue *bias);
/* DequantizeLinear and QuantizeLinear. zero may be NULL. Several scales belong to `axis`. */
vt_gvalue *vt__mk_dequantized(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero, uint32_t axis);
vt_gvalue *vt__mk_quantized(const vt_onnx_node *n, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero, uint32_t axis);

/* Refuses a value that does not have that many axes. */
void vt__want_axes(const vt_onnx_node *n, const vt_gvalue *v, uint32_t rank);
/* An attribute that must be at least 1. */
int64_t vt__want_positive(const vt_onnx_node *n, const char *name, int64_t otherwise);

#endif

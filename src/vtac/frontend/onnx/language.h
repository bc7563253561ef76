/* Language models: what they leave open (language.c). */
#ifndef VT_GRAPH_ONNX_LANGUAGE_H
#define VT_GRAPH_ONNX_LANGUAGE_H

#include "frontend/onnx/priv.h"

/* Sets r->context and r->tokens where the model takes keys and values of earlier tokens; else leaves them 0. */
void vt__onnx_language_begin(vt_onnx_reader *r, const Onnx__ModelProto *m);
/* The extent of an axis of an input that such a model leaves open; -1: nothing says it. */
int64_t vt__onnx_language_extent(const vt_onnx_reader *r, const Onnx__ValueInfoProto *v, uint32_t axis);

#endif

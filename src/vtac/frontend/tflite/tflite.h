/* Models in the TFLite format (schema version 3) as graphs. This folder alone knows the format. */
#ifndef VT_GRAPH_TFLITE_TFLITE_H
#define VT_GRAPH_TFLITE_TFLITE_H

#include "frontend/graph/graph.h"

typedef struct vt_tflite_options {
    const char *name;   /* of the file, for messages */
    int64_t batch;      /* of inputs whose first extent the model leaves open; 0: 1 */
    size_t shape_count; /* of extents given for inputs: a TFLite model has its own, any is refused */
} vt_tflite_options;

/* Do the bytes begin as a TFLite model does? */
bool vt_tflite_is(const void *bytes, size_t size);

/* Reads a model: its first subgraph, and those of its branches. Inputs and outputs keep their shapes (images are N H W
 * C); inside images are N C H W, turned where they come in and go out. Quantized tensors are QuantizeLinear and
 * DequantizeLinear with the file's scales and zero points, around operators on floats. Raises VTA_PARSE for what is not
 * a model, VTA_UNSUPPORTED with one diagnostic for each operator that is not supported, VTA_MISMATCH for what does not
 * fit together. */
const vt_graph *vt_tflite_read(vt_ctx *ctx, const void *bytes, size_t size, const vt_tflite_options *options);

#endif

/* Models in the ONNX format, opsets 7 to 24, as graphs. This folder alone knows the format. */
#ifndef VT_GRAPH_ONNX_ONNX_H
#define VT_GRAPH_ONNX_ONNX_H

#include "frontend/graph/graph.h"

typedef struct vt_onnx_options {
    const char *name;          /* of the file, for messages */
    const char *folder;        /* where data beside the model is looked for; NULL: none is allowed */
    int64_t batch;             /* of a first axis whose extent the model leaves open; 0: 1 */
    const char *const *shapes; /* extents of inputs: "NAME=1,3,224,224", or without NAME where there is one input */
    size_t shape_count;
    int64_t tokens;  /* of a run, where a language model leaves it open; 0: 1 */
    int64_t context; /* tokens that it may see, those of the run included; 0: what the model says, else 512 */
} vt_onnx_options;

/* Reads a model. Raises VTA_PARSE for what is not a model, VTA_UNSUPPORTED with one diagnostic for each node that is
 * not supported, VTA_MISMATCH for what does not fit together, VTA_IO and VTA_NOT_FOUND for data beside it. */
const vt_graph *vt_onnx_read(vt_ctx *ctx, const void *bytes, size_t size, const vt_onnx_options *options);

/* A tensor in ONNX's own file format (.pb), as ONNX's tests have them: a constant of `g`. */
vt_gvalue *vt_onnx_read_tensor(vt_graph *g, const void *bytes, size_t size, const char *name);

#endif

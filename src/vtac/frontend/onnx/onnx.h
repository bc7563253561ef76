/* Models in the ONNX format, opsets 7 to 24, as graphs. This folder alone knows the format. */
#ifndef VT_GRAPH_ONNX_ONNX_H
#define VT_GRAPH_ONNX_ONNX_H

#include "base/strbuf.h"
#include "frontend/graph/graph.h"

/* Data of a tensor of the graph that is not in the message. */
typedef struct vt_onnx_data {
    uint32_t tensor; /* its number among the graph's */
    const void *bytes;
    size_t size;
} vt_onnx_data;

/* A file as a message and the data of large tensors (file.c). */
typedef struct vt_onnx_file {
    vt_strbuf message;
    vt_onnx_data *data;
    uint32_t count;
} vt_onnx_file;

/* Reads the file so. False, and nothing is left: it has no such tensors, or is not of that form; then it is to be read
 * whole, which says what is wrong. The message is to be closed, the data are the context's. A file of spill_bytes
 * (0: 256 MiB) or more has its large data in temporary files. */
bool vt_onnx_open(vt_ctx *ctx, const char *path, size_t spill_bytes, const vta_allocator *allocator,
                  vt_onnx_file *out_file);
void vt_onnx_close(vt_onnx_file *file);

typedef struct vt_onnx_options {
    const char *name;          /* of the file, for messages */
    const vt_onnx_file *file;  /* NULL: all of it is in the message */
    const char *folder;        /* where data beside the model is looked for; NULL: none is allowed */
    int64_t batch;             /* of a first axis whose extent the model leaves open; 0: 1 */
    const char *const *shapes; /* extents of inputs: "NAME=1,3,224,224", or without NAME where there is one input */
    size_t shape_count;
    size_t spill_bytes; /* as for vt_onnx_open: of files beside the model */
    int64_t tokens;     /* of a run, where a language model leaves it open; 0: 1 */
    int64_t context;    /* tokens that it may see, those of the run included; 0: what the model says, else 512 */
} vt_onnx_options;

/* Reads a model. Raises VTA_PARSE for what is not a model, VTA_UNSUPPORTED with one diagnostic for each node that is
 * not supported, VTA_MISMATCH for what does not fit together, VTA_IO and VTA_NOT_FOUND for data beside it. */
const vt_graph *vt_onnx_read(vt_ctx *ctx, const void *bytes, size_t size, const vt_onnx_options *options);

/* A tensor in ONNX's own file format (.pb), as ONNX's tests have them: a constant of `g`. */
vt_gvalue *vt_onnx_read_tensor(vt_graph *g, const void *bytes, size_t size, const char *name);

#endif

/* Writing models in the ONNX format: a graph that grows node by node, in the arena of a context. */
#ifndef VT_GRAPH_ONNX_WRITE_H
#define VT_GRAPH_ONNX_WRITE_H

#include "base/context.h"

typedef struct vt_onnx_writer {
    vt_ctx *ctx;
    struct Onnx__GraphProto *graph;
    uint32_t node_cap, tensor_cap, input_cap, output_cap;
    const char *scope; /* names of nodes begin with it and a slash; "": with nothing */
} vt_onnx_writer;

typedef struct Onnx__NodeProto vt_onnx_written;

typedef enum vt_onnx_port { VT_ONNX_INPUT, VT_ONNX_OUTPUT } vt_onnx_port;

/* An extent that is a number, or, below 0, open: it has this name then. */
typedef struct vt_onnx_extent {
    int64_t value;
    const char *name;
} vt_onnx_extent;

void vt_onnx_write_begin(vt_onnx_writer *w, vt_ctx *ctx, const char *name);
/* The model's bytes, in the arena. `context`: how many tokens a language model may see (metadata "context_length"). */
uint8_t *vt_onnx_write_end(vt_onnx_writer *w, int64_t opset, int64_t context, size_t *out_size);

/* An input or an output of float32 or int64. */
void vt_onnx_write_port(vt_onnx_writer *w, vt_onnx_port port, const char *name, bool whole, uint32_t rank,
                        const vt_onnx_extent *shape);
/* A constant, named outside of the scope: room for its numbers, which are the caller's to set. */
float *vt_onnx_write_floats(vt_onnx_writer *w, const char *name, uint32_t rank, const int64_t *shape);
/* One number, also of int64; a vector of those. They give the name. */
const char *vt_onnx_write_scalar(vt_onnx_writer *w, const char *name, float number);
const char *vt_onnx_write_int64(vt_onnx_writer *w, const char *name, int64_t number);
const char *vt_onnx_write_int64s(vt_onnx_writer *w, const char *name, uint32_t count, const int64_t *numbers);

enum { VT_ONNX_WRITTEN_INPUTS = 6 };

/* A node whose first output is `name` within the scope; inputs end with NULL, "" is left out. */
vt_onnx_written *vt_onnx_write_node(vt_onnx_writer *w, const char *op, const char *name,
                                    const char *const inputs[VT_ONNX_WRITTEN_INPUTS]);
/* One more output, with a name outside of the scope; NULL: output "name_N" within it. */
const char *vt_onnx_write_output(vt_onnx_writer *w, vt_onnx_written *n, const char *name);
const char *vt_onnx_written_name(const vt_onnx_written *n);
/* Gives its first output the name that an output of the graph has. */
void vt_onnx_write_rename(vt_onnx_writer *w, vt_onnx_written *n, const char *name);
void vt_onnx_write_int(vt_onnx_writer *w, vt_onnx_written *n, const char *name, int64_t value);
void vt_onnx_write_ints(vt_onnx_writer *w, vt_onnx_written *n, const char *name, uint32_t count, const int64_t *values);
void vt_onnx_write_float(vt_onnx_writer *w, vt_onnx_written *n, const char *name, float value);

/* A node without attributes, as the name of its output. */
#define VT_ONNX_WRITE(w, op, name, ...)                                                                                \
    vt_onnx_written_name(vt_onnx_write_node(w, op, name, (const char *const[VT_ONNX_WRITTEN_INPUTS]){__VA_ARGS__}))

#endif

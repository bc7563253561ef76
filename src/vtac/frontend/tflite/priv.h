/* What the files of this folder share. */
#ifndef VT_GRAPH_TFLITE_PRIV_H
#define VT_GRAPH_TFLITE_PRIV_H

#include "frontend/tflite/flatbuffer.h"
#include "frontend/tflite/tflite.h"

/* How the axes of a tensor of four are ordered. Others are always as in the file. */
typedef enum vt_tfl_layout { VT_TFL_FILE, VT_TFL_IMAGES, VT_TFL_LAYOUTS } vt_tfl_layout;

typedef struct vt_tfl_tensor {
    const char *name;
    vt_gtype type;    /* as in the file */
    const void *data; /* of a constant; else NULL */
    uint32_t scales;  /* 0: not quantized */
    const float *scale;
    const int64_t *zero;
    uint32_t axis; /* along which there are several scales */
    /* What it is in the graph, as far as it was asked for; NULL: not made. */
    vt_gvalue *stored[VT_TFL_LAYOUTS]; /* of its own type */
    vt_gvalue *real[VT_TFL_LAYOUTS];   /* of floats, where it is quantized */
} vt_tfl_tensor;

typedef struct vt_tfl_reader {
    vt_ctx *ctx;
    vt_graph *g;
    const vt_tflite_options *options;
    vt_fb_table model;
    vt_fb_vector codes, buffers, subgraphs;
    vt_tfl_tensor *tensors;
    uint32_t tensor_count;
    uint32_t depth;    /* of branches within each other */
    uint32_t branches; /* that were read */
    uint32_t refused;  /* operators; each has its diagnostic */
} vt_tfl_reader;

/* One operator on its way. */
typedef struct vt_tfl_node vt_tfl_node;
typedef void vt_tfl_function(const vt_tfl_node *n);

/* A row of operators.def. */
typedef struct vt_tfl_op {
    int code;
    const char *name;
    vt_tfl_function *read;
    vt_gop gop; /* the graph's operator, for functions of several rows */
} vt_tfl_op;

struct vt_tfl_node {
    vt_tfl_reader *r;
    const vt_tfl_op *op;
    const char *name; /* that of its first output */
    uint32_t index;   /* in the subgraph */
    vt_fb_vector inputs, outputs;
    vt_fb_table options;
};

#define VT_TFL_OP(code, name, function, op) vt_tfl_function vt__tfl_##function;
#include "frontend/tflite/operators.def"

/* Refuses the model: the operator is wrong; or it is right and not supported: the others are still looked at. */
_Noreturn void vt__tfl_wrong(const vt_tfl_node *n, const char *fmt, ...) VTA_PRINTF(2, 3);
_Noreturn void vt__tfl_unsupported(const vt_tfl_node *n, const char *fmt, ...) VTA_PRINTF(2, 3);

/* Reads another subgraph (read.c): its inputs are these tensors of the graph around it, out[i] is its output i as it is
 * stored, in the file's layout. */
void vt__tfl_read_branch(const vt_tfl_node *n, int64_t subgraph, uint32_t inputs, vt_tfl_tensor *const *in,
                         uint32_t outputs, vt_gvalue **out);

/* ---- Tensors (tensors.c) ---- */

/* Reads the tensors of a subgraph. */
void vt__tfl_read_tensors(vt_tfl_reader *r, vt_fb_table subgraph);
/* What the file says of the first input beside that, as properties of the graph (metadata.c). */
void vt__tfl_read_metadata(vt_tfl_reader *r, vt_fb_table subgraph);
/* Input or output i of the operator; NULL where it is left out. _need refuses that. */
vt_tfl_tensor *vt__tfl_in(const vt_tfl_node *n, uint32_t i);
vt_tfl_tensor *vt__tfl_need(const vt_tfl_node *n, uint32_t i);
vt_tfl_tensor *vt__tfl_out(const vt_tfl_node *n, uint32_t i);
/* The tensor's elements as they are; as floats. */
vt_gvalue *vt__tfl_stored(const vt_tfl_node *n, vt_tfl_tensor *t, vt_tfl_layout layout);
vt_gvalue *vt__tfl_real(const vt_tfl_node *n, vt_tfl_tensor *t, vt_tfl_layout layout);
/* Floats of weights, their axes in the order O first; several scales are one for each output. */
vt_gvalue *vt__tfl_weights(const vt_tfl_node *n, vt_tfl_tensor *t, const int64_t *perm);
/* Floats in the file's layout as the tensor's integers. */
vt_gvalue *vt__tfl_quantized(const vt_tfl_node *n, const vt_tfl_tensor *t, vt_gvalue *v);
/* The layout in which it is there already. */
vt_tfl_layout vt__tfl_layout_of(const vt_tfl_tensor *t);
/* Output i is this, of floats: it is quantized where the tensor is. */
void vt__tfl_give(const vt_tfl_node *n, uint32_t i, vt_gvalue *v, vt_tfl_layout layout);
/* The same of what is stored already: integers, where the tensor is quantized; in the file's layout. */
void vt__tfl_give_stored(const vt_tfl_node *n, uint32_t i, vt_gvalue *v);
/* Constant integers; `what` they are, for the message where they are computed. */
const int64_t *vt__tfl_ints(const vt_tfl_node *n, uint32_t i, const char *what, uint32_t *out_count);

/* ---- Making nodes ---- */
vt_gvalue *vt__tfl_make(const vt_tfl_node *n, vt_gop op, uint32_t input_count, vt_gvalue *const *inputs,
                        uint32_t attribute_count, const vt_gattr *attributes);
#define VT_TFL_INPUTS(...)                                                                                             \
    (uint32_t)(sizeof((vt_gvalue *[]){__VA_ARGS__}) / sizeof(vt_gvalue *)), (vt_gvalue *[]) { __VA_ARGS__ }
#define VT_TFL_ATTRIBUTES(...)                                                                                         \
    (uint32_t)(sizeof((vt_gattr[]){__VA_ARGS__}) / sizeof(vt_gattr)), (vt_gattr[]) { __VA_ARGS__ }
vt_gvalue *vt__tfl_reshape(const vt_tfl_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims);
/* By a permutation of its axes; a reshape where only axes of one element move. */
vt_gvalue *vt__tfl_transpose(const vt_tfl_node *n, vt_gvalue *x, const int64_t *perm);
/* The function that options name at field `id` ("fused_activation_function"), of a value. */
vt_gvalue *vt__tfl_activation(const vt_tfl_node *n, unsigned id, vt_gvalue *v);
/* An axis of a tensor as the file counts it, from the end where it is negative; where it is in a layout. */
uint32_t vt__tfl_axis(const vt_tfl_node *n, int64_t axis, uint32_t rank, vt_tfl_layout layout);

#endif

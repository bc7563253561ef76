/* What the files of this folder share. */
#ifndef VT_GRAPH_ONNX_PRIV_H
#define VT_GRAPH_ONNX_PRIV_H

#include "frontend/onnx/onnx.h"
#include "onnx.pb-c.h"

enum { VT_ONNX_OLDEST = 7, VT_ONNX_NEWEST = 24 };

typedef struct vt_onnx_map_entry {
    const char *key;
    void *value;
} vt_onnx_map_entry;

/* Pointers by name; keys are borrowed. */
typedef struct vt_onnx_map {
    vt_onnx_map_entry *entries;
    uint32_t count, cap;
    const struct vt_onnx_map *outer; /* where a key is looked for that is not here; NULL: nowhere */
} vt_onnx_map;

void *vt__onnx_map_get(const vt_onnx_map *m, const char *key);
/* The same without the outer map. */
void *vt__onnx_map_own(const vt_onnx_map *m, const char *key);
/* False when the key is there already, in the outer map not counting. */
bool vt__onnx_map_put(vt_ctx *ctx, vt_onnx_map *m, const char *key, void *value);

struct vt_onnx_four_bits;
struct vt_onnx_functions;
struct vt_onnx_rows;
typedef struct vt_onnx_sequence vt_onnx_sequence; /* op_sequence.c */

typedef struct vt_onnx_reader {
    vt_ctx *ctx;
    vt_graph *g;
    const vt_onnx_options *options;
    const Onnx__GraphProto *from;
    int64_t opset;
    bool quantlab;                       /* the model is QuantLab's: it imports its domain, PACTOps */
    vt_onnx_map values;                  /* vt_gvalue by ONNX's name */
    vt_onnx_map sequences;               /* vt_onnx_sequence by ONNX's name */
    vt_onnx_map *tensors;                /* vt_gvalue of those in bodies, by the address of their message */
    vt_onnx_map symbols;                 /* int64_t by the name that the model gives an extent */
    struct vt_onnx_four_bits *four_bits; /* of the whole model; NULL for a single tensor */
    int64_t context, tokens;             /* of a language model: what it may see, and take in a run; else 0 */
    const char *open;                    /* options that would give the extents that are left open; NULL: none is */
    uint32_t body_nodes; /* that were read in bodies of If, Loop and Scan, and steps of LSTM, GRU and RNN in them */
    bool in_body;        /* of If, Loop or Scan, or of a function */
    struct vt_onnx_functions *functions; /* that the model brings along; NULL: none */
    struct vt_onnx_rows *rows;           /* values whose rows are counted when the model runs (rows.h) */
    uint32_t calls;                      /* of functions, in one another */
    uint32_t refused;                    /* nodes and attributes that are not supported; each has its diagnostic */
} vt_onnx_reader;

/* Constants whose integers have 4 bits in the file, and are bytes in memory. */
typedef struct vt_onnx_four_bits {
    const vt_gvalue **item;
    uint32_t count, cap;
} vt_onnx_four_bits;

void vt__onnx_note_four_bits(vt_onnx_reader *r, const vt_gvalue *v);
bool vt__onnx_has_four_bits(const vt_onnx_reader *r, const vt_gvalue *v);

/* One node on its way. */
typedef struct vt_onnx_node {
    vt_onnx_reader *r;
    const Onnx__NodeProto *p;
    const char *name;
    vt_gvalue **narrowed; /* inputs of float64 as float32, once they are asked for; NULL: they stay (wide.c) */
} vt_onnx_node;

typedef void vt_onnx_function(const vt_onnx_node *n);

/* wide.c: reads a node whose operator has no form in float64 with inputs in float32; what it gives becomes float64. */
void vt__onnx_start_narrow(vt_onnx_node *n);
vt_gvalue *vt__onnx_narrow_in(const vt_onnx_node *n, size_t i, vt_gvalue *v);
vt_gvalue *vt__onnx_wide_out(const vt_onnx_node *n, vt_gvalue *v);

typedef struct vt_onnx_attribute {
    const char *name;
    Onnx__AttributeProto__AttributeType type;
    const char *values;
} vt_onnx_attribute;

typedef struct vt_onnx_op {
    const char *name, *domain;
    const char *versions; /* of ONNX's own set: since when it means what it does, the first one in front; else NULL */
    vt_onnx_function *read;
    vt_onnx_attribute attributes[16];
} vt_onnx_op;

#define VT_ONNX_OP(name, domain, function, ...) vt_onnx_function vt__onnx_##function;
#include "frontend/onnx/operators.def"

/* NULL when there is none. */
const vt_onnx_op *vt__onnx_op(const Onnx__NodeProto *p);
/* Reports every node and attribute of the graph that the table has not. */
void vt__onnx_check(vt_onnx_reader *r);
/* The order in which nodes can be read; refuses cycles, values computed twice and values from nowhere. */
const uint32_t *vt__onnx_order(vt_onnx_reader *r);
/* Refuses bytes in which messages are nested deeper than the stack may grow. */
void vt__onnx_check_depth(vt_ctx *ctx, const char *name, const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
                          size_t size);
/* A name that is never NULL; of a node without one that of its first output. */
const char *vt__onnx_name(const char *name);
const char *vt__onnx_node_name(const Onnx__NodeProto *p);
Onnx__AttributeProto__AttributeType vt__onnx_attribute_type(const Onnx__AttributeProto *a);

/* The nodes of a body, which sees the values of the graph around it. in: values for its inputs; out: as many as it has
 * outputs. */
void vt__onnx_read_body(vt_onnx_reader *r, const Onnx__GraphProto *body, vt_gvalue *const *in, vt_gvalue **out);
/* functions.c: functions that the model brings along. That which a node calls; NULL: none. */
void vt__onnx_functions_begin(vt_onnx_reader *r, const Onnx__ModelProto *m);
const Onnx__FunctionProto *vt__onnx_called(vt_onnx_reader *r, const Onnx__NodeProto *p);
/* Reads the nodes of the function that a node calls. */
void vt__onnx_call(const vt_onnx_node *n, const Onnx__FunctionProto *f);
/* The nodes of r->from, whose inputs are known: reports all that is not supported. */
void vt__onnx_read_inner(vt_onnx_reader *r);
/* A message in the arena; refuses bytes that are none, or nested too deep. */
void *vt__onnx_unpack(vt_ctx *ctx, const char *name, const ProtobufCMessageDescriptor *type, const void *bytes,
                      size_t size);
/* Counts nodes that are made by unrolling; refuses the node where there are too many in all. */
void vt__onnx_count_unrolled(const vt_onnx_node *n, size_t nodes);
/* Refuses the model: what is wrong with it. */
_Noreturn void vt__onnx_refuse(vt_onnx_reader *r, const char *fmt, ...) VTA_PRINTF(2, 3);
/* The same for a node. */
_Noreturn void vt__onnx_wrong(const vt_onnx_node *n, const char *fmt, ...) VTA_PRINTF(2, 3);
/* The node is right, but not supported: the others are still looked at. */
_Noreturn void vt__onnx_unsupported(const vt_onnx_node *n, const char *fmt, ...) VTA_PRINTF(2, 3);

/* ---- Tensors ---- */

/* A tensor as a constant. */
vt_gvalue *vt__onnx_tensor(vt_onnx_reader *r, const Onnx__TensorProto *t, const char *name);
/* The data of a tensor that lies beside the model. */
/* From how many bytes on the data of a file of that size are put into temporary files; from: vt_onnx_open's. */
size_t vt__onnx_spill(uint64_t file_bytes, size_t from);
const void *vt__onnx_external(vt_onnx_reader *r, const Onnx__TensorProto *t, size_t bytes);
bool vt__onnx_element(int64_t type, vt_element *out_element);
/* Of types whose elements in files differ from those in memory (packed.c): are they such, as what, their data. */
bool vt__onnx_is_packed(int64_t type);
bool vt__onnx_packed_element(int64_t type, vt_element *out_element);
const void *vt__onnx_packed(vt_onnx_reader *r, const Onnx__TensorProto *p, int64_t elements, const char *name);

/* ---- For the functions that read an operator ---- */

/* Input i; NULL where it is left out. _need refuses that. */
vt_gvalue *vt__onnx_in(const vt_onnx_node *n, size_t i);
vt_gvalue *vt__onnx_need(const vt_onnx_node *n, size_t i);
/* Is output i named, and so may be used. */
bool vt__onnx_wants(const vt_onnx_node *n, size_t i);
/* Does anything in the graph read output i, or is it an output of the graph. */
bool vt__onnx_is_read(const vt_onnx_node *n, size_t i);
/* Output i is this value. */
void vt__onnx_out(const vt_onnx_node *n, size_t i, vt_gvalue *v);

/* A list of numbers; given: false where there is none. */
typedef struct vt_onnx_ints {
    const int64_t *item;
    uint32_t count;
    bool given;
} vt_onnx_ints;

bool vt__onnx_has(const vt_onnx_node *n, const char *name);
int64_t vt__onnx_int(const vt_onnx_node *n, const char *name, int64_t otherwise);
double vt__onnx_float(const vt_onnx_node *n, const char *name, double otherwise);
const char *vt__onnx_string(const vt_onnx_node *n, const char *name, const char *otherwise);
vt_onnx_ints vt__onnx_ints_of(const vt_onnx_node *n, const char *name);
const Onnx__AttributeProto *vt__onnx_attribute_of(const vt_onnx_node *n, const char *name);
/* Input i as numbers known now. `what` it is, for the message of one that is computed. */
vt_onnx_ints vt__onnx_constant_ints(const vt_onnx_node *n, size_t i, const char *what);
/* From an attribute up to the opset before `since`, from input i after that. */
vt_onnx_ints vt__onnx_ints_either(const vt_onnx_node *n, const char *name, int64_t since, size_t i);
/* The only number of a constant input; refuses others. */
double vt__onnx_constant_number(const vt_onnx_node *n, size_t i, const char *what);
/* An axis, counted from the end where it is negative, of `rank` axes. */
uint32_t vt__onnx_axis(const vt_onnx_node *n, int64_t axis, uint32_t rank);

/* Makes a node of the graph, and gives its first output. What is small and depends on constants alone is computed
 * at once, so that shapes are known. */
vt_gvalue *vt__onnx_make(const vt_onnx_node *n, vt_gop op, uint32_t input_count, vt_gvalue *const *inputs,
                         uint32_t attribute_count, const vt_gattr *attributes);
#define VT_ONNX_INPUTS(...)                                                                                            \
    (uint32_t)(sizeof((vt_gvalue *[]){__VA_ARGS__}) / sizeof(vt_gvalue *)), (vt_gvalue *[]) { __VA_ARGS__ }
#define VT_ONNX_ATTRIBUTES(...)                                                                                        \
    (uint32_t)(sizeof((vt_gattr[]){__VA_ARGS__}) / sizeof(vt_gattr)), (vt_gattr[]) { __VA_ARGS__ }
vt_gvalue *vt__onnx_reshape_to(const vt_onnx_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims);
/* All int64, as a tensor of one axis. */
vt_gvalue *vt__onnx_ints_value(const vt_onnx_node *n, uint32_t count, const int64_t *values);
/* MaxPool or AveragePool of a value, with the node's attributes; a pool of all pixels. */
vt_gvalue *vt__onnx_pool_of(const vt_onnx_node *n, vt_gop op, vt_gvalue *x);
vt_gvalue *vt__onnx_global_pool_of(const vt_onnx_node *n, vt_gop op, vt_gvalue *x);

#endif

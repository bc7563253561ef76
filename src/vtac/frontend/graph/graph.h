/* The graph of a network: values, and the nodes that compute them.
 *
 * Everything lives in the arena of a vt_ctx. A graph is well formed from its first node on: every extent is known, a
 * node's inputs exist before it, its outputs have the types that its operator gives them. What is wrong raises.
 * A graph that is finished is not changed: a pass makes another one (frontend/graph/rewrite.h), which shares constant
 * data. */
#ifndef VT_GRAPH_GRAPH_H
#define VT_GRAPH_GRAPH_H

#include "base/strbuf.h"
#include "frontend/graph/type.h"

/* ---- Operators and attributes: frontend/graph/operators.def, frontend/graph/attributes.def
 * ----------------------------------------- */

typedef enum vt_gop {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) VT_G_##name,
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
    VT_GOP_COUNT
} vt_gop;

typedef enum vt_gattr_name {
#define VT_GRAPH_ATTRIBUTE(name, text, kind) VT_A_##name,
#define VT_GRAPH_WORD(attribute, name, text)
#include "frontend/graph/attributes.def"
    VT_GATTR_COUNT
} vt_gattr_name;

typedef enum vt_gattr_kind {
    VT_GATTR_INT,
    VT_GATTR_FLOAT,
    VT_GATTR_INTS,
    VT_GATTR_FLOATS,
    VT_GATTR_WORD,
    VT_GATTR_ELEMENT
} vt_gattr_kind;

/* What an attribute of words may be: VT_PADDING_CONSTANT, VT_SAMPLING_LINEAR. */
typedef enum vt_gword {
#define VT_GRAPH_ATTRIBUTE(name, text, kind)
#define VT_GRAPH_WORD(attribute, name, text) VT_##attribute##_##name,
#include "frontend/graph/attributes.def"
    VT_GWORD_COUNT
} vt_gword;

typedef struct vt_gattr {
    vt_gattr_name name;
    int64_t i;      /* INT, WORD (a vt_gword), ELEMENT (a vt_element) */
    double f;       /* FLOAT */
    uint32_t count; /* INTS, FLOATS */
    const int64_t *ints;
    const double *floats;
} vt_gattr;

enum { VT_MANY = 1 << 20, VT_MAX_ATTRIBUTES = 6 };

typedef enum vt_gop_elements {
    VT_GOP_FLOATS,
    VT_GOP_NUMBERS,
    VT_GOP_BYTES,
    VT_GOP_BOOLS,
    VT_GOP_ANY,
    VT_GOP_REALS
} vt_gop_elements;

typedef struct vt_gop_info {
    const char *text, *meaning;
    uint32_t least, most, outputs; /* inputs, outputs */
    vt_gop_elements elements;
} vt_gop_info;

const vt_gop_info *vt_gop_get(vt_gop op);
const char *vt_gop_text(vt_gop op);
/* By text; VT_GOP_COUNT for another one. */
vt_gop vt_gop_find(const char *text);
/* Its attributes with their values where nothing is given; how many. */
uint32_t vt_gop_attributes(vt_gop op, vt_gattr out_attributes[VT_MAX_ATTRIBUTES]);
const char *vt_gattr_text(vt_gattr_name name);
vt_gattr_kind vt_gattr_kind_of(vt_gattr_name name);
const char *vt_gword_text(vt_gword word);
/* The word of an attribute with that text; VT_GWORD_COUNT when there is none. */
vt_gword vt_gword_find(vt_gattr_name attribute, const char *text);

/* ---- Values, nodes, graphs
 * ------------------------------------------------------------------------------------------- */

typedef struct vt_gnode vt_gnode;

typedef struct vt_gvalue {
    const char *name; /* unique in the graph; passes keep it */
    vt_gtype type;
    uint32_t index;     /* in the graph's list */
    const vt_gnode *by; /* what computes it; NULL: an input or a constant */
    uint32_t output;    /* which of its outputs */
    const void *data;   /* of a constant, row-major; else NULL */
} vt_gvalue;

struct vt_gnode {
    const char *name;
    vt_gop op;
    uint32_t index; /* in the graph's list */
    uint32_t input_count, output_count;
    vt_gvalue **inputs; /* NULL: an optional input that was left out; trailing ones are not counted */
    vt_gvalue **outputs;
    uint32_t attribute_count;
    const vt_gattr *attributes; /* all that the operator has, in the order of its row */
};

typedef struct vt_gvalues {
    vt_gvalue **item;
    uint32_t count, cap;
} vt_gvalues;

/* What a file says beside the network. */
typedef struct vt_gproperty {
    const char *key, *value;
} vt_gproperty;

typedef struct vt_graph {
    vt_ctx *ctx;
    const vt_ctx *read_in; /* the context in which the model was read, which owns its constants' data */
    const char *name;
    const vt_gproperty *properties; /* of the graph as it was read: passes leave them out */
    uint32_t property_count;
    vt_gvalues values; /* all */
    vt_gvalues inputs, outputs;
    const char **output_names; /* what users call the outputs; a value may be two of them */
    vt_gnode **nodes;          /* in an order in which every value is computed before it is used */
    uint32_t node_count, node_cap;
    vt_gvalue **names; /* values by name: a hash table of name_cap places */
    uint32_t name_cap;
} vt_graph;

static inline bool vt_gvalue_is_constant(const vt_gvalue *v) { return v && v->data; }

/* Attribute of a node, which its operator must have. */
const vt_gattr *vt_gattr_of(const vt_gnode *n, vt_gattr_name name);
static inline int64_t vt_gattr_int(const vt_gnode *n, vt_gattr_name name) { return vt_gattr_of(n, name)->i; }
static inline double vt_gattr_float(const vt_gnode *n, vt_gattr_name name) { return vt_gattr_of(n, name)->f; }
static inline const int64_t *vt_gattr_ints(const vt_gnode *n, vt_gattr_name name) { return vt_gattr_of(n, name)->ints; }
static inline vt_gtype vt_ginput_type(const vt_gnode *n, uint32_t i) { return n->inputs[i]->type; }
static inline bool vt_ginput_given(const vt_gnode *n, uint32_t i) { return i < n->input_count && n->inputs[i]; }

/* Does a Resize take every element as often as the extents say: element y of an axis is y / factor, rounded down? */
bool vt_gresize_repeats(const vt_gnode *n);

/* The value of that name; NULL when there is none. */
vt_gvalue *vt_graph_find(const vt_graph *g, const char *name);
/* How often each value is read, a graph's output counting as one use; by value index. */
uint32_t *vt_graph_uses(const vt_graph *g);

/* ---- Building
 * ---------------------------------------------------------------------------------------------------------- */

vt_graph *vt_graph_new(vt_ctx *ctx, const char *name);
vt_gvalue *vt_graph_input(vt_graph *g, const char *name, vt_gtype type);
/* `data` (of the type's size) must live as long as the graph. Name: a new one is made of it where it is taken. */
vt_gvalue *vt_graph_constant(vt_graph *g, const char *name, vt_gtype type, const void *data);
vt_gvalue *vt_graph_scalar(vt_graph *g, const char *name, float value);
/* Name NULL: the value's. */
void vt_graph_output(vt_graph *g, vt_gvalue *v, const char *name);

/* Attributes that differ from the operator's own: (vt_gattr[]){VT_GSET_INT(AXIS, 1), VT_GSET_INTS(PADS, 4, pads)}.
 * Lists are copied. */
#define VT_GSET_INT(name_, value) {.name = VT_A_##name_, .i = (value)}
#define VT_GSET_FLOAT(name_, value) {.name = VT_A_##name_, .f = (value)}
#define VT_GSET_INTS(name_, count_, ...) {.name = VT_A_##name_, .count = (uint32_t)(count_), .ints = (__VA_ARGS__)}
#define VT_GSET_FLOATS(name_, count_, ...) {.name = VT_A_##name_, .count = (uint32_t)(count_), .floats = (__VA_ARGS__)}

/* What a node is made of. Names are made unique: outputs are called as the node, or as output_names says. */
typedef struct vt_gnode_spec {
    vt_gop op;
    const char *name;                /* NULL: the operator's */
    const char *const *output_names; /* NULL: made of the node's; so are those that are NULL or "" */
    uint32_t input_count, attribute_count;
    vt_gvalue *const *inputs;
    const vt_gattr *attributes;
} vt_gnode_spec;

/* Checks it, infers the types of its outputs, and appends it. Raises VTA_MISMATCH, which names the node, for what the
 * operator does not allow. Gives the node; its first output is outputs[0]. */
const vt_gnode *vt_graph_add(vt_graph *g, const vt_gnode_spec *spec);
/* The same for one or two inputs and one output. b may be NULL. */
vt_gvalue *vt_graph_apply(vt_graph *g, vt_gop op, const char *name, vt_gvalue *a, vt_gvalue *b,
                          uint32_t attribute_count, const vt_gattr *attributes);

/* Raises VTA_MISMATCH: "node conv1 (Conv): " and the message. */
_Noreturn void vt_gnode_refuse(vt_ctx *ctx, const vt_gnode *n, const char *fmt, ...) VTA_PRINTF(3, 4);

/* ---- Looking
 * ----------------------------------------------------------------------------------------------------------- */

/* The graph as text, one line a node; belongs to the graph's arena. */
const char *vt_graph_text(const vt_graph *g);
void vt_graph_print(const vt_graph *g, vt_strbuf *sb);
/* Element `i` of a constant as a number. */
double vt_gelement_at(const vt_gvalue *v, size_t i);
/* One node's line, without a newline. */
void vt_gnode_print(const vt_gnode *n, vt_strbuf *sb);
/* Checks everything that a pass could break: raises VTA_INTERNAL, with `after` (a pass's name) in the message. */
void vt_graph_verify(const vt_graph *g, const char *after);
/* Multiplications of a run: of convolutions and matrix products; and of one node. */
uint64_t vt_gnode_macs(const vt_gnode *n);
uint64_t vt_graph_macs(const vt_graph *g);
/* Elements of all constants that nodes use. */
uint64_t vt_graph_parameters(const vt_graph *g);

#endif

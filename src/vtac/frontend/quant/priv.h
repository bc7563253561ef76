/* What the files of src/vtac/frontend/quant share: a graph on its way to a quantized network. */
#ifndef VT_QUANT_PRIV_H
#define VT_QUANT_PRIV_H

#include "frontend/quant/quant.h"

typedef struct vt__norm vt__norm;

/* A value whose integers have 15 bits: of a stream (norm.c). */
typedef struct vt__stream {
    bool is_sum;  /* a sum that a normalization reads: it may be one */
    bool is;      /* it is */
    bool is_norm; /* the result of a normalization of one: rows of 8 bits */
} vt__stream;

/* Nodes that become one layer: a head, and what follows it as long as nothing else reads what is between. */
typedef struct vt_chain {
    const vt_gnode *head;
    const vt_gvalue *end; /* what the layer computes */
    vt_qkind kind;
    double *scale, *offset; /* of a product: one an output channel, on the float side; offset has the bias. Of a product
                               of two: one factor */
    const vt_gvalue *other; /* what is added to the result: NULL, or a value that an earlier layer computes */
    double floor, ceiling;  /* of a product: the limits of its result before that */
    const vt_gnode *softmax; /* of a product of two: behind it; NULL: none */
    const vt_gvalue *scores; /* and what it computes itself, to which */
    const vt_gvalue *mask;   /* a number for each column is added; NULL: none */
    const vt__norm *norm;    /* NORM: of `from` */
    bool stream;             /* DENSE: `other` and `end` are of a stream */
    const vt_gnode *leaky;   /* LeakyRelu, or NULL; behind it: */
    double least, most;      /* the limits that Relu and Clip set */
    const vt_gvalue *from;   /* TABLE, MOVE: the tensor of which `end` is a function, or has elements, */
    const int32_t *places;   /* MOVE: and from which place of it each of them is; -1: a zero; NULL: not made yet */
    bool plain;              /* its result is of floats */
} vt_chain;

/* Has the layer weights of output channels? */
static inline bool vt__is_product(vt_qkind k) { return k == VT_Q_CONV || k == VT_Q_CONV_TRANSPOSE || k == VT_Q_DENSE; }

typedef struct vt_quantizer {
    vt_ctx *ctx;
    const vt_graph *g;
    const vt_ranges *ranges;
    vt_quant_options options;
    vt_qnet *net;
    const uint32_t *uses;    /* by the value's index */
    const vt_gnode **reader; /* one that reads it */
    vt_chain **chains;       /* by the node's index: of heads; NULL: it belongs to another one's chain */
    vt_chain **makers;       /* by the value's index: the chain that ends with it */
    bool *taken;             /* by the node's index: it belongs to a chain */
    uint32_t *same;          /* by the value's index: another value that has the same scale, or itself */
    const vt_gvalue **root;  /* by the value's index: the tensor of which it is a function; NULL: of none */
    const vt_gvalue **moved; /* by the value's index: the tensor whose elements it has, in other places; NULL: none */
    vt__norm **norms;        /* by the node's index: the normalization that begins with it; NULL: none */
    vt__stream *stream;      /* by the value's index */
    bool *useful;            /* by the value's index: integers of it come to a product */
    bool *leads_on;          /* by the value's index: they come to a product or an output */
    bool *wide;              /* by the value's index: its integers have 16 bits */
    const double **channel;  /* by the value's index: the scales of its channels, relative to its own; NULL: 1 */
    bool *by_channel;        /* by the value's index: each channel of its integers has a scale */
    vt_qtensor **whole;      /* by the value's index: its integers, as an image, */
    vt_qtensor **rows;       /* in rows, of what a product of two computes, */
    vt_qtensor **plain;      /* and as it is in the graph; NULL: not made yet */
} vt_quantizer;

/* chain.c: finds the chains of all nodes. */
void vt__find_chains(vt_quantizer *q);
/* The chain that begins with the node, and with what it takes along of those behind it. */
void vt__start_chain(vt_quantizer *q, const vt_gnode *n);
/* CONV, CONV_TRANSPOSE, DENSE where the accelerator has a layer for the node; else FLOAT. */
vt_qkind vt__product_kind(const vt_gnode *n);
/* Limits, and slopes that are powers of two: what the accelerator computes behind a sum. */
bool vt__is_activation(const vt_gnode *n);
/* Is the value made of integers? An input of the graph is not; what reads it may still quantize it. */
bool vt__is_whole(const vt_quantizer *q, const vt_gvalue *v);
/* channel.c: a constant that broadcasts along everything but the channels (axis 1) of `type`: its numbers, one a
 * channel, in the context's arena; NULL when it is something else. */
double *vt__channel_numbers(vt_ctx *ctx, const vt_gvalue *constant, const vt_gtype *type);

/* scale.c: the values that share a scale, and the scale. */
/* wide.c: the values whose integers have 16 bits. */
void vt__find_wide(vt_quantizer *q);
void vt__tie_scales(vt_quantizer *q);
/* equalize.c: scales of channels. */
void vt__equalize(vt_quantizer *q);
double vt__scale_of(const vt_quantizer *q, const vt_gvalue *v);
bool vt__is_tied(const vt_quantizer *q, const vt_gvalue *v);

/* finite.c: what has no integers is refused by name. A range that float32 can not step through: so small or so large
 * that a step or its reciprocal is not a normal number; */
void vt__check_range(vt_ctx *ctx, const char *name, double most);
/* values that were infinite or not numbers for the samples; */
void vt__check_samples(const vt_quantizer *q, const vt_gvalue *v);
/* constants that become integers, of a node. */
void vt__check_constant(vt_quantizer *q, const vt_gnode *n, const vt_gvalue *constant);
void vt__check_number(vt_ctx *ctx, const vt_gnode *n, double x);

/* net.c: the largest integer of a value; the least is one further from 0. */
int32_t vt__most_of(const vt_quantizer *q, const vt_gvalue *v);
vt_qtensor *vt__tensor_new(vt_quantizer *q, const vt_gvalue *v, vt_gtype type, double scale);
vt_qlayer *vt__layer_new(vt_quantizer *q, vt_qkind kind, const char *name, uint32_t input_count,
                         const vt_qtensor *const *inputs, vt_qtensor *output);
void vt__step(vt_qlayer *l, vt_qstep_kind kind, int32_t number);
/* Numbers for rows and columns; of an image of one row (1, the number). */
void vt__pair_of(const vt_gnode *n, vt_gattr_name name, int64_t out[2]);
/* Strides, dilations and pads of a node; its kernel is the caller's. */
void vt__set_window(vt_qlayer *l, const vt_gnode *n);
/* Is the value one that the host makes integers of, for products only? */
bool vt__is_operand(const vt_quantizer *q, const vt_gvalue *v);
/* The integers of a value as an image, those that its layer computes, and the value as in the graph: a layer that
 * converts is added where there is none yet. */
vt_qtensor *vt__as_whole(vt_quantizer *q, const vt_gvalue *v);
vt_qtensor *vt__as_integers(vt_quantizer *q, const vt_gvalue *v);
vt_qtensor *vt__as_plain(vt_quantizer *q, const vt_gvalue *v);
/* The tensor of integers that a chain computes. */
vt_qtensor *vt__result(vt_quantizer *q, const vt_gvalue *v);

/* matmul.c: is the node a product of two matrices that layers compute, and worth their moves? A chain that begins with
 * it takes factors along. */
bool vt__is_matmul(const vt_gnode *n);
bool vt__take_factor(vt_quantizer *q, vt_chain *c, const vt_gnode *n);
/* Why a node is none, though both matrices are computed; NULL: it is something else. */
const char *vt__why_no_matmul(const vt_gnode *n);
/* The tensor whose integers come to an operand of it. */
const vt_gvalue *vt__operand_root(const vt_quantizer *q, const vt_gvalue *v);
/* product.c, matmul.c, shape.c: the layer of a chain. */
void vt__add_product(vt_quantizer *q, const vt_chain *c);
void vt__add_matmul(vt_quantizer *q, const vt_chain *c);
void vt__add_pool(vt_quantizer *q, const vt_chain *c);
void vt__add_map(vt_quantizer *q, const vt_chain *c);
void vt__add_moved(vt_quantizer *q, const vt_chain *c);
void vt__add_mul(vt_quantizer *q, const vt_chain *c);
void vt__add_float(vt_quantizer *q, const vt_chain *c);
/* move.c: may the node be of a kind that only moves elements? Does it move integers? Then it waits until something else
 * reads them. */
bool vt__may_move(const vt_gnode *n);
bool vt__is_move(const vt_quantizer *q, const vt_gnode *n);
void vt__defer_move(vt_quantizer *q, const vt_gnode *n);
/* A chain for the value, if it is moved and has none; and the layer of a chain. */
void vt__settle_move(vt_quantizer *q, const vt_gvalue *v);
void vt__add_move(vt_quantizer *q, vt_chain *c);
/* Of each element of a value, its place in the tensor that it is moved from, which may be itself; -1: a zero. */
int32_t *vt__places_between(vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *to);
/* The same of the result of a chain; made once. */
const int32_t *vt__move_places(vt_quantizer *q, vt_chain *c);
/* table.c: of a function; and its floats, from the tensor that it is a function of. */
void vt__add_table(vt_quantizer *q, const vt_chain *c);
vt_qtensor *vt__function_as_plain(vt_quantizer *q, const vt_gvalue *v);
/* steps.c: a chain's activation: LeakyRelu, the limits, and those of the result's element type. */
void vt__add_activation(vt_quantizer *q, vt_qlayer *l, const vt_chain *c);
/* m and n with m / 2^n next to `factor` from 0 to most and m at most `most`, n at most 31. */
void vt__fraction(double factor, int32_t most, int32_t *out_m, int32_t *out_n);

#endif

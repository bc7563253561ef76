/* Quantized networks: layers of integers, with the exact meaning that the accelerator gives them.
 *
 * A graph of floats (frontend/graph/graph.h) and the ranges of its values become a list of layers. A layer is what one
 * operator of the accelerator does: a convolution with bias, requantization, a residual and an activation is one layer.
 * What has no integer form stays a node of the graph, on floats. An integer q of a tensor stands for q * scale.
 *
 * Requantization is a shift: the scale of each output channel's weights is chosen such that scale of input * scale of
 * weights / scale of output is a power of two. Rounding (halves up) is a part of the bias.
 *
 * Everything lives in the arena of the graph's context; what is wrong raises. */
#ifndef VT_QUANT_QUANT_H
#define VT_QUANT_QUANT_H

#include "frontend/graph/graph.h"
#include "frontend/quant/range.h"

typedef enum vt_qkind {
#define VT_QLAYER(name, text, meaning) VT_Q_##name,
#include "frontend/quant/layers.def"
    VT_QKIND_COUNT
} vt_qkind;

typedef enum vt_qstep_kind {
#define VT_QSTEP(name, text, number, channels, tensor, meaning) VT_QSTEP_##name,
#include "frontend/quant/steps.def"
    VT_QSTEP_COUNT
} vt_qstep_kind;

typedef struct vt_qlayer vt_qlayer;

/* How integers lie on the device: as an image of the shape; or, for products of two, as matrices: in rows, as a product
 * reads and gives them, or as the weights of another. */
typedef enum vt_qform { VT_QFORM_IMAGE, VT_QFORM_ROWS, VT_QFORM_WEIGHTS } vt_qform;

/* All elements of a tensor, in their order. */
typedef struct vt_qmatrices {
    int64_t count, rows, columns;
} vt_qmatrices;

typedef struct vt_qtensor {
    const char *name; /* of the value of the graph that it stands for; of its integers */
    vt_gtype type; /* int8, int16 (results that only floats read, or operands of more than 8 bits) or float32; shapes as
                      in the graph */
    double scale;  /* of integers; 0: floats */
    const double *channel; /* one a channel of `value` (axis 1), times the scale; NULL: 1 */
    uint32_t parts;        /* of an operand: what a channel of `value` is in, below; 0: in one integer */
    vt_qform form;
    vt_qmatrices matrices;  /* of a form that is no image */
    bool split;             /* of a stream: 15 bits, in two bytes: the low one, and minus the high one, rounded */
    bool inner;             /* a step between values of the graph: no scale makes it one of them */
    uint32_t index;         /* in the network's list */
    const vt_qlayer *by;    /* NULL: an input of the network, or a constant */
    const vt_gvalue *value; /* of the graph: what it stands for */
} vt_qtensor;

/* An operand may be in several integers, one channel after the other for each channel of the value: its integer of 8
 * bits (the high part); FINE: what that leaves, in steps VT_QFINE_BITS finer; COARSE: the high part in steps
 * VT_QCOARSE_BITS coarser, whose weights are what rounding those of the high part leaves. So a convolution of more
 * channels is a product of operands, or of weights, of more than 8 bits. */
enum { VT_QPART_FINE = 1, VT_QPART_COARSE = 2, VT_QFINE_BITS = 3, VT_QCOARSE_BITS = 3 };

/* Channels of integers for one of the value. */
static inline int64_t vt_qparts_count(uint32_t parts) {
    return 1 + !!(parts & VT_QPART_FINE) + !!(parts & VT_QPART_COARSE);
}

typedef struct vt_qstep {
    vt_qstep_kind kind;
    int32_t number;
    const int32_t *channel; /* one a channel (axis 1) */
    const vt_qtensor *tensor;
} vt_qstep;

/* Rows, then columns. Images of one row take (1, w). */
typedef struct vt_qwindow {
    int64_t kernel[2], strides[2], dilations[2];
    int64_t pads[4]; /* above, on the left, below, on the right */
} vt_qwindow;

enum { VT_QSTREAM_MAX = 16256 }; /* of integers of a stream: the difference of two has 15 bits besides its sign */
enum { VT_QSHARES_BITS = 22, VT_QSTEPS_MAX = 11, VT_QTABLE_INTEGERS = 256 };

struct vt_qlayer {
    const char *name; /* of the first node that it stands for */
    vt_qkind kind;
    uint32_t index;
    uint32_t input_count, step_count;
    const vt_qtensor *const *inputs;
    vt_qtensor *output;
    vt_qwindow window; /* CONV, CONV_TRANSPOSE, MAX_POOL, SUM_POOL */
    int64_t group;     /* CONV */
    int64_t axis;      /* CONCAT */
    bool shares;       /* MATMUL: each row is divided by the sum of its first operand, times 2^22 */
    bool repeated;     /* QUANTIZE: its input is a row, which all rows of the result are */
    bool no_mean;      /* NORM: elements are divided as they are */
    int32_t epsilon;   /* NORM: is added to the sum of squares */
    bool rough;        /* MATMUL: another layer computes the same products */
    bool transposed;   /* QUANTIZE: each matrix of the result is the input's, transposed */
    int64_t scale[2];  /* UPSAMPLE: rows, columns */
    vt_gtype weight_type;
    const int8_t *weight;        /* CONV, CONV_TRANSPOSE: O, I / group, H, W; DENSE: O, I */
    const double *weight_scales; /* one an output channel */
    const double *node_factors;  /* one an output channel: what the weights of the node are multiplied by first, since
                                    constants follow it; NULL: no weights */
    vt_qstep steps[VT_QSTEPS_MAX];
    const void *table;  /* TABLE: int8, or float32 where the output is of floats; results for -128 to 127, in rows: */
    int64_t table_rows; /* one for all, or one a channel */
    const int32_t *places; /* MOVE: of each element of the output, its place in the input; -1: a zero */
    const char *why;       /* FLOAT: of a product of two, why it is not on integers; else NULL */
    const vt_gnode *node;  /* FLOAT: the node; else the last that it stands for */
};

typedef struct vt_qnet {
    vt_ctx *ctx;
    const vt_graph *graph;
    vt_qtensor **tensors;
    vt_qlayer **layers;                   /* in an order in which every tensor is computed before it is used */
    const vt_qtensor **inputs, **outputs; /* as those of the graph */
    uint32_t tensor_count, tensor_cap, layer_count, layer_cap;
} vt_qnet;

/* What was chosen for a value. All zeros: nothing was. */
typedef struct vt_quant_choice {
    bool wide;      /* of a product that only floats read: 16 bits */
    uint32_t parts; /* VT_QPART_...: where the host makes its integers, and only products read them */
} vt_quant_choice;

typedef struct vt_quant_options {
    vt_range_method method;
    double percentile; /* of VT_RANGE_PERCENTILE: 99.99 */
    int32_t most;      /* the largest integer of activations, 127: 2^(bits - 1) - 1 */
    int32_t weight_max;
    int64_t
        wide_max;   /* results that only floats read have 16 bits, of products with so many weights at most; -1: none */
    bool multiply;  /* requantization is a product and a shift */
    bool keep_bias; /* what rounding the weights adds to a channel, on the average, stays there */
    bool equalize;  /* channels of a value may have scales of their own, where products read it */
    bool wide_all;  /* results of 16 bits: of all convolutions that only floats read, not only the last */
    const vt_quant_choice *choices; /* by the value's index; NULL: none */
    const struct vt_qseen *seen;    /* of this network without it: weights are rounded by it; NULL: to the nearest */
} vt_quant_options;

/* The quantized network of a graph, whose values have been observed. */
const vt_qnet *vt_quantize(const vt_graph *g, const vt_ranges *ranges, const vt_quant_options *options);

/* Does a layer on floats read the constant? All others have integers of their own. */
bool vt_qnet_reads(const vt_qnet *net, const void *data);

const char *vt_qkind_text(vt_qkind kind);
const char *vt_qstep_text(vt_qstep_kind kind);
/* The network as text, one line a layer. */
const char *vt_qnet_text(const vt_qnet *net);
/* Rows and columns of a tensor as an image: of [N, C, H, W] those, of [N, C, W] and [N, C] one row. */
void vt_qtensor_image(const vt_gtype *t, int64_t out_n_c_h_w[4]);
bool vt_qtensor_same_image(const vt_gtype *a, const vt_gtype *b);

/* What an integer stands for in a channel. */
static inline double vt_qtensor_scale(const vt_qtensor *t, int64_t channel) {
    return t->channel ? t->scale * t->channel[channel] : t->scale;
}

/* What a float of a channel is multiplied by, before it is rounded to integers between the limits: those of 8 bits, or
 * of parts that hold more. */
static inline float vt_qtensor_factor(const vt_qtensor *t, int64_t channel) {
    return (float)(((t->parts & VT_QPART_FINE) ? 1 << VT_QFINE_BITS : 1) / vt_qtensor_scale(t, channel));
}
static inline void vt_qtensor_limits(const vt_qtensor *t, float *out_least, float *out_most) {
    float fine = t->parts & VT_QPART_FINE ? 1 << VT_QFINE_BITS : 1;
    if (t->split) {
        *out_least = -VT_QSTREAM_MAX, *out_most = VT_QSTREAM_MAX;
        return;
    }
    *out_least = (float)vt_element_least(t->type.element) * fine;
    *out_most = (float)vt_element_max(t->type.element) * fine + (fine > 1 ? fine / 2 - 1 : 0);
}

/* Element `i` of integers. */
static inline int32_t vt_qtensor_at(const vt_qtensor *t, const void *data, int64_t i) {
    return t->type.element == VT_ELEMENT_I8 ? ((const int8_t *)data)[i] : ((const int16_t *)data)[i];
}

#endif

/* A convolution or a matrix product on its way to integers: between product.c and requantize.c. */
#ifndef VT_QUANT_PRODUCT_H
#define VT_QUANT_PRODUCT_H

#include "frontend/quant/priv.h"
#include "frontend/quant/seen.h"

typedef struct vt__product {
    vt_quantizer *q;
    const vt_chain *chain;
    vt_qlayer *layer;
    const vt_qtensor *other; /* the residual; NULL: none */
    int64_t channels, taps;  /* output channels; weights of one */
    int64_t parts;           /* integers for one of them */
    double *weight;          /* of the channel in hand */
    size_t read;             /* bytes of weights since their pages were given back */
    const double *own;       /* the node's bias; NULL: none */
    const double *means;     /* of the input's channels; NULL: unknown, or not wanted */
    double *coverage; /* by the tap's place in the window: the share of outputs for which it is within the image */
    double step;      /* s_out / s_in */
    int32_t common;   /* the shift of all channels, where each has a scale; -1: the result has one scale */
    double *least;    /* one a channel: the finest scale that its weights and its bias allow; 0: any */
    int32_t *shift;   /* one a channel: after all else */
    int32_t *factor;  /* one a channel: of the sum, before the shift; NULL: shifts alone */
    int32_t before;   /* bits that are shifted away before the product */
    int32_t *bias;
    double *scales; /* of the weights */
    int8_t *integers;
    int32_t keep, multiple; /* of the residual: bits to shift away after it, and what it is multiplied by */
} vt__product;

enum { VT__SHIFT_MAX = 16 };

/* What a step of the result's channel is, in steps of the input. */
static inline double vt__step_of(const vt__product *p, int64_t o) {
    const double *channel = p->common < 0 ? p->layer->output->channel : NULL;
    return channel ? p->step * channel[o] : p->step;
}

/* product.c: the weights of an output channel, and its bias with what followed the node. */
void vt__read_weights(vt__product *p, int64_t o);
double vt__bias_of(const vt__product *p, int64_t o);

/* requantize.c: integers for all channels, and how their sums become the result's. */
void vt__set_shifts(vt__product *p);
void vt__set_factors(vt__product *p);

/* adapt.c: rounds the weights by samples where there are some; scales and shifts stay. */
void vt__adapt(vt__product *p);

#endif

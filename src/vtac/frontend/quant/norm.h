/* Normalization of rows in integers, and the stream of sums that it reads. */
#ifndef VT_QUANT_NORM_H
#define VT_QUANT_NORM_H

#include "frontend/quant/priv.h"

/* y = (x - mean) / root(mean square + epsilon) * gamma + beta, along the last axis. */
struct vt__norm {
    const vt_gvalue *x, *y;
    const double *gamma, *beta; /* one number a feature; NULL: 1, 0 */
    double epsilon;
    bool mean;
};

/* Which nodes are some, of sums that may be streams. */
void vt__find_norms(vt_quantizer *q);
/* Is the node, behind a product, a sum of a stream, or a reshape in front of one? Then both are the chain's. */
bool vt__take_stream(vt_quantizer *q, vt_chain *c, const vt_gnode *n);
/* Is an operand of the node one? Then nothing but a normalization, or a sum, works on its integers. */
bool vt__reads_stream(const vt_quantizer *q, const vt_gnode *n);
/* Starts the chain of the normalization whose first node this is; false if its input is not a stream. */
bool vt__start_norm(vt_quantizer *q, const vt_gnode *n);
void vt__add_norm(vt_quantizer *q, const vt_chain *c);
/* Rows of the last axis; what an integer of a stream is, whose largest magnitude that was seen is `most`. */
vt_gtype vt__rows_type(const vt_gtype *t);
double vt__stream_scale(double most);

#endif

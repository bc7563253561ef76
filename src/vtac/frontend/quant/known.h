/* What is known of a value without computing it. */
#ifndef VT_QUANT_KNOWN_H
#define VT_QUANT_KNOWN_H

#include "frontend/graph/graph.h"

typedef struct vt_interval {
    double least, most;
} vt_interval;

/* An interval that holds all elements of a value, whatever the inputs are: behind Relu, Clip, Sigmoid and Softmax, also
 * where pools, means, concatenations and reshapes are between. From minus infinity to infinity where nothing is known.
 */
vt_interval vt_known_interval(const vt_gvalue *v);

#endif

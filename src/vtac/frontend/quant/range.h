/* The ranges of a graph's values: what inputs of a few samples gave, and the range that integers are to cover; and the
 * means of their channels. */
#ifndef VT_QUANT_RANGE_H
#define VT_QUANT_RANGE_H

#include "frontend/graph/graph.h"

/* VT_RANGE_MAX: the largest magnitude seen. PERCENTILE: what so many of the elements do not exceed. KL: where the
 * distribution cut off there and quantized differs least from the one seen (Kullback-Leibler divergence). SQUARES:
 * where the sum of squared errors of rounding and cutting off is least. OUTPUT: the same behind the products that read
 * the value, once it was measured (range_output.h). */
typedef enum vt_range_method {
    VT_RANGE_MAX,
    VT_RANGE_PERCENTILE,
    VT_RANGE_KL,
    VT_RANGE_SQUARES,
    VT_RANGE_OUTPUT
} vt_range_method;

typedef struct vt_ranges vt_ranges;

vt_ranges *vt_ranges_new(vt_ctx *ctx, const vt_graph *g);
/* More elements of a value. Infinities and what is not a number are left out, and noted. */
void vt_ranges_observe(vt_ranges *r, const vt_gvalue *v, const float *data, size_t count);
/* The range that integers from -`most` to `most` are to cover; 0 when nothing but zeros was seen. */
double vt_ranges_of(const vt_ranges *r, const vt_gvalue *v, vt_range_method method, double percentile, int32_t most);
/* Was an element of the value infinite or not a number? The first that was, and its place. */
bool vt_ranges_odd(const vt_ranges *r, const vt_gvalue *v, double *out_element, size_t *out_place);
bool vt_ranges_seen(const vt_ranges *r, const vt_gvalue *v);
/* The mean of each channel (axis 1) over all samples; NULL when nothing was seen, or the value has no channels. */
const double *vt_ranges_means(const vt_ranges *r, const vt_gvalue *v);
/* In the same way the means of squares, and the largest magnitudes. */
const double *vt_ranges_powers(const vt_ranges *r, const vt_gvalue *v);
const double *vt_ranges_peaks(const vt_ranges *r, const vt_gvalue *v);
/* The largest magnitude of a channel in one sample, on the average of the samples. */
const double *vt_ranges_usual_peaks(const vt_ranges *r, const vt_gvalue *v);
/* How many tensors they are of. */
uint64_t vt_ranges_samples(const vt_ranges *r, const vt_gvalue *v);
/* What VT_RANGE_OUTPUT is for a value, until the next vt_ranges_observe. Was one set since? */
void vt_ranges_set_measured(vt_ranges *r, const vt_gvalue *v, double range);
bool vt_ranges_are_measured(const vt_ranges *r);
/* A range that is known from elsewhere (a quantized model says it); the largest of several. */
void vt_ranges_set(vt_ranges *r, const vt_gvalue *v, double most);

#endif

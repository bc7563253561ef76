/* Ranges by what they cost where they are read: the error of the results of products, not that of the value itself. */
#ifndef VT_QUANT_RANGE_OUTPUT_H
#define VT_QUANT_RANGE_OUTPUT_H

#include "frontend/quant/range.h"

/* Finds the range of each value of floats that integers from -`most` to `most` cover with the least error for VT_RANGE_
 * OUTPUT, on samples (data of all inputs, as the graph has them; the first 16, fewer of large networks). Products and
 * means are linear: their result for what rounding and cutting off add to an operand is what these add to the result.
 * Errors of all that read a value so, each against the power of its result, are added up, and the value's own against
 * its power where anything else reads it.
 *
 * Ranges that are known from elsewhere, and those that were measured before and saw no sample since, stay. Values of
 * the graph are all kept meanwhile. */
vta_status vt_ranges_measure(vt_ranges *r, const vt_graph *g, const void *const *const *samples, size_t count,
                             int32_t most, const vta_allocator *allocator, vta_diag *diag);

#endif

/* oneDNN's int8 primitives on the same shapes, for comparison: u8 inputs, s8 weights in the layout that it likes best.
 */
#ifndef BENCH_ONEDNN_H
#define BENCH_ONEDNN_H

#include "conv_stream.h"

/* Seconds of one execution, the best of several batches; negative when oneDNN refuses. */
double onednn_conv(const conv_shape *shape);
double onednn_group_conv(const conv_shape *shape, uint32_t groups);
/* A deconvolution: `height` and `width` are those of the input. */
double onednn_transposed(const conv_shape *shape);
double onednn_matmul(uint32_t rows, uint32_t in, uint32_t out);

#endif

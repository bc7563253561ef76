/* Convolutions as our compiler makes them: bench/kernels/conv_layer.te, or conv_layer_kept.te where the weights of a
 * block of output channels fit on the chip, with the blocking of the layer's size. */
#ifndef CONV_KERNEL_H
#define CONV_KERNEL_H

#include <stddef.h>

#include "conv_stream.h"

const char *conv_kernel_file(const conv_shape *shape);
/* The --param text of a layer; out channels in blocks that fit the default buffers. */
void conv_kernel_params(const conv_shape *shape, char *text, size_t room);
/* Seconds of one call of the compiled layer on the driver `sim`: the runtime's calls, encoding and the device's run.
 * Its result is compared with the reference first. Negative, with a message on stderr, when something failed. */
double conv_kernel_seconds(const vta_config *config, const conv_shape *shape);

#endif

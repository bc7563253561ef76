/* One convolution on one device: compared once, then timed. */
#ifndef CONV_RUN_H
#define CONV_RUN_H

#include "conv_stream.h"

/* Seconds of the fastest of several runs; negative when something failed, which is then printed. `look` (may be NULL)
 * sees the device after the first run. */
double conv_seconds(const char *driver, const vta_config *config, const vta_device_options *options,
                    const conv_shape *shape, void (*look)(vta_device *device, const conv_job *job, void *arg),
                    void *arg);

#endif

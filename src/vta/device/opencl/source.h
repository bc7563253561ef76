/* The text of the OpenCL program for a configuration. */
#ifndef VT_DEVICE_OPENCL_SOURCE_H
#define VT_DEVICE_OPENCL_SOURCE_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "vta/config.h"

extern const char vt_kernel_cl[]; /* kernel.cl */

/* Appends what kernel.cl needs before it, and kernel.cl. `base` and `bytes`: the device's memory. VTA_UNSUPPORTED for
 * scalars that it does not unpack. */
vta_status vt__cl_source(const vta_config *config, uint32_t base, uint64_t bytes, vta_diag *diag, vt_strbuf *to);

#endif

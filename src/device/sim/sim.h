/* sim: the functional simulator. Tokens order instructions, time does not exist. */
#ifndef VT_DEVICE_SIM_SIM_H
#define VT_DEVICE_SIM_SIM_H

#include "device/core/driver.h"
#include "device/core/stream.h"

extern const vt_driver vt_driver_sim;

/* Its run in two halves, for a device that does something in between; device->state is sim's. _prepare decodes the
 * stream and finds the order (clear it when that succeeded). _execute runs stream->to_run instructions of it;
 * *out_found is what the checker has to say, and stands behind an error of the run. */
vta_status vt_sim_prepare(vta_device *device, uint32_t insn_addr, uint32_t count, vta_diag *diag,
                          vt_stream *out_stream);
vta_status vt_sim_execute(vta_device *device, const vt_stream *stream, uint32_t insn_addr, uint32_t wait_cycles,
                          vta_diag *diag, vta_status *out_found);

#endif

/* The functional simulator as a value: DRAM, the machine on it, what was counted and found. The driver `sim` is one;
 * a device that adds something to it (tsim adds time) owns one. */
#ifndef VT_DEVICE_SIM_SIM_H
#define VT_DEVICE_SIM_SIM_H

#include "device/core/stream.h"
#include "device/device.h"
#include "device/findings.h"

typedef struct vt_sim {
    vt_dram dram; /* first: VT_DRAM_MEMORY (device/dram/memory.h) finds it there */
    vt_machine machine;
    vta_counters counters;
    vt_findings found;          /* by checked runs, since the counters were cleared or the options set */
    vta_device_options options; /* without their strings */
    atomic_bool interrupt;      /* raised from any thread; every run begins with it down */
} vt_sim;

/* A sim stays where it was made. `config` and `allocator` outlive it; on failure nothing is left to clear. */
vta_status vt_sim_init(vt_sim *sim, const vta_config *config, const vta_allocator *allocator,
                       const vta_device_options *options, vta_diag *diag);
void vt_sim_clear(vt_sim *sim);
/* A new engine starts with a new machine: on-chip contents do not outlive a change of options. */
vta_status vt_sim_configure(vt_sim *sim, const vta_device_options *options, vta_diag *diag);
void vt_sim_clear_counters(vt_sim *sim);

/* A run in two halves, for a device that does something in between. _prepare decodes the stream and finds the order
 * (clear the stream when that succeeded). _execute runs stream->to_run instructions of it, at most max_work micro-ops
 * and elements (0: no bound); *out_found is what the checker has to say, and comes after an error of the run. */
vta_status vt_sim_prepare(vt_sim *sim, const vt_run *run, vta_diag *diag, vt_stream *out_stream);
vta_status vt_sim_execute(vt_sim *sim, const vt_stream *stream, const vt_run *run, uint32_t max_work, vta_diag *diag,
                          vta_status *out_found);

#endif

/* Devices as the runtime, programs and the debugger use them beyond vta/device.h. Which driver a device has is not
 * seen here: what a device does not offer is VTA_UNSUPPORTED. */
#ifndef VT_DEVICE_DEVICE_H
#define VT_DEVICE_DEVICE_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "vta/device.h"

struct vt_dram;
struct vt_driver;

/* One run of a device: `count` instructions at `insn_addr`. */
typedef struct vt_run {
    uint32_t insn_addr, count;
    uint32_t wait_cycles; /* bounds it on a device that knows time: cycles of its clock; 0: no bound */
    uint32_t max_work;    /* bounds it on one that does not: micro-ops and elements moved; 0: no bound */
    bool continues;       /* goes on with what the run before left on chip: a stream that had to be cut */
} vt_run;

/* The driver of a name; of the configuration's TARGET when `name` is NULL. */
vta_status vt_device_find_driver(const char *name, const vta_config *config, const vta_allocator *allocator,
                                 vta_diag *diag, const struct vt_driver **out_driver);
/* vta_device_create with a driver that need not be in drivers.def. */
vta_status vt_device_create(const struct vt_driver *driver, const vta_config *config, const vta_device_options *options,
                            const vta_allocator *allocator, vta_diag *diag, vta_device **out_device);
/* vta_device_run, with all that a run can say. */
vta_status vt_device_run(vta_device *device, const vt_run *run, vta_diag *diag);
/* Could a stream begin at this address and have so many instructions? VTA_INVALID_ARGUMENT if not. */
vta_status vt_device_check_stream(uint32_t insn_addr, uint32_t count, vta_diag *diag);
/* Is there an FPGA, or something like it, to program? */
bool vt_device_can_be_programmed(const vta_device *device);
/* The allocator that the device was made with. */
const vta_allocator *vt_device_allocator(const vta_device *device);
/* True when host and device always see the same bytes: flush and invalidate have nothing to do. */
bool vt_device_coherent(const vta_device *device);
/* True when a run begins with the tokens that the one before left. */
bool vt_device_keeps_tokens(const vta_device *device);
/* The host memory that is the device's DRAM, for the debugger, which executes on it in the device's place.
 * VTA_UNSUPPORTED where the DRAM is somewhere else. */
vta_status vt_device_dram(vta_device *device, vta_diag *diag, struct vt_dram **out_dram);

/* For long work on a device that is not a run: a flag, lowered now, that vta_device_interrupt raises. */
const atomic_bool *vt_device_watch(vta_device *device);

#endif

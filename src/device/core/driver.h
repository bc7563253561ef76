/* What a driver is: one table of functions, and the part of a device that is the same for all.
 *
 * A new driver: a folder beside device/null (the template), a vt_driver in it, a row in device/drivers.def, a row in
 * the conformance suite (tests/device/test_conformance.c). The public functions (device/device.c) check arguments
 * before a driver sees them. */
#ifndef VT_DEVICE_CORE_DRIVER_H
#define VT_DEVICE_CORE_DRIVER_H

#include <stdatomic.h>

#include "device/core/dram.h"
#include "device/core/findings.h"
#include "vta/device.h"

typedef struct vt_driver {
    const char *name;
    const char *text; /* one line for people */
    bool timed;       /* it knows time: the cycles that a caller of the runtime waits for are this device's */
    /* Makes device->state; all else of the device is ready. May be NULL: no state. */
    vta_status (*create)(vta_device *device, vta_diag *diag);
    /* Frees device->state. May be NULL. Not called when create failed. */
    void (*destroy)(vta_device *device);
    /* device->options holds new options: refuse them (the old ones come back) or take them up. Called with the state
     * of the old ones. May be NULL: reads them at each run. */
    vta_status (*configure)(vta_device *device, vta_diag *diag);
    /* Runs a stream whose address and size were checked. device->interrupt is down when it starts. Never NULL. */
    vta_status (*run)(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles, vta_diag *diag);
    /* device->counters were cleared: what the state counts beside them is, too. May be NULL. */
    void (*cleared)(vta_device *device);
    /* NULL: the device cannot be looked into. Memory and range were checked. */
    vta_status (*peek)(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag);
} vt_driver;

struct vta_device {
    const vt_driver *driver;
    vta_config *config; /* retained */
    vta_allocator allocator;
    vta_device_options options; /* strings point into the arrays below */
    char profile[64], cpu[16];
    vt_dram dram;
    vta_counters counters;
    vt_findings found; /* by checked runs, since the counters were cleared or the options set */
    bool continues;    /* the next run goes on with what the last one left on chip; down after every run */
    atomic_bool interrupt;
    void *state; /* the driver's */
};

#endif

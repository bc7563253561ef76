/* What a driver is: one table of functions, and all that the layers above know of a device.
 *
 * The public functions (device/device.c) check arguments before a driver sees them: no pointer is NULL unless its size
 * is 0, sizes and addresses are as they came. A driver keeps everything that it needs in device->state; a device is
 * used by one thread at a time, but for `interrupt`. A function that may be NULL says what that means.
 *
 * Memory is 32-bit physical addresses in pages of VTA_PAGE_BYTES. A driver whose device has host memory for DRAM takes
 * its memory functions from device/dram/memory.h. docs/devices.md has the steps to a new driver. */
#ifndef VT_DEVICE_DRIVER_H
#define VT_DEVICE_DRIVER_H

#include "device/device.h"
#include "vta/timing.h"

struct vt_findings;
struct vt_json;

typedef struct vt_driver {
    const char *name;
    const char *text; /* one line for people */
    bool coherent;    /* host and device always see the same bytes: the runtime spares flush and invalidate */
    /* A run begins with the tokens that the one before left: the runtime takes them at the end of each. */
    bool keeps_tokens;

    /* ---- Life ---- */
    /* Makes device->state; config and allocator of the device are set. `options` is never NULL; its strings live as
     * long as the call. */
    vta_status (*create)(vta_device *device, const vta_device_options *options, vta_diag *diag);
    /* Frees device->state and all device memory. Not called when create failed. */
    void (*destroy)(vta_device *device);
    /* Takes up new options, or refuses them and keeps the old ones. NULL: no option means anything here. */
    vta_status (*configure)(vta_device *device, const vta_device_options *options, vta_diag *diag);

    /* Is the hardware there, nobody's, and idle? VTA_IO: a process has it; VTA_TIMEOUT: it runs a stream. Takes
     * nothing. NULL: every device of this driver is its maker's only. */
    vta_status (*idle)(const vta_device_options *options, vta_diag *diag);

    /* What this machine has of what such a device needs: members of the object that is open (vta_device_check). Takes
     * and changes nothing. NULL: it needs nothing. */
    vta_status (*check)(const vta_device_options *options, struct vt_json *w, vta_diag *diag);

    /* ---- Memory ---- */
    /* Zeroed pages at an address of the driver's choice. VTA_NO_MEMORY says how much was asked. */
    vta_status (*alloc)(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr);
    /* Zeroed pages at this address. NULL: addresses cannot be chosen. */
    vta_status (*alloc_at)(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
    /* VTA_NOT_FOUND unless `addr` is the start of an allocation. */
    vta_status (*free)(vta_device *device, uint32_t addr, vta_diag *diag);
    /* Copies that the device and the host agree on when they return: on hardware with caches, read invalidates what
     * it reads and write flushes what it wrote. VTA_OUT_OF_RANGE, and nothing copied, when a byte is not allocated. */
    vta_status (*read)(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag);
    vta_status (*write)(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag);
    /* The host's view of `bytes` of one allocation, as long as that lives; NULL: they are not in one. NULL as a
     * function: the host sees none of this device's memory. */
    void *(*map)(vta_device *device, uint32_t addr, size_t bytes);
    /* flush: what the host wrote through `map` reaches the device. invalidate: what the device wrote is seen through
     * `map`. Both VTA_OUT_OF_RANGE when a byte is not allocated; where caches are coherent they only check. */
    vta_status (*flush)(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
    vta_status (*invalidate)(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
    /* The DRAM as host memory (vt_device_dram). NULL: it is somewhere else. */
    struct vt_dram *(*dram)(vta_device *device);

    /* ---- Running ---- */
    /* Runs a stream of good length at an aligned address (vta_device_run says what of it is promised). */
    vta_status (*run)(vta_device *device, const vt_run *run, vta_diag *diag);
    /* Ends the run that is going on, soon; none: does nothing. Called by any thread and in signal handlers. NULL: runs
     * are over at once. */
    void (*interrupt)(vta_device *device);

    /* Loads a bitstream into the hardware, which forgets what it was doing. NULL: there is nothing to program. */
    vta_status (*program)(vta_device *device, const char *bitstream, vta_diag *diag);

    /* ---- What it counted ---- */
    vta_counters (*counters)(const vta_device *device); /* since it was made or cleared */
    void (*clear)(vta_device *device);                  /* counters, timing, findings */
    /* What it measured since it was cleared. NULL: the device does not time. Neither `out` is NULL. */
    vta_status (*timing)(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                         vta_timing_profile *out_profile);
    /* What checked runs found (device/findings.h). NULL: it does not check. */
    const struct vt_findings *(*findings)(const vta_device *device);
    /* On-chip contents; memory and range were checked. NULL: the device cannot be inspected. */
    vta_status (*peek)(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag);
} vt_driver;

/* The drivers, by the names that vta_device_create knows. */
#define VT_DRIVER(name) extern const vt_driver vt_driver_##name;
#include "device/drivers.def"
#undef VT_DRIVER

struct vta_device {
    const vt_driver *driver;
    vta_config *config; /* retained */
    vta_allocator allocator;
    void *state;             /* the driver's */
    atomic_bool interrupted; /* by vta_device_interrupt; for work on the device that is not the driver's */
};

#endif

/* The device that runs nothing: with it a compiler or a runtime can be measured without the time of execution. Its run
 * only checks that the stream lies in memory, and counts. It is the recipe for a driver (docs/devices.md): what it
 * leaves out (configure, interrupt, timing, findings, peek) is what a device need not offer. */
#include "device/dram/memory.h"
#include "device/driver.h"
#include "vta/isa.h"

typedef struct vt_null {
    vt_dram dram; /* first: VT_DRAM_MEMORY finds it there */
    vta_counters counters;
} vt_null;

static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    (void)options;
    vt_null *n = vt_alloc_zero(&device->allocator, sizeof *n);
    if (!n) return vt_no_memory(diag);
    vt_dram_init(&n->dram, &device->allocator);
    device->state = n;
    return VTA_OK;
}

static void destroy(vta_device *device) {
    vt_null *n = device->state;
    vt_dram_clear(&n->dram);
    vt_free(&device->allocator, n, sizeof *n);
}

static vta_status run(vta_device *device, const vt_run *run, vta_diag *diag) {
    vt_null *n = device->state;
    uint64_t hole, bytes = (uint64_t)run->count * VTA_INSN_BYTES;
    if (!vt_dram_mapped(&n->dram, run->insn_addr, bytes, &hole))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u instructions at 0x%08x: 0x%08llx is not mapped", run->count,
                       run->insn_addr, (unsigned long long)hole);
    n->counters.runs++;
    return VTA_OK;
}

static vta_counters counters(const vta_device *device) { return ((const vt_null *)device->state)->counters; }
static void clear(vta_device *device) { ((vt_null *)device->state)->counters = (vta_counters){0}; }

const vt_driver vt_driver_null = {
    .name = "null",
    .text = "takes every stream and runs none: for measuring what comes before a device",
    VT_DRAM_MEMORY,
    .create = create,
    .destroy = destroy,
    .run = run,
    .counters = counters,
    .clear = clear,
};

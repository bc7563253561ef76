/* The recipe for a driver. It keeps no state, so create, destroy and configure are absent; it cannot be looked into,
 * so peek is; and its run only checks that the stream lies in memory and counts the run. With it a compiler or a
 * runtime can be measured without the time of execution.
 *
 * To make a real one: copy this folder, give the driver a state in create (device->state, from device->allocator) and
 * free it in destroy, refuse options that it cannot honour in configure, and execute in run. */
#include "device/null/null.h"

static vta_status run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles, vta_diag *diag) {
    (void)wait_cycles;
    uint64_t hole, bytes = (uint64_t)count * 16;
    if (!vt_dram_mapped(&device->dram, insn_addr, bytes, &hole))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u instructions at 0x%08x: 0x%08llx is not mapped", count, insn_addr,
                       (unsigned long long)hole);
    device->counters.runs++;
    return VTA_OK;
}

const vt_driver vt_driver_null = {
    .name = "null",
    .text = "takes every stream and runs none: for measuring what comes before a device",
    .run = run,
};

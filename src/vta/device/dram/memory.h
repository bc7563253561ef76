/* The memory functions of a driver whose device has host memory for DRAM: a simulator, a model, a device that runs
 * nothing. Its state begins with a vt_dram, and its row of functions with VT_DRAM_MEMORY. */
#ifndef VT_DEVICE_DRAM_MEMORY_H
#define VT_DEVICE_DRAM_MEMORY_H

#include "device/dram/dram.h"
#include "device/driver.h"

vta_status vt_memory_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr);
vta_status vt_memory_alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
vta_status vt_memory_free(vta_device *device, uint32_t addr, vta_diag *diag);
vta_status vt_memory_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag);
vta_status vt_memory_write(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag);
void *vt_memory_map(vta_device *device, uint32_t addr, size_t bytes);
/* Flush and invalidate of memory that is coherent. */
vta_status vt_memory_check(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
vt_dram *vt_memory_dram(vta_device *device);

#define VT_DRAM_MEMORY                                                                                                 \
    .coherent = true, .alloc = vt_memory_alloc, .alloc_at = vt_memory_alloc_at, .free = vt_memory_free,                \
    .read = vt_memory_read, .write = vt_memory_write, .map = vt_memory_map, .flush = vt_memory_check,                  \
    .invalidate = vt_memory_check, .dram = vt_memory_dram

#endif

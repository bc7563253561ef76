/* The functions of a driver whose memory is contiguous: its state begins with a vt_contiguous. Host and device do not
 * agree by themselves. */
#ifndef VT_DEVICE_BOARD_MEMORY_H
#define VT_DEVICE_BOARD_MEMORY_H

#include "device/board/contiguous.h"
#include "device/driver.h"

vta_status vt_contiguous_device_free(vta_device *device, uint32_t addr, vta_diag *diag);
vta_status vt_contiguous_device_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag);
vta_status vt_contiguous_device_write(vta_device *device, uint32_t addr, const void *from, size_t bytes,
                                      vta_diag *diag);
void *vt_contiguous_device_map(vta_device *device, uint32_t addr, size_t bytes);
vta_status vt_contiguous_device_flush(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
vta_status vt_contiguous_device_invalidate(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);

/* All but `alloc` and `free`, around which a driver may have something to do. */
#define VT_CONTIGUOUS_MEMORY                                                                                           \
    .read = vt_contiguous_device_read, .write = vt_contiguous_device_write, .map = vt_contiguous_device_map,           \
    .flush = vt_contiguous_device_flush, .invalidate = vt_contiguous_device_invalidate

#endif

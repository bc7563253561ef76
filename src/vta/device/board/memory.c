#include "device/board/memory.h"

#include <string.h>

vta_status vt_contiguous_device_free(vta_device *device, uint32_t addr, vta_diag *diag) {
    return vt_contiguous_free(device->state, addr, diag);
}

vta_status vt_contiguous_device_flush(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    return vt_contiguous_sync(device->state, true, addr, bytes, diag);
}

vta_status vt_contiguous_device_invalidate(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    return vt_contiguous_sync(device->state, false, addr, bytes, diag);
}

vta_status vt_contiguous_device_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag) {
    vt_contiguous *c = device->state;
    VT_TRY(vt_contiguous_sync(c, false, addr, bytes, diag));
    if (bytes) memcpy(to, c->host + (addr - c->base), bytes);
    return VTA_OK;
}

vta_status vt_contiguous_device_write(vta_device *device, uint32_t addr, const void *from, size_t bytes,
                                      vta_diag *diag) {
    vt_contiguous *c = device->state;
    VT_TRY(vt_contiguous_check(c, addr, bytes, diag));
    if (bytes) memcpy(c->host + (addr - c->base), from, bytes);
    return vt_contiguous_sync(c, true, addr, bytes, diag);
}

void *vt_contiguous_device_map(vta_device *device, uint32_t addr, size_t bytes) {
    return vt_contiguous_map(device->state, addr, bytes);
}

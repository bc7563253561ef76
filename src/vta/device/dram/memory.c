#include "device/dram/memory.h"

vt_dram *vt_memory_dram(vta_device *device) { return device->state; }

vta_status vt_memory_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    return vt_dram_alloc(device->state, bytes, diag, out_addr);
}

vta_status vt_memory_alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    return vt_dram_alloc_at(device->state, addr, bytes, diag);
}

vta_status vt_memory_free(vta_device *device, uint32_t addr, vta_diag *diag) {
    return vt_dram_free(device->state, addr, diag);
}

vta_status vt_memory_check(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    uint64_t hole;
    if (vt_dram_mapped(device->state, addr, bytes, &hole)) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu bytes at 0x%08x: 0x%08llx is not mapped", bytes, addr,
                   (unsigned long long)hole);
}

vta_status vt_memory_write(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag) {
    VT_TRY(vt_memory_check(device, addr, bytes, diag));
    vt_dram_write(device->state, addr, from, bytes);
    return VTA_OK;
}

vta_status vt_memory_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag) {
    VT_TRY(vt_memory_check(device, addr, bytes, diag));
    vt_dram_read(device->state, addr, to, bytes);
    return VTA_OK;
}

void *vt_memory_map(vta_device *device, uint32_t addr, size_t bytes) {
    uint64_t run;
    uint8_t *host = vt_dram_at(device->state, addr, &run);
    return host && bytes <= run ? host : NULL;
}

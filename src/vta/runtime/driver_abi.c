/* The driver interface of TVM's VTA, on the calling thread's runtime. */
#include <string.h>

#include "runtime/capture.h"
#include "runtime/process.h"

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

/* These calls know no command handle: what fails is the thread's. The call is made once, with a list for reasons. */
typedef struct driver_call {
    vta_runtime *runtime;
    vta_diag *diag;
} driver_call;

static bool begin(driver_call *c) {
    c->runtime = vt_runtime_acquire();
    if (!c->runtime) return false;
    c->diag = vta_diag_create(&c->runtime->allocator);
    pthread_mutex_lock(&c->runtime->lock);
    return true;
}

static void end(driver_call *c, vta_status status, const vt_call *call) {
    pthread_mutex_unlock(&c->runtime->lock);
    vt_report *to = status == VTA_OK ? NULL : vt_thread_report();
    vta_diag_entry entry = vt_report_reason(c->diag);
    if (to) vt_report_call(to, call, entry.status, entry.message);
    vta_diag_destroy(c->diag);
    vt_runtime_release(c->runtime);
}

/* ---- Devices ----------------------------------------------------------------------------------------------- */

VTADeviceHandle VTADeviceAlloc(void) {
    driver_call c;
    if (!begin(&c)) return NULL;
    vt_slot *slot = vt_handle_take(&vt_devices);
    vta_status status = slot ? VTA_OK : vt_no_memory(c.diag);
    void *handle = NULL;
    if (slot) {
        slot->owner = c.runtime;
        handle = vt_handle_publish(&vt_devices, slot);
    }
    end(&c, status, VT_CALL(VTADeviceAlloc, 0));
    return handle;
}

static vta_status find_device(const driver_call *c, VTADeviceHandle device, vt_slot **out_slot) {
    *out_slot = vt_handle_find(&vt_devices, device);
    if (*out_slot && (*out_slot)->owner == c->runtime) return VTA_OK;
    return vt_fail(c->diag, VTA_INVALID_ARGUMENT, "device %p was not returned by VTADeviceAlloc, or was freed", device);
}

void VTADeviceFree(VTADeviceHandle device) {
    driver_call c;
    if (!begin(&c)) return;
    vt_slot *slot;
    vta_status status = find_device(&c, device, &slot);
    if (status == VTA_OK) vt_handle_drop(&vt_devices, slot);
    end(&c, status, VT_CALL(VTADeviceFree, P(device)));
}

int VTADeviceRun(VTADeviceHandle device, vta_phy_addr_t insn_phy_addr, uint32_t insn_count, uint32_t wait_cycles) {
    driver_call c;
    if (!begin(&c)) return 1;
    vt_slot *slot;
    vta_status status = find_device(&c, device, &slot);
    const vt_run run = {insn_phy_addr, insn_count, wait_cycles, c.runtime->max_work};
    if (status == VTA_OK) status = vt_run_device_locked(c.runtime, &run, c.diag);
    end(&c, status, VT_CALL(VTADeviceRun, P(device), insn_phy_addr, insn_count, wait_cycles));
    return status != VTA_OK;
}

/* ---- Memory ------------------------------------------------------------------------------------------------ */

/* The first block whose host address is above p. */
static size_t block_after(const vta_runtime *runtime, const void *p) {
    size_t low = 0, high = runtime->block_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if ((uintptr_t)runtime->blocks[mid].host <= (uintptr_t)p)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The block that holds [p, p + bytes). */
static vta_status find_block(const driver_call *c, const void *p, uint64_t bytes, const vt_block **out_block) {
    size_t after = block_after(c->runtime, p);
    const vt_block *block = after ? &c->runtime->blocks[after - 1] : NULL;
    *out_block = block;
    uint64_t offset = block ? (uint64_t)((uintptr_t)p - (uintptr_t)block->host) : 0;
    if (!block || offset > block->bytes || (bytes && offset == block->bytes))
        return vt_fail(c->diag, VTA_INVALID_ARGUMENT, "%p is not inside a block of VTAMemAlloc", p);
    if (bytes <= block->bytes - offset) return VTA_OK;
    return vt_fail(c->diag, VTA_OUT_OF_RANGE, "%llu bytes from %p on go past the end of its block of %zu bytes",
                   (unsigned long long)bytes, p, block->bytes);
}

static vta_status add_block(const driver_call *c, vt_block block) {
    vta_runtime *runtime = c->runtime;
    if (!vt_reserve(&runtime->allocator, &runtime->blocks, &runtime->block_cap, runtime->block_count + 1,
                    sizeof *runtime->blocks))
        return vt_no_memory(c->diag);
    size_t at = block_after(runtime, block.host);
    memmove(&runtime->blocks[at + 1], &runtime->blocks[at], (runtime->block_count - at) * sizeof *runtime->blocks);
    runtime->blocks[at] = block;
    runtime->block_count++;
    return VTA_OK;
}

static vta_status alloc_block(const driver_call *c, size_t size, void **out_host) {
    vta_device *device = c->runtime->device;
    vt_block block = {.bytes = size ? size : 1};
    VT_TRY(vta_device_alloc(device, block.bytes, c->diag, &block.addr));
    block.host = vta_device_host_ptr(device, block.addr, block.bytes);
    vta_status status = block.host ? add_block(c, block)
                                   : vt_fail(c->diag, VTA_UNSUPPORTED, "the host does not see this device's memory");
    if (status != VTA_OK) vta_device_free(device, block.addr, NULL);
    *out_host = status == VTA_OK ? block.host : NULL;
    return status;
}

void *VTAMemAlloc(size_t size, int cached) {
    driver_call c;
    void *host = NULL;
    if (!begin(&c)) return NULL;
    vta_status status = alloc_block(&c, size, &host);
    end(&c, status, VT_CALL(VTAMemAlloc, size, (uint64_t)cached));
    return host;
}

void VTAMemFree(void *buf) {
    driver_call c;
    const vt_block *block;
    if (!begin(&c)) return;
    vta_runtime *runtime = c.runtime;
    vta_status status = find_block(&c, buf, 0, &block);
    if (status == VTA_OK && block->host != buf)
        status = vt_fail(c.diag, VTA_INVALID_ARGUMENT, "%p is inside the block at %p, not its start", buf,
                         (void *)block->host);
    if (status == VTA_OK) {
        size_t at = (size_t)(block - runtime->blocks);
        vt_runtime_free_memory_locked(runtime, block->addr, block->bytes);
        memmove(&runtime->blocks[at], &runtime->blocks[at + 1],
                (--runtime->block_count - at) * sizeof *runtime->blocks);
    }
    end(&c, status, VT_CALL(VTAMemFree, P(buf)));
}

vta_phy_addr_t VTAMemGetPhyAddr(void *buf) {
    driver_call c;
    const vt_block *block;
    if (!begin(&c)) return 0;
    vta_status status = find_block(&c, buf, 0, &block);
    vta_phy_addr_t addr = status == VTA_OK ? block->addr + (uint32_t)((uintptr_t)buf - (uintptr_t)block->host) : 0;
    end(&c, status, VT_CALL(VTAMemGetPhyAddr, P(buf)));
    return addr;
}

static vta_status check_copy(const driver_call *c, const void *block_side, const char *name, const void *host_side,
                             size_t size) {
    const vt_block *block;
    if (!host_side) return vt_fail(c->diag, VTA_INVALID_ARGUMENT, "%s is NULL", name);
    return find_block(c, block_side, size, &block);
}

void VTAMemCopyFromHost(void *dst, const void *src, size_t size) {
    driver_call c;
    if (!begin(&c)) return;
    vta_status status = check_copy(&c, dst, "src", src, size);
    if (status == VTA_OK) memmove(dst, src, size);
    end(&c, status, VT_CALL(VTAMemCopyFromHost, P(dst), P(src), size));
}

void VTAMemCopyToHost(void *dst, const void *src, size_t size) {
    driver_call c;
    if (!begin(&c)) return;
    vta_status status = check_copy(&c, src, "dst", dst, size);
    if (status == VTA_OK) memmove(dst, src, size);
    end(&c, status, VT_CALL(VTAMemCopyToHost, P(dst), P(src), size));
}

/* ---- Caches and bitstreams --------------------------------------------------------------------------------- */

static vta_status check_cache(const driver_call *c, void *vir_addr, vta_phy_addr_t phy_addr, int size) {
    const vt_block *block;
    if (size < 0) return vt_fail(c->diag, VTA_OUT_OF_RANGE, "size %d is negative", size);
    VT_TRY(find_block(c, vir_addr, (uint64_t)size, &block));
    uint32_t expected = block->addr + (uint32_t)((uintptr_t)vir_addr - (uintptr_t)block->host);
    if (phy_addr == expected) return VTA_OK;
    return vt_fail(c->diag, VTA_MISMATCH, "the physical address of %p is 0x%08x, not 0x%08x", vir_addr, expected,
                   phy_addr);
}

void VTAFlushCache(void *vir_addr, vta_phy_addr_t phy_addr, int size) {
    driver_call c;
    if (!begin(&c)) return;
    vta_status status = check_cache(&c, vir_addr, phy_addr, size);
    if (status == VTA_OK) status = vta_device_flush(c.runtime->device, phy_addr, (size_t)size, c.diag);
    end(&c, status, VT_CALL(VTAFlushCache, P(vir_addr), phy_addr, (uint64_t)size));
}

void VTAInvalidateCache(void *vir_addr, vta_phy_addr_t phy_addr, int size) {
    driver_call c;
    if (!begin(&c)) return;
    vta_status status = check_cache(&c, vir_addr, phy_addr, size);
    if (status == VTA_OK) status = vta_device_invalidate(c.runtime->device, phy_addr, (size_t)size, c.diag);
    end(&c, status, VT_CALL(VTAInvalidateCache, P(vir_addr), phy_addr, (uint64_t)size));
}

void VTAProgram(const char *bitstream) {
    driver_call c;
    if (!begin(&c)) return;
    vta_status status = vta_device_program(c.runtime->device, bitstream, c.diag);
    end(&c, status, VT_CALL(VTAProgram, P(bitstream)));
}

#include "device/dram/dram.h"

#include <string.h>

#include "vta/device.h"

#define ADDRESS_SPACE ((uint64_t)1 << 32)

void vt_dram_init(vt_dram *dram, const vta_allocator *allocator) { *dram = (vt_dram){.allocator = allocator}; }

static void free_region(const vt_dram *dram, const vt_region *r) {
    if (!r->lent) vt_free(dram->allocator, r->host, (size_t)r->size);
}

void vt_dram_clear(vt_dram *dram) {
    for (size_t i = 0; i < dram->count; i++) free_region(dram, &dram->regions[i]);
    vt_free(dram->allocator, dram->regions, dram->cap * sizeof *dram->regions);
    vt_dram_init(dram, dram->allocator);
}

/* The first region that ends beyond `addr`. */
static size_t find(const vt_dram *dram, uint64_t addr) {
    size_t low = 0, high = dram->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (dram->regions[mid].addr + dram->regions[mid].size > addr)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool round_to_pages(size_t bytes, uint64_t *out_size) {
    if (bytes > ADDRESS_SPACE - VTA_PAGE_BYTES) return false;
    uint64_t size = bytes ? bytes : 1;
    *out_size = (size + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES * VTA_PAGE_BYTES;
    return *out_size <= SIZE_MAX;
}

/* `lent` NULL: memory of its own. */
static vta_status insert(vt_dram *dram, size_t at, uint64_t addr, uint64_t size, uint8_t *lent, vta_diag *diag) {
    if (!vt_reserve(dram->allocator, &dram->regions, &dram->cap, dram->count + 1, sizeof *dram->regions))
        return vt_no_memory(diag);
    uint8_t *host = lent ? lent : vt_alloc_zero(dram->allocator, (size_t)size);
    if (!host) return vt_fail(diag, VTA_NO_MEMORY, "no host memory for %llu bytes of DRAM", (unsigned long long)size);
    memmove(dram->regions + at + 1, dram->regions + at, (dram->count - at) * sizeof *dram->regions);
    dram->regions[at] = (vt_region){addr, size, host, lent != NULL};
    dram->count++;
    return VTA_OK;
}

vta_status vt_dram_alloc(vt_dram *dram, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    *out_addr = 0;
    uint64_t size, addr = VTA_PAGE_BYTES;
    if (!round_to_pages(bytes, &size))
        return vt_fail(diag, VTA_NO_MEMORY, "%zu bytes of DRAM do not fit the 32-bit address space", bytes);
    size_t at = 0;
    while (at < dram->count && dram->regions[at].addr - addr < size) {
        addr = dram->regions[at].addr + dram->regions[at].size;
        at++;
    }
    if (addr + size > ADDRESS_SPACE)
        return vt_fail(diag, VTA_NO_MEMORY, "no %llu free bytes in a row in the device's 32-bit address space",
                       (unsigned long long)size);
    VT_TRY(insert(dram, at, addr, size, NULL, diag));
    *out_addr = (uint32_t)addr;
    return VTA_OK;
}

static vta_status insert_at(vt_dram *dram, uint32_t addr, size_t bytes, uint8_t *lent, vta_diag *diag) {
    uint64_t size;
    if (addr % VTA_PAGE_BYTES || addr == 0)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "address 0x%08x is not a page that can be mapped (pages are %d "
                       "bytes, the one at 0 stays invalid)",
                       addr, VTA_PAGE_BYTES);
    if (!round_to_pages(bytes, &size) || addr + size > ADDRESS_SPACE)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu bytes at 0x%08x leave the 32-bit address space", bytes, addr);
    size_t at = find(dram, addr);
    if (at < dram->count && dram->regions[at].addr < addr + size)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "0x%08x + %llu overlaps the allocation at 0x%08llx", addr,
                       (unsigned long long)size, (unsigned long long)dram->regions[at].addr);
    return insert(dram, at, addr, size, lent, diag);
}

vta_status vt_dram_alloc_at(vt_dram *dram, uint32_t addr, size_t bytes, vta_diag *diag) {
    return insert_at(dram, addr, bytes, NULL, diag);
}

vta_status vt_dram_lend(vt_dram *dram, uint32_t addr, uint8_t *host, size_t bytes, vta_diag *diag) {
    return insert_at(dram, addr, bytes, host, diag);
}

vta_status vt_dram_free(vt_dram *dram, uint32_t addr, vta_diag *diag) {
    size_t at = find(dram, addr);
    if (at == dram->count || dram->regions[at].addr != addr)
        return vt_fail(diag, VTA_NOT_FOUND, "0x%08x is not the start of an allocation", addr);
    free_region(dram, &dram->regions[at]);
    dram->count--;
    memmove(dram->regions + at, dram->regions + at + 1, (dram->count - at) * sizeof *dram->regions);
    dram->recent = 0;
    return VTA_OK;
}

uint8_t *vt_dram_find(vt_dram *dram, uint64_t addr, uint64_t *out_run) {
    size_t at = find(dram, addr);
    if (at == dram->count || dram->regions[at].addr > addr) return NULL;
    dram->recent = at;
    return vt_dram_at(dram, addr, out_run);
}

bool vt_dram_mapped(vt_dram *dram, uint64_t addr, uint64_t bytes, uint64_t *out_hole) {
    for (uint64_t done = 0, run; done < bytes; done += run) {
        if (!vt_dram_at(dram, addr + done, &run)) {
            *out_hole = addr + done;
            return false;
        }
    }
    return true;
}

void vt_dram_read(vt_dram *dram, uint64_t addr, void *to, uint64_t bytes) {
    for (uint64_t run; bytes; bytes -= run, addr += run, to = (uint8_t *)to + run) {
        const uint8_t *from = vt_dram_at(dram, addr, &run);
        if (run > bytes) run = bytes;
        memcpy(to, from, (size_t)run);
    }
}

void vt_dram_write(vt_dram *dram, uint64_t addr, const void *from, uint64_t bytes) {
    for (uint64_t run; bytes; bytes -= run, addr += run, from = (const uint8_t *)from + run) {
        uint8_t *to = vt_dram_at(dram, addr, &run);
        if (run > bytes) run = bytes;
        memcpy(to, from, (size_t)run);
    }
}

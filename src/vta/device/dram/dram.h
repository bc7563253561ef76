/* Device memory of the simulated devices: a 32-bit physical address space in which allocations live, page by page.
 *
 * An allocation is one host block, so an address inside it translates to a host pointer at once; what lies between
 * allocations is unmapped, and so is the page at address 0. Not safe for several threads. */
#ifndef VT_DEVICE_DRAM_DRAM_H
#define VT_DEVICE_DRAM_DRAM_H

#include "base/alloc.h"
#include "base/diag.h"

/* One allocation. `size` is a multiple of the page; `addr + size` may be 2^32, hence 64 bits. */
typedef struct vt_region {
    uint64_t addr, size;
    uint8_t *host;
    bool lent; /* the memory is somebody else's */
} vt_region;

typedef struct vt_dram {
    const vta_allocator *allocator;
    vt_region *regions; /* by address, none overlap */
    size_t count, cap;
    size_t recent; /* where the last translation ended: most accesses repeat a region */
} vt_dram;

void vt_dram_init(vt_dram *dram, const vta_allocator *allocator);
void vt_dram_clear(vt_dram *dram);

/* Zeroed pages at the lowest free address. */
vta_status vt_dram_alloc(vt_dram *dram, size_t bytes, vta_diag *diag, uint32_t *out_addr);
vta_status vt_dram_alloc_at(vt_dram *dram, uint32_t addr, size_t bytes, vta_diag *diag);
/* Memory of the caller's, which must outlive it, as an allocation. */
vta_status vt_dram_lend(vt_dram *dram, uint32_t addr, uint8_t *host, size_t bytes, vta_diag *diag);
vta_status vt_dram_free(vt_dram *dram, uint32_t addr, vta_diag *diag);

/* vt_dram_at for what the recent region does not hold. */
uint8_t *vt_dram_find(vt_dram *dram, uint64_t addr, uint64_t *out_run);
/* The host bytes at `addr`, and in *out_run how many follow one another from there; NULL when unmapped. */
static inline uint8_t *vt_dram_at(vt_dram *dram, uint64_t addr, uint64_t *out_run) {
    if (dram->recent >= dram->count) return vt_dram_find(dram, addr, out_run);
    const vt_region *r = dram->regions + dram->recent;
    if (addr - r->addr >= r->size) return vt_dram_find(dram, addr, out_run);
    *out_run = r->size - (addr - r->addr);
    return r->host + (addr - r->addr);
}
/* True when all `bytes` from `addr` on are mapped; else *out_hole is the first address that is not. */
bool vt_dram_mapped(vt_dram *dram, uint64_t addr, uint64_t bytes, uint64_t *out_hole);
/* Copies between host memory and DRAM, over the borders of allocations. All bytes must be mapped. */
void vt_dram_read(vt_dram *dram, uint64_t addr, void *to, uint64_t bytes);
void vt_dram_write(vt_dram *dram, uint64_t addr, const void *from, uint64_t bytes);

#endif

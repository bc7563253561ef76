/* Pages of a contiguous piece, given out and taken back. */
#include "device/board/contiguous.h"

#include <string.h>

#include "vta/device.h"

static uint64_t end_of(const vt_contiguous *c, size_t i) { return c->blocks[i].addr + c->blocks[i].size; }

/* The first block at or after an address. */
static size_t find(const vt_contiguous *c, uint64_t addr) {
    size_t i = 0;
    while (i < c->count && c->blocks[i].addr < addr) i++;
    return i;
}

/* Where so many bytes fit, before which block; the largest gap is for the message. */
static bool find_gap(const vt_contiguous *c, uint64_t bytes, size_t *out_index, uint64_t *out_addr,
                     uint64_t *out_largest, uint64_t *out_free) {
    uint64_t from = c->base ? c->base : VTA_PAGE_BYTES, last = (uint64_t)c->base + c->size;
    bool found = false;
    *out_largest = *out_free = 0;
    for (size_t i = 0; i <= c->count; i++) {
        uint64_t to = i < c->count ? c->blocks[i].addr : last, gap = to > from ? to - from : 0;
        if (gap > *out_largest) *out_largest = gap;
        *out_free += gap;
        if (!found && gap >= bytes) {
            found = true;
            *out_index = i;
            *out_addr = from;
        }
        if (i < c->count) from = end_of(c, i);
    }
    return found;
}

/* Gives pages out that are free: zeroed, for both sides. */
static vta_status give(vt_contiguous *c, size_t index, uint64_t addr, uint64_t bytes, vta_diag *diag) {
    if (!vt_reserve(c->allocator, &c->blocks, &c->cap, c->count + 1, sizeof *c->blocks)) return vt_no_memory(diag);
    memmove(c->blocks + index + 1, c->blocks + index, (c->count - index) * sizeof *c->blocks);
    c->blocks[index] = (vt_block_of_pages){(uint32_t)addr, bytes};
    c->count++;
    memset(c->host + (addr - c->base), 0, bytes);
    vta_status status = vt_contiguous_sync(c, true, (uint32_t)addr, bytes, diag);
    if (status != VTA_OK) vt_contiguous_free(c, (uint32_t)addr, NULL);
    return status;
}

vta_status vt_contiguous_alloc_at(vt_contiguous *c, uint32_t addr, size_t bytes, vta_diag *diag) {
    uint64_t pages = ((uint64_t)bytes + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES * VTA_PAGE_BYTES;
    if (!pages) pages = VTA_PAGE_BYTES;
    if (addr % VTA_PAGE_BYTES || !addr)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "0x%08x is not the address of a page (%d bytes)", addr,
                       VTA_PAGE_BYTES);
    if (addr < c->base || bytes > c->size || addr + pages > c->base + c->size)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu bytes at 0x%08x: %s has 0x%08x to 0x%08llx. %s", bytes, addr,
                       c->name, c->base, (unsigned long long)(c->base + c->size - 1), c->hint);
    size_t i = find(c, addr);
    if ((i < c->count && c->blocks[i].addr < addr + pages) || (i > 0 && end_of(c, i - 1) > addr))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%zu bytes at 0x%08x: something is there already", bytes, addr);
    return give(c, i, addr, pages, diag);
}

vta_status vt_contiguous_alloc(vt_contiguous *c, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    uint64_t pages = ((uint64_t)bytes + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES, addr, largest, left;
    if (!pages) pages = 1;
    size_t index;
    bool fits = bytes <= UINT32_MAX && find_gap(c, pages * VTA_PAGE_BYTES, &index, &addr, &largest, &left);
    if (!fits) {
        find_gap(c, UINT64_MAX, &index, &addr, &largest, &left);
        return vt_fail(
            diag, VTA_NO_MEMORY,
            "%zu bytes of contiguous memory were asked for; %s has %llu of %llu bytes left, %llu of them in one "
            "piece. %s",
            bytes, c->name, (unsigned long long)left, (unsigned long long)c->size, (unsigned long long)largest,
            c->hint);
    }
    VT_TRY(give(c, index, addr, pages * VTA_PAGE_BYTES, diag));
    *out_addr = (uint32_t)addr;
    return VTA_OK;
}

vta_status vt_contiguous_free(vt_contiguous *c, uint32_t addr, vta_diag *diag) {
    size_t i = find(c, addr);
    if (i == c->count || c->blocks[i].addr != addr)
        return vt_fail(diag, VTA_NOT_FOUND, "0x%08x is not the start of an allocation", addr);
    c->count--;
    memmove(c->blocks + i, c->blocks + i + 1, (c->count - i) * sizeof *c->blocks);
    return VTA_OK;
}

/* The block that an address is in; NULL: none. */
static const vt_block_of_pages *block_of(const vt_contiguous *c, uint64_t addr) {
    for (size_t i = 0; i < c->count; i++)
        if (addr >= c->blocks[i].addr && addr < end_of(c, i)) return &c->blocks[i];
    return NULL;
}

vta_status vt_contiguous_check(const vt_contiguous *c, uint32_t addr, uint64_t bytes, vta_diag *diag) {
    if (bytes > ((uint64_t)1 << 32) - addr)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%llu bytes at 0x%08x leave the 32-bit address space",
                       (unsigned long long)bytes, addr);
    for (uint64_t at = addr, end = addr + bytes; at < end;) {
        const vt_block_of_pages *b = block_of(c, at);
        if (!b) return vt_fail(diag, VTA_OUT_OF_RANGE, "0x%08llx is not allocated", (unsigned long long)at);
        at = b->addr + b->size;
    }
    return VTA_OK;
}

void *vt_contiguous_map(const vt_contiguous *c, uint32_t addr, size_t bytes) {
    const vt_block_of_pages *b = block_of(c, addr);
    if (!b || bytes > b->addr + b->size - addr) return NULL;
    return c->host + (addr - c->base);
}

vta_status vt_contiguous_sync(vt_contiguous *c, bool for_device, uint32_t addr, size_t bytes, vta_diag *diag) {
    VT_TRY(vt_contiguous_check(c, addr, bytes, diag));
    return bytes ? c->sync(c, for_device, addr - c->base, bytes, diag) : VTA_OK;
}

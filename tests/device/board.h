/* Two devices that live only here, to judge what the driver table promises to boards:
 *   board  the host sees its memory through a cache of its own, and only flush and invalidate make the two agree;
 *   far    the host sees none of its memory: all goes through read and write.
 * Neither lets the caller choose addresses, and both begin theirs high. What they execute on is a sim of their own. */
#ifndef TESTS_DEVICE_BOARD_H
#define TESTS_DEVICE_BOARD_H

#include "device/driver.h"
#include "device/sim/sim.h"
#include "isa/tokens.h"

enum { BOARD_FIRST_PAGE = 0x38000000 };

typedef struct board {
    vt_sim accelerator; /* with the memory as it sees it */
    vt_dram cache;      /* the same allocations, as the host sees them */
    unsigned flushed, invalidated;
    vt_token_depths tokens; /* that no run has taken */
} board;

static inline vta_status board_create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    board *b = vt_alloc_zero(&device->allocator, sizeof *b);
    if (!b) return vt_no_memory(diag);
    vta_status status = vt_sim_init(&b->accelerator, device->config, &device->allocator, options, diag);
    if (status == VTA_OK) {
        vt_dram_init(&b->cache, &device->allocator);
        device->state = b;
    } else {
        vt_free(&device->allocator, b, sizeof *b);
    }
    return status;
}

static inline void board_destroy(vta_device *device) {
    board *b = device->state;
    vt_sim_clear(&b->accelerator);
    vt_dram_clear(&b->cache);
    vt_free(&device->allocator, b, sizeof *b);
}

static inline vta_status board_configure(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    return vt_sim_configure(&((board *)device->state)->accelerator, options, diag);
}

/* Contiguous memory is given out from one end: no place is used again but the last one. */
static inline vta_status board_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr) {
    board *b = device->state;
    const vt_dram *d = &b->cache;
    uint64_t addr = d->count ? d->regions[d->count - 1].addr + d->regions[d->count - 1].size : BOARD_FIRST_PAGE;
    if (bytes > ((uint64_t)1 << 32) - addr)
        return vt_fail(diag, VTA_NO_MEMORY, "%zu bytes of contiguous memory were asked for, and %llu are left", bytes,
                       (unsigned long long)(((uint64_t)1 << 32) - addr));
    VT_TRY(vt_dram_alloc_at(&b->cache, (uint32_t)addr, bytes, diag));
    vta_status status = vt_dram_alloc_at(&b->accelerator.dram, (uint32_t)addr, bytes, diag);
    if (status != VTA_OK) vt_dram_free(&b->cache, (uint32_t)addr, NULL);
    *out_addr = status == VTA_OK ? (uint32_t)addr : 0;
    return status;
}

static inline vta_status board_free(vta_device *device, uint32_t addr, vta_diag *diag) {
    board *b = device->state;
    VT_TRY(vt_dram_free(&b->cache, addr, diag));
    return vt_dram_free(&b->accelerator.dram, addr, diag);
}

static inline vta_status board_check(board *b, uint32_t addr, size_t bytes, vta_diag *diag) {
    uint64_t hole;
    if (vt_dram_mapped(&b->cache, addr, bytes, &hole)) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "0x%08llx is in no contiguous memory", (unsigned long long)hole);
}

/* Both cache operations: byte by byte, from one side's memory to the other's. */
static inline vta_status board_agree(board *b, vt_dram *from, vt_dram *to, uint32_t addr, size_t bytes,
                                     vta_diag *diag) {
    VT_TRY(board_check(b, addr, bytes, diag));
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte;
        vt_dram_read(from, (uint64_t)addr + i, &byte, 1);
        vt_dram_write(to, (uint64_t)addr + i, &byte, 1);
    }
    return VTA_OK;
}

static inline vta_status board_flush(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    board *b = device->state;
    b->flushed++;
    return board_agree(b, &b->cache, &b->accelerator.dram, addr, bytes, diag);
}

static inline vta_status board_invalidate(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag) {
    board *b = device->state;
    b->invalidated++;
    return board_agree(b, &b->accelerator.dram, &b->cache, addr, bytes, diag);
}

static inline vta_status board_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag) {
    board *b = device->state;
    VT_TRY(board_agree(b, &b->accelerator.dram, &b->cache, addr, bytes, diag));
    vt_dram_read(&b->cache, addr, to, bytes);
    return VTA_OK;
}

static inline vta_status board_write(vta_device *device, uint32_t addr, const void *from, size_t bytes,
                                     vta_diag *diag) {
    board *b = device->state;
    VT_TRY(board_check(b, addr, bytes, diag));
    vt_dram_write(&b->cache, addr, from, bytes);
    return board_agree(b, &b->cache, &b->accelerator.dram, addr, bytes, diag);
}

static inline void *board_map(vta_device *device, uint32_t addr, size_t bytes) {
    uint64_t run;
    uint8_t *host = vt_dram_at(&((board *)device->state)->cache, addr, &run);
    return host && bytes <= run ? host : NULL;
}

static inline vta_status board_run(vta_device *device, const vt_run *run, vta_diag *diag) {
    vt_sim *sim = &((board *)device->state)->accelerator;
    vt_stream s;
    VT_TRY(vt_sim_prepare(sim, run, diag, &s));
    for (uint32_t i = 0; i < s.count; i++) vt_tokens_count(&((board *)device->state)->tokens, &s.insns[i]);
    vta_status found, status = vt_sim_execute(sim, &s, run, run->wait_cycles, diag, &found);
    vt_stream_clear(&s);
    return status != VTA_OK ? status : found;
}

static inline void board_interrupt(vta_device *device) {
    atomic_store_explicit(&((board *)device->state)->accelerator.interrupt, true, memory_order_relaxed);
}

static inline vta_counters board_counters(const vta_device *device) {
    return ((const board *)device->state)->accelerator.counters;
}

static inline void board_clear(vta_device *device) { vt_sim_clear_counters(&((board *)device->state)->accelerator); }

#define BOARD_FUNCTIONS                                                                                                \
    .keeps_tokens = true, .create = board_create, .destroy = board_destroy, .configure = board_configure,              \
    .alloc = board_alloc, .free = board_free, .read = board_read, .write = board_write, .flush = board_flush,          \
    .invalidate = board_invalidate, .run = board_run, .interrupt = board_interrupt, .counters = board_counters,        \
    .clear = board_clear

static const vt_driver vt_driver_board = {
    .name = "board", .text = "memory behind a cache that is not coherent", BOARD_FUNCTIONS, .map = board_map};
static const vt_driver vt_driver_far = {.name = "far", .text = "memory that the host does not see", BOARD_FUNCTIONS};

#endif

/* Memory that an accelerator without an address translation can use: one contiguous piece, given out in pages. */
#ifndef VT_DEVICE_BOARD_CONTIGUOUS_H
#define VT_DEVICE_BOARD_CONTIGUOUS_H

#include "base/diag.h"
#include "device/board/settings.h"

typedef struct vt_block_of_pages {
    uint32_t addr;
    uint64_t size;
} vt_block_of_pages;

typedef struct vt_contiguous {
    const vta_allocator *allocator;
    char name[VT_BOARD_TEXT]; /* of the device, for messages */
    char hint[VT_BOARD_TEXT]; /* which setting makes it larger */
    uint32_t base;            /* physical address */
    uint64_t size;
    uint8_t *host; /* as the host sees it */
    int fd;
    /* Makes what one side wrote visible to the other: `offset` and `bytes` of the piece. */
    vta_status (*sync)(struct vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag);
    const char *sync_text;               /* how, for people */
    bool may_sync;                       /* this process may, as far as permissions say */
    char sync_folder[2 * VT_BOARD_TEXT]; /* of u-dma-buf */
    uint8_t *device;                     /* of a model: what the accelerator sees */
    void *source;                        /* what else it came from */
    void (*release)(void *source);       /* gives that back; NULL: nothing else */
    uint64_t mapped;                     /* bytes that are mapped from `host` on */
    vt_block_of_pages *blocks;           /* given out, by address */
    size_t count, cap;
} vt_contiguous;

/* Opens the memory that the settings name. VTA_NOT_FOUND: there is no such device, and how to make one. */
vta_status vt_contiguous_open(vt_contiguous *c, const vt_board_settings *settings, const vta_allocator *allocator,
                              vta_diag *diag);
/* Empty afterwards: closing it again does nothing. */
void vt_contiguous_close(vt_contiguous *c);

/* Zeroed pages at the lowest address that is free. VTA_NO_MEMORY: how much was asked for, what is left, and which
 * setting to change. */
vta_status vt_contiguous_alloc(vt_contiguous *c, size_t bytes, vta_diag *diag, uint32_t *out_addr);
/* Zeroed pages at this address. VTA_OUT_OF_RANGE: it is outside, or in use. */
vta_status vt_contiguous_alloc_at(vt_contiguous *c, uint32_t addr, size_t bytes, vta_diag *diag);
/* VTA_NOT_FOUND unless `addr` is the start of an allocation. */
vta_status vt_contiguous_free(vt_contiguous *c, uint32_t addr, vta_diag *diag);
/* The host's view; NULL unless all bytes are in one allocation. */
void *vt_contiguous_map(const vt_contiguous *c, uint32_t addr, size_t bytes);
/* VTA_OUT_OF_RANGE, and nothing done, when a byte is not allocated. */
vta_status vt_contiguous_sync(vt_contiguous *c, bool for_device, uint32_t addr, size_t bytes, vta_diag *diag);
vta_status vt_contiguous_check(const vt_contiguous *c, uint32_t addr, uint64_t bytes, vta_diag *diag);

#endif

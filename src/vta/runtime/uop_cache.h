/* Which micro-kernels the uop buffer holds at the point of the stream that is being recorded, and the image of
 * micro-ops in device memory that the stream's LOAD UOPs read.
 *
 * Kernels are placed one after the other; when the next one does not fit after the last, placing starts again at 0,
 * and what a kernel overwrites is evicted. After a device run nothing counts as resident. */
#ifndef VT_RUNTIME_UOP_CACHE_H
#define VT_RUNTIME_UOP_CACHE_H

#include "runtime/uop_kernel.h"

typedef struct vt_uop_cache {
    const vta_allocator *allocator;
    uint32_t depth;              /* of the uop buffer */
    uint64_t run;                /* the device run being recorded, from 1 on */
    uint32_t end;                /* where the next kernel goes */
    vt_uop_kernel *first, *last; /* resident kernels by place */
    vt_uop_kernel *next;         /* the first one at or after `end`; NULL: none */
    uint32_t *image;
    size_t count, cap; /* micro-ops in the image */
    bool wrapped;      /* placing has started again at 0 in this run */
    bool share;        /* micro-ops that another kernel has in the buffer are used where they are */
    bool late;         /* micro-ops of later steps are loaded behind the first product */
    bool product;      /* the run has one */
    bool has_load;     /* the run has a LOAD UOP; the number in the queue of the one that kernels join */
    size_t load;
    bool has_late, split; /* it has one behind the first product; kernels join that one now */
    size_t late_load;
    uint64_t hits, misses, evictions;
} vt_uop_cache;

void vt_uop_cache_init(vt_uop_cache *cache, const vta_allocator *allocator, uint32_t depth);
void vt_uop_cache_clear(vt_uop_cache *cache);
/* The next device run begins: nothing is resident, the image is empty. */
void vt_uop_cache_reset(vt_uop_cache *cache);
/* How many micro-ops the image would grow by if this kernel were used now. */
uint32_t vt_uop_cache_growth(const vt_uop_cache *cache, const vt_uop_kernel *kernel);
/* Makes the kernel resident. *out_load says whether a LOAD UOP must bring it in, from kernel->image_at to
 * kernel->sram_begin. False when out of memory, with nothing changed. */
bool vt_uop_cache_use(vt_uop_cache *cache, vt_uop_kernel *kernel, bool *out_load);

#endif

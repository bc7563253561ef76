/* Contents, each kept once: the same bytes, before and after, run after run, are one block. */
#ifndef VT_PROGRAM_BLOBS_H
#define VT_PROGRAM_BLOBS_H

#include "base/alloc.h"

#define VT__NO_BLOB UINT32_MAX

typedef struct vt__blob {
    uint8_t *bytes;
    size_t size;
    uint64_t hash;
} vt__blob;

typedef struct vt__blobs {
    const vta_allocator *allocator;
    vt__blob *items;
    size_t count, cap;
    uint32_t *slots; /* open hash table: indices of items, VT__NO_BLOB where free; slot_count is a power of two */
    size_t slot_count;
} vt__blobs;

void vt__blobs_clear(vt__blobs *blobs);
/* The index of a block with these bytes, copied if there is none yet; VT__NO_BLOB when out of memory. */
uint32_t vt__blobs_put(vt__blobs *blobs, const void *bytes, size_t size);
/* Forgets all items from `count` on. */
void vt__blobs_shrink(vt__blobs *blobs, size_t count);

/* `size` without the zeros at the end. */
size_t vt__size_without_zeros(const void *bytes, size_t size);

#endif

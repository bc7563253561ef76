/* The memory of a network's values while it runs: a value is made before what computes it, and freed after its last
 * reader. */
#ifndef VT_GRAPH_EVAL_LIVES_H
#define VT_GRAPH_EVAL_LIVES_H

#include "base/alloc.h"

typedef struct vt_life {
    const void *data; /* NULL: not alive */
    size_t size;      /* of memory made here; its readers, in all and still to come in this run */
    uint32_t readers, left;
    bool made;
} vt_life;

/* Values are numbers below `count`. */
typedef struct vt_lives {
    const vta_allocator *allocator;
    vt_life *of;
    uint32_t count;
    size_t bytes, peak; /* made here: now, and at one time at most since vt_lives_begin */
} vt_lives;

/* False: out of memory. All values are without data and readers. Free in any case with vt_lives_free. */
bool vt_lives_make(vt_lives *l, uint32_t count, const vta_allocator *allocator);
void vt_lives_free(vt_lives *l);
/* A run begins: what was made is freed, and no value has been read. */
void vt_lives_begin(vt_lives *l);
/* Zeroed memory for a value, on a cache line; NULL: out of memory. */
void *vt_lives_new(vt_lives *l, uint32_t value, size_t size);
/* One reader less; or a value was computed, which may have none. After its last reader, memory made here is freed. */
void vt_lives_read(vt_lives *l, uint32_t value);
void vt_lives_computed(vt_lives *l, uint32_t value);

#endif

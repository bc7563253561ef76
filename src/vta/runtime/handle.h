/* Handles that are values, not addresses: a table finds the live slot behind one in a few instructions, and a freed,
 * invented or otherwise foreign one is told from it without touching the memory it might point to.
 *
 * Slots never move and are never freed, so a lookup takes no lock; a slot's handle changes each time it is reused. */
#ifndef VT_RUNTIME_HANDLE_H
#define VT_RUNTIME_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"

enum {
    VT_SLOT_BITS = sizeof(uintptr_t) > 4 ? 20 : 12,      /* live handles at a time */
    VT_GENERATION_BITS = sizeof(uintptr_t) > 4 ? 28 : 8, /* reuses of a slot before a handle comes again */
    VT_CHUNK_BITS = VT_SLOT_BITS - 6,
    VT_CHUNKS = 1 << (VT_SLOT_BITS - VT_CHUNK_BITS),
};

typedef struct vta_runtime vta_runtime;

typedef struct vt_slot {
    _Atomic uintptr_t handle;     /* 0: free */
    _Atomic(vta_runtime *) owner; /* vt_handle_each looks at slots that others fill */
    void *object;   /* a command handle's command; a buffer's host memory, NULL where the host sees none */
    uint64_t bytes; /* of a buffer */
    uint32_t addr;  /* of a buffer, physical */
    uint32_t generation;
    uint32_t index;
    uint32_t next_free;
} vt_slot;

typedef struct vt_handles {
    uintptr_t base; /* what all handles of the table begin with */
    pthread_mutex_t lock;
    _Atomic(vt_slot *) chunks[VT_CHUNKS];
    uint32_t used;       /* slots ever taken */
    uint32_t first_free; /* 1 + index of a freed slot, 0: none */
} vt_handles;

/* What kinds there are; each has its own range of values. */
typedef enum vt_handle_kind { VT_HANDLE_BUFFER, VT_HANDLE_COMMAND, VT_HANDLE_DEVICE, VT_HANDLE_SITE } vt_handle_kind;

/* The base of a kind: no address of the process lies in [base, base + 2^(slot + generation bits)). */
uintptr_t vt_handle_base(vt_handle_kind kind);

/* A slot of its own for the caller to fill, not yet live: vt_handle_publish gives its handle. NULL: none left. */
vt_slot *vt_handle_take(vt_handles *table);
void *vt_handle_publish(vt_handles *table, vt_slot *slot);
/* Ends a slot, live or not yet published, that nobody else can end. */
void vt_handle_drop(vt_handles *table, vt_slot *slot);
/* Ends the slot if it is still that of `handle`: of several threads that free one handle, one gets true. */
bool vt_handle_end(vt_handles *table, vt_slot *slot, const void *handle);
/* Calls visit for every live slot of an owner. The visitor may drop the slot. */
void vt_handle_each(vt_handles *table, const vta_runtime *owner, void (*visit)(void *ctx, vt_slot *slot), void *ctx);

/* True for a value of the table's kind, live or not. */
static inline bool vt_handle_is_kind(const vt_handles *table, const void *handle) {
    return ((uintptr_t)handle - table->base) >> (VT_SLOT_BITS + VT_GENERATION_BITS) == 0;
}

/* The live slot of a handle; NULL when there is none. */
static inline vt_slot *vt_handle_find(vt_handles *table, const void *handle) {
    uintptr_t value = (uintptr_t)handle - table->base;
    if (value >> (VT_SLOT_BITS + VT_GENERATION_BITS)) return NULL;
    uint32_t index = value & ((1u << VT_SLOT_BITS) - 1);
    vt_slot *chunk = atomic_load_explicit(&table->chunks[index >> VT_CHUNK_BITS], memory_order_acquire);
    if (!chunk) return NULL;
    vt_slot *slot = &chunk[index & ((1u << VT_CHUNK_BITS) - 1)];
    return atomic_load_explicit(&slot->handle, memory_order_acquire) == (uintptr_t)handle ? slot : NULL;
}

#endif

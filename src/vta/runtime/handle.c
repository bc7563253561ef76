#include "runtime/handle.h"

#include "base/alloc.h"

#if UINTPTR_MAX > UINT32_MAX
/* The upper 16 bits of a 64-bit address are all zeros or all ones in a user's or the kernel's half; those of a handle
 * are neither. */
uintptr_t vt_handle_base(vt_handle_kind kind) {
    return ((uintptr_t)0x5654 + (uintptr_t)kind) << (VT_SLOT_BITS + VT_GENERATION_BITS);
}
#else
/* A 32-bit process has no such values to spare: an array that nothing ever touches gives addresses of our own. */
uintptr_t vt_handle_base(vt_handle_kind kind) {
    static char space[4][(size_t)1 << (VT_SLOT_BITS + VT_GENERATION_BITS)];
    return (uintptr_t)space[kind];
}
#endif

enum { CHUNK_SLOTS = 1 << VT_CHUNK_BITS, SLOTS = 1 << VT_SLOT_BITS };

static vt_slot *slot_at(vt_handles *table, uint32_t index) {
    return &atomic_load_explicit(&table->chunks[index >> VT_CHUNK_BITS],
                                 memory_order_acquire)[index & (CHUNK_SLOTS - 1)];
}

/* Slot 0 of generation 0 stays unused, so that no handle equals the base. */
static vt_slot *take_fresh(vt_handles *table) {
    uint32_t index = table->used + 1;
    if (index >= SLOTS) return NULL;
    _Atomic(vt_slot *) *chunk = &table->chunks[index >> VT_CHUNK_BITS];
    if (!atomic_load_explicit(chunk, memory_order_relaxed)) {
        vt_slot *slots = vt_alloc_zero(NULL, CHUNK_SLOTS * sizeof *slots);
        if (!slots) return NULL;
        atomic_store_explicit(chunk, slots, memory_order_release);
    }
    table->used = index;
    vt_slot *slot = slot_at(table, index);
    slot->index = index;
    return slot;
}

vt_slot *vt_handle_take(vt_handles *table) {
    pthread_mutex_lock(&table->lock);
    vt_slot *slot;
    if (table->first_free) {
        slot = slot_at(table, table->first_free - 1);
        table->first_free = slot->next_free;
    } else {
        slot = take_fresh(table);
    }
    pthread_mutex_unlock(&table->lock);
    return slot;
}

void *vt_handle_publish(vt_handles *table, vt_slot *slot) {
    uintptr_t value = table->base + (((uintptr_t)slot->generation << VT_SLOT_BITS) | slot->index);
    atomic_store_explicit(&slot->handle, value, memory_order_release);
    return (void *)value;
}

static void drop_locked(vt_handles *table, vt_slot *slot) {
    atomic_store_explicit(&slot->handle, 0, memory_order_release);
    slot->generation = (slot->generation + 1) & ((1u << VT_GENERATION_BITS) - 1);
    slot->next_free = table->first_free;
    table->first_free = slot->index + 1;
}

void vt_handle_drop(vt_handles *table, vt_slot *slot) {
    pthread_mutex_lock(&table->lock);
    drop_locked(table, slot);
    pthread_mutex_unlock(&table->lock);
}

bool vt_handle_end(vt_handles *table, vt_slot *slot, const void *handle) {
    pthread_mutex_lock(&table->lock);
    bool live = atomic_load_explicit(&slot->handle, memory_order_relaxed) == (uintptr_t)handle;
    if (live) drop_locked(table, slot);
    pthread_mutex_unlock(&table->lock);
    return live;
}

void vt_handle_each(vt_handles *table, const vta_runtime *owner, void (*visit)(void *ctx, vt_slot *slot), void *ctx) {
    pthread_mutex_lock(&table->lock);
    uint32_t used = table->used;
    pthread_mutex_unlock(&table->lock);
    for (uint32_t i = 1; i <= used; i++) {
        vt_slot *slot = slot_at(table, i);
        if (atomic_load_explicit(&slot->handle, memory_order_acquire) && slot->owner == owner) visit(ctx, slot);
    }
}

#include "program/blobs.h"

#include <string.h>

#include "base/hash.h"

size_t vt__size_without_zeros(const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    uint64_t word = 0;
    while (size >= 8) {
        memcpy(&word, p + size - 8, 8);
        if (word) break;
        size -= 8;
    }
    while (size && !p[size - 1]) size--;
    return size;
}

void vt__blobs_clear(vt__blobs *b) {
    vt__blobs_shrink(b, 0);
    vt_free(b->allocator, b->items, b->cap * sizeof *b->items);
    vt_free(b->allocator, b->slots, b->slot_count * sizeof *b->slots);
    *b = (vt__blobs){.allocator = b->allocator};
}

/* The slot of an equal item, or the free slot where it belongs. */
static uint32_t *slot_of(const vt__blobs *b, const void *bytes, size_t size, uint64_t hash) {
    for (size_t i = hash;; i++) {
        uint32_t *slot = &b->slots[i & (b->slot_count - 1)];
        if (*slot == VT__NO_BLOB) return slot;
        const vt__blob *item = &b->items[*slot];
        if (item->hash == hash && item->size == size && (!size || !memcmp(item->bytes, bytes, size))) return slot;
    }
}

static void fill_slots(vt__blobs *b) {
    for (size_t i = 0; i < b->slot_count; i++) b->slots[i] = VT__NO_BLOB;
    for (size_t i = 0; i < b->count; i++)
        *slot_of(b, b->items[i].bytes, b->items[i].size, b->items[i].hash) = (uint32_t)i;
}

/* Keeps the table at most half full. */
static bool grow_slots(vt__blobs *b) {
    if ((b->count + 1) * 2 <= b->slot_count) return true;
    size_t count = b->slot_count ? b->slot_count * 2 : 64;
    uint32_t *slots = vt_alloc_array(b->allocator, count, sizeof *slots);
    if (!slots) return false;
    vt_free(b->allocator, b->slots, b->slot_count * sizeof *b->slots);
    b->slots = slots;
    b->slot_count = count;
    fill_slots(b);
    return true;
}

uint32_t vt__blobs_put(vt__blobs *b, const void *bytes, size_t size) {
    if (b->count >= VT__NO_BLOB || !grow_slots(b)) return VT__NO_BLOB;
    uint64_t hash = vt_hash(size, bytes, size);
    uint32_t *slot = slot_of(b, bytes, size, hash);
    if (*slot != VT__NO_BLOB) return *slot;
    if (!vt_reserve(b->allocator, &b->items, &b->cap, b->count + 1, sizeof *b->items)) return VT__NO_BLOB;
    uint8_t *copy = vt_alloc(b->allocator, size);
    if (!copy) return VT__NO_BLOB;
    if (size) memcpy(copy, bytes, size);
    b->items[b->count] = (vt__blob){copy, size, hash};
    *slot = (uint32_t)b->count;
    return (uint32_t)b->count++;
}

void vt__blobs_shrink(vt__blobs *b, size_t count) {
    if (b->count <= count) return;
    while (b->count > count) {
        b->count--;
        vt_free(b->allocator, b->items[b->count].bytes, b->items[b->count].size);
    }
    fill_slots(b);
}

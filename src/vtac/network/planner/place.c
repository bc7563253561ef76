/* Places for buffers that live for some steps: greedy by size. */
#include <stdlib.h>

#include "network/planner/planner_priv.h"

/* The largest first; of equal ones the one that comes first, so that plans do not depend on the sort. */
static int by_size(const void *a, const void *b) {
    const vt__item *x = *(vt__item *const *)a, *y = *(vt__item *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool meet(const vt__item *a, const vt__item *b) {
    return a->apart || b->apart || (a->first <= b->last && b->first <= a->last);
}

static uint64_t aligned(uint64_t n, uint64_t by) { return (n + by - 1) / by * by; }

/* Those placed stand in the order of their offsets. */
static uint64_t lowest_gap(vt__item *const *placed, size_t count, const vt__item *item, uint64_t base,
                           uint64_t alignment) {
    uint64_t at = base;
    for (size_t i = 0; i < count; i++) {
        const vt__item *other = placed[i];
        if (!meet(item, other)) continue;
        if (at + item->bytes <= other->offset) break;
        uint64_t end = aligned(other->offset + other->bytes, alignment);
        if (end > at) at = end;
    }
    return at;
}

static void insert(vt__item **placed, size_t count, vt__item *item) {
    size_t at = count;
    for (; at && placed[at - 1]->offset > item->offset; at--) placed[at] = placed[at - 1];
    placed[at] = item;
}

bool vt__place(const vta_allocator *a, vt__item *items, size_t count, uint64_t base, uint64_t alignment,
               uint64_t *out_end) {
    vt__item **order = vt_alloc_array(a, count + 1, sizeof *order);
    vt__item **placed = vt_alloc_array(a, count + 1, sizeof *placed);
    *out_end = base;
    for (size_t i = 0; order && i < count; i++) order[i] = &items[i];
    if (order && placed) qsort(order, count, sizeof *order, by_size);
    for (size_t i = 0; order && placed && i < count; i++) {
        vt__item *item = order[i];
        item->offset = lowest_gap(placed, i, item, base, alignment);
        insert(placed, i, item);
        uint64_t end = aligned(item->offset + item->bytes, alignment);
        if (end > *out_end) *out_end = end;
    }
    bool ok = order && placed;
    vt_free(a, order, (count + 1) * sizeof *order);
    vt_free(a, placed, (count + 1) * sizeof *placed);
    return ok;
}

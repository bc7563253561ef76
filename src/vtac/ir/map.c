/* Pointer maps: open addressing over an ordered list of entries. */
#include "ir/visit.h"

struct vt_ptrmap {
    vt_ctx *ctx;
    uint32_t n, cap;
    const void **keys;
    const void **values;
    uint32_t *slots; /* entry number + 1; 0: free */
    uint32_t n_slots;
};

static uint32_t slot_of(const vt_ptrmap *map, const void *key) {
    uint64_t x = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(x >> 32) & (map->n_slots - 1);
    while (map->slots[i] && map->keys[map->slots[i] - 1] != key) i = (i + 1) & (map->n_slots - 1);
    return i;
}

static void grow(vt_ptrmap *map) {
    uint32_t cap = map->cap;
    vt_grow(map->ctx, &map->keys, &cap, map->n + 1, sizeof *map->keys);
    vt_grow(map->ctx, &map->values, &map->cap, map->n + 1, sizeof *map->values);
    if (map->n_slots >= 2 * (map->n + 1)) return;
    map->n_slots = map->n_slots ? map->n_slots * 2 : 16;
    map->slots = VT_NEW_ARRAY(map->ctx, uint32_t, map->n_slots);
    for (uint32_t i = 0; i < map->n; i++) map->slots[slot_of(map, map->keys[i])] = i + 1;
}

vt_ptrmap *vt_ptrmap_new(vt_ctx *ctx) {
    vt_ptrmap *map = VT_NEW(ctx, vt_ptrmap);
    map->ctx = ctx;
    return map;
}

void vt_ptrmap_set(vt_ptrmap *map, const void *key, const void *value) {
    grow(map);
    uint32_t slot = slot_of(map, key);
    if (!map->slots[slot]) {
        map->keys[map->n++] = key;
        map->slots[slot] = map->n;
    }
    map->values[map->slots[slot] - 1] = value;
}

static uint32_t find(const vt_ptrmap *map, const void *key) { return map->n ? map->slots[slot_of(map, key)] : 0; }

void *vt_ptrmap_get(const vt_ptrmap *map, const void *key) {
    uint32_t at = find(map, key);
    return at ? (void *)(uintptr_t)map->values[at - 1] : NULL;
}

bool vt_ptrmap_has(const vt_ptrmap *map, const void *key) { return find(map, key) != 0; }
uint32_t vt_ptrmap_size(const vt_ptrmap *map) { return map->n; }
const void *vt_ptrmap_key(const vt_ptrmap *map, uint32_t i) { return map->keys[i]; }
void *vt_ptrmap_value(const vt_ptrmap *map, uint32_t i) { return (void *)(uintptr_t)map->values[i]; }

/* A map of variables is a pointer map with its own name, so that the compiler tells them apart. */
vt_varmap *vt_varmap_new(vt_ctx *ctx) { return (vt_varmap *)vt_ptrmap_new(ctx); }
void vt_varmap_set(vt_varmap *map, const vt_var *v, const vt_expr *value) { vt_ptrmap_set((vt_ptrmap *)map, v, value); }
const vt_expr *vt_varmap_get(const vt_varmap *map, const vt_var *v) { return vt_ptrmap_get((const vt_ptrmap *)map, v); }
uint32_t vt_varmap_size(const vt_varmap *map) { return ((const vt_ptrmap *)map)->n; }

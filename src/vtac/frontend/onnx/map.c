/* A hash table of names. */
#include <string.h>

#include "frontend/onnx/priv.h"

static uint64_t hash(const char *s) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    return h ^ h >> 32;
}

static vt_onnx_map_entry *place(vt_onnx_map_entry *entries, uint32_t cap, const char *key) {
    uint32_t i = (uint32_t)hash(key) & (cap - 1);
    while (entries[i].key && strcmp(entries[i].key, key) != 0) i = (i + 1) & (cap - 1);
    return &entries[i];
}

void *vt__onnx_map_own(const vt_onnx_map *m, const char *key) {
    return m->cap ? place(m->entries, m->cap, key)->value : NULL;
}

void *vt__onnx_map_get(const vt_onnx_map *m, const char *key) {
    void *value = NULL;
    for (; m && !value; m = m->outer) value = vt__onnx_map_own(m, key);
    return value;
}

static void grow(vt_ctx *ctx, vt_onnx_map *m) {
    uint32_t cap = m->cap ? m->cap * 2 : 64;
    vt_onnx_map_entry *entries = VT_NEW_ARRAY(ctx, vt_onnx_map_entry, cap);
    for (uint32_t i = 0; i < m->cap; i++)
        if (m->entries[i].key) *place(entries, cap, m->entries[i].key) = m->entries[i];
    m->entries = entries;
    m->cap = cap;
}

bool vt__onnx_map_put(vt_ctx *ctx, vt_onnx_map *m, const char *key, void *value) {
    if (m->count >= m->cap / 2) grow(ctx, m);
    vt_onnx_map_entry *e = place(m->entries, m->cap, key);
    if (e->key) return false;
    *e = (vt_onnx_map_entry){key, value};
    m->count++;
    return true;
}

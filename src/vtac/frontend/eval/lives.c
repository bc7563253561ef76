#include "frontend/eval/lives.h"

bool vt_lives_make(vt_lives *l, uint32_t count, const vta_allocator *allocator) {
    *l = (vt_lives){.allocator = allocator, .count = count};
    l->of = vt_alloc_zero(allocator, ((size_t)count + 1) * sizeof *l->of);
    return l->of != NULL;
}

static void drop(vt_lives *l, vt_life *v) {
    if (!v->made) return;
    vt_free_lines(l->allocator, (void *)v->data, v->size);
    l->bytes -= v->size;
    v->data = NULL;
    v->made = false;
}

void vt_lives_begin(vt_lives *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        drop(l, &l->of[i]);
        l->of[i].left = l->of[i].readers;
    }
    l->bytes = l->peak = 0;
}

void vt_lives_free(vt_lives *l) {
    if (!l->of) return;
    vt_lives_begin(l);
    vt_free(l->allocator, l->of, ((size_t)l->count + 1) * sizeof *l->of);
    l->of = NULL;
}

void *vt_lives_new(vt_lives *l, uint32_t value, size_t size) {
    void *data = vt_alloc_lines(l->allocator, size);
    if (!data) return NULL;
    l->of[value].data = data;
    l->of[value].size = size;
    l->of[value].made = true;
    l->bytes += size;
    if (l->bytes > l->peak) l->peak = l->bytes;
    return data;
}

void vt_lives_computed(vt_lives *l, uint32_t value) {
    if (!l->of[value].left) drop(l, &l->of[value]);
}

void vt_lives_read(vt_lives *l, uint32_t value) {
    if (--l->of[value].left == 0) drop(l, &l->of[value]);
}

#include "runtime/uop_cache.h"

#include <string.h>

void vt_uop_cache_init(vt_uop_cache *cache, const vta_allocator *allocator, uint32_t depth) {
    *cache = (vt_uop_cache){.allocator = allocator, .depth = depth, .run = 1};
}

void vt_uop_cache_clear(vt_uop_cache *cache) {
    vt_free(cache->allocator, cache->image, cache->cap * sizeof *cache->image);
    vt_uop_cache_init(cache, cache->allocator, cache->depth);
}

void vt_uop_cache_reset(vt_uop_cache *cache) {
    for (vt_uop_kernel *k = cache->first, *after; k; k = after) {
        after = k->after;
        k->resident = false;
        k->before = k->after = NULL;
    }
    cache->first = cache->last = cache->next = NULL;
    cache->end = 0;
    cache->count = 0;
    cache->wrapped = cache->has_load = cache->has_late = cache->split = cache->product = false;
    cache->run++;
}

static void evict(vt_uop_cache *cache, vt_uop_kernel *kernel) {
    *(kernel->before ? &kernel->before->after : &cache->first) = kernel->after;
    *(kernel->after ? &kernel->after->before : &cache->last) = kernel->before;
    if (cache->next == kernel) cache->next = kernel->after;
    kernel->before = kernel->after = NULL;
    kernel->resident = false;
    cache->evictions++;
}

/* Links the kernel in before cache->next. */
static void insert(vt_uop_cache *cache, vt_uop_kernel *kernel) {
    kernel->after = cache->next;
    kernel->before = cache->next ? cache->next->before : cache->last;
    *(kernel->before ? &kernel->before->after : &cache->first) = kernel;
    *(kernel->after ? &kernel->after->before : &cache->last) = kernel;
    kernel->resident = true;
}

static bool in_image(const vt_uop_cache *cache, const vt_uop_kernel *kernel) { return kernel->image_run == cache->run; }

uint32_t vt_uop_cache_growth(const vt_uop_cache *cache, const vt_uop_kernel *kernel) {
    return kernel->resident || in_image(cache, kernel) ? 0 : (uint32_t)kernel->count;
}

static bool add_to_image(vt_uop_cache *cache, vt_uop_kernel *kernel) {
    if (in_image(cache, kernel)) return true;
    if (!vt_reserve(cache->allocator, &cache->image, &cache->cap, cache->count + kernel->count, sizeof *cache->image))
        return false;
    memcpy(cache->image + cache->count, kernel->words, kernel->count * sizeof *kernel->words);
    kernel->image_run = cache->run;
    kernel->image_at = (uint32_t)cache->count;
    cache->count += kernel->count;
    return true;
}

/* Where the kernel's micro-ops stand among those of one that is resident. */
static bool find_among(const vt_uop_kernel *resident, vt_uop_kernel *kernel) {
    for (size_t at = 0; at + kernel->count <= resident->count; at++) {
        if (memcmp(resident->words + at, kernel->words, kernel->count * sizeof *kernel->words) != 0) continue;
        kernel->sram_begin = resident->sram_begin + (uint32_t)at;
        return true;
    }
    return false;
}

static bool find_shared(const vt_uop_cache *cache, vt_uop_kernel *kernel) {
    for (const vt_uop_kernel *k = cache->share ? cache->first : NULL; k; k = k->after)
        if (find_among(k, kernel)) return true;
    return false;
}

bool vt_uop_cache_use(vt_uop_cache *cache, vt_uop_kernel *kernel, bool *out_load) {
    bool there = kernel->resident || find_shared(cache, kernel);
    *out_load = !there;
    if (there) {
        cache->hits++;
        return true;
    }
    if (!add_to_image(cache, kernel)) return false;
    cache->misses++;
    if (cache->end + kernel->count > cache->depth) {
        cache->end = 0;
        cache->next = cache->first;
        cache->wrapped = true;
    }
    kernel->sram_begin = cache->end;
    cache->end += (uint32_t)kernel->count;
    while (cache->next && cache->next->sram_begin < cache->end) evict(cache, cache->next);
    insert(cache, kernel);
    return true;
}

#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK = 16 * 1024, LARGEST_STEP = 1024 * 1024 };

struct vt_arena_block {
    vt_arena_block *older;
    size_t size; /* with this header */
    alignas(max_align_t) char data[];
};

void vt_arena_init(vt_arena *arena, const vta_allocator *allocator) { *arena = (vt_arena){.allocator = allocator}; }

static void free_newest(vt_arena *arena) {
    vt_arena_block *b = arena->blocks;
    arena->blocks = b->older;
    arena->bytes -= b->size;
    vt_free(arena->allocator, b, b->size);
}

void vt_arena_clear(vt_arena *arena) {
    while (arena->blocks) free_newest(arena);
    arena->next = arena->end = NULL;
}

static bool open_block(vt_arena *arena, size_t need) {
    size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_STEP) size = LARGEST_STEP;
    size_t least;
    if (!vt_add_size(need, sizeof(vt_arena_block), &least)) return false;
    if (size < least) size = least;
    vt_arena_block *b = vt_alloc(arena->allocator, size);
    if (!b) return false;
    b->older = arena->blocks;
    b->size = size;
    arena->blocks = b;
    arena->bytes += size;
    arena->next = b->data;
    arena->end = (char *)b + size;
    return true;
}

void *vt_arena_alloc(vt_arena *arena, size_t size) {
    enum { ALIGN = alignof(max_align_t) };
    if (size > SIZE_MAX - ALIGN) return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    bool fits = arena->next && size <= (size_t)(arena->end - arena->next);
    if (!fits && !open_block(arena, size)) return NULL;
    void *p = arena->next;
    arena->next += size;
    return p;
}

void *vt_arena_alloc_zero(vt_arena *arena, size_t size) {
    void *p = vt_arena_alloc(arena, size);
    if (p) memset(p, 0, size);
    return p;
}

char *vt_arena_strndup(vt_arena *arena, const char *s, size_t n) {
    char *copy = vt_arena_alloc(arena, n + 1);
    if (!copy) return NULL;
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

vt_arena_mark vt_arena_here(const vt_arena *arena) { return (vt_arena_mark){arena->blocks, arena->next}; }

void vt_arena_rewind(vt_arena *arena, vt_arena_mark mark) {
    while (arena->blocks != mark.block) free_newest(arena);
    arena->next = mark.next;
    arena->end = mark.block ? (char *)mark.block + mark.block->size : NULL;
}

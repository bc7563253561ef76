#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK = 16 * 1024, LARGEST_STEP = VT_LARGE_PAGE, LARGE = 64 * 1024 };

struct vt_arena_block {
    vt_arena_block *older;
    size_t size; /* with this header */
    alignas(max_align_t) char data[];
};

void vt_arena_init(vt_arena *arena, const vta_allocator *allocator) { *arena = (vt_arena){.allocator = allocator}; }

static void free_newest(vt_arena *arena, vt_arena_block **list) {
    vt_arena_block *b = *list;
    *list = b->older;
    arena->bytes -= b->size;
    vt_free(arena->allocator, b, b->size);
}

void vt_arena_trim(vt_arena *arena) {
    while (arena->spare) free_newest(arena, &arena->spare);
}

void vt_arena_clear(vt_arena *arena) {
    vt_arena_trim(arena);
    while (arena->blocks) free_newest(arena, &arena->blocks);
    while (arena->large) free_newest(arena, &arena->large);
    arena->next = arena->end = NULL;
}

static vt_arena_block *new_block(vt_arena *arena, size_t size, vt_arena_block **list) {
    vt_arena_block *b = vt_alloc_pages(arena->allocator, size);
    if (!b) return NULL;
    b->older = *list;
    b->size = size;
    *list = b;
    arena->bytes += size;
    return b;
}

/* A spare one that is large enough; NULL: there is none. */
static vt_arena_block *take_spare(vt_arena *arena, size_t need) {
    vt_arena_block *b = arena->spare;
    if (!b || b->size < need + sizeof *b) return NULL;
    arena->spare = b->older;
    b->older = arena->blocks;
    arena->blocks = b;
    return b;
}

static bool open_block(vt_arena *arena, size_t need) {
    vt_arena_block *spare = take_spare(arena, need);
    if (spare) {
        arena->next = spare->data;
        arena->end = (char *)spare + spare->size;
        return true;
    }
    size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_STEP) size = LARGEST_STEP;
    while (size < need + sizeof(vt_arena_block)) size *= 2;
    vt_arena_block *b = new_block(arena, size, &arena->blocks);
    if (!b) return false;
    arena->next = b->data;
    arena->end = (char *)b + size;
    return true;
}

/* The block in use stays in use. */
static void *alloc_large(vt_arena *arena, size_t need) {
    size_t size;
    if (!vt_add_size(need, sizeof(vt_arena_block), &size)) return NULL;
    vt_arena_block *b = new_block(arena, size, &arena->large);
    return b ? b->data : NULL;
}

void *vt_arena_alloc(vt_arena *arena, size_t size) {
    enum { ALIGN = alignof(max_align_t) };
    if (size > SIZE_MAX - ALIGN) return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size >= LARGE) return alloc_large(arena, size);
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

void vt_arena_drop(vt_arena *arena, const void *p) {
    vt_arena_block **at = &arena->large;
    while (*at && (*at)->data != p) at = &(*at)->older;
    if (*at) free_newest(arena, at);
}

char *vt_arena_strndup(vt_arena *arena, const char *s, size_t n) {
    char *copy = vt_arena_alloc(arena, n + 1);
    if (!copy) return NULL;
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

vt_arena_mark vt_arena_here(const vt_arena *arena) { return (vt_arena_mark){arena->blocks, arena->large, arena->next}; }

void vt_arena_rewind(vt_arena *arena, vt_arena_mark mark) {
    while (arena->blocks != mark.block) free_newest(arena, &arena->blocks);
    while (arena->large != mark.large) free_newest(arena, &arena->large);
    arena->next = mark.next;
    arena->end = mark.block ? (char *)mark.block + mark.block->size : NULL;
}

void vt_arena_reuse(vt_arena *arena, vt_arena_mark mark) {
    while (arena->blocks != mark.block) {
        vt_arena_block *b = arena->blocks;
        arena->blocks = b->older;
        b->older = arena->spare;
        arena->spare = b;
    }
    vt_arena_rewind(arena, mark);
}

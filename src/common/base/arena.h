/* An arena: many small allocations, freed together. */
#ifndef VT_BASE_ARENA_H
#define VT_BASE_ARENA_H

#include "base/alloc.h"

typedef struct vt_arena_block vt_arena_block;

typedef struct vt_arena {
    const vta_allocator *allocator;
    vt_arena_block *blocks; /* newest first */
    vt_arena_block *large;  /* those of one large allocation each, newest first */
    vt_arena_block *spare;  /* taken back, to be used again */
    char *next;             /* free space of the newest block */
    char *end;
    size_t bytes; /* what the blocks take, for reports of peak memory */
} vt_arena;

/* A place to return to: everything allocated after it is freed by vt_arena_rewind. */
typedef struct vt_arena_mark {
    vt_arena_block *block, *large;
    char *next;
} vt_arena_mark;

void vt_arena_init(vt_arena *arena, const vta_allocator *allocator);
/* Frees everything; the arena is empty and usable again. */
void vt_arena_clear(vt_arena *arena);
/* Aligned for any type; NULL when out of memory. _zero clears the bytes. */
void *vt_arena_alloc(vt_arena *arena, size_t size);
void *vt_arena_alloc_zero(vt_arena *arena, size_t size);
/* Frees one allocation early if it is a large one; others stay, and so does what is not of this arena. Between
 * vt_arena_here and vt_arena_rewind only what was allocated after the first may be dropped. */
void vt_arena_drop(vt_arena *arena, const void *p);
char *vt_arena_strndup(vt_arena *arena, const char *s, size_t n);
vt_arena_mark vt_arena_here(const vt_arena *arena);
void vt_arena_rewind(vt_arena *arena, vt_arena_mark mark);
/* The same, but keeps memory for what is allocated next; vt_arena_trim frees what was kept. */
void vt_arena_reuse(vt_arena *arena, vt_arena_mark mark);
void vt_arena_trim(vt_arena *arena);

#endif

/* The allocator as the libraries use it: checked sizes, NULL for the C library's. */
#ifndef VT_BASE_ALLOC_H
#define VT_BASE_ALLOC_H

#include <stdbool.h>

#include "vta/status.h"

/* The C library's realloc and free as a vta_allocator. */
extern const vta_allocator vt_allocator_libc;

/* Allocates `size` bytes (zeroed with _zero); NULL when out of memory. Size 0 gives a valid pointer. */
void *vt_alloc(const vta_allocator *a, size_t size);
void *vt_alloc_zero(const vta_allocator *a, size_t size);
/* Zeroed, and begins a cache line of 64 bytes: vectors of a buffer do not straddle two. Free with vt_free_lines. */
void *vt_alloc_lines(const vta_allocator *a, size_t size);
void vt_free_lines(const vta_allocator *a, void *p, size_t size);
/* For memory that is used from end to end: of the C library, and from VT_LARGE_PAGE bytes on, in large pages where the
 * system has them, which saves a page fault for every 4 KiB. Free with vt_free. */
enum { VT_LARGE_PAGE = 2 * 1024 * 1024 };
void *vt_alloc_pages(const vta_allocator *a, size_t size);
/* An array of `count` items; NULL also when the product overflows. */
void *vt_alloc_array(const vta_allocator *a, size_t count, size_t item);
/* Grows or shrinks a block made here; NULL when out of memory, and then `p` stays as it is. */
void *vt_resize(const vta_allocator *a, void *p, size_t old_size, size_t new_size);
/* Frees a block; `size` is what it was allocated or resized with. NULL is allowed. */
void vt_free(const vta_allocator *a, void *p, size_t size);
char *vt_strdup(const vta_allocator *a, const char *s);
void vt_strfree(const vta_allocator *a, char *s);

/* Makes room for `want` items in a growing array: doubles *cap until it fits. False, with nothing changed, when
 * out of memory. */
bool vt_reserve(const vta_allocator *a, void *items_ptr, size_t *cap, size_t want, size_t item);

/* Checked size arithmetic: false on overflow. */
static inline bool vt_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool vt_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

#endif

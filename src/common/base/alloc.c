#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *libc_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    (void)ctx;
    (void)old_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

const vta_allocator vt_allocator_libc = {libc_resize, NULL};

static const vta_allocator *pick(const vta_allocator *a) { return a ? a : &vt_allocator_libc; }

/* A block of size 0 still needs an address of its own, so the interface never sees size 0 but for freeing. */
static size_t at_least_one(size_t size) { return size ? size : 1; }

void *vt_alloc(const vta_allocator *a, size_t size) {
    a = pick(a);
    return a->resize(a->ctx, NULL, 0, at_least_one(size));
}

void *vt_alloc_zero(const vta_allocator *a, size_t size) {
    a = pick(a);
    /* The C library knows which memory is zero already: large blocks cost nothing until they are touched. */
    if (a->resize == libc_resize) return calloc(1, at_least_one(size));
    void *p = vt_alloc(a, size);
    if (p) memset(p, 0, at_least_one(size));
    return p;
}

void *vt_alloc_pages(const vta_allocator *a, size_t size) {
    void *p;
    if (pick(a)->resize != libc_resize || size < VT_LARGE_PAGE) return vt_alloc(a, size);
    if (posix_memalign(&p, VT_LARGE_PAGE, size)) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(p, size, MADV_HUGEPAGE); /* a wish: without large pages the memory is as good */
#endif
    return p;
}

enum { LINE = 64 };

/* The byte before the block says how far it is from what the allocator gave. */
void *vt_alloc_lines(const vta_allocator *a, size_t size) {
    size_t whole;
    uint8_t *given = vt_add_size(size, LINE, &whole) ? vt_alloc_zero(a, whole) : NULL;
    if (!given) return NULL;
    uint8_t *p = given + LINE - (uintptr_t)given % LINE;
    p[-1] = (uint8_t)(p - given);
    return p;
}

void vt_free_lines(const vta_allocator *a, void *p, size_t size) {
    uint8_t *block = p;
    if (block) vt_free(a, block - block[-1], size + LINE);
}

void *vt_alloc_array(const vta_allocator *a, size_t count, size_t item) {
    size_t size;
    return vt_mul_size(count, item, &size) ? vt_alloc(a, size) : NULL;
}

void *vt_resize(const vta_allocator *a, void *p, size_t old_size, size_t new_size) {
    a = pick(a);
    return a->resize(a->ctx, p, p ? at_least_one(old_size) : 0, at_least_one(new_size));
}

void vt_free(const vta_allocator *a, void *p, size_t size) {
    a = pick(a);
    if (p) a->resize(a->ctx, p, at_least_one(size), 0);
}

char *vt_strdup(const vta_allocator *a, const char *s) {
    size_t size = strlen(s) + 1;
    char *copy = vt_alloc(a, size);
    if (copy) memcpy(copy, s, size);
    return copy;
}

void vt_strfree(const vta_allocator *a, char *s) {
    if (s) vt_free(a, s, strlen(s) + 1);
}

bool vt_reserve(const vta_allocator *a, void *items_ptr, size_t *cap, size_t want, size_t item) {
    if (want <= *cap) return true;
    size_t grown = *cap ? *cap : 8;
    while (grown < want) {
        if (!vt_mul_size(grown, 2, &grown)) return false;
    }
    size_t old_bytes = *cap * item, new_bytes;
    if (!vt_mul_size(grown, item, &new_bytes)) return false;
    void *items;
    memcpy(&items, items_ptr, sizeof items);
    items = vt_resize(a, items, items ? old_bytes : 0, new_bytes);
    if (!items) return false;
    memcpy(items_ptr, &items, sizeof items);
    *cap = grown;
    return true;
}

void vta_string_free(void *text) { free(text); }

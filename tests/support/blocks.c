/* The blocks of the library's default allocator. One that is given back with another size than it was asked for with
 * ends the test, as it does with the allocators of tests (sized.h), which most code never meets. The allocators of the
 * sanitizers, the leak sanitizer's in most tests among them, know the size to the byte; the C library's knows which one
 * it made of it. Linked into every test with --wrap. */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __real_vt_free(const vta_allocator *a, void *p, size_t size);
void __wrap_vt_free(const vta_allocator *a, void *p, size_t size);
void *__real_vt_resize(const vta_allocator *a, void *p, size_t old_size, size_t new_size);
void *__wrap_vt_resize(const vta_allocator *a, void *p, size_t old_size, size_t new_size);

/* Memory as it is after long use: what the C library gives to the code under test is not zero by chance, as fresh
 * memory is. Of large blocks the first page is enough, and cheap. */
void *__wrap_realloc(void *p, size_t size) {
    enum { FILL = 0xbe, MAX = 4096 };
    size_t before = p ? malloc_usable_size(p) : 0;
    unsigned char *block = __real_realloc(p, size);
    size_t end = size < MAX ? size : MAX;
    if (block && before < end) memset(block + before, FILL, end - before);
    return block;
}

/* Of the C library's blocks a little is for nobody; of large ones, which it takes from the system, pages. */
static bool can_have(size_t has, size_t size) {
    enum { LITTLE = 64, LARGE = 100000 };
    static _Atomic int exact; /* 1: yes, -1: no */
    if (!exact) {
        void *one = malloc(1);
        exact = one && malloc_usable_size(one) == 1 ? 1 : -1;
        free(one);
    }
    if (exact > 0) return has == size;
    return has >= size && (has - size < LITTLE || size >= LARGE);
}

static void check(const vta_allocator *a, void *p, size_t size, const char *what, const void *caller) {
    if (!p || (a && a->resize != vt_allocator_libc.resize)) return;
    size_t has = malloc_usable_size(p), wanted = size ? size : 1; /* as base/alloc.c has it */
    if (can_have(has, wanted)) return;
    fprintf(stderr, "%s, called at %p: a block of %zu bytes is said to have %zu\n", what, caller, has, wanted);
    abort();
}

void __wrap_vt_free(const vta_allocator *a, void *p, size_t size) {
    check(a, p, size, "vt_free", __builtin_return_address(0));
    __real_vt_free(a, p, size);
}

void *__wrap_vt_resize(const vta_allocator *a, void *p, size_t old_size, size_t new_size) {
    check(a, p, old_size, "vt_resize", __builtin_return_address(0));
    return __real_vt_resize(a, p, old_size, new_size);
}

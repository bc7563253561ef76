/* Makes the C library's allocator fail, for the functions that take none of their own. Include it in a file called
 * test_no_memory.c: tests/CMakeLists.txt links those with --wrap, so that the library's calls come here. */
#ifndef TESTS_SUPPORT_NO_MEMORY_H
#define TESTS_SUPPORT_NO_MEMORY_H

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>

#include "support/check.h"

/* Allocations that still succeed; below 0: all do. */
static volatile int64_t check_left = -1; /* the compiler takes realloc for a function that changes neither */
static volatile uint64_t check_live;     /* blocks allocated less blocks freed */

void *__real_realloc(void *p, size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *p);
int __real_posix_memalign(void **p, size_t align, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *p);
int __wrap_posix_memalign(void **p, size_t align, size_t size);

static inline bool check_may_allocate(void) {
    if (check_left == 0) return false;
    if (check_left > 0) check_left--;
    return true;
}

void *__wrap_realloc(void *p, size_t size) {
    void *block = check_may_allocate() ? __real_realloc(p, size) : NULL;
    check_live += block && !p;
    return block;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *block = check_may_allocate() ? __real_calloc(count, size) : NULL;
    check_live += block != NULL;
    return block;
}

int __wrap_posix_memalign(void **p, size_t align, size_t size) {
    int failed = check_may_allocate() ? __real_posix_memalign(p, align, size) : ENOMEM;
    check_live += failed == 0;
    return failed;
}

void __wrap_free(void *p) {
    check_live -= p != NULL;
    __real_free(p);
}

/* jansson is a library of its own, and has hooks. */
static inline void *check_json_alloc(size_t size) { return __wrap_realloc(NULL, size ? size : 1); }

/* Runs body with room for 0, 1, 2, ... allocations until it succeeds: each time it must say VTA_NO_MEMORY and leave
 * nothing behind. Body frees what it makes. */
static inline void check_every_allocation(vta_status (*body)(void)) {
    json_set_alloc_funcs(check_json_alloc, __wrap_free);
    vta_status status = VTA_NO_MEMORY;
    int64_t n = 0;
    for (; status != VTA_OK; n++) {
        if (n == 10000) fail_msg("does not end");
        uint64_t before = check_live;
        check_left = n;
        status = body();
        check_left = -1;
        if (status != VTA_OK && status != VTA_NO_MEMORY)
            fail_msg("allocation %d: %s, not out of memory", (int)n, vta_status_text(status));
        if (check_live != before) fail_msg("allocation %d: %d blocks are lost", (int)n, (int)(check_live - before));
    }
    if (n < 2) fail_msg("nothing was allocated: this test sees nothing");
}

#endif

/* An allocator of which one allocation fails: {n, 0, false} gives n blocks, refuses the next, and gives again. It
 * counts the blocks that are not freed. */
#ifndef TESTS_SUPPORT_FAILING_H
#define TESTS_SUPPORT_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct failing {
    long left; /* allocations until the one that fails */
    long blocks;
    bool failed;
} failing;

static inline void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    failing *f = ctx;
    (void)old_size;
    if (new_size == 0) {
        f->blocks -= p != NULL;
        free(p);
        return NULL;
    }
    if (f->left-- == 0) {
        f->failed = true;
        return NULL;
    }
    void *q = realloc(p, new_size);
    f->blocks += !p && q;
    return q;
}

#endif

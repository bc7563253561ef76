/* An allocator of which one allocation fails: {n, 0, false} gives n blocks, refuses the next, and gives again. It
 * counts the blocks that are not freed. */
#ifndef TESTS_SUPPORT_FAILING_H
#define TESTS_SUPPORT_FAILING_H

#include <stdbool.h>
#include <stddef.h>

#include "support/sized.h"

typedef struct failing {
    long left; /* allocations until the one that fails */
    long blocks;
    bool failed;
} failing;

static inline void *failing_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    failing *f = ctx;
    if (new_size && f->left-- == 0) {
        f->failed = true;
        return NULL;
    }
    f->blocks += (!p && new_size) - (p && !new_size);
    return sized_resize(p, old_size, new_size);
}

#endif

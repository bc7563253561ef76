/* Memory for allocators of tests, whose blocks know their sizes: a block that is given back with another size than it
 * was asked for with (`old_size` of vta_allocator) ends the test. */
#ifndef TESTS_SUPPORT_SIZED_H
#define TESTS_SUPPORT_SIZED_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef union sized_head {
    size_t size;
    max_align_t align;
} sized_head;

/* As vta_allocator's resize, without its context. */
static inline void *sized_resize(void *p, size_t old_size, size_t new_size) {
    sized_head *head = p ? (sized_head *)p - 1 : NULL;
    if (head && head->size != old_size) {
        fprintf(stderr, "a block of %zu bytes is said to have %zu\n", head->size, old_size);
        abort();
    }
    if (new_size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, sizeof *head + new_size);
    if (!head) return NULL;
    head->size = new_size;
    return head + 1;
}

#endif

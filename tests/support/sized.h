/* Memory for allocators of tests, whose blocks know their sizes: a block that is given back with another size than it
 * was asked for with (`old_size` of vta_allocator) ends the test, and so does one that was written to behind its end.
 */
#ifndef TESTS_SUPPORT_SIZED_H
#define TESTS_SUPPORT_SIZED_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZED_BEHIND = 16 }; /* bytes that belong to nobody */

typedef union sized_head {
    size_t size;
    max_align_t align;
} sized_head;

static inline unsigned char *sized_behind(sized_head *head) { return (unsigned char *)(head + 1) + head->size; }

static inline void sized_check(sized_head *head, size_t size) {
    size_t same = 0;
    while (head->size == size && same < SIZED_BEHIND && sized_behind(head)[same] == 0xa5) same++;
    if (head->size != size)
        fprintf(stderr, "a block of %zu bytes is said to have %zu\n", head->size, size);
    else if (same < SIZED_BEHIND)
        fprintf(stderr, "a block of %zu bytes was written to behind its end\n", size);
    else
        return;
    abort();
}

/* As vta_allocator's resize, without its context. */
static inline void *sized_resize(void *p, size_t old_size, size_t new_size) {
    sized_head *head = p ? (sized_head *)p - 1 : NULL;
    if (head) sized_check(head, old_size);
    if (new_size == 0) {
        free(head);
        return NULL;
    }
    head = realloc(head, sizeof *head + new_size + SIZED_BEHIND);
    if (!head) return NULL;
    head->size = new_size;
    memset(sized_behind(head), 0xa5, SIZED_BEHIND);
    return head + 1;
}

#endif

/* Memory that ends, or begins, where no page is: what reads or writes beyond it dies. */
#ifndef TESTS_SUPPORT_GUARDED_H
#define TESTS_SUPPORT_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
    uint8_t *at;   /* `size` bytes */
    void *mapping; /* of all pages */
    size_t bytes;
} guarded;

/* `before`: what no page is in front of, else what none is behind. */
static inline guarded guarded_new(size_t size, bool before) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    guarded g = {.bytes = whole + page};
    g.mapping = mmap(NULL, g.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.mapping == MAP_FAILED || mprotect((uint8_t *)g.mapping + (before ? 0 : whole), page, PROT_NONE)) abort();
    g.at = (uint8_t *)g.mapping + (before ? page : whole - size);
    return g;
}

static inline void guarded_free(guarded *g) { munmap(g->mapping, g->bytes); }

#endif

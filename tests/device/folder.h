/* Files of a board in a folder of the test's own: what the kernel's drivers show. */
#ifndef TESTS_DEVICE_FOLDER_H
#define TESTS_DEVICE_FOLDER_H

#include "support/check.h"

static char folder[64];

/* A path in the folder, good for the next seven calls. */
static inline char *in_folder(const char *name) {
    static char path[8][512];
    static int next;
    char *to = path[next++ % 8];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    return to;
}

static inline void put(const char *name, const char *text) {
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#endif

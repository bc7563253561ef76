/* Recorded texts beside the checkout, and comparing with them. */
#ifndef TESTS_LISTINGS_GOLDEN_H
#define TESTS_LISTINGS_GOLDEN_H

#include <stdbool.h>

#include "support/check.h"

static char *read_whole(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    size_t got = fread(text, 1, (size_t)size, f);
    fclose(f);
    text[got] = '\0';
    return text;
}

/* $VTA_SHARED or ../shared, then golden/FOLDER/FILE; NULL where absent. Free it. */
static char *golden_read(const char *folder, const char *file) {
    char path[1024];
    const char *shared = getenv("VTA_SHARED");
    snprintf(path, sizeof path, "%s/golden/%s/%s", shared ? shared : VT_SOURCE_DIR "/../shared", folder, file);
    return read_whole(path);
}

/* Texts are equal but for blanks at their ends; else fails at the first line that differs. */
static void golden_compare(const char *name, const char *got, const char *want) {
    size_t line = 1;
    while (*got || *want) {
        size_t g = strcspn(got, "\n"), w = strcspn(want, "\n");
        bool got_over = strspn(got, " \n") == strlen(got), want_over = strspn(want, " \n") == strlen(want);
        if (got_over && want_over) return;
        if (g != w || memcmp(got, want, g) != 0)
            fail_msg("%s differs in line %zu:\n got  %.*s\n want %.*s", name, line, (int)g, got, (int)w, want);
        got += g + (got[g] == '\n');
        want += w + (want[w] == '\n');
        line++;
    }
}

#endif

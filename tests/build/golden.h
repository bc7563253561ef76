/* The golden data beside the checkout ($VTA_SHARED, else ../shared): tests skip, saying so, where it is absent. */
#ifndef TESTS_BUILD_GOLDEN_H
#define TESTS_BUILD_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/strbuf.h"

/* A file of the golden data, to be freed with free; NULL when it is not there. */
static inline char *golden_read(const char *name) {
    const char *shared = getenv("VTA_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s", shared ? shared : VT_SOURCE_DIR "/../shared", name);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = malloc(1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    text[n] = 0;
    return text;
}

static inline void golden_skip(const char *name) {
    printf("skipped: %s is not beside the checkout\n", name);
    skip();
}

/* A sink for vtac_trace_begin. */
static inline void trace_to(void *ctx, const char *text, size_t size) { vt_strbuf_addn(ctx, text, size); }

/* Fails at the first line that differs, showing both. */
static inline void assert_same_text(const char *name, const char *got, const char *expected) {
    const char *g = got, *e = expected;
    for (int line = 1; *g || *e; line++) {
        size_t gn = strcspn(g, "\n"), en = strcspn(e, "\n");
        if (gn != en || memcmp(g, e, gn) != 0)
            fail_msg("%s:%d: \"%.*s\", not \"%.*s\"", name, line, (int)gn, g, (int)en, e);
        g += gn + (g[gn] == '\n');
        e += en + (e[en] == '\n');
    }
}

#endif

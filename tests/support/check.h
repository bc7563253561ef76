/* What tests share: cmocka with its headers, messages, random numbers, failing allocators. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/sized.h"
#include "vta/status.h"

/* The thread sanitizer ends a child of a process with threads when it starts threads of its own: it takes their numbers
 * for those of the parent's. */
#ifdef __SANITIZE_THREAD__
enum { CHECK_CHILDREN_MAY_START_THREADS = 0 };
#else
enum { CHECK_CHILDREN_MAY_START_THREADS = 1 };
#endif

/* TEST_CASE(name) { ... } is a test of the file, whose main returns run_cases(). Files that make their tests from a
 * table, or set each up by itself, have a list of struct CMUnitTest instead. */
#define TEST_CASE(name)                                                                                                \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void name##_is_listed(void) { check_list_test(#name, name); }                  \
    static void name(__attribute__((unused)) void **state)

enum { CHECK_MAX_TESTS = 128 }; /* of a file */
static struct CMUnitTest check_tests[CHECK_MAX_TESTS];
static size_t check_test_count;

static inline void check_list_test(const char *name, CMUnitTestFunction run) {
    if (check_test_count < CHECK_MAX_TESTS)
        check_tests[check_test_count] = (struct CMUnitTest){name, run, NULL, NULL, NULL};
    check_test_count++;
}

/* Runs the tests of the file, in its order, between two functions or NULL; how many failed. */
static inline int run_cases_between(CMFixtureFunction begin, CMFixtureFunction end) {
    if (!check_test_count || check_test_count > CHECK_MAX_TESTS) {
        fprintf(stderr, "%d tests in a file; expected 1 to %d\n", (int)check_test_count, CHECK_MAX_TESTS);
        return 1;
    }
    return _cmocka_run_group_tests("tests", check_tests, check_test_count, begin, end);
}
static inline int run_cases(void) { return run_cases_between(NULL, NULL); }

/* Fails unless `part` stands in `text`. */
#define assert_contains(text, part)                                                                                    \
    do {                                                                                                               \
        const char *check_text = (text);                                                                               \
        if (!check_text || !strstr(check_text, (part)))                                                                \
            fail_msg("\"%s\" does not contain \"%s\"", check_text ? check_text : "(null)", part);                      \
    } while (0)

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

/* xorshift64*: the same numbers on every machine. */
typedef struct check_random {
    uint64_t state;
} check_random;

static inline uint32_t check_next(check_random *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)((r->state * 0x2545f4914f6cdd1du) >> 32);
}

/* From least to most, both included. */
static inline int64_t check_between(check_random *r, int64_t least, int64_t most) {
    uint64_t wide = (uint64_t)check_next(r) << 32 | check_next(r);
    return least + (int64_t)(wide % (uint64_t)(most - least + 1));
}

/* An allocator that fails the n-th allocation (counted from 0) and every later one, and counts what is not freed. */
typedef struct check_allocator {
    vta_allocator allocator;
    size_t until_failure;
    size_t live, most; /* bytes; the most at any time */
    int failed;
} check_allocator;

static inline void *check_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    check_allocator *a = ctx;
    if (new_size && a->until_failure == 0) {
        a->failed = 1;
        return NULL;
    }
    if (new_size) a->until_failure--;
    a->live += new_size;
    a->live -= p ? old_size : 0;
    if (a->live > a->most) a->most = a->live;
    return sized_resize(p, old_size, new_size);
}

static inline void check_allocator_init(check_allocator *a, size_t until_failure) {
    *a = (check_allocator){{check_resize, a}, until_failure, 0, 0, 0};
}

/* A whole file, a zero after it; fails where there is none. Free it. */
static inline void *check_read_file(const char *path, size_t *out_size) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot open %s", path);
    fseek(f, 0, SEEK_END);
    *out_size = (size_t)ftell(f);
    rewind(f);
    char *data = calloc(1, *out_size + 1);
    assert_int_equal(fread(data, 1, *out_size, f), *out_size);
    fclose(f);
    return data;
}

#endif

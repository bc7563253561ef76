/* One list of diagnostics for all tests of a program, and what it says in complete words. */
#ifndef TESTS_SUPPORT_DIAG_H
#define TESTS_SUPPORT_DIAG_H

#include "support/check.h"
#include "vta/status.h"

static vta_diag *diag;

/* Set-up and teardown of a test or of a group. */
static inline int diag_begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    return diag ? 0 : -1;
}

static inline int diag_end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

static inline void must(vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

/* A call that failed so, and said this among others. */
static inline void refused(vta_status got, vta_status expected, const char *words) {
    if (got != expected) fail_msg("%d, not %d: %s", got, expected, vta_diag_text(diag));
    if (!strstr(vta_diag_text(diag), words)) fail_msg("'%s' is not in: %s", words, vta_diag_text(diag));
    vta_diag_clear(diag);
}

/* A call that failed so, and said just this. */
static inline void says(vta_status got, vta_status expected, const char *words) {
    assert_string_equal(vta_diag_text(diag), words);
    assert_int_equal(got, expected);
    vta_diag_clear(diag);
}

static inline void says_error(vta_status got, vta_status expected, const char *words) {
    char whole[512];
    snprintf(whole, sizeof whole, "error: %s", words);
    says(got, expected, whole);
}

#endif

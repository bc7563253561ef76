/* A list of diagnostics for each test, and what it says in complete words. */
#ifndef TESTS_MODULE_WORDS_H
#define TESTS_MODULE_WORDS_H

#include "support/check.h"
#include "vta/module.h"

static vta_diag *diag;

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    return diag ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

static inline void ok(vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

static inline void says(vta_status got, vta_status expected, const char *words) {
    char whole[512];
    snprintf(whole, sizeof whole, "error: %s", words);
    assert_string_equal(vta_diag_text(diag), whole);
    assert_int_equal(got, expected);
    vta_diag_clear(diag);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif

/* Every recorded call sequence of the repository; of others it has the hashes (test_large.c). */
#include "golden/calls.h"

static void check(const char *name, void *arg) {
    (void)arg;
    check_calls(name);
}

static void every_sequence(void **state) {
    (void)state;
    assert_in_range(golden_each(0, "calls", ".calls", check, NULL), 15, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sequence)};
    return golden_result(cmocka_run_group_tests(tests, NULL, NULL));
}

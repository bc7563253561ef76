/* Every recorded call sequence of the repository; of others it has the hashes (test_large.c). */
#include "golden/calls.h"

static void check(const char *name, void *arg) {
    (void)arg;
    check_calls(name);
}

TEST_CASE(every_sequence) { assert_in_range(golden_each(0, "calls", ".calls", check, NULL), 15, 100); }

int main(void) { return golden_result(run_cases()); }

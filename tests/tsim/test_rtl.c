/* The repository's recordings of the hardware; the complete set is test_large.c's. */
#include "tsim/rtl.h"

static void recorded_programs(void **state) {
    (void)state;
    assert_in_range(rtl_rows(0), 40, 1000);
}

static void random_programs_by_instruction(void **state) {
    (void)state;
    int place = 0;
    assert_in_range(golden_each(0, "rtl/random", "", rtl_random, &place), 6, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_programs),
                                       cmocka_unit_test(random_programs_by_instruction)};
    return golden_result(cmocka_run_group_tests(tests, NULL, NULL));
}

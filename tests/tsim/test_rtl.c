/* The repository's recordings of the hardware; the complete set is test_large.c's. */
#include "tsim/rtl.h"

TEST_CASE(recorded_programs) { assert_in_range(rtl_rows(0), 40, 1000); }

TEST_CASE(random_programs_by_instruction) {
    int place = 0;
    assert_in_range(golden_each(0, "rtl/random", "", rtl_random, &place), 6, 1000);
}

int main(void) { return golden_result(run_cases()); }

/* The times of recordings that are too large for the repository. Skips where the complete set is absent. */
#include "tsim/recorded.h"
#include "tsim/rtl.h"

static void run(const char *name, void *arg) {
    char of[100];
    snprintf(of, sizeof of, "runs/%s", name);
    if (golden_is_in(0, of)) return;
    assert_true(run_recorded(name, NULL).cycles > 50);
    ++*(int *)arg;
}

TEST_CASE(every_large_program) {
    int programs = 0;
    golden_need_all();
    golden_each(1, "runs", "", run, &programs);
    assert_int_not_equal(programs, 0);
}

/* Two virtual threads hide the loads behind the GEMMs. */
TEST_CASE(virtual_threads_are_faster) {
    golden_need_all();
    vta_timing fast = run_recorded("conv2d", NULL), slow = run_recorded("conv2d_novt", NULL);
    print_message("conv2d: %llu cycles with two virtual threads, %llu without\n", (unsigned long long)fast.cycles,
                  (unsigned long long)slow.cycles);
    assert_true(fast.cycles * 5 < slow.cycles * 4);
    assert_int_equal(fast.gemm_uops, slow.gemm_uops);
    assert_true(fast.cycles > fast.gemm_uops); /* one micro-op a cycle is the bound */
}

/* Every program that was counted on the hardware, and every instruction of the random ones. */
TEST_CASE(every_count_of_the_hardware) {
    int place = 1;
    golden_need_all();
    assert_in_range(rtl_rows(1), 67, 1000);
    assert_in_range(golden_each(1, "rtl/random", "", rtl_random, &place), 60, 1000);
}

int main(void) { return golden_result(run_cases()); }

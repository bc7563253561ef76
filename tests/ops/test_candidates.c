/* The best of many schedules against a stable sort of all, and the sizes of blocks against what they are for. */
#include "operators/candidates.h"

#include "support/check.h"

enum { MAX = 60, ROOM = 12, LISTS = 2000 };

static check_random r = {.state = 8};

/* Few estimates, so that many are equal: of these the first stay, in their order. */
static void best_of_all(void **state) {
    (void)state;
    for (int n = 0; n < LISTS; n++) {
        vt_op_blocks best[ROOM], all[MAX];
        vt_candidates c = {.room = (uint32_t)check_between(&r, 1, ROOM), .best = best};
        int count = (int)check_between(&r, 0, MAX), sorted = 0;
        for (int i = 0; i < count; i++) {
            vt_op_blocks b = {.oc = i, .estimate = (double)check_between(&r, 0, check_between(&r, 2, 30))};
            vt__candidates_keep(&c, &b);
            int at = sorted++;
            for (; at && all[at - 1].estimate > b.estimate; at--) all[at] = all[at - 1];
            all[at] = b;
        }
        assert_int_equal(c.n, count < (int)c.room ? count : (int)c.room);
        for (uint32_t i = 0; i < c.n; i++)
            if (best[i].oc != all[i].oc)
                fail_msg("list %d, place %d: number %d, not %d", n, (int)i, (int)best[i].oc, (int)all[i].oc);
    }
}

/* From the whole down to 1, each another number of blocks; all such numbers where there is room for them. */
static void sizes(void **state) {
    (void)state;
    for (int64_t extent = 1; extent < 5000; extent += 1 + extent / 50)
        for (int64_t step = 3; step <= 5; step += 2) {
            uint32_t most = step == 3 ? 48 : VT_SIZES_MAX, all = 0;
            vt_sizes s = vt__sizes_of(extent, most, step);
            assert_in_range(s.n, 1, most);
            assert_int_equal(s.of[0], extent);
            assert_int_equal(s.of[s.n - 1], 1);
            for (uint32_t i = 1; i < s.n; i++) assert_true(s.of[i] < s.of[i - 1]);
            for (int64_t size = extent, last = 0; size > 0; size--) {
                int64_t blocks = (extent + size - 1) / size;
                all += blocks != last;
                last = blocks;
            }
            if (all <= most / 2) assert_int_equal(s.n, all);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(best_of_all), cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

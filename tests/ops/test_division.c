/* The constants that divide sums, run as a machine of 32 bits runs them, against averages that are counted and not
 * divided: for every sum of narrow elements, and at and around every step of the quotient of wide ones. What is refused
 * is counted. */
#include <stdint.h>
#include <stdlib.h>

#include "support/check.h"

#include "operators/division.h"

/* Wraps, as accumulators do; what must not wrap shows as a wrong average. */
static int32_t wrap(int64_t x) { return (int32_t)(uint32_t)(uint64_t)x; }
static int32_t times(int32_t x, int64_t y) { return wrap((int64_t)((uint64_t)x * (uint64_t)y)); }

/* The steps of docs/operators.md, "How averages are divided". */
static int32_t machine(const vt_division *d, int64_t count, int32_t sum) {
    int64_t half = vt__division_half(d, count), factor = vt__division_factor(d, count);
    if (d->way == VT_DIVIDE_SHIFT) return wrap(sum + half) >> d->bits;
    if (d->way == VT_DIVIDE_ONCE) return times(wrap(2 * (int64_t)sum + half), factor) >> d->bits;
    int32_t u = wrap(sum + half);
    int32_t guess = wrap((times(u >> d->before, factor) >> (d->bits - d->before)) - (int64_t)d->below);
    int32_t rest = wrap((int64_t)u + times(guess, -count));
    return wrap((int64_t)guess + (times(rest, factor) >> d->bits));
}

/* Is `average` the nearest integer to sum / count, the upper one of two? */
static bool is_average(int64_t average, int64_t sum, int64_t count) {
    return (2 * average - 1) * count <= 2 * sum && 2 * sum < (2 * average + 1) * count;
}

static void check_sum(const vt_division *d, int64_t count, unsigned width, int64_t sum) {
    int64_t half = INT64_C(1) << (width - 1);
    if (sum < -half * count || sum > (half - 1) * count) return;
    if (is_average(machine(d, count, (int32_t)sum), sum, count)) return;
    fail_msg("%u bits, %d elements with the sum %d: %d (way %d, bits %d, before %d, below %d)", width, (int)count,
             (int)sum, (int)machine(d, count, (int32_t)sum), (int)d->way, d->bits, d->before, d->below);
}

static void check_count(const vt_division *d, int64_t count, unsigned width) {
    int64_t half = INT64_C(1) << (width - 1);
    if (2 * half * count <= 1 << 16) {
        for (int64_t sum = -half * count; sum <= (half - 1) * count; sum++) check_sum(d, count, width, sum);
        return;
    }
    int64_t by = width == 16 && count > 300 ? 61 : 1; /* of the quotients */
    for (int64_t q = -half; q<half; q += q> - half + 200 && q < half - 200 ? by : 1) {
        int64_t step = q * count - count / 2;
        for (int64_t sum = step - 2; sum <= step + 2; sum++) check_sum(d, count, width, sum);
        check_sum(d, count, width, step + rand() % count);
    }
    check_sum(d, count, width, -half * count);
    check_sum(d, count, width, (half - 1) * count);
}

static const struct {
    unsigned width;
    int64_t all, most, by; /* every count up to `all` must be divided; then some up to `most` */
    int refused_max;       /* of these, per cent */
} widths[] = {
    {1, 4000, 32766, 997, 70}, {4, 6800, 32766, 131, 60}, {8, 6700, 32766, 131, 60}, {16, 3373, 65535, 997, 97}};

TEST_CASE(test_one_count) {
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int64_t all = widths[i].all, error;
        int refused = 0, beyond = 0;
        for (int64_t count = 1; count <= widths[i].most; count += count < 300 ? 1 : count <= all ? 37 : widths[i].by) {
            vt_division d;
            bool found = vt__division_choose((vt_division_counts){&count, 1, true}, widths[i].width, &d, &error);
            if (!found && count <= all) fail_msg("%u bits: no division by %d", widths[i].width, (int)count);
            if (found) check_count(&d, count, widths[i].width);
            bool constants = d.way == VT_DIVIDE_SHIFT || vt__division_factor(&d, count) <= 32767;
            if (found &&
                (!constants || vt__division_half(&d, count) > 32767 || (d.way == VT_DIVIDE_TWICE && count > 32768)))
                fail_msg("%u bits: what divides by %d is no constant", widths[i].width, (int)count);
            if (!found) assert_true(error != 0);
            refused += !found;
            beyond += count > all;
        }
        if (refused * 100 > beyond * widths[i].refused_max)
            fail_msg("%u bits: %d of %d refused", widths[i].width, refused, beyond);
    }
}

/* Windows with different numbers of elements have the shifts in common. */
TEST_CASE(test_several_counts) {
    int refused = 0;
    srand(7); /* the seed of the sums too */
    for (int round = 0; round < 60; round++) {
        static const unsigned bits[] = {4, 8, 16};
        int64_t of[64], error;
        uint32_t n = 0;
        int64_t h = 1 + rand() % 9, w = 1 + rand() % 9;
        for (int64_t y = (h + 1) / 2; y <= h; y++)
            for (int64_t x = (w + 1) / 2; x <= w; x++) of[n++] = y * x;
        vt_division d;
        if (!vt__division_choose((vt_division_counts){of, n, false}, bits[round % 3], &d, &error)) {
            refused++;
            continue;
        }
        for (uint32_t k = 0; k < n; k++) check_count(&d, of[k], bits[round % 3]);
    }
    assert_int_equal(refused, 0);
}

int main(void) { return run_cases(); }

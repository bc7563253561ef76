/* Finding how to divide, and showing that it is exact.
 *
 * Each way is a monotone function of what it shifts last, so that it equals a quotient everywhere if it does at both
 * ends of every step of the quotient. An average of integers of 16 bits has 65,536 steps. */
#include "operators/division.h"

static bool is_power(int64_t x) { return (x & (x - 1)) == 0; }

static int log2_floor(int64_t x) {
    int n = 0;
    while (x >>= 1) n++;
    return n;
}

static bool fits(int64_t x) { return x >= INT32_MIN && x <= INT32_MAX; }

/* As right shifts of the machine: rounds down. */
static int64_t floor_shift(int64_t x, int bits) {
    int64_t unit = INT64_C(1) << bits;
    return x >= 0 ? x / unit : -((-x + unit - 1) / unit);
}

int64_t vt__division_half(const vt_division *d, int64_t count) {
    return d->way == VT_DIVIDE_ONCE ? count / 2 * 2 + 1 : count / 2;
}

int64_t vt__division_factor(const vt_division *d, int64_t count) {
    int64_t unit = INT64_C(1) << d->bits;
    return d->way == VT_DIVIDE_ONCE ? (unit + count) / (2 * count) : (unit + count - 1) / count;
}

/* ---- What averages there are ------------------------------------------------------------------------------------- */

/* The sums whose rounded average is q. */
typedef struct step {
    int64_t first, last;
} step;

static int64_t least_input(unsigned width) { return -(INT64_C(1) << (width - 1)); }
static int64_t largest_input(unsigned width) { return (INT64_C(1) << (width - 1)) - 1; }

/* q is the rounded average for q * count <= sum + floor(count / 2) < (q + 1) * count. */
static step step_of(int64_t q, int64_t count, unsigned width) {
    step s = {q * count - count / 2, q * count - count / 2 + count - 1};
    if (s.first < least_input(width) * count) s.first = least_input(width) * count;
    if (s.last > largest_input(width) * count) s.last = largest_input(width) * count;
    return s;
}

/* ---- Once -------------------------------------------------------------------------------------------------------- */

static int64_t once(const vt_division *d, int64_t count, int64_t factor, int64_t sum) {
    if (d->way == VT_DIVIDE_SHIFT) return floor_shift(sum + vt__division_half(d, count), d->bits);
    return floor_shift((2 * sum + vt__division_half(d, count)) * factor, d->bits);
}

static bool once_fits(const vt_division *d, int64_t count, int64_t factor, int64_t sum) {
    int64_t odd = (d->way == VT_DIVIDE_ONCE ? 2 * sum : sum) + vt__division_half(d, count);
    return fits(odd) && (d->way == VT_DIVIDE_SHIFT || fits(odd * factor));
}

/* The largest error for any sum; -1: something wraps. */
static int64_t once_error(const vt_division *d, int64_t count, unsigned width) {
    int64_t factor = vt__division_factor(d, count), worst = 0;
    if (!once_fits(d, count, factor, least_input(width) * count) ||
        !once_fits(d, count, factor, largest_input(width) * count))
        return -1;
    for (int64_t q = least_input(width); q <= largest_input(width); q++) {
        step s = step_of(q, count, width);
        int64_t below = q - once(d, count, factor, s.first), above = once(d, count, factor, s.last) - q;
        if (below > worst) worst = below;
        if (above > worst) worst = above;
    }
    return worst;
}

/* ---- Twice ------------------------------------------------------------------------------------------------------- */

static int64_t guess(const vt_division *d, int64_t factor, int64_t u) {
    return floor_shift(floor_shift(u, d->before) * factor, d->bits - d->before) - d->below;
}

/* By how many the guess is below the quotient of u at most; -1: it is above it somewhere. */
static int64_t max_below(const vt_division *d, int64_t count, unsigned width) {
    int64_t factor = vt__division_factor(d, count), half = count / 2, most = 0;
    for (int64_t q = least_input(width); q <= largest_input(width); q++) {
        step s = step_of(q, count, width);
        int64_t below = q - guess(d, factor, s.first + half);
        if (guess(d, factor, s.last + half) > q) return -1;
        if (below > most) most = below;
    }
    return most;
}

/* Is (rest * factor) >> bits the quotient of every rest from 0 on, below `quotients` times the count? */
static bool divides_rests(const vt_division *d, int64_t count, int64_t quotients) {
    int64_t factor = vt__division_factor(d, count);
    if (!fits((quotients * count - 1) * factor)) return false;
    for (int64_t q = 0; q < quotients; q++)
        if (floor_shift(q * count * factor, d->bits) != q ||
            floor_shift((q * count + count - 1) * factor, d->bits) != q)
            return false;
    return true;
}

static bool twice_is_exact(const vt_division *d, int64_t count, unsigned width) {
    enum { REST_MAX = 64 }; /* times the count: what is below that is no estimate */
    int64_t factor = vt__division_factor(d, count), half = count / 2;
    int64_t least = least_input(width) * count + half, largest = largest_input(width) * count + half;
    if (!fits(least) || !fits(largest) || !fits(floor_shift(least, d->before) * factor) ||
        !fits(floor_shift(largest, d->before) * factor) || !fits((guess(d, factor, least))*count))
        return false;
    int64_t below = max_below(d, count, width);
    return below >= 0 && below < REST_MAX && divides_rests(d, count, below + 1);
}

static bool find_twice(vt_division_counts counts, unsigned width, vt_division *out) {
    enum { FACTOR_MAX = 32767, BITS_MAX = 30, BELOW_MAX = 2 };
    int whole = 31 - (int)width; /* an estimate times 2^whole fits 32 bits */
    if (counts.constants && counts.of[0] > FACTOR_MAX) return false;
    for (int bits = BITS_MAX; bits > 0; bits--)
        for (int below = 0; below <= BELOW_MAX; below++) {
            vt_division d = {VT_DIVIDE_TWICE, bits, bits > whole ? bits - whole : 0, below, false};
            uint32_t good = 0;
            if (counts.constants && vt__division_factor(&d, counts.of[0]) > FACTOR_MAX) break;
            while (good < counts.n && twice_is_exact(&d, counts.of[good], width)) good++;
            if (good < counts.n) continue;
            *out = d;
            out->tables = !counts.constants;
            return true;
        }
    return false;
}

/* ---- Choosing ---------------------------------------------------------------------------------------------------- */

static vt_division once_of(vt_division_counts counts, unsigned width) {
    int most = 31 - (int)width;
    if (!counts.constants) return (vt_division){VT_DIVIDE_ONCE, most, 0, 0, false};
    int held = log2_floor(counts.of[0]);
    if (is_power(counts.of[0])) return (vt_division){VT_DIVIDE_SHIFT, held, 0, 0, false};
    held += 16; /* the factor has 15 bits, as a constant of an instruction */
    return (vt_division){VT_DIVIDE_ONCE, held < most ? held : most, 0, 0, false};
}

bool vt__division_choose(vt_division_counts counts, unsigned width, vt_division *out, int64_t *out_error) {
    enum { HALF_MAX = 32767 }; /* a constant, too */
    *out = once_of(counts, width);
    out->tables = !counts.constants;
    *out_error = counts.constants && vt__division_half(out, counts.of[0]) > HALF_MAX ? -1 : 0;
    for (uint32_t i = 0; i < counts.n && *out_error >= 0; i++) {
        int64_t error = once_error(out, counts.of[i], width);
        if (error < 0 || error > *out_error) *out_error = error;
    }
    if (!*out_error) return true;
    return find_twice(counts, width, out);
}

/* Permutations of pairs of residues: into the pairs, none twice, and back; as if at random. */
#include "prove/field.h"
#include "support/check.h"

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static vt_primes primes;

static uint64_t some_residues(uint64_t i) {
    const uint64_t p1 = primes.p[0], p2 = primes.p[1];
    if (i < 1000) return i;                                    /* of numbers that are near each other, */
    if (i < 2000) return (p1 - 1 - i % 1000) | (p2 - 1) << 32; /* the largest, */
    if (i < 3000) return (i - 1999) << 32;                     /* of one residue, */
    return i * 0x9E3779B97F4A7C15ull % p1 | i * 0xD6E8FEB86659FD93ull % p2 << 32; /* spread */
}

/* Into the residues, none twice, and back; another permutation for another key. Of 300,000 results, half have each bit
 * set, and where the operand has one bit more, half of the result's bits change. */
TEST_CASE(permutations) {
    enum { COUNT = 300000 };
    static uint64_t results[COUNT];
    uint32_t set[64] = {0}, flipped[64] = {0};
    for (uint64_t key = 0; key < 4; key++) {
        primes = vt_primes_draw(key);
        vt_permutation p = vt_permutation_of(key, &primes), other = vt_permutation_of(key + 1, &primes);
        uint32_t equal = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t x = some_residues(i), y = vt_permute(&p, x), near = vt_permute(&p, i < 3000 ? y : x ^ 1);
            results[i] = y;
            assert_true((y & UINT32_MAX) < primes.p[0] && y >> 32 < primes.p[1]);
            assert_int_equal(vt_permute_back(&p, y), x);
            equal += vt_permute(&other, x) == y;
            for (int bit = 0; bit < 64; bit++) set[bit] += y >> bit & 1, flipped[bit] += (y ^ near) >> bit & 1;
        }
        assert_int_equal(equal, 0);
        qsort(results, COUNT, sizeof *results, by_value);
        for (size_t i = 1; i < COUNT; i++)
            if (results[i] == results[i - 1]) fail_msg("two operands have one result");
    }
    for (int bit = 0; bit < 64; bit++) {
        uint32_t half = bit % 32 < 29 ? 4 * COUNT / 2 : 0,
                 most = half / (bit % 32 < 23 ? 100 : 7); /* primes are no power of two */
        assert_in_range(set[bit], half - most, half + most);
        assert_in_range(flipped[bit], half - most, half + most);
    }
}

/* Some numbers of 58 bits are no pair of residues, and what comes to be one of these is permuted again: operands that
 * do are found from such numbers, by going back. */
TEST_CASE(permuted_again) {
    uint32_t found = 0;
    for (uint64_t key = 0; key < 1000; key++) {
        primes = vt_primes_draw(key);
        vt_permutation p = vt_permutation_of(key, &primes);
        const uint64_t no_residue = primes.p[1]; /* the least there is no pair with */
        uint64_t x = vt_permute_back(&p, no_residue << 32 | key * 1000);
        if ((x & UINT32_MAX) >= primes.p[0] || x >> 32 >= primes.p[1]) continue;
        uint64_t y = vt_permute(&p, x);
        assert_true((y & UINT32_MAX) < primes.p[0] && y >> 32 < primes.p[1]);
        assert_int_equal(vt_permute_back(&p, y), x);
        found++;
    }
    assert_in_range(found, 800, 1000);
}

int main(void) { return run_cases(); }

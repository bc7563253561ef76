#include "prove/permutation.h"

#include "prove/field.h"

/* Pairs of residues are numbered, and numbers of 58 bits are mixed. Some of them (one in nine, as primes are drawn)
 * are not the number of a pair: those are mixed again, which leaves a permutation of the others. */
enum { WORD_BITS = 58, HALF_BITS = 29 };
static const uint64_t WORD = (UINT64_C(1) << WORD_BITS) - 1;

/* Each step of Newton's iteration doubles the bits that are right; a number that is odd is its own inverse modulo 8. */
static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
    return x;
}

vt_permutation vt_permutation_of(uint64_t key, const vt_primes *primes) {
    vt_permutation p = {.primes = *primes, .pairs = (uint64_t)primes->p[0] * primes->p[1]};
    for (int i = 0; i < VT_ROUNDS; i++) {
        key = vt_mix(key, 0x7065726D75746521ull);
        p.add[i] = key;
        key = vt_mix(key, 0x6D756C7469706C79ull);
        p.multiply[i] = key | 1;
        p.divide[i] = inverse(p.multiply[i]);
    }
    return p;
}

/* A shift by half the bits is its own inverse. */
static inline uint64_t mix(const vt_permutation *p, uint64_t x) {
    for (int i = 0; i < VT_ROUNDS; i++) {
        x = (x + p->add[i]) * p->multiply[i] & WORD;
        x ^= x >> HALF_BITS;
    }
    return x;
}

static inline uint64_t unmix(const vt_permutation *p, uint64_t x) {
    for (int i = VT_ROUNDS - 1; i >= 0; i--) {
        x ^= x >> HALF_BITS;
        x = (x * p->divide[i] - p->add[i]) & WORD;
    }
    return x;
}

static inline uint64_t number_of(const vt_permutation *p, uint64_t residues) {
    return (uint64_t)vt_second(residues) * p->primes.p[0] + vt_first(residues);
}

static inline uint64_t residues_of(const vt_permutation *p, uint64_t number) {
    uint64_t second = vt_upper_half(number, p->primes.inverse[0]), first = number - second * p->primes.p[0];
    bool more = first >= p->primes.p[0];
    return vt_pair(first - (more ? p->primes.p[0] : 0), second + more);
}

uint64_t vt_permute(const vt_permutation *p, uint64_t residues) {
    uint64_t x = mix(p, number_of(p, residues));
    while (x >= p->pairs) x = mix(p, x);
    return residues_of(p, x);
}

uint64_t vt_permute_back(const vt_permutation *p, uint64_t residues) {
    uint64_t x = unmix(p, number_of(p, residues));
    while (x >= p->pairs) x = unmix(p, x);
    return residues_of(p, x);
}

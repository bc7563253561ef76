#include "prove/permutation.h"

#include "prove/field.h"

/* Pairs of residues are numbered, and numbers of 58 bits are mixed. Few of them (one in 2^24) are not the number of a
 * pair: those are mixed again, which leaves a permutation of the others. */
enum { WORD_BITS = 58, HALF_BITS = 29 };
static const uint64_t WORD = (UINT64_C(1) << WORD_BITS) - 1, PAIRS = (uint64_t)VT_P1 * VT_P2;

/* Each step of Newton's iteration doubles the bits that are right; a number that is odd is its own inverse modulo 8. */
static uint64_t inverse(uint64_t odd) {
    uint64_t x = odd;
    for (int bits = 3; bits < 64; bits *= 2) x *= 2 - odd * x;
    return x;
}

vt_permutation vt_permutation_of(uint64_t key) {
    vt_permutation p;
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

static inline uint64_t number_of(uint64_t residues) {
    return (uint64_t)vt_second(residues) * VT_P1 + vt_first(residues);
}
static inline uint64_t residues_of(uint64_t number) { return vt_pair(number % VT_P1, number / VT_P1); }

uint64_t vt_permute(const vt_permutation *p, uint64_t residues) {
    uint64_t x = mix(p, number_of(residues));
    while (x >= PAIRS) x = mix(p, x);
    return residues_of(x);
}

uint64_t vt_permute_back(const vt_permutation *p, uint64_t residues) {
    uint64_t x = unmix(p, number_of(residues));
    while (x >= PAIRS) x = unmix(p, x);
    return residues_of(x);
}

/* The two primes of a field, drawn at random, and residues modulo them. */
#ifndef VT_PROVE_PRIMES_H
#define VT_PROVE_PRIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Primes are drawn from [VT_PRIME_MIN, 2^29): products of residues have 58 bits, so 16 of them fit a word with room for
 * what is left of earlier sums, and most numbers of 58 bits are the number of a pair. */
enum { VT_PRIME_BITS = 29, VT_PRIME_MIN = (1 << 29) - (1 << 26), VT_PRIME_COUNT = 3348939, VT_SUMMANDS = 16 };

typedef struct vt_primes {
    uint32_t p[2];
    uint64_t inverse[2]; /* 2^64 / p, rounded down */
} vt_primes;

/* Two different primes; each prime of the range is as likely as any other. */
vt_primes vt_primes_draw(uint64_t key);
bool vt_is_prime(uint32_t n);

/* The upper half of a product of 128 bits. */
static inline uint64_t vt_upper_half(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* x modulo prime i, or that and the prime once more: the quotient is at most 1 too small. */
static inline uint64_t vt_nearly_reduced(const vt_primes *m, int i, uint64_t x) {
    return x - vt_upper_half(x, m->inverse[i]) * m->p[i];
}

static inline uint32_t vt_reduced(const vt_primes *m, int i, uint64_t x) {
    uint64_t r = vt_nearly_reduced(m, i, x);
    return (uint32_t)(r < m->p[i] ? r : r - m->p[i]);
}

#endif

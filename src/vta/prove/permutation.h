/* Random permutations of pairs of residues: what a random function of one value is. Knowing the key, its operand
 * follows from its result, so that nothing needs to be kept. */
#ifndef VT_PROVE_PERMUTATION_H
#define VT_PROVE_PERMUTATION_H

#include "prove/primes.h"

enum { VT_ROUNDS = 3 };

typedef struct vt_permutation {
    vt_primes primes;
    uint64_t pairs;
    uint64_t add[VT_ROUNDS], multiply[VT_ROUNDS], divide[VT_ROUNDS]; /* multiply * divide is 1 modulo 2^64 */
} vt_permutation;

vt_permutation vt_permutation_of(uint64_t key, const vt_primes *primes);
/* Residues to residues; both are bijections, the second undoes the first. */
uint64_t vt_permute(const vt_permutation *p, uint64_t residues);
uint64_t vt_permute_back(const vt_permutation *p, uint64_t residues);

#endif

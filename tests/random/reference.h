/* The values of a program's tensors, from the program alone: plain loops over 64-bit integers, wrapped to the width of
 * each tensor. Shares nothing with the compiler. */
#ifndef RANDOM_REFERENCE_H
#define RANDOM_REFERENCE_H

#include "random/program.h"

/* Values of every tensor, row-major; NULL for those that are not used. */
typedef struct values {
    int64_t *of[MAX_NODES];
} values;

/* Random inputs for `seed`, and everything that follows from them. Free with values_free. */
void values_compute(const program *p, uint64_t seed, values *out);
void values_free(const program *p, values *v);

#endif

/* The decisions that make a random program, as a list of small numbers: drawn from a seed or from bytes, written down
 * as they are made, and given again by hand. A shorter list of smaller numbers makes a simpler program, so that
 * shrinking a program is shrinking a list (shrink.h). */
#ifndef RANDOM_CHOICES_H
#define RANDOM_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CHOICES = 4096, MAX_UNITS = 256 };

typedef struct choices {
    uint64_t state;        /* of the random numbers, for a list made from a seed */
    const uint32_t *given; /* the list to follow; 0 behind its end. NULL: not given */
    const uint8_t *bytes;  /* the same, in as many bytes as the largest number takes */
    size_t n_given, at;    /* items; the next byte */
    uint32_t made[MAX_CHOICES];
    size_t n;
    size_t units[MAX_UNITS]; /* where in the list a part of the program begins that can be left out */
    int n_units;
} choices;

void choices_from_seed(choices *c, uint64_t seed);
void choices_from_list(choices *c, const uint32_t *list, size_t n);
void choices_from_bytes(choices *c, const uint8_t *bytes, size_t n);

/* What follows decides about a part that the program would be whole without. */
void choices_unit(choices *c);

/* One of 0 .. n - 1; 0 is the simplest. */
uint32_t pick(choices *c, uint32_t n);
/* True once in `n` times. False is the simpler. */
bool once_in(choices *c, uint32_t n);
/* True `times` in `n` times. */
bool often(choices *c, uint32_t times, uint32_t n);
/* least .. most, both included. */
int pick_between(choices *c, int least, int most);

#endif

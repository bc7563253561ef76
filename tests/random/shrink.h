/* The simplest program that fails in the same way. */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

#include "random/choices.h"
#include "random/run.h"

/* Replaces the list of choices, the program it makes and its result by simpler ones with the same outcome (and for a
 * refusal or an error the same reason), trying at most `trials` programs. */
void shrink(choices *c, program *p, uint64_t seed, result *found, int trials);

#endif

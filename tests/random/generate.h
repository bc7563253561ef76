/* A random program from a list of choices: what a user could write, ordinary and unusual. */
#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H

#include "random/choices.h"
#include "random/program.h"

/* Configuration, computation and schedule. Any list of choices makes a program; `too_large` says that it is not worth
 * its time, or does not fit the largest buffers. */
void generate(choices *c, program *out);

#endif

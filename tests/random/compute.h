/* What a random program computes: its tensors. */
#ifndef RANDOM_COMPUTE_H
#define RANDOM_COMPUTE_H

#include "random/choices.h"
#include "random/program.h"

void compute_choose(choices *c, program *p);

#endif

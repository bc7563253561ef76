/* The schedule of a random program: tiles, virtual threads, where each stage is computed, what is marked. */
#ifndef RANDOM_SCHEDULE_H
#define RANDOM_SCHEDULE_H

#include "random/choices.h"
#include "random/machine.h"
#include "random/program.h"

void schedule_choose(choices *c, program *p, footprint *out_need);

#endif

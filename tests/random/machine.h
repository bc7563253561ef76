/* The configuration of a random program: widths and blocks first, for the shapes; buffers last, when it is known how
 * much the program needs. */
#ifndef RANDOM_MACHINE_H
#define RANDOM_MACHINE_H

#include "random/choices.h"
#include "random/program.h"

typedef struct machine {
    int log_batch, log_in, log_out; /* blocks */
    int log_inp, log_wgt, log_acc;  /* widths */
} machine;

/* Elements that a program holds on the chip at once, at most. */
typedef struct footprint {
    int64_t inp, wgt, acc;
} footprint;

void machine_choose(choices *c, machine *m, program *p);
/* Writes the configuration's text; too_large when the largest buffers are too small. */
void machine_finish(choices *c, const machine *m, const footprint *need, program *p);

#endif

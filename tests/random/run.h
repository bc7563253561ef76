/* A program through the compiler and on the simulated machine: as a kernel file, compiled in this process, run in
 * three execution orders with the race checker on, compared with the reference, and proven. */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include "random/program.h"

typedef enum outcome {
    OUTCOME_RIGHT,
    OUTCOME_REFUSED,  /* when it was built */
    OUTCOME_UNPROVEN, /* right on these inputs, but vtac_prove could not show it for all */
    OUTCOME_WRONG,    /* other numbers than the reference's, or than vtac_prove's */
    OUTCOME_FAILED,   /* an error when it ran: deadlock, race, a call that the runtime refuses */
    OUTCOME_INTERNAL, /* an internal error of the compiler */
    OUTCOME_CRASHED,  /* a signal, or no end (run_apart only) */
    OUTCOME_COUNT
} outcome;

enum { RESULT_TEXT = 1024 };

typedef struct result {
    outcome outcome;
    char text[RESULT_TEXT]; /* the message; "" when right */
} result;

extern const char *const outcome_names[OUTCOME_COUNT];

void run(const program *p, uint64_t seed, result *out);
/* The same in a process of its own, which may crash or not end. */
void run_apart(const program *p, uint64_t seed, result *out);
/* What `body` writes into the result, from a process of its own. */
void in_own_process(void (*body)(const void *user, uint64_t seed, result *out), const void *user, uint64_t seed,
                    result *out);

#endif

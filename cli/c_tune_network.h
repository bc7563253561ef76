/* The operators of a network being tuned: by this process, or by several under MPI. */
#ifndef CLI_C_TUNE_NETWORK_H
#define CLI_C_TUNE_NETWORK_H

#include "c_tune.h"
#include "sweep/transport.h"

typedef struct cli_tune_work {
    cli_tune *t;
    struct cli_tune_operator {
        char *layer, *name, *attributes; /* of the first layer that is this operator */
        json_t *result;                  /* what came of it; NULL: not yet, or there was nothing to choose */
    } *operators;
    size_t count;
    vta_status status;
} cli_tune_work;

/* Tunes it, and fills in its result. Nothing to choose, as of a copy, is no error of the network. */
vta_status cli_tune_one(cli_tune *t, struct cli_tune_operator *o);
/* Prints what came of it. */
void cli_tune_tell(const cli_tune *t, const struct cli_tune_operator *o);
/* c_tune_ranks.c: rank 0 hands out the operators, the others tune them; `status` is that of opening the network here.
 * On rank 0 all results are there afterwards, and their records in the log. */
vta_status cli_tune_ranks(cli_tune_work *w, const sweep_transport *transport, vta_status status);

#endif

/* An operator as vta op makes it: scheduled, compared once, its call timed on the driver `sim`. */
#ifndef OP_RUN_H
#define OP_RUN_H

#include "vta/ops.h"

typedef struct op_figures {
    vtac_op_result chosen; /* as vtac_op_schedule gives it */
    uint64_t plain;        /* cycles of what is chosen without the database */
    double seconds;        /* of a call on `sim` */
} op_figures;

/* False, with a message on stderr, when something failed or a value differs. Without `run`, it is only scheduled. */
bool op_measure(const char *name, const char *attributes, const vta_config *config, const vta_timing_profile *profile,
                bool run, op_figures *out);

#endif

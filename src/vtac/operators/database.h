/* The database of tuned schedules, data/schedules.jsonl, which the library carries. */
#ifndef VT_OPS_DATABASE_H
#define VT_OPS_DATABASE_H

#include "operators/ops.h"

/* A record a line, as vta tune logs them; zero-terminated. */
extern const char vt_schedules_jsonl[];

/* Is there a schedule of an operator on a machine? One that cannot be used is reported as a note, and counts as not
 * found. `database` NULL: the library's. */
vta_status vt_op_database_find(const char *database, const vtac_op *op, const vta_timing_profile *profile,
                               vta_diag *diag, vt_op_blocks *out, uint64_t *out_cycles, bool *out_found);

#endif

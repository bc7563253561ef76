/* What a search over schedules and the database of tuned ones need of operators: schedules as lists of knobs, in the
 * form of AutoTVM's records, and one schedule timed or taken. */
#ifndef VT_OPS_KNOBS_H
#define VT_OPS_KNOBS_H

#include "base/json.h"
#include "base/json_write.h"
#include "operators/ops.h"

typedef enum vt_op_knob_form { VT_KNOB_SIZE, VT_KNOB_PARTS, VT_KNOB_FLAG, VT_KNOB_THREADS } vt_op_knob_form;

/* A row of knobs.def: which member of vt_op_blocks it turns, and of which extent of vt_op_shape. */
typedef struct vt_op_knob {
    const char *name;
    vt_op_knob_form form;
    size_t at, axis;
} vt_op_knob;

enum { VT_OP_KNOBS_MAX = 24 };

/* The knobs of an operator's schedules; returns how many. */
size_t vt_op_knobs_of(const vtac_op *op, bool turns, const vt_op_knob *out[VT_OP_KNOBS_MAX]);

/* The knobs of a schedule as the member "entity" of a record: [[name, kind, value], ...]. */
void vt_op_knobs_write(const vtac_op *op, const vt_op_blocks *b, vt_json *w);
/* The other way; VTA_INVALID_ARGUMENT, with `pos` and the knob, where they are not a schedule of this operator.
 * vt_op_admit says whether the schedule fits. */
vta_status vt_op_knobs_read(const vtac_op *op, const json_t *entity, vt_pos pos, vta_diag *diag, vt_op_blocks *out);

/* What makes two operators the same to a scheduler, and the machine that cycles are those of, as texts to compare. */
void vt_op_workload_write(const vtac_op *op, bool with_epilogue, vt_strbuf *out);
void vt_op_machine_write(const vtac_op *op, const vta_timing_profile *profile, vt_strbuf *out);

/* The best `most` by estimate, best first, and how many fit. */
uint32_t vt_op_candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                          uint64_t *out_considered);
/* As vt_op_space.admit. */
const char *vt_op_admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b);
uint64_t vt_op_bound(const vtac_op *op, const vta_timing_profile *profile);
/* Compiles a schedule that was admitted, and times it. */
vta_status vt_op_time(const vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                      uint64_t *out_cycles);
/* The same, and the operator has that schedule now. `result` holds what a search found: considered, timed, refused. */
vta_status vt_op_take(vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                      vtac_op_result *result);
/* Gives its schedule, and what was compiled of it, back. */
void vt__op_forget(vtac_op *op);

#endif

/* What the chosen schedule of an operator runs on the accelerator. Folders above may use it. */
#ifndef VT_OPS_RECORDING_H
#define VT_OPS_RECORDING_H

#include "vta/ops.h"
#include "vta/program.h"

enum { VT_OP_ARGUMENTS = 67 }; /* inputs of all steps that an epilogue may have, and those of an operator */

/* Of a call on a device that does nothing. */
typedef struct vt_op_recording {
    vta_program *program;           /* NULL: it runs nothing there */
    uint32_t count;                 /* arguments */
    uint32_t addr[VT_OP_ARGUMENTS]; /* where they lay */
    size_t bytes[VT_OP_ARGUMENTS];
    bool touches; /* it computes on the host with what they hold */
} vt_op_recording;

/* NULL before the operator is scheduled. Belongs to the operator. */
const vt_op_recording *vt_op_recorded(const vtac_op *op);

#endif

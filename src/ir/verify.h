/* Is a function well formed? For tests, and between passes under a switch. */
#ifndef VT_IR_VERIFY_H
#define VT_IR_VERIFY_H

#include "ir/node.h"

/* Checks operand types, every variable defined before its use and only once on a path, indices as many as
 * dimensions, conditions bool, loops over integers. Appends what is wrong to diag and returns VTA_INVALID_ARGUMENT.
 * `allowed` may name free variables (NULL: only the params and what bindings define). */
vta_status vt_verify(vt_ctx *ctx, const vt_func *f, vta_diag *diag);

#endif

/* Is a function well formed? For tests, and between passes under a switch. */
#ifndef VT_IR_VERIFY_H
#define VT_IR_VERIFY_H

#include "ir/node.h"

/* Checks that every variable is defined before its use and once on a path, that memory is allocated or bound before
 * it is reached, operand types, indices as many as dimensions, conditions bool, loops over integers. Appends what is
 * wrong to diag (the first twenty) and returns VTA_ILLEGAL. */
vta_status vt_verify(vt_ctx *ctx, const vt_func *f, vta_diag *diag);

#endif

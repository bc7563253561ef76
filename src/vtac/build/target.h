/* What the configuration's TARGET cannot do of a lowered function. */
#ifndef VT_BUILD_TARGET_H
#define VT_BUILD_TARGET_H

#include "ir/node.h"
#include "vta/config.h"

/* Raises VTA_UNSUPPORTED where the function has an operation of the ALU that the TARGET's design has not. */
void vt__check_target(vt_ctx *ctx, const vt_func *f, const vta_config *config);

#endif

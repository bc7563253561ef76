/* Running a lowered function without making code of it. Folders above may use it. */
#ifndef VT_BUILD_REPLAY_H
#define VT_BUILD_REPLAY_H

#include "vta/build.h"
#include "vta/module.h"

/* Makes the calls of the runtime that the function consists of, one by one, in this thread and on the runtime that it
 * has chosen: the same instructions as from its code, sooner where they are wanted once. What it computes on the
 * host is interpreted, slowly. `args`: one for each of its parameters, all tensors on the accelerator. Errors of
 * the runtime end it; their texts are added to `diag`. */
vta_status vt_func_replay(const vtac_func *func, DLTensor *const args[], size_t count, const vta_allocator *allocator,
                          vta_diag *diag);

#endif

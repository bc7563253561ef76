/* Which variables depend on a virtual thread. */
#ifndef VT_PASS_THREAD_VARS_H
#define VT_PASS_THREAD_VARS_H

#include "ir/visit.h"

/* The thread itself and every variable of `body`, buffers' data included, whose value depends on it: keys of the map.
 */
vt_ptrmap *vt_thread_vars(vt_ctx *ctx, const vt_stmt *body, const vt_var *thread);

#endif

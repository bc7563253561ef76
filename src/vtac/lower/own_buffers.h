/* Buffers that each step of a loop needs for itself. */
#ifndef VT_LOWER_OWN_BUFFERS_H
#define VT_LOWER_OWN_BUFFERS_H

#include "ir/visit.h"

/* Which stores in loops whose steps run at one time (vectorized, parallel, virtual threads) are to buffers that are
 * allocated inside. In the arena of `ctx`. */
typedef struct vt_own_buffers vt_own_buffers;
vt_own_buffers *vt_own_buffers_new(vt_ctx *ctx, const vt_func *f);

/* Compares what `pass` made of the function that was looked at last, and looks at it. Raises VTA_INTERNAL, with the
 * pass, the buffer and the loop, when a buffer that stood inside of such a loop stands outside of it now: the steps
 * would share it. A loop that is not there any more is not looked at. */
void vt_own_buffers_check(vt_own_buffers *own, const vt_func *made, const char *pass);

#endif

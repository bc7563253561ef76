/* The loops of a kernel of micro-ops: a perfect nest around one push, whose addresses are sums of loops times
 * constants. */
#ifndef VT_TARGET_VTA_UOP_NEST_H
#define VT_TARGET_VTA_UOP_NEST_H

#include "lower/vta/exact.h"
#include "lower/vta/vta.h"

enum { VT_UOP_LOOPS = 16 };

typedef struct vt_uop_nest {
    uint32_t n;
    const vt_stmt *loops[VT_UOP_LOOPS]; /* of more than one step, outermost first */
    int64_t extents[VT_UOP_LOOPS];
    int64_t strides[VT_UOP_LOOPS]; /* of dst */
    const vt_stmt *push;
} vt_uop_nest;

bool vt__is_uop_push(const vt_stmt *s);

/* False when `s` has another form. */
bool vt__match_uop_nest(vt_ctx *ctx, const vt_stmt *s, vt_uop_nest *out_nest);

/* The compute pipeline writes an accumulator some cycles after it read it, so a micro-op must not write what one of the
 * two before it in its kernel writes. Looks at differences of addresses, not at extents: each step from one micro-op to
 * the next advances one loop and starts those inside of it again. The number of micro-ops between the two (1 or 2) and
 * the loop that advances, 0 when there are none. */
int vt__uop_hazard(const vt_uop_nest *nest, uint32_t *out_loop);

/* The kernels of a nest with conditions, one for each step of its reduction, where two micro-ops that are left would
 * write one accumulator too near to each other. NULL: they do not, or that cannot be told, or it is no such nest. */
const vt_stmt *vt__order_conditional(vt_ctx *ctx, const vt_stmt *scope, const vt_stmt *body);

/* May the kernel be without any micro-op for some values of the loops around it, since all stand under conditions? Also
 * true when that cannot be told. */
bool vt__uops_may_be_none(vt_ctx *ctx, const vt_around *around, const vt_stmt *body);

#endif

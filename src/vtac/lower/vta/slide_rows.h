/* Steps that read rows of the step before (slide_rows.c), for vta.UnrollSlots. */
#ifndef VT_TARGET_VTA_SLIDE_ROWS_H
#define VT_TARGET_VTA_SLIDE_ROWS_H

#include "lower/vta/vta.h"

/* One row of a loop that is marked `sliding`. */
const vt_stmt *vt__mark_row(vt_ctx *ctx, const vt_stmt *pragma, int64_t row, const vt_stmt *body);
/* The steps of a loop, one after the other, without the rows that the step before has. */
const vt_stmt *vt__slide_rows(vt_ctx *ctx, uint32_t n, const vt_stmt **steps);

/* Does it hold the rows of one step, which the next one reads too? Its body realizes (or allocates) them. */
static inline bool vt__keeps_rows(const vt_stmt *s) {
    return vt_attr_is(s, VT_ATTR_STEP) && s->u.attr.node.kind == VT_REF_OP;
}

#endif

/* Which tensors a statement reads and writes, and where: while tensors still have their dimensions. */
#ifndef VT_TARGET_VTA_USES_H
#define VT_TARGET_VTA_USES_H

#include "lower/generic/pass.h"
#include "lower/generic/util.h"

/* One use of a tensor: a single element (extents 1), or the region that an operand of an intrinsic is bound to. */
typedef struct vt_use {
    const vt_stmt *at; /* the PSTORE, or the outermost of the attributes that bind operands; NULL for a read */
    const vt_tensor *tensor;
    uint32_t n;
    const vt_range *region;
    bool reads, writes;
} vt_use;

/* Calls `fn` for every use in `s` of the tensor `only` (NULL: of any). With an analyzer, the ranges of the loops and
 * virtual threads around a use are bound in it while fn looks at the use. */
void vt__uses(vt_ctx *ctx, const vt_stmt *s, const vt_tensor *only, vt_analyzer *a,
              void (*fn)(void *user, const vt_use *use), void *user);

bool vt__writes(vt_ctx *ctx, const vt_stmt *s, const vt_tensor *t);

#endif

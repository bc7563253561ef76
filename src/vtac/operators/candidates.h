/* What the spaces of schedules share: sizes of blocks worth a look, and the best candidates by estimate. */
#ifndef VT_OPS_CANDIDATES_H
#define VT_OPS_CANDIDATES_H

#include "operators/ops.h"

enum { VT_SIZES_MAX = 96 };

typedef struct vt_sizes {
    uint32_t n;
    int64_t of[VT_SIZES_MAX];
} vt_sizes;

/* Sizes that cut the extent into different numbers of blocks, from the whole to 1: `most` of them at most; behind the
 * first half, numbers of blocks grow at least by step/(step - 1). */
vt_sizes vt__sizes_of(int64_t extent, uint32_t most, int64_t step);
static inline bool vt__is_size(int64_t size, int64_t extent) { return size > 0 && size <= extent; }

/* The best `room` that were given, best first. */
typedef struct vt_candidates {
    uint32_t room, n;
    vt_op_blocks *best;
    uint64_t considered;
} vt_candidates;

/* One that is no better than all of a full list is not kept; of two with one estimate the first is better. */
void vt__candidates_keep(vt_candidates *c, const vt_op_blocks *b);

#endif

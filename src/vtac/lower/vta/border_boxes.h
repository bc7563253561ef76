/* Boxes of two hardware loops that a GEMM kernel with conditions is cut into (cut_borders.c). */
#ifndef VT_TARGET_VTA_BORDER_BOXES_H
#define VT_TARGET_VTA_BORDER_BOXES_H

#include "lower/vta/uop_nest.h"

enum { VT_BORDER_CONDITIONS = 16, VT_BORDER_TAPS = 2048 }; /* at most */

/* The sum of times[i] * loop i, plus `constant`, is not negative. */
typedef struct vt_border_condition {
    int64_t times[VT_UOP_LOOPS + 1], constant;
} vt_border_condition;

typedef struct vt_border_nest {
    uint32_t n, n_conditions;
    const vt_stmt *loops[VT_UOP_LOOPS], *push;
    int64_t extents[VT_UOP_LOOPS + 1]; /* the last stands for no loop: one step, without effect */
    int64_t dst[VT_UOP_LOOPS + 1];     /* how far each moves the accumulator */
    vt_border_condition conditions[VT_BORDER_CONDITIONS];
} vt_border_nest;

/* Values of the loops that are neither in hardware nor free of conditions, and the box of the other two. */
typedef struct vt_border_box {
    int64_t at[VT_UOP_LOOPS], low[2], size[2];
    uint32_t group; /* of those of its size, in the order of the first of each */
} vt_border_box;

typedef struct vt_border_plan {
    uint32_t hardware[2], n_boxes;
    bool tap[VT_UOP_LOOPS];
    bool apart; /* every box is a kernel of its own */
    vt_border_box *boxes;
    double cost;
} vt_border_plan;

/* Boxes in the order in which they are found; first[g] is the first of group g. */
typedef struct vt_border_finding {
    uint32_t n, groups, first[VT_BORDER_TAPS], count[VT_BORDER_TAPS];
    vt_border_box boxes[VT_BORDER_TAPS];
} vt_border_finding;

/* The loops that neither are in hardware nor have conditions: those of the sum, then those that move the accumulator.
 */
uint32_t vt__border_free_loops(const vt_border_nest *k, const vt_border_plan *p, uint32_t out[VT_UOP_LOOPS]);
/* Behind the boxes of the kernel that box `begin` is the first of. */
uint32_t vt__border_group_end(const vt_border_plan *p, uint32_t begin);
/* The plan of the fewest cycles; false: it would need too many boxes. `f` is memory to work in. */
bool vt__choose_border_plan(vt_ctx *ctx, const vta_config *config, vt_border_finding *f, const vt_border_nest *k,
                            vt_border_plan *out);

#endif

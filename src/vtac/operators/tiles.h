/* Spaces of tiles: the result is computed tile by tile, each from its own part of the inputs, which is loaded once.
 * What they have in common is how tiles are cut and ranked; what a tile takes they say themselves (vt_op_space.use). */
#ifndef VT_OPS_TILES_H
#define VT_OPS_TILES_H

#include "operators/ops.h"

/* What a tile takes: elements of each memory, and work. */
typedef struct vt_tile_use {
    int64_t inp, acc, uops;
    int64_t wgt;         /* the same for all tiles: each thread loads it once */
    double compute;      /* cycles of micro-ops */
    double instructions; /* of GEMM and ALU */
    double inp_loads;    /* elements loaded as inputs, without padding, and rows of memory that they lie in */
    double inp_rows;
    double acc_loads; /* the same of loads into the accumulators */
    double acc_rows;
    double stores; /* elements */
} vt_tile_use;

uint32_t vt__tiles_candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                              uint64_t *out_considered);
const char *vt__tiles_admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b);
vta_status vt__tiles_nothing_fits(const vtac_op *op, vta_diag *diag);
uint64_t vt__tiles_bound(const vtac_op *op, const vta_timing_profile *profile);
char *vt__tiles_report(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                       const vtac_op_result *result);
#define VT_TILES(tile)                                                                                                 \
    {vt__tiles_candidates, vt__tiles_nothing_fits, vt__tiles_admit, vt__tiles_bound, vt__tiles_report, .use = tile}

/* The epilogue's part of a tile's use. */
void vt__tiles_add_epilogue(const vtac_op *op, const vt_op_blocks *b, vt_tile_use *use);
/* The stage "res", cut into tiles; the axis within which a tile is computed. */
void vt__tiles_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);
const char *vt__tiles_at(const vtac_op *op, const vt_op_blocks *b);
/* Steps in front of those of the epilogue. */
vta_status vt__tiles_prepend(vtac_op *op, const vt_op_step *steps, uint32_t count, vta_diag *diag);

#endif

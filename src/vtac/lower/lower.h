/* The pipeline: which passes run on a function, in which order (lower/pipeline.def). */
#ifndef VT_LOWER_LOWER_H
#define VT_LOWER_LOWER_H

#include "lower/generic/pass.h"
#include "vta/pass.h"

/* What the passes of a lowering with these options are given; in the arena of `ctx`. */
vt_lowering *vt_lowering_new(vt_ctx *ctx, const vtac_lower_options *options);

/* Runs the pipeline over a function as the schedule gives it. options NULL: all defaults. tile_axis may be NULL:
 * messages then name dimensions by their number. Raises on error. */
const vt_func *vt_lower(vt_ctx *ctx, const vt_func *f, const vtac_lower_options *options, vt_tile_axis *tile_axis,
                        const void *schedule);

#endif

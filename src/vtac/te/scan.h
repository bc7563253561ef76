/* Scans: results of which each row is computed from those before. */
#ifndef VT_TE_SCAN_H
#define VT_TE_SCAN_H

#include "te/schedule.h"

/* A scan: result k is `states[k]` inside of its body, begins with `first` rows and goes on with what updates[k]
 * computes. */
struct te__scan {
    uint32_t n;
    const vt_tensor *const *states;
    const vt_tensor *const *inits, *const *nexts;
    const vt_operation **updates;   /* of `nexts` */
    const vt_iter *const **columns; /* for each result its axes but the first */
    int64_t first;
    uint32_t n_body;
    const vt_operation *const *body; /* what depends on a state, and the updates; producers first */
    uint32_t n_needed;
    const vt_tensor *const *needed; /* what the body reads from outside of it, and the first rows */
};

/* Puts what scans need of their states into their loops. Raises when the loops of one are not in order. */
void te__place_scans(te_schedule *s);
/* The first row that an operation inside of a scan is computed for; false where it is in none. */
bool te__scan_begins(const te_schedule *s, const vt_operation *op, int64_t *out_first);
/* Does the placeholder stand for what a scan of the schedule has computed so far? */
bool te__is_state(const te_schedule *s, const vt_operation *op);
const vt_stmt *te__scan_stores(vt_ctx *ctx, const vt_operation *op);
const vt_stmt *te__scan_guard(vt_ctx *ctx, const te_stage *st, const vt_ptrmap *ranges, const vt_stmt *s);

#endif

/* When each allocated buffer is used: the program as a line of events.
 *
 * Loops, conditions, threads and the like are two events, their begin and their end; stores and evaluations are one.
 * An access counts for the event on the level of the buffer's allocation: a buffer allocated outside of a loop and
 * used inside is used by the loop's end event. */
#ifndef VT_PASS_LIVENESS_H
#define VT_PASS_LIVENESS_H

#include "ir/visit.h"

typedef struct vt_event {
    const vt_stmt *stmt;
    int32_t pair; /* begin of a scope: distance to its end; end: minus that; one event: 0 */
    uint32_t n_touched, cap;
    const vt_var **touched; /* data variables, in order of use, repeated */
    /* Filled by vt_liveness: buffers whose first and whose last use this is. */
    uint32_t n_gen, cap_gen, n_kill, cap_kill;
    const vt_var **gen;
    const vt_var **kill;
} vt_event;

typedef struct vt_liveness {
    uint32_t n;
    vt_event *events;
    vt_ptrmap *allocs; /* data variable -> its ALLOC; without those whose extents change with a loop around them */
} vt_liveness;

vt_liveness vt_liveness_of(vt_ctx *ctx, const vt_stmt *s);

/* May the statement's store to dst take the place of src, from which it reads at the same index only? A memory that
 * accumulates works on what is in the result's place: src may then not be the amount of a shift of something else. */
bool vt_inplace_ok(const vt_stmt *s, const vt_var *dst, const vt_var *src, bool accumulates);

#endif

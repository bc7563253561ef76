/* What a pass is, and the passes that any target needs.
 *
 * A pass is a function from function to function: it reads what it needs from the vt_lowering it is given, keeps
 * nothing between calls, and raises (base/context.h) when the program breaks a rule. A pass that changes nothing
 * returns the function it was given. lower/pipeline.def, above this folder, has the order in which passes run. */
#ifndef VT_PASS_PASS_H
#define VT_PASS_PASS_H

#include "arith/analyzer.h"
#include "ir/build.h"
#include "ir/visit.h"
#include "lower/generic/target.h"

/* The loop to split where too much of dimension `dim` of a tensor is held at a time, for messages, as "i1 of res"; NULL
 * where the schedule does not say. */
typedef const char *vt_tile_axis(const void *schedule, const vt_tensor *t, uint32_t dim);

typedef struct vt_lowering vt_lowering;
typedef const vt_func *vt_pass(vt_lowering *l, const vt_func *f);

/* One lowering: what passes may ask for. */
struct vt_lowering {
    vt_ctx *ctx;
    vt_target *target;       /* NULL: the host alone */
    vt_tile_axis *tile_axis; /* may be NULL */
    const void *schedule;    /* what tile_axis is asked about */
    int32_t unroll_max_step; /* loops of at most this many steps are unrolled */
    bool partition_const;    /* loops with constant bounds are cut at their checks, too */
    vt_pass *last;           /* the last pass that changed something, and what it was given: for those that check it */
    const vt_func *given;
};

/* What the target says (lower/generic/target.h); false without one. */
static inline bool vt_memory_of_scope(const vt_lowering *l, const char *scope, vt_memory_info *out_info) {
    return l->target && l->target->memory_of_scope(l->target, scope, out_info);
}
static inline bool vt_transfer_of_call(const vt_lowering *l, const vt_expr *call, vt_transfer_info *out_info) {
    return l->target && l->target->transfer_of_call(l->target, call, out_info);
}
static inline bool vt_orders_tasks(const vt_lowering *l, const vt_expr *call) {
    return l->target && l->target->orders_tasks(call);
}
static inline bool vt_threads_overlap(const vt_lowering *l) { return l->target && l->target->threads_overlap; }

/* The passes of this folder; the file that defines one has its name. */
vt_pass vt_pass_common_subexpr, vt_pass_hoist_if_then_else, vt_pass_inject_virtual_thread, vt_pass_loop_partition,
    vt_pass_narrow_datatype, vt_pass_remove_no_op, vt_pass_rewrite_unsafe_select, vt_pass_simplify,
    vt_pass_storage_flatten, vt_pass_storage_rewrite, vt_pass_unroll_loop, vt_pass_vectorize_loop;

/* The same as vt_pass_storage_rewrite for a function whose virtual threads are still to come: lives are those of one
 * thread, and buffers of different threads are never shared. */
vt_pass vt_share_before_threads;

#endif

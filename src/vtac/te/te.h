/* What the layers above use of the te layer: lowering a schedule to a function, and what IR nodes point back to. */
#ifndef VT_TE_TE_H
#define VT_TE_TE_H

#include "ir/node.h"
#include "vta/te_stmt.h"

/* The handles of vta/te.h that are IR nodes seen from outside. */
static inline const vt_expr *vt_te_expr(const te_expr *e) { return (const vt_expr *)(const void *)e; }
static inline const vt_iter *vt_te_iter(const te_axis *a) { return (const vt_iter *)(const void *)a; }
static inline const vt_tensor *vt_te_tensor(const te_tensor *t) { return (const vt_tensor *)(const void *)t; }

/* The context behind a te_context: what is lowered lives in its arena, diagnostics go to its list. Every vt_* function
 * of the compiler may be called with it, inside a vt_protect. */
vt_ctx *vt_te_ctx(te_context *c);

/* The loop that decides how much of dimension `dim` of a tensor is held at a time, as "i1 of res"; NULL where the
 * tensor is of no stage of the schedule (a te_schedule) or has fewer dimensions. */
const char *vt_te_tile_axis(const void *schedule, const vt_tensor *t, uint32_t dim);

/* The thread axis of the accelerator, one object for a context: the node of "coproc_scope" attributes. */
const vt_iter *vt_te_vta_axis(te_context *c);

/* Another name for a tensor in expression strings and kernel files. Raises. */
void vt_te_name_tensor(te_context *c, const char *name, const te_tensor *t);

/* The computation of a function's arguments as the text of a kernel file without schedule, in the arena. Its tensors
 * are called arg0, arg1, ... by their places. NULL when a kernel file cannot say it (floats, several outputs at once).
 */
const char *vt_te_kernel_text(te_context *c, uint32_t n, const vt_tensor *const *args);

/* An argument of a function: a tensor or a scalar (te_scalar); the other is NULL. */
typedef struct vt_te_arg {
    const te_tensor *tensor;
    const te_expr *scalar;
} vt_te_arg;

/* Bound inference and loop nest generation. The function's body has PLOAD, PSTORE and REALIZE on tensors (arguments are
 * not REALIZEd: their memory is the caller's), attributes
 *   "pragma_NAME" (ITER of the stage's axis, value), "virtual_thread" (ITER, extent),
 *   "buffer_bind_scope" (PAIR of the intrinsic's buffer and the tensor; value tvm_tuple(min, extent, ...) of the
 *   region), "buffer_dim_align" (TENSOR, tvm_tuple(dim, factor, offset));
 * its bindings name the tensors of the parameters. The schedule is not changed. Raises (call it inside a vt_protect of
 * vt_te_ctx(te_schedule_context(s))). Attributes set: from_legacy_te_schedule, global_symbol (name), tir.noalias. */
const vt_func *vt_te_lower(te_schedule *s, uint32_t n, const vt_te_arg *args, const char *name);

/* The same, but outputs may be missing among the arguments: they are computed into memory of the function's own. */
const vt_func *vt_te_lower_some(te_schedule *s, uint32_t n, const vt_te_arg *args, const char *name);

/* Refuses a computation with a read that surely leaves its tensor where all elements are computed, also those that
 * nothing needs. The error is in the context's list. */
vta_status vt_te_check_reads(te_context *c, te_tensor *output);

/* A parameter of a function that is made of a statement; the other is NULL. */
typedef struct vt_te_param {
    const te_buffer *buffer;
    const te_expr *scalar;
} vt_te_param;

/* A function that does what the statement says, in the form that vt_te_lower gives. Raises. */
const vt_func *vt_te_function(te_context *c, uint32_t n, const vt_te_param *params, const vtac_stmt *body,
                              const char *name);

/* Raises for a pragma that means nothing on the accelerator, with the one that was meant. Processors keep all. */
void vt_te_check_pragmas(const te_schedule *s);

#endif

/* The passes for the accelerator, and what they share: the names of things on the chip as IR knows them. */
#ifndef VT_TARGET_VTA_VTA_H
#define VT_TARGET_VTA_VTA_H

#include "ir/runtime_call.h"
#include "lower/generic/pass.h"
#include "lower/generic/util.h"
#include "vta/isa.h"

#define VT_SCOPE(MEMORY, name, scope) static const char VT_SCOPE_##MEMORY[] = scope;
#include "ir/scope.def"
#undef VT_SCOPE

/* The accelerator as the passes of a lowering see it. */
typedef struct vt_vta {
    vt_target target; /* first: what generic passes ask */
    const vta_config *config;
    int32_t debug_flag; /* as in vtac_lower_options */
    bool mock, annotate;
    const vt_iter *axis; /* the thread axis, one for a function; NULL until it is asked for */
    bool tails;          /* vta.SplitTails has cut loops */
    bool slots;          /* vta.UnrollSlots has written steps out */
    bool late_uops;      /* the micro-ops of later steps are loaded behind the first product */
} vt_vta;

/* In the arena; nothing but the configuration, which must outlive it, is set. */
vt_vta *vt_vta_new(vt_ctx *ctx, const vta_config *config);

/* Passes of this folder run only when the lowering is for the accelerator. */
static inline vt_vta *vt__vta(const vt_lowering *l) { return (vt_vta *)l->target; }
static inline const vta_config *vt__config(const vt_lowering *l) { return vt__vta(l)->config; }

/* The passes of this folder; the file that defines one has its name. */
vt_pass vt_pass_accumulate_in_place, vt_pass_annotate_alu_scope, vt_pass_cache_barriers, vt_pass_check_uop_hazard,
    vt_pass_conv2d_transpose_skip, vt_pass_coproc_pragma, vt_pass_coproc_sync, vt_pass_cpu_access, vt_pass_cut_borders,
    vt_pass_early_rewrite, vt_pass_fold_uop_loop, vt_pass_inject_alu, vt_pass_inject_dma, vt_pass_inject_skip_copy,
    vt_pass_lift_alloc, vt_pass_lift_task_scope, vt_pass_lift_uop_scope, vt_pass_lower_storage_access,
    vt_pass_name_sources, vt_pass_order_uop_loops, vt_pass_place_slots, vt_pass_set_debug_mode,
    vt_pass_share_uop_kernels, vt_pass_split_tails, vt_pass_unroll_slots, vt_pass_verify_machine, vt_pass_verify_places,
    vt_pass_verify_shared;

/* The memory that a storage scope names; false for ordinary scopes. */
bool vt__memory_of(const char *scope, vta_memory *out_memory);
/* Scalars of one element of a memory. */
int64_t vt__elem_scalars(const vta_config *config, vta_memory memory);

/* The accelerator's thread axis, to which tasks and micro-op scopes are attached: the one that the function already
 * has, else a new one; the same for the whole lowering. */
const vt_iter *vt__task_axis(vt_lowering *l, const vt_func *f);
/* { attr coproc_scope = stage { body } } */
const vt_stmt *vt__task(vt_lowering *l, const vt_iter *axis, vta_stage stage, const vt_stmt *body);
/* { attr coproc_uop_scope = push { body } } */
const vt_stmt *vt__uops(vt_lowering *l, const vt_iter *axis, const char *push, const vt_stmt *body);

/* tvm_thread_context(command_handle()): what runtime calls take first. */
const vt_expr *vt__command_handle(vt_ctx *ctx);
/* EVAL of call_extern(name, args...) : int32. */
const vt_stmt *vt__extern(vt_ctx *ctx, const char *name, uint32_t n, const vt_expr *const *args);
/* EVAL of an intrinsic : int32. */
const vt_stmt *vt__call(vt_ctx *ctx, vt_op op, uint32_t n, const vt_expr *const *args);
/* tvm_access_ptr of `extent` elements from `offset`: mask 1 read, 2 write. Its value is the element address. */
const vt_expr *vt__access(vt_ctx *ctx, vt_dtype elem, const vt_var *data, const vt_expr *offset, const vt_expr *extent,
                          int mask);

/* Are two micro-ops (uop_push) of one sort, so that one instruction can run both? */
bool vt__same_sort(const vt_expr *x, const vt_expr *y);

/* Loops around nothing: what is left of a stage of which only padding is read. */
bool vt__does_nothing(const vt_stmt *s);

/* Is this the constant `value` after simplification? */
bool vt__is(vt_ctx *ctx, const vt_expr *e, int64_t value);

#endif

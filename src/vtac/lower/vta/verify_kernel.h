/* What the checks of a micro-kernel share: it is read once, its fields and reach are shown as it is read, then the
 * order of its micro-ops is followed. */
#ifndef VT_TARGET_VTA_VERIFY_KERNEL_H
#define VT_TARGET_VTA_VERIFY_KERNEL_H

#include "lower/vta/verify.h"

enum { VT_HARDWARE_LOOPS = 2, VT_KERNEL_LOOPS = 16, VT_KERNEL_UOPS = 64, VT_LOOK_BACK = 3 };

/* Kinds of micro-ops, and the arguments of a push. */
enum { VT_KIND_GEMM = 0, VT_KIND_ALU = 1 };
enum {
    VT_ARG_MODE = VT_UOP(mode),
    VT_ARG_RESET = VT_UOP(reset_out),
    VT_ARG_DST = VT_UOP(dst_index),
    VT_ARG_OPCODE = VT_UOP(opcode),
    VT_ARG_USE_IMM = VT_UOP(use_imm),
    VT_ARG_IMM = VT_UOP(imm_val)
};

typedef struct vt_hardware_loop {
    const vt_expr *extent, *factor[3]; /* dst, src, wgt */
} vt_hardware_loop;

/* A push as it stands, for the order in which all of them are recorded. */
typedef struct vt_push {
    const vt_stmt *s;
    vt_form dst;
} vt_push;

/* A micro-op as it is recorded. */
typedef struct vt_recorded {
    vt_form form;
    int64_t dst; /* without the kernel's parameters */
} vt_recorded;

typedef struct vt_inner_loop {
    const vt_stmt *s;
    uint32_t index; /* of its variable in forms */
    int64_t min, extent;
} vt_inner_loop;

typedef struct vt_kernel {
    vt_verifier *v;
    const vt_stmt *scope;
    uint32_t outer_vars; /* variables with numbers below this are the kernel's parameters */
    vt_hardware_loop loops[VT_HARDWARE_LOOPS];
    uint32_t loop_count, open;
    int64_t mode;
    const vt_expr *first; /* the call of the first push */
    vt_push pushes[VT_KERNEL_UOPS];
    vt_inner_loop inner[VT_KERNEL_LOOPS];
    uint32_t push_count, inner_count;
    bool symbolic; /* the order of its micro-ops cannot be followed */
    bool guarded;  /* some stand under a condition, or bend: the path must say where it is */
    /* While the order is followed. */
    int64_t at[VT_FORM_VARS];
    vt_recorded last[VT_LOOK_BACK];
    uint64_t count;
} vt_kernel;

/* The fields of the hardware loops around it, once for all its micro-ops. */
void vt__verify_kernel_loops(vt_kernel *k);
/* The fields of the operation that its first micro-op begins. */
void vt__verify_operation(vt_kernel *k, const vt_stmt *s, const vt_expr *call);
/* One micro-op: of the sort of the first, all its iterations inside of the buffers. */
void vt__verify_uop(vt_kernel *k, const vt_stmt *s, const vt_expr *call);
/* The order in which its micro-ops are recorded. */
void vt__verify_order(vt_kernel *k, const vt_stmt *body);

#endif

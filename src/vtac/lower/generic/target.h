/* What generic passes ask of the accelerator for which they lower. A target fills one in (lower/vta/vta.h), and the
 * lowering carries it to the passes; without an accelerator there is none, and every answer is no. */
#ifndef VT_PASS_TARGET_H
#define VT_PASS_TARGET_H

#include "ir/node.h"

/* A special memory of the target: what may be put where. Sizes in bits. */
typedef struct vt_memory_info {
    const char *name;    /* "acc" */
    uint64_t unit_bits;  /* one address holds this much */
    uint64_t align_bits; /* buffers begin at multiples of this */
    uint64_t max_bits;   /* the whole memory */
} vt_memory_info;

/* A call that moves elements from or to ordinary memory. */
typedef struct vt_transfer_info {
    uint32_t data, offset; /* operands of the call: the buffer, and the element at which it begins */
    int64_t scalars;       /* of one element */
} vt_transfer_info;

/* Embed it as the first member of what the target knows besides. All functions must be given. */
typedef struct vt_target vt_target;
struct vt_target {
    /* The memory that a storage scope stands for; false for ordinary memory ("global", "local", ...). */
    bool (*memory_of_scope)(const vt_target *t, const char *scope, vt_memory_info *out_info);
    /* False for calls that are not transfers. */
    bool (*transfer_of_call)(const vt_target *t, const vt_expr *call, vt_transfer_info *out_info);
    /* Does the call order tasks that run side by side? */
    bool (*orders_tasks)(const vt_expr *call);
    /* Tasks of different virtual threads run side by side, and what orders them was planned for the buffers of each
     * thread: none may take over another's. */
    bool threads_overlap;
};

#endif

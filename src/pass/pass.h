/* The pass manager and what passes share.
 *
 * A pass is a function from function to function: it reads the options and the configuration from the vt_lowering it
 * is given, keeps nothing between calls, and raises (base/context.h) when the program breaks a rule. A pass that
 * changes nothing returns the function it was given. */
#ifndef VT_PASS_PASS_H
#define VT_PASS_PASS_H

#include "arith/analyzer.h"
#include "ir/build.h"
#include "ir/visit.h"
#include "vta/pass.h"

/* One lowering: what passes may ask for. */
typedef struct vt_lowering {
    vt_ctx *ctx;
    const vtac_lower_options *options;
    const vt_iter *vta_axis; /* the accelerator's thread axis, one for a function (target/vta/vta.h) */
    bool tails;              /* vta.SplitTails has cut loops */
    const char *last;        /* the pass that ran before, and what it was given: for those that check it */
    const vt_func *given;
} vt_lowering;

/* The passes, by the table. Those of sort VTA live in target/vta. */
#define VT_PASS(sort, function, name, does, reason) const vt_func *vt_pass_##function(vt_lowering *l, const vt_func *f);
#include "pass/pipeline.def"
#undef VT_PASS

/* Runs the pipeline over a function as the schedule gives it. options NULL: all defaults. Raises on error. */
const vt_func *vt_lower(vt_ctx *ctx, const vt_func *f, const vtac_lower_options *options);

/* A special memory of the target: what may be put where. Sizes in bits. */
typedef struct vt_memory_info {
    const char *name;    /* "acc" */
    uint64_t unit_bits;  /* one address holds this much */
    uint64_t align_bits; /* buffers begin at multiples of this */
    uint64_t max_bits;   /* the whole memory */
} vt_memory_info;

/* The memory that a storage scope stands for; false for ordinary memory ("global", "local", ...) and when no
 * accelerator is configured. */
bool vt_memory_of_scope(const vt_lowering *l, const char *scope, vt_memory_info *out_info);

/* A call that moves elements from or to ordinary memory. */
typedef struct vt_transfer_info {
    uint32_t data, offset; /* operands of the call: the buffer, and the element at which it begins */
    int64_t scalars;       /* of one element */
} vt_transfer_info;

/* False for other calls, and when no accelerator is configured. */
bool vt_transfer_of_call(const vt_lowering *l, const vt_expr *call, vt_transfer_info *out_info);

#endif

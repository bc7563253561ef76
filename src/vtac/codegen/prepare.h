/* What both code generators, and build/replay.c, need done to a function before they see it. */
#ifndef VT_CODEGEN_PREPARE_H
#define VT_CODEGEN_PREPARE_H

#include "codegen/codegen.h"
#include "ir/attr.h"

/* Rewrites a lowered function for code generation:
 *  - the accelerator's intrinsics become calls of the runtime (vta/runtime.def), some others what they are made of;
 *  - the command handle is asked for once, at the top, and kept in a variable;
 *  - the body of a micro-op scope uses at most one variable from outside, an int32: the signature under which the
 *    runtime keeps the micro-kernel. Several are packed into one;
 *  - barriers on arguments in the host's memory go. */
const vt_func *vt_prepare(vt_ctx *ctx, const vt_codegen_func *cf);

/* Does it load or store by itself, or only call the runtime? What only calls needs no optimisation. */
bool vt__func_computes(const vt_func *f);

/* Where an allocation's memory must come from: the accelerator's when a transfer reads or writes it, else the
 * host's. */
int32_t vt_alloc_device(const vt_stmt *alloc);

/* One argument check. `got` is what a check compares with `expected`. ORDER CHECK */
typedef enum vt__check_kind {
    VT__CHECK_NDIM,
    VT__CHECK_DTYPE,  /* code, bits and lanes as one little-endian word */
    VT__CHECK_SHAPE,  /* dimension `dim` */
    VT__CHECK_STRIDE, /* of dimension `dim`, where the tensor has strides */
    VT__CHECK_OFFSET, /* byte_offset */
    VT__CHECK_DEVICE,
    VT__CHECK_DATA, /* data is not NULL */
    VT__CHECK_BIND, /* no check: the variable `bind` takes the extent of dimension `dim` */
} vt__check_kind;

typedef struct vt__check {
    vt__check_kind kind;
    uint32_t dim;
    const vt_expr *expected;
    const vt_var *bind;
    const char *message; /* printf format with up to two %lld: what was found */
} vt__check;

/* How one parameter arrives. */
typedef struct vt__param {
    const vt_var *var;         /* the parameter, and what a scalar's uses name */
    const vt_binding *binding; /* of a tensor, else NULL */
    const char *code_message;  /* wrong type code: one %lld */
    const char *null_message;  /* a tensor that is NULL */
    bool used;                 /* the body needs a tensor's data */
    uint32_t n_checks;
    const vt__check *checks; /* strides last, together */
} vt__param;

/* The micro-kernels of a function that are written so far, with their numbers: an equal one need not be written again.
 */
typedef struct vt_kernel_item {
    const vt_stmt *scope;
    uint32_t number;
} vt_kernel_item;

typedef struct vt_kernels {
    uint32_t n, cap;
    vt_kernel_item *items;
} vt_kernels;

/* The number of an equal micro-kernel; if there is none, adds this one under `number`. Kernels that take a variable
 * from outside, and those of functions that do not ask for it (VT_ATTR_SHARE_KERNELS), are never the same. */
uint32_t vt_kernel_number(vt_ctx *ctx, vt_kernels *known, bool share, const vt_stmt *scope, uint32_t number);

typedef struct vt__entry {
    const char *name;
    const char *count_message; /* wrong number of arguments: one %lld */
    uint32_t n_params;
    const vt__param *params;
    const uint32_t *order; /* in which they are taken: a tensor after the arguments that its shape depends on */
    uint32_t n_vars;       /* what the body needs from the arguments: data pointers, scalars, extents */
    const vt_var *const *vars;
    bool no_alias; /* the tensors do not overlap */
    bool share_kernels;
} vt__entry;

/* The packed entry of a prepared function. */
const vt__entry *vt__entry_describe(vt_ctx *ctx, const vt_codegen_func *cf);

/* What the object says about the function (docs/compiler.md, "Signatures"): a JSON text, and the symbol it stands at.
 */
const char *vt__signature_text(vt_ctx *ctx, const vt_codegen_func *cf, const vt__entry *entry);
const char *vt__signature_symbol(vt_ctx *ctx, const char *name);

/* ---- Symbols (symbol.c) --------------------------------------------------------------------------------------- */

const char *vt__kernel_name(const vt_codegen_func *cf);
/* VTA_INVALID_ARGUMENT when two kernels of a job have one name, or one has none that can be printed. */
vta_status vt__check_names(vt_ctx *ctx, const vt_codegen_job *job);
/* Is this what the C library, this project, a function that a kernel of the job calls, or a part of one is called? */
bool vt__symbol_is_taken(const vt_codegen_job *job, const char *name);
/* What the kernel `name` is called in the object: its name, with VTA_KERNEL_PREFIX (vta/module.h) where that is taken.
 */
const char *vt__kernel_symbol(vt_ctx *ctx, const vt_codegen_job *job, const char *name);
/* Is `name` what a part of this kernel may be called (docs/compiler.md, "Parts")? */
bool vt__is_part(const char *kernel, const char *name);

#endif

/* Code from lowered functions: objects, assembly, LLVM IR and C text, and code in this process.
 *
 * A lowered function is a vt_func whose body has only what a processor can do and calls of the runtime: the last pass
 * has run. What becomes of it is described in docs/compiler.md (calling convention, micro-op scopes, threads).
 *
 * Functions here are safe to call from several threads, each with its own vt_ctx. LLVM itself ends the process when
 * memory runs out inside it; everything else is reported. */
#ifndef VT_CODEGEN_CODEGEN_H
#define VT_CODEGEN_CODEGEN_H

#include "base/context.h"
#include "base/strbuf.h"
#include "ir/node.h"

/* What code is made. ORDER EMIT */
typedef enum vt_emit {
    VT_EMIT_OBJECT, /* a relocatable object */
    VT_EMIT_ASM,
    VT_EMIT_LLVM, /* LLVM's textual IR */
    VT_EMIT_C     /* C11 that compiles by itself */
} vt_emit;

/* For which machine. All NULL is this machine with everything its processor has; a triple without a processor is
 * the oldest processor of that architecture. */
typedef struct vt_machine_spec {
    const char *triple;   /* "armv7-none-linux-gnueabihf"; NULL: this machine */
    const char *cpu;      /* LLVM's name; NULL as above */
    const char *features; /* LLVM's "+neon,-crypto"; NULL: those of the host */
} vt_machine_spec;

/* Device types of tensors, as DLPack numbers them. */
enum { VT_DEVICE_CPU = 1, VT_DEVICE_EXT_DEV = 12 };

typedef struct vt_codegen_func {
    const vt_func *func;
    const char *name;     /* the symbol; NULL: the function's own name */
    int32_t device_type;  /* where its tensor arguments must live */
    const char *config;   /* JSON of the configuration it was lowered for, for its signature; NULL: none */
    const char *computes; /* what, as the text of a kernel file, for its signature; NULL: not known */
} vt_codegen_func;

typedef struct vt_codegen_job {
    const vt_codegen_func *funcs; /* with different names */
    size_t count;
    vt_machine_spec machine;
    int32_t opt_level;  /* 0..3: how hard LLVM works on functions that compute; those that only call the runtime never
                           need it */
    bool interruptible; /* LLVM: host functions stop when vta_host_stop is not 0 (vta/module.h) */
} vt_codegen_job;

/* Appends what was asked for to `out`; VTA_OK or an error that is recorded in ctx->diag. */
vta_status vt_codegen_emit(vt_ctx *ctx, const vt_codegen_job *job, vt_emit what, vt_strbuf *out);
/* VT_EMIT_C alone: what calls this and not vt_codegen_emit is linked without LLVM. */
vta_status vt_codegen_c(vt_ctx *ctx, const vt_codegen_job *job, vt_strbuf *out);

/* The triple of this machine, or the normalised form of `triple`, for messages; owned by ctx. Raises
 * VTA_UNSUPPORTED for one that this build makes no code for. */
const char *vt_codegen_triple(vt_ctx *ctx, const char *triple);

/* ---- Code in this process ---------------------------------------------------------------------------------- */

typedef struct vt_jit vt_jit;

/* A symbol that code is given in place of the process's. */
typedef struct vt_jit_symbol {
    const char *name;
    void (*address)(void);
} vt_jit_symbol;

/* Loads an object made for this machine into the process. Undefined symbols are those of `symbols` (borrowed; n may be
 * 0), or looked up as the dynamic linker would: what was preloaded comes first, then the program and its libraries. */
vta_status vt_jit_create(const vta_allocator *allocator, const void *object, size_t size, size_t n,
                         const vt_jit_symbol *symbols, vta_diag *diag, vt_jit **out_jit);
/* Removes the code; its functions must not be running. */
void vt_jit_destroy(vt_jit *jit);
/* VTA_NOT_FOUND for a name that the object does not define, or when a symbol it needs is nowhere. Any thread. */
vta_status vt_jit_lookup(vt_jit *jit, const char *name, vta_diag *diag, void **out_address);

#endif

/* From a schedule to code: lowering, compiling, saving, running in this process.
 *
 *     const vtac_func *f;
 *     vtac_module *m;
 *     vta_packed_function call;
 *     vtac_lower(schedule, 3, args, "vadd", NULL, &f);
 *     vtac_build(1, &(vtac_build_func){.func = f}, NULL, diag, &m);
 *     vtac_module_function(m, "vadd", diag, &call);         // or vtac_module_save(m, "vadd.o", diag)
 *     vta_function_call_tensors(call, tensors, 3, diag);    // vta/module.h
 *
 * Compiled functions have the packed calling convention (vta/module.h, docs/compiler.md) and check their arguments.
 * They reach the runtime by the names of vta/runtime.def: undefined symbols of saved objects, looked up in this process
 * as the dynamic linker would for code that runs here.
 *
 * Threads: lowering uses the schedule's te_context and what it owns, so one thread at a time for each context, any
 * number of contexts at once. Building only reads; functions of different contexts may go into one module. */
#ifndef VTA_BUILD_H
#define VTA_BUILD_H

#include "vta/field.h"
#include "vta/ir.h"
#include "vta/kernel.h"
#include "vta/module.h"
#include "vta/pass.h"
#include "vta/te_stmt.h"

VTA_BEGIN

/* ---- Lowering ------------------------------------------------------------------------------------------------ */

/* A parameter of a function: a tensor or a scalar (te_scalar); the other is NULL. */
typedef struct vtac_arg {
    const te_tensor *tensor;
    const te_expr *scalar;
} vtac_arg;

/* Bound inference, loop nest and the pass pipeline (vta/pass.h). `name` NULL: "main". `options` NULL: lowering for the
 * accelerator of the context's configuration. The function lives in the schedule's te_context, where errors go too
 * (te_context_diag). */
VTA_API vta_status vtac_lower(te_schedule *schedule, size_t n, const vtac_arg args[], const char *name,
                              const vtac_lower_options *options, const vtac_func **out_func);
/* A kernel file's function, under the kernel's name, with the passes left out that the file names besides those of
 * `options`. `options` NULL: for the target that the file names. */
VTA_API vta_status vtac_kernel_lower(vtac_kernel *kernel, const vtac_lower_options *options,
                                     const vtac_func **out_func);

/* Runs passes over a function that was lowered before, as far as that went: with all of them disabled it is the
 * function as the schedule gives it. `options` NULL: for the host alone. The new function shares memory with
 * `func`, which must live as long. */
VTA_API vta_status vtac_func_lower(const vtac_func *func, const vtac_lower_options *options, vta_diag *diag,
                                   const vtac_func **out_func);

/* A parameter of a function made by hand: a buffer, which stands for the tensor given, or a scalar (te_scalar); the
 * other is NULL. */
typedef struct vtac_param {
    te_buffer *buffer;
    te_expr *scalar;
} vtac_param;

/* A function that does what a statement says (vta/te_stmt.h), lowered with `options` (NULL: for the host alone).
 * Free variables of the statement are those of the parameters. */
VTA_API vta_status vtac_func_create(te_context *c, size_t n, const vtac_param params[], const vtac_stmt *body,
                                    const char *name, const vtac_lower_options *options, const vtac_func **out_func);

/* ---- Compiling ----------------------------------------------------------------------------------------------- */

/* A function to compile. */
typedef struct vtac_build_func {
    const vtac_func *func;
    const char *name;    /* the symbol; NULL: the function's own name */
    int32_t device_type; /* where its tensors must live: kDLCPU, kDLExtDev; 0: as the target says */
} vtac_build_func;

/* All zero is the default: code for this machine that drives the accelerator. */
typedef struct vtac_build_options {
    size_t size;          /* of this struct, or 0 */
    const char *target;   /* "vta" or "ext_dev" (NULL): tensors live on the accelerator; "llvm": in host memory */
    const char *triple;   /* "aarch64-linux-gnu", "armv7-none-linux-gnueabihf"; NULL: this machine */
    const char *cpu;      /* LLVM's name; NULL: this machine's, or with a triple the oldest of its architecture */
    const char *features; /* LLVM's "+neon,-crypto"; NULL: those of the host */
    int32_t opt_level;    /* 1..3 for what computes on the host, -1 for none; 0: 2 */
    bool interruptible; /* host code looks at vta_host_stop (vta/module.h) once an iteration of its outer loops, and now
                         * and then in long inner ones */
    bool trace;         /* code run in this process goes through the recorder (vtac_trace_begin) */
    const vta_allocator *allocator;
    const char *linker; /* program that vtac_module_save tries first for FILE.so, options after blanks; NULL: none */
} vtac_build_options;

/* What vtac_emit writes. */
typedef enum vtac_emit_kind { VTAC_EMIT_OBJECT, VTAC_EMIT_ASM, VTAC_EMIT_LLVM, VTAC_EMIT_C } vtac_emit_kind;

/* The functions as an object, assembly, LLVM's textual IR, or C that compiles by itself (zero terminated in any case).
 * Free with vta_string_free. */
VTA_API vta_status vtac_emit(size_t n, const vtac_build_func funcs[], const vtac_build_options *options,
                             vtac_emit_kind kind, vta_diag *diag, char **out_text, size_t *out_size);

typedef struct vtac_module vtac_module;

/* Compiles functions of different names into one module. VTA_UNSUPPORTED: no such target; VTA_ILLEGAL: something the
 * target cannot do, with function, place and remedy. Free with vtac_module_destroy. */
VTA_API vta_status vtac_build(size_t n, const vtac_build_func funcs[], const vtac_build_options *options,
                              vta_diag *diag, vtac_module **out_module);
/* Removes its code from the process too; its functions must not be running. NULL is allowed. */
VTA_API void vtac_module_destroy(vtac_module *module);
/* Writes FILE.o as it is, FILE.so linked by the system's linker (VTA_UNSUPPORTED, naming what was tried, when there is
 * none for the machine it is for), and with any other ending the object. */
VTA_API vta_status vtac_module_save(vtac_module *module, const char *path, vta_diag *diag);
/* The object's bytes; they belong to the module. */
VTA_API const void *vtac_module_object(const vtac_module *module, size_t *out_size);
/* The triple that it is for. */
VTA_API const char *vtac_module_triple(const vtac_module *module);
/* A function as code in this process, valid as long as the module. The first call loads the object. Any thread.
 * VTA_UNSUPPORTED for code that is for another machine; VTA_NOT_FOUND for no such function, or when the process lacks a
 * symbol that it needs. */
VTA_API vta_status vtac_module_function(vtac_module *module, const char *name, vta_diag *diag,
                                        vta_packed_function *out_function);

/* ---- Running and checking ------------------------------------------------------------------------------------- */

/* Writes the runtime calls that make instructions and run them, of traced code of this thread, as lines of text until
 * vtac_trace_end: loads, stores, micro-kernels with what they record, tokens, synchronization; buffers and call sites
 * by order of first use. Barriers and VTABufferCPUPtr leave no line. The calls go on to the runtime. VTA_NO_MEMORY. */
VTA_API vta_status vtac_trace_begin(void (*write)(void *ctx, const char *text, size_t size), void *ctx);
VTA_API void vtac_trace_end(void);

typedef struct vtac_check_options {
    size_t size;    /* of this struct, or 0 */
    uint64_t seed;  /* of the inputs */
    bool interpret; /* the reference is te_evaluate however long it takes */
    const vta_allocator *allocator;
} vtac_check_options;

typedef struct vtac_check_result {
    size_t size;        /* of this struct, or 0 */
    uint64_t elements;  /* compared */
    uint64_t different; /* 0: equal bit for bit */
    size_t arg;         /* of the first difference: which argument, which element, both values as text */
    uint64_t index;
    char expected[32], got[32];
    double run_seconds;       /* of the call */
    double reference_seconds; /* of the reference */
    bool interpreted;         /* the reference was te_evaluate */
} vtac_check_result;

/* Calls a compiled function of the given tensors with random inputs and compares its outputs (the tensors that are not
 * placeholders) bit for bit with what the expressions mean: te_evaluate, or, for more than a few million steps, the
 * default schedule compiled for the host. Zeros of either sign are equal. `device_type`: where its arrays live.
 * VTA_OK also when values differ; other codes when something could not be run. */
VTA_API vta_status vtac_check(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                              int32_t device_type, const vtac_check_options *options, vta_diag *diag,
                              vtac_check_result *out_result);

/* ---- Proving (docs/prove.md) ----------------------------------------------------------------------------------- */

typedef enum vtac_verdict {
    VTAC_PROVEN,   /* right for all inputs, in every order that the tokens allow, but for a chance that is stated */
    VTAC_WRONG,    /* wrong: an input shows it, or no token orders two accesses of which one writes, or the result
                    * depends on memory that nothing wrote, or it cannot run */
    VTAC_UNPROVEN, /* the values differ, but no input was found that shows it; or it cannot be told */
} vtac_verdict;

typedef struct vtac_prove_options {
    size_t size;        /* of this struct, or 0 */
    uint64_t seed;      /* of the random values */
    uint32_t draws;     /* of random values; 0: 2, and up to 8 while the chance of an error is not below 2^-20 */
    uint32_t tries;     /* concrete inputs looked through where values differ; 0: 12 */
    uint64_t most_work; /* micro-ops and elements moved in one order; 0: 2^30. Beyond it nothing is proven */
    const vta_allocator *allocator;
} vtac_prove_options;

typedef struct vtac_prove_result {
    size_t size; /* of this struct, or 0 */
    vtac_verdict verdict;
    char reason[512]; /* of another verdict than VTAC_PROVEN, in words */
    uint32_t draws;
    uint64_t elements; /* of all outputs */
    /* Of these: shown to be right. All of them where the verdict is VTAC_PROVEN; others depend on what the host
     * computes, or on expressions that no field follows. */
    uint64_t covered;
    uint64_t terms;         /* min, max, shifts, narrowings: random functions that were applied, in the largest draw */
    double degree;          /* a bound for the degrees of the polynomials, */
    double magnitude_bound; /* and for the sum of the magnitudes of the coefficients of one */
    double log2_error;      /* VTAC_PROVEN: the chance that it is wrong nevertheless is below 2^log2_error */
    double seconds;
    /* Where values differed: how many, the first one's argument and element, and who wrote it. The order is the one
     * that an example was found in. */
    uint32_t order; /* vta_order */
    uint64_t order_seed;
    uint64_t different;
    size_t arg;
    uint64_t index;
    vta_field_writer writer;
    char store_text[96], insn_text[96]; /* what these instructions are */
    /* VTAC_WRONG, when true: concrete inputs for which the accelerator's result differs. They are those of vtac_check
     * for the seed, with integers of at most the magnitude (0: of the whole range). */
    bool has_example;
    int32_t magnitude;
    uint64_t example_seed;
    size_t example_arg;
    uint64_t example_index;
    char expected[32], got[32];
} vtac_prove_result;

/* Proves a compiled function of the given tensors right: it is called once, with arrays on the accelerator of the
 * context's configuration, and what it would run there is run on values that stand for all inputs (vta/field.h) and
 * compared with the meaning of the expressions. The function may come from vtac_module_function or vta_module_function;
 * the calling thread's runtime is left alone, and nothing else of the process is changed. VTA_OK whatever the verdict;
 * other codes when something could not be done: no memory, a function that fails, an interrupt. */
VTA_API vta_status vtac_prove(te_context *c, size_t n, const te_tensor *const args[], vta_packed_function function,
                              const vtac_prove_options *options, vta_diag *diag, vtac_prove_result *out_result);
/* The same for a recorded program whose arguments are at the given addresses. */
VTA_API vta_status vtac_prove_program(te_context *c, size_t n, const te_tensor *const args[], const uint32_t addrs[],
                                      const vta_program *program, const vtac_prove_options *options, vta_diag *diag,
                                      vtac_prove_result *out_result);
/* "proven", "wrong", "unproven". */
VTA_API const char *vtac_verdict_name(vtac_verdict verdict);

VTA_END

#endif

/* The last check: what was emitted against the rules of the machine (verify.def). Written apart from the passes, and
 * using none of what they decide by, so that their mistakes are not made here again. */
#ifndef VT_TARGET_VTA_VERIFY_H
#define VT_TARGET_VTA_VERIFY_H

#include "ir/runtime_call.h"
#include "ir/visit.h"
#include "lower/generic/pass.h"
#include "lower/vta/verify_range.h"
#include "vta/config.h"
#include "vta/isa.h"

typedef enum vt_rule {
#define VT_RULE(NAME, name, wants, suspect) VT_RULE_##NAME,
#include "lower/vta/verify.def"
#undef VT_RULE
    VT_RULE_COUNT
} vt_rule;

typedef struct vt_verifier {
    vt_ctx *ctx;
    const vta_config *config;
    vt_path *path;
    uint32_t stage;      /* of the task around, 0: none */
    const vt_stmt *uops; /* the micro-op scope around, NULL: none */
    bool started;        /* an instruction was issued since the last synchronization */
    vt_ptrmap *buffers;  /* data variable of a tensor -> its vt_buffer */
    vt_ptrmap *allocs;   /* data variable of an allocation -> its ALLOC */
    vt_ptrmap *kernels;  /* micro-op scopes that were found right, and use nothing from outside */
    uint32_t undecided;  /* rules that could not be told, since something in them is symbolic */
    uint32_t cases;      /* iterations that may still be looked at one by one */
} vt_verifier;

/* Checks a function; raises VTA_INTERNAL where a rule is broken. Returns how many rules could not be told. */
uint32_t vt__verify_machine(vt_ctx *ctx, const vta_config *config, const vt_func *f);

/* The places that storage planning gave, which turned `given` into `made`. `one_base`: all storages of a memory begin
 * at its first element; else only what is in one storage can overlap. Returns how many places could not be told. */
uint32_t vt__verify_places(vt_ctx *ctx, const vta_config *config, const vt_func *given, const vt_func *made,
                           bool one_base);

/* The same two functions: nothing comes into the place in ordinary memory of what a transfer uses. */
void vt__verify_queued(vt_lowering *l, const vt_func *given, const vt_func *made);

/* Between the files verify_*.c. */
_Noreturn void vt__verify_fail(const vt_verifier *v, vt_rule rule, const vt_stmt *s, const char *what);
/* A proof that raises when it is broken, and counts when it is open. Tags: vt_claim. */
typedef struct vt_claim {
    vt_rule rule;
    const char *what; /* "y_size is negative" */
} vt_claim;
void vt__verify_prove(vt_verifier *v, const vt_stmt *s, void (*make)(void *user, vt_path *p, vt_demands *out),
                      void *user);

void vt__verify_transfer(vt_verifier *v, const vt_stmt *s, const vt_expr *call, bool loads);
void vt__verify_kernel(vt_verifier *v, const vt_stmt *scope);
void vt__verify_tokens(vt_verifier *v, const vt_stmt *body);

#endif

/* Runs any function slowly, on host arrays, with every index checked: the oracle of the tests. */
#ifndef VT_IR_INTERP_H
#define VT_IR_INTERP_H

#include "ir/node.h"

/* One value of any type: integers sign- or zero-extended to 64 bits, floats as double, pointers. */
typedef struct vt_value {
    vt_dtype dtype;
    union {
        int64_t i;
        double f;
        void *p;
        const char *s; /* of a STRING expression: dtype handle */
    } u;
} vt_value;

/* An argument: an array for a param with a binding, else a scalar. */
typedef struct vt_interp_arg {
    void *data; /* elements of the binding's dtype, compact, row-major; types under 8 bits take a byte each */
    size_t elements;
    vt_value scalar;
} vt_interp_arg;

/* A run that is going on. */
typedef struct vt__interp vt_interp;

typedef struct vt_interp_hooks {
    void *user;
    /* call_extern, call_pure_extern and calls the interpreter has no meaning for (name: the op's). Gives false when
     * the name is unknown: the run fails. `out` is preset to zero of the call's dtype. */
    bool (*call)(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out);
    /* Runs an attribute's body in a way of its own (vt_interp_body); false: nothing is special about it. May be NULL.
     */
    bool (*attr)(void *user, vt_interp *in, const vt_stmt *attr);
    /* Memory for an ALLOC (NULL: there is none), and its end, also of a run that fails. Both NULL: the arena's. */
    void *(*alloc)(void *user, const vt_stmt *alloc, size_t bytes);
    void (*free)(void *user, const vt_stmt *alloc, void *memory);
    /* How much memory there is behind a pointer that a call gave; 0: none. NULL: no such memory is accessed. */
    size_t (*bytes)(void *user, const void *pointer);
    uint64_t step_limit; /* statements; 0: no limit */
    /* As compiled code does: a SELECT computes both of its sides, && and || of vectors too, so that what they read in
     * vain is checked as well. Without it they compute what they need. */
    bool both_sides;
} vt_interp_hooks;

/* Runs f. Parallel, vectorized and thread loops run serially; so do virtual threads. Fails with a diagnostic for an
 * index out of its buffer, division by zero, an undefined variable, a failed assert, a missing hook. Before storage
 * flattening PLOAD and PSTORE reach REALIZEd tensors and the tensors of bindings. hooks may be NULL. Memory comes from
 * the context's arena and stays there. */
vta_status vt_interp_run(vt_ctx *ctx, const vt_func *f, uint32_t n_args, const vt_interp_arg *args,
                         const vt_interp_hooks *hooks);
/* For hooks: runs the body of an attribute; the value of an expression at this point of the run. */
void vt_interp_body(vt_interp *in, const vt_stmt *attr);
vt_value vt_interp_value(vt_interp *in, const vt_expr *e);
/* One scalar expression, the free variables looked up in parallel arrays. */
vta_status vt_interp_expr(vt_ctx *ctx, const vt_expr *e, uint32_t n, const vt_var *const *vars, const vt_value *values,
                          vt_value *out_value);

#endif

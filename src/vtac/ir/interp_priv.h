/* The interpreter's state, shared by its expressions, memory and statements. */
#ifndef VT_IR_INTERP_PRIV_H
#define VT_IR_INTERP_PRIV_H

#include "ir/interp.h"
#include "ir/visit.h"

/* A piece of memory: what a pointer variable or a tensor stands for. */
typedef struct vt__memory {
    const char *name;
    char *data;
    size_t bytes;
    bool bound;    /* a parameter's: realizing the tensor gives it no other memory */
    uint32_t ndim; /* of a tensor: its box */
    int64_t *min;
    int64_t *extent;
} vt__memory;

typedef struct vt__interp {
    vt_ctx *ctx;
    const vt_interp_hooks *hooks;
    vt_ptrmap *vars;   /* variable -> vt_value */
    vt_ptrmap *memory; /* pointer variable or tensor -> vt__memory */
    vt_ptrmap *blocks; /* ALLOC or REALIZE statement -> its memory, used again each time it is executed */
    uint64_t steps;
    bool both_sides; /* of hooks */
} vt__interp;

/* One lane of an expression. */
vt_value vt__eval(vt__interp *in, const vt_expr *e, uint32_t lane);
int64_t vt__eval_int(vt__interp *in, const vt_expr *e, uint32_t lane);
void vt__interp_set(vt__interp *in, const vt_var *v, vt_value value);
/* Gives a variable the value of an expression: of its lane, or of all lanes where the variable is a vector. */
void vt__interp_let(vt__interp *in, const vt_var *v, const vt_expr *value, uint32_t lane);
/* Integers wrapped and floats rounded to their type. */
vt_value vt__value_int(vt_dtype t, int64_t i);
vt_value vt__value_float(vt_dtype t, double f);
vt_value vt__value_cast(vt_dtype t, vt_value v);

/* The address of an element, checked. */
void *vt__buffer_at(vt__interp *in, const vt_buffer *b, uint32_t n, const vt_expr *const *indices, uint32_t lane);
void *vt__tensor_at(vt__interp *in, const vt_tensor *t, uint32_t n, const vt_expr *const *indices, uint32_t lane);
vt_value vt__get(vt__interp *in, const void *from, vt_dtype t);
void vt__put(vt__interp *in, void *to, vt_dtype t, vt_value v);

#endif

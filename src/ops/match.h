/* A computation taken apart: which operator it is, with which attributes and arguments. */
#ifndef VT_OPS_MATCH_H
#define VT_OPS_MATCH_H

#include "ir/node.h"
#include "ops/ops.h"
#include "te/te.h"

enum { VT_MATCH_AXES = 16, VT_MATCH_ARGS = VT_EPILOGUE_MOST + 3 };

/* A sum of the variables of axes, each times a number, and a constant. */
typedef struct vt_affine {
    uint32_t n;
    const vt_var *var[VT_MATCH_AXES];
    int64_t times[VT_MATCH_AXES], constant;
} vt_affine;

/* Where a condition lets an affine sum (its constant apart) be: from `least` to `most`. */
typedef struct vt_guard {
    vt_affine sum;
    int64_t least, most;
} vt_guard;

enum { VT_MATCH_GUARDS = 16 };
typedef struct vt_guards {
    uint32_t n;
    vt_guard of[VT_MATCH_GUARDS];
} vt_guards;

/* A step of what follows the sum, and the argument that it adds (NULL: none). */
typedef struct vt_match_step {
    vt_epilogue_kind kind;
    int64_t number;
    const vt_tensor *side;
} vt_match_step;

typedef struct vt_match {
    te_context *te;
    const vta_config *config;
    vta_diag *diag;
    const char *kernel; /* what the function is called */
    const vt_tensor *out, *sums; /* sums: the tensor of the sum of products */
    uint32_t n_steps;
    vt_match_step steps[VT_EPILOGUE_MOST]; /* last first */
    const vt_tensor *data, *weight;
    const char *operator_name;
    char attributes[512];
    uint32_t visits; /* of tensors, in looking for the sum */
} vt_match;

/* False when it is no such sum. Casts between integers of at least 32 bits and "likely" are looked through. */
bool vt__affine_read(const vt_expr *e, vt_affine *out);
/* Adds `times` of another sum; false where the numbers or the axes become too many. */
bool vt__affine_add(vt_affine *to, const vt_affine *a, int64_t times);
int64_t vt__affine_times(const vt_affine *a, const vt_var *v);
/* Are both the same but for their constants? */
bool vt__affine_same(const vt_affine *a, const vt_affine *b);
/* A conjunction of comparisons of affine sums with numbers; false when it is anything else. */
bool vt__guards_read(const vt_expr *e, vt_guards *out);
/* A choice between a value and zero: the value and its condition. False when `e` is none. */
bool vt__choice_read(const vt_expr *e, const vt_expr **out_condition, const vt_expr **out_value);

/* Node and variable of a tensor's axis, data axes first; its body (NULL: a placeholder). */
const vt_var *vt__match_axis(const vt_tensor *t, uint32_t index);
const vt_expr *vt__match_body(const vt_tensor *t);
int64_t vt__match_dim(const vt_tensor *t, uint32_t dim);
/* Is `e` an element of a tensor at the axes of `t`, in their order? */
bool vt__match_at_axes(const vt_expr *e, const vt_tensor *t);
/* The tensor that `t` is a plain copy of; `t` itself when it is none. */
const vt_tensor *vt__match_source(const vt_tensor *t);
/* Refuses: "NAME: ...", with the expression when there is one. */
vta_status vt__match_refuse(const vt_match *m, const vt_tensor *t, const vt_expr *e, const char *fmt, ...)
    VTA_PRINTF(4, 5);

/* What follows the sum of products, from the output inwards: fills steps and sums. */
vta_status vt__match_chain(vt_match *m);
/* The sum itself: fills data, weight, operator_name and attributes. */
vta_status vt__match_sum(vt_match *m);

#endif

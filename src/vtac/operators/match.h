/* A computation taken apart: which operator it is, with which attributes and arguments. */
#ifndef VT_OPS_MATCH_H
#define VT_OPS_MATCH_H

#include "ir/build.h"
#include "operators/ops.h"
#include "te/te.h"

enum {
    VT_MATCH_AXES = 16,
    VT_MATCH_DIMS = 7,
    VT_MATCH_INPUTS = 8,
    VT_MATCH_ARGS = VT_EPILOGUE_MAX + VT_MATCH_INPUTS + 1
};

/* A sum of the variables of axes, each times a number, and a constant. Quotients and remainders of such sums count as
 * variables of their own. */
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

/* A step of what follows the sum, its number where it has one, and the argument that it takes (NULL: none). */
typedef struct vt_match_step {
    vt_epilogue_kind kind;
    int64_t number;
    const vt_tensor *side;
    bool numbered;
} vt_match_step;

/* An operand of a product: what is read and where, with plain copies looked through. */
typedef struct vt_match_operand {
    const vt_expr *load;
    const vt_tensor *tensor;
    vt_affine index[VT_MATCH_DIMS];
} vt_match_operand;

/* A sum of products: what is multiplied, and where (anywhere when not `guarded`). */
typedef struct vt_match_product {
    vt_match_operand data, weight;
    vt_guards guards;
    bool guarded;
} vt_match_product;

/* An argument, and what the operator's own kernel file calls it. */
typedef struct vt_match_input {
    const vt_tensor *tensor;
    char name[16];
} vt_match_input;

typedef struct vt_match {
    te_context *te;
    const vta_config *config;
    const vta_allocator *allocator;
    vta_diag *diag;
    const char *kernel;          /* what the function is called */
    const vt_tensor *out, *sums; /* sums: the tensor of the sum of products; NULL: another operator */
    uint32_t n_steps;
    vt_match_step steps[VT_EPILOGUE_MAX]; /* last first */
    const vt_tensor *data, *weight;       /* of a sum of products */
    int64_t groups;                       /* of channels; 0: none */
    uint32_t n_inputs;
    vt_match_input inputs[VT_MATCH_INPUTS];
    const char *operator_name;
    char attributes[512];
    bool summed;     /* a sum of products stands behind the result */
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
/* A choice between a value and zero: the value and its condition. False when `e` is not one. */
bool vt__choice_read(const vt_expr *e, const vt_expr **out_condition, const vt_expr **out_value);

/* Node and variable of a tensor's axis, data axes first; its body (NULL: a placeholder). */
const vt_var *vt__match_axis(const vt_tensor *t, uint32_t index);
const vt_expr *vt__match_body(const vt_tensor *t);
int64_t vt__match_dim(const vt_tensor *t, uint32_t dim);
/* Is `e` an element of a tensor at the axes of `t`, in their order? */
bool vt__match_at_axes(const vt_expr *e, const vt_tensor *t);
/* The tensor that `t` is a plain copy of; `t` itself when it is none. */
const vt_tensor *vt__match_source(const vt_tensor *t);
/* Is the index that axis of `t`? Of one element it may be 0 as well. */
bool vt__match_is_axis(const vt_expr *index, const vt_tensor *t, uint32_t axis);
/* The same of an index that is read already. */
bool vt__affine_is_axis(const vt_affine *a, const vt_tensor *t, uint32_t axis);
/* An element of a tensor at sums of axes, with casts and copies looked through; false when it is none. */
bool vt__match_operand_read(const vt_expr *e, vt_match_operand *out);
/* Does an argument stand behind it? */
bool vt__match_has_argument(vt_match *m, const vt_tensor *t);
/* The extent of the reduce axis of `t` with that variable; 0 when it is none that begins at 0. */
int64_t vt__match_reduce_extent(const vt_tensor *t, const vt_var *v);
/* An argument of the operator, by the name in its own kernel file. */
void vt__match_add_input(vt_match *m, const vt_tensor *t, const char *name);
vta_status vt__match_add_step(vt_match *m, const vt_tensor *t, vt_match_step step);
/* Refuses: "NAME: ...", with the expression when there is one. */
vta_status vt__match_refuse(const vt_match *m, const vt_tensor *t, const vt_expr *e, const char *fmt, ...)
    VTA_PRINTF(4, 5);

/* What follows the sum of products, from the output inwards: fills steps and sums; or the whole of an operator that is
 * no such sum. */
vta_status vt__match_chain(vt_match *m);
/* The sum itself: fills inputs, operator_name and attributes. */
vta_status vt__match_sum(vt_match *m);
/* A sum of products as a convolution, and as a product of matrices, or of `first` = 1 of a batch, whose axis comes
 * first everywhere: fills data, groups, operator_name and attributes. */
vta_status vt__match_conv(vt_match *m, const vt_match_product *p);
vta_status vt__match_dense(vt_match *m, const vt_match_product *p, uint32_t first);

/* Refuses the expression of the sum. */
vta_status vt__match_product_refuse(const vt_match *m, const vt_expr *e, const char *what);
/* The argument that `t` is or copies, of the type (called `type`) that `memory` takes. */
vta_status vt__match_argument(const vt_match *m, const vt_tensor *t, const char *type, vta_memory memory,
                              const vt_tensor **out);
/* The reduce axis that an index is, alone, and its extent; NULL and 1 for the constant 0. */
bool vt__match_tap(const vt_match *m, const vt_affine *a, const vt_var **out_axis, int64_t *out_extent);
/* Is the index that reduce axis? */
bool vt__match_same_tap(const vt_affine *a, const vt_var *tap);

/* Where a sum of products starts, if not at 0: a bias by GEMM, which is a step then. */
vta_status vt__match_start(vt_match *m);
/* A sum that adds by GEMM (bias_int8, residual_int8): one factor is the same for all, the other an argument. */
bool vt__match_is_addition(vt_match *m, const vt_expr *reduce);
/* The step that it is. */
vta_status vt__match_addition(vt_match *m, const vt_tensor *t, const vt_expr *reduce);

/* Is `e`, an element of `t`, what an operator without weights computes? Then its name, attributes and inputs are
 * filled in. VTA_OK either way. */
vta_status vt__match_form(vt_match *m, const vt_tensor *t, const vt_expr *e, bool *out_found);
/* Are `sums` those of a transposed convolution? */
vta_status vt__match_transposed(vt_match *m, bool *out_found);

/* Arguments of one computation, and those of the other that stand in their places; tensors found to be the same. */
enum { VT_MATCH_PAIRS = 256 };
typedef struct vt_match_pairs {
    uint32_t n, args;
    const vt_tensor *arg[VT_MATCH_INPUTS][2];
    const vt_tensor *of[VT_MATCH_PAIRS][2];
    uint32_t visits;
} vt_match_pairs;

/* Have both the same extents and type, of what they reduce over too? */
bool vt__match_same_axes(const vt_tensor *a, const vt_tensor *b);
/* Is `e`, an element of `t`, computed as `f`, an element of `u`, is? Names, copies and what is a tensor of its own play
 * no part. `f` may be of another context. */
bool vt__match_same(vt_match_pairs *pairs, const vt_expr *e, const vt_tensor *t, const vt_expr *f, const vt_tensor *u);

#endif

/* Constructors.
 *
 * The vt_e_* and vt_s_* ones build exactly the node they name, after checking operand types (wrong types are a
 * bug of the compiler and raise VTA_INTERNAL). The short ones (vt_add, vt_max, ...) are what a person writes:
 * they match operand types (constants take the other side's type, int is widened, a lane is broadcast) and fold
 * constants and identities at once, exactly as TVM's operators do; many call arguments depend on it. */
#ifndef VT_IR_BUILD_H
#define VT_IR_BUILD_H

#include "ir/node.h"

/* Leaves. */
const vt_expr *vt_int(vt_ctx *ctx, vt_dtype t, int64_t value); /* integer or bool; a vector type makes a broadcast */
const vt_expr *vt_i32(vt_ctx *ctx, int64_t value);
const vt_expr *vt_i64(vt_ctx *ctx, int64_t value);
const vt_expr *vt_bool(vt_ctx *ctx, bool value);
const vt_expr *vt_float(vt_ctx *ctx, vt_dtype t, double value);
const vt_expr *vt_string(vt_ctx *ctx, const char *text);
/* A constant of any arithmetic type, float too. */
const vt_expr *vt_const(vt_ctx *ctx, vt_dtype t, int64_t value);
const vt_expr *vt_min_value(vt_ctx *ctx, vt_dtype t);
const vt_expr *vt_max_value(vt_ctx *ctx, vt_dtype t);
const vt_var *vt_var_new(vt_ctx *ctx, const char *name, vt_dtype t);
const vt_var *vt_var_new_size(vt_ctx *ctx, const char *name, vt_dtype t);
const vt_var *vt_var_new_scalar(vt_ctx *ctx, const char *name, vt_dtype t);
const vt_var *vt_var_new_pointer(vt_ctx *ctx, const char *name, vt_dtype elem, const char *scope);
/* A new variable of the same type and name + suffix ("" for the same name). */
const vt_var *vt_var_copy(vt_ctx *ctx, const vt_var *v, const char *suffix);

/* Exact nodes. vt_e_bin: any kind of class ARITH, COMPARE, or AND, OR. */
const vt_expr *vt_e_bin(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_e_not(vt_ctx *ctx, const vt_expr *x);
const vt_expr *vt_e_select(vt_ctx *ctx, const vt_expr *condition, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_e_cast(vt_ctx *ctx, vt_dtype t, const vt_expr *x);
const vt_expr *vt_e_load(vt_ctx *ctx, const vt_buffer *buffer, uint32_t n, const vt_expr *const *indices);
const vt_expr *vt_e_pload(vt_ctx *ctx, const vt_tensor *tensor, uint32_t n, const vt_expr *const *indices);
const vt_expr *vt_e_call(vt_ctx *ctx, vt_dtype t, vt_op op, uint32_t n, const vt_expr *const *args);
/* call_extern: the name becomes the first operand. */
const vt_expr *vt_e_call_extern(vt_ctx *ctx, vt_dtype t, const char *name, uint32_t n, const vt_expr *const *args);
const vt_expr *vt_e_let(vt_ctx *ctx, const vt_var *v, const vt_expr *value, const vt_expr *body);
const vt_expr *vt_e_ramp(vt_ctx *ctx, const vt_expr *base, const vt_expr *stride, uint16_t lanes);
const vt_expr *vt_e_broadcast(vt_ctx *ctx, const vt_expr *value, uint16_t lanes);
/* sources: n_sources; inits: n_sources or NULL; condition: NULL means true. */
/* The lists are kept. */
const vt_combiner *vt_combiner_new(vt_ctx *ctx, uint32_t n, const vt_var *const *lhs, const vt_var *const *rhs,
                                   const vt_expr *const *result, const vt_expr *const *identity);
const vt_expr *vt_e_reduce(vt_ctx *ctx, const vt_combiner *combiner, uint32_t n_sources, const vt_expr *const *sources,
                           uint32_t n_axes, const vt_iter *const *axes, const vt_expr *condition,
                           const vt_expr *const *inits, uint32_t value_index);
/* Is it a sum of one value over all its points? It may start at something. */
bool vt_is_sum(const vt_expr *e);
/* The same node with other operands (same number; dtype, payload and span stay). Same pointer when none differs. */
const vt_expr *vt_e_with(vt_ctx *ctx, const vt_expr *e, const vt_expr *const *operands);

/* Folding ones. */
const vt_expr *vt_bin(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x,
                      const vt_expr *y); /* any of the below by kind */
const vt_expr *vt_add(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_sub(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_mul(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_div(vt_ctx *ctx, const vt_expr *x, const vt_expr *y); /* truncating */
const vt_expr *vt_mod(vt_ctx *ctx, const vt_expr *x, const vt_expr *y); /* truncating */
const vt_expr *vt_floordiv(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_floormod(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_min(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_max(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_eq(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_ne(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_lt(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_le(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_gt(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_ge(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_and(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_or(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_not(vt_ctx *ctx, const vt_expr *x);
const vt_expr *vt_neg(vt_ctx *ctx, const vt_expr *x);
const vt_expr *vt_select(vt_ctx *ctx, const vt_expr *c, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_if_then_else(vt_ctx *ctx, const vt_expr *c, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_cast(vt_ctx *ctx, vt_dtype t, const vt_expr *x);
const vt_expr *vt_shift_left(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_shift_right(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_bitwise(vt_ctx *ctx, vt_op op, const vt_expr *x, const vt_expr *y);
const vt_expr *vt_likely(vt_ctx *ctx, const vt_expr *x);
/* Ceiling of x / y for the index types: floordiv(x + (y - 1), y), folded. */
const vt_expr *vt_ceildiv(vt_ctx *ctx, const vt_expr *x, const vt_expr *y);
/* Makes both sides one type, as the operators do; raises when they cannot meet. */
void vt_match_types(vt_ctx *ctx, const vt_expr **x, const vt_expr **y);
/* Tries to fold two constants (arithmetic and comparison kinds) and the identities; NULL when nothing folds. */
const vt_expr *vt_try_fold(vt_ctx *ctx, vt_expr_kind kind, const vt_expr *x, const vt_expr *y);

/* Statements: exact, but vt_s_seq flattens nested sequences and gives the item itself when there is one. Arrays are
 * copied. */
const vt_stmt *vt_s_let(vt_ctx *ctx, const vt_var *v, const vt_expr *value, const vt_stmt *body);
const vt_stmt *vt_s_attr(vt_ctx *ctx, vt_ref node, const char *key, const vt_expr *value, const vt_stmt *body);
const vt_stmt *vt_s_assert(vt_ctx *ctx, const vt_expr *condition, const vt_expr *message, const vt_stmt *body);
const vt_stmt *vt_s_for(vt_ctx *ctx, const vt_var *v, const vt_expr *min, const vt_expr *extent, vt_for_kind kind,
                        const vt_stmt *body);
const vt_stmt *vt_s_alloc(vt_ctx *ctx, const vt_var *v, vt_dtype t, uint32_t n, const vt_expr *const *extents,
                          const vt_expr *condition, const vt_stmt *body);
const vt_stmt *vt_s_store(vt_ctx *ctx, const vt_buffer *buffer, const vt_expr *value, uint32_t n,
                          const vt_expr *const *indices);
const vt_stmt *vt_s_pstore(vt_ctx *ctx, const vt_tensor *tensor, const vt_expr *value, uint32_t n,
                           const vt_expr *const *indices);
const vt_stmt *vt_s_realize(vt_ctx *ctx, const vt_tensor *tensor, uint32_t n, const vt_range *bounds,
                            const vt_expr *condition, const char *scope, const vt_stmt *body);
const vt_stmt *vt_s_seq(vt_ctx *ctx, uint32_t n, const vt_stmt *const *items);
const vt_stmt *vt_s_if(vt_ctx *ctx, const vt_expr *condition, const vt_stmt *then_case, const vt_stmt *else_case);
const vt_stmt *vt_s_eval(vt_ctx *ctx, const vt_expr *value);
const vt_stmt *vt_s_nop(vt_ctx *ctx); /* EVAL of 0 */
/* Any statement, block and annotated loop too, from a filled struct: copied into the arena, arrays not. */
const vt_stmt *vt_s_new(vt_ctx *ctx, const vt_stmt *fields);
/* To change it. A plain assignment would read behind a statement: it is as large as its kind needs. */
vt_stmt vt_stmt_copy(const vt_stmt *s);

static inline vt_ref vt_ref_none(void) { return (vt_ref){.kind = VT_REF_NONE}; }
static inline vt_ref vt_ref_var(const vt_var *v) { return (vt_ref){.kind = VT_REF_VAR, .u.var = v}; }
static inline vt_ref vt_ref_iter(const vt_iter *i) { return (vt_ref){.kind = VT_REF_ITER, .u.iter = i}; }
static inline vt_ref vt_ref_tensor(const vt_tensor *t) { return (vt_ref){.kind = VT_REF_TENSOR, .u.tensor = t}; }
static inline vt_ref vt_ref_op(const void *op) { return (vt_ref){.kind = VT_REF_OP, .u.op = op}; }
static inline vt_ref vt_ref_buffer(const vt_buffer *b) { return (vt_ref){.kind = VT_REF_BUFFER, .u.buffer = b}; }
static inline vt_ref vt_ref_string(const char *s) { return (vt_ref){.kind = VT_REF_STRING, .u.string = s}; }
static inline vt_ref vt_ref_pair(const vt_buffer *b, const vt_tensor *t) {
    return (vt_ref){.kind = VT_REF_PAIR, .u.buffer = b, .second = t};
}

const vt_iter *vt_iter_new(vt_ctx *ctx, const vt_var *v, const vt_expr *min, const vt_expr *extent, vt_iter_type type,
                           const char *thread_tag);
/* Strides none, offset 0, alignment 64, factor 1; data may be NULL: then a pointer variable of that name is made. */
const vt_buffer *vt_buffer_new(vt_ctx *ctx, const char *name, const vt_var *data, vt_dtype t, uint32_t ndim,
                               const vt_expr *const *shape);
/* A new buffer with these fields. */
const vt_buffer *vt_buffer_with(vt_ctx *ctx, const vt_buffer *fields);
/* One flat index (or, for several dimensions, the sum over strides) plus elem_offset. */
const vt_expr *vt_buffer_offset(vt_ctx *ctx, const vt_buffer *b, uint32_t n, const vt_expr *const *indices);
const vt_func *vt_func_with_body(vt_ctx *ctx, const vt_func *f, const vt_stmt *body);
/* Sets, replaces or (value NULL) removes an attribute. */
const vt_func *vt_func_with_attr(vt_ctx *ctx, const vt_func *f, const char *key, const vt_expr *value);
/* The attribute's value, NULL when it is absent. */
const vt_expr *vt_func_attr(const vt_func *f, const char *key);
/* An array copied into the arena. */
const vt_expr *const *vt_exprs_copy(vt_ctx *ctx, uint32_t n, const vt_expr *const *items);

#endif

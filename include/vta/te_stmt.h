/* Statements made by hand: what te_extern computes with, what an intrinsic consists of (te_intrin_emit_stmt), and what
 * whole functions do (vtac_func_create).
 *
 * Everything belongs to the te_context that it is made with, and the rules of vta/te.h for errors, NULL and threads
 * hold: a function that makes something returns NULL when it could not, and the context's list says why.
 *
 * Statements see memory as buffers: a shape, a type, and where the elements lie. The buffers of a te_extern, of an
 * intrinsic's operand or of a function's parameter stand for a part of a tensor; te_stmt_allocate makes memory of its
 * own. What statements do is the program's affair: an index outside of a buffer is not seen, and loops marked parallel
 * must be so. The order of statements is kept.
 *
 *     te_buffer *x = te_buffer_create(c, "x", "float32", 1, &n, NULL);
 *     te_buffer *y = te_buffer_create(c, "y", "float32", 1, &n, NULL);
 *     te_expr *i = te_variable(c, "i", "int32");
 *     te_expr *twice = te_mul(c, te_buffer_load(c, x, 1, &i), te_float(c, NULL, 2));
 *     const vtac_stmt *store = te_stmt_store(c, y, twice, 1, &i);
 *     const vtac_stmt *body = te_stmt_for(c, i, te_int(c, NULL, 0), n, TE_LOOP_SERIAL, store);
 *     te_extern(c, "y", NULL, 1, &X, &x, 1, &y, body, &Y); */
#ifndef VTA_TE_STMT_H
#define VTA_TE_STMT_H

#include "vta/ir.h"
#include "vta/te.h"

VTA_BEGIN

typedef struct te_buffer te_buffer;

/* ---- Values that only statements have ------------------------------------------------------------------------ */

/* A variable for te_stmt_for and te_stmt_let; also a pointer ("handle"). */
VTA_API te_expr *te_variable(te_context *c, const char *name, const char *dtype);
/* Vectors: base, base + stride, ... of integers; `lanes` times one value. Their types are written "int32x4", and the
 * operators of vta/te_ops.def take them. A computation's elements are no vectors. */
VTA_API te_expr *te_ramp(te_context *c, te_expr *base, te_expr *stride, uint32_t lanes);
VTA_API te_expr *te_broadcast(te_context *c, te_expr *value, uint32_t lanes);

/* ---- Buffers --------------------------------------------------------------------------------------------------- */

/* Zeros and NULLs are the default: dense, beginning where the tensor or the memory does, in ordinary memory. */
typedef struct te_buffer_options {
    size_t size;             /* of this struct, or 0 */
    const char *scope;       /* storage scope; NULL: "" */
    te_expr *data;           /* a variable of type "handle", the address; NULL: one of the buffer's name */
    te_expr *elem_offset;    /* elements from there to the first; NULL: 0. A variable gets what it is */
    size_t stride_count;     /* 0, or as many as dimensions */
    te_expr *const *strides; /* distances of elements: numbers that they must be, or variables that get them */
    int64_t offset_factor;   /* what elem_offset is a multiple of; 0: 1 */
} te_buffer_options;

VTA_API te_buffer *te_buffer_create(te_context *c, const char *name, const char *dtype, size_t ndim,
                                    te_expr *const shape[], const te_buffer_options *options);
/* The same memory as one dimension. */
VTA_API te_buffer *te_buffer_flat(te_context *c, te_buffer *b);
VTA_API const char *te_buffer_name(const te_buffer *b);
VTA_API const char *te_buffer_dtype(te_context *c, const te_buffer *b);
VTA_API size_t te_buffer_ndim(const te_buffer *b);
/* Extent and distance of a dimension; NULL beyond the last, and for strides of a dense buffer. */
VTA_API te_expr *te_buffer_dim(const te_buffer *b, size_t dim);
VTA_API te_expr *te_buffer_stride(const te_buffer *b, size_t dim);
/* The variables of address and offset. */
VTA_API te_expr *te_buffer_data(const te_buffer *b);
VTA_API te_expr *te_buffer_offset(const te_buffer *b);
/* An element, or, with a vector as last index, several. */
VTA_API te_expr *te_buffer_load(te_context *c, te_buffer *b, size_t n, te_expr *const indices[]);
/* The address of element `offset` (NULL: of the first) for calls; access "r", "w" or "rw". */
VTA_API te_expr *te_buffer_access(te_context *c, te_buffer *b, const char *access, te_expr *offset);
/* The buffer as a DLTensor, an argument of te_call_packed. */
VTA_API te_expr *te_buffer_tensor(te_context *c, te_buffer *b);
/* A call of a function by name (vta_function_register, vta/module.h) in the packed calling convention: numbers, texts,
 * handles, te_buffer_tensor. What it returns as `dtype`; where it fails the kernel's call fails with its reason. */
VTA_API te_expr *te_call_packed(te_context *c, const char *dtype, const char *name, size_t n, te_expr *const args[]);

/* ---- Statements ------------------------------------------------------------------------------------------------ */

typedef enum te_loop { TE_LOOP_SERIAL, TE_LOOP_PARALLEL, TE_LOOP_VECTORIZED, TE_LOOP_UNROLLED } te_loop;

/* A value whose effect counts: a call. A constant does nothing. */
VTA_API const vtac_stmt *te_stmt_evaluate(te_context *c, te_expr *value);
VTA_API const vtac_stmt *te_stmt_store(te_context *c, te_buffer *b, te_expr *value, size_t n, te_expr *const indices[]);
/* One after the other; none: nothing is done. */
VTA_API const vtac_stmt *te_stmt_seq(te_context *c, size_t n, const vtac_stmt *const stmts[]);
/* The variable takes min, min + 1, ... up to min + extent, which is left out. */
VTA_API const vtac_stmt *te_stmt_for(te_context *c, te_expr *var, te_expr *min, te_expr *extent, te_loop kind,
                                     const vtac_stmt *body);
/* `otherwise` may be NULL. */
VTA_API const vtac_stmt *te_stmt_if(te_context *c, te_expr *condition, const vtac_stmt *then,
                                    const vtac_stmt *otherwise);
/* A name for a value, which is computed once. */
VTA_API const vtac_stmt *te_stmt_let(te_context *c, te_expr *var, te_expr *value, const vtac_stmt *body);
/* Memory of the size of the buffer, as long as the body runs. Its contents are undefined at first. */
VTA_API const vtac_stmt *te_stmt_allocate(te_context *c, te_buffer *b, const vtac_stmt *body);
/* The function fails with the message (te_string) unless the condition holds. */
VTA_API const vtac_stmt *te_stmt_assert(te_context *c, te_expr *condition, te_expr *message, const vtac_stmt *body);
/* An attribute around a statement: "coproc_scope" of a te_axis, "volatile_scope" of a te_buffer or a variable
 * (te_expr); `node` NULL: of nothing. */
VTA_API const vtac_stmt *te_stmt_attr(te_context *c, const void *node, const char *key, te_expr *value,
                                      const vtac_stmt *body);

/* ---- Computations that consist of statements -------------------------------------------------------------------- */

/* Tensors that a statement computes of others: in_buffers[k] stands for inputs[k] in it, result_buffers[k], whose shape
 * and type it has, for out_tensors[k]. The statement writes all of the results and nothing else. A schedule treats it
 * as a stage without loops. Free variables of the statement are scalars (te_scalar). */
VTA_API vta_status te_extern(te_context *c, const char *name, const char *tag, size_t input_count,
                             te_tensor *const inputs[], te_buffer *const in_buffers[], size_t output_count,
                             te_buffer *const result_buffers[], const vtac_stmt *body, te_tensor *out_tensors[]);
VTA_API bool te_tensor_is_extern(const te_tensor *t);
/* What it does; NULL for any other tensor. */
VTA_API const vtac_stmt *te_tensor_stmt(const te_tensor *t);

/* A part of a tensor: begin and extent for each of its dimensions. */
typedef struct te_region {
    te_tensor *tensor;
    te_expr *const *mins;
    te_expr *const *extents;
} te_region;

/* A computation that calls an intrinsic at each point of data axes. Region k, whose bounds may use the axes, is what
 * its input k reads there: its last dimensions have the extents of that operand, those before are single elements. The
 * results have the data axes as their first dimensions and `inner` behind them, which is what the intrinsic writes.
 * With reduce axes it is reset once and updated at each of their points (without a reset: its body stands for the
 * first). `values` stand in the intrinsic's statements for the variables `scalars`. */
typedef struct te_intrin_call {
    size_t size; /* of this struct, or 0 */
    te_intrin *intrin;
    const char *tag;
    size_t axis_count;
    te_axis *const *axes;
    size_t inner_count;
    te_expr *const *inner;
    size_t reduce_axis_count;
    te_axis *const *reduce_axes;
    size_t region_count;
    const te_region *regions;
    size_t scalar_count;
    te_expr *const *scalars;
    te_expr *const *values;
} te_intrin_call;

/* out_tensors takes as many as the intrinsic has results. Like a te_extern, but with loops that can be scheduled. */
VTA_API vta_status te_compute_intrin(te_context *c, const char *name, const te_intrin_call *call,
                                     te_tensor *out_tensors[]);

/* A statement as (a part of) what an intrinsic consists of, as te_intrin_emit. */
VTA_API vta_status te_intrin_emit_stmt(te_intrin *in, te_intrin_part part, const vtac_stmt *stmt);
/* Has a buffer of its shape and type stand for an operand, in place of te_intrin_buffer and te_intrin_strides. */
VTA_API vta_status te_intrin_bind(te_intrin *in, te_tensor *operand, te_buffer *buffer);
/* The buffer that stands for an operand in it; as te_intrin_buffer and te_intrin_strides have said so far. */
VTA_API te_buffer *te_intrin_operand(te_intrin *in, te_tensor *operand);

VTA_END

#endif

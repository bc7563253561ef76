/* Tensor expressions and their schedules.
 *
 * A te_context owns everything that is made with it: tensors, expressions, axes, schedules, stages. Nothing of these
 * is freed by itself; te_context_destroy frees all. One thread at a time may use a context and what it owns.
 *
 * Errors. A function that makes something returns it, or NULL when it could not; the reason, with the position that
 * te_context_at set, is appended to the context's list (te_context_diag), and te_context_status gives the first error's
 * code. A NULL where an object is expected makes the call return NULL (or VTA_INVALID_ARGUMENT) and adds nothing, so
 * that a program may build everything and check once at its end: the list holds the first cause. A handle of another
 * kind (from a language without C's types) is refused like that, with a message where there is a context. Schedule
 * steps are checked when they are made: a refused step changes nothing. The context stays usable after every error, out
 * of memory included.
 *
 * Names. Tensors, reduce axes, scalars and constants are known by their names inside expression strings; the newest
 * of a name is meant. The configuration's BATCH, BLOCK_IN, BLOCK_OUT, INP_WIDTH, WGT_WIDTH, ACC_WIDTH, OUT_WIDTH are
 * constants of every context.
 *
 * Types are written "int8", "uint16", "int32", "float32", "bool"; inp_t, wgt_t, acc_t and out_t are the
 * configuration's. Storage scopes are "" (decided by where the stage is attached), "global" and the configuration's
 * on-chip memories: inp, wgt, acc; for processors, whose memory is one, also "local", "shared", "warp", and "global."
 * and "shared." with a word behind (on-chip memories are in IR text "local.inp_buffer", "local.wgt_buffer",
 * "local.acc_buffer"; both spellings are taken).
 *
 * Expression strings follow the grammar of docs/kernel-files.md:
 *     sum[ko, ki](int32(A[bo, ko, bi, ki]) * int32(B[co, ko, ci, ki]))
 *     max(x[...] >> 8, 0)            `...` in an index stands for all axes of the tensor being computed */
#ifndef VTA_TE_H
#define VTA_TE_H

#include <stdbool.h>

#include "vta/config.h"
#include "vta/field.h"
#include "vta/status.h"

VTA_BEGIN

typedef struct te_context te_context;
typedef struct te_tensor te_tensor;     /* a placeholder or one output of a computation */
typedef struct te_expr te_expr;         /* a scalar expression; immutable, may be shared */
typedef struct te_axis te_axis;         /* one dimension of iteration */
typedef struct te_schedule te_schedule; /* how a set of outputs and all they need is computed */
typedef struct te_stage te_stage;       /* one computation within a schedule */
typedef struct te_group te_group;       /* stages of a schedule that are computed together */
typedef struct te_reducer te_reducer;   /* how a reduction combines values, of one or several results */
typedef struct te_intrin te_intrin;     /* an instruction that `tensorize` puts in place of a loop nest */

typedef enum te_op {
#define TE_OP(name, text, function, operands, class, meaning) TE_##name,
#include "vta/te_ops.def"
#undef TE_OP
    TE_OP_COUNT
} te_op;

typedef enum te_reduction { TE_SUM, TE_MIN_OF, TE_MAX_OF } te_reduction;

typedef enum te_axis_kind { TE_AXIS_DATA, TE_AXIS_THREAD, TE_AXIS_REDUCE } te_axis_kind;

typedef enum te_relation_kind {
    TE_RELATION_SPLIT,
    TE_RELATION_SIZES,
    TE_RELATION_FUSE,
    TE_RELATION_SINGLETON
} te_relation_kind;

/* Which axes a step made of which: `parent` into `outer` and `inner` (SPLIT, by `factor` or into `nparts`; SIZES, by a
 * list), `outer` and `inner` into `parent` (FUSE), `inner` of nothing (SINGLETON). What does not apply is NULL. */
typedef struct te_relation {
    size_t size; /* of this struct, or 0 */
    te_relation_kind kind;
    te_axis *parent, *outer, *inner;
    te_expr *factor, *nparts;
} te_relation;

/* `type`: "DataPar" (nothing is said), "Unrolled", "Vectorized", "Parallelized", "Tensorized". */
typedef struct te_axis_marks {
    size_t size; /* of this struct, or 0 */
    const char *type;
    te_axis *thread; /* that it is bound to, or NULL */
    te_intrin *intrin;
    size_t pragma_count;
} te_axis_marks;

typedef enum te_attachment { TE_COMPUTED_AT_ROOT, TE_COMPUTED_INLINE, TE_COMPUTED_AT_LOOP } te_attachment;

/* ---- Context --------------------------------------------------------------------------------------------- */

/* Makes a context for a configuration (NULL: the built-in default; it is retained). NULL when out of memory. */
VTA_API te_context *te_context_create(const vta_config *config, const vta_allocator *allocator);
VTA_API void te_context_destroy(te_context *c);
VTA_API const vta_config *te_context_config(const te_context *c);
/* The list of errors, warnings and notes; owned by the context. */
VTA_API vta_diag *te_context_diag(te_context *c);
/* The first error's code; VTA_OK when there was none since the list was last cleared (vta_diag_clear). */
VTA_API vta_status te_context_status(const te_context *c);
/* The source position of what is made from now on, for messages; file NULL and line 0 mean none. */
VTA_API void te_context_at(te_context *c, const char *file, uint32_t line, uint32_t column);
/* Bytes that the context's memory takes. */
VTA_API size_t te_context_bytes(const te_context *c);
/* Lets what is made in `c` be made of objects of `other` from now on. Both have the same configuration and belong to
 * one thread at a time together; `other` must live as long as `c`, and whatever it uses itself. So memory can be given
 * back kernel by kernel, by a context for each, and tensors still be shared. */
VTA_API vta_status te_context_use(te_context *c, const te_context *other);
/* Raise from any thread or a signal handler to stop long work, which then ends with VTA_INTERRUPTED. */
VTA_API void te_context_interrupt(te_context *c, bool raised);

/* ---- Expressions ----------------------------------------------------------------------------------------- */

/* A named integer for expression strings. */
VTA_API vta_status te_constant(te_context *c, const char *name, int64_t value);
/* A scalar parameter of the kernel (an argument of the lowered function). */
VTA_API te_expr *te_scalar(te_context *c, const char *name, const char *dtype);
/* Constants. `dtype` NULL: the type of a number written without one, in expression strings and in Python too: int32
 * (int64 beyond its range), float32 (float64 beyond its range), whatever stands beside it. */
VTA_API te_expr *te_int(te_context *c, const char *dtype, int64_t value);
VTA_API te_expr *te_float(te_context *c, const char *dtype, double value);
/* A text, as the value of an attribute (te_intrin_attr) or an argument of a call. */
VTA_API te_expr *te_string(te_context *c, const char *value);
/* The value of an axis at the point being computed. */
VTA_API te_expr *te_axis_value(te_context *c, te_axis *axis);
/* An operator on as many operands as vta/te_ops.def says. */
VTA_API te_expr *te_apply(te_context *c, te_op op, size_t n, te_expr *const operands[]);
VTA_API te_expr *te_add(te_context *c, te_expr *a, te_expr *b);
VTA_API te_expr *te_sub(te_context *c, te_expr *a, te_expr *b);
VTA_API te_expr *te_mul(te_context *c, te_expr *a, te_expr *b);
VTA_API te_expr *te_cast(te_context *c, const char *dtype, te_expr *value);
/* An element of a tensor: one index for each dimension. */
VTA_API te_expr *te_load(te_context *c, te_tensor *tensor, size_t n, te_expr *const indices[]);
/* A reduction over axes; only at the top of a computation's body. */
VTA_API te_expr *te_reduce(te_context *c, te_reduction kind, te_expr *value, size_t n, te_axis *const axes[]);
/* The same, starting at a value of the same type that uses none of the axes; NULL: at the identity. On the accelerator
 * a sum that starts at an element of a tensor in acc goes on in that tensor's place (docs/kernel-files.md). */
VTA_API te_expr *te_reduce_from(te_context *c, te_reduction kind, te_expr *value, te_expr *start, size_t n,
                                te_axis *const axes[]);
/* A variable that stands for one side of what a reducer combines. It has a meaning only inside of the reducer. */
VTA_API te_expr *te_operand(te_context *c, const char *name, const char *dtype);
/* How `n` values are reduced together: results[k], made of the operands, is what becomes of lhs[] and rhs[]; it must
 * not matter in which order, and how grouped, values are combined (schedules change it). identities[k], a constant of
 * the type, changes nothing. So a product is x * y with 1, and the place of the largest value a reducer of two results.
 */
VTA_API te_reducer *te_reducer_create(te_context *c, size_t n, te_expr *const lhs[], te_expr *const rhs[],
                                      te_expr *const results[], te_expr *const identities[]);
/* A reduction by it of as many values as it has results; all of out_exprs, in their order, are the bodies of one
 * computation (te_compute_axes). `starts` NULL: at the identities; otherwise as in te_reduce_from. `condition` NULL:
 * all points count; otherwise those for which it holds, and nothing else is read. */
VTA_API vta_status te_reduce_with(te_context *c, const te_reducer *r, te_expr *const values[], te_expr *const starts[],
                                  te_expr *condition, size_t axis_count, te_axis *const axes[], te_expr *out_exprs[]);
/* A call of an intrinsic of the IR ("vta.uop_push") or, for every other name, of an external function. */
VTA_API te_expr *te_call(te_context *c, const char *dtype, const char *name, size_t n, te_expr *const args[]);
/* An expression string outside a computation: names of scalars, constants, reduce axes, tensors. */
VTA_API te_expr *te_parse(te_context *c, const char *text);

/* "int32"; owned by the context. NULL for NULL. */
VTA_API const char *te_expr_dtype(te_context *c, te_expr *e);
/* What kind of node it is: "var", "int", "float", "add", "pload", "reduce", ...; static storage. NULL for anything
 * else. */
VTA_API const char *te_expr_kind(const te_expr *e);
/* The expression as IR text; owned by the context. */
VTA_API const char *te_expr_text(te_context *c, te_expr *e);
/* The value of an expression that is an integer constant after simplification; VTA_INVALID_ARGUMENT otherwise. */
VTA_API vta_status te_expr_int(te_context *c, te_expr *e, int64_t *out_value);

/* What an expression consists of: of an operator its operands, of a load its indices, of a call its arguments, of a
 * reduction its values, what they start at, and its condition. NULL beyond the last. */
VTA_API size_t te_expr_operands(const te_expr *e);
VTA_API te_expr *te_expr_operand(const te_expr *e, size_t index);
/* The tensor that a load reads; NULL for any other kind. */
VTA_API te_tensor *te_expr_tensor(const te_expr *e);
/* The axes of a reduction. */
VTA_API size_t te_expr_axes(const te_expr *e);
VTA_API te_axis *te_expr_axis(const te_expr *e, size_t index);
/* The value of a float constant; 0 for any other kind. */
VTA_API double te_expr_float(const te_expr *e);
/* The name of a variable, of a called function ("tir.exp") or of a buffer that is read, the text of a string; NULL for
 * any other kind. */
VTA_API const char *te_expr_name(const te_expr *e);
/* Whether two expressions are the same but for the names of variables that they define; with `map_free` of all
 * variables. */
VTA_API vta_status te_expr_equal(te_context *c, const te_expr *x, const te_expr *y, bool map_free, bool *out_equal);
/* The expression in a simpler form of the same value, nothing being known of its variables. */
VTA_API te_expr *te_simplify(te_context *c, const te_expr *e);
/* The expression with variables replaced by values, which are converted to their types. */
VTA_API te_expr *te_substitute(te_context *c, const te_expr *e, size_t n, te_expr *const vars[],
                               te_expr *const values[]);

/* Name, spelling and number of operands of an operator; static storage. */
VTA_API const char *te_op_name(te_op op);
VTA_API const char *te_op_text(te_op op);
VTA_API size_t te_op_operands(te_op op);

/* ---- Axes and tensors -------------------------------------------------------------------------------------- */

/* A data axis [0, extent) for te_compute_axes. */
VTA_API te_axis *te_axis_create(te_context *c, const char *name, int64_t extent);
VTA_API te_axis *te_axis_create_expr(te_context *c, const char *name, te_expr *extent);
/* A reduce axis [begin, begin + extent); expression strings know it by its name. */
VTA_API te_axis *te_reduce_axis(te_context *c, const char *name, int64_t begin, int64_t extent);
VTA_API te_axis *te_reduce_axis_expr(te_context *c, const char *name, te_expr *begin, te_expr *extent);
/* A thread axis: "cthread" and "vthread" are virtual threads, "vta" is the accelerator's. Loops bound to "blockIdx.x"
 * to "threadIdx.z", a graphics processor's, are lowered, but compiled for no target. Its name is the tag's. */
VTA_API te_axis *te_thread_axis(te_context *c, const char *tag);
VTA_API const char *te_axis_name(const te_axis *axis);
VTA_API te_axis_kind te_axis_kind_of(const te_axis *axis);
/* The axis's extent where it is a constant known now (of split and fused axes it is not); -1 otherwise. */
VTA_API int64_t te_axis_extent(const te_axis *axis);
/* What the axis runs over; VTA_NOT_FOUND where only bound inference will know (of split and fused axes). */
VTA_API vta_status te_axis_range(const te_axis *axis, te_expr **out_min, te_expr **out_extent);
/* "iter_var(i0, range(min=0, ext=1))"; owned by the context. */
VTA_API const char *te_axis_text(te_context *c, const te_axis *axis);

VTA_API te_tensor *te_placeholder(te_context *c, const char *name, const char *dtype, size_t ndim,
                                  const int64_t shape[]);
VTA_API te_tensor *te_placeholder_expr(te_context *c, const char *name, const char *dtype, size_t ndim,
                                       te_expr *const shape[]);
/* A tensor of the given shape from an expression string. `axes` names its axes ("bo, co, bi, ci"); NULL: i0, i1, … */
VTA_API te_tensor *te_compute(te_context *c, const char *name, size_t ndim, const int64_t shape[], const char *axes,
                              const char *body);
/* The same with everything in one string: "C[bo: 1, co: 16, BATCH, ci: BLOCK_OUT] = A[...] + 1". */
VTA_API te_tensor *te_define(te_context *c, const char *definition);
/* A computation from expressions over the given axes; its shape is their extents. `tag` may be NULL. With several
 * bodies (all reductions over the same axes, or none) it has several outputs: out_tensors takes body_count. */
VTA_API vta_status te_compute_axes(te_context *c, const char *name, const char *tag, size_t ndim, te_axis *const axes[],
                                   size_t body_count, te_expr *const bodies[], te_tensor *out_tensors[]);

/* A tensor whose rows (its first dimension) follow from the rows before: row t is `inits` for the first rows, as many
 * as inits[k] has, and then updates[k], which reads `states`, placeholders of the whole result, at earlier rows:
 * states[k][t - 1, ...]. Several states are computed together. What depends on a state belongs to the scan: a schedule
 * computes it inside of the loop over the rows, which runs in order. out_tensors takes n. */
VTA_API vta_status te_scan(te_context *c, const char *name, const char *tag, size_t n, te_tensor *const inits[],
                           te_tensor *const updates[], te_tensor *const states[], te_tensor *out_tensors[]);
VTA_API bool te_tensor_is_scan(const te_tensor *t);
/* What a scan computes a row with, the first result of each computation, producers first: what depends on a state, and
 * the updates. */
VTA_API size_t te_scan_body(const te_tensor *t);
VTA_API te_tensor *te_scan_body_tensor(const te_tensor *t, size_t index);
/* The axes of all dimensions of its results but their first, of one result after the other. */
VTA_API size_t te_scan_columns(const te_tensor *t);
VTA_API te_axis *te_scan_column(const te_tensor *t, size_t index);
/* Whether a row of the result of column axis `index` needs of earlier rows what is at the same place of this axis, of
 * the same result, and nothing else: then the places can be computed apart from each other. False also where it cannot
 * be seen. */
VTA_API vta_status te_scan_column_apart(te_context *c, const te_tensor *t, size_t index, bool *out_apart);

/* The gradients of `output` by inputs, which may be placeholders or computations on the way: new computations, of all
 * float. `head` has dimensions H... and then those of the output, and says what each of its elements counts for;
 * gradient i has the dimensions H... and those of inputs[i]: the sum over the output of head[h..., o...] * d
 * output[o...] / d inputs[i][x...]. NULL: every element of the output by itself, and so H... the output's dimensions.
 * An input that the output does not depend on has a gradient of zeros. Steps (floor, comparisons, conversions to
 * integers) count as constants; of equal values in a minimum or maximum the first one counts. VTA_UNSUPPORTED for
 * scans, computations made of statements, reductions to several results, and functions without a known derivative.
 * out_gradients takes n. */
VTA_API vta_status te_gradient(te_context *c, te_tensor *output, size_t n, te_tensor *const inputs[], te_tensor *head,
                               te_tensor *out_gradients[]);

/* Helpers that the tutorials use. `value` padded around `before`/`after` elements of each dimension (after NULL: as
 * before); max(x, 0); min(max(x, low), high) element by element as TVM's operator library writes them. */
VTA_API te_tensor *te_pad(te_context *c, te_tensor *x, const char *name, const int64_t before[], const int64_t after[],
                          double value);
VTA_API te_tensor *te_relu(te_context *c, te_tensor *x, const char *name);
VTA_API te_tensor *te_clip(te_context *c, te_tensor *x, const char *name, double low, double high);

VTA_API const char *te_tensor_name(const te_tensor *t);
VTA_API const char *te_tensor_dtype(te_context *c, const te_tensor *t);
VTA_API size_t te_tensor_ndim(const te_tensor *t);
/* Extent of a dimension; -1 where it is not a constant. */
VTA_API int64_t te_tensor_dim(const te_tensor *t, size_t dim);
VTA_API te_expr *te_tensor_dim_expr(const te_tensor *t, size_t dim);
VTA_API bool te_tensor_is_placeholder(const te_tensor *t);
/* Which output of its computation this is, and how many there are. */
VTA_API size_t te_tensor_index(const te_tensor *t);
VTA_API size_t te_tensor_outputs(const te_tensor *t);
VTA_API te_tensor *te_tensor_output(const te_tensor *t, size_t index);
VTA_API const char *te_tensor_tag(const te_tensor *t);
/* The computation's own axes and reduce axes; NULL beyond the last. Of a call of an intrinsic (te_compute_intrin)
 * behind its data axes those of the dimensions that the intrinsic writes, which are no loops of its stage. */
VTA_API size_t te_tensor_axes(const te_tensor *t);
VTA_API te_axis *te_tensor_axis(const te_tensor *t, size_t index);
VTA_API size_t te_tensor_reduce_axes(const te_tensor *t);
VTA_API te_axis *te_tensor_reduce_axis(const te_tensor *t, size_t index);
/* The tensors that its body reads, in order of first use. */
VTA_API size_t te_tensor_inputs(te_context *c, const te_tensor *t);
VTA_API te_tensor *te_tensor_input(te_context *c, const te_tensor *t, size_t index);
VTA_API te_expr *te_tensor_body(const te_tensor *t);
/* "Tensor(shape=[1, 64, 1, 16], op.name=A)" and "compute(A, body=[…], axis=[…], …)"; owned by the context. */
VTA_API const char *te_tensor_text(te_context *c, const te_tensor *t);
VTA_API const char *te_op_of_tensor_text(te_context *c, const te_tensor *t);
/* The newest tensor, or reduce axis, of a name; NULL (and no error) when there is none. */
VTA_API te_tensor *te_find_tensor(te_context *c, const char *name);
VTA_API te_axis *te_find_reduce_axis(te_context *c, const char *name);

/* The unscheduled computation of `args` as TVMScript with one block for each stage. Owned by the context. */
VTA_API const char *te_prim_func_text(te_context *c, size_t n, te_tensor *const args[], const char *name);

/* Evaluates `out` slowly and exactly from arrays for the placeholders it needs: the meaning against which compiled
 * kernels are tested. Arrays are dense, row-major, of the tensor's element type (types under 8 bits: one byte an
 * element). VTA_NOT_FOUND when an input is missing, VTA_OUT_OF_RANGE for a load outside its tensor. */
VTA_API vta_status te_evaluate(te_context *c, te_tensor *out, size_t n, te_tensor *const inputs[],
                               const void *const data[], void *out_data);

/* The same with values that stand for all inputs at once (vta/field.h): arrays of one vta_value an element.
 * VTA_UNSUPPORTED for floats, and for an index or a condition that depends on the inputs. */
VTA_API vta_status te_evaluate_field(te_context *c, vta_field *field, te_tensor *out, size_t n,
                                     te_tensor *const inputs[], const vta_value *const values[], vta_value *out_values);

/* ---- Schedules ------------------------------------------------------------------------------------------- */

/* The default schedule: every computation by itself, loops in the order of its axes. Of no outputs it has no stages. */
VTA_API te_schedule *te_schedule_create(te_context *c, size_t n, te_tensor *const outputs[]);
VTA_API te_schedule *te_schedule_copy(te_schedule *s);
/* The stage of a tensor; also after cache_read and cache_write. NULL, with an error, when the schedule has none. */
VTA_API te_stage *te_schedule_stage(te_schedule *s, const te_tensor *t);
/* All stages, producers before consumers. */
VTA_API size_t te_schedule_stages(const te_schedule *s);
VTA_API te_stage *te_schedule_stage_at(const te_schedule *s, size_t index);
VTA_API te_context *te_schedule_context(const te_schedule *s);

/* The current tensor of a stage (its computation changes with cache_read and cache_write), and its name. */
VTA_API te_tensor *te_stage_tensor(const te_stage *st);
VTA_API const char *te_stage_name(const te_stage *st);
/* Data axis `index` of the stage's computation, counted with its reduce axes after the data axes. */
VTA_API te_axis *te_stage_axis(te_stage *st, size_t index);
VTA_API size_t te_stage_axes(const te_stage *st);
/* The newest axis of a name in the stage, leaves first; NULL, with an error, when there is none. */
VTA_API te_axis *te_stage_axis_named(te_stage *st, const char *name);
/* The loops as they stand, outermost first. */
VTA_API size_t te_stage_leaves(const te_stage *st);
VTA_API te_axis *te_stage_leaf(const te_stage *st, size_t index);
/* All axes that it has or had: its computation's, then those that steps made. */
VTA_API size_t te_stage_all(const te_stage *st);
VTA_API te_axis *te_stage_all_axis(const te_stage *st, size_t index);
/* How its axes came about, in the order of the steps. */
VTA_API size_t te_stage_relations(const te_stage *st);
VTA_API vta_status te_stage_relation(const te_stage *st, size_t index, te_relation *out_relation);
/* What is said of an axis; VTA_NOT_FOUND when nothing is. */
VTA_API vta_status te_stage_marks(const te_stage *st, const te_axis *axis, te_axis_marks *out_marks);
/* Pragma `index` of an axis: its name, and its value. NULL past the last. */
VTA_API const char *te_stage_pragma(const te_stage *st, const te_axis *axis, size_t index, te_expr **out_value);
/* Where it is computed: at the root, in its consumers (te_compute_inline), or at a loop of another stage. */
VTA_API te_attachment te_stage_attachment(const te_stage *st);
VTA_API te_stage *te_stage_attached_to(const te_stage *st);
VTA_API te_axis *te_stage_attached_at(const te_stage *st);
VTA_API const char *te_stage_scope(const te_stage *st);
VTA_API bool te_stage_is_output(const te_stage *st);
/* "stage(C_buf, compute(C_buf, body=[…], axis=[…], reduce_axis=[], tag=, attrs={}))"; owned by the context. */
VTA_API const char *te_stage_text(te_context *c, const te_stage *st);

/* Splits an axis into outer and inner: inner runs over `factor`, or outer over `nparts`. Outputs may be NULL. */
VTA_API vta_status te_split(te_stage *st, te_axis *axis, int64_t factor, te_axis **out_outer, te_axis **out_inner);
VTA_API vta_status te_split_nparts(te_stage *st, te_axis *axis, int64_t nparts, te_axis **out_outer,
                                   te_axis **out_inner);
/* Splits an axis into parts of the given sizes, which make up its extent: outer runs over the parts, inner over the
 * largest size. On the accelerator the parts must be written out (pragma "slots" on outer). */
VTA_API vta_status te_split_sizes(te_stage *st, te_axis *axis, size_t n, const int64_t sizes[], te_axis **out_outer,
                                  te_axis **out_inner);
/* The same by a number that is known when the kernel runs, made of its scalars: from 1 to 2^30, or the kernel refuses
 * its call. */
VTA_API vta_status te_split_expr(te_stage *st, te_axis *axis, te_expr *factor, te_axis **out_outer,
                                 te_axis **out_inner);
VTA_API vta_status te_split_nparts_expr(te_stage *st, te_axis *axis, te_expr *nparts, te_axis **out_outer,
                                        te_axis **out_inner);
/* Makes one axis of adjacent ones, outermost first. Of a data axis and a reduce axis it makes a reduce axis. With n = 0
 * adds an axis of extent 1 around everything. */
VTA_API vta_status te_fuse(te_stage *st, size_t n, te_axis *const axes[], te_axis **out_fused);
/* Puts the given axes into the given order, at the places that they take now. */
VTA_API vta_status te_reorder(te_stage *st, size_t n, te_axis *const axes[]);
/* Splits two axes and orders them outer, outer, inner, inner: out_axes takes x_outer, y_outer, x_inner, y_inner. */
VTA_API vta_status te_tile(te_stage *st, te_axis *x, te_axis *y, int64_t x_factor, int64_t y_factor,
                           te_axis *out_axes[4]);
VTA_API vta_status te_compute_at(te_stage *st, te_stage *parent, te_axis *axis);
VTA_API vta_status te_compute_inline(te_stage *st);
VTA_API vta_status te_compute_root(te_stage *st);
VTA_API vta_status te_set_scope(te_stage *st, const char *scope);
/* Marks an axis for a later pass: "dma_copy", "alu", "skip_dma_copy", "skip_alu", "conv2d_transpose_gemm",
 * "coproc_sync", "trim_loop", "unroll", "vectorize", "auto_unroll_max_step", …; `value` NULL: 1. Lowering for the
 * accelerator refuses a name that it does not know; for the host all are kept. */
VTA_API vta_status te_pragma(te_stage *st, te_axis *axis, const char *pragma, te_expr *value);
VTA_API vta_status te_bind(te_stage *st, te_axis *axis, te_axis *thread);
VTA_API vta_status te_vectorize(te_stage *st, te_axis *axis);
VTA_API vta_status te_parallel(te_stage *st, te_axis *axis);
VTA_API vta_status te_unroll(te_stage *st, te_axis *axis);
VTA_API vta_status te_storage_align(te_stage *st, te_axis *axis, int64_t factor, int64_t offset);
/* Replaces the loops from `axis` inwards by an intrinsic (NULL: the configuration's GEMM), or by another one than
 * before. */
VTA_API vta_status te_tensorize(te_stage *st, te_axis *axis, te_intrin *intrin);
/* A copy of `t` in `scope` that the given readers use; readers 0: all of them. Returns the copy. */
VTA_API te_tensor *te_cache_read(te_schedule *s, te_tensor *t, const char *scope, size_t n, te_tensor *const readers[]);
/* Computes `t` in `scope` with the loops of its stage as they stand, and copies it out. Returns the cache. The other
 * outputs of its computation go with it (te_tensor_output of the cache). */
VTA_API te_tensor *te_cache_write(te_schedule *s, te_tensor *t, const char *scope);
/* Reduces `t` in two stages: the first, which is returned, for each value of `axis`, a loop of the reduction as it
 * stands; the stage of `t` then reduces what that gave. The first has a data axis more, at place `at` (negative:
 * counted from the end, -1 is the last). Its other outputs are te_tensor_output of what is returned. */
VTA_API te_tensor *te_rfactor(te_schedule *s, te_tensor *t, te_axis *axis, int64_t at);

/* ---- Groups of stages ---- */

/* The stages on the ways from `inputs` to `outputs`, with the inputs' own where they are included. Stages of a group
 * are computed at loops of stages of it, and where nothing is said of one, where the group is. Groups may lie inside of
 * each other, as a whole. Each scan has a group of the stages that depend on its states. */
VTA_API te_group *te_group_create(te_schedule *s, size_t output_count, te_tensor *const outputs[], size_t input_count,
                                  te_tensor *const inputs[], bool include_inputs);
/* All groups, in the order in which they were made. */
VTA_API size_t te_schedule_groups(const te_schedule *s);
VTA_API te_group *te_schedule_group_at(const te_schedule *s, size_t index);
/* The innermost group that a stage belongs to, and the group around a group; NULL: none. */
VTA_API te_group *te_stage_group(const te_stage *st);
VTA_API te_group *te_group_around(const te_group *g);
/* How many stages, and groups, it consists of; what inner groups consist of is not counted. */
VTA_API size_t te_group_children(const te_group *g);
/* Computes the group at a loop of a stage that needs it; by itself, as at first. The group of a scan cannot be moved.
 */
VTA_API vta_status te_group_compute_at(te_group *g, te_stage *parent, te_axis *axis);
VTA_API vta_status te_group_compute_root(te_group *g);
VTA_API te_attachment te_group_attachment(const te_group *g);
VTA_API te_stage *te_group_attached_to(const te_group *g);
VTA_API te_axis *te_group_attached_at(const te_group *g);

/* Bound inference: the range of every axis of every stage that is computed. The bounds belong to the schedule's context
 * and stay as they are when the schedule changes. */
typedef struct te_bounds te_bounds;
VTA_API te_bounds *te_infer_bounds(te_schedule *s);
VTA_API size_t te_bounds_count(const te_bounds *b);
VTA_API te_axis *te_bounds_axis(const te_bounds *b, size_t index);
/* Begin and extent of an axis, which may contain variables of the axes around it. VTA_NOT_FOUND. */
VTA_API vta_status te_bounds_range(const te_bounds *b, const te_axis *axis, te_expr **out_min, te_expr **out_extent);

/* How the loops of a stage match the intrinsic that takes their place (te_tensorize), by the bounds of its schedule as
 * it is now. It belongs to the context. NULL, with the reason, where they do not match. */
typedef struct te_matching te_matching;
VTA_API te_matching *te_tensorized(te_stage *st);
/* What they cover of axis `axis` of the computation, counted as in te_stage_axis, and of a dimension of tensor `input`
 * that it reads: begin and extent, which may contain variables of the loops around. VTA_OUT_OF_RANGE. */
VTA_API vta_status te_tensorized_axis(const te_matching *m, size_t axis, te_expr **out_min, te_expr **out_extent);
VTA_API vta_status te_tensorized_input(const te_matching *m, size_t input, size_t dim, te_expr **out_min,
                                       te_expr **out_extent);
/* Body `index` of the computation, written over the axes and tensors of the intrinsic's. NULL beyond the last. */
VTA_API te_expr *te_tensorized_body(const te_matching *m, size_t index);

/* ---- User-defined intrinsics ---------------------------------------------------------------------------------- */

typedef enum te_intrin_part { TE_INTRIN_BODY, TE_INTRIN_RESET, TE_INTRIN_UPDATE } te_intrin_part;

/* The configuration's matrix multiplication: acc[b, o] += sum_k inp[b, k] * wgt[o, k]. */
VTA_API te_intrin *te_gemm(te_context *c);
/* An intrinsic that does what the computation `what` (over placeholders) says. */
VTA_API te_intrin *te_intrin_create(te_context *c, const char *name, te_tensor *what);
/* Where the buffer of an operand (a placeholder, or `what` itself) must be, and the divisor of its element offset.
 * Without it: in ordinary memory, at any offset. */
VTA_API vta_status te_intrin_buffer(te_intrin *in, te_tensor *operand, const char *scope, int64_t offset_factor);
/* The distances of an operand's elements in memory, one for each dimension: numbers that they must be, or variables
 * (te_scalar), which get them where the intrinsic is put in. Without it rows must follow one another. */
VTA_API vta_status te_intrin_strides(te_intrin *in, te_tensor *operand, size_t n, te_expr *const strides[]);
/* An attribute around what is emitted for a part: te_intrin_attr(in, part, axis, "coproc_scope", value). */
VTA_API vta_status te_intrin_attr(te_intrin *in, te_intrin_part part, te_axis *axis, const char *key, te_expr *value);
/* The address of an operand's first element; access "r", "w" or "rw". */
VTA_API te_expr *te_intrin_access(te_intrin *in, te_tensor *operand, const char *access);
/* A call (te_call) that the part consists of; several in their order. Without a RESET part, BODY resets. */
VTA_API vta_status te_intrin_emit(te_intrin *in, te_intrin_part part, te_expr *call);

VTA_END

#endif

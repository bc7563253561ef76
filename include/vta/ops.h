/* Operators that schedule themselves (docs/operators.md): an operator and its shape by name, and a kernel for the
 * configuration at hand, whose schedule is chosen here.
 *
 *     vtac_op *op;
 *     vtac_op_create("conv2d", "height=56 width=56 in_channels=64 out_channels=64 kernel=3 pad=1 "
 *                              "epilogue=shift,relu,clip", config, NULL, diag, &op);
 *     vtac_op_schedule(op, NULL, diag, NULL);
 *     vtac_op_text(op);                                   // a kernel file with the chosen schedule
 *     vtac_module_function(vtac_op_module(op), vtac_kernel_name(vtac_op_kernel(op)), diag, &function);
 *
 * One thread at a time may use a vtac_op; different ones are independent. */
#ifndef VTA_OPS_H
#define VTA_OPS_H

#include "vta/build.h"
#include "vta/conv.h"
#include "vta/timing.h"

VTA_BEGIN

/* ---- What there is ------------------------------------------------------------------------------------------- */

/* An attribute: an integer from `least` to `most`. */
typedef struct vtac_op_attribute {
    const char *name;
    const char *help;
    int64_t value; /* without it; where it is below `least`, the attribute must be given */
    int64_t least, most;
} vtac_op_attribute;

/* Name and one line of operator `index`; NULL past the last. Static storage, as all names here. */
VTA_API const char *vtac_operator_name(size_t index);
VTA_API const char *vtac_operator_text(size_t index);
/* Attribute `index` of operator `op`; NULL past the last. Every operator has the text attributes "epilogue" and
 * "narrow" besides. */
VTA_API const vtac_op_attribute *vtac_operator_attribute(size_t op, size_t index);
/* What may stand in an epilogue: "shift", "shift:N = 8", "x >> N". NULL past the last. */
VTA_API const char *vtac_epilogue_name(size_t index);
VTA_API const char *vtac_epilogue_form(size_t index);
VTA_API const char *vtac_epilogue_text(size_t index);
/* What "narrow" may be, the value without it first: how a result of 32 bits becomes one of the output type. NULL past
 * the last. */
VTA_API const char *vtac_narrow_name(size_t index);
VTA_API const char *vtac_narrow_text(size_t index);

/* ---- One operator ----------------------------------------------------------------------------------------------- */

typedef struct vtac_op vtac_op;

/* An operator of a shape: attributes as "height=56 width=56 ... epilogue=shift:8,relu". `config` NULL: the default; it
 * is retained. VTA_NOT_FOUND: no such operator, attribute or epilogue; VTA_OUT_OF_RANGE and VTA_INVALID_ARGUMENT: a
 * value that it cannot have; VTA_UNSUPPORTED: the accelerator of this configuration cannot do it, and why. Free with
 * vtac_op_destroy. */
VTA_API vta_status vtac_op_create(const char *name, const char *attributes, const vta_config *config,
                                  const vta_allocator *allocator, vta_diag *diag, vtac_op **out_op);
VTA_API void vtac_op_destroy(vtac_op *op);
VTA_API const char *vtac_op_name(const vtac_op *op);
/* The attributes that it was made from, as text. Belongs to the operator. */
VTA_API const char *vtac_op_attributes(const vtac_op *op);

/* What may wrap at the 32 bits of an accumulator before the result is narrowed, in a sentence, for the widest inputs
 * that the types (and MOST of bias:MOST) allow: "sums may wrap: up to 9 products of 16 x 16 bits ...". NULL: nothing
 * can. Belongs to the operator. */
VTA_API const char *vtac_op_may_wrap(const vtac_op *op);

/* The operator that a computation of the user's is: `args` are the arguments of the function, in its order; `name` is
 * what it will be called (NULL: "main"). A schedule that the computation has plays no part. The kernel that
 * vtac_op_schedule makes then has these arguments and this name. What is understood: the operators in tiles, however
 * they are written where they are sums of products, else as their own kernel files are (docs/operators.md), with the
 * steps of an epilogue behind them, in one tensor or in several. VTA_UNSUPPORTED, with the tensor, the expression and
 * what would be understood, for anything else. Nothing of the context is kept. */
VTA_API vta_status vtac_op_match(te_context *context, size_t n, te_tensor *const args[], const char *name,
                                 const vta_allocator *allocator, vta_diag *diag, vtac_op **out_op);
/* The same for a kernel file. */
VTA_API vta_status vtac_op_match_kernel(const vtac_kernel *kernel, const vta_allocator *allocator, vta_diag *diag,
                                        vtac_op **out_op);

/* The convolution of a conv2d as vta/conv.h packs its operands: with the fold that was chosen, which says how `data`
 * and `weight` lie. VTA_UNSUPPORTED: another operator. */
VTA_API vta_status vtac_op_conv(const vtac_op *op, vta_diag *diag, vta_conv *out_conv);

typedef struct vtac_op_options {
    size_t size;                       /* of this struct, or 0 */
    const vta_timing_profile *profile; /* what schedules are timed with; NULL: the configuration's own */
    uint32_t tries;                    /* schedules that are compiled and timed, the best by estimate; 0: 3 */
    bool without_database;             /* choose without a database of tuned schedules */
    const char *database;              /* records, a line each (docs/tuning.md); NULL: those of the library */
    bool without_code;                 /* vtac_op_module stays NULL: for who wants the schedule or its cycles */
} vtac_op_options;

/* Where a schedule comes from: the best of those timed; the library's database of tuned schedules; vta/tune.h. */
typedef enum vtac_op_origin { VTAC_OP_ESTIMATED = 0, VTAC_OP_FROM_DATABASE = 1, VTAC_OP_TUNED = 2 } vtac_op_origin;

/* What came of scheduling. Cycles are those of the timing model. */
typedef struct vtac_op_result {
    size_t size;         /* of this struct, or 0 */
    uint64_t macs;       /* multiplications that the operator means, of real channels */
    uint64_t bound;      /* cycles that no schedule of this kind can beat */
    uint64_t cycles;     /* of the chosen schedule */
    uint64_t considered; /* schedules that fit the buffers; 0 where the database had one */
    uint32_t timed;      /* of those: compiled and timed */
    uint32_t refused;    /* of those: refused by the compiler, which is a mistake of the scheduler or the compiler */
    double schedule_ms;  /* time of the choice, with the compiling of those that were not chosen */
    double compile_ms;   /* time of compiling the chosen one */
    vtac_op_origin origin;
} vtac_op_result;

/* Chooses a schedule, the same for the same operator, configuration, profile and options, and compiles it. Nothing of
 * the calling thread's runtime is touched. VTA_UNSUPPORTED: not even one tile fits the buffers. `options` may be NULL.
 */
VTA_API vta_status vtac_op_schedule(vtac_op *op, const vtac_op_options *options, vta_diag *diag,
                                    vtac_op_result *out_result);

/* After that; NULL before. All belong to the operator.
 * The kernel file with the schedule, for people to read and change; the schedule in words, and what limits it. */
VTA_API const char *vtac_op_text(const vtac_op *op);
VTA_API const char *vtac_op_report(const vtac_op *op);
/* The kernel of that text, and its function compiled. Arguments: inputs as the text declares them, then the output. */
VTA_API vtac_kernel *vtac_op_kernel(const vtac_op *op);
VTA_API vtac_module *vtac_op_module(const vtac_op *op);

/* ---- Against its definition ------------------------------------------------------------------------------------- */

/* Calls the compiled function of a scheduled operator with the calling thread's runtime and compares the result, bit
 * for bit, with the operator's definition (docs/operators.md, "What is computed"): plain loops over images, rows,
 * columns and channels, which share nothing with the kernel file. Inputs are random, then all the least, all the
 * largest and both in turn (of more than 2^28 multiplications the least only), within what a step of the epilogue
 * promises of them. Lanes past the last channel are not compared. `elements` are those of one result. `device_type`:
 * where arrays live. `interpret` plays no part. VTA_OK also when values differ; VTA_INVALID_ARGUMENT: not scheduled, or
 * without code. */
VTA_API vta_status vtac_op_check(const vtac_op *op, int32_t device_type, const vtac_check_options *options,
                                 vta_diag *diag, vtac_check_result *out_result);

/* Proves the compiled function of a scheduled operator right (vtac_prove), and then that what its kernel file says is
 * the operator's definition, on the same sort of values: of the definition's plain loops, with the lanes that must be
 * zeros as zeros. An average is taken for the steps that divide it on the accelerator, which were shown to be exact for
 * every sum when the operator was made. VTAC_PROVEN says both; VTAC_UNPROVEN, with a reason, also where the two differ
 * on values and vtac_op_check, which is called then on the simulator, finds no input that shows it; VTAC_WRONG where it
 * does. VTA_OK whatever the verdict. */
VTA_API vta_status vtac_op_prove(const vtac_op *op, const vtac_prove_options *options, vta_diag *diag,
                                 vtac_prove_result *out_result);

VTA_END

#endif

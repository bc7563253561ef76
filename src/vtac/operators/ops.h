/* An operator on its way from a name to a kernel. */
#ifndef VT_OPS_OPS_H
#define VT_OPS_OPS_H

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "operators/division.h"
#include "operators/recording.h"
#include "vta/conv.h"
#include "vta/ops.h"

typedef enum vt_attribute {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help) VT_ATTRIBUTE_##op##_##name,
#include "operators/operators.def"
    VT_ATTRIBUTES
} vt_attribute;

typedef enum vt_epilogue_kind {
#define VT_EPILOGUE(name, form, numbers, needed, a, b, least, most, text) VT_EPILOGUE_##name,
#include "operators/epilogue.def"
    VT_EPILOGUES
} vt_epilogue_kind;

typedef enum vt_narrow {
#define VT_NARROW(name, text) VT_NARROW_##name,
#include "operators/narrow.def"
    VT_NARROWS
} vt_narrow;

/* Steps, and operations of the machine: those of steps, then what saturates. */
enum { VT_EPILOGUE_MAX = 32, VT_OPERATIONS_MAX = VT_EPILOGUE_MAX + 2, VT_OP_DIMS = 7 };

/* One step: its numbers. Those with an input have its place among the inputs of their kind, then a number: what limits
 * its elements (0: nothing), tiles, or a scale. relu and clip are max and min; after vt__epilogue_settle, what rounds
 * is what the ALU does. */
typedef struct vt_epilogue {
    vt_epilogue_kind kind;
    int32_t number, second;
} vt_epilogue;

/* Sizes in tiles: images, channel blocks, rows, columns. A dense layer is a column of rows without padding. */
typedef struct vt_op_shape {
    int64_t n, ic, oc;
    int64_t h, w, out_h, out_w;
    int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int64_t top, bottom, left, right;
    uint64_t macs;
    bool padded;                         /* a tap of some output falls on padding */
    bool transposed;                     /* strides are between inputs, not outputs */
    int64_t pool, pool_stride, pool_pad; /* of conv2d: maxima over windows of sums; 0: none */
    int64_t pool_h, pool_w;              /* rows and columns of the result then */
    int64_t in_total, group_out;         /* blocks of all inputs; blocks of outputs that read the same `ic` of them */
    int64_t in_blocks, out_blocks; /* of spaces of tiles: blocks of one of the oc groups of lanes (operators/lanes.h) */
    int64_t inputs, places;        /* the same: tensors that come in; accumulators that one output takes at a time */
    bool wide;                     /* the same: inputs are as wide as accumulators */
    int64_t unit_h, unit_w;        /* the same: rows and columns of tiles are multiples of these; 0: any */
} vt_op_shape;

/* Parts of an axis. */
enum { VT_OP_PARTS = 128 };
typedef struct vt_op_parts {
    uint32_t n;
    uint16_t of[VT_OP_PARTS];
} vt_op_parts;

/* A schedule: how much of each axis is on the chip at one time, and which axis virtual threads share. A space sets the
 * members that mean something to its operators. */
typedef struct vt_op_blocks {
    int64_t oc, y, x, ic;
    int64_t threads;
    bool share_rows; /* the threads: rows, else output channels */
    bool skip;       /* micro-ops whose tap falls on padding are left out */
    /* Tiles that take turns (turns.h) instead of threads; the sizes above are those of most parts. */
    bool turns, rows_inside;     /* rows_inside: the inner loop of tiles is over rows, else over output channels */
    bool keep_data, keep_weight; /* the whole of it stays on the chip */
    bool third_place;            /* operands of a step of the sum have three places, not two */
    bool late_uops;              /* micro-ops of later steps are loaded behind the first product */
    vt_op_parts oc_parts, y_parts, ic_parts;
    double estimate; /* cycles */
} vt_op_blocks;

/* The schedules that operators of one kind may have, and what they cost. */
typedef struct vt_op_space {
    /* The best `most` by estimate, best first, and how many fit the buffers. None: `nothing_fits` says why. */
    uint32_t (*candidates)(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                           uint64_t *out_considered);
    vta_status (*nothing_fits)(const vtac_op *op, vta_diag *diag);
    /* A schedule from elsewhere: NULL where it is as good as a candidate, then with its estimate and what else follows
     * from the rest; else what is wrong with it, in words. */
    const char *(*admit)(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b);
    /* Cycles that none of them can beat. */
    uint64_t (*bound)(const vtac_op *op, const vta_timing_profile *profile);
    /* The chosen one in words. NULL when out of memory. */
    char *(*report)(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                    const vtac_op_result *result);
    /* The host computes more than a few constants: its code is worth optimizing. */
    bool on_processor;
    /* Of spaces of tiles (operators/tiles.h): rows of a window may come in several parts; what one tile takes. */
    bool in_parts;
    struct vt_tile_use (*use)(const vtac_op *op, const vt_op_blocks *b);
} vt_op_space;

/* A row of operators.def: what is computed (its sizes, its kernel file), and the space of its schedules. */
typedef struct vt_operator {
    const char *name, *text;
    const vt_op_space *space;
    vta_status (*describe)(vtac_op *op, vta_diag *diag);
    void (*write)(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out);
} vt_operator;

/* How the caller of a matched computation calls the function and its arguments, in its order. */
typedef struct vt_op_names vt_op_names;
/* `own`: what the operator's kernel file calls them. NULL, and false, when out of memory. */
vt_op_names *vt__op_names_new(const vta_allocator *allocator, const char *own, const char *given);
bool vt__op_names_add(vt_op_names *names, const char *own, const char *given, const te_tensor *argument);
void vt__op_names_free(vt_op_names *names);
/* What the operator calls the caller's argument `index`, the result last. */
const char *vt__op_names_own(const vt_op_names *names, uint32_t index);
/* Writes the kernel file with the caller's names. */
void vt__op_names_apply(vt_op_names *names, const char *text, vt_strbuf *out);
/* Refuses arguments that the caller declares otherwise than the operator's kernel does. */
vta_status vt__op_names_check(const vt_op_names *names, const char *op, const vtac_kernel *kernel, vta_diag *diag);

struct vtac_op {
    const vta_allocator *allocator;
    vt_op_names *names; /* NULL: its own */
    const vt_operator *is;
    const vta_config *config;
    int64_t values[VT_ATTRIBUTES];
    uint32_t n_epilogue;
    vt_epilogue epilogue[VT_OPERATIONS_MAX];
    uint32_t n_said;
    vt_epilogue said[VT_EPILOGUE_MAX]; /* the epilogue as it was written, before anything is made of it */
    vt_narrow narrow;
    bool overflows; /* without its last saturation the result may not fit the output type */
    char sums[192]; /* what may wrap in 32 bits, in words; empty: nothing */
    uint32_t biases, residuals, factors, amounts, digits, addends, tables; /* inputs of steps, by their sort */
    vta_conv conv;                                                         /* of conv2d */
    int64_t terms; /* products in a sum of them; 0: the operator is not one */
    vt_op_shape shape;
    vt_division division; /* of averages */
    char *attributes;     /* that it was made from */
    char *text, *report;
    vtac_kernel *kernel;
    vtac_module *module;
    vt_op_recording recording;
};

static inline int64_t vt__ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* A step of an epilogue as it is asked for: all numbers that its row has, or none for their defaults. */
typedef struct vt_op_step {
    vt_epilogue_kind kind;
    uint32_t given;
    int64_t number[2];
} vt_op_step;

/* Adds a step to those that there are; checks its numbers. */
vta_status vt__epilogue_add(vtac_op *op, const vt_op_step *step, vta_diag *diag);
/* Reads "shift:8,relu": VT_EPILOGUE_MAX steps at most. */
vta_status vt__epilogue_read(const char *text, size_t size, vta_diag *diag, vt_op_step *out, uint32_t *out_count);
/* Once the operator is described: steps become operations of the machine, and the last ones saturate where the result
 * may not fit the output type. VTA_OUT_OF_RANGE where one that must be exact could not be. */
vta_status vt__epilogue_settle(vtac_op *op, vta_diag *diag);

/* What the steps take for a tile of the result, of so many blocks of channels: elements beside those of the sums;
 * micro-ops for each element, of the ALU (two cycles for two operands) and of GEMM. */
typedef struct vt_epilogue_use {
    int64_t acc, inp, wgt;
    int64_t micro_ops, instructions;
} vt_epilogue_use;
vt_epilogue_use vt__epilogue_use(const vtac_op *op, int64_t oc, int64_t tile);

/* What the lanes but the last of the constant tile of bias_int8 hold; the last holds 1. */
int64_t vt__bias_step(const vta_config *config);

/* The statements of the passes over `last` (a tensor called sums), and of the output "res"; its axes, and the index of
 * its bias ("co, bi, ci"). */
void vt__epilogue_inputs(const vtac_op *op, const char *bias_shape, const char *shape, vt_strbuf *out);
void vt__epilogue_tensors(const vtac_op *op, const char *axes, const char *index, const char *bias_index,
                          vt_strbuf *out);
/* Of a sum of products: what it starts at, a tensor by name, and its definition; NULL and nothing: at 0. Then the
 * tensors that are left. */
const char *vt__epilogue_start(const vtac_op *op, const vt_op_blocks *b);
void vt__epilogue_write_start(const vtac_op *op, const vt_op_blocks *b, const char *axes, vt_strbuf *out);
/* `result`: the axes of the result, in its order. */
void vt__epilogue_write_rest(const vtac_op *op, const vt_op_blocks *b, const char *axes, const char *index,
                             const char *bias_index, const char *result, vt_strbuf *out);
/* Their stages, computed within the axis of "res", vectors of channels loaded within another; of sums of products also
 * those by GEMM. */
void vt__epilogue_stages(const vtac_op *op, const char *vectors, const char *axis, vt_strbuf *out);
void vt__epilogue_gemm_stages(const vtac_op *op, const vt_op_blocks *b, const char *index, const char *axis,
                              vt_strbuf *out);

/* What a schedule costs, and what none can cost less than. */
typedef struct vt_op_cost {
    const vtac_op *op;
    const vta_timing_profile *profile;
    int64_t valid_h, valid_w; /* taps that do not fall on padding, summed up over the rows and columns of outputs */
} vt_op_cost;

vt_op_cost vt__cost_of(const vtac_op *op, const vta_timing_profile *profile);
uint64_t vt__cost_bound(const vt_op_cost *cost);
/* GEMM and ALU micro-ops of the whole operator, and beats that it must read: the two sides of the bound. */
uint64_t vt__cost_compute(const vt_op_cost *cost);
uint64_t vt__cost_beats(const vt_op_cost *cost);
/* GEMM micro-ops of a sum of products, without those of padding. */
double vt__cost_products(const vtac_op *op);
/* Cycles of the ALU, and of the reset, for each accumulator. */
double vt_op_passes(const vtac_op *op);
double vt__cost_estimate(const vt_op_cost *cost, const vt_op_blocks *b);

/* Rows of inputs that `outs` rows of outputs read, or the same of columns. */
static inline int64_t vt__inputs_of(const vt_op_shape *s, int64_t outs, int64_t stride, int64_t taps,
                                    int64_t dilation) {
    return s->transposed ? vt__ceil_div(outs - 1, stride) + vt__ceil_div(taps, stride) + 1
                         : (outs - 1) * stride + (taps - 1) * dilation + 1;
}
/* Groups of channels whose inputs a tile reads. */
static inline int64_t vt__blocks_groups(const vt_op_shape *s, const vt_op_blocks *b) {
    return s->group_out == 1 && s->oc > 1 ? b->oc : 1;
}
/* Does one round of all threads fit the buffers? */
bool vt__blocks_fit(const vtac_op *op, const vt_op_blocks *b);
/* As vt_op_space.admit, of a schedule whose tiles do not take turns. */
const char *vt__blocks_admit(const vt_op_cost *cost, vt_op_blocks *b);
bool vt__may_skip(const vtac_op *op, const vt_op_blocks *b);
/* The best few of all that fit, best first; how many there were of them. */
uint32_t vt__blocks_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered);

/* A kernel file, compiled and timed. */
typedef struct vt_op_trial {
    char *text;
    vtac_kernel *kernel;
    const vtac_func *func; /* lowered; let go when there is code of it */
    vtac_module *module;   /* NULL until it is needed */
    vt_op_recording recording;
    uint64_t cycles;
    double ms; /* of compiling */
} vt_op_trial;

vta_status vt__trial_make(const vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                          vt_op_trial *out);
/* Makes the code of one that is kept, and lets go of what only that needed; without code, just that. */
vta_status vt__trial_compile(const vtac_op *op, vt_op_trial *t, bool without_code, vta_diag *diag);
void vt__trial_free(const vtac_op *op, vt_op_trial *t);

/* How a schedule was found: the last sentence of reports. */
void vt__report_origin(const vtac_op_result *result, vt_strbuf *out);
/* The report of `vt__space_products`. */
char *vt__report(const vt_op_cost *cost, const vt_op_blocks *b, const vtac_op_result *result);

/* The stage "res" of images, cut into tiles; gives the axis within which a tile is computed. */
const char *vt__write_image_tiles(const vt_op_shape *s, const vt_op_blocks *b, vt_strbuf *out);

/* In operators/NAME.c for each row of operators.def; and the row's space. */
#define VT_OPERATOR(name, space, text)                                                                                 \
    extern const vt_op_space vt__space_##space;                                                                        \
    vta_status vt__describe_##name(vtac_op *op, vta_diag *diag);                                                       \
    void vt__write_##name(const vtac_op *op, const vt_op_blocks *blocks, vt_strbuf *out);
#define VT_ATTRIBUTE(op, name, value, least, most, help)
#include "operators/operators.def"

#endif

/* Between the files of this folder: a network on its way to an artifact. */
#ifndef VT_NETWORK_PRIV_H
#define VT_NETWORK_PRIV_H

#include "base/strbuf.h"
#include "frontend/graph/graph.h"
#include "network/network.h"
#include "operators/host/host.h"
#include "operators/request.h"
#include "vta/conv.h"

enum { VT__ARGS_MAX = 72 };

/* An operator that was scheduled, made once for equal layers. */
typedef struct vt__made {
    const vt_op_request *request;
    vtac_op *op;
    bool is_scheduled; /* else the accelerator refuses it */
} vt__made;

typedef struct vt__ahead vt__ahead;

/* A tensor that is computed where another one has it: an input of a concatenation. */
typedef struct vt__home {
    const vt_qtensor *of; /* NULL: it has a buffer of its own */
    uint64_t offset;      /* in bytes */
} vt__home;

/* What the report says of a layer that stands for another one. */
typedef struct vt__said {
    const char *why, *kind; /* NULL: what it says of itself */
    uint64_t products;      /* of the network, without those that only move */
} vt__said;

typedef struct vt__net {
    vt_ctx *ctx;
    const vt_qnet *net;
    const vta_config *config;
    const vta_allocator *allocator;
    const vt_network_options *options;
    vt_planner *planner;
    vt_planner_arg *places; /* by the tensor's index */
    vt__home *homes;        /* likewise */
    bool *declared;
    bool *kept;       /* by the tensor's index: a product that reads it has no operator for what is in front of it */
    uint32_t *turned; /* likewise: a buffer of its rows by blocks (keys.c), plus 1; 0: none */
    bool *along;      /* by the tensor's index: a layer before the one that computes it has done so */
    int64_t batch, block; /* of a tile */
    vt__made *made;
    uint32_t made_count, made_cap;
    vt_host_kernels *kernels; /* functions for the host */
    vt__ahead *ahead;         /* NULL: nobody schedules ahead */
    vtac_compile_report *report;
    const char *reported; /* the name of the layer that was reported last, if it stands for another one */
    const vt__said *said; /* by the layer's index; NULL: the network is the one that was given */
} vt__net;

/* What a kernel is given, in the order of its arguments. */
typedef struct vt__args {
    vt_planner_arg item[VT__ARGS_MAX];
    uint32_t count;
} vt__args;

/* Leaves with a status that is not VTA_OK; its diagnostic was recorded. */
void vt__must(const vt__net *n, vta_status status);

/* buffers.c: where a tensor is; its buffer is made when it is first asked for, unless it has a home in another tensor;
 * a reshaped tensor on floats has its own. */
vt_planner_arg vt__place_of(vt__net *n, const vt_qtensor *t);
void vt__give_place(vt__args *a, vt_planner_arg place);
void vt__give(vt__args *a, uint32_t buffer);
/* Integers of 16 bits lie as two tensors of tiles, one behind the other: low bytes, then high ones. */
bool vt__is_wide(const vt_qtensor *t);
/* Bytes of the tiles of a tensor of integers: of one of the two where there are two. */
uint64_t vt__tile_bytes(const vt__net *n, const vt_qtensor *t);
/* matrices.c: of tensors that are no images, rows of a tile; matrices, and tiles along their rows and columns; where
 * element `i` is. */
int64_t vt__tile_rows(const vt__net *n, const vt_qtensor *t);
void vt__matrix_tiles(const vt__net *n, const vt_qtensor *t, int64_t out_tiles[3]);
int64_t vt__matrix_place(const vt__net *n, const vt_qtensor *t, int64_t i);
/* Has the image a column for each of all matrices, which fill whole blocks? */
bool vt__is_image_of(const vt__net *n, const vt_qmatrices *m, const vt_gtype *image);
/* Element `i` of the matrices, in their order, among those of such an image. */
int64_t vt__place_in_image(const vt_qmatrices *m, int64_t i);
/* Are the matrices those of an image of rows, side by side, so that the move between both takes no step? And is the
 * layer such a move, for which there is an operator? */
bool vt__lies_beside(const vt__net *n, const vt_qtensor *t);
bool vt__is_moved_beside(vt__net *n, const vt_qlayer *l);
/* keys.c: the operand of a product of two, as weights, that the product with constants stores itself; NULL: it does
 * not. Then it is a convolution, of an input that a function for the host makes. */
const vt_qtensor *vt__keys_of(const vt__net *n, const vt_qlayer *l);
uint32_t vt__keys_input(vt__net *n, const vt_qlayer *l);
/* Are tiles of the operand those? Then by columns, but for values. */
bool vt__is_of_keys(const vt__net *n, const vt_qtensor *t);
bool vt__lies_by_columns(const vt__net *n, const vt_qtensor *t);
/* values.c: does the move transpose matrices that stand side by side? An operator turns their tiles, as the product
 * stores them, to those of the operand. */
bool vt__is_of_values(const vt_qlayer *move, int64_t block);
bool vt__turns_values(vt__net *n, const vt_qlayer *l, const vt_qtensor *values);
uint32_t vt__values_buffer(vt__net *n, const vt_qlayer *l, const vt_qtensor *values);
void vt__turn_values(vt__net *n, const vt_qlayer *l, const vt_qtensor *values, uint32_t buffer);
/* Is there no operator for it, or for the product of two? Then it is as all others. */
void vt__settle_keys(vt__net *n, const vt_qlayer *l);
/* matrices.c: the first layer that reads the tensor. */
const vt_qlayer *vt__first_reader(const vt__net *n, const vt_qtensor *t);
/* Elements of a tile buffer: N/BATCH, C/BLOCK, H, W. */
void vt__tiles(const vt__net *n, const vt_gtype *t, int64_t out_tiles[4]);

/* constants.c: parameters in tiles, as buffers on the device. */
uint32_t vt__weights(vt__net *n, const vt_qlayer *l);
uint32_t vt__conv_weights(vt__net *n, const vt_qlayer *l, const vta_conv *conv, const int8_t *weight);
uint32_t vt__channels(vt__net *n, const vt_qlayer *l, const int32_t *numbers);
uint32_t vt__digits(vt__net *n, const vt_qlayer *l, const int32_t *numbers);

/* fold.c: convolutions of few channels, whose kernel goes into the lanes of the input. Does the layer become one? */
bool vt__is_folded(const vt__net *n, const vt_qlayer *l);
/* Its weights as [O, H W I], and its input, which a function for the host makes of the network's floats. */
const int8_t *vt__folded_weights(const vt__net *n, const vt_qlayer *l);
uint32_t vt__folded_input(vt__net *n, const vt_qlayer *l);
/* Is the tensor read by such a layer alone? Then nothing else has to make it. */
bool vt__is_folded_away(const vt__net *n, const vt_qtensor *t);

/* taps.c: the layer's window without taps that see nothing but padding, and how many rows and columns of them were
 * before the first one left; and the weights of the taps that are left. */
vt_qwindow vt__seen_window(const vt_qlayer *l, int64_t out_first[2]);
const int8_t *vt__seen_weights(const vt__net *n, const vt_qlayer *l);
/* Does that window need more padding than a load adds? Or has a pool taps that are apart? */
bool vt__is_far(const vt_qlayer *l);
/* Can the host gather the taps of each output, so that the window becomes vt__gathered_window of the one seen? */
bool vt__may_gather(const vt__net *n, const vt_qlayer *l);
vt_qwindow vt__gathered_window(const vt_qwindow *seen);
/* The step that does so: tiles of an image of (outputs x taps) rows and columns. */
uint32_t vt__gathered_input(vt__net *n, const vt_qlayer *l);

/* fold.c: layers that read the tensor. */
uint32_t vt__readers_of(const vt__net *n, const vt_qtensor *t);
/* along.c: the layers that the operator of one in front of them takes along: a pooling, on its sums; a function of one
 * integer, behind all else. NULL: none. */
typedef struct vt__along {
    const vt_qlayer *pooling, *table;
} vt__along;
vt__along vt__along_of(const vt__net *n, const vt_qlayer *l);
/* Leaves the last one out; false: there is none. */
bool vt__along_less(vt__along *a);

/* accelerate.c: the layer as an operator. False: there is none for it; *out_why says so. True: it says what the
 * host does for it, NULL: nothing. */
bool vt__accelerate(vt__net *n, const vt_qlayer *l, const char **out_why);
/* limits.c: where the hardware has tables and that takes fewer cycles, the last steps of the request, the layer's
 * limits, become a look-up; false: they stay. And the table. */
bool vt__look_up_limits(const vt__net *n, const vt_qlayer *l, vt_op_request *r);
uint32_t vt__limits_table(vt__net *n, const vt_qlayer *l);
/* The operator of a request; NULL: the accelerator refuses it. */
const vtac_op *vt__operator_for(vt__net *n, const vt_qlayer *l, const vt_op_request *r);
/* accelerate.c: a step of a layer as one of an epilogue. */
vt_op_step vt__step_of(const vt__net *n, const vt_qlayer *l, const vt_qstep *s);
/* softmax.c: of ROW_MAX, which is several operators, the same, and what they will ask for; the bias that sends lanes
 * behind the last column of scores far below all others. */
enum { VT__LANES_AWAY = 1 << 14 };
bool vt__accelerate_row_max(vt__net *n, const vt_qlayer *l, const char **out_why);
void vt__row_max_requests(const vt__net *n, const vt_qlayer *l, void (*fn)(void *user, const vt_op_request *r),
                          void *user);
uint32_t vt__lanes_away(vt__net *n, const vt_qlayer *l);
/* norm.c: the same of NORM. */
bool vt__accelerate_norm(vt__net *n, const vt_qlayer *l, const char **out_why);
void vt__norm_requests(const vt__net *n, const vt_qlayer *l, void (*fn)(void *user, const vt_op_request *r),
                       void *user);
/* Those that all layers will ask for, should none be refused, in their order. */
void vt__accelerate_requests(vt__net *n, void (*fn)(void *user, const vt_op_request *r), void *user);

/* What copies integers: the operator that does nothing. NULL: the accelerator refuses it. */
const vtac_op *vt__copy_operator(vt__net *n, const vt_qtensor *t);

/* concat.c: which tensors have homes. Then a concatenation takes no step, or copies of what is not computed in its
 * place: true, and *out_why says so (NULL: no step), *out_place who copies. False: it is no such concatenation. */
void vt__find_homes(vt__net *n);
bool vt__concat(vt__net *n, const vt_qlayer *l, vtac_layer_place *out_place, const char **out_why);

/* flat.c: the reshape in front of a product whose input the product takes instead; NULL: there is none. */
const vt_qlayer *vt__flattening_of(const vt__net *n, const vt_qlayer *l);
/* Do all that read the reshape take its input instead? Then it takes no step. */
bool vt__is_flattened_away(vt__net *n, const vt_qlayer *r);
/* The product's features then, and its weights of output `o`; where there is nothing for a feature, it is left as it
 * is.
 */
int64_t vt__flat_features(const vt__net *n, const vt_qlayer *r);
void vt__flat_row(const vt__net *n, const vt_qlayer *l, const vt_qlayer *r, int64_t o, int8_t *out_row);
/* accelerate.c: is there an operator for all of it? */
bool vt__has_operator(vt__net *n, const vt_qlayer *l);

/* ahead.c: an operator created and scheduled, or why not. */
typedef struct vt__scheduled {
    vtac_op *op;
    vta_status status;
    vta_diag *diag;
} vt__scheduled;
vt__scheduled vt__schedule_operator(const vt__net *n, const vt_op_request *r);
/* Other threads begin to schedule; the end must come before the network's memory goes. */
void vt__ahead_start(vt__net *n);
void vt__ahead_stop(vt__net *n);
/* What they made of an operator; waits where one is at it. False: none is, and none will be. */
bool vt__ahead_take(vt__net *n, const vt_op_request *r, vt__scheduled *out);

/* report.c: made empty; layers are added in their order, with copies of their words; at the end, when
 * the planner has finished, its text, and what is in which run of the device. */
vta_status vt__report_create(const vta_allocator *allocator, vta_diag *diag, vtac_compile_report **out_report);
vta_status vt__report_add(vtac_compile_report *report, vtac_compiled_layer layer, vta_diag *diag);
vta_status vt__report_finish(vtac_compile_report *report, const vt_planner *planner, vta_diag *diag);

/* channels.c: makes the network another one, in which products and tiles do what moves channels. */
void vt__channels_in_lanes(vt__net *n);

/* pools.c: makes the network another one, in which a large max pooling begins with a smaller one of the same tensor. */
void vt__pools_in_turn(vt__net *n);

/* concat.c: where a move's result is in the tiles of its input, in bytes, if these are whole tiles of it; else -1. */
int64_t vt__slice_offset(const vt__net *n, const vt_qlayer *l);

/* network.c: multiplications of a layer. */
uint64_t vt__products_of(const vt_qlayer *l);
/* network.c: is it a reshape that leaves every tile where it is? */
bool vt__is_alias(const vt_qlayer *l);
/* Is it to be tried at all? */
bool vt__may_accelerate(const vt__net *n, const vt_qlayer *l);

/* host.c: the layer as a function for the host; raises VTA_UNSUPPORTED where there is none. */
void vt__on_processor(vt__net *n, const vt_qlayer *l);
/* What kernels are made with: they belong to the network, and layers with equal ones share them. */
vt_host vt__host_of(const vt__net *n);
/* The kernel of a kernel file, whose name is to be that of its kind, and not of the layer. */
vtac_kernel *vt__kernel_of(vt__net *n, const vt_qlayer *l, const char *text);
/* A step that calls a kernel. */
void vt__call_kernel(vt__net *n, const vt_qlayer *l, vtac_kernel *kernel, const vt__args *args);
/* table.c: the layer as a step that needs no function, of a table for all channels; false: it is something else. */
bool vt__table_step(vt__net *n, const vt_qlayer *l);
/* Can the accelerator look it up? And its table, a constant on the device. */
bool vt__is_device_table(const vt__net *n, const vt_qlayer *l);
uint32_t vt__device_table(vt__net *n, const vt_qlayer *l);
/* host_float.c: a node on floats. */
void vt__float_on_processor(vt__net *n, const vt_qlayer *l);
/* A float as the text of a kernel file has it. */
const char *vt__number(char out[32], double x);

#endif

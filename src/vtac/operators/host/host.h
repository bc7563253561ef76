/* Kernels for the host: what a network needs beside the accelerator. Each function writes a kernel file (target
 * llvm) with a sensible schedule for one shape; vt_planner_call makes it a step, vtac_kernel_lower and vtac_build a
 * function. Free the kernel with vtac_kernel_destroy, unless it belongs to vt_host_kernels.
 *
 * Tensors on the host are N C S, where S stands for all extents behind the channels taken as one, or tiles of the
 * accelerator, N/rows C/lanes S rows lanes (docs/spec.md, section 2). Lanes and rows past the last are written as 0. */
#ifndef VT_OPS_HOST_HOST_H
#define VT_OPS_HOST_HOST_H

#include "base/diag.h"
#include "vta/kernel.h"

/* Kernels that were made, which share what they can (shared.c). */
typedef struct vt_host_kernels vt_host_kernels;

/* What all take: the configuration may be NULL. */
typedef struct vt_host {
    const vta_config *config;
    const vta_allocator *allocator;
    vta_diag *diag;
    vt_host_kernels *kernels; /* NULL: a kernel is the caller's; else theirs, and equal ones are one */
} vt_host;

/* Free with vt_host_kernels_destroy, and all their kernels. */
vta_status vt_host_kernels_create(const vta_allocator *allocator, vta_diag *diag, vt_host_kernels **out_kernels);
void vt_host_kernels_destroy(vt_host_kernels *kernels);
/* The kernel of a kernel file; `name` stands for the file in messages. */
vta_status vt_host_kernel(const vt_host *host, const char *name, const char *text, vtac_kernel **out_kernel);

/* How elements are laid out. */
typedef struct vt_host_form {
    const char *type;     /* "float32", "int8", ... */
    uint32_t rows, lanes; /* of a tile; 0: plain */
} vt_host_form;

/* ---- Numbers (quantize.c) ---- */

/* From one form to another:
 *   to integers     min(max(nearbyint(x * scale) + zero, low), high)
 *   to floats       (x - zero) * scale
 * The scale of 0 stands for no arithmetic: elements keep their type. Arguments: x, result. */
typedef struct vt_host_convert {
    int64_t n, c, s;
    vt_host_form from, to;
    double scale;
    int64_t zero, low, high;
} vt_host_convert;
vta_status vt_host_convert_kernel(const vt_host *host, const vt_host_convert *o, vtac_kernel **out_kernel);

/* ---- Windows ---- */

typedef struct vt_host_window {
    int64_t n, c, h, w; /* of the input */
    int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
    int64_t out_h, out_w;
} vt_host_window;

/* Rows of a matrix for a convolution as a matrix product (im2row.c): the input, quantized as by vt_host_convert with
 * zero 0, becomes tiles whose lanes are the values under the kernel, in the order row of the kernel, column, channel;
 * 0 outside of the image. Each row of the kernel takes row_lanes lanes (0: kernel_w * c, none between). Dilation must
 * be
 * 1. Arguments: x (N C H W floats), result N/rows K/lanes out_h out_w rows lanes with K = kernel_h * row_lanes. */
typedef struct vt_host_im2row {
    vt_host_window window;
    vt_host_form to;
    int64_t row_lanes;
    double scale;
    int64_t low, high;
} vt_host_im2row;
vta_status vt_host_im2row_kernel(const vt_host *host, const vt_host_im2row *o, vtac_kernel **out_kernel);

/* Pooling (pool.c), in any form; input and result have the same. The average is of floats, or of integers rounded to
 * the nearest, halves to even; with `scale` (not 0) it is multiplied before. Arguments: x, result. */
typedef struct vt_host_pool {
    vt_host_window window;
    vt_host_form form;
    bool average, count_padding;
    double scale;
} vt_host_pool;
vta_status vt_host_pool_kernel(const vt_host *host, const vt_host_pool *o, vtac_kernel **out_kernel);

/* The operands of a sum of products: element types (`first` NULL: "float32"; `second` NULL: as `first`), and how many
 * zero points they have, which are subtracted: 0, 1, or one for each row of x, column of w, or output channel.
 * Integers of 8 and 16 bits are added up in int32, others in their own type. */
typedef struct vt_host_factors {
    const char *first, *second;
    int64_t first_zeros, second_zeros;
} vt_host_factors;

/* Convolution with groups (conv.c), plain. Arguments: x (N C H W), weights (O C/groups kernel_h kernel_w), the zero
 * point of x and those of the weights where there are such, bias (O, of the result's type) where `bias`, result
 * (N O out_h out_w). `transposed`: as ONNX's ConvTranspose, weights C O/groups kernel_h kernel_w. */
typedef struct vt_host_conv {
    vt_host_window window;
    int64_t out_c, groups;
    vt_host_factors of;
    bool bias, transposed;
} vt_host_conv;
vta_status vt_host_conv_kernel(const vt_host *host, const vt_host_conv *o, vtac_kernel **out_kernel);

enum { VT_HOST_DIMS = 8, VT_HOST_BATCH = VT_HOST_DIMS - 2, VT_HOST_OPERANDS = 8 };

/* y[b, i, j] = sum of x[b, i, k] * w[b, k, j] + bias[j] (conv.c). Arguments: x, w, their zero points and bias where
 * there are such, result. b stands for `batch_axes` axes, at most VT_HOST_BATCH; the extents of an operand are those of
 * the result, or 1: then all share it. `transposed`: w[b, j, k]. */
typedef struct vt_host_matmul {
    int64_t m, k, n;
    vt_host_factors of;
    bool transposed, bias;
    int32_t batch_axes;
    int64_t x_batch[VT_HOST_BATCH], w_batch[VT_HOST_BATCH];
} vt_host_matmul;
vta_status vt_host_matmul_kernel(const vt_host *host, const vt_host_matmul *o, vtac_kernel **out_kernel);

/* ---- Shapes of any kind (map.c): extents, at most 8 of them ---- */

typedef struct vt_host_shape {
    const char *type;
    int32_t ndim;
    int64_t dim[VT_HOST_DIMS];
} vt_host_shape;

/* An expression of elements (docs/kernel-files.md): $0, $1, ... are the operands, whose extents are those of the result
 * or 1, aligned at the last. Arguments: operands, result. */
vta_status vt_host_map_kernel(const vt_host *host, const char *expression, const vt_host_shape operands[],
                              uint32_t count, const vt_host_shape *result, vtac_kernel **out_kernel);

/* Elements moved: result[i0, i1, ...] = x[index], where `condition`, else `fill`. Both are expressions of i0, i1, ...;
 * `index` has one for each extent of x, with commas; `condition` may be NULL. Arguments: x, result. */
vta_status vt_host_gather_kernel(const vt_host *host, const vt_host_shape *x, const char *index, const char *condition,
                                 const char *fill, const vt_host_shape *result, vtac_kernel **out_kernel);
/* Slices taken from an axis by a table of indices, which is an argument: result[.., t.., ..] = x[.., table[t..], ..],
 * where the axes of the table stand in the place of `axis`. An index counts from the end where it is negative;
 * of one that is outside the nearest inside is taken. Arguments: x, table, result. */
vta_status vt_host_take_kernel(const vt_host *host, const vt_host_shape *x, int32_t axis, const vt_host_shape *table,
                               vtac_kernel **out_kernel);
/* Extent k of the result is extent order[k] of x. */
vta_status vt_host_transpose_kernel(const vt_host *host, const vt_host_shape *x, const int32_t order[],
                                    vtac_kernel **out_kernel);

typedef enum vt_host_reduction { VT_HOST_SUM, VT_HOST_MEAN, VT_HOST_MAX, VT_HOST_MIN } vt_host_reduction;
/* Over the axes whose bit is set, which become 1; of floats, or of integers (not their mean). Arguments: x, result. */
vta_status vt_host_reduce_kernel(const vt_host *host, vt_host_reduction kind, const vt_host_shape *x, uint32_t axes,
                                 vtac_kernel **out_kernel);

/* Softmax over the last of `rows` x `columns` floats (softmax.c). Arguments: x, result. */
vta_status vt_host_softmax_kernel(const vt_host *host, int64_t rows, int64_t columns, bool logarithm,
                                  vtac_kernel **out_kernel);

/* The numbers (int64) of the k largest or smallest along the middle one of three axes (sort.c), in order, the first one
 * of equal ones first; what is not a number counts as infinity. Arguments: x (outer n inner), result (outer k inner).
 */
typedef struct vt_host_top_k {
    const char *type;
    int64_t outer, n, inner, k;
    bool largest;
} vt_host_top_k;
vta_status vt_host_top_k_kernel(const vt_host *host, const vt_host_top_k *o, vtac_kernel **out_kernel);

/* The sum of an element and all before it along the middle one of three axes (scan.c); without itself, or from the last
 * one on. Arguments: x, result. */
typedef struct vt_host_cum_sum {
    const char *type;
    int64_t outer, n, inner;
    bool exclusive, reverse;
} vt_host_cum_sum;
vta_status vt_host_cum_sum_kernel(const vt_host *host, const vt_host_cum_sum *o, vtac_kernel **out_kernel);

/* Rows set to updates, or reduced with them, one after the other (scan.c). Arguments: x (rows width), the rows' numbers
 * (updates int64), updates (updates width), result. */
typedef enum vt_host_scatter_how {
    VT_HOST_SCATTER_SET,
    VT_HOST_SCATTER_ADD,
    VT_HOST_SCATTER_MUL,
    VT_HOST_SCATTER_MAX,
    VT_HOST_SCATTER_MIN
} vt_host_scatter_how;
typedef struct vt_host_scatter {
    const char *type;
    vt_host_scatter_how how;
    int64_t rows, width, updates;
} vt_host_scatter;
vta_status vt_host_scatter_kernel(const vt_host *host, const vt_host_scatter *o, vtac_kernel **out_kernel);

/* NonMaxSuppression as the graph has it (suppress.c). Arguments: boxes (images boxes 4 floats), scores (images classes
 * boxes floats), result (1 + rows, 3 int64). */
typedef struct vt_host_suppress {
    int64_t images, classes, boxes, k; /* k: at most so many of a class */
    double iou, score;
    bool centered;
} vt_host_suppress;
vta_status vt_host_suppress_kernel(const vt_host *host, const vt_host_suppress *o, vtac_kernel **out_kernel);

typedef enum vt_host_coordinates { /* of ONNX's Resize */
                                   VT_HOST_HALF_PIXEL,
                                   VT_HOST_ASYMMETRIC,
                                   VT_HOST_ALIGN_CORNERS,
                                   VT_HOST_PYTORCH_HALF_PIXEL,
} vt_host_coordinates;
/* What is taken of a place between elements: its neighbours' shares, or the nearest element by one of ONNX's rules (at
 * halves the first or the second one, or always the first or the second one). */
typedef enum vt_host_rounding {
    VT_HOST_LINEAR,
    VT_HOST_ROUND_DOWN,
    VT_HOST_ROUND_UP,
    VT_HOST_FLOOR,
    VT_HOST_CEIL
} vt_host_rounding;
/* Resize of N C H W floats (resize.c). Places are of 64 bits, as those of the evaluator in C. scale_h, scale_w: how
 * much larger the result is; about out_h / h, which says it where it is 0. Arguments: x, result. */
typedef struct vt_host_resize {
    int64_t n, c, h, w, out_h, out_w;
    double scale_h, scale_w;
    vt_host_rounding rounding;
    vt_host_coordinates coordinates;
} vt_host_resize;
vta_status vt_host_resize_kernel(const vt_host *host, const vt_host_resize *o, vtac_kernel **out_kernel);

#endif

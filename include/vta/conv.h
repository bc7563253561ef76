/* Operands of convolutions in tiles, made from plain tensors: channels padded to blocks, groups as block-diagonal
 * weights, and where the input has few channels, parts of the kernel folded into the lanes of its tiles
 * (docs/operators.md). Pure functions; any thread. */
#ifndef VTA_CONV_H
#define VTA_CONV_H

#include "vta/config.h"

VTA_BEGIN

/* What of the kernel lies in the lanes of the input, beside its channels. A fold makes the convolution another one, of
 * more channels and a smaller kernel. */
typedef enum vta_fold {
    VTA_FOLD_NONE,
    VTA_FOLD_COLUMNS, /* lane c * kernel_w + dx: pixels of a row, one tile for each column of outputs */
    VTA_FOLD_KERNEL   /* lane (c * kernel_h + dy) * kernel_w + dx: one tile for each output */
} vta_fold;

/* A convolution as its user knows it. Zeros mean 1 for batch, groups, strides and dilations. */
typedef struct vta_conv {
    size_t size; /* of this struct, or 0 */
    int64_t batch, in_channels, out_channels, groups;
    int64_t height, width; /* of an input image */
    int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int64_t pad_top, pad_bottom, pad_left, pad_right;
    vta_fold fold;
} vta_conv;

/* The tiled tensors. data: [images, in_blocks, height, width, BATCH, BLOCK_IN]; weight: [out_blocks, group_in,
 * kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]; the result: [images, out_blocks, out_height, out_width, BATCH, BLOCK_OUT].
 * Block o of the outputs reads group_in blocks of the inputs from o / group_out * group_in on. */
typedef struct vta_conv_layout {
    size_t size; /* of this struct, or 0 */
    int64_t images, in_blocks, out_blocks, height, width, out_height, out_width;
    int64_t kernel_h, kernel_w, group_in, group_out;
    uint64_t data_bytes, weight_bytes;
} vta_conv_layout;

/* VTA_INVALID_ARGUMENT: groups that do not divide the channels, a kernel larger than the padded image, a fold of
 * groups, a negative size. VTA_OUT_OF_RANGE: more bytes than can be counted. */
VTA_API vta_status vta_conv_layout_of(const vta_config *config, const vta_conv *conv, vta_diag *diag,
                                      vta_conv_layout *out_layout);

/* data [batch, in_channels, height, width] to tiles; `out_bytes` must be layout.data_bytes. Lanes and images past the
 * last, and what a fold reads outside of the image, are zeros. Inputs and weights must be 8 bits wide (else
 * VTA_UNSUPPORTED). */
VTA_API vta_status vta_conv_pack_data(const vta_config *config, const vta_conv *conv, const int8_t *data,
                                      vta_diag *diag, void *out_tiles, size_t out_bytes);
/* weight [out_channels, in_channels / groups, kernel_h, kernel_w] to tiles of layout.weight_bytes. */
VTA_API vta_status vta_conv_pack_weight(const vta_config *config, const vta_conv *conv, const int8_t *weight,
                                        vta_diag *diag, void *out_tiles, size_t out_bytes);

/* Weights of a transposed convolution, [in_channels, out_channels, kernel_h, kernel_w], to tiles [ceil(out_channels /
 * BLOCK_OUT), ceil(in_channels / BLOCK_IN), kernel_h, kernel_w, BLOCK_OUT, BLOCK_IN]. */
VTA_API vta_status vta_conv_pack_weight_transposed(const vta_config *config, int64_t in_channels, int64_t out_channels,
                                                   int64_t kernel_h, int64_t kernel_w, const int8_t *weight,
                                                   vta_diag *diag, void *out_tiles, size_t out_bytes);

/* The digits of a bias for the step bias_int8:TILES: tiles [ceil(count / BLOCK_OUT), tiles, BLOCK_OUT, BLOCK_IN].
 * VTA_OUT_OF_RANGE names the channel whose bias is too large, and how many tiles would do. */
VTA_API vta_status vta_conv_pack_bias(const vta_config *config, const int32_t *bias, size_t count, uint32_t tiles,
                                      vta_diag *diag, void *out_tiles, size_t out_bytes);
/* The most that `tiles` tiles reach. */
VTA_API int64_t vta_conv_bias_max(const vta_config *config, uint32_t tiles);

VTA_END

#endif

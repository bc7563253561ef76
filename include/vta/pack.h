/* Tensors to the tiles of the accelerator and back. A tile is `rows` x `lanes` elements: images and features of an
 * input (BATCH x BLOCK_IN), of an output (BATCH x BLOCK_OUT), or of weights (BLOCK_OUT x BLOCK_IN).
 *
 *     images    N C H W or N H W C       <->  [N / rows, C / lanes, H, W, rows, lanes]
 *     matrices  N x C (height, width 1)  <->  [N / rows, C / lanes, rows, lanes]
 *     weights   O I KH KW                <->  [O / rows, I / lanes, KH, KW, rows, lanes]
 *
 * with divisions rounded up. Rows and lanes past the last are zeros in tiles, and left out of images. Elements have 1,
 * 2 or 4 bytes and are moved as they are. Any thread may call; large tensors are shared out among the threads of
 * TVMBackendParallelLaunch. */
#ifndef VTA_PACK_H
#define VTA_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "vta/status.h"

VTA_BEGIN

typedef enum vta_layout { VTA_NCHW = 0, VTA_NHWC = 1 } vta_layout;

typedef struct vta_pack_shape {
    size_t size; /* of this struct, or 0 */
    int64_t n, c, h, w;
    int64_t rows, lanes; /* of a tile */
    uint32_t element_bytes;
    vta_layout layout; /* of what is not in tiles */
} vta_pack_shape;

/* Bytes of the tensor in tiles. VTA_INVALID_ARGUMENT: an extent below 1, or another number of bytes; VTA_OUT_OF_RANGE:
 * more than memory can hold. */
VTA_API vta_status vta_pack_bytes(const vta_pack_shape *shape, vta_diag *diag, size_t *out_bytes);
/* To tiles, and from them. The two must not overlap. */
VTA_API vta_status vta_pack(const vta_pack_shape *shape, const void *from, vta_diag *diag, void *out_tiles);
VTA_API vta_status vta_unpack(const vta_pack_shape *shape, const void *tiles, vta_diag *diag, void *out_to);

VTA_END

#endif

/* Moves of channels between layers of the accelerator (shuffles, splits, concatenations of odd counts, zero padding),
 * which would end a run of it: the network is written as another one that gives the same integers.
 *
 * Tensors lie in tiles of BLOCK channels, and nothing smaller than a tile can be moved. So a channel is said by its
 * lane: a concatenation begins each of its inputs with a block, and leaves the lanes between them unused; a shuffle or
 * a split is a list of lanes. A convolution takes such a list into its weights, whose inputs change places, with zeros
 * for lanes that it does not read. What is of one channel each (depthwise convolutions, pools, functions) does its work
 * in the lanes where they are. Where neither is possible, or costs more, a product with a matrix of zeros and ones puts
 * the channels in order. */
#ifndef VT_NETWORK_CHANNELS_H
#define VT_NETWORK_CHANNELS_H

#include "network/priv.h"

/* A tensor as lanes of another one; of: NULL: it is itself. */
typedef struct vt__view {
    const vt_qtensor *of;
    const int32_t *lane; /* of each channel; -1: a zero */
} vt__view;

/* Zeros around the rows and columns of a tensor, which its readers add. */
typedef struct vt__pads {
    const vt_qtensor *of; /* to this one, of the network that is read; NULL: to the tensor's own lanes */
    int64_t pads[4];
} vt__pads;

typedef struct vt__moving {
    vt__net *n;
    vt_ctx *ctx;
    const vt_qnet *from;
    vt_qnet *to;
    bool *leads, *comes; /* by the tensor's index: does the accelerator read it, did it compute it, perhaps by moves? */
    vt__view *views;     /* likewise: the lanes that hold it, also where it is in order as well */
    bool *ordered;       /* likewise: the tensor itself is there */
    vt__pads *pads;      /* likewise */
    vt__said *said;      /* by the layer's index in `to` */
    uint32_t said_cap;
} vt__moving;

/* channels_moves.c: of each channel of the move's result that of its input, -1 for zeros, and the rows and columns of
 * zeros around all of them; NULL: it moves more. */
const int32_t *vt__moved_channels(vt_ctx *ctx, const vt_qlayer *l, int64_t out_pads[4]);

/* channels.c */
vt_qtensor *vt__channels_tensor(vt__moving *c, const vt_qtensor *like, int64_t channels);
vt_qlayer *vt__channels_layer(vt__moving *c, const vt_qlayer *like, vt_qtensor *output);
int64_t vt__blocks_of(const vt__moving *c, int64_t channels);
int64_t vt__pixels_of(const vt__moving *c, const vt_qtensor *t);

/* channels_select.c: cycles that a product of zeros and ones takes which makes `count` channels of lanes of `of`, and
 * whether that is less than it costs to leave the accelerator; then the layers of it, which `like` stands for. */
int64_t vt__select_cost(const vt__moving *c, const vt_qtensor *of, const int32_t *lane, int64_t count);
void vt__select(vt__moving *c, const vt_qlayer *like, vt__view view, int64_t count, vt_qtensor *output);
/* Blocks of channels of a tensor, as a tensor of their own. */
const vt_qtensor *vt__slice(vt__moving *c, const vt_qlayer *like, const vt_qtensor *of, int64_t first, int64_t end);
/* The blocks that hold the lanes. */
void vt__blocks_read(const vt__moving *c, const int32_t *lane, int64_t count, int64_t *out_first, int64_t *out_end);

#endif

/* Parameters in the tiles that operators read; lanes beyond the last channel are zeros. */
#include "network/priv.h"

/* O, I, H, W as [O/BLOCK, I/BLOCK, H, W, BLOCK, BLOCK]. */
uint32_t vt__weights(vt__net *n, const vt_qlayer *l) {
    const int64_t *d = l->weight_type.dim, b = n->block;
    int64_t h = l->weight_type.rank == 4 ? d[2] : 1, w = l->weight_type.rank == 4 ? d[3] : 1;
    int64_t outs = (d[0] + b - 1) / b, ins = (d[1] + b - 1) / b;
    uint64_t bytes = (uint64_t)(outs * ins * h * w * b * b);
    int8_t *tiles = vt_new_bytes(n->ctx, bytes);
    for (int64_t o = 0; o < d[0]; o++)
        for (int64_t i = 0; i < d[1]; i++)
            for (int64_t at = 0; at < h * w; at++)
                tiles[((((o / b) * ins + i / b) * h * w + at) * b + o % b) * b + i % b] =
                    l->weight[(o * d[1] + i) * h * w + at];
    uint32_t buffer;
    vt__must(n, vt_planner_constant(n->planner, VT_PLACE_DEVICE, l->name, tiles, bytes, n->ctx->diag, &buffer));
    return buffer;
}

/* One number a channel, for every row of a tile: [C/BLOCK, BATCH, BLOCK]. */
uint32_t vt__channels(vt__net *n, const vt_qlayer *l, const int32_t *numbers) {
    int64_t channels = l->output->type.dim[1], blocks = (channels + n->block - 1) / n->block;
    uint64_t count = (uint64_t)(blocks * n->batch * n->block);
    int32_t *tiles = VT_NEW_ARRAY(n->ctx, int32_t, count);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t r = 0; r < n->batch; r++)
            tiles[(c / n->block * n->batch + r) * n->block + c % n->block] = numbers[c];
    uint32_t buffer;
    vt__must(n, vt_planner_constant(n->planner, VT_PLACE_DEVICE, l->name, tiles, count * sizeof *tiles, n->ctx->diag,
                                    &buffer));
    return buffer;
}

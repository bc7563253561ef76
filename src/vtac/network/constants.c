/* Parameters in the tiles that operators read; lanes beyond the last channel are zeros. */
#include "network/priv.h"

/* Room in the planner, zeros. */
static void *tiles_of(vt__net *n, const vt_qlayer *l, uint64_t bytes) {
    void *tiles;
    vt__must(n, vt_planner_constant_begin(n->planner, VT_PLACE_DEVICE, l->name, bytes, n->ctx->diag, &tiles));
    return tiles;
}

/* O, I, H, W of a product (H and W 1 where there are none) as [O/BLOCK, I/BLOCK, H, W, BLOCK, BLOCK]. */
uint32_t vt__weights(vt__net *n, const vt_qlayer *l) {
    const vt_qlayer *flattening = vt__flattening_of(n, l);
    int64_t features = flattening ? vt__flat_features(n, flattening) : l->weight_type.dim[1];
    const int64_t d[4] = {l->weight_type.dim[0], features, l->weight_type.dim[2], l->weight_type.dim[3]};
    int64_t b = n->block, taps = l->weight_type.rank == 4 ? d[2] * d[3] : 1;
    int64_t outs = (d[0] + b - 1) / b, ins = (d[1] + b - 1) / b;
    uint64_t bytes = (uint64_t)(outs * ins * taps * b * b);
    vt_arena_mark mark = vt_arena_here(&n->ctx->arena);
    int8_t *tiles = tiles_of(n, l, bytes);
    int8_t *flat = flattening ? vt_new_bytes(n->ctx, (size_t)features) : NULL;
    for (int64_t o = 0; o < d[0]; o++) {
        const int8_t *row = flat ? flat : l->weight + o * d[1] * taps;
        if (flat) vt__flat_row(n, l, flattening, o, flat);
        for (int64_t i = 0; i < d[1]; i++)
            for (int64_t t = 0; t < taps; t++)
                tiles[(((o / b * ins + i / b) * taps + t) * b + o % b) * b + i % b] = row[i * taps + t];
    }
    vt_arena_rewind(&n->ctx->arena, mark);
    return vt_planner_constant_end(n->planner);
}

uint32_t vt__conv_weights(vt__net *n, const vt_qlayer *l, const vta_conv *conv, const int8_t *weight) {
    vta_conv_layout layout = {.size = sizeof layout};
    vt__must(n, vta_conv_layout_of(n->config, conv, n->ctx->diag, &layout));
    void *tiles = tiles_of(n, l, layout.weight_bytes);
    vt__must(n, vta_conv_pack_weight(n->config, conv, weight, n->ctx->diag, tiles, layout.weight_bytes));
    return vt_planner_constant_end(n->planner);
}

/* One number a channel, for every row of a tile: [C/BLOCK, BATCH, BLOCK]. */
uint32_t vt__channels(vt__net *n, const vt_qlayer *l, const int32_t *numbers) {
    int64_t channels = l->output->type.dim[1], blocks = (channels + n->block - 1) / n->block;
    uint64_t count = (uint64_t)(blocks * n->batch * n->block);
    int32_t *tiles = tiles_of(n, l, count * sizeof *tiles);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t r = 0; r < n->batch; r++)
            tiles[(c / n->block * n->batch + r) * n->block + c % n->block] = numbers[c];
    return vt_planner_constant_end(n->planner);
}

/* The same numbers as tiles of weights: [C/BLOCK, 1, BLOCK, BLOCK]. */
uint32_t vt__digits(vt__net *n, const vt_qlayer *l, const int32_t *numbers) {
    int64_t channels = l->output->type.dim[1], blocks = (channels + n->block - 1) / n->block;
    uint64_t bytes = (uint64_t)(blocks * n->block * n->block);
    void *tiles = tiles_of(n, l, bytes);
    vt__must(n, vta_conv_pack_bias(n->config, numbers, (size_t)channels, 1, n->ctx->diag, tiles, bytes));
    return vt_planner_constant_end(n->planner);
}

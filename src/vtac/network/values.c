/* Values: the result of a product with constants whose transpose, by heads, is the second operand of a product of two.
 * The product stores it as keys are stored (keys.c): tiles of weights with a token in each row, a channel in each lane.
 * What is to be read has channels in rows and tokens in lanes. The unit matrix times such a tile is the tile, with rows
 * and lanes exchanged; so all tiles are the weights of one convolution of an image of a tile's rows. Its factors make
 * zeros of lanes that stand for no token. */
#include "network/priv.h"

bool vt__is_of_values(const vt_qlayer *move, int64_t block) {
    const vt_qmatrices *m = &move->output->matrices;
    const vt_gtype *image = &move->inputs[0]->type;
    int64_t width = m->count * m->rows;
    if (image->rank != 2 || image->dim[0] != m->columns || image->dim[1] != width || m->rows % block) return false;
    for (int64_t i = 0; i < vt_gtype_count(&move->output->type); i++)
        if (move->places[i] != i % m->columns * width + i / m->columns) return false;
    return true;
}

static int64_t tiles_of(const vt__net *n, const vt_qtensor *values) {
    int64_t d[3];
    vt__matrix_tiles(n, values, d);
    return d[0] * d[1] * d[2];
}

static bool has_spare_lanes(const vt__net *n, const vt_qtensor *values) {
    return values->matrices.columns % n->block != 0;
}

#define SET(op, name, number) (r->values[VT_ATTRIBUTE_##op##_##name] = (number))

static const vtac_op *turning(vt__net *n, const vt_qlayer *l, const vt_qtensor *values) {
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    vt_op_request_init(r, VT_OPERATOR_conv2d);
    SET(conv2d, height, n->block), SET(conv2d, width, 1), SET(conv2d, in_channels, n->block);
    SET(conv2d, out_channels, tiles_of(n, values) * n->block);
    if (has_spare_lanes(n, values)) r->steps[r->step_count++] = (vt_op_step){VT_EPILOGUE_multiply_channel, 1, {1}};
    return vt__operator_for(n, l, r);
}

bool vt__turns_values(vt__net *n, const vt_qlayer *l, const vt_qtensor *values) {
    return turning(n, l, values) != NULL;
}

static void *constant(vt__net *n, const vt_qlayer *l, uint64_t bytes) {
    void *to;
    vt__must(n, vt_planner_constant_begin(n->planner, VT_PLACE_DEVICE, l->name, bytes, n->ctx->diag, &to));
    return to;
}

static uint32_t unit_matrix(vt__net *n, const vt_qlayer *l) {
    int8_t *rows = constant(n, l, (uint64_t)(n->block * n->block));
    for (int64_t i = 0; i < n->block; i++) rows[i * n->block + i] = 1;
    return vt_planner_constant_end(n->planner);
}

/* 1 for lanes of tokens. */
static uint32_t factors(vt__net *n, const vt_qlayer *l, const vt_qtensor *values) {
    int64_t tokens = values->matrices.columns, b = n->block, width = (tokens + b - 1) / b * b;
    int64_t lanes = tiles_of(n, values) * b;
    int32_t *to = constant(n, l, (uint64_t)lanes * sizeof *to);
    for (int64_t i = 0; i < lanes; i++) to[i] = i % width < tokens;
    return vt_planner_constant_end(n->planner);
}

uint32_t vt__values_buffer(vt__net *n, const vt_qlayer *l, const vt_qtensor *values) {
    uint32_t buffer;
    uint64_t bytes = (uint64_t)(tiles_of(n, values) * n->block * n->block);
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, l->output->name, bytes, n->ctx->diag, &buffer));
    return buffer;
}

void vt__turn_values(vt__net *n, const vt_qlayer *l, const vt_qtensor *values, uint32_t buffer) {
    vt__args args = {.count = 0};
    vt__give(&args, unit_matrix(n, l));
    vt__give(&args, buffer);
    if (has_spare_lanes(n, values)) vt__give(&args, factors(n, l, values));
    vt__give_place(&args, vt__place_of(n, values));
    vt__must(n, vt_planner_operator(n->planner, l->name, turning(n, l, values), args.item, args.count, n->ctx->diag));
}

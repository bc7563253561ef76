/* Keys: the result of a product with constants that, moved, is the second operand of a product of two. Rows of it are
 * lanes of outputs there, so that its tiles are those of weights, once the rows of one block of channels lie one behind
 * the other: as a convolution stores them, of an image of one column whose rows are the product's. The host, which
 * rounds the input, writes it as such an image, too; of an input that a layer computes, products of its blocks with the
 * unit matrix do. Then nothing has to be moved between both products. */
#include <inttypes.h>

#include "network/priv.h"

/* Does the move put row r, column (m, c) of an image of rows at matrix m, row r, column c? */
static bool is_by_heads(const vt__net *n, const vt_qlayer *move) {
    const vt_qmatrices *m = &move->output->matrices;
    if (!vt__is_image_of(n, m, &move->inputs[0]->type)) return false;
    for (int64_t i = 0; i < vt_gtype_count(&move->output->type); i++)
        if (move->places[i] != vt__place_in_image(m, i)) return false;
    return true;
}

/* Integers of rows, alike for all channels. */
static bool is_plain(const vt_qtensor *x) {
    return x->by && !x->form && x->type.rank == 2 && x->type.element == VT_ELEMENT_I8 && !x->parts && !x->channel;
}

/* Made by the host of floats. */
static bool is_rounded(const vt_qtensor *x) { return x->by->kind == VT_Q_QUANTIZE; }

/* The operator for an input that a layer computes: it multiplies each block of channels by the unit matrix, and stores
 * the results one after the other. NULL: the channels do not fill blocks, or it does not fit. */
static const vtac_op *turning(vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0];
    vt_op_request *r = VT_NEW(n->ctx, vt_op_request);
    if (x->type.dim[1] % n->block) return NULL;
    vt_op_request_init(r, VT_OPERATOR_batch_matmul);
    r->values[VT_ATTRIBUTE_batch_matmul_batch] = x->type.dim[1] / n->block;
    r->values[VT_ATTRIBUTE_batch_matmul_rows] = x->type.dim[0];
    r->values[VT_ATTRIBUTE_batch_matmul_in_features] = r->values[VT_ATTRIBUTE_batch_matmul_out_features] = n->block;
    r->values[VT_ATTRIBUTE_batch_matmul_in_beside] = 1;
    return vt__operator_for(n, l, r);
}

const vt_qtensor *vt__keys_of(const vt__net *n, const vt_qlayer *l) {
    if (n->options->processor_only || n->batch != 1 || l->kind != VT_Q_DENSE || !is_plain(l->inputs[0])) return NULL;
    for (uint32_t i = 0; i < l->step_count; i++)
        if (l->steps[i].tensor) return NULL;
    const vt_qlayer *move = vt__readers_of(n, l->output) == 1 ? vt__first_reader(n, l->output) : NULL;
    if (!move || move->kind != VT_Q_MOVE || move->output->form != VT_QFORM_WEIGHTS || n->kept[move->output->index])
        return NULL;
    bool kept = vt__is_wide(l->output) || !(is_by_heads(n, move) || vt__is_of_values(move, n->block));
    return kept ? NULL : move->output;
}

bool vt__is_of_keys(const vt__net *n, const vt_qtensor *t) {
    const vt_qlayer *move = t->form == VT_QFORM_WEIGHTS && t->by && t->by->kind == VT_Q_MOVE ? t->by : NULL;
    return move && move->inputs[0]->by && vt__keys_of(n, move->inputs[0]->by) == t;
}

bool vt__lies_by_columns(const vt__net *n, const vt_qtensor *t) {
    return vt__is_of_keys(n, t) && is_by_heads(n, t->by);
}

void vt__settle_keys(vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *keys = vt__keys_of(n, l);
    if (!keys) return;
    const vt_qlayer *product = vt__first_reader(n, keys);
    bool turns = vt__lies_by_columns(n, keys) || vt__turns_values(n, l, keys);
    turns = turns && (is_rounded(l->inputs[0]) || turning(n, l));
    if (!product || !turns || !vt__has_operator(n, l) || !vt__has_operator(n, product)) n->kept[keys->index] = true;
}

/* Once for all that read the input. */
static uint32_t turned_input(vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0];
    int64_t b = n->block, blocks = x->type.dim[1] / b;
    uint64_t bytes = (uint64_t)(blocks * x->type.dim[0] * b);
    vt__args args = {.count = 0};
    void *units;
    uint32_t buffer;
    if (n->turned[x->index]) return n->turned[x->index] - 1;
    vt__must(n, vt_planner_constant_begin(n->planner, VT_PLACE_DEVICE, l->name, (uint64_t)(blocks * b * b),
                                          n->ctx->diag, &units));
    for (int64_t i = 0; i < blocks * b; i++) ((int8_t *)units)[i * b + i % b] = 1;
    uint32_t weights = vt_planner_constant_end(n->planner);
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, x->name, bytes, n->ctx->diag, &buffer));
    vt__give_place(&args, vt__place_of(n, x));
    vt__give(&args, weights);
    vt__give(&args, buffer);
    vt__must(n, vt_planner_operator(n->planner, l->name, turning(n, l), args.item, args.count, n->ctx->diag));
    n->turned[x->index] = buffer + 1;
    return buffer;
}

uint32_t vt__keys_input(vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0];
    if (!is_rounded(x)) return turned_input(n, l);
    int64_t rows = x->type.dim[0], ins = x->type.dim[1], blocks = (ins + n->block - 1) / n->block;
    const float scale = (float)(1 / x->scale);
    vt__args args = {.count = 0};
    uint32_t buffer, factor;
    vt__must(n, vt_planner_constant(n->planner, VT_PLACE_DATA, x->name, &scale, sizeof scale, n->ctx->diag, &factor));
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, x->name, (uint64_t)(blocks * rows * n->block),
                                  n->ctx->diag, &buffer));
    vt__give_place(&args, vt__place_of(n, x->by->inputs[0]));
    vt__give(&args, factor);
    vt__give(&args, buffer);
    const char *text = vt_new_format(
        n->ctx,
        "kernel quantize\ntarget llvm\ninput x: float32[%" PRId64 ", %" PRId64 "]\ninput scale: float32[1]\n"
        "output y[co: %" PRId64 ", i: %" PRId64 ", ci: %" PRId64 "] = int8(select(co * %" PRId64 " + ci < %" PRId64
        ", int32(min(max(nearbyint(x[i, min(co * %" PRId64 " + ci, %" PRId64 ")] * scale[0]), -128.0), 127.0)), 0))\n",
        rows, ins, blocks, rows, n->block, n->block, ins, n->block, ins - 1);
    vt__call_kernel(n, l, vt__kernel_of(n, l, text), &args);
    return buffer;
}

/* Concatenations of channels. Tiles hold the channels of one block, so that the tiles of an input that ends where a
 * block does are one piece of the result's: it is computed there, and nothing has to be moved. An input that cannot be
 * computed there, since another concatenation has it or no step makes it, is copied by the accelerator. */
#include "network/priv.h"

/* Tiles of whole blocks, one behind the other in those of the input. */
int64_t vt__slice_offset(const vt__net *n, const vt_qlayer *l) {
    int64_t in[4], to[4];
    if (n->options->processor_only || l->kind != VT_Q_MOVE || vt__is_wide(l->output)) return -1;
    if (l->inputs[0]->form || l->output->form) return -1;
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, to);
    if (in[0] != to[0] || in[2] != to[2] || in[3] != to[3] || to[0] > n->batch || to[1] > in[1]) return -1;
    int64_t plane = to[2] * to[3], first = l->places[0] / plane;
    bool ends = to[1] % n->block == 0 || first + to[1] == in[1];
    if (l->places[0] < 0 || l->places[0] % plane || first % n->block || !ends) return -1;
    for (int64_t image = 0; image < to[0]; image++)
        for (int64_t i = 0; i < to[1] * plane; i++)
            if (l->places[image * to[1] * plane + i] != (image * in[1] + first) * plane + i) return -1;
    return first * plane * n->batch;
}

/* Are all inputs but the last of whole blocks, and of the images of one tile? Or does each begin with one? */
static bool is_of_tiles(const vt__net *n, const vt_qlayer *l) {
    int64_t in[4], to[4];
    if (n->options->processor_only || l->kind != VT_Q_CONCAT || l->axis != 1) return false;
    vt_qtensor_image(&l->output->type, to);
    if (to[0] > n->batch || vt__is_wide(l->output) || l->output->scale == 0) return false;
    int64_t blocks = 0;
    bool whole = true;
    for (uint32_t i = 0; i < l->input_count; i++) {
        vt_qtensor_image(&l->inputs[i]->type, in);
        if (i + 1 < l->input_count && in[1] % n->block) whole = false;
        blocks += (in[1] + n->block - 1) / n->block;
    }
    return whole || to[1] == blocks * n->block;
}

/* A result of a step, which no other tensor holds. */
static bool may_move(const vt__net *n, const vt_qtensor *t) {
    return t->by && !vt__is_alias(t->by) && vt__slice_offset(n, t->by) < 0 && t->by->kind != VT_Q_FLOAT &&
           !n->homes[t->index].of;
}

/* The last concatenation comes first: what it holds may hold others in turn. */
void vt__find_homes(vt__net *n) {
    for (uint32_t i = n->net->layer_count; i-- > 0;) {
        const vt_qlayer *l = n->net->layers[i];
        uint64_t offset = 0;
        if (!is_of_tiles(n, l)) continue;
        for (uint32_t k = 0; k < l->input_count; k++) {
            const vt_qtensor *t = l->inputs[k];
            if (may_move(n, t)) n->homes[t->index] = (vt__home){l->output, offset};
            offset += vt__tile_bytes(n, t);
        }
    }
}

/* The accelerator copies, or where its operator has no schedule the host. */
static vtac_layer_place copy(vt__net *n, const vt_qlayer *l, const vt_qtensor *t, vt_planner_arg to) {
    const vtac_op *op = vt__copy_operator(n, t);
    vt_planner_arg args[] = {vt__place_of(n, t), to};
    if (op)
        vt__must(n, vt_planner_operator(n->planner, l->name, op, args, 2, n->ctx->diag));
    else
        vt__must(n, vt_planner_copy(n->planner, l->name, args[0], to, vt__tile_bytes(n, t), n->ctx->diag));
    return op ? VTAC_ON_ACCELERATOR : VTAC_ON_HOST;
}

bool vt__concat(vt__net *n, const vt_qlayer *l, vtac_layer_place *out_place, const char **out_why) {
    uint64_t offset = 0;
    *out_place = VTAC_ON_ACCELERATOR;
    if (!is_of_tiles(n, l)) return false;
    *out_why = NULL;
    for (uint32_t i = 0; i < l->input_count; i++) {
        const vt_qtensor *t = l->inputs[i];
        const vt__home *home = &n->homes[t->index];
        vt_planner_arg to = vt__place_of(n, l->output);
        to.offset += offset;
        offset += vt__tile_bytes(n, t);
        if (home->of == l->output && home->offset + vt__tile_bytes(n, t) == offset) continue;
        *out_why = "copies of inputs that are elsewhere too";
        if (copy(n, l, t, to) == VTAC_ON_HOST) *out_place = VTAC_ON_HOST;
    }
    return true;
}

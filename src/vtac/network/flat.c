/* A product of an image that was made flat. The image's tiles are a flat tensor already, in another order: blocks of
 * channels, rows, columns, channels. The product takes them as they are, with its weights in that order; lanes past the
 * last channel are inputs of their own, whose weights are 0: where they are few, for they cost as much as others. */
#include "network/priv.h"

/* Is it read by products only, as the input? */
static bool is_for_products(const vt__net *n, const vt_qtensor *t) {
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        for (uint32_t k = 0; k < l->input_count; k++)
            if (l->inputs[k] == t && l->kind != VT_Q_DENSE) return false;
        for (uint32_t k = 0; k < l->step_count; k++)
            if (l->steps[k].tensor == t) return false;
    }
    return true;
}

static bool is_flattening(const vt__net *n, const vt_qlayer *r) {
    if (r->kind != VT_Q_RESHAPE || vt__is_alias(r) || r->step_count || n->kept[r->output->index]) return false;
    const vt_gtype *from = &r->inputs[0]->type, *to = &r->output->type;
    bool flat = from->rank == 4 && to->rank == 2 && from->dim[0] == to->dim[0];
    if (!flat || r->output->parts || vt__is_wide(r->output) || 4 * vt__flat_features(n, r) > 5 * to->dim[1])
        return false;
    return is_for_products(n, r->output);
}

const vt_qlayer *vt__flattening_of(const vt__net *n, const vt_qlayer *l) {
    if (n->options->processor_only || l->kind != VT_Q_DENSE || l->inputs[0]->scale == 0) return NULL;
    const vt_qlayer *r = l->inputs[0]->by;
    return r && l->weight_type.dim[1] == r->output->type.dim[1] && is_flattening(n, r) ? r : NULL;
}

bool vt__is_flattened_away(vt__net *n, const vt_qlayer *r) {
    if (n->options->processor_only || !is_flattening(n, r)) return false;
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (l->kind != VT_Q_DENSE || l->inputs[0] != r->output) continue;
        if (vt__flattening_of(n, l) && vt__has_operator(n, l)) continue;
        n->kept[r->output->index] = true;
        return false;
    }
    return true;
}

int64_t vt__flat_features(const vt__net *n, const vt_qlayer *r) {
    const int64_t *d = r->inputs[0]->type.dim;
    return (d[1] + n->block - 1) / n->block * n->block * d[2] * d[3];
}

void vt__flat_row(const vt__net *n, const vt_qlayer *l, const vt_qlayer *r, int64_t o, int8_t *out) {
    const int64_t *d = r->inputs[0]->type.dim;
    int64_t pixels = d[2] * d[3];
    const int8_t *from = l->weight + o * d[1] * pixels;
    for (int64_t c = 0; c < d[1]; c++)
        for (int64_t p = 0; p < pixels; p++)
            out[(c / n->block * pixels + p) * n->block + c % n->block] = from[c * pixels + p];
}

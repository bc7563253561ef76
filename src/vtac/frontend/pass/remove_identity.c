/* What only copies: Identity, and operators whose attributes make them one. */
#include <math.h>

#include "frontend/pass/pass.h"

static bool is_in_order(const vt_gnode *n) {
    const int64_t *perm = vt_gattr_ints(n, VT_A_PERM);
    for (uint32_t i = 0; i < n->inputs[0]->type.rank; i++)
        if (perm[i] != i) return false;
    return true;
}

static bool has_no_pads(const vt_gnode *n) {
    const vt_gattr *pads = vt_gattr_of(n, VT_A_PADS);
    for (uint32_t i = 0; i < pads->count; i++)
        if (pads->ints[i]) return false;
    return true;
}

static bool starts_at_zero(const vt_gnode *n) {
    const vt_gattr *starts = vt_gattr_of(n, VT_A_STARTS);
    for (uint32_t i = 0; i < starts->count; i++)
        if (starts->ints[i] || vt_gattr_ints(n, VT_A_STEPS)[i] < 0) return false;
    return true;
}

static bool only_copies(const vt_gnode *n) {
    if (n->output_count != 1 || !vt_gtype_equal(&n->inputs[0]->type, &n->outputs[0]->type)) return false;
    switch ((int)n->op) {
    case VT_G_IDENTITY:
    case VT_G_RESHAPE:
    case VT_G_EXPAND:
    case VT_G_CAST: return true;
    case VT_G_TRANSPOSE: return is_in_order(n);
    case VT_G_PAD: return has_no_pads(n);
    case VT_G_SLICE: return starts_at_zero(n);
    case VT_G_CONCAT: return n->input_count == 1;
    case VT_G_CLIP: return vt_gattr_float(n, VT_A_MIN) == -INFINITY && vt_gattr_float(n, VT_A_MAX) == INFINITY;
    default: return false;
    }
}

const vt_graph *vt_graph_pass_remove_identity(const vt_graph *g) {
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = g->nodes[i];
        if (only_copies(n))
            vt_rewrite_replace(&r, n->outputs[0], vt_rewrite_of(&r, n->inputs[0]));
        else
            vt_rewrite_keep(&r, n);
    }
    return vt_rewrite_end(&r);
}

/* Nodes that no output needs. */
#include "frontend/pass/pass.h"

static bool is_needed(const vt_gnode *n, const bool *needed) {
    for (uint32_t i = 0; i < n->output_count; i++)
        if (needed[n->outputs[i]->index]) return true;
    return false;
}

const vt_graph *vt_graph_pass_remove_dead(const vt_graph *g) {
    bool *needed = VT_NEW_ARRAY(g->ctx, bool, g->values.count);
    for (uint32_t i = 0; i < g->outputs.count; i++) needed[g->outputs.item[i]->index] = true;
    for (uint32_t i = g->node_count; i-- > 0;) {
        const vt_gnode *n = g->nodes[i];
        for (uint32_t k = 0; is_needed(n, needed) && k < n->input_count; k++)
            if (n->inputs[k]) needed[n->inputs[k]->index] = true;
    }
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (is_needed(g->nodes[i], needed))
            vt_rewrite_keep(&r, g->nodes[i]);
        else
            vt_rewrite_drop(&r);
    }
    return vt_rewrite_end(&r);
}

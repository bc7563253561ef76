/* Relu and Clip behind what only moves elements limit the same elements in front of it, where a layer before can take
 * them along: its integers then cover what the limits leave, not all that it computes. */
#include "frontend/pass/pass.h"

static bool is_move(const vt_gnode *n) {
    switch ((int)n->op) {
    case VT_G_CONCAT:
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_RESHAPE:
    case VT_G_SLICE:
    case VT_G_SPACE_TO_DEPTH:
    case VT_G_TRANSPOSE: return true;
    default: return false;
    }
}

/* Are all inputs computed, for this node alone? */
static bool takes_all(const vt_gnode *n, const uint32_t *uses) {
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (!v->by || v->type.element != VT_ELEMENT_F32) return false;
        uint32_t own = 0;
        for (uint32_t k = 0; k < n->input_count; k++) own += n->inputs[k] == v;
        if (uses[v->index] != own) return false;
    }
    return n->input_count > 0;
}

/* The move that the limit is behind, and that nothing else reads; NULL: none. */
static const vt_gnode *moved(const vt_gnode *limit, const uint32_t *uses) {
    const vt_gnode *n = limit->inputs[0]->by;
    if ((limit->op != VT_G_RELU && limit->op != VT_G_CLIP) || !n || !is_move(n)) return NULL;
    return uses[limit->inputs[0]->index] == 1 && takes_all(n, uses) ? n : NULL;
}

/* The limit of each input, then the move under the name of what the limit has computed. */
static void exchange(vt_rewrite *r, const vt_gnode *move, const vt_gnode *limit) {
    vt_ctx *ctx = r->to->ctx;
    vt_gvalue **in = VT_NEW_ARRAY(ctx, vt_gvalue *, move->input_count);
    for (uint32_t i = 0; i < move->input_count; i++) {
        vt_gvalue *x = vt_rewrite_of(r, move->inputs[i]);
        const char *name = vt_new_format(ctx, "%s.%s", x->name, vt_gop_text(limit->op));
        in[i] = NULL;
        for (uint32_t k = 0; k < i && !in[i]; k++)
            if (move->inputs[k] == move->inputs[i]) in[i] = in[k];
        vt_gnode_spec spec = {limit->op, limit->name, &name, 1, limit->attribute_count, &x, limit->attributes};
        if (!in[i]) in[i] = vt_graph_add(r->to, &spec)->outputs[0];
    }
    const char *name = limit->outputs[0]->name;
    vt_gnode_spec spec = {move->op, move->name, &name, move->input_count, move->attribute_count, in, move->attributes};
    vt_rewrite_replace(r, limit->outputs[0], vt_graph_add(r->to, &spec)->outputs[0]);
}

/* By index of the nodes: the limit that a move goes behind, and the limits that go. */
static const vt_graph *once(const vt_graph *g) {
    const uint32_t *uses = vt_graph_uses(g);
    const vt_gnode **limit = VT_NEW_ARRAY(g->ctx, const vt_gnode *, g->node_count + 1);
    bool *gone = VT_NEW_ARRAY(g->ctx, bool, g->node_count + 1);
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = moved(g->nodes[i], uses);
        if (n) limit[n->index] = g->nodes[i], gone[i] = true;
    }
    for (uint32_t i = 0; i < g->node_count; i++)
        if (limit[i])
            exchange(&r, g->nodes[i], limit[i]);
        else if (!gone[i])
            vt_rewrite_keep(&r, g->nodes[i]);
    return vt_rewrite_end(&r);
}

/* Behind several moves, one at a time. */
const vt_graph *vt_graph_pass_hoist_limits(const vt_graph *g) {
    for (const vt_graph *before = NULL; g != before;) {
        before = g;
        g = once(g);
    }
    return g;
}

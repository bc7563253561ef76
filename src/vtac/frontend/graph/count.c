/* How much work and how many parameters a graph has. */
#include "frontend/graph/graph.h"

/* Each output element of a convolution takes one filter. */
static uint64_t filter(const vt_gnode *n, uint32_t weights) {
    const vt_gtype *w = &n->inputs[weights]->type;
    return (uint64_t)vt_gtype_span(w, 1, w->rank);
}

/* Each output element of a matrix product takes a row of a. */
static uint64_t row(const vt_gnode *n) {
    const vt_gtype *a = &n->inputs[0]->type;
    bool transposed = n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_A);
    return (uint64_t)a->dim[transposed ? 0 : a->rank - 1];
}

uint64_t vt_gnode_macs(const vt_gnode *n) {
    uint64_t out = (uint64_t)vt_gtype_count(&n->outputs[0]->type);
    switch ((int)n->op) {
    case VT_G_CONV:
    case VT_G_CONV_INTEGER: return out * filter(n, 1);
    case VT_G_QLINEAR_CONV: return out * filter(n, 3);
    case VT_G_CONV_TRANSPOSE: return (uint64_t)vt_gtype_count(&n->inputs[0]->type) * filter(n, 1);
    case VT_G_GEMM:
    case VT_G_MAT_MUL:
    case VT_G_MAT_MUL_INTEGER:
    case VT_G_QLINEAR_MAT_MUL: return out * row(n);
    default: return 0;
    }
}

uint64_t vt_graph_macs(const vt_graph *g) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->node_count; i++) sum += vt_gnode_macs(g->nodes[i]);
    return sum;
}

uint64_t vt_graph_parameters(const vt_graph *g) {
    const uint32_t *uses = vt_graph_uses(g);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->values.count; i++)
        if (g->values.item[i]->data && uses[i]) sum += (uint64_t)vt_gtype_count(&g->values.item[i]->type);
    return sum;
}

/* Which values lead to a product of the accelerator. */
#include "frontend/quant/function.h"

/* A number for each channel of an image, as squeeze-and-excite multiplies by: N, C, 1, 1. */
static bool is_factor_of_channels(const vt_gnode *n, const vt_gtype *x) {
    const vt_gtype *y = &n->outputs[0]->type;
    return n->op == VT_G_MUL && x->rank == 4 && y->rank == 4 && x->dim[0] == y->dim[0] && x->dim[1] == y->dim[1] &&
           x->dim[2] == 1 && x->dim[3] == 1;
}

/* Is an operand spread over the result? x / root(mean(x * x)) is a function of no single integer. */
static bool is_spread(const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (v && !v->data && !vt_gtype_same_shape(&v->type, &n->outputs[0]->type) &&
            !is_factor_of_channels(n, &v->type))
            return true;
    }
    return false;
}

/* Does the operator hand on integers, if it is given integers? */
static bool hands_on(const vt_gnode *n) {
    switch ((int)n->op) {
    case VT_G_MAX_POOL:
    case VT_G_AVERAGE_POOL:
    case VT_G_REDUCE_MEAN:
    case VT_G_CONCAT:
    case VT_G_RESIZE:
    case VT_G_RESHAPE:
    case VT_G_TRANSPOSE:
    case VT_G_SLICE:
    case VT_G_PAD:
    case VT_G_GATHER:
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_SPACE_TO_DEPTH: return true;
    default: return vt__function_is_known(n->op) && !is_spread(n);
    }
}

static void mark(const vt_quantizer *q, bool *marked) {
    for (uint32_t i = q->g->node_count; i-- > 0;) {
        const vt_gnode *n = q->g->nodes[i];
        bool product = vt__is_product(vt__product_kind(n)), of_two = vt__is_matmul(n);
        if (n->output_count != 1 || !(product || of_two || (hands_on(n) && marked[n->outputs[0]->index]))) continue;
        for (uint32_t k = 0; k < (product ? 1 : n->input_count); k++)
            if (n->inputs[k] && !n->inputs[k]->data) marked[n->inputs[k]->index] = true;
    }
}

void vt__find_useful(vt_quantizer *q) {
    q->useful = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    q->leads_on = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1);
    for (uint32_t i = 0; i < q->g->outputs.count; i++) q->leads_on[q->g->outputs.item[i]->index] = true;
    mark(q, q->useful);
    mark(q, q->leads_on);
}

/* What the functions that read an operator share: making nodes, axes, activations. */
#include <string.h>

#include "frontend/eval/eval.h"
#include "frontend/tflite/priv.h"

enum { SMALL = 1024 }; /* elements that are computed while reading */

static bool is_known(const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] && (!n->inputs[i]->data || vt_gtype_count(&n->inputs[i]->type) > SMALL)) return false;
    return vt_gtype_count(&n->outputs[0]->type) <= SMALL && n->op != VT_G_DEQUANTIZE_LINEAR;
}

/* The value of a node whose inputs are constants: shapes and indices follow from it. */
static vt_gvalue *compute(const vt_tfl_node *n, const vt_gnode *node) {
    const void **in = VT_NEW_ARRAY(n->r->ctx, const void *, node->input_count);
    vt_gtype t = node->outputs[0]->type;
    void *out = vt_new_bytes(n->r->ctx, vt_gtype_bytes(&t) + 1);
    for (uint32_t i = 0; i < node->input_count; i++) in[i] = node->inputs[i] ? node->inputs[i]->data : NULL;
    vta_status status = vt_eval_node(node, in, &out, n->r->ctx->arena.allocator, n->r->ctx->diag);
    if (status != VTA_OK) vt_leave(n->r->ctx, status);
    return vt_graph_constant(n->r->g, node->name, t, out);
}

vt_gvalue *vt__tfl_make(const vt_tfl_node *n, vt_gop op, uint32_t input_count, vt_gvalue *const *inputs,
                        uint32_t attribute_count, const vt_gattr *attributes) {
    const vt_gnode_spec spec = {op, n->name, NULL, input_count, attribute_count, inputs, attributes};
    const vt_gnode *node = vt_graph_add(n->r->g, &spec);
    return is_known(node) ? compute(n, node) : node->outputs[0];
}

vt_gvalue *vt__tfl_reshape(const vt_tfl_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims) {
    return vt__tfl_make(n, VT_G_RESHAPE, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INTS(SHAPE, rank, dims)));
}

/* Do axes of more than one element keep their order? */
static bool moves_nothing(const vt_gtype *t, const int64_t *perm) {
    int64_t before = -1;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dim[perm[i]] == 1) continue;
        if (perm[i] < before) return false;
        before = perm[i];
    }
    return true;
}

vt_gvalue *vt__tfl_transpose(const vt_tfl_node *n, vt_gvalue *x, const int64_t *perm) {
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) dims[i] = x->type.dim[perm[i]];
    if (moves_nothing(&x->type, perm)) return vt__tfl_reshape(n, x, x->type.rank, dims);
    return vt__tfl_make(n, VT_G_TRANSPOSE, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INTS(PERM, x->type.rank, perm)));
}

uint32_t vt__tfl_axis(const vt_tfl_node *n, int64_t axis, uint32_t rank, vt_tfl_layout layout) {
    static const uint32_t in_images[] = {0, 2, 3, 1};
    if (axis < -(int64_t)rank || axis >= rank)
        vt__tfl_wrong(n, "axis %lld of a tensor of %u axes", (long long)axis, (unsigned)rank);
    uint32_t at = (uint32_t)(axis < 0 ? axis + rank : axis);
    return layout == VT_TFL_IMAGES && rank == 4 ? in_images[at] : at;
}

vt_gvalue *vt__tfl_activation(const vt_tfl_node *n, unsigned id, vt_gvalue *v) {
    enum { NONE, RELU, RELU_N1_TO_1, RELU6, TANH_ };
    int64_t which = vt__fb_int(n->options, id, 1, NONE);
    switch (which) {
    case NONE: return v;
    case RELU: return vt__tfl_make(n, VT_G_RELU, 1, &v, 0, NULL);
    case RELU_N1_TO_1:
        return vt__tfl_make(n, VT_G_CLIP, 1, &v, VT_TFL_ATTRIBUTES(VT_GSET_FLOAT(MIN, -1), VT_GSET_FLOAT(MAX, 1)));
    case RELU6:
        return vt__tfl_make(n, VT_G_CLIP, 1, &v, VT_TFL_ATTRIBUTES(VT_GSET_FLOAT(MIN, 0), VT_GSET_FLOAT(MAX, 6)));
    case TANH_: return vt__tfl_make(n, VT_G_TANH, 1, &v, 0, NULL);
    default: vt__tfl_unsupported(n, "its fused activation %lld is not supported", (long long)which);
    }
}

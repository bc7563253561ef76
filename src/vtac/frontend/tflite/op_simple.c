/* Operators on single elements, of one tensor or of two; reductions; functions along the last axis. */
#include <string.h>

#include "frontend/tflite/priv.h"

static vt_gvalue *as_it_is(const vt_tfl_node *n, uint32_t i, vt_tfl_layout *out_layout) {
    vt_tfl_tensor *t = vt__tfl_need(n, i);
    *out_layout = vt__tfl_layout_of(t);
    return vt__tfl_real(n, t, *out_layout);
}

/* ---- Of one tensor ----------------------------------------------------------------------------------------------- */

void vt__tfl_unary(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    vt__tfl_give(n, 0, vt__tfl_make(n, n->op->gop, 1, &x, 0, NULL), layout);
}

/* Between quantized numbers and floats, or from one scale to another: what the tensors say, and nothing else. */
void vt__tfl_convert(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    vt__tfl_give(n, 0, x, layout);
}

void vt__tfl_clip(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    bool six = !strcmp(n->op->name, "RELU6");
    vt_gvalue *v = vt__tfl_make(n, VT_G_CLIP, 1, &x,
                                VT_TFL_ATTRIBUTES(VT_GSET_FLOAT(MIN, six ? 0 : -1), VT_GSET_FLOAT(MAX, six ? 6 : 1)));
    vt__tfl_give(n, 0, v, layout);
}

void vt__tfl_leaky_relu(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    vt_gvalue *v = vt__tfl_make(n, VT_G_LEAKY_RELU, 1, &x,
                                VT_TFL_ATTRIBUTES(VT_GSET_FLOAT(ALPHA, vt__fb_float(n->options, 0, 0))));
    vt__tfl_give(n, 0, v, layout);
}

void vt__tfl_rsqrt(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout), *root = vt__tfl_make(n, VT_G_SQRT, 1, &x, 0, NULL);
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_RECIPROCAL, 1, &root, 0, NULL), layout);
}

void vt__tfl_square(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_MUL, VT_TFL_INPUTS(x, x), 0, NULL), layout);
}

/* ---- Of two tensors ---------------------------------------------------------------------------------------------- */

/* Shapes meet at their last axis, which images do not keep at the end: one of fewer axes gets leading ones, and then
 * its axes move, too. */
static vt_gvalue *operand(const vt_tfl_node *n, uint32_t i, vt_tfl_layout layout) {
    static const int64_t perm[] = {0, 3, 1, 2};
    vt_tfl_tensor *t = vt__tfl_need(n, i);
    vt_gvalue *v = vt__tfl_real(n, t, layout);
    int64_t dims[4] = {1, 1, 1, 1};
    if (layout == VT_TFL_FILE || t->type.rank == 4 || vt_gtype_count(&t->type) == 1) return v;
    for (uint32_t d = 0; d < t->type.rank; d++) dims[4 - t->type.rank + d] = t->type.dim[d];
    return vt__tfl_transpose(n, vt__tfl_reshape(n, v, 4, dims), perm);
}

/* Images stay so where one of the two is; a scalar of one element may have axes of its own. */
static vt_tfl_layout common_layout(const vt_tfl_node *n) {
    const vt_tfl_tensor *a = vt__tfl_need(n, 0), *b = vt__tfl_need(n, 1);
    bool fits = a->type.rank <= 4 && b->type.rank <= 4 && (a->type.rank == 4 || b->type.rank == 4);
    bool images = vt__tfl_layout_of(a) == VT_TFL_IMAGES || vt__tfl_layout_of(b) == VT_TFL_IMAGES;
    return fits && images ? VT_TFL_IMAGES : VT_TFL_FILE;
}

static vt_gvalue *combine(const vt_tfl_node *n, vt_gop op, vt_tfl_layout layout) {
    return vt__tfl_make(n, op, VT_TFL_INPUTS(operand(n, 0, layout), operand(n, 1, layout)), 0, NULL);
}

static bool has_activation(vt_gop op) { return op == VT_G_ADD || op == VT_G_SUB || op == VT_G_MUL || op == VT_G_DIV; }

void vt__tfl_binary(const vt_tfl_node *n) {
    vt_tfl_layout layout = common_layout(n);
    vt_gvalue *v = combine(n, n->op->gop, layout);
    vt__tfl_give(n, 0, has_activation(n->op->gop) ? vt__tfl_activation(n, 0, v) : v, layout);
}

void vt__tfl_squared_difference(const vt_tfl_node *n) {
    vt_tfl_layout layout = common_layout(n);
    vt_gvalue *d = combine(n, VT_G_SUB, layout);
    vt__tfl_give(n, 0, vt__tfl_make(n, VT_G_MUL, VT_TFL_INPUTS(d, d), 0, NULL), layout);
}

/* ---- Along axes -------------------------------------------------------------------------------------------------- */

/* Do channels and pixels stay, whose order differs? */
static bool order_matters(const vt_tfl_node *n, uint32_t rank, uint32_t count, const int64_t *axes) {
    bool gone[VT_MAX_RANK] = {false};
    for (uint32_t i = 0; i < count; i++) gone[vt__tfl_axis(n, axes[i], rank, VT_TFL_FILE)] = true;
    return !gone[3] && !(gone[1] && gone[2]);
}

void vt__tfl_reduce(const vt_tfl_node *n) {
    vt_tfl_layout layout;
    vt_gvalue *x = as_it_is(n, 0, &layout);
    int64_t axes[VT_MAX_RANK];
    uint32_t count;
    const int64_t *given = vt__tfl_ints(n, 1, "its axes", &count);
    bool keep = vt__fb_bool(n->options, 0);
    if (count > x->type.rank) vt__tfl_wrong(n, "%u axes of a tensor of %u", (unsigned)count, (unsigned)x->type.rank);
    if (!keep && layout == VT_TFL_IMAGES && order_matters(n, 4, count, given)) {
        layout = VT_TFL_FILE;
        x = vt__tfl_real(n, vt__tfl_need(n, 0), layout);
    }
    for (uint32_t i = 0; i < count; i++) axes[i] = vt__tfl_axis(n, given[i], x->type.rank, layout);
    vt_gvalue *v = vt__tfl_make(n, n->op->gop, 1, &x,
                                VT_TFL_ATTRIBUTES(VT_GSET_INTS(AXES, count, axes), VT_GSET_INT(KEEPDIMS, keep)));
    vt__tfl_give(n, 0, v, keep ? layout : VT_TFL_FILE);
}

void vt__tfl_softmax(const vt_tfl_node *n) {
    vt_gvalue *x = vt__tfl_real(n, vt__tfl_need(n, 0), VT_TFL_FILE);
    double beta = n->op->gop == VT_G_SOFTMAX ? vt__fb_float(n->options, 0, 0) : 1;
    if (!x->type.rank) vt__tfl_wrong(n, "its input has no axes");
    if (beta != 1)
        x = vt__tfl_make(n, VT_G_MUL, VT_TFL_INPUTS(x, vt_graph_scalar(n->r->g, n->name, (float)beta)), 0, NULL);
    vt_gvalue *v = vt__tfl_make(n, n->op->gop, 1, &x, VT_TFL_ATTRIBUTES(VT_GSET_INT(AXIS, x->type.rank - 1)));
    vt__tfl_give(n, 0, v, VT_TFL_FILE);
}

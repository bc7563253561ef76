/* A batch normalization after a convolution or a matrix product is part of its weights and bias. Another one of images
 * is a convolution itself, of 1 x 1 in groups of one channel; of other shapes, a product and a sum. */
#include <math.h>

#include "frontend/pass/pass.h"

/* What each channel is multiplied with, and what is added then. */
typedef struct affine {
    int64_t channels;
    double *scale, *shift;
} affine;

/* Refuses what makes no finite numbers, by the constant that is to blame. */
static void check_channel(const vt_graph *g, const vt_gnode *n, int64_t i) {
    for (uint32_t k = 1; k < 5; k++) {
        double x = (double)((const float *)n->inputs[k]->data)[i];
        bool positive = k == 4 && !(x + vt_gattr_float(n, VT_A_EPSILON) > 0);
        if (!isfinite(x) || positive)
            vt_gnode_refuse(g->ctx, n, "element %lld of %s is %g%s", (long long)i, n->inputs[k]->name, x,
                            isfinite(x) ? "; a variance and epsilon are more than zero together" : "");
    }
}

static affine affine_of(const vt_graph *g, const vt_gnode *n) {
    const float *scale = n->inputs[1]->data, *bias = n->inputs[2]->data, *mean = n->inputs[3]->data;
    const float *var = n->inputs[4]->data;
    affine a = {.channels = n->inputs[1]->type.dim[0]};
    a.scale = VT_NEW_ARRAY(g->ctx, double, (size_t)a.channels);
    a.shift = VT_NEW_ARRAY(g->ctx, double, (size_t)a.channels);
    for (int64_t i = 0; i < a.channels; i++) {
        check_channel(g, n, i);
        a.scale[i] = (double)scale[i] / sqrt((double)var[i] + vt_gattr_float(n, VT_A_EPSILON));
        a.shift[i] = (double)bias[i] - (double)mean[i] * a.scale[i];
    }
    return a;
}

/* Which output channel element i of the weights is for. */
static int64_t channel_of(const vt_gnode *n, int64_t i) {
    const vt_gtype *w = &n->inputs[1]->type;
    switch ((int)n->op) {
    case VT_G_CONV: return i / vt_gtype_span(w, 1, w->rank);
    case VT_G_CONV_TRANSPOSE: { /* of each group's input channels; axis 1 holds a group's outputs */
        int64_t taps = vt_gtype_span(w, 2, w->rank), in = i / taps / w->dim[1];
        return in / (w->dim[0] / vt_gattr_int(n, VT_A_GROUP)) * w->dim[1] + i / taps % w->dim[1];
    }
    default: return vt_gattr_int(n, VT_A_TRANS_B) ? i / w->dim[1] : i % w->dim[1];
    }
}

static vt_gvalue *new_weights(vt_rewrite *r, const vt_gnode *n, const affine *a) {
    const vt_gvalue *w = n->inputs[1];
    int64_t count = vt_gtype_count(&w->type);
    float *data = VT_NEW_ARRAY(r->to->ctx, float, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)((double)((const float *)w->data)[i] * a->scale[channel_of(n, i)]);
    return vt_graph_constant(r->to, w->name, w->type, data);
}

/* Gemm's alpha stays with the weights; its beta goes into the bias. */
static vt_gvalue *new_bias(vt_rewrite *r, const vt_gnode *n, const affine *a, const char *name) {
    const float *old = vt_ginput_given(n, 2) ? n->inputs[2]->data : NULL;
    double beta = n->op == VT_G_GEMM ? vt_gattr_float(n, VT_A_BETA) : 1;
    int64_t count = old ? vt_gtype_count(&n->inputs[2]->type) : 1;
    float *data = VT_NEW_ARRAY(r->to->ctx, float, (size_t)a->channels);
    for (int64_t i = 0; i < a->channels; i++)
        data[i] = (float)((old ? beta * (double)old[count == 1 ? 0 : i] * a->scale[i] : 0) + a->shift[i]);
    return vt_graph_constant(r->to, vt_new_format(r->to->ctx, "%s.bias", name),
                             (vt_gtype){VT_ELEMENT_F32, 1, {a->channels}}, data);
}

static bool are_constant(const vt_gnode *n, uint32_t from) {
    for (uint32_t i = from; i < n->input_count; i++)
        if (n->inputs[i] && !n->inputs[i]->data) return false;
    return true;
}

/* Is the input of `norm` computed by a node that can take it in, and used nowhere else. */
static bool is_foldable(const vt_gnode *norm, const uint32_t *uses) {
    const vt_gnode *n = norm->inputs[0]->by;
    if (norm->op != VT_G_BATCH_NORMALIZATION || !are_constant(norm, 1) || !n) return false;
    if (uses[norm->inputs[0]->index] != 1 || !are_constant(n, 1)) return false;
    if (n->op == VT_G_CONV || n->op == VT_G_CONV_TRANSPOSE) return true;
    if (n->op != VT_G_GEMM) return false;
    if (!vt_ginput_given(n, 2)) return true;
    const vt_gtype *c = &n->inputs[2]->type; /* one row, or one number */
    return vt_gtype_count(c) == 1 || (c->rank && vt_gtype_count(c) == c->dim[c->rank - 1]);
}

/* The node with other weights, in the place of both. */
static void fold(vt_rewrite *r, const vt_gnode *n, const vt_gnode *norm) {
    affine a = affine_of(r->from, norm);
    vt_gvalue *inputs[] = {vt_rewrite_of(r, n->inputs[0]), new_weights(r, n, &a), new_bias(r, n, &a, norm->name)};
    const char *names[] = {norm->outputs[0]->name};
    vt_gattr attributes[VT_MAX_ATTRIBUTES];
    for (uint32_t i = 0; i < n->attribute_count; i++) {
        attributes[i] = n->attributes[i];
        if (attributes[i].name == VT_A_BETA) attributes[i].f = 1;
    }
    vt_gnode_spec spec = {n->op, n->name, names, 3, n->attribute_count, inputs, attributes};
    vt_rewrite_replace(r, norm->outputs[0], vt_graph_add(r->to, &spec)->outputs[0]);
}

static bool is_image_norm(const vt_gnode *n) {
    uint32_t rank = n->inputs[0]->type.rank;
    return n->op == VT_G_BATCH_NORMALIZATION && are_constant(n, 1) && (rank == 3 || rank == 4);
}

/* Numbers of the channels as a constant of rank 1, or as weights of a convolution. */
static vt_gvalue *numbers(vt_rewrite *r, const vt_gnode *n, const char *what, int64_t count, const double *from,
                          uint32_t rank) {
    vt_gtype t = {VT_ELEMENT_F32, rank, {count}};
    float *data = VT_NEW_ARRAY(r->to->ctx, float, (size_t)count);
    for (int64_t i = 0; i < count; i++) data[i] = (float)from[i];
    for (uint32_t i = 1; i < rank; i++) t.dim[i] = 1;
    return vt_graph_constant(r->to, vt_new_format(r->to->ctx, "%s.%s", n->name, what), t, data);
}

static void convolve(vt_rewrite *r, const vt_gnode *n) {
    static const int64_t ones[] = {1, 1}, none[] = {0, 0, 0, 0};
    uint32_t rank = n->inputs[0]->type.rank;
    affine a = affine_of(r->from, n);
    vt_gvalue *inputs[] = {vt_rewrite_of(r, n->inputs[0]), numbers(r, n, "scale", a.channels, a.scale, rank),
                           numbers(r, n, "shift", a.channels, a.shift, 1)};
    const char *names[] = {n->outputs[0]->name};
    const vt_gattr attributes[] = {VT_GSET_INTS(STRIDES, rank - 2, ones), VT_GSET_INTS(PADS, 2 * (rank - 2), none),
                                   VT_GSET_INTS(DILATIONS, rank - 2, ones), VT_GSET_INT(GROUP, a.channels)};
    vt_gnode_spec spec = {VT_G_CONV, n->name, names, 3, 4, inputs, attributes};
    vt_rewrite_replace(r, n->outputs[0], vt_graph_add(r->to, &spec)->outputs[0]);
}

static bool is_other_norm(const vt_gnode *n) {
    return n->op == VT_G_BATCH_NORMALIZATION && are_constant(n, 1) && !is_image_norm(n);
}

/* Numbers of the channels, which lie along axis 1 of `rank`: they broadcast. */
static void multiply_and_add(vt_rewrite *r, const vt_gnode *n) {
    const char *names[] = {n->outputs[0]->name};
    uint32_t rank = n->inputs[0]->type.rank;
    affine a = affine_of(r->from, n);
    vt_gvalue *in[] = {vt_rewrite_of(r, n->inputs[0]), numbers(r, n, "scale", a.channels, a.scale, rank - 1)};
    vt_gvalue *sum[] = {
        vt_graph_apply(r->to, VT_G_MUL, vt_new_format(r->to->ctx, "%s.scaled", n->name), in[0], in[1], 0, NULL),
        numbers(r, n, "shift", a.channels, a.shift, rank - 1)};
    vt_gnode_spec spec = {VT_G_ADD, n->name, names, 2, 0, sum, NULL};
    vt_rewrite_replace(r, n->outputs[0], vt_graph_add(r->to, &spec)->outputs[0]);
}

const vt_graph *vt_graph_pass_fold_batch_norm(const vt_graph *g) {
    const uint32_t *uses = vt_graph_uses(g);
    bool *gone = VT_NEW_ARRAY(g->ctx, bool, g->node_count);
    for (uint32_t i = 0; i < g->node_count; i++)
        if (is_foldable(g->nodes[i], uses)) gone[g->nodes[i]->inputs[0]->by->index] = true;
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *n = g->nodes[i];
        if (is_foldable(n, uses))
            fold(&r, n->inputs[0]->by, n);
        else if (is_image_norm(n))
            convolve(&r, n);
        else if (is_other_norm(n))
            multiply_and_add(&r, n);
        else if (!gone[i])
            vt_rewrite_keep(&r, n);
    }
    return vt_rewrite_end(&r);
}

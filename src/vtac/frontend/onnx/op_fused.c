/* ONNX Runtime's operators that are others one after the other: activations with a bias, products and convolutions
 * with an activation, sums that are normalized, embeddings. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/runtime.h"
#include "frontend/onnx/window.h"

/* ---- Activations ---- */

/* Gelu, BiasGelu and FastGelu: input 1 is a bias. */
void vt__onnx_microsoft_gelu(const vt_onnx_node *n) {
    vt_gvalue *x = vt__mk_sum(n, vt__onnx_need(n, 0), vt__onnx_in(n, 1));
    vt__onnx_want_floats(n, x);
    vt__onnx_out(n, 0, vt__mk_gelu(n, x, !strcmp(n->p->op_type, "FastGelu")));
}

void vt__onnx_quick_gelu(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt__onnx_want_floats(n, x);
    vt_gvalue *part = vt__mk_one(n, VT_G_SIGMOID, vt__mk_times(n, x, vt__onnx_float(n, "alpha", (double)1.702f)));
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_MUL, x, part));
}

static double parameter(const vt_onnx_node *n, const Onnx__AttributeProto *a, size_t i, double otherwise) {
    if (!a || i >= a->n_floats) return otherwise;
    if (isnan(a->floats[i])) vt__onnx_wrong(n, "attribute %s: entry %zu is not a number", vt__onnx_name(a->name), i);
    return (double)a->floats[i];
}

/* The activation that attribute `activation` names; of FusedConv its numbers are a list, of FusedGemm attributes. */
static vt_gvalue *activated(const vt_onnx_node *n, vt_gvalue *x) {
    const char *name = vt__onnx_string(n, "activation", "");
    const Onnx__AttributeProto *list = vt__onnx_attribute_of(n, "activation_params");
    double alpha = vt__onnx_float(n, "activation_alpha", parameter(n, list, 0, (double)NAN));
    double beta = vt__onnx_float(n, "activation_beta", parameter(n, list, 1, (double)NAN));
    if (!*name) return x;
    if (!strcmp(name, "Relu")) return vt__mk_one(n, VT_G_RELU, x);
    if (!strcmp(name, "Tanh")) return vt__mk_one(n, VT_G_TANH, x);
    if (!strcmp(name, "Sigmoid")) return vt__mk_one(n, VT_G_SIGMOID, x);
    if (isnan(alpha))
        alpha = !strcmp(name, "LeakyRelu") ? (double)0.01f : !strcmp(name, "Clip") ? -(double)INFINITY : 0.2;
    if (!strcmp(name, "LeakyRelu"))
        return vt__onnx_make(n, VT_G_LEAKY_RELU, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(ALPHA, alpha)));
    if (!strcmp(name, "Clip")) return vt__mk_clip(n, x, alpha, isnan(beta) ? (double)INFINITY : beta);
    if (!strcmp(name, "HardSigmoid"))
        return vt__onnx_make(
            n, VT_G_HARD_SIGMOID, 1, &x,
            VT_ONNX_ATTRIBUTES(VT_GSET_FLOAT(ALPHA, alpha), VT_GSET_FLOAT(BETA, isnan(beta) ? 0.5 : beta)));
    vt__onnx_unsupported(n, "activation %s is not supported", name);
}

/* ---- Products ---- */

/* Input 3 is added before the activation. */
void vt__onnx_fused_conv(const vt_onnx_node *n) {
    vt_gvalue *y = vt__mk_sum(n, vt__mk_conv(n, VT_G_CONV, 3), vt__onnx_in(n, 3));
    vt__onnx_out(n, 0, activated(n, y));
}

void vt__onnx_fused_gemm(const vt_onnx_node *n) {
    const vt_gattr set[] = {
        VT_GSET_FLOAT(ALPHA, vt__onnx_float(n, "alpha", 1)), VT_GSET_FLOAT(BETA, vt__onnx_float(n, "beta", 1)),
        VT_GSET_INT(TRANS_A, vt__onnx_int(n, "transA", 0)), VT_GSET_INT(TRANS_B, vt__onnx_int(n, "transB", 0))};
    vt_gvalue *in[] = {vt__onnx_need(n, 0), vt__onnx_need(n, 1), vt__onnx_in(n, 2)};
    vt__onnx_out(n, 0, activated(n, vt__onnx_make(n, VT_G_GEMM, in[2] ? 3 : 2, in, 4, set)));
}

/* The axis before the last goes in front: "transBatch" of FusedMatMul. */
static vt_gvalue *with_batch_last(const vt_onnx_node *n, vt_gvalue *x) {
    int64_t order[VT_MAX_RANK];
    uint32_t rank = x->type.rank;
    if (rank < 3) vt__onnx_wrong(n, "%s has %u axes; at least 3 are needed", x->name, (unsigned)rank);
    for (uint32_t i = 0; i + 2 < rank; i++) order[i] = i + 1;
    order[rank - 2] = 0, order[rank - 1] = rank - 1;
    return vt__mk_transpose(n, x, order);
}

static vt_gvalue *operand(const vt_onnx_node *n, size_t i, const char *batch, const char *matrix) {
    vt_gvalue *x = vt__onnx_need(n, i);
    vt__onnx_want_floats(n, x);
    if (vt__onnx_int(n, batch, 0)) x = with_batch_last(n, x);
    return vt__onnx_int(n, matrix, 0) && x->type.rank > 1 ? vt__mk_exchanged(n, x) : x;
}

void vt__onnx_fused_mat_mul(const vt_onnx_node *n) {
    vt_gvalue *a = operand(n, 0, "transBatchA", "transA"), *b = operand(n, 1, "transBatchB", "transB");
    vt__onnx_out(n, 0, vt__mk_times(n, vt__mk_two(n, VT_G_MAT_MUL, a, b), vt__onnx_float(n, "alpha", 1)));
}

/* ---- Normalization ---- */

static void refuse_statistics(const vt_onnx_node *n, size_t first, size_t last) {
    for (size_t i = first; i <= last; i++)
        if (vt__onnx_wants(n, i)) vt__onnx_unsupported(n, "output %zu, which is for training, is used", i);
}

/* One number for each element along the last axis. */
static vt_gvalue *along_last(const vt_onnx_node *n, const vt_gvalue *x, vt_gvalue *v) {
    int64_t extent = x->type.rank ? x->type.dim[x->type.rank - 1] : 0;
    if (v && (v->type.rank != 1 || v->type.dim[0] != extent))
        vt__onnx_wrong(n, "%s is not one number for each of %lld elements", v->name, (long long)extent);
    return v;
}

/* Inputs: x, what is added to it, scale; then of SkipLayerNormalization a bias of the result; then one of the sum. */
void vt__onnx_skip_normalization(const vt_onnx_node *n) {
    bool centred = !strcmp(n->p->op_type, "SkipLayerNormalization");
    vt_gvalue *x = vt__onnx_need(n, 0), *scale = along_last(n, x, vt__onnx_need(n, 2));
    refuse_statistics(n, 1, 2);
    vt_gvalue *sum = vt__mk_two(n, VT_G_ADD, x, vt__onnx_need(n, 1));
    sum = vt__mk_sum(n, sum, along_last(n, x, vt__onnx_in(n, centred ? 4 : 3)));
    vt_gvalue *bias = centred ? along_last(n, x, vt__onnx_in(n, 3)) : NULL;
    double epsilon = vt__onnx_float(n, "epsilon", (double)1e-12f);
    vt__onnx_out(n, 0, vt__mk_normalized(n, sum, centred, epsilon, scale, bias));
    vt__onnx_out(n, 3, sum);
}

/* By the root of the mean of squares along the last axis. */
void vt__onnx_simplified_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    refuse_statistics(n, 1, 2);
    if (vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank) + 1 != x->type.rank)
        vt__onnx_unsupported(n, "only along the last axis");
    double epsilon = vt__onnx_float(n, "epsilon", (double)1e-5f);
    vt__onnx_out(n, 0, vt__mk_normalized(n, x, false, epsilon, along_last(n, x, vt__onnx_need(n, 1)), NULL));
}

/* ---- Embedding ---- */

static vt_gvalue *rows(const vt_onnx_node *n, size_t table, vt_gvalue *numbers) {
    vt_gvalue *v = vt__onnx_need(n, table);
    vt__want_axes(n, v, 2);
    return vt__mk_take(n, v, 0, numbers);
}

/* How many marks of each sequence are 1; without marks 0. */
static vt_gvalue *lengths_of(const vt_onnx_node *n, vt_gvalue *mask, int64_t batch) {
    void *zeros;
    if (!mask) return vt__mk_room(n, VT_ELEMENT_I32, 1, &batch, &zeros);
    vt__want_axes(n, mask, 2);
    vt_gvalue *ones = vt__mk_cast(n, vt__mk_with(n, VT_G_EQUAL, mask, 1), VT_ELEMENT_I32);
    return vt__mk_reduce(n, VT_G_REDUCE_SUM, ones, 1, (const int64_t[]){1}, false);
}

/* The rows of words, positions (0, 1, ... where they are not given) and segments are added up, and normalized. */
void vt__onnx_embed_normalization(const vt_onnx_node *n) {
    vt_gvalue *ids = vt__onnx_need(n, 0), *segments = vt__onnx_in(n, 1), *mask = vt__onnx_in(n, 7);
    vt__want_axes(n, ids, 2);
    vt_gvalue *sum = rows(n, 2, ids), *at = vt__onnx_in(n, 8);
    vt_gvalue *places = at ? rows(n, 3, at) : vt__mk_part(n, vt__onnx_need(n, 3), 0, 0, ids->type.dim[1]);
    sum = vt__mk_two(n, VT_G_ADD, sum, places);
    if (segments) sum = vt__mk_two(n, VT_G_ADD, sum, rows(n, 4, segments));
    double epsilon = vt__onnx_float(n, "epsilon", (double)1e-12f);
    vt__onnx_out(n, 0,
                 vt__mk_normalized(n, sum, true, epsilon, along_last(n, sum, vt__onnx_need(n, 5)),
                                   along_last(n, sum, vt__onnx_need(n, 6))));
    if (vt__onnx_wants(n, 1)) vt__onnx_out(n, 1, lengths_of(n, mask, ids->type.dim[0]));
    vt__onnx_out(n, 2, sum);
}

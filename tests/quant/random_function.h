/* Random networks whose convolutions have functions of one element each between them: chains and trees of up to ten
 * operators whose leaves are constants, one number or one a channel, and the convolution's result, any number of times.
 * What such a function is of a number, by a reading of ONNX that shares nothing with src/vtac/frontend/quant. */
#ifndef TESTS_QUANT_RANDOM_FUNCTION_H
#define TESTS_QUANT_RANDOM_FUNCTION_H

#include <math.h>

#include "quant/random_graph.h"

/* ---- Making them ----------------------------------------------------------------------------------------------- */

static const vt_gop unary_ops[] = {
    VT_G_SIGMOID, VT_G_HARD_SIGMOID, VT_G_HARD_SWISH, VT_G_TANH, VT_G_ERF, VT_G_ELU, VT_G_LEAKY_RELU, VT_G_EXP,
    VT_G_SQRT,    VT_G_RECIPROCAL,   VT_G_CLIP,       VT_G_RELU, VT_G_ABS, VT_G_NEG, VT_G_SOFTPLUS,   VT_G_LOG,
    VT_G_FLOOR,   VT_G_CEIL,         VT_G_ROUND,      VT_G_SIN,  VT_G_COS, VT_G_ATAN};
static const vt_gop binary_ops[] = {VT_G_ADD, VT_G_SUB, VT_G_MUL, VT_G_DIV, VT_G_MIN, VT_G_MAX, VT_G_P_RELU, VT_G_POW};
enum { UNARY_OPS = sizeof unary_ops / sizeof *unary_ops, BINARY_OPS = sizeof binary_ops / sizeof *binary_ops };

static vt_gvalue *function_unary(world *w, vt_gvalue *x) {
    vt_gop op = unary_ops[next(UNARY_OPS)];
    uint32_t count = op == VT_G_CLIP || op == VT_G_HARD_SIGMOID ? 2 : op == VT_G_ELU || op == VT_G_LEAKY_RELU;
    double slope = 0.05 + next(100) / 100.0;
    vt_gattr limits[] = {VT_GSET_FLOAT(MIN, -slope), VT_GSET_FLOAT(MAX, slope * 1.5)};
    vt_gattr slopes[] = {VT_GSET_FLOAT(ALPHA, slope), VT_GSET_FLOAT(BETA, 0.4)};
    return vt_graph_apply(w->g, op, "f", x, NULL, count, op == VT_G_CLIP ? limits : slopes);
}

/* Not near zero, so that it may be divided by. */
static vt_gvalue *function_constant(world *w, int64_t channels) {
    vt_gvalue *c = randoms(w, "number", next(3) ? TYPE(F32, 1) : TYPE(F32, channels, 1, 1), 1);
    float *data = (float *)c->data;
    for (int64_t i = 0; i < vt_gtype_count(&c->type); i++) data[i] += data[i] < 0 ? -0.5f : 0.5f;
    return c;
}

/* A function of x in the place of a value of its own; `depth`: operators above each other. */
static vt_gvalue *function_of(world *w, vt_gvalue *x, uint32_t depth) {
    vt_gvalue *a = depth > 1 && next(4) ? function_of(w, x, depth - 1) : x;
    if (next(5) < 3) return function_unary(w, a);
    vt_gvalue *b = next(2) ? function_constant(w, x->type.dim[1]) : next(2) ? x : function_of(w, x, 1);
    bool turned = next(4) == 0 && a != b;
    vt_gop op = binary_ops[next(BINARY_OPS)];
    if (op == VT_G_P_RELU && !b->data) op = VT_G_MUL;
    if (op == VT_G_P_RELU) turned = false;
    return vt_graph_apply(w->g, op, "f", turned ? b : a, turned ? a : b, 0, NULL);
}

static vt_gvalue *product_of(world *w, vt_gvalue *x, int64_t out) {
    vt_gvalue *in[] = {x, randoms(w, "weight", TYPE(F32, out, x->type.dim[1], 1, 1), 1),
                       randoms(w, "bias", TYPE(F32, out), 0.5f)};
    vt_gattr attributes[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)};
    vt_gnode_spec spec = {VT_G_CONV, "conv", NULL, 3, 3, in, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

/* Some read by products, by sums of two functions, and by the caller. */
static void random_functions(world *w) {
    int64_t channels = 1 + next(20);
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1 + next(2), 1 + next(6), 3 + next(4), 3 + next(4)));
    for (uint32_t i = 0, count = 1 + next(3); i < count; i++) {
        vt_gvalue *of = product_of(w, x, channels), *f = function_of(w, of, 1 + next(4));
        if (next(4) == 0)
            f = vt_graph_apply(w->g, VT_G_ADD, "sum", f, function_of(w, product_of(w, x, channels), 2), 0, NULL);
        x = f;
    }
    vt_graph_output(w->g, product_of(w, x, 3), "y");
    if (next(2)) vt_graph_output(w->g, next(2) ? x : function_of(w, x, 2), "z");
}

/* ---- What they are --------------------------------------------------------------------------------------------- */

static double function_attribute(const vt_gnode *n, vt_gattr_name name) {
    return (double)(float)vt_gattr_float(n, name);
}

static double unit_of(double x) { return fmin(fmax(x, 0), 1); }

static inline double function_said(const vt_gvalue *v, const vt_gvalue *from, double x, int64_t channel) {
    if (v == from) return x;
    if (v->data) return (double)((const float *)v->data)[vt_gtype_count(&v->type) == 1 ? 0 : channel];
    const vt_gnode *n = v->by;
    double a = function_said(n->inputs[0], from, x, channel);
    double b = n->input_count > 1 ? function_said(n->inputs[1], from, x, channel) : 0;
    if (isnan(a) || isnan(b)) return NAN;
    switch ((int)n->op) {
    case VT_G_SIGMOID: return 1 / (1 + exp(-a));
    case VT_G_HARD_SIGMOID: return unit_of(function_attribute(n, VT_A_ALPHA) * a + function_attribute(n, VT_A_BETA));
    case VT_G_HARD_SWISH: return a * unit_of(a / 6 + 0.5);
    case VT_G_TANH: return tanh(a);
    case VT_G_ERF: return erf(a);
    case VT_G_ELU: return a < 0 ? function_attribute(n, VT_A_ALPHA) * (exp(a) - 1) : a;
    case VT_G_LEAKY_RELU: return a < 0 ? function_attribute(n, VT_A_ALPHA) * a : a;
    case VT_G_EXP: return exp(a);
    case VT_G_SQRT: return sqrt(a);
    case VT_G_RECIPROCAL: return 1 / a;
    case VT_G_CLIP: return fmin(fmax(a, function_attribute(n, VT_A_MIN)), function_attribute(n, VT_A_MAX));
    case VT_G_RELU: return fmax(a, 0);
    case VT_G_ABS: return fabs(a);
    case VT_G_NEG: return -a;
    case VT_G_SOFTPLUS: return a > 0 ? a + log1p(exp(-a)) : log1p(exp(a));
    case VT_G_LOG: return log(a);
    case VT_G_FLOOR: return floor(a);
    case VT_G_CEIL: return ceil(a);
    case VT_G_ROUND: return a - floor(a) == 0.5 ? 2 * floor((a + 0.5) / 2) : floor(a + 0.5);
    case VT_G_SIN: return sin(a);
    case VT_G_COS: return cos(a);
    case VT_G_ATAN: return atan(a);
    case VT_G_ADD: return a + b;
    case VT_G_SUB: return a - b;
    case VT_G_MUL: return a * b;
    case VT_G_DIV: return a / b;
    case VT_G_MIN: return fmin(a, b);
    case VT_G_MAX: return fmax(a, b);
    case VT_G_P_RELU: return a < 0 ? a * b : a;
    case VT_G_POW: return pow(a, b);
    default: fail_msg("%s has no reading here", vt_gop_text(n->op)); return NAN;
    }
}

#endif

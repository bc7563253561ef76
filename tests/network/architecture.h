/* Random networks as ONNX files, and what they compute, by plain loops that share nothing with src/graph/eval: each node
 * is written and computed at once. */
#ifndef TESTS_NETWORK_ARCHITECTURE_H
#define TESTS_NETWORK_ARCHITECTURE_H

#include <math.h>
#include <stdint.h>

#include "graph/onnx_make.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, INT8 = ONNX__TENSOR_PROTO__DATA_TYPE__INT8, RANK_MOST = 4 };

typedef struct value {
    char name[16];
    int rank;
    int64_t dim[RANK_MOST];
    float *data; /* row-major */
} value;

typedef struct network {
    making m;
    int64_t opset;
    uint32_t names;
    value have[32];
    uint32_t have_count;
    bool stepped; /* a value is rounded to a few steps: a small error can become one of them */
} network;

/* ---- Random numbers -------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t below(uint32_t count) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % count;
}
static float uniform(void) { return (float)below(20001) / 10000 - 1; }

/* ---- Values ---------------------------------------------------------------------------------------------------- */

static int64_t count_of(const value *v) {
    int64_t count = 1;
    for (int i = 0; i < v->rank; i++) count *= v->dim[i];
    return count;
}

static value new_value(network *n, int rank, const int64_t *dim) {
    value v = {.rank = rank};
    snprintf(v.name, sizeof v.name, "v%u", n->names++);
    for (int i = 0; i < rank; i++) v.dim[i] = dim[i];
    v.data = make_room((size_t)count_of(&v) + 1, sizeof *v.data);
    return v;
}

/* Element number `i` as places along the axes. */
static void places_of(const value *v, int64_t i, int64_t at[RANK_MOST]) {
    for (int k = v->rank; k-- > 0;) at[k] = i % v->dim[k], i /= v->dim[k];
}

static float *element(const value *v, const int64_t *at) {
    int64_t i = 0;
    for (int k = 0; k < v->rank; k++) i = i * v->dim[k] + at[k];
    return &v->data[i];
}

/* The element of a value that broadcasts, its axes being the last ones of `rank`. */
static float spread(const value *v, int rank, const int64_t *at) {
    int64_t own[RANK_MOST] = {0};
    for (int k = 0; k < v->rank; k++) own[k] = v->dim[k] == 1 ? 0 : at[k + rank - v->rank];
    return *element(v, own);
}

static const char *shape_text(int rank, const int64_t *dim) {
    char *text = make_room(96, 1);
    for (int i = 0; i < rank; i++) sprintf(text + strlen(text), "%s%lld", i ? "," : "", (long long)dim[i]);
    return text;
}

static const char *text_of(const char *form, ...) __attribute__((format(printf, 1, 2)));
#include <stdarg.h>
static const char *text_of(const char *form, ...) {
    char *text = make_room(256, 1);
    va_list args;
    va_start(args, form);
    vsnprintf(text, 256, form, args);
    va_end(args);
    return text;
}

/* A constant of random numbers around `middle`. */
static value weights(network *n, float size, float middle, int rank, const int64_t *dim) {
    value v = new_value(n, rank, dim);
    for (int64_t i = 0; i < count_of(&v); i++) v.data[i] = middle + size * uniform();
    make_constant(&n->m, v.name, FLOAT, shape_text(rank, dim), v.data, (size_t)count_of(&v) * sizeof *v.data);
    return v;
}

static const char *ints(network *n, int count, const int64_t *list) {
    const char *name = text_of("v%u", n->names++), *shape = text_of("%d", count);
    make_constant(&n->m, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, shape, list, (size_t)count * sizeof *list);
    return name;
}

static void node(network *n, const char *op, const char *inputs, const value *y, const char *attributes) {
    make_node(&n->m, op, inputs, y->name, attributes);
}

#define DIMS(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

/* ---- Windows --------------------------------------------------------------------------------------------------- */

typedef struct window {
    int64_t kernel[2], stride[2], dilation[2], pad[4];
} window;

static window random_window(const value *x, bool dilated) {
    window w;
    for (int i = 0; i < 2; i++) {
        w.dilation[i] = dilated && below(4) == 0 ? 2 : 1;
        w.kernel[i] = 1 + below(3);
        if ((w.kernel[i] - 1) * w.dilation[i] + 1 > x->dim[2 + i]) w.kernel[i] = 1;
        w.stride[i] = 1 + below(2);
        w.pad[i] = below((uint32_t)w.kernel[i]);
        w.pad[2 + i] = below((uint32_t)w.kernel[i]);
    }
    return w;
}

static const char *window_text(const window *w) {
    return text_of("kernel_shape=[%d,%d] strides=[%d,%d] pads=[%d,%d,%d,%d]", (int)w->kernel[0], (int)w->kernel[1],
                   (int)w->stride[0], (int)w->stride[1], (int)w->pad[0], (int)w->pad[1], (int)w->pad[2],
                   (int)w->pad[3]);
}

static int64_t extent(const window *w, int axis, int64_t size) {
    return (size + w->pad[axis] + w->pad[2 + axis] - (w->kernel[axis] - 1) * w->dilation[axis] - 1) / w->stride[axis] +
           1;
}

/* The pixel under tap (ky, kx) of output (i, j) of channel c; false: it is padding. */
static bool tap(const value *x, const window *w, const int64_t *at, int64_t c, int64_t ky, int64_t kx, float *out) {
    int64_t y = at[2] * w->stride[0] + ky * w->dilation[0] - w->pad[0];
    int64_t z = at[3] * w->stride[1] + kx * w->dilation[1] - w->pad[1];
    if (y < 0 || y >= x->dim[2] || z < 0 || z >= x->dim[3]) return false;
    *out = *element(x, (int64_t[]){at[0], c, y, z});
    return true;
}

static value conv(network *n, const value *x) {
    window w = random_window(x, true);
    int64_t in = x->dim[1], group = below(4) ? 1 : in, out = group > 1 ? in * (1 + below(2)) : 1 + below(20);
    value k = weights(n, 1.5f / sqrtf((float)(in / group * w.kernel[0] * w.kernel[1])), 0,
                      DIMS(out, in / group, w.kernel[0], w.kernel[1]));
    value b = weights(n, 0.5f, 0, DIMS(out));
    value y = new_value(n, DIMS(x->dim[0], out, extent(&w, 0, x->dim[2]), extent(&w, 1, x->dim[3])));
    bool has_bias = below(4);
    node(n, "Conv", text_of(has_bias ? "%s %s %s" : "%s %s", x->name, k.name, b.name), &y,
         text_of("%s dilations=[%d,%d] group=%d", window_text(&w), (int)w.dilation[0], (int)w.dilation[1], (int)group));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST];
        places_of(&y, i, at);
        double sum = has_bias ? (double)b.data[at[1]] : 0;
        for (int64_t c = 0; c < in / group; c++)
            for (int64_t ky = 0; ky < w.kernel[0]; ky++)
                for (int64_t kx = 0; kx < w.kernel[1]; kx++) {
                    float p;
                    if (tap(x, &w, at, at[1] / (out / group) * (in / group) + c, ky, kx, &p))
                        sum += (double)p * (double)*element(&k, (int64_t[]){at[1], c, ky, kx});
                }
        y.data[i] = (float)sum;
    }
    return y;
}

static value conv_transpose(network *n, const value *x) {
    int64_t kernel = 1 + below(4), stride = 1 + below(3), pad = kernel > 2 ? below(2) : 0, out = 1 + below(9);
    int64_t more = below((uint32_t)stride), in = x->dim[1];
    value k = weights(n, 1.5f / sqrtf((float)(in * kernel)), 0, DIMS(in, out, kernel, kernel));
    value y = new_value(n, DIMS(x->dim[0], out, (x->dim[2] - 1) * stride + kernel - 2 * pad + more,
                                (x->dim[3] - 1) * stride + kernel - 2 * pad));
    node(n, "ConvTranspose", text_of("%s %s", x->name, k.name), &y,
         text_of("strides=[%d,%d] pads=[%d,%d,%d,%d] output_padding=[%d,0]", (int)stride, (int)stride, (int)pad,
                 (int)pad, (int)pad, (int)pad, (int)more));
    for (int64_t i = 0; i < count_of(x); i++) {
        int64_t at[RANK_MOST];
        places_of(x, i, at);
        for (int64_t o = 0; o < out; o++)
            for (int64_t ky = 0; ky < kernel; ky++)
                for (int64_t kx = 0; kx < kernel; kx++) {
                    int64_t to[] = {at[0], o, at[2] * stride + ky - pad, at[3] * stride + kx - pad};
                    if (to[2] < 0 || to[2] >= y.dim[2] || to[3] < 0 || to[3] >= y.dim[3]) continue;
                    *element(&y, to) += x->data[i] * *element(&k, (int64_t[]){at[1], o, ky, kx});
                }
    }
    return y;
}

static value pool(network *n, const value *x) {
    window w = random_window(x, false);
    bool most = below(2), counted = below(2);
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], extent(&w, 0, x->dim[2]), extent(&w, 1, x->dim[3])));
    node(n, most ? "MaxPool" : "AveragePool", x->name, &y,
         text_of("%s%s", window_text(&w), !most && counted ? " count_include_pad=1" : ""));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST], inside = 0;
        places_of(&y, i, at);
        double sum = 0, largest = -INFINITY;
        for (int64_t ky = 0; ky < w.kernel[0]; ky++)
            for (int64_t kx = 0; kx < w.kernel[1]; kx++) {
                float p;
                if (!tap(x, &w, at, at[1], ky, kx, &p)) continue;
                sum += (double)p, inside++, largest = fmax(largest, (double)p);
            }
        y.data[i] = (float)(most ? largest : sum / (double)(counted ? w.kernel[0] * w.kernel[1] : inside));
    }
    return y;
}

static value global_pool(network *n, const value *x) {
    bool most = below(2);
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], 1, 1));
    int64_t each = x->dim[2] * x->dim[3];
    node(n, most ? "GlobalMaxPool" : "GlobalAveragePool", x->name, &y, "");
    for (int64_t i = 0; i < count_of(&y); i++) {
        double sum = 0, largest = -INFINITY;
        for (int64_t k = 0; k < each; k++) {
            sum += (double)x->data[i * each + k];
            largest = fmax(largest, (double)x->data[i * each + k]);
        }
        y.data[i] = (float)(most ? largest : sum / (double)each);
    }
    return y;
}

/* ---- Matrices, normalization, reduction ------------------------------------------------------------------------ */

static value flatten(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], count_of(x) / x->dim[0]));
    node(n, "Flatten", x->name, &y, "");
    memcpy(y.data, x->data, (size_t)count_of(x) * sizeof *x->data);
    return y;
}

static value product(network *n, const value *from) {
    value x = flatten(n, from);
    int64_t in = x.dim[1], out = 1 + below(40);
    bool gemm = below(2), transposed = gemm && below(2);
    value k = transposed ? weights(n, 1.5f / sqrtf((float)in), 0, DIMS(out, in))
                         : weights(n, 1.5f / sqrtf((float)in), 0, DIMS(in, out));
    value b = weights(n, 0.5f, 0, DIMS(out)), y = new_value(n, DIMS(x.dim[0], out));
    if (gemm)
        node(n, "Gemm", text_of("%s %s %s", x.name, k.name, b.name), &y, text_of("transB=%d", transposed));
    else
        node(n, "MatMul", text_of("%s %s", x.name, k.name), &y, "");
    for (int64_t i = 0; i < count_of(&y); i++) {
        double sum = gemm ? (double)b.data[i % out] : 0;
        for (int64_t c = 0; c < in; c++)
            sum += (double)x.data[i / out * in + c] * (double)k.data[transposed ? i % out * in + c : c * out + i % out];
        y.data[i] = (float)sum;
    }
    return y;
}

static value batch_normalization(network *n, const value *x) {
    int64_t c = x->dim[1], each = count_of(x) / x->dim[0] / c;
    value s = weights(n, 0.5f, 1, DIMS(c)), b = weights(n, 0.5f, 0, DIMS(c)), mean = weights(n, 0.2f, 0, DIMS(c));
    value var = weights(n, 0.4f, 1, DIMS(c)), y = new_value(n, x->rank, x->dim);
    node(n, "BatchNormalization", text_of("%s %s %s %s %s", x->name, s.name, b.name, mean.name, var.name), &y,
         "epsilon=0.001");
    for (int64_t i = 0; i < count_of(x); i++) {
        int64_t k = i / each % c;
        y.data[i] = (x->data[i] - mean.data[k]) / sqrtf(var.data[k] + 0.001f) * s.data[k] + b.data[k];
    }
    return y;
}

/* Over the last `each` elements; the scale and the bias of element i are those of number (i / by) % many. */
static void normalize(const value *x, value *y, int64_t each, const value *s, const value *b, int64_t by, float epsilon) {
    for (int64_t i = 0; i < count_of(x); i++) {
        const float *own = &x->data[i / each * each];
        double mean = 0, square = 0;
        for (int64_t k = 0; k < each; k++) mean += (double)own[k] / (double)each;
        for (int64_t k = 0; k < each; k++) square += ((double)own[k] - mean) * ((double)own[k] - mean) / (double)each;
        int64_t k = i / by % count_of(s);
        y->data[i] = (float)(((double)x->data[i] - mean) / sqrt(square + (double)epsilon) * (double)s->data[k] +
                             (double)b->data[k]);
    }
}

static value normalization(network *n, const value *x) {
    bool layer = n->opset >= 17 && below(2);
    int64_t each = layer ? x->dim[3] : x->dim[2] * x->dim[3], count = layer ? x->dim[3] : x->dim[1];
    value s = weights(n, 0.5f, 1, DIMS(count)), b = weights(n, 0.5f, 0, DIMS(count));
    value y = new_value(n, x->rank, x->dim);
    node(n, layer ? "LayerNormalization" : "InstanceNormalization", text_of("%s %s %s", x->name, s.name, b.name), &y,
         "epsilon=0.125"); /* few elements, perhaps all alike: an error is not to become large */
    normalize(x, &y, each, &s, &b, layer ? 1 : each, 0.125f);
    return y;
}

static value reduction(network *n, const value *x) {
    static const char *const names[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"};
    uint32_t which = below(8) ? below(4) : 4;
    int64_t axis = 1 + below(3);
    value y = new_value(n, x->rank, x->dim);
    y.dim[axis] = 1;
    if (which == 1 && n->opset >= 13)
        node(n, names[which], text_of("%s %s", x->name, ints(n, 1, &axis)), &y, "");
    else
        node(n, names[which], x->name, &y, text_of("axes=[%d]", (int)axis));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST];
        double all = which == 2 ? -INFINITY : which == 3 ? INFINITY : which == 4;
        places_of(&y, i, at);
        for (at[axis] = 0; at[axis] < x->dim[axis]; at[axis]++) {
            double e = (double)*element(x, at);
            all = which == 2 ? fmax(all, e) : which == 3 ? fmin(all, e) : which == 4 ? all * e : all + e;
        }
        y.data[i] = (float)(which == 0 ? all / (double)x->dim[axis] : all);
    }
    return y;
}

static value softmax(network *n, const value *x) {
    bool logarithm = below(3) == 0;
    value y = new_value(n, x->rank, x->dim);
    int64_t each = x->dim[x->rank - 1];
    node(n, logarithm ? "LogSoftmax" : "Softmax", x->name, &y, text_of("axis=%d", x->rank - 1));
    for (int64_t i = 0; i < count_of(x); i++) {
        double sum = 0;
        for (int64_t k = 0; k < each; k++) sum += exp((double)x->data[i / each * each + k] - (double)x->data[i]);
        y.data[i] = (float)(logarithm ? -log(sum) : 1 / sum);
    }
    return y;
}

/* ---- One element of each --------------------------------------------------------------------------------------- */

enum { UNARY = 19 };

static double unary_of(uint32_t which, double x) {
    switch (which) {
    case 0: return fmax(x, 0);
    case 1: return x < 0 ? 0.125 * x : x;
    case 2: return x < 0 ? (double)0.3f * x : x;
    case 3: return fmin(fmax(x, -0.25), 0.75);
    case 4: return 1 / (1 + exp(-x));
    case 5: return fmax(0, fmin(1, 0.25 * x + 0.5));
    case 6: return x * fmax(0, fmin(1, x / 6 + 0.5));
    case 7: return x < 0 ? 0.5 * (exp(x) - 1) : x;
    case 8: return log(1 + exp(x));
    case 9: return tanh(x);
    case 10: return erf(x);
    case 11: return fabs(x);
    case 12: return -x;
    case 13: return exp(-fabs(x));
    case 14: return log(1 + fabs(x));
    case 15: return sqrt(fabs(x) + 0.25);
    case 16: return 1 / (1 + fabs(x));
    case 17: return x * x;
    default: return x;
    }
}

/* `op` of what is there by now, into y. */
static void write_unary(network *n, uint32_t which, const value *x, const value *y) {
    static const struct {
        const char *op, *attributes;
    } forms[] = {{"Relu", ""},   {"LeakyRelu", "alpha=0.125"}, {"LeakyRelu", "alpha=0.3"},  {"Clip", ""},
                 {"Sigmoid", ""}, {"HardSigmoid", "alpha=0.25 beta=0.5"}, {"HardSwish", ""}, {"Elu", "alpha=0.5"},
                 {"Softplus", ""}, {"Tanh", ""},               {"Erf", ""},                 {"Abs", ""},
                 {"Neg", ""},     {"Exp", ""},                 {"Log", ""},                 {"Sqrt", ""},
                 {"Reciprocal", ""}, {"Pow", ""},              {"Identity", ""}};
    if (which < 13 && which != 3) {
        node(n, forms[which].op, x->name, y, forms[which].attributes);
        return;
    }
    value one = weights(n, 0, which == 15 ? 0.25f : which == 17 ? 2 : 1, 0, NULL);
    value a = new_value(n, 0, NULL), b = new_value(n, 0, NULL);
    switch (which) {
    case 3:
        if (n->opset < 11) {
            node(n, "Clip", x->name, y, "min=-0.25 max=0.75");
        } else {
            value low = weights(n, 0, -0.25f, 0, NULL), high = weights(n, 0, 0.75f, 0, NULL);
            node(n, "Clip", text_of("%s %s %s", x->name, low.name, high.name), y, "");
        }
        return;
    case 13:
        node(n, "Abs", x->name, &a, ""), node(n, "Neg", a.name, &b, ""), node(n, "Exp", b.name, y, "");
        return;
    case 14:
    case 15:
    case 16:
        node(n, "Abs", x->name, &a, "");
        node(n, "Add", text_of("%s %s", a.name, one.name), &b, "");
        node(n, forms[which].op, b.name, y, "");
        return;
    case 17: node(n, "Pow", text_of("%s %s", x->name, one.name), y, ""); return;
    default: node(n, below(2) ? "Identity" : "Dropout", x->name, y, ""); return;
    }
}

static value unary(network *n, const value *x) {
    uint32_t which = below(3) ? below(4) : below(UNARY);
    value y = new_value(n, x->rank, x->dim);
    if (which == 6 && n->opset < 14) which = 4;
    write_unary(n, which, x, &y);
    for (int64_t i = 0; i < count_of(x); i++) y.data[i] = (float)unary_of(which, (double)x->data[i]);
    return y;
}

static double binary_of(uint32_t which, double a, double b) {
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return fmin(a, b);
    case 4: return fmax(a, b);
    case 5: return a / b;
    default: return a < 0 ? a * b : a;
    }
}

/* With a value of the same shape, else with a constant of each channel. */
static value binary(network *n, const value *x, const value *other) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Min", "Max", "Div", "PRelu"};
    bool same = x->rank == other->rank && !memcmp(x->dim, other->dim, sizeof x->dim);
    uint32_t which = same && below(2) ? 0 : below(same ? 5 : 7);
    value by = same ? *other : weights(n, 0.5f, 1, DIMS(x->dim[1], 1, 1)), y = new_value(n, x->rank, x->dim);
    bool sum = same && which == 0 && below(4) == 0; /* of three */
    node(n, sum ? "Sum" : names[which], text_of(sum ? "%s %s %s" : "%s %s", x->name, by.name, x->name), &y, "");
    for (int64_t i = 0; i < count_of(x); i++) {
        int64_t at[RANK_MOST];
        places_of(x, i, at);
        y.data[i] = (float)binary_of(which, (double)x->data[i], (double)spread(&by, x->rank, at));
        if (sum) y.data[i] += x->data[i];
    }
    return y;
}

/* A comparison decides: operators of bools. */
static value choice(network *n, const value *x) {
    value limit = weights(n, 0, 0.123f, 0, NULL), is = new_value(n, 0, NULL), y = new_value(n, x->rank, x->dim);
    node(n, below(2) ? "Less" : "Greater", text_of("%s %s", x->name, limit.name), &is, "");
    bool less = !strcmp(n->m.nodes[n->m.graph.n_node - 1]->op_type, "Less");
    node(n, "Where", text_of("%s %s %s", is.name, x->name, limit.name), &y, "");
    for (int64_t i = 0; i < count_of(x); i++) {
        bool chosen = less ? x->data[i] < limit.data[0] : x->data[i] > limit.data[0];
        y.data[i] = chosen ? x->data[i] : limit.data[0];
    }
    return y;
}

/* Rounded to integers of 8 bits and back. */
static value steps(network *n, const value *x) {
    value scale = weights(n, 0, 1.0f / 32, 0, NULL), q = new_value(n, 0, NULL), y = new_value(n, x->rank, x->dim);
    const char *zero = text_of("v%u", n->names++);
    make_constant(&n->m, zero, INT8, "", (int8_t[]){0}, 1);
    node(n, "QuantizeLinear", text_of("%s %s %s", x->name, scale.name, zero), &q, "");
    node(n, "DequantizeLinear", text_of("%s %s %s", q.name, scale.name, zero), &y, "");
    for (int64_t i = 0; i < count_of(x); i++)
        y.data[i] = (float)fmin(fmax(nearbyint((double)x->data[i] * 32), -128), 127) / 32;
    n->stepped = true;
    return y;
}

/* ---- What moves elements --------------------------------------------------------------------------------------- */

/* y[at] = x[from], places by `map`. */
static void move(const value *x, value *y, void (*map)(const value *, const int64_t *, int64_t *, const int64_t *),
                 const int64_t *how) {
    for (int64_t i = 0; i < count_of(y); i++) {
        int64_t at[RANK_MOST] = {0}, from[RANK_MOST] = {0};
        places_of(y, i, at);
        map(x, at, from, how);
        y->data[i] = *element(x, from);
    }
}

static void by_order(const value *x, const int64_t *at, int64_t *from, const int64_t *order) {
    for (int k = 0; k < x->rank; k++) from[order[k]] = at[k];
}

static value transposed(network *n, const value *x) {
    int64_t order[] = {0, 1, 2, 3}, a = 1 + below(3), b = 1 + below(3), dim[RANK_MOST], keep = order[a];
    order[a] = order[b], order[b] = keep;
    for (int k = 0; k < x->rank; k++) dim[k] = x->dim[order[k]];
    value y = new_value(n, x->rank, dim);
    node(n, "Transpose", x->name, &y,
         text_of("perm=[%d,%d,%d,%d]", (int)order[0], (int)order[1], (int)order[2], (int)order[3]));
    move(x, &y, by_order, order);
    return y;
}

static void by_slice(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    for (int k = 0; k < x->rank; k++) from[k] = at[k] + (k == how[0] ? how[1] : 0);
}

static value slice(network *n, const value *x) {
    int64_t axis = 1 + below(3), start = below((uint32_t)x->dim[axis]);
    int64_t end = start + 1 + below((uint32_t)(x->dim[axis] - start)), dim[RANK_MOST];
    memcpy(dim, x->dim, sizeof dim);
    dim[axis] = end - start;
    value y = new_value(n, x->rank, dim);
    if (n->opset < 10)
        node(n, "Slice", x->name, &y,
             text_of("axes=[%d] starts=[%d] ends=[%d]", (int)axis, (int)start, (int)end));
    else
        node(n, "Slice", text_of("%s %s %s %s", x->name, ints(n, 1, &start), ints(n, 1, &end), ints(n, 1, &axis)), &y, "");
    move(x, &y, by_slice, (int64_t[]){axis, start});
    return y;
}

static value concat(network *n, const value *x, const value *z) {
    int64_t axis = 1 + below(3), dim[RANK_MOST];
    memcpy(dim, x->dim, sizeof dim);
    if (x->rank != z->rank || memcmp(x->dim, z->dim, sizeof dim)) z = x;
    dim[axis] *= 2;
    value y = new_value(n, x->rank, dim);
    node(n, "Concat", text_of("%s %s", x->name, z->name), &y, text_of("axis=%d", (int)axis));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST];
        places_of(&y, i, at);
        bool second = at[axis] >= x->dim[axis];
        at[axis] -= second ? x->dim[axis] : 0;
        y.data[i] = *element(second ? z : x, at);
    }
    return y;
}

static value padded(network *n, const value *x) {
    static const char *const modes[] = {"constant", "edge", "reflect"};
    uint32_t mode = x->dim[2] > 1 && x->dim[3] > 1 ? below(3) : below(2);
    int64_t pads[8] = {0, 0, below(2), 1, 0, 0, 1, below(2)};
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2] + pads[2] + pads[6], x->dim[3] + pads[3] + pads[7]));
    if (n->opset < 11)
        node(n, "Pad", x->name, &y,
             text_of("mode:%s pads=[0,0,%d,%d,0,0,%d,%d]", modes[mode], (int)pads[2], (int)pads[3], (int)pads[6],
                     (int)pads[7]));
    else
        node(n, "Pad", text_of("%s %s", x->name, ints(n, 8, pads)), &y, text_of("mode:%s", modes[mode]));
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST];
        bool outside = false;
        places_of(&y, i, at);
        for (int k = 2; k < 4; k++) {
            int64_t p = at[k] - pads[k], last = x->dim[k] - 1;
            outside |= p < 0 || p > last;
            if (mode == 2) p = p < 0 ? -p : p > last ? 2 * last - p : p;
            at[k] = p < 0 ? 0 : p > last ? last : p;
        }
        y.data[i] = outside && mode == 0 ? 0 : *element(x, at);
    }
    return y;
}

static void by_repeat(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    for (int k = 0; k < x->rank; k++) from[k] = k < 2 ? at[k] : at[k] / how[k - 2];
}

static value upsampled(network *n, const value *x) {
    int64_t scale[] = {1 + below(2), 2};
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2] * scale[0], x->dim[3] * scale[1]));
    const char *name = text_of("v%u", n->names++);
    float scales[] = {1, 1, (float)scale[0], (float)scale[1]};
    make_constant(&n->m, name, FLOAT, "4", scales, sizeof scales);
    if (n->opset < 10)
        node(n, "Upsample", text_of("%s %s", x->name, name), &y, "mode:nearest");
    else if (n->opset == 10)
        node(n, "Resize", text_of("%s %s", x->name, name), &y, "mode:nearest");
    else
        node(n, "Resize", text_of("%s - %s", x->name, name), &y,
             "mode:nearest coordinate_transformation_mode:asymmetric nearest_mode:floor");
    move(x, &y, by_repeat, scale);
    return y;
}

static void by_depth(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    int64_t b = how[0], c = x->dim[1] / b / b;
    from[0] = at[0], from[1] = (at[2] % b * b + at[3] % b) * c + at[1];
    from[2] = at[2] / b, from[3] = at[3] / b;
}

static value depth_to_space(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1] / 4, x->dim[2] * 2, x->dim[3] * 2));
    node(n, "DepthToSpace", x->name, &y, "blocksize=2");
    move(x, &y, by_depth, (int64_t[]){2});
    return y;
}

static void by_space(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    int64_t b = how[0], c = x->dim[1];
    from[0] = at[0], from[1] = at[1] % c;
    from[2] = at[2] * b + at[1] / c / b, from[3] = at[3] * b + at[1] / c % b;
}

static value space_to_depth(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1] * 4, x->dim[2] / 2, x->dim[3] / 2));
    node(n, "SpaceToDepth", x->name, &y, "blocksize=2");
    move(x, &y, by_space, (int64_t[]){2});
    return y;
}

static value same_elements(network *n, const value *x, int rank, const int64_t *dim) {
    value y = new_value(n, rank, dim);
    memcpy(y.data, x->data, (size_t)count_of(x) * sizeof *x->data);
    return y;
}

/* To another shape, through an axis that comes and goes, or by the shape that the value has itself. */
static value reshaped(network *n, const value *x) {
    const int64_t *d = x->dim, dim[] = {d[0], d[1] * d[2], 1, d[3]}, rows = d[1] * d[2];
    if (below(3) == 0) {
        value shape = new_value(n, 0, NULL), y = same_elements(n, x, x->rank, d);
        node(n, "Shape", x->name, &shape, "");
        node(n, "Reshape", text_of("%s %s", x->name, shape.name), &y, "");
        return y;
    }
    value y = same_elements(n, x, 4, dim), flat = same_elements(n, x, 3, (int64_t[]){d[0], rows, d[3]});
    node(n, "Reshape", text_of("%s %s", x->name, ints(n, 3, (int64_t[]){0, -1, d[3]})), &flat, "");
    if (n->opset < 13)
        node(n, "Unsqueeze", flat.name, &y, "axes=[2]");
    else
        node(n, "Unsqueeze", text_of("%s %s", flat.name, ints(n, 1, (int64_t[]){2})), &y, "");
    return y;
}

/* Channels in another order: chosen by number, or two halves that change places. */
static value shuffled(network *n, const value *x) {
    int64_t c = x->dim[1], half = c / 2;
    value y = new_value(n, x->rank, x->dim);
    if (c % 2 == 0 && below(2)) {
        const int64_t parts[] = {half, half};
        value a = new_value(n, 0, NULL), b = new_value(n, 0, NULL);
        const char *both = text_of("%s %s", a.name, b.name);
        if (n->opset < 13)
            make_node(&n->m, "Split", x->name, both, text_of("axis=1 split=[%d,%d]", (int)half, (int)half));
        else
            make_node(&n->m, "Split", text_of("%s %s", x->name, ints(n, 2, parts)), both, "axis=1");
        node(n, "Concat", text_of("%s %s", b.name, a.name), &y, "axis=1");
    } else {
        int64_t *order = make_room((size_t)c, sizeof *order);
        half = below((uint32_t)c);
        for (int64_t i = 0; i < c; i++) order[i] = (i + half) % c;
        node(n, "Gather", text_of("%s %s", x->name, ints(n, (int)c, order)), &y, "axis=1");
    }
    for (int64_t i = 0; i < count_of(&y); i++) {
        int64_t at[RANK_MOST];
        places_of(&y, i, at);
        at[1] = (at[1] + half) % c;
        y.data[i] = *element(x, at);
    }
    return y;
}

static void by_tile(const value *x, const int64_t *at, int64_t *from, const int64_t *how) {
    (void)how;
    for (int k = 0; k < x->rank; k++) from[k] = at[k] % x->dim[k];
}

static value tiled(network *n, const value *x) {
    value y = new_value(n, DIMS(x->dim[0], x->dim[1], x->dim[2], x->dim[3] * 2));
    node(n, "Tile", text_of("%s %s", x->name, ints(n, DIMS(1, 1, 1, 2))), &y, "");
    move(x, &y, by_tile, NULL);
    return y;
}

/* ---- Networks -------------------------------------------------------------------------------------------------- */

static value moved(network *n, const value *x, const value *other) {
    switch (below(10)) {
    case 0: return transposed(n, x);
    case 1: return slice(n, x);
    case 2: return concat(n, x, other);
    case 3: return padded(n, x);
    case 4: return upsampled(n, x);
    case 5: return x->dim[1] % 4 ? shuffled(n, x) : depth_to_space(n, x);
    case 6: return x->dim[2] % 2 || x->dim[3] % 2 ? padded(n, x) : space_to_depth(n, x);
    case 7: return reshaped(n, x);
    case 8: return below(4) ? shuffled(n, x) : tiled(n, x);
    default: return concat(n, x, x);
    }
}

static value grow(network *n, const value *x, const value *other) {
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
    case 3: return conv(n, x);
    case 4: return conv_transpose(n, x);
    case 5: return pool(n, x);
    case 6: return batch_normalization(n, x);
    case 7:
    case 8: return unary(n, x);
    case 9:
    case 10: return binary(n, x, other);
    case 11: return moved(n, x, other);
    case 12: return below(3) ? reduction(n, x) : normalization(n, x);
    default: return below(4) ? softmax(n, x) : below(2) ? steps(n, x) : choice(n, x);
    }
}

static bool is_small(const value *v) {
    for (int64_t i = 0; i < count_of(v); i++)
        if (!(fabsf(v->data[i]) < 50)) return false;
    return count_of(v) <= 3000;
}

/* Of 3 to 10 nodes behind one input of images; the last value is the output. Deterministic. */
static void random_network(network *n, uint32_t seed) {
    static const int64_t opsets[] = {7, 9, 10, 11, 13, 15, 17};
    random_state = seed * 7919u + 1;
    memset(n, 0, sizeof *n);
    n->opset = opsets[below(7)];
    make_model(&n->m, n->opset);
    value x = new_value(n, DIMS(1 + below(2), 1 + below(18), 3 + below(7), 3 + below(7)));
    for (int64_t i = 0; i < count_of(&x); i++) x.data[i] = uniform();
    make_input(&n->m, x.name, FLOAT, shape_text(x.rank, x.dim));
    n->have[n->have_count++] = x;
    uint32_t nodes = 2 + below(7);
    while (n->have_count <= nodes) {
        const value *last = &n->have[n->have_count - 1 - (n->have_count > 2 ? below(2) : 0)];
        value y = grow(n, last, &n->have[below(n->have_count)]);
        n->have[n->have_count++] = y;
        if (!is_small(&y)) break;
    }
    if (below(2)) {
        const value *last = &n->have[n->have_count - 1];
        value mean = global_pool(n, last), y = product(n, below(2) ? &mean : last);
        n->have[n->have_count++] = y;
    }
    make_output(&n->m, n->have[n->have_count - 1].name);
}

#endif

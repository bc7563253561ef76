/* Random networks: nodes that sum, over windows, rows and axes. Each is written and computed at once. */
#ifndef TESTS_NETWORK_NODE_SUMS_H
#define TESTS_NETWORK_NODE_SUMS_H

#include "node_values.h"

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
        int64_t at[RANK_MAX];
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
        int64_t at[RANK_MAX];
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
        int64_t at[RANK_MAX], inside = 0;
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
static void normalize(const value *x, value *y, int64_t each, const value *s, const value *b, int64_t by,
                      float epsilon) {
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
        int64_t at[RANK_MAX];
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

#endif

/* Random networks of floats: convolutions with and without groups, pooling, sums, concatenations, activations, nodes
 * that have no integer form, and a classifier at the end. Two outputs. */
#ifndef TESTS_QUANT_RANDOM_GRAPH_H
#define TESTS_QUANT_RANDOM_GRAPH_H

#include "graph/build.h"

static uint64_t state;

static uint32_t next(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static float unit(void) { return (float)next(20001) / 10000 - 1; }

static vt_gvalue *randoms(world *w, const char *name, vt_gtype t, float size) {
    size_t count = (size_t)vt_gtype_count(&t);
    float *data = VT_NEW_ARRAY(&w->ctx, float, count);
    for (size_t i = 0; i < count; i++) data[i] = unit() * size;
    return vt_graph_constant(w->g, name, t, data);
}

static vt_gvalue *conv(world *w, vt_gvalue *x) {
    int64_t in = x->type.dim[1], group = next(4) ? 1 : in, out = group > 1 ? in : 1 + next(9);
    int64_t rows = 1 + next(3), columns = 1 + next(3), apart = 1 + (next(4) == 0);
    if (rows > x->type.dim[2]) rows = 1;
    if ((columns - 1) * apart >= x->type.dim[3]) columns = 1;
    int64_t above = next(2) * (rows / 2), left = next(2);
    vt_gvalue *weight = randoms(w, "weight", TYPE(F32, out, in / group, rows, columns), 1.0f / (float)(rows * columns));
    vt_gvalue *bias = randoms(w, "bias", TYPE(F32, out), 0.5f);
    vt_gattr attributes[] = {INTS(STRIDES, 1 + next(2), 1 + next(2)), INTS(PADS, above, left, above, 1),
                             INTS(DILATIONS, 1, apart), VT_GSET_INT(GROUP, group)};
    vt_gvalue *in_[3] = {x, weight, bias};
    vt_gnode_spec spec = {VT_G_CONV, "conv", NULL, next(4) ? 3 : 2, 4, in_, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *conv_transpose(world *w, vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    int64_t out = 1 + next(9), kernel = 1 + next(4), stride = 1 + next(3), pad = kernel > 1 ? next(2) : 0;
    if (d[2] * d[3] > 150 || kernel <= pad * 2) return conv(w, x);
    int64_t columns = pad ? kernel : 1 + next(4);
    vt_gvalue *weight = randoms(w, "up", TYPE(F32, d[1], out, kernel, columns), 1.0f / (float)(d[1] * kernel));
    vt_gvalue *bias = randoms(w, "bias", TYPE(F32, out), 0.5f);
    vt_gattr attributes[] = {INTS(STRIDES, stride, 2), INTS(PADS, pad, pad, 0, pad), INTS(DILATIONS, 1, 1),
                             INTS(OUTPUT_PADS, next((uint32_t)stride), next(2))};
    vt_gvalue *in[3] = {x, weight, bias};
    vt_gnode_spec spec = {VT_G_CONV_TRANSPOSE, "spread", NULL, next(4) ? 3 : 2, 4, in, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *pool(world *w, vt_gvalue *x, vt_gop op) {
    int64_t size = x->type.dim[2] < 2 || x->type.dim[3] < 2 ? 1 : 2, pad = op == VT_G_MAX_POOL ? size - 1 : 0;
    int64_t columns = size > 1 && x->type.dim[3] > 2 ? 2 + next(2) : size;
    return vt_graph_apply(w->g, op, "pool", x, NULL,
                          ATTRIBUTES(INTS(KERNEL, size, columns), INTS(STRIDES, size, 1), INTS(PADS, pad, 0, 0, pad),
                                     INTS(DILATIONS, 1, 1)));
}

static vt_gvalue *activation(world *w, vt_gvalue *x) {
    if (next(2)) return vt_graph_apply(w->g, VT_G_RELU, "relu", x, NULL, 0, NULL);
    if (next(2))
        return vt_graph_apply(w->g, VT_G_LEAKY_RELU, "leaky", x, NULL, ATTRIBUTES(VT_GSET_FLOAT(ALPHA, 0.125)));
    return vt_graph_apply(w->g, VT_G_CLIP, "clip", x, NULL,
                          ATTRIBUTES(VT_GSET_FLOAT(MIN, -0.25), VT_GSET_FLOAT(MAX, 0.75)));
}

static vt_gvalue *upsample(world *w, vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    if (d[2] * d[3] > 200) return x;
    return vt_graph_apply(w->g, VT_G_RESIZE, "up", x, NULL,
                          ATTRIBUTES({.name = VT_A_COORDINATES, .i = VT_COORDINATES_ASYMMETRIC},
                                     {.name = VT_A_ROUNDING, .i = VT_ROUNDING_FLOOR}, FLOATS(SCALES, 1, 1, 2, 3),
                                     INTS(SHAPE, d[0], d[1], 2 * d[2], 3 * d[3])));
}

static vt_gvalue *scale(world *w, vt_gvalue *x) {
    vt_gvalue *by = randoms(w, "by", TYPE(F32, x->type.dim[1], 1, 1), 1);
    vt_gvalue *y = vt_graph_apply(w->g, next(2) ? VT_G_MUL : VT_G_ADD, "scale", x, by, 0, NULL);
    return next(2) ? scale(w, y) : y;
}

/* By a factor for each channel, or for each element. */
static vt_gvalue *multiplied(world *w, vt_gvalue *x) {
    vt_gvalue *y = conv(w, x), *by;
    if (next(2))
        by = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", y, NULL,
                            ATTRIBUTES(INTS(AXES, 2, 3), VT_GSET_INT(KEEPDIMS, 1)));
    else
        by = vt_graph_apply(
            w->g, VT_G_MAX_POOL, "most", y, NULL,
            ATTRIBUTES(INTS(KERNEL, 3, 3), INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1)));
    by = vt_graph_apply(w->g, VT_G_SIGMOID, "gate", by, NULL, 0, NULL);
    return conv(w, vt_graph_apply(w->g, VT_G_MUL, "times", y, by, 0, NULL));
}

/* Rows become columns, and half of the channels stay. */
static vt_gvalue *moved(world *w, vt_gvalue *x) {
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_TRANSPOSE, "turned", conv(w, x), NULL, ATTRIBUTES(INTS(PERM, 0, 1, 3, 2)));
    const int64_t *d = y->type.dim;
    if (d[1] > 1)
        y = vt_graph_apply(w->g, VT_G_SLICE, "half", y, NULL,
                           ATTRIBUTES(INTS(STARTS, 0, d[1] / 2, 0, 0), INTS(STEPS, 1, 1, 1, 1),
                                      INTS(SHAPE, d[0], d[1] - d[1] / 2, d[2], d[3])));
    return conv(w, y);
}

static vt_gvalue *shaped(world *w, vt_gvalue *x, int64_t a, int64_t b, int64_t c) {
    return vt_graph_apply(w->g, VT_G_RESHAPE, "shaped", x, NULL, ATTRIBUTES(INTS(SHAPE, a, b, c)));
}

static vt_gvalue *turned(world *w, vt_gvalue *x) {
    return vt_graph_apply(w->g, VT_G_TRANSPOSE, "columns", x, NULL, ATTRIBUTES(INTS(PERM, 0, 2, 1)));
}

/* Channels, many enough for a product of two matrices of them. */
static vt_gvalue *many(world *w, vt_gvalue *x, int64_t channels) {
    vt_gvalue *in[] = {x, randoms(w, "many", TYPE(F32, channels, x->type.dim[1], 1, 1), 1)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    vt_gnode_spec spec = {VT_G_CONV, "many", NULL, 2, 4, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

/* Pixels by pixels, on the way perhaps a factor, a limit, shares of each row or floats, and by pixels again. */
static vt_gvalue *attended(world *w, vt_gvalue *x) {
    const int64_t *d = x->type.dim;
    int64_t n = d[0], c = 24 + next(20), p = d[2] * d[3];
    vt_gvalue *keys = shaped(w, many(w, x, c), n, c, p), *queries = turned(w, shaped(w, many(w, x, c), n, c, p));
    vt_gvalue *values = shaped(w, many(w, x, c), n, c, p), *y;
    if (next(3) == 0) queries = vt_graph_apply(w->g, VT_G_SIGMOID, "float", queries, NULL, 0, NULL);
    if (next(3) == 0)
        values = vt_graph_apply(w->g, VT_G_SOFTMAX, "parts", values, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, 2)));
    y = vt_graph_apply(w->g, VT_G_MAT_MUL, "scores", queries, keys, 0, NULL);
    if (next(2))
        y = vt_graph_apply(w->g, next(2) ? VT_G_MUL : VT_G_DIV, "scaled", y, vt_graph_scalar(w->g, "quarter", 0.25f), 0,
                           NULL);
    if (next(3) == 0) y = activation(w, y);
    if (next(2)) y = vt_graph_apply(w->g, VT_G_SOFTMAX, "shares", y, NULL, ATTRIBUTES(VT_GSET_INT(AXIS, 2)));
    y = turned(w, vt_graph_apply(w->g, VT_G_MAT_MUL, "mixed", y, turned(w, values), 0, NULL));
    y = vt_graph_apply(w->g, VT_G_RESHAPE, "image", y, NULL, ATTRIBUTES(INTS(SHAPE, n, c, d[2], d[3])));
    return next(2) ? conv(w, y) : vt_graph_apply(w->g, VT_G_RELU, "relu", y, NULL, 0, NULL);
}

/* Among the nodes are products of two values and nodes that move elements, too; or products of matrices of them. */
static bool with_more, with_matrices;

static vt_gvalue *grow(world *w, vt_gvalue **have, uint32_t count) {
    vt_gvalue *x = have[next(count)], *y = have[next(count)];
    if (with_matrices && next(3) == 0) return attended(w, x);
    if (with_more && next(4) == 0) return next(2) ? multiplied(w, x) : moved(w, x);
    switch (next(11)) {
    case 0:
    case 1:
    case 2: return conv(w, x);
    case 3:
    case 4: return activation(w, x);
    case 5: return pool(w, x, next(2) ? VT_G_MAX_POOL : VT_G_AVERAGE_POOL);
    case 6:
        return vt_gtype_equal(&x->type, &y->type) ? vt_graph_apply(w->g, VT_G_ADD, "sum", x, y, 0, NULL) : conv(w, x);
    case 7: return next(2) ? upsample(w, x) : scale(w, conv(w, x));
    case 8: return vt_graph_apply(w->g, VT_G_CONCAT, "concat", x, x, ATTRIBUTES(VT_GSET_INT(AXIS, 1)));
    case 9: return conv_transpose(w, x);
    default: return vt_graph_apply(w->g, VT_G_SIGMOID, "sigmoid", x, NULL, 0, NULL);
    }
}

static void end_in_classes(world *w, vt_gvalue *x) {
    vt_gvalue *mean = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", x, NULL,
                                     ATTRIBUTES(INTS(AXES, 2, 3), VT_GSET_INT(KEEPDIMS, next(2))));
    vt_gvalue *flat =
        vt_graph_apply(w->g, VT_G_RESHAPE, "flat", mean, NULL, ATTRIBUTES(INTS(SHAPE, x->type.dim[0], x->type.dim[1])));
    bool transposed = next(2);
    int64_t in = x->type.dim[1], out = 1 + next(12);
    vt_gvalue *weight = randoms(w, "dense", transposed ? TYPE(F32, out, in) : TYPE(F32, in, out), 1);
    vt_gvalue *bias = randoms(w, "dense_bias", TYPE(F32, out), 1);
    vt_gvalue *in_[3] = {flat, weight, bias};
    vt_gnode_spec spec = {VT_G_GEMM, "gemm", NULL, 3, 1, in_, (vt_gattr[]){VT_GSET_INT(TRANS_B, transposed)}};
    vt_graph_output(w->g, vt_graph_add(w->g, &spec)->outputs[0], "scores");
}

static inline void random_graph(world *w) {
    vt_gvalue *have[12];
    uint32_t count = 0, nodes = 2 + next(9);
    have[count++] = vt_graph_input(w->g, "x", TYPE(F32, 1 + next(2), 1 + next(4), 4 + next(8), 4 + next(8)));
    while (count <= nodes) have[count] = grow(w, have, count), count++;
    vt_graph_output(w->g, have[count - 1], "last");
    end_in_classes(w, have[count - 1]);
}

/* Values from -1 to 1. */
static float *random_input(world *w) {
    const vt_gtype *t = &w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = unit();
    return x;
}

#endif

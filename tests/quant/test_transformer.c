/* What transformers ask of a quantizer: sums that normalizations read stay floats, results of products keep 16 bits
 * behind a reshape, channels of them have scales of their own, and operands with outliers have a fine part. */
#include "graph/build.h"

#include <math.h>
#include <stdlib.h>

#include "frontend/quant/outlier.h"
#include "support/check.h"

enum { WIDTH = 6, ROWS = 3 };

static uint64_t dice = 7;

static float unit(void) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (float)(dice >> 33) / 0x1p30f - 1;
}

static vt_gvalue *weights(world *w, const char *name, int64_t ins, int64_t outs) {
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)(ins * outs));
    for (int64_t i = 0; i < ins * outs; i++) data[i] = unit() * (float)(1 + i % outs); /* channels of different sizes */
    return vt_graph_constant(w->g, name, TYPE(F32, ins, outs), data);
}

static vt_gvalue *product(world *w, const char *name, vt_gvalue *x, int64_t outs) {
    return vt_graph_apply(w->g, VT_G_MAT_MUL, name, x, weights(w, "w", x->type.dim[1], outs), 0, NULL);
}

/* Every value ranges to 4. */
static const vt_qnet *quantized(world *w, vt_gvalue *y) {
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .wide_max = 1 << 16};
    vt_graph_output(w->g, y, "y");
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    for (uint32_t i = 0; i < w->g->values.count; i++) vt_ranges_set(ranges, w->g->values.item[i], 4);
    return vt_quantize(w->g, ranges, &options);
}

static const vt_qlayer *layer_of(const vt_qnet *net, const char *name) {
    for (uint32_t i = 0; i < net->layer_count; i++)
        if (!strcmp(net->layers[i]->output->name, name) && net->layers[i]->kind != VT_Q_DEQUANTIZE)
            return net->layers[i];
    fail_msg("no layer computes %s:\n%s", name, vt_qnet_text(net));
    return NULL;
}

/* ---- Sums ---- */

/* x + x * w, read as `read` says. */
static vt_gvalue *sum_of(world *w, vt_gvalue **out_x) {
    *out_x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, WIDTH));
    return vt_graph_apply(w->g, VT_G_ADD, "sum", product(w, "first", *out_x, WIDTH), *out_x, 0, NULL);
}

static vt_gvalue *normalized(world *w, vt_gvalue *x) {
    vt_gvalue *square = vt_graph_apply(w->g, VT_G_MUL, "square", x, x, 0, NULL);
    vt_gvalue *mean = vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", square, NULL,
                                     ATTRIBUTES(INTS(AXES, 1), VT_GSET_INT(KEEPDIMS, 1)));
    vt_gvalue *root = vt_graph_apply(w->g, VT_G_SQRT, "root", mean, NULL, 0, NULL);
    return vt_graph_apply(w->g, VT_G_DIV, "normalized", x, root, 0, NULL);
}

static void stream(world *w) {
    vt_gvalue *x, *sum = sum_of(w, &x);
    vt_gvalue *second =
        vt_graph_apply(w->g, VT_G_ADD, "again", sum, product(w, "second", normalized(w, sum), WIDTH), 0, NULL);
    const vt_qnet *net = quantized(w, product(w, "y", normalized(w, second), 2));
    assert_int_equal(layer_of(net, "sum")->kind, VT_Q_FLOAT);
    assert_int_equal(layer_of(net, "again")->kind, VT_Q_FLOAT);
    assert_int_equal(layer_of(net, "first")->kind, VT_Q_DENSE);
}

static void read_by_a_product(world *w) {
    vt_gvalue *x, *sum = sum_of(w, &x);
    vt_gvalue *relu = vt_graph_apply(w->g, VT_G_RELU, "relu", sum, NULL, 0, NULL);
    assert_int_equal(layer_of(quantized(w, product(w, "y", relu, 2)), "relu")->kind, VT_Q_DENSE);
}

static void read_by_an_output(world *w) {
    vt_gvalue *x, *sum = sum_of(w, &x);
    assert_int_equal(layer_of(quantized(w, vt_graph_apply(w->g, VT_G_RELU, "relu", sum, NULL, 0, NULL)), "relu")->kind,
                     VT_Q_DENSE);
}

TEST_CASE(test_sums) { in_a_world(stream), in_a_world(read_by_a_product), in_a_world(read_by_an_output); }

/* ---- Results ---- */

/* Nothing but floats reads the result: 16 bits, and the largest weight of every channel is 127. */
static void heads(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, WIDTH));
    vt_gvalue *y =
        vt_graph_apply(w->g, VT_G_RESHAPE, "heads", product(w, "all", x, 4), NULL, ATTRIBUTES(INTS(SHAPE, ROWS, 2, 2)));
    const vt_qlayer *l = layer_of(quantized(w, y), "all");
    assert_int_equal(l->output->type.element, VT_ELEMENT_I16);
    assert_non_null(l->output->channel);
    for (int o = 0; o < 4; o++) {
        int largest = 0;
        for (int i = 0; i < WIDTH; i++)
            if (abs(l->weight[o * WIDTH + i]) > largest) largest = abs(l->weight[o * WIDTH + i]);
        assert_int_equal(largest, 127);
    }
}

/* A product reads it: a reshape of integers, of 8 bits. */
static void moved(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, WIDTH));
    vt_gvalue *m = vt_graph_apply(w->g, VT_G_RESHAPE, "moved", product(w, "all", x, 4), NULL,
                                  ATTRIBUTES(INTS(SHAPE, 2 * ROWS, 2)));
    const vt_qnet *net = quantized(w, product(w, "y", m, 2));
    assert_int_equal(layer_of(net, "moved")->kind, VT_Q_RESHAPE);
    assert_int_equal(layer_of(net, "all")->output->type.element, VT_ELEMENT_I8);
}

/* Weights are too many for 16 bits, so that a function of the result is a table of 8. */
static void functions(world *w) {
    enum { MANY = 260 };
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, MANY)), *y = product(w, "all", x, MANY);
    y = vt_graph_apply(w->g, VT_G_SIGMOID, "gate", y, NULL, 0, NULL);
    const vt_qnet *net = quantized(w, product(w, "y", y, 2));
    assert_int_equal(layer_of(net, "all")->output->type.element, VT_ELEMENT_I8);
    assert_int_equal(layer_of(net, "gate")->kind, VT_Q_TABLE);
}

/* Few weights, but `rows` of 64 results: `gate` is a function of them, for a product; `of_two`: times another result.
 */
static void gate(world *w, int64_t rows, bool of_two, vt_element element, vt_qkind kind) {
    enum { SIDE = 64 };
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, rows, SIDE)), *all = product(w, "all", x, SIDE);
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_SIGMOID, "sigmoid", all, NULL, 0, NULL);
    y = vt_graph_apply(w->g, VT_G_MUL, "gate", of_two ? product(w, "other", x, SIDE) : all, y, 0, NULL);
    const vt_qnet *net = quantized(w, product(w, "y", y, 2));
    assert_int_equal(layer_of(net, "all")->output->type.element, element);
    assert_int_equal(layer_of(net, "gate")->kind, kind);
}

/* The host would compute 4160 functions; what another value is a part of is no table, and 4096 are few. */
static void many_functions(world *w) { gate(w, 65, false, VT_ELEMENT_I8, VT_Q_TABLE); }
static void gates_of_two(world *w) { gate(w, 65, true, VT_ELEMENT_I16, VT_Q_FLOAT); }
static void few_functions(world *w) { gate(w, 64, false, VT_ELEMENT_I16, VT_Q_FLOAT); }

TEST_CASE(test_results) {
    in_a_world(heads), in_a_world(moved), in_a_world(functions);
    in_a_world(many_functions), in_a_world(gates_of_two), in_a_world(few_functions);
}

/* ---- Outliers ---- */

enum { ELEMENTS = 4096 };

/* One element is `peak`, all others 1 or -1: with 127 steps to the peak, the power of rounding is (peak / 127)^2 / 12.
 */
static bool is_fine(world *w, vt_gop op, float peak) {
    float data[ELEMENTS];
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, ELEMENTS));
    vt_gvalue *y = op == VT_G_MAT_MUL ? product(w, "y", x, 2) : vt_graph_apply(w->g, op, "y", x, NULL, 0, NULL);
    vt_graph_output(w->g, y, "y");
    for (int i = 0; i < ELEMENTS; i++) data[i] = i == 9 ? -peak : i % 2 ? 1 : -1;
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    if (peak > 0) vt_ranges_observe(ranges, x, data, ELEMENTS);
    vt_quant_choice *choices = VT_NEW_ARRAY(&w->ctx, vt_quant_choice, w->g->values.count);
    bool any = vt_quant_choose_fine(w->g, ranges, choices), fine = choices[x->index].parts == VT_QPART_FINE;
    assert_int_equal(any, fine);
    for (uint32_t i = 0; i < w->g->values.count; i++)
        assert_false(choices[i].wide || (i != x->index && choices[i].parts));
    return fine;
}

/* Power over that of the rounding: (4095 + p^2) / 4096 * 12 * 127^2 / p^2, 1391 for a peak of 12, 531 for one of 20. */
static void usual_peaks(world *w) { assert_false(is_fine(w, VT_G_MAT_MUL, 12)); }
static void outliers(world *w) { assert_true(is_fine(w, VT_G_MAT_MUL, 20)); }
static void of_no_product(world *w) { assert_false(is_fine(w, VT_G_RELU, 90)); }
static void not_seen(world *w) { assert_false(is_fine(w, VT_G_MAT_MUL, 0)); }

TEST_CASE(test_outliers) {
    in_a_world(usual_peaks), in_a_world(outliers), in_a_world(of_no_product), in_a_world(not_seen);
}

int main(void) { return run_cases(); }

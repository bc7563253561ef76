/* Models that are quantized already: which integers and floats their nodes stand for, and the ranges that they give. */
#include "graph/build.h"

#include <math.h>

#include "frontend/quant/given.h"
#include "frontend/quant/known.h"

static vt_gvalue *scalar_of(world *w, const char *name, vt_element e, int value) {
    int8_t *data = VT_NEW_ARRAY(&w->ctx, int8_t, 1);
    *data = (int8_t)value;
    return vt_graph_constant(w->g, name, (vt_gtype){.element = e}, data);
}

static vt_gvalue *quantized(world *w, vt_gvalue *x, float scale_, vt_element e, int zero) {
    vt_gvalue *in[] = {x, vt_graph_scalar(w->g, "s", scale_), scalar_of(w, "z", e, zero)};
    vt_gnode_spec q = {VT_G_QUANTIZE_LINEAR, "q", NULL, 3, 0, in, NULL};
    return vt_graph_add(w->g, &q)->outputs[0];
}

static vt_gvalue *dequantized(world *w, vt_gvalue *q, float scale_, vt_element e, int zero) {
    vt_gvalue *in[] = {q, vt_graph_scalar(w->g, "s", scale_), scalar_of(w, "z", e, zero)};
    vt_gnode_spec d = {VT_G_DEQUANTIZE_LINEAR, "dq", NULL, 3, 0, in, NULL};
    return vt_graph_add(w->g, &d)->outputs[0];
}

static vt_gvalue *pair(world *w, vt_gvalue *x, float scale_, int zero) {
    return dequantized(w, quantized(w, x, scale_, VT_ELEMENT_I8, zero), scale_, VT_ELEMENT_I8, zero);
}

static void takes_given(world *w) {
    static const int8_t integers[] = {1, -2, 3, 4};
    vt_gvalue *x = pair(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 2)), 0.5f, -28);
    static const float scales[] = {0.5f, 0.25f};
    vt_gvalue *by_channel = vt_graph_constant(w->g, "sw", TYPE(F32, 2), scales);
    vt_gnode_spec d = {VT_G_DEQUANTIZE_LINEAR,
                       "weights",
                       NULL,
                       2,
                       1,
                       (vt_gvalue *[]){vt_graph_constant(w->g, "w", TYPE(I8, 2, 2), integers), by_channel},
                       (vt_gattr[]){VT_GSET_INT(AXIS, 1)}};
    vt_gvalue *weights = vt_graph_add(w->g, &d)->outputs[0];
    vt_gvalue *y = vt_graph_apply(w->g, VT_G_MAT_MUL, "y", x, weights, 0, NULL);
    vt_graph_output(w->g, pair(w, y, 2, 0), "out");
    vt_ranges *found;
    const vt_graph *g = vt_quant_take_given(w->g, &found, NULL);
    assert_string_equal(vt_graph_text(g), "graph test\ninput x: float32[1,2]\n"
                                          "q.4: float32[1,2] = Clip(x) min=-50 max=77.5\n"
                                          "y: float32[1,2] = MatMul(q.4, const w float32[2,2]{0.5,-0.5,1.5,1})\n"
                                          "q.13.10: float32[1,2] = Clip(y) min=-256 max=254\n"
                                          "output out: float32[1,2] = q.13.10\n");
    static const struct range {
        const char *name;
        double most;
    } expected[] = {{"x", 77.5}, {"q.4", 77.5}, {"y", 256}, {"q.13.10", 256}};
    for (int i = 0; i < 4; i++)
        assert_true(vt_ranges_of(found, vt_graph_find(g, expected[i].name), VT_RANGE_KL, 0, 127) == expected[i].most);
}

/* The text of the graph after its pairs were taken, without its first line. */
static const char *taken(world *w, vt_ranges **out_ranges) {
    return strchr(vt_graph_text(vt_quant_take_given(w->g, out_ranges, NULL)), '\n') + 1;
}

/* Integers from 0 on stand for a Relu, once for all that read them; behind one they change nothing but the range. */
static void limits(world *w) {
    vt_ranges *found;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4));
    vt_gvalue *q = quantized(w, x, 0.5f, VT_ELEMENT_U8, 0);
    vt_gvalue *a = dequantized(w, q, 0.5f, VT_ELEMENT_U8, 0), *b = dequantized(w, q, 0.5f, VT_ELEMENT_U8, 0);
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_ADD, "sum", a, b, 0, NULL), "out");
    assert_string_equal(taken(w, &found), "input x: float32[1,4]\n"
                                          "q.4: float32[1,4] = Clip(x) min=0 max=127.5\n"
                                          "sum: float32[1,4] = Add(q.4, q.4)\n"
                                          "output out: float32[1,4] = sum\n");
}

static void known_limits(world *w) {
    vt_ranges *found;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4));
    vt_gvalue *low =
        vt_graph_apply(w->g, VT_G_CLIP, "low", x, NULL, 2, (vt_gattr[]){VT_GSET_FLOAT(MIN, -1), VT_GSET_FLOAT(MAX, 3)});
    vt_gvalue *relu = vt_graph_apply(w->g, VT_G_RELU, "relu", low, NULL, 0, NULL);
    vt_gvalue *sigmoid = vt_graph_apply(w->g, VT_G_SIGMOID, "sigmoid", x, NULL, 0, NULL);
    vt_gvalue *both = vt_graph_apply(w->g, VT_G_CONCAT, "both", relu, sigmoid, 1, (vt_gattr[]){VT_GSET_INT(AXIS, 1)});
    vt_graph_output(w->g, pair(w, both, 3.0f / 255, -128), "inside"); /* 0 to 3 */
    vt_graph_output(w->g, pair(w, both, 2.9f / 255, -128), "above");
    vt_graph_output(w->g, pair(w, low, 4.0f / 255, -128), "below"); /* 0 to 4 */
    const char *text = taken(w, &found);
    if (!strstr(text, "output inside: float32[1,8] = both\n") || !strstr(text, "Clip(both) min=0 max=2.9") ||
        !strstr(text, "Clip(low) min=0 max=4"))
        fail_msg("%s", text);
}

/* What moves elements, takes the largest or a mean keeps an interval; zeros around an average may join it. */
static void kept_intervals(world *w) {
    const int64_t two[] = {2, 2}, none[4] = {0}, axes[] = {2, 3}, order[] = {0, 2, 3, 1}, flat[] = {1, 32};
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 2, 4, 4));
    const vt_gattr limits_of[] = {VT_GSET_FLOAT(MIN, 1), VT_GSET_FLOAT(MAX, 3)},
                   window[] = {VT_GSET_INTS(KERNEL, 2, two), VT_GSET_INTS(STRIDES, 2, two),
                               VT_GSET_INTS(DILATIONS, 2, two), VT_GSET_INTS(PADS, 4, none)},
                   over = VT_GSET_INTS(AXES, 2, axes), perm = VT_GSET_INTS(PERM, 4, order),
                   shape = VT_GSET_INTS(SHAPE, 2, flat);
    vt_gvalue *v = vt_graph_apply(w->g, VT_G_CLIP, "v", x, NULL, 2, limits_of);
    const struct {
        vt_gvalue *of;
        double least, most;
    } expected[] = {{x, -INFINITY, INFINITY},
                    {v, 1, 3},
                    {vt_graph_apply(w->g, VT_G_MAX_POOL, "largest", v, NULL, 4, window), 1, 3},
                    {vt_graph_apply(w->g, VT_G_AVERAGE_POOL, "average", v, NULL, 4, window), 0, 3},
                    {vt_graph_apply(w->g, VT_G_REDUCE_MEAN, "mean", v, NULL, 1, &over), 1, 3},
                    {vt_graph_apply(w->g, VT_G_TRANSPOSE, "turned", v, NULL, 1, &perm), 1, 3},
                    {vt_graph_apply(w->g, VT_G_RESHAPE, "flat", v, NULL, 1, &shape), 1, 3},
                    {vt_graph_apply(w->g, VT_G_SIGMOID, "sigmoid", v, NULL, 0, NULL), 0, 1},
                    {vt_graph_apply(w->g, VT_G_SOFTMAX, "softmax", v, NULL, 0, NULL), 0, 1},
                    {vt_graph_apply(w->g, VT_G_TANH, "other", v, NULL, 0, NULL), -INFINITY, INFINITY}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        vt_interval found = vt_known_interval(expected[i].of);
        if (found.least != expected[i].least || found.most != expected[i].most)
            fail_msg("%s: %g to %g", expected[i].of->name, found.least, found.most);
    }
}

/* Each concatenation reads the one before twice: 2^20 ways through them. */
static void long_way(world *w) {
    vt_gvalue *v = vt_graph_apply(w->g, VT_G_RELU, "v", vt_graph_input(w->g, "x", TYPE(F32, 1, 1)), NULL, 0, NULL);
    for (int i = 0; i < 20; i++)
        v = vt_graph_apply(w->g, VT_G_CONCAT, "twice", v, v, 1, (vt_gattr[]){VT_GSET_INT(AXIS, 1)});
    assert_true(vt_known_interval(v).least == -INFINITY);
}

/* A convolution of integers from one scale or one of each channel: its weights and its bias (in units of both scales)
 * are those floats. */
static void convolved_integers(world *w) {
    static const int8_t weights[] = {3, -4};
    static const int32_t bias[] = {10, -3};
    static const float scales[] = {0.25f, 2};
    vt_ranges *found;
    vt_gvalue *q = quantized(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 1, 3)), 0.5f, VT_ELEMENT_U8, 7);
    vt_gvalue *zeros_of = zeros(w, "zw", TYPE(I8, 2));
    for (int each = 0; each < 2; each++) {
        vt_gvalue *in[] = {q,
                           vt_graph_scalar(w->g, "sx", 0.5f),
                           scalar_of(w, "zx", VT_ELEMENT_U8, 7),
                           vt_graph_constant(w->g, "w", TYPE(I8, 2, 1, 1), weights),
                           each ? vt_graph_constant(w->g, "sw", TYPE(F32, 2), scales)
                                : vt_graph_scalar(w->g, "sw", 0.25f),
                           each ? zeros_of : scalar_of(w, "zw", VT_ELEMENT_I8, 0),
                           vt_graph_scalar(w->g, "sy", 1),
                           scalar_of(w, "zy", VT_ELEMENT_I8, 0),
                           vt_graph_constant(w->g, "b", TYPE(I32, 2), bias)};
        vt_gnode_spec spec = {VT_G_QLINEAR_CONV,
                              "y",
                              NULL,
                              9,
                              3,
                              in,
                              (vt_gattr[]){INTS(STRIDES, 1), INTS(PADS, 0, 0), INTS(DILATIONS, 1)}};
        vt_graph_output(w->g, dequantized(w, vt_graph_add(w->g, &spec)->outputs[0], 1, VT_ELEMENT_I8, 0), NULL);
    }
    assert_string_equal(taken(w, &found),
                        "input x: float32[1,1,3]\n"
                        "q.4: float32[1,1,3] = Clip(x) min=-3.5 max=124\n"
                        "y: float32[1,2,3] = Conv(q.4, const w float32[2,1,1]{0.75,-1}, const b "
                        "float32[2]{1.25,-0.375}) strides=1 pads=0,0 dilations=1 group=1\n"
                        "y.12.11: float32[1,2,3] = Clip(y) min=-128 max=127\n"
                        "y.23: float32[1,2,3] = Conv(q.4, const w.19 float32[2,1,1]{0.75,-8}, const b.23 "
                        "float32[2]{1.25,-3}) strides=1 pads=0,0 dilations=1 group=1\n"
                        "y.24.18: float32[1,2,3] = Clip(y.23) min=-128 max=127\n"
                        "output dq: float32[1,2,3] = y.12.11\n"
                        "output dq.27: float32[1,2,3] = y.24.18\n");
}

/* What is not a pair stays: another scale, another zero point. */
static void no_pairs(world *w) {
    vt_ranges *found;
    vt_gvalue *q = quantized(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 4)), 0.5f, VT_ELEMENT_I8, 3);
    vt_graph_output(w->g, dequantized(w, q, 0.25f, VT_ELEMENT_I8, 3), "scaled");
    vt_graph_output(w->g, dequantized(w, q, 0.5f, VT_ELEMENT_I8, 4), "moved");
    assert_true(vt_quant_take_given(w->g, &found, NULL) == w->g && !found);
}

/* Two pairs of one value: it has the larger range, but none where something else reads it as it is. */
static void ranges_of_several(world *w) {
    vt_ranges *found;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4)), *y = vt_graph_input(w->g, "y", TYPE(F32, 1, 4));
    vt_graph_output(w->g, pair(w, x, 2, 0), "a"), vt_graph_output(w->g, pair(w, x, 1, 0), "b");
    vt_graph_output(w->g, pair(w, y, 2, 0), "c"),
        vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_RELU, "r", y, NULL, 0, NULL), "d");
    const vt_graph *g = vt_quant_take_given(w->g, &found, NULL);
    assert_true(vt_ranges_of(found, vt_graph_find(g, "x"), VT_RANGE_KL, 0, 127) == 256);
    assert_false(vt_ranges_seen(found, vt_graph_find(g, "y")));
}

/* Integers are moved as the floats that they stand for, if all of them stand for the same; else they stay. */
static void moved_integers(world *w) {
    vt_ranges *found;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 4));
    vt_gvalue *a = quantized(w, x, 0.5f, VT_ELEMENT_U8, 0), *b = quantized(w, x, 0.25f, VT_ELEMENT_U8, 0);
    vt_gattr axis = VT_GSET_INT(AXIS, 1);
    vt_gvalue *same = vt_graph_apply(w->g, VT_G_CONCAT, "same", a, a, 1, &axis);
    vt_gvalue *mixed = vt_graph_apply(w->g, VT_G_CONCAT, "mixed", a, b, 1, &axis);
    vt_graph_output(w->g, dequantized(w, same, 0.5f, VT_ELEMENT_U8, 0), "out");
    vt_graph_output(w->g, mixed, "integers");
    const char *text = taken(w, &found);
    if (!strstr(text, "same: float32[1,8] = Concat(q.7, q.7) axis=1\n") ||
        !strstr(text, "output out: float32[1,8] = same\n") || !strstr(text, "mixed: uint8[1,8] = Concat("))
        fail_msg("%s", text);
}

/* Each operator that may stand between integers, behind a pair: none of them is left on integers. */
static void moves_of_integers(world *w) {
    const int64_t two[] = {2, 2}, ones[] = {1, 1, 1, 1}, none[4] = {0}, order[] = {0, 2, 3, 1}, flat[] = {1, 64};
    const vt_gattr window[] = {VT_GSET_INTS(KERNEL, 2, two), VT_GSET_INTS(STRIDES, 2, two),
                               VT_GSET_INTS(DILATIONS, 2, two), VT_GSET_INTS(PADS, 4, none)},
                   perm = VT_GSET_INTS(PERM, 4, order), shape = VT_GSET_INTS(SHAPE, 2, flat),
                   block = VT_GSET_INT(BLOCKSIZE, 2),
                   part[] = {VT_GSET_INTS(STARTS, 4, none), VT_GSET_INTS(STEPS, 4, ones), VT_GSET_INTS(SHAPE, 4, ones)};
    const struct {
        vt_gop op;
        uint32_t count;
        const vt_gattr *attributes;
    } moves[] = {{VT_G_MAX_POOL, 4, window},       {VT_G_TRANSPOSE, 1, &perm},       {VT_G_RESHAPE, 1, &shape},
                 {VT_G_DEPTH_TO_SPACE, 1, &block}, {VT_G_SPACE_TO_DEPTH, 1, &block}, {VT_G_SLICE, 3, part}};
    vt_ranges *found;
    vt_gvalue *q = quantized(w, vt_graph_input(w->g, "x", TYPE(F32, 1, 4, 4, 4)), 0.5f, VT_ELEMENT_I8, 3);
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        vt_gvalue *y = vt_graph_apply(w->g, moves[i].op, "y", q, NULL, moves[i].count, moves[i].attributes);
        vt_graph_output(w->g, dequantized(w, y, 0.5f, VT_ELEMENT_I8, 3), vt_gop_text(moves[i].op));
    }
    const char *text = taken(w, &found);
    if (strstr(text, "QuantizeLinear") || strstr(text, "int8")) fail_msg("%s", text);
}

static void given_limits(void **unused) {
    (void)unused;
    in_a_world(limits), in_a_world(known_limits), in_a_world(kept_intervals), in_a_world(long_way),
        in_a_world(no_pairs), in_a_world(moved_integers), in_a_world(moves_of_integers), in_a_world(ranges_of_several),
        in_a_world(convolved_integers);
}

static void given(void **unused) {
    (void)unused;
    in_a_world(takes_given);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(given), cmocka_unit_test(given_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Scales of channels: a network whose channels were stretched by random powers of two, each made up for by the weights
 * behind it, is the same function; with equalization its integers are as good as those of the network before. */
#include "graph/build.h"

#include <math.h>

#include "frontend/eval/eval.h"
#include "frontend/quant/eval.h"
#include "support/check.h"

enum { CHANNELS = 24, SIZE = 10, SAMPLES = 16, CLASSES = 12 };

static uint64_t dice;

static uint32_t next(uint32_t below) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

static float unit(void) { return (float)next(20001) / 10000 - 1; }

static float *random_input(world *w) {
    const vt_gtype *t = &w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = unit();
    return x;
}

static vt_ranges *ranges;
static float stretch[3][CHANNELS]; /* of the channels of each layer */

static void observe(void *user, const vt_gnode *n, const void *const *out) {
    (void)user;
    vt_ranges_observe(ranges, n->outputs[0], out[0], (size_t)vt_gtype_count(&n->outputs[0]->type));
}

/* Weights of a layer: its outputs are stretched, and its inputs' stretch is made up for. NULL: by 1. */
static vt_gvalue *weights(world *w, const char *name, vt_gtype t, const float *out, const float *in) {
    int64_t outs = t.dim[0], ins = t.dim[1], window = t.dim[2] * t.dim[3];
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)(outs * ins * window));
    for (int64_t o = 0; o < outs; o++)
        for (int64_t i = 0; i < ins * window; i++) {
            const float *from = in ? &in[ins == 1 ? o : i / window] : NULL;
            data[o * ins * window + i] =
                unit() / sqrtf((float)(ins * window)) * (out ? out[o] : 1) / (from ? *from : 1);
        }
    return vt_graph_constant(w->g, name, t, data);
}

static vt_gvalue *layer(world *w, vt_gvalue *x, vt_gvalue *weight, int64_t group, const float *out) {
    int64_t pad = weight->type.dim[2] / 2;
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)weight->type.dim[0]);
    for (int64_t i = 0; i < weight->type.dim[0]; i++) data[i] = unit() * 0.1f * (out ? out[i] : 1);
    vt_gvalue *bias = vt_graph_constant(w->g, "bias", TYPE(F32, weight->type.dim[0]), data);
    vt_gattr attributes[] = {INTS(STRIDES, 1, 1), INTS(PADS, pad, pad, pad, pad), INTS(DILATIONS, 1, 1),
                             VT_GSET_INT(GROUP, group)};
    vt_gvalue *in[3] = {x, weight, bias};
    vt_gnode_spec spec = {VT_G_CONV, "conv", NULL, 3, 4, in, attributes};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *relu(world *w, vt_gvalue *x) { return vt_graph_apply(w->g, VT_G_RELU, "relu", x, NULL, 0, NULL); }

/* Expanded, filtered channel by channel, projected: the block that MobileNets are made of. Between the first two either
 * a Relu, or what has no integers. */
static void build(world *w, bool floats) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 8, SIZE, SIZE));
    x = layer(w, x, weights(w, "expand", TYPE(F32, CHANNELS, 8, 1, 1), stretch[0], NULL), 1, stretch[0]);
    x = relu(w, x);
    if (floats) x = vt_graph_apply(w->g, VT_G_ABS, "abs", x, NULL, 0, NULL);
    x = layer(w, x, weights(w, "filter", TYPE(F32, CHANNELS, 1, 3, 3), stretch[1], stretch[0]), CHANNELS, stretch[1]);
    x = relu(w, x);
    x = layer(w, x, weights(w, "mix", TYPE(F32, CHANNELS, CHANNELS, 1, 1), stretch[2], stretch[1]), 1, stretch[2]);
    x = relu(w, x);
    x = layer(w, x, weights(w, "project", TYPE(F32, CLASSES, CHANNELS, 1, 1), NULL, stretch[2]), 1, NULL);
    vt_graph_output(w->g, x, "y");
}

static vt_gvalue *reshaped(world *w, vt_gvalue *x, int64_t a, int64_t b, int64_t c) {
    return vt_graph_apply(w->g, VT_G_RESHAPE, "shape", x, NULL, ATTRIBUTES(INTS(SHAPE, 1, a, b, c)));
}

static vt_gvalue *half_of(world *w, vt_gvalue *x, int64_t begin) {
    return vt_graph_apply(
        w->g, VT_G_SLICE, "half", x, NULL,
        ATTRIBUTES(INTS(STARTS, 0, begin, 0, 0), INTS(STEPS, 1, 1, 1, 1), INTS(SHAPE, 1, CHANNELS / 2, SIZE, SIZE)));
}

static vt_gvalue *joined(world *w, vt_gvalue *a, vt_gvalue *b) {
    return vt_graph_apply(w->g, VT_G_CONCAT, "all", a, b, ATTRIBUTES(VT_GSET_INT(AXIS, 1)));
}

/* Concatenated, shuffled and split: the block that ShuffleNets are made of. One half goes by. At last an image is made
 * flat, in front of a matrix product. */
static void build_shuffled(world *w) {
    enum { HALF = CHANNELS / 2 };
    float shuffled[CHANNELS], after[CHANNELS], flat[HALF * 4];
    for (int c = 0; c < CHANNELS; c++) shuffled[c] = stretch[0][c % 2 * HALF + c / 2];
    memcpy(after, shuffled, sizeof after);
    memcpy(after + HALF, stretch[1], HALF * sizeof *after);
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 8, SIZE, SIZE));
    vt_gvalue *a = relu(w, layer(w, x, weights(w, "a", TYPE(F32, HALF, 8, 1, 1), stretch[0], NULL), 1, stretch[0]));
    vt_gvalue *b =
        relu(w, layer(w, x, weights(w, "b", TYPE(F32, HALF, 8, 3, 3), stretch[0] + HALF, NULL), 1, stretch[0] + HALF));
    x = reshaped(w, joined(w, a, b), 2, HALF, SIZE * SIZE);
    x = vt_graph_apply(w->g, VT_G_TRANSPOSE, "turned", x, NULL, ATTRIBUTES(INTS(PERM, 0, 2, 1, 3)));
    x = reshaped(w, x, CHANNELS, SIZE, SIZE);
    a = half_of(w, x, 0), b = half_of(w, x, HALF);
    b = layer(w, b, weights(w, "c", TYPE(F32, HALF, HALF, 3, 3), stretch[1], shuffled + HALF), 1, stretch[1]);
    x = joined(w, a, relu(w, b));
    x = relu(w, layer(w, x, weights(w, "d", TYPE(F32, HALF, CHANNELS, 1, 1), stretch[2], after), 1, stretch[2]));
    x = vt_graph_apply(
        w->g, VT_G_MAX_POOL, "pool", x, NULL,
        ATTRIBUTES(INTS(KERNEL, 5, 5), INTS(STRIDES, 5, 5), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)));
    x = vt_graph_apply(w->g, VT_G_RESHAPE, "flat", x, NULL, ATTRIBUTES(INTS(SHAPE, 1, HALF * 4)));
    for (int i = 0; i < HALF * 4; i++) flat[i] = stretch[2][i / 4];
    float *data = VT_NEW_ARRAY(&w->ctx, float, HALF * 4 * CLASSES);
    for (int i = 0; i < HALF * 4 * CLASSES; i++) data[i] = unit() / flat[i % (HALF * 4)];
    vt_gvalue *in[2] = {x, vt_graph_constant(w->g, "dense", TYPE(F32, CLASSES, HALF * 4), data)};
    vt_gnode_spec spec = {VT_G_GEMM, "classes", NULL, 2, 1, in, (vt_gattr[]){VT_GSET_INT(TRANS_B, true)}};
    vt_graph_output(w->g, vt_graph_add(w->g, &spec)->outputs[0], "y");
}

typedef enum block { EXPANDED, WITH_FLOATS, SHUFFLED } block;

static void build_block(world *w, block b) {
    if (b == SHUFFLED)
        build_shuffled(w);
    else
        build(w, b == WITH_FLOATS);
}

static double decibels(world *w, bool equalize, const char **text) {
    double power = 0, noise = 0;
    vt_eval *e;
    vt_eval_options watched = {.after = observe};
    const vt_quant_options options = {
        .method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127, .equalize = equalize};
    ranges = vt_ranges_new(&w->ctx, w->g);
    const size_t count = (size_t)vt_gtype_count(&w->g->outputs.item[0]->type);
    float *x[SAMPLES], *want[SAMPLES], *got = VT_NEW_ARRAY(&w->ctx, float, count);
    assert_int_equal(vt_eval_open(w->g, &watched, NULL, w->diag, &e), VTA_OK);
    for (int i = 0; i < SAMPLES; i++) {
        x[i] = random_input(w);
        vt_ranges_observe(ranges, w->g->inputs.item[0], x[i], 8 * SIZE * SIZE);
        vt_eval_input(e, 0, x[i]);
        assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
        want[i] = VT_NEW_ARRAY(&w->ctx, float, count);
        memcpy(want[i], vt_eval_value(e, w->g->outputs.item[0]), count * sizeof *got);
    }
    vt_eval_close(e);
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    if (text) *text = vt_qnet_text(net);
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(vt_qeval_run(net, (const void *[]){x[i]}, (void *[]){got}, NULL, NULL, w->diag), VTA_OK);
        for (size_t k = 0; k < count; k++) {
            power += (double)want[i][k] * want[i][k];
            noise += ((double)want[i][k] - got[k]) * ((double)want[i][k] - got[k]);
        }
    }
    return 10 * log10(power / noise);
}

static block of;
static double found[2]; /* without and with equalization */

static void even(world *w) {
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < CHANNELS; c++) stretch[k][c] = 1;
    dice = 11;
    build_block(w, of);
    found[0] = decibels(w, false, NULL);
}

static void stretched(world *w) {
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < CHANNELS; c++) stretch[k][c] = (float)ldexp(1, (int)next(9) - 4);
    dice = 11;
    build_block(w, of);
    uint64_t begin = dice;
    double plain = decibels(w, false, NULL);
    dice = begin;
    found[1] = decibels(w, true, NULL);
    if (plain > found[0] - 6) fail_msg("stretched channels do no harm: %.1f dB, %.1f before", plain, found[0]);
    double margin = of == SHUFFLED ? 2 : 1; /* of few elements: scales cover more than what was seen */
    if (found[1] < found[0] - margin)
        fail_msg("%.1f dB before, %.1f with stretched channels, %.1f equalized", found[0], plain, found[1]);
}

static void check_stretched(block b) {
    of = b;
    dice = 5;
    in_a_world(even);
    for (uint32_t seed = 1; seed <= 4; seed++) {
        dice = seed * 7919;
        in_a_world(stretched);
    }
}

TEST_CASE(stretched_channels) { check_stretched(EXPANDED); }
TEST_CASE(stretched_channels_that_the_host_rounds) { check_stretched(WITH_FLOATS); }
TEST_CASE(stretched_channels_that_are_shuffled) { check_stretched(SHUFFLED); }

/* Channels that are alike stay as they are. */
static void alike(world *w) {
    const char *before, *after;
    float *data = VT_NEW_ARRAY(&w->ctx, float, CHANNELS *CHANNELS);
    for (int i = 0; i < CHANNELS * CHANNELS; i++) data[i] = (i * 7 + i / CHANNELS) % 5 < 2 ? 0.25f : -0.25f;
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, 8, SIZE, SIZE));
    vt_gvalue *all = vt_graph_apply(w->g, VT_G_CONCAT, "all", x, x, ATTRIBUTES(VT_GSET_INT(AXIS, 1)));
    all = vt_graph_apply(w->g, VT_G_CONCAT, "more", all, x, ATTRIBUTES(VT_GSET_INT(AXIS, 1)));
    vt_gvalue *k = vt_graph_constant(w->g, "k", TYPE(F32, CHANNELS, CHANNELS, 1, 1), data);
    vt_graph_output(w->g, relu(w, layer(w, relu(w, layer(w, all, k, 1, NULL)), k, 1, NULL)), "y");
    dice = 3;
    decibels(w, false, &before);
    dice = 3;
    decibels(w, true, &after);
    assert_string_equal(before, after);
}

TEST_CASE(channels_that_are_alike) {
    dice = 3;
    in_a_world(alike);
}

int main(void) { return run_cases(); }

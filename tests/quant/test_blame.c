/* What the integers of a layer cost: against plain loops in doubles that compute the network once more, with one value
 * or one layer's weights as the integers have them. A network whose numbers are integers loses nothing. */
#include "graph/build.h"

#include <math.h>

#include "frontend/eval/eval.h"
#include "frontend/quant/blame.h"
#include "support/check.h"

enum { INS = 3, MID = 5, OUTS = 2, SIZE = 6, PLANE = SIZE * SIZE, SAMPLES = 3 };

static uint64_t dice;

static uint32_t next(uint32_t below) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

static float unit(void) { return (float)next(20001) / 10000 - 1; }

/* ---- The network, twice ------------------------------------------------------------------------------------------ */

static float first[MID * INS * 9], second[OUTS * MID], samples[SAMPLES][INS * PLANE];

/* y = second . sigmoid(first * x): a window of 3 x 3, then one of 1 x 1. */
static void build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, INS, SIZE, SIZE));
    vt_gvalue *in[2] = {x, vt_graph_constant(w->g, "w1", TYPE(F32, MID, INS, 3, 3), first)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    vt_gvalue *y = vt_graph_add(w->g, &(vt_gnode_spec){VT_G_CONV, "a", NULL, 2, 4, in, a})->outputs[0];
    y = vt_graph_apply(w->g, VT_G_SIGMOID, "s", y, NULL, 0, NULL);
    vt_gvalue *in2[2] = {y, vt_graph_constant(w->g, "w2", TYPE(F32, OUTS, MID, 1, 1), second)};
    vt_gattr b[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    vt_graph_output(w->g, vt_graph_add(w->g, &(vt_gnode_spec){VT_G_CONV, "b", NULL, 2, 4, in2, b})->outputs[0], "y");
}

static void plain_first(const double *x, const double *weights, double *out) {
    for (int o = 0; o < MID; o++)
        for (int r = 0; r < SIZE; r++)
            for (int q = 0; q < SIZE; q++) {
                double sum = 0;
                for (int i = 0; i < INS; i++)
                    for (int v = 0; v < 3; v++)
                        for (int u = 0; u < 3; u++) {
                            int y = r + v - 1, z = q + u - 1;
                            if (y < 0 || z < 0 || y >= SIZE || z >= SIZE) continue;
                            sum += weights[((o * INS + i) * 3 + v) * 3 + u] * x[(i * SIZE + y) * SIZE + z];
                        }
                out[(o * SIZE + r) * SIZE + q] = sum;
            }
}

static void plain_second(const double *x, const double *weights, double *out) {
    for (int o = 0; o < OUTS; o++)
        for (int at = 0; at < PLANE; at++) {
            out[o * PLANE + at] = 0;
            for (int i = 0; i < MID; i++) out[o * PLANE + at] += weights[o * MID + i] * x[i * PLANE + at];
        }
}

/* All values of a sample: x, the sums of the first, their sigmoids, the outputs. */
typedef struct values {
    double x[INS * PLANE], a[MID * PLANE], s[MID * PLANE], y[OUTS * PLANE];
} values;

enum { OF_X, OF_A, OF_S, OF_Y };
static double weights1[MID * INS * 9], weights2[OUTS * MID];

/* What follows the value `from`, which is given. */
static void compute(values *v, int from) {
    if (from <= OF_X) plain_first(v->x, weights1, v->a);
    for (int i = 0; from <= OF_A && i < MID * PLANE; i++) v->s[i] = 1 / (1 + exp(-v->a[i]));
    if (from <= OF_S) plain_second(v->s, weights2, v->y);
}

static void read_floats(int sample, values *v) {
    for (int i = 0; i < INS * PLANE; i++) v->x[i] = (double)samples[sample][i];
    for (int i = 0; i < MID * INS * 9; i++) weights1[i] = (double)first[i];
    for (int i = 0; i < OUTS * MID; i++) weights2[i] = (double)second[i];
    compute(v, OF_X);
}

/* ---- What is expected -------------------------------------------------------------------------------------------- */

static double ratio(const double *want, const double *got, int count) {
    double signal = 0, noise = 0;
    for (int i = 0; i < count; i++) signal += want[i] * want[i], noise += (got[i] - want[i]) * (got[i] - want[i]);
    return noise / signal;
}

/* Where errors of a value end: at y, or behind the first product. */
static double at_end(const values *want, const values *got, int from, int depth) {
    bool near = depth == 1 && from == OF_X;
    return near ? ratio(want->a, got->a, MID * PLANE) : ratio(want->y, got->y, OUTS * PLANE);
}

static double *of(values *v, int which) {
    return which == OF_X ? v->x : which == OF_A ? v->a : which == OF_S ? v->s : v->y;
}
static const int counts[] = {INS * PLANE, MID *PLANE, MID *PLANE, OUTS *PLANE};

/* The value rounded to integers, or cut off at their ends. */
static double expected(int which, double scale, bool range, int depth, uint64_t *cut) {
    double sum = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        values want, got;
        read_floats(sample, &want);
        got = want;
        for (int i = 0; i < counts[which]; i++) {
            double q = of(&want, which)[i] / scale;
            bool beyond = q > 127.5 || q < -128.5;
            *cut += beyond;
            if (beyond ? range : !range) of(&got, which)[i] = scale * (beyond ? q > 0 ? 127 : -128 : nearbyint(q));
        }
        compute(&got, which);
        sum += at_end(&want, &got, which, depth);
    }
    return sum / SAMPLES;
}

/* The weights as the layer's integers have them; the error is behind the layer's own product already. */
static double expected_weights(const vt_qlayer *l, bool second_layer, int depth) {
    double sum = 0;
    int taps = second_layer ? MID : INS * 9, count = second_layer ? OUTS * MID : MID * INS * 9;
    for (int sample = 0; sample < SAMPLES; sample++) {
        values want, got;
        read_floats(sample, &want);
        got = want;
        double *to = second_layer ? weights2 : weights1;
        for (int i = 0; i < count; i++) to[i] = l->weight[i] * l->weight_scales[i / taps];
        compute(&got, second_layer ? OF_S : OF_X);
        bool near = depth == 1 && !second_layer;
        sum += near ? ratio(want.a, got.a, MID * PLANE) : ratio(want.y, got.y, OUTS * PLANE);
    }
    return sum / SAMPLES;
}

/* ---- The check --------------------------------------------------------------------------------------------------- */

static const vt_qnet *quantized(world *w, vt_range_method method, const void **inputs[SAMPLES]) {
    vt_quant_options options = {.method = method, .percentile = 97, .most = 127, .weight_max = 127, .wide_max = -1};
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    vt_eval *e;
    vt_eval_options keep = {.keep = true};
    assert_int_equal(vt_eval_open(w->g, &keep, NULL, w->diag, &e), VTA_OK);
    for (int i = 0; i < SAMPLES; i++) {
        inputs[i] = VT_NEW_ARRAY(&w->ctx, const void *, 1);
        *inputs[i] = samples[i];
        vt_eval_input(e, 0, samples[i]);
        assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
        for (uint32_t k = 0; k < w->g->values.count; k++) {
            const vt_gvalue *v = w->g->values.item[k];
            if (!v->data) vt_ranges_observe(ranges, v, vt_eval_value(e, v), (size_t)vt_gtype_count(&v->type));
        }
    }
    vt_eval_close(e);
    return vt_quantize(w->g, ranges, &options);
}

static void is_about(double got, double want, const char *what, const vt_qlayer *l) {
    if (fabs(got - want) > 0.01 * want + 1e-9) fail_msg("%s of %s: %g, not %g", what, l->output->name, got, want);
}

static int seen_cut;

static void check_layer(const vt_qlayer *l, const vt_qblame *b, int depth) {
    int which = l->kind == VT_Q_QUANTIZE ? OF_X : l->kind == VT_Q_TABLE ? OF_S : !strcmp(l->name, "a") ? OF_A : OF_Y;
    uint64_t cut = 0, again = 0;
    double scale = l->output->scale;
    is_about(b->noise[VT_QCAUSE_ROUNDING], expected(which, scale, false, depth, &cut), "rounding", l);
    is_about(b->noise[VT_QCAUSE_RANGE], expected(which, scale, true, depth, &again), "range", l);
    assert_int_equal(b->cut, cut);
    assert_int_equal(b->count, SAMPLES * counts[which]);
    seen_cut += cut > 0;
    if (l->weight) is_about(b->noise[VT_QCAUSE_WEIGHTS], expected_weights(l, which == OF_Y, depth), "weights", l);
}

static int depth_in_hand;

static void one(world *w) {
    const void **inputs[SAMPLES];
    build(w);
    const vt_qnet *net = quantized(w, VT_RANGE_PERCENTILE, inputs);
    vt_qblame *blames = VT_NEW_ARRAY(&w->ctx, vt_qblame, net->tensor_count);
    assert_int_equal(vt_qblame_measure(net, (const void *const *const *)inputs, SAMPLES, (uint32_t)depth_in_hand, NULL,
                                       NULL, w->diag, blames),
                     VTA_OK);
    int checked = 0;
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        if (l->output->scale == 0) continue;
        check_layer(l, &blames[l->output->index], depth_in_hand);
        checked++;
    }
    assert_int_equal(checked, 4);
}

TEST_CASE(as_plain_loops_have_it) {
    for (uint32_t seed = 1; seed <= 6; seed++) {
        dice = seed * 7919;
        for (int i = 0; i < MID * INS * 9; i++) first[i] = unit();
        for (int i = 0; i < OUTS * MID; i++) second[i] = unit();
        for (int k = 0; k < SAMPLES; k++)
            for (int i = 0; i < INS * PLANE; i++) samples[k][i] = unit() * (next(20) ? 1 : 3);
        for (depth_in_hand = 0; depth_in_hand <= 1; depth_in_hand++) in_a_world(one);
    }
    assert_true(seen_cut > 10);
}

/* Sums of products of few integers, and ranges that end with an integer: nothing is rounded, nothing cut off. */
static void exact(world *w) {
    const void **inputs[SAMPLES];
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, INS, SIZE, SIZE));
    vt_gvalue *in[2] = {x, vt_graph_constant(w->g, "w1", TYPE(F32, MID, INS, 3, 3), first)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    vt_graph_output(w->g, vt_graph_add(w->g, &(vt_gnode_spec){VT_G_CONV, "a", NULL, 2, 4, in, a})->outputs[0], "y");
    const vt_qnet *net = quantized(w, VT_RANGE_MAX, inputs);
    vt_qblame *blames = VT_NEW_ARRAY(&w->ctx, vt_qblame, net->tensor_count);
    assert_int_equal(
        vt_qblame_measure(net, (const void *const *const *)inputs, SAMPLES, 0, NULL, NULL, w->diag, blames), VTA_OK);
    const vt_qtensor *read = NULL;
    for (uint32_t i = 0; i < net->layer_count; i++)
        if (net->layers[i]->kind == VT_Q_QUANTIZE) read = net->layers[i]->output;
    assert_non_null(read);
    assert_true(blames[read->index].noise[VT_QCAUSE_ROUNDING] == 0);
    assert_true(blames[read->index].noise[VT_QCAUSE_RANGE] == 0);
    assert_int_equal(blames[read->index].cut, 0);
    assert_int_equal(blames[read->index].count, SAMPLES * INS * PLANE);
}

TEST_CASE(what_is_exact_loses_nothing) {
    dice = 3;
    for (int i = 0; i < MID * INS * 9; i++) first[i] = (float)((int)next(3) - 1);
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < INS * PLANE; i++) samples[k][i] = i ? (float)((int)next(255) - 127) : 127;
    in_a_world(exact);
}

int main(void) { return run_cases(); }

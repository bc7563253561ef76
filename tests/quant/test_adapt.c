/* Adaptive rounding: the error of the sums, by plain loops over what the samples give each weight, is not larger for
 * any channel, and no single step of a weight lessens it; where the errors of weights do not meet, nothing changes. */
#include "graph/build.h"

#include <math.h>

#include "frontend/eval/eval.h"
#include "frontend/quant/eval.h"
#include "frontend/quant/seen.h"
#include "support/check.h"

enum { SAMPLES = 5, MAX_TAPS = 160, MAX_COLUMNS = 700 };

static uint64_t dice;

static uint32_t next(uint32_t below) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

static float unit(void) { return (float)next(20001) / 10000 - 1; }

/* ---- A network of one product, and its samples --------------------------------------------------------------------
 */

typedef struct drawn {
    int64_t ins, outs, group, size, kernel, stride, pad, dilation;
    bool dense, relu, keep_bias, multiply,
        separate; /* separate: no two weights of a channel meet inputs at one place */
} drawn;

static drawn shape;

static vt_gvalue *constant(world *w, const char *name, vt_gtype t, float factor) {
    float *data = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) data[i] = unit() * factor;
    return vt_graph_constant(w->g, name, t, data);
}

static void build(world *w) {
    const drawn *d = &shape;
    vt_gvalue *x = vt_graph_input(w->g, "x", d->dense ? TYPE(F32, 3, d->ins) : TYPE(F32, 1, d->ins, d->size, d->size));
    vt_gvalue *bias = constant(w, "b", TYPE(F32, d->outs), 0.2f), *y;
    if (d->dense) {
        vt_gvalue *in[3] = {x, constant(w, "w", TYPE(F32, d->outs, d->ins), 1), bias};
        vt_gattr a[] = {VT_GSET_INT(TRANS_B, 1), VT_GSET_FLOAT(ALPHA, 1), VT_GSET_FLOAT(BETA, 1)};
        y = vt_graph_add(w->g, &(vt_gnode_spec){VT_G_GEMM, "product", NULL, 3, 3, in, a})->outputs[0];
    } else {
        vt_gvalue *in[3] = {x, constant(w, "w", TYPE(F32, d->outs, d->ins / d->group, d->kernel, d->kernel), 1), bias};
        vt_gattr a[] = {INTS(STRIDES, d->stride, d->stride), INTS(PADS, d->pad, d->pad, d->pad, d->pad),
                        INTS(DILATIONS, d->dilation, d->dilation), VT_GSET_INT(GROUP, d->group)};
        y = vt_graph_add(w->g, &(vt_gnode_spec){VT_G_CONV, "product", NULL, 3, 4, in, a})->outputs[0];
    }
    if (d->relu) y = vt_graph_apply(w->g, VT_G_RELU, "relu", y, NULL, 0, NULL);
    vt_graph_output(w->g, y, "y");
}

/* Channels that are mixtures of three; or each place has a number in one channel alone. */
static float *sample(world *w) {
    const vt_gtype *t = &w->g->inputs.item[0]->type;
    int64_t count = vt_gtype_count(t), places = count / t->dim[1], inner = t->rank == 4 ? places : 1;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)count);
    for (int64_t place = 0; place < places; place++) {
        float mixed[3] = {unit(), unit(), unit()};
        int64_t only = next((uint32_t)t->dim[1]);
        for (int64_t c = 0; c < t->dim[1]; c++) {
            float value = mixed[c % 3] + mixed[c * 7 % 3] * 0.5f + unit() * 0.2f + 0.3f;
            if (shape.separate) value = c == only ? unit() : 0;
            x[inner > 1 ? c * inner + place : place * t->dim[1] + c] = value;
        }
    }
    return x;
}

/* ---- What is expected ---------------------------------------------------------------------------------------------
 */

static double moments[MAX_TAPS][MAX_TAPS], means[MAX_TAPS];
static double columns[MAX_COLUMNS][MAX_TAPS];

typedef struct seen {
    const vt_qlayer *from;
    const int8_t *data;
    world *w;
} seen;

static void keep(void *user, const vt_qlayer *l, const void *out) {
    seen *s = user;
    if (l->output != s->from->inputs[0]) return;
    size_t bytes = vt_gtype_bytes(&l->output->type);
    s->data = memcpy(vt_new_bytes(&s->w->ctx, bytes), out, bytes);
}

/* What each weight of a group's channels is multiplied by, at each place. */
static int64_t add_columns(const int8_t *x, int64_t group, int64_t at) {
    const drawn *d = &shape;
    if (d->dense) {
        for (int64_t row = 0; row < 3; row++, at++)
            for (int64_t i = 0; i < d->ins; i++) columns[at][i] = x[row * d->ins + i];
        return at;
    }
    int64_t outs = (d->size + 2 * d->pad - d->dilation * (d->kernel - 1) - 1) / d->stride + 1, ins = d->ins / d->group;
    for (int64_t y = 0; y < outs; y++)
        for (int64_t z = 0; z < outs; z++, at++)
            for (int64_t c = 0, i = 0; c < ins; c++)
                for (int64_t v = 0; v < d->kernel; v++)
                    for (int64_t u = 0; u < d->kernel; u++, i++) {
                        int64_t r = y * d->stride + v * d->dilation - d->pad,
                                q = z * d->stride + u * d->dilation - d->pad;
                        bool inside = r >= 0 && q >= 0 && r < d->size && q < d->size;
                        columns[at][i] = inside ? x[((group * ins + c) * d->size + r) * d->size + q] : 0;
                    }
    return at;
}

static void find_moments(int64_t taps, int64_t count) {
    double keep_share = (double)count / (double)(count + taps);
    memset(means, 0, sizeof means);
    for (int64_t i = 0; i < taps; i++)
        for (int64_t n = 0; n < count; n++) means[i] += columns[n][i] / (double)count;
    for (int64_t i = 0; i < taps; i++)
        for (int64_t k = 0; k < taps; k++) {
            double sum = 0;
            for (int64_t n = 0; n < count; n++) sum += columns[n][i] * columns[n][k];
            moments[i][k] = sum / (double)count - (shape.keep_bias ? 0 : means[i] * means[k]);
            if (i != k) moments[i][k] *= keep_share;
        }
}

static double error_of(const double *e, int64_t taps) {
    double sum = 0;
    for (int64_t i = 0; i < taps; i++)
        for (int64_t k = 0; k < taps; k++) sum += e[i] * moments[i][k] * e[k];
    return sum;
}

static int moved, lessened;

static void check_channel(const vt_qlayer *before, const vt_qlayer *after, const float *weight, int64_t o,
                          int64_t taps) {
    double e[2][MAX_TAPS] = {{0}}, change = 0;
    const vt_qlayer *layers[2] = {before, after};
    assert_true(before->weight_scales[o] == after->weight_scales[o]);
    for (int64_t i = 0; i < taps; i++) {
        for (int k = 0; k < 2; k++)
            e[k][i] = layers[k]->weight[o * taps + i] - weight[o * taps + i] / before->weight_scales[o];
        int64_t step = after->weight[o * taps + i] - before->weight[o * taps + i];
        change += (double)step * means[i];
        moved += step != 0;
    }
    double nearest = error_of(e[0], taps), adapted = error_of(e[1], taps);
    if (adapted > nearest * (1 + 1e-6)) fail_msg("channel %d: error %g, %g to the nearest", (int)o, adapted, nearest);
    lessened += adapted < 0.7 * nearest;
    for (int64_t i = 0; i < taps; i++) {
        double slope = 0;
        for (int64_t k = 0; k < taps; k++) slope += moments[i][k] * e[1][k];
        int integer = after->weight[o * taps + i] + (slope > 0 ? -1 : 1);
        bool lessens = moments[i][i] - 2 * fabs(slope) < -1e-3 * moments[i][i];
        if (lessens && abs(integer) <= 127)
            fail_msg("channel %d, weight %d: a step of %g is worth %g", (int)o, (int)i, moments[i][i], slope);
    }
    if (shape.keep_bias) return;
    double biases = after->steps[0].channel[o] - before->steps[0].channel[o];
    if (fabs(biases + change) > 0.51) fail_msg("channel %d: bias by %g for %g", (int)o, biases, change);
}

/* ---- One network --------------------------------------------------------------------------------------------------
 */

static const vt_qlayer *product_of(const vt_qnet *net) {
    for (uint32_t i = 0; i < net->layer_count; i++)
        if (net->layers[i]->weight) return net->layers[i];
    fail_msg("no product in\n%s", vt_qnet_text(net));
    return NULL;
}

static void observe(vt_ranges *ranges, world *w, const float *x) {
    vt_eval *e;
    const vt_gvalue *in = w->g->inputs.item[0];
    vt_ranges_observe(ranges, in, x, (size_t)vt_gtype_count(&in->type));
    assert_int_equal(vt_eval_open(w->g, NULL, NULL, w->diag, &e), VTA_OK);
    vt_eval_input(e, 0, x);
    assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
    const vt_gvalue *out = w->g->outputs.item[0];
    vt_ranges_observe(ranges, out, vt_eval_value(e, out), (size_t)vt_gtype_count(&out->type));
    vt_eval_close(e);
}

static void one(world *w) {
    build(w);
    vt_quant_options options = {.method = VT_RANGE_MAX,
                                .percentile = 100,
                                .most = 127,
                                .weight_max = 127,
                                .wide_max = -1,
                                .keep_bias = shape.keep_bias,
                                .multiply = shape.multiply};
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    const void **inputs[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        inputs[i] = VT_NEW_ARRAY(&w->ctx, const void *, 1);
        observe(ranges, w, *inputs[i] = sample(w));
    }
    const vt_qnet *before = vt_quantize(w->g, ranges, &options);
    const vt_qlayer *first = product_of(before);
    vt_qseen recorded;
    assert_int_equal(vt_qseen_record(before, (const void *const *const *)inputs, SAMPLES, NULL, w->diag, &recorded),
                     VTA_OK);
    options.seen = &recorded;
    const vt_qlayer *second = product_of(vt_quantize(w->g, ranges, &options));
    vt_qseen_free(&recorded);
    const int8_t *read[SAMPLES];
    void *out = vt_new_bytes(&w->ctx, vt_gtype_bytes(&w->g->outputs.item[0]->type));
    for (int i = 0; i < SAMPLES; i++) {
        seen s = {.from = first, .w = w};
        vt_qeval_options watched = {.after = keep, .user = &s};
        assert_int_equal(vt_qeval_run(before, inputs[i], &out, &watched, NULL, w->diag), VTA_OK);
        read[i] = s.data;
    }
    const float *weight = w->g->nodes[0]->inputs[1]->data;
    int64_t taps = shape.dense ? shape.ins : shape.ins / shape.group * shape.kernel * shape.kernel;
    for (int64_t group = 0; group < shape.group; group++) {
        int64_t count = 0;
        for (int i = 0; i < SAMPLES; i++) count = add_columns(read[i], group, count);
        assert_true(taps <= MAX_TAPS && count <= MAX_COLUMNS);
        find_moments(taps, count);
        for (int64_t o = group * (shape.outs / shape.group); o < (group + 1) * (shape.outs / shape.group); o++)
            check_channel(first, second, weight, o, taps);
    }
}

static int pick(int count, ...) {
    va_list list;
    int which = (int)next((uint32_t)count), value = 0;
    va_start(list, count);
    for (int i = 0; i <= which; i++) value = va_arg(list, int);
    va_end(list);
    return value;
}

TEST_CASE(random_products) {
    moved = lessened = 0;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        dice = seed * 7919;
        shape = (drawn){
            .size = pick(3, 5, 6, 9), .kernel = pick(2, 1, 3), .stride = pick(2, 1, 2), .dilation = pick(3, 1, 1, 2)};
        shape.pad = pick(2, 0, 1);
        if (shape.size < (shape.kernel - 1) * shape.dilation + 1) shape.dilation = 1;
        shape.group = pick(4, 1, 1, 2, 6);
        shape.ins = shape.group * pick(3, 1, 4, 8);
        shape.outs = shape.group * pick(3, 1, 2, 5);
        shape.dense = seed % 5 == 0;
        shape.keep_bias = seed % 3 == 0;
        shape.relu = seed % 2;
        shape.multiply = seed % 4 == 1;
        if (shape.dense)
            shape =
                (drawn){.dense = true, .ins = pick(3, 7, 40, 150), .outs = 6, .group = 1, .keep_bias = seed % 10 == 0};
        in_a_world(one);
    }
    assert_true(moved > 200);
    assert_true(lessened > 20);
}

/* One weight a channel; and weights of which no two ever meet something at one place: the nearest are the best. */
TEST_CASE(nothing_to_gain) {
    moved = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        dice = seed * 104729;
        shape = (drawn){.size = 6, .kernel = 1, .stride = 1, .dilation = 1, .group = 1, .ins = 8, .outs = 4};
        shape.keep_bias = shape.separate = seed % 2;
        if (!shape.separate) shape.group = shape.outs = 8;
        in_a_world(one);
    }
    assert_int_equal(moved, 0);
}

int main(void) { return run_cases(); }

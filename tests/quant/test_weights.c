/* Weights of 4 bits: from -7 to 7, in scales whose error, against what each weight is multiplied by, is not larger than
 * that of the widest scale, by plain loops; weights that 15 levels hold stay what they are. */
#include "graph/build.h"

#include <math.h>

#include "frontend/quant/quant.h"
#include "support/check.h"

enum { INS = 12, OUTS = 9, ROWS = 40, MOST = 7 };

static uint64_t dice;

static uint32_t next(uint32_t below) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice >> 33) % below;
}

static float unit(void) { return (float)next(20001) / 10000 - 1; }

static float weights[OUTS * INS], rows[ROWS * INS];
static bool multiply;

static const vt_qlayer *quantized(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, ROWS, INS));
    vt_gvalue *in[2] = {x, vt_graph_constant(w->g, "w", TYPE(F32, OUTS, INS), weights)};
    vt_gattr a[] = {VT_GSET_INT(TRANS_B, 1), VT_GSET_FLOAT(ALPHA, 1), VT_GSET_FLOAT(BETA, 1)};
    vt_gvalue *y = vt_graph_add(w->g, &(vt_gnode_spec){VT_G_GEMM, "product", NULL, 2, 3, in, a})->outputs[0];
    vt_graph_output(w->g, y, "y");
    float sums[ROWS * OUTS] = {0};
    for (int r = 0; r < ROWS; r++)
        for (int o = 0; o < OUTS; o++)
            for (int i = 0; i < INS; i++) sums[r * OUTS + o] += rows[r * INS + i] * weights[o * INS + i];
    vt_ranges *ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_observe(ranges, x, rows, ROWS * INS);
    vt_ranges_observe(ranges, y, sums, ROWS * OUTS);
    const vt_quant_options options = {.method = VT_RANGE_MAX,
                                      .percentile = 100,
                                      .most = 127,
                                      .weight_max = MOST,
                                      .wide_max = -1,
                                      .multiply = multiply};
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    for (uint32_t i = 0; i < net->layer_count; i++)
        if (net->layers[i]->weight) return net->layers[i];
    fail_msg("no product");
    return NULL;
}

/* The power of the error of a channel's sums, as far as inputs are not alike. */
static double error_of(int o, const int8_t *integers, double scale) {
    double sum = 0;
    for (int i = 0; i < INS; i++) {
        double power = 0, off = (integers ? integers[i]
                                          : fmin(fmax(nearbyint((double)weights[o * INS + i] / scale), -MOST), MOST)) *
                                    scale -
                                (double)weights[o * INS + i];
        for (int r = 0; r < ROWS; r++) power += (double)rows[r * INS + i] * (double)rows[r * INS + i] / ROWS;
        sum += off * off * power;
    }
    return sum;
}

static int gained;

static void lessens(world *w) {
    const vt_qlayer *l = quantized(w);
    for (int o = 0; o < OUTS; o++) {
        double most = 0;
        for (int i = 0; i < INS; i++) {
            most = fmax(most, fabs((double)weights[o * INS + i]));
            assert_true(abs(l->weight[o * INS + i]) <= MOST);
        }
        double widest = error_of(o, NULL, most / MOST), chosen = error_of(o, l->weight + o * INS, l->weight_scales[o]);
        if (chosen > widest * 1.02) fail_msg("channel %d: error %g, %g of the widest scale", o, chosen, widest);
        gained += chosen < 0.8 * widest;
    }
}

TEST_CASE(scales_lessen_the_error) {
    multiply = true;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        dice = seed * 7919;
        for (int i = 0; i < OUTS * INS; i++) weights[i] = unit() * unit() * unit();
        for (int i = 0; i < ROWS * INS; i++) rows[i] = unit() * (float)(1 + i % INS);
        in_a_world(lessens);
    }
    assert_true(gained > 40);
}

static void same(world *w) {
    const vt_qlayer *l = quantized(w);
    for (int o = 0; o < OUTS; o++)
        for (int i = 0; i < INS; i++) {
            double is = l->weight[o * INS + i] * l->weight_scales[o], was = (double)weights[o * INS + i];
            if (fabs(is - was) > 0.002 * 7) fail_msg("weight %d of %d: %g, not %g", i, o, is, was);
        }
}

/* Scales are m / 2^n of others: within a four-thousandth. */
TEST_CASE(weights_of_15_levels_stay) {
    multiply = true;
    dice = 3;
    for (int i = 0; i < OUTS * INS; i++) weights[i] = (float)(i % INS ? (int)next(15) - 7 : 7);
    for (int i = 0; i < ROWS * INS; i++) rows[i] = unit();
    in_a_world(same);
}

int main(void) { return run_cases(); }

/* How the sums of a product become the integers of its result, and the integer weights that go with it.
 *
 * With s the scales, the scale of a channel's weights is chosen such that s_in * s_w / s_out is what the accelerator
 * multiplies by, without an error: 1 / 2^n, or m / 2^n. Rounding (halves up) is a part of the bias. What rounding the
 * weights of a channel adds to it on the average, from the means of the input's channels, is taken off its bias. */
#include <math.h>
#include <stdlib.h>

#include "frontend/quant/product.h"

enum {
    SHARE_MAX = 3,
    FACTOR_MAX = 4095,
    PRODUCT_SHIFT_MAX = 30,
};

/* What the integers of a channel give more than its weights, on the average. */
static double excess_of(const vt__product *p, int64_t o, double scale) {
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1], ins = p->taps / window;
    const double *means = p->means;
    double sum = 0;
    if (!means) return 0;
    means += o / (p->channels / p->layer->group) * ins;
    for (int64_t i = 0; i < p->taps; i++)
        sum += (p->integers[o * p->taps + i] * scale - p->weight[i]) * means[i / window] * p->coverage[i % window];
    return sum;
}

/* The integers of a channel; gives the largest magnitude that its sum can have. */
static double set_channel(vt__product *p, int64_t o, double scale, double rounding) {
    double most = p->q->options.weight_max, sum = 0;
    int8_t *to = &p->integers[o * p->taps];
    vt__read_weights(p, o);
    for (int64_t i = 0; i < p->taps; i++) {
        to[i] = (int8_t)fmin(fmax(nearbyint(p->weight[i] / scale), -most), most);
        sum += abs(to[i]);
    }
    double bias = vt__bias_of(p, o) - excess_of(p, o, scale);
    double number = nearbyint(bias / (scale * p->layer->inputs[0]->scale) + rounding);
    p->scales[o] = scale;
    p->bias[o] = (int32_t)fmin(fmax(number, -0x1p30), 0x1p30);
    return sum * (p->q->options.most + 1.0) + fabs(number);
}

/* ---- Shifts ---------------------------------------------------------------------------------------------------- */

/* The largest that keeps weights and bias of a channel within their types. */
static int32_t shift_of(const vt__product *p, int64_t o) {
    double n = p->least[o] > 0 ? floor(log2(p->step / p->least[o])) : 8;
    return (int32_t)fmin(fmax(n, 0), VT__SHIFT_MAX);
}

static bool set_shifted(vt__product *p, int64_t o, int32_t n) {
    p->shift[o] = n;
    return set_channel(p, o, p->step / ldexp(1, n), n > 0 ? ldexp(1, n - 1) : 0) < 0x1p31;
}

/* One shift for all channels, the smallest, takes one cycle an output where a shift for each takes two. Their weights
 * are rounded to fewer bits then: taken where the power of that noise over all channels grows by less than SHARE_MAX;
 * else -1. */
static int32_t shared_shift(const vt__product *p) {
    int32_t least = VT__SHIFT_MAX;
    double each = 0;
    for (int64_t o = 0; o < p->channels; o++) {
        if (p->shift[o] < least) least = p->shift[o];
        each += ldexp(1, -2 * p->shift[o]);
    }
    return (double)p->channels * ldexp(1, -2 * least) <= SHARE_MAX * each ? least : -1;
}

void vt__set_shifts(vt__product *p) {
    for (int64_t o = 0; o < p->channels; o++) p->shift[o] = shift_of(p, o);
    int32_t shared = shared_shift(p);
    for (int64_t o = 0; o < p->channels; o++) {
        int32_t shift = shared >= 0 ? shared : p->shift[o];
        while (!set_shifted(p, o, shift) && shift > 0) shift--;
    }
}

/* ---- Factors --------------------------------------------------------------------------------------------------- */

/* Factors of all channels for a shift of n: the least for which the weights fit. */
static void choose_factors(vt__product *p, int32_t n) {
    for (int64_t o = 0; o < p->channels; o++) {
        double m = ceil(ldexp(p->least[o] / p->step, n) * (1 - 1e-9));
        p->factor[o] = (int32_t)fmin(fmax(m, 1), FACTOR_MAX);
    }
}

static double half_of(const vt__product *p, int64_t o, int32_t n) { return ldexp(1, n - 1) / p->factor[o]; }

/* The bits to shift away before the products so that none of them passes 31 bits; -1: more than there are. */
static int32_t bits_before(const vt__product *p, const double *largest, int32_t n) {
    double over = 1;
    for (int64_t o = 0; o < p->channels; o++) over = fmax(over, (largest[o] + 1) * p->factor[o] / 0x1p31);
    int32_t bits = over > 1 ? (int32_t)ceil(log2(over)) + 1 : 0;
    return bits <= n ? bits : -1;
}

static bool set_for(vt__product *p, double *largest, int32_t n) {
    choose_factors(p, n);
    for (int64_t o = 0; o < p->channels; o++) {
        largest[o] = set_channel(p, o, p->factor[o] * p->step / ldexp(1, n), half_of(p, o, n));
        if (largest[o] >= 0x1p30) return n == 0;
    }
    p->before = bits_before(p, largest, n);
    return p->before >= 0 || n == 0;
}

void vt__set_factors(vt__product *p) {
    double *largest = VT_NEW_ARRAY(p->q->ctx, double, (size_t)p->channels), most = 0;
    p->factor = VT_NEW_ARRAY(p->q->ctx, int32_t, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) most = fmax(most, p->least[o] / p->step);
    double bits = most > 0 ? floor(log2(FACTOR_MAX / most)) : 0;
    int32_t n = (int32_t)fmin(fmax(bits, 0), PRODUCT_SHIFT_MAX);
    while (!set_for(p, largest, n)) n--;
    if (p->before < 0) p->before = 0;
    for (int64_t o = 0; o < p->channels; o++) {
        p->shift[o] = n - p->before;
        if (p->before) p->bias[o] += 1 << (p->before - 1);
    }
}

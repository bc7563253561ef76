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

/* The integers of weight `i` of a channel: the first of its parts; others are further on by the window's taps. */
static int8_t *integers_of(const vt__product *p, int64_t o, int64_t i) {
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1];
    return &p->integers[o * p->taps * p->parts + i / window * p->parts * window + i % window];
}

static int32_t rounded(double x, double most) { return (int32_t)fmin(fmax(nearbyint(x), -most), most); }

/* The weight `x`, in steps of its scale, in the integers of all parts. */
static void set_integer(const vt__product *p, int64_t o, int64_t i, double x) {
    double most = p->q->options.weight_max;
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1];
    int8_t *to = integers_of(p, o, i);
    uint32_t parts = p->layer->inputs[0]->parts;
    *to = (int8_t)rounded(x, most);
    double left = x - *to;
    if (parts & VT_QPART_FINE) *(to += window) = (int8_t)rounded(ldexp(x, -VT_QFINE_BITS), most);
    if (parts & VT_QPART_COARSE) to[window] = (int8_t)rounded(ldexp(left, VT_QCOARSE_BITS), most);
}

/* What the integers of a weight come to, on the average; the fine part of an operand is about 0. */
static double given_of(const vt__product *p, int64_t o, int64_t i) {
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1];
    const int8_t *at = integers_of(p, o, i);
    uint32_t parts = p->layer->inputs[0]->parts;
    return *at + (parts & VT_QPART_COARSE ? ldexp(at[window * (p->parts - 1)], -VT_QCOARSE_BITS) : 0);
}

/* What the integers of a channel give more than its weights, on the average. */
static double excess_of(const vt__product *p, int64_t o, double scale) {
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1], ins = p->taps / window;
    const double *means = p->means, *channel = p->layer->inputs[0]->channel;
    double sum = 0;
    if (!means) return 0;
    means += o / (p->channels / p->layer->group) * ins;
    if (channel) channel += o / (p->channels / p->layer->group) * ins;
    for (int64_t i = 0; i < p->taps; i++) {
        double mean = means[i / window] / (channel ? channel[i / window] : 1);
        sum += (given_of(p, o, i) * scale - p->weight[i]) * mean * p->coverage[i % window];
    }
    return sum;
}

/* The integers of a channel; gives the largest magnitude that its sum can have. */
static double set_channel(vt__product *p, int64_t o, double scale, double rounding) {
    double sum = 0;
    vt__read_weights(p, o);
    for (int64_t i = 0; i < p->taps; i++) set_integer(p, o, i, p->weight[i] / scale);
    for (int64_t i = 0; i < p->taps * p->parts; i++) sum += abs(p->integers[o * p->taps * p->parts + i]);
    double bias = vt__bias_of(p, o) - excess_of(p, o, scale);
    double number = nearbyint(bias / (scale * p->layer->inputs[0]->scale) + rounding);
    p->scales[o] = scale;
    p->bias[o] = (int32_t)fmin(fmax(number, -0x1p30), 0x1p30);
    return sum * (p->q->options.most + 1.0) + fabs(number);
}

/* ---- Shifts ---------------------------------------------------------------------------------------------------- */

/* The largest that keeps weights and bias of a channel within their types. */
static int32_t shift_of(const vt__product *p, int64_t o) {
    double n = p->least[o] > 0 ? floor(log2(vt__step_of(p, o) / p->least[o])) : 8;
    return (int32_t)fmin(fmax(n, 0), VT__SHIFT_MAX);
}

static bool set_shifted(vt__product *p, int64_t o, int32_t n) {
    p->shift[o] = n;
    return set_channel(p, o, vt__step_of(p, o) / ldexp(1, n), n > 0 ? ldexp(1, n - 1) : 0) < 0x1p31;
}

/* One shift for all channels, the smallest, takes one cycle an output where a shift for each takes two. Their weights
 * are rounded to fewer bits then: taken where the power of that noise over all channels grows by less than SHARE_MAX;
 * else -1. */
static int32_t shared_shift(const vt__product *p) {
    int32_t least = VT__SHIFT_MAX;
    double each = 0, shared = 0;
    for (int64_t o = 0; o < p->channels; o++) {
        double step = vt__step_of(p, o);
        if (p->shift[o] < least) least = p->shift[o];
        each += step * step * ldexp(1, -2 * p->shift[o]);
        shared += step * step;
    }
    return shared * ldexp(1, -2 * least) <= SHARE_MAX * each ? least : -1;
}

/* Each channel's scale is its own: nothing is rounded but the weights. */
static void set_common(vt__product *p) {
    double half = p->common > 0 ? ldexp(1, p->common - 1) : 0;
    double *channel = (double *)p->layer->output->channel;
    for (int64_t o = 0; o < p->channels; o++) {
        p->shift[o] = p->common;
        while (set_channel(p, o, channel[o], half) >= 0x1p31) channel[o] *= 2;
    }
}

void vt__set_shifts(vt__product *p) {
    if (p->common >= 0) {
        set_common(p);
        return;
    }
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
        double m = ceil(ldexp(p->least[o] / vt__step_of(p, o), n) * (1 - 1e-9));
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
        largest[o] = set_channel(p, o, p->factor[o] * vt__step_of(p, o) / ldexp(1, n), half_of(p, o, n));
        if (largest[o] >= 0x1p30) return n == 0;
    }
    p->before = bits_before(p, largest, n);
    return p->before >= 0 || n == 0;
}

void vt__set_factors(vt__product *p) {
    double *largest = VT_NEW_ARRAY(p->q->ctx, double, (size_t)p->channels), most = 0;
    p->factor = VT_NEW_ARRAY(p->q->ctx, int32_t, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) most = fmax(most, p->least[o] / vt__step_of(p, o));
    double bits = most > 0 ? floor(log2(FACTOR_MAX / most)) : 0;
    int32_t n = (int32_t)fmin(fmax(bits, 0), PRODUCT_SHIFT_MAX);
    while (!set_for(p, largest, n)) n--;
    if (p->before < 0) p->before = 0;
    for (int64_t o = 0; o < p->channels; o++) {
        p->shift[o] = n - p->before;
        if (p->before) p->bias[o] += 1 << (p->before - 1);
    }
}

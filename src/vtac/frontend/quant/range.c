/* Ranges of values: a histogram of magnitudes for each value, whose bins double their width when a larger one comes. */
#include "frontend/quant/range.h"

#include <math.h>
#include <string.h>

enum { BINS = 2048 };

typedef struct histogram {
    double width;    /* of a bin; 0: nothing but zeros yet */
    double most;     /* the largest magnitude */
    double given;    /* a range from elsewhere; 0: none */
    double measured; /* the range of VT_RANGE_OUTPUT; 0: there is none */
    uint64_t count;
    uint64_t *bins; /* NULL before the first element */
    double *means;  /* one a channel, over `samples` tensors; NULL: no channels, or none seen; behind them, */
    double *powers; /* in the same order, the means of their squares, */
    double *peaks;  /* their largest magnitudes, */
    double *usual;  /* and the means of the largest magnitudes of each tensor */
    uint64_t samples;
    size_t odd_place; /* of the first element that is infinite or not a number, */
    double odd;       /* and that; 0: all were finite */
} histogram;

struct vt_ranges {
    vt_ctx *ctx;
    histogram *of; /* by the value's index */
    bool is_measured;
};

vt_ranges *vt_ranges_new(vt_ctx *ctx, const vt_graph *g) {
    vt_ranges *r = VT_NEW(ctx, vt_ranges);
    r->ctx = ctx;
    r->of = VT_NEW_ARRAY(ctx, histogram, g->values.count ? g->values.count : 1);
    return r;
}

/* Two bins become one. */
static void widen(histogram *h) {
    for (size_t i = 0; i < BINS / 2; i++) h->bins[i] = h->bins[2 * i] + h->bins[2 * i + 1];
    memset(h->bins + BINS / 2, 0, BINS / 2 * sizeof *h->bins);
    h->width *= 2;
}

static double largest(const float *data, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double x = fabs((double)data[i]);
        if (x > most && x <= (double)HUGE_VALF && isfinite(x)) most = x;
    }
    return most;
}

/* Eight sums at a time: one alone waits for its own additions. */
static double sum_of(const float *x, int64_t count) {
    enum { LANES = 8 };
    double lanes[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) lanes[k] += (double)x[i + k];
    for (; i < count; i++) sum += (double)x[i];
    for (int k = 0; k < LANES; k++) sum += lanes[k];
    return isfinite(sum) ? sum : 0;
}

/* The same of squares, and the largest magnitude. */
static double squares_and_peak(const float *x, int64_t count, double *peak) {
    enum { LANES = 8 };
    double lanes[LANES] = {0}, sum = 0;
    float most[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            lanes[k] += (double)x[i + k] * (double)x[i + k];
            most[k] = fabsf(x[i + k]) > most[k] ? fabsf(x[i + k]) : most[k];
        }
    for (; i < count; i++) {
        sum += (double)x[i] * (double)x[i];
        most[0] = fabsf(x[i]) > most[0] ? fabsf(x[i]) : most[0];
    }
    for (int k = 0; k < LANES; k++) sum += lanes[k], *peak = fmax(*peak, isfinite(most[k]) ? (double)most[k] : 0);
    return isfinite(sum) ? sum : 0;
}

/* A sample's means go into those of all before it. */
static void observe_means(vt_ranges *r, histogram *h, const vt_gtype *t, const float *data) {
    int64_t count = vt_gtype_count(t), channels = t->rank > 1 ? t->dim[1] : 0;
    if (count == 0 || channels == 0) return;
    int64_t outer = t->dim[0], inner = count / outer / channels;
    if (!h->means) {
        h->means = VT_NEW_ARRAY(r->ctx, double, (size_t)channels);
        h->powers = VT_NEW_ARRAY(r->ctx, double, (size_t)channels);
        h->peaks = VT_NEW_ARRAY(r->ctx, double, (size_t)channels);
        h->usual = VT_NEW_ARRAY(r->ctx, double, (size_t)channels);
    }
    h->samples++;
    for (int64_t c = 0; c < channels; c++) {
        double sum = 0, squares = 0, peak = 0;
        for (int64_t o = 0; o < outer; o++) {
            const float *x = &data[(o * channels + c) * inner];
            sum += sum_of(x, inner);
            squares += squares_and_peak(x, inner, &peak);
        }
        h->means[c] += (sum / (double)(outer * inner) - h->means[c]) / (double)h->samples;
        h->powers[c] += (squares / (double)(outer * inner) - h->powers[c]) / (double)h->samples;
        h->usual[c] += (peak - h->usual[c]) / (double)h->samples;
        h->peaks[c] = fmax(h->peaks[c], peak);
    }
}

void vt_ranges_observe(vt_ranges *r, const vt_gvalue *v, const float *data, size_t count) {
    histogram *h = &r->of[v->index];
    double most = largest(data, count);
    r->is_measured = false;
    if (!h->bins) h->bins = VT_NEW_ARRAY(r->ctx, uint64_t, BINS);
    if (most > h->most) h->most = most;
    if (h->width == 0 && most > 0) h->width = fmax(most / BINS, 1e-300);
    while (h->width > 0 && h->most >= h->width * BINS) widen(h);
    for (size_t i = 0; i < count; i++) {
        double x = fabs((double)data[i]);
        if (!isfinite(x)) {
            if (h->odd == 0) h->odd = (double)data[i], h->odd_place = i;
            continue;
        }
        h->bins[h->width > 0 ? (size_t)(x / h->width) : 0]++;
        h->count++;
    }
    if ((size_t)vt_gtype_count(&v->type) == count) observe_means(r, h, &v->type, data);
}

const double *vt_ranges_means(const vt_ranges *r, const vt_gvalue *v) { return r->of[v->index].means; }

const double *vt_ranges_powers(const vt_ranges *r, const vt_gvalue *v) { return r->of[v->index].powers; }
const double *vt_ranges_peaks(const vt_ranges *r, const vt_gvalue *v) { return r->of[v->index].peaks; }
const double *vt_ranges_usual_peaks(const vt_ranges *r, const vt_gvalue *v) { return r->of[v->index].usual; }

uint64_t vt_ranges_samples(const vt_ranges *r, const vt_gvalue *v) { return r->of[v->index].samples; }

bool vt_ranges_odd(const vt_ranges *r, const vt_gvalue *v, double *out_element, size_t *out_place) {
    const histogram *h = &r->of[v->index];
    *out_element = h->odd;
    *out_place = h->odd_place;
    return h->odd != 0;
}

bool vt_ranges_seen(const vt_ranges *r, const vt_gvalue *v) {
    const histogram *h = &r->of[v->index];
    return h->given > 0 || h->count > 0;
}

void vt_ranges_set(vt_ranges *r, const vt_gvalue *v, double most) {
    r->of[v->index].given = fmax(r->of[v->index].given, most);
}

void vt_ranges_set_measured(vt_ranges *r, const vt_gvalue *v, double range) {
    r->of[v->index].measured = range;
    r->is_measured = true;
}

bool vt_ranges_are_measured(const vt_ranges *r) { return r->is_measured; }

/* ---- Where to cut off ------------------------------------------------------------------------------------------ */

static double percentile_of(const histogram *h, double percentile) {
    double beyond = (double)h->count * (1 - percentile / 100);
    uint64_t seen = 0;
    for (size_t i = BINS; i-- > 0;) {
        seen += h->bins[i];
        if ((double)seen > beyond) return fmin(h->width * (double)(i + 1), h->most);
    }
    return h->most;
}

/* The squared errors of a range of `bins` bins: rounding within it, cutting off beyond. */
static double squares_of(const histogram *h, size_t bins, int32_t most) {
    double range = h->width * (double)bins, step = range / most, error = 0;
    for (size_t i = 0; i < BINS; i++) {
        double x = h->width * ((double)i + 0.5), off = x - range;
        error += (double)h->bins[i] * (i < bins ? step * step / 12 : off * off + step * step / 12);
    }
    return error;
}

/* The divergence of what is seen from what `most` + 1 levels over the first `bins` bins tell of it; what lies beyond
 * counts in the last bin. A level's mass is spread over those of its bins that have any. The first bin is left out:
 * zeros behind a rectifier would outweigh everything. */
static double divergence_of(const histogram *h, size_t bins, int32_t most) {
    size_t levels = (size_t)most + 1;
    double beyond = 0, within = 0, sum = 0;
    for (size_t i = 1; i < BINS; i++) *(i < bins ? &within : &beyond) += (double)h->bins[i];
    for (size_t level = 0; level < levels; level++) {
        size_t begin = level * bins / levels, end = (level + 1) * bins / levels, used = 0;
        double mass = 0;
        if (begin == 0) begin = 1;
        for (size_t i = begin; i < end; i++) mass += (double)h->bins[i], used += h->bins[i] != 0;
        for (size_t i = begin; i < end; i++) {
            double p = ((double)h->bins[i] + (i + 1 == bins ? beyond : 0)) / (within + beyond);
            double q = h->bins[i] ? mass / (double)used / within : 1e-9;
            if (p > 0) sum += p * log(p / q);
        }
    }
    return sum;
}

static double best_of(const histogram *h, int32_t most, double (*cost)(const histogram *, size_t, int32_t)) {
    size_t best = BINS, last = (size_t)fmin(BINS, ceil(h->most / h->width));
    size_t first = (size_t)most + 1 < last ? (size_t)most + 1 : last, step = (last - first) / 128 + 1;
    double least = INFINITY;
    for (size_t bins = first; bins <= last; bins += step) {
        double c = cost(h, bins, most);
        if (c < least) least = c, best = bins;
    }
    return fmin(h->width * (double)best, h->most);
}

double vt_ranges_of(const vt_ranges *r, const vt_gvalue *v, vt_range_method method, double percentile, int32_t most) {
    const histogram *h = &r->of[v->index];
    if (h->given > 0) return h->given;
    if (h->count == 0 || h->width == 0) return 0;
    switch (method) {
    case VT_RANGE_MAX: return h->most;
    case VT_RANGE_PERCENTILE: return percentile_of(h, percentile);
    case VT_RANGE_KL: return best_of(h, most, divergence_of);
    case VT_RANGE_SQUARES: return best_of(h, most, squares_of);
    case VT_RANGE_OUTPUT: return h->measured > 0 ? h->measured : best_of(h, most, squares_of);
    }
    return h->most;
}

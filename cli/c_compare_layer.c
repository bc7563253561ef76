/* A layer in floats and in integers: how far they are apart. */
#include <math.h>
#include <stdio.h>

#include "c_compare.h"

/* Element `i` of the value: of one in parts, what the first of them says. */
static double element(const vtac_quantized_layer *l, size_t i) {
    if (l->scale == 0) return (double)((const float *)l->data)[i];
    size_t plane = 1, channels = l->ndim > 1 ? (size_t)l->shape[1] / l->parts : 1;
    for (int32_t k = 2; k < l->ndim; k++) plane *= (size_t)l->shape[k];
    double scale = l->scale * (l->channel_scales ? l->channel_scales[i / plane % channels] : 1);
    i += i / plane * plane * (l->parts - 1);
    return scale * (l->type.bits == 8 ? ((const int8_t *)l->data)[i] : ((const int16_t *)l->data)[i]);
}

/* The place of x among `bins` from low to high. */
static size_t place(double x, double low, double high, size_t bins) {
    double at = high > low ? (x - low) / (high - low) * (double)bins : 0;
    return at >= (double)bins ? bins - 1 : at > 0 ? (size_t)at : 0;
}

/* Both finite; else they are the same, or *out_odd is counted up. */
static bool is_measured(double x, double y, size_t *out_odd) {
    if (isfinite(x) && isfinite(y)) return true;
    *out_odd += !(x == y || (isnan(x) && isnan(y)));
    return false;
}

static void measure(const vtac_quantized_layer *l, const float *want, cli_layer *out) {
    double dot = 0, ours = 0, theirs = 0, noise = 0;
    out->low = INFINITY, out->high = -INFINITY;
    for (size_t i = 0; i < out->count; i++) {
        double x = element(l, i), y = (double)want[i], off = fabs(x - y);
        if (!is_measured(x, y, &out->odd)) continue;
        out->most = fmax(out->most, off);
        out->low = fmin(out->low, fmin(x, y)), out->high = fmax(out->high, fmax(x, y));
        dot += x * y, ours += x * x, theirs += y * y, noise += off * off;
    }
    if (out->low > out->high) out->low = out->high = 0; /* nothing was measured */
    out->exact = noise == 0 && !out->odd;
    out->cosine = out->odd ? 0 : ours > 0 && theirs > 0 ? dot / sqrt(ours * theirs) : ours == theirs;
    out->decibels = out->exact ? INFINITY : theirs > 0 && !out->odd ? 10 * log10(theirs / noise) : -INFINITY;
}

static void count(const vtac_quantized_layer *l, const float *want, cli_layer *out) {
    size_t odd = 0;
    for (size_t i = 0; i < out->count; i++) {
        double x = element(l, i), y = (double)want[i];
        if (!is_measured(x, y, &odd)) continue;
        size_t across = place(y, out->low, out->high, CLI_COMPARE_CELLS);
        out->cells[across][place(x, out->low, out->high, CLI_COMPARE_CELLS)]++;
        out->errors[place(x - y, -out->most, out->most, CLI_COMPARE_BINS)]++;
    }
}

const char *cli_layer_decibels(const cli_layer *layer, char out[32]) {
    snprintf(out, 32, layer->exact ? "exact" : "%.1f", layer->decibels);
    return out;
}

void cli_layer_measure(const vtac_quantized_layer *computed, const float *want, cli_layer *out_layer) {
    size_t used = 0;
    *out_layer = (cli_layer){.kind = computed->kind, .scale = computed->scale, .count = 1};
    snprintf(out_layer->value, sizeof out_layer->value, "%s", computed->value);
    for (int32_t i = 0; i < computed->ndim; i++) {
        out_layer->count *= (size_t)computed->shape[i] / (i == 1 && computed->scale > 0 ? computed->parts : 1);
        if (used < sizeof out_layer->shape)
            used += (size_t)snprintf(out_layer->shape + used, sizeof out_layer->shape - used, "%s%lld", i ? " x " : "",
                                     (long long)computed->shape[i]);
    }
    measure(computed, want, out_layer);
    count(computed, want, out_layer);
}

/* Forms of outputs that several decoders have, and their arithmetic. */
#include <math.h>

#include "detect/detect.h"

bool vt__is_table(const vt_output *o) { return o->ndim == 2 && o->is_float; }

static const vt_grid grids[] = {
    {3, {8, 16, 32}}, {4, {8, 16, 32, 64}}, {2, {16, 32}}, {5, {8, 16, 32, 64, 128}}, {4, {4, 8, 16, 32}}};

bool vt__find_grid(const vt_outputs *o, uint32_t rows, uint32_t per_cell, vt_grid *out) {
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        uint64_t cells = 0;
        for (uint32_t k = 0; k < grids[i].count; k++) {
            uint32_t stride = grids[i].stride[k];
            cells += (uint64_t)vt__cells(o->height, stride) * vt__cells(o->width, stride);
        }
        if (cells * per_cell != rows) continue;
        *out = grids[i];
        return true;
    }
    return false;
}

size_t vt__largest(const float *scores, size_t count, size_t by) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (scores[i * by] > scores[best * by]) best = i;
    return best;
}

double vt__sigmoid(double x) { return 1 / (1 + exp(-x)); }

double vt__distribution_mean(const float *logits, size_t bins, size_t by) {
    double most = logits[vt__largest(logits, bins, by) * by], sum = 0, mean = 0;
    for (size_t i = 0; i < bins; i++) {
        double share = exp(logits[i * by] - most);
        sum += share;
        mean += share * (double)i;
    }
    return mean / sum;
}

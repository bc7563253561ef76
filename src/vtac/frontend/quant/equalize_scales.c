/* The scales of a group's channels that lose least.
 *
 * With s the scales, an output of a product that reads the group loses, over 1 / (12 * 127^2) of the squared range:
 *
 *     max(w s)^2 * sum(P / s^2)    by rounding its weights, whose steps the largest of them decides,
 *     sum(w^2 s^2)                 by rounding what it reads,
 *
 * w being weights, P means of squares. Both are sums of products of powers of s, so all that is lost is convex in the
 * logarithms of s (a geometric program: Boyd and others, 2007), and descent along its slope finds the least from
 * anywhere. It begins with the finest scales that cover what was seen. */
#include <math.h>

#include "frontend/quant/equalize.h"

enum {
    SPREAD_MAX = 256, /* of the scales of a value's channels */
    ROUNDS = 40,
};

#define FIRST_STEP 0.5 /* of a logarithm, at most; each round's is */
#define STEP_FACTOR 0.9
#define WORTH_IT 0.8 /* of the noise of even scales: this is an estimate, small gains may be none */

typedef struct descent {
    const vt_eq_group *g;
    double *scales;
    double *slope, *size; /* of the noise by the logarithm of a scale: its terms, and their magnitudes */
    double *steps;        /* of what a reader's columns are multiplied by: P / s^2, for each of their weights */
} descent;

static void add_term(descent *d, uint32_t slot, double term) {
    d->slope[slot] += 2 * term;
    d->size[slot] += 2 * fabs(term);
}

/* What a row loses, and its slope. */
static double add_row(descent *d, const vt_eq_reader *r, int64_t row) {
    const uint32_t *slots = r->slots + row * r->slots_row;
    const float *largest = r->largest + row * r->columns, *squares = r->squares + row * r->columns;
    double widest = 0, fed = 0, rounding = 0;
    uint32_t at = slots[0];
    for (int64_t i = 0; i < r->columns; i++) {
        double x = largest[i] * d->scales[slots[i]];
        if (x > widest) widest = x, at = slots[i];
        fed += r->taps[i] * d->steps[slots[i]];
    }
    double weight = r->share * widest * widest;
    for (int64_t i = 0; i < r->columns; i++) {
        double s = d->scales[slots[i]], own = r->share * squares[i] * s * s;
        add_term(d, slots[i], own);
        add_term(d, slots[i], -weight * r->taps[i] * d->steps[slots[i]]);
        rounding += own;
    }
    add_term(d, at, weight * fed);
    return weight * fed + rounding;
}

static double noise_of(descent *d) {
    double all = 0;
    for (int64_t i = 0; i < d->g->slots; i++) {
        double s = d->scales[i], loose = d->g->loose * s * s;
        d->slope[i] = d->size[i] = 0;
        d->steps[i] = d->g->powers[i] / (s * s);
        add_term(d, (uint32_t)i, loose);
        all += loose;
    }
    for (const vt_eq_reader *r = d->g->readers; r; r = r->next)
        for (int64_t row = 0; row < r->rows; row++) all += add_row(d, r, row);
    return all;
}

/* The finest that a scale may be. */
static double finest(const vt_eq_group *g, int64_t i) {
    double least = fmax(fmax(g->peaks[i], g->floors[i]), 1.0 / SPREAD_MAX);
    return g->limited ? fmin(least, 1) : least;
}

static void descend(descent *d, double step) {
    for (int64_t i = 0; i < d->g->slots; i++) {
        if (d->size[i] == 0) continue;
        double s = fmax(d->scales[i] * exp(-step * d->slope[i] / d->size[i]), finest(d->g, i));
        d->scales[i] = d->g->limited ? fmin(s, 1) : s;
    }
}

void vt__choose_scales(vt_ctx *ctx, vt_eq_group *g) {
    size_t count = (size_t)g->slots;
    descent d = {g, VT_NEW_ARRAY(ctx, double, count), VT_NEW_ARRAY(ctx, double, count),
                 VT_NEW_ARRAY(ctx, double, count), VT_NEW_ARRAY(ctx, double, count)};
    for (size_t i = 0; i < count; i++) d.scales[i] = 1;
    double least = noise_of(&d) * WORTH_IT, step = FIRST_STEP;
    for (size_t i = 0; i < count; i++) d.scales[i] = finest(g, (int64_t)i);
    for (int round = 0; round < ROUNDS; round++, step *= STEP_FACTOR) {
        double now = noise_of(&d);
        if (now < least) {
            least = now;
            if (!g->best) g->best = VT_NEW_ARRAY(ctx, double, count);
            for (size_t i = 0; i < count; i++) g->best[i] = d.scales[i];
        }
        descend(&d, step);
    }
}

/* Choosing the next token. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/versioned.h"
#include "vta/language.h"

typedef struct choice {
    double weight;
    int32_t token;
} choice;

struct vta_sampler {
    vta_allocator allocator;
    double temperature, top_p;
    uint64_t state;
    choice *choices;
    size_t cap;
};

vta_status vta_sampler_create(const vta_sampler_options *options, const vta_allocator *allocator, vta_diag *diag,
                              vta_sampler **out_sampler) {
    vta_sampler_options own;
    if (!out_sampler) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_sampler is NULL");
    *out_sampler = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_sampler_options", diag));
    if (!(own.temperature >= 0 && own.temperature <= 1e6))
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "a temperature of %g; expected 0 (always the likeliest token) to 1e6", own.temperature);
    if (!(own.top_p >= 0 && own.top_p <= 1))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "a top_p of %g; expected 0 to 1", own.top_p);
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    vta_sampler *s = vt_alloc_zero(a, sizeof *s);
    if (!s) return vt_no_memory(diag);
    *s = (vta_sampler){*a, own.temperature, own.top_p, own.seed, NULL, 0};
    *out_sampler = s;
    return VTA_OK;
}

void vta_sampler_destroy(vta_sampler *s) {
    if (!s) return;
    vta_allocator allocator = s->allocator;
    vt_free(&allocator, s->choices, s->cap * sizeof *s->choices);
    vt_free(&allocator, s, sizeof *s);
}

/* splitmix64, as a number from 0 to 1, exclusive. */
static double next(vta_sampler *s) {
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static size_t highest(const float *scores, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (scores[i] > scores[best] || isnan(scores[best])) best = i;
    return best;
}

static int likelier_first(const void *a, const void *b) {
    const choice *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->token < y->token ? -1 : 1;
}

/* The likeliest tokens that have the share together; their weights' sum. */
static double cut(vta_sampler *s, size_t *count, double all) {
    if (s->top_p <= 0 || s->top_p >= 1) return all;
    qsort(s->choices, *count, sizeof *s->choices, likelier_first);
    double sum = 0;
    size_t n = 0;
    while (n < *count && sum < s->top_p * all) sum += s->choices[n++].weight;
    *count = n;
    return sum;
}

vta_status vta_sampler_choose(vta_sampler *s, const float *scores, size_t count, vta_diag *diag, int32_t *out_token) {
    if (!s || !scores || !out_token || !count || count > INT32_MAX)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_sampler_choose: an argument is NULL, or there are no scores");
    size_t best = highest(scores, count), n = count;
    *out_token = (int32_t)best;
    if (s->temperature == 0 || !isfinite(scores[best])) return VTA_OK;
    if (!vt_reserve(&s->allocator, &s->choices, &s->cap, count, sizeof *s->choices)) return vt_no_memory(diag);
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = exp(((double)scores[i] - (double)scores[best]) / s->temperature);
        s->choices[i] = (choice){isnan(weight) ? 0 : weight, (int32_t)i};
        all += s->choices[i].weight;
    }
    double point = cut(s, &n, all) * next(s);
    for (size_t i = 0; i < n; i++) {
        if (s->choices[i].weight > 0) *out_token = s->choices[i].token;
        point -= s->choices[i].weight;
        if (point < 0) break;
    }
    return VTA_OK;
}

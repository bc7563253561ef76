/* Weights rounded so that the errors of a channel make up for each other on what the product reads.
 *
 * The nearest integers make the error of each weight least; what counts is the error of the sums. With e the errors of
 * a channel's weights and H the second moments of what they are multiplied by, its power is e'He. From the nearest
 * integers on, the one is moved by a step that lessens it most, until none does: coordinate descent, in the order of
 * what is gained (Nair and Suggala, CDQuant: Greedy coordinate descent for accurate LLM quantization, 2024). H is what
 * second-order rounding factorizes (Frantar and others, GPTQ, 2022); no gradient of the network is needed.
 *
 * The mean of the error belongs to the bias, so moments are about the mean where biases are corrected. Few samples say
 * little of many weights: moments are shrunk towards their diagonal, the more the fewer there are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/quant/product.h"

enum {
    MAX_COLUMNS = 4096, /* places of the window that are looked at, at least; or as many as there are */
    COLUMNS_A_WEIGHT = 3,
    MAX_TAPS = 6144, /* more weights in a channel keep the nearest integers: H would take more than 150 MB */
    ROWS = 8,        /* channels in hand together */
};

typedef struct adapting {
    const vt__product *p;
    const vt_qseen *seen;
    const int8_t *inputs;
    int64_t in[4], out[4]; /* images */
    int64_t taps, columns, stride;
    int16_t *x; /* taps rows of columns: what each weight is multiplied by */
    float *h;   /* taps x taps */
    float *diagonal;
    int8_t *nearest;      /* integers of the channel in hand */
    double *means;        /* of x, where biases are corrected; else 0 */
    float *error, *slope; /* ROWS x taps; slope: H times the error */
} adapting;

/* ---- What the weights are multiplied by ---------------------------------------------------------------------------
 */

/* Input integers of all taps for place `y`, `x` of the window in an image, for a group: a column. */
static void read_column(adapting *a, const int8_t *image, int64_t group, int64_t y, int64_t x, int64_t column) {
    const vt_qwindow *w = &a->p->layer->window;
    int64_t ins = a->taps / (w->kernel[0] * w->kernel[1]);
    int16_t *to = a->x + column;
    for (int64_t c = group * ins; c < (group + 1) * ins; c++)
        for (int64_t ky = 0; ky < w->kernel[0]; ky++)
            for (int64_t kx = 0; kx < w->kernel[1]; kx++, to += a->columns) {
                int64_t iy = y * w->strides[0] + ky * w->dilations[0] - w->pads[0];
                int64_t ix = x * w->strides[1] + kx * w->dilations[1] - w->pads[1];
                bool inside = iy >= 0 && iy < a->in[2] && ix >= 0 && ix < a->in[3];
                *to = inside ? image[(c * a->in[2] + iy) * a->in[3] + ix] : 0;
            }
}

static void read_columns(adapting *a, int64_t group) {
    int64_t places = a->out[2] * a->out[3], image = a->in[1] * a->in[2] * a->in[3];
    for (int64_t column = 0; column < a->columns; column++) {
        int64_t at = column * a->stride, place = at % places;
        read_column(a, a->inputs + at / places * image, group, place / a->out[3], place % a->out[3], column);
    }
}

/* ---- Moments ------------------------------------------------------------------------------------------------------
 */

static double dot(const int16_t *a, const int16_t *b, int64_t count) {
    int64_t sum = 0;
    for (int64_t begin = 0; begin < count; begin += 1 << 16) {
        int64_t end = begin + (1 << 16) < count ? begin + (1 << 16) : count;
        int32_t part = 0; /* 2^16 products of 2^14 each */
        for (int64_t i = begin; i < end; i++) part += a[i] * b[i];
        sum += part;
    }
    return (double)sum;
}

static double mean_of(const int16_t *x, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i];
    return (double)sum / (double)count;
}

/* By blocks of rows that stay in the cache. */
static void find_moments(adapting *a) {
    enum { BLOCK = 32 };
    bool centered = a->p->means != NULL;
    double keep = (double)a->columns / (double)(a->columns + a->taps);
    for (int64_t i = 0; i < a->taps; i++) a->means[i] = centered ? mean_of(a->x + i * a->columns, a->columns) : 0;
    for (int64_t block = 0; block < a->taps; block += BLOCK)
        for (int64_t i = 0; i < a->taps; i++)
            for (int64_t k = block; k < block + BLOCK && k <= i; k++) {
                double moment = dot(a->x + i * a->columns, a->x + k * a->columns, a->columns) / (double)a->columns;
                moment = (moment - a->means[i] * a->means[k]) * (i == k ? 1 : keep);
                a->h[i * a->taps + k] = a->h[k * a->taps + i] = (float)moment;
            }
}

/* ---- Rounding -----------------------------------------------------------------------------------------------------
 */

static void add_scaled(float *to, const float *from, float factor, int64_t count) {
    for (int64_t i = 0; i < count; i++) to[i] += factor * from[i];
}

/* The weight whose step lessens the error most; -1: none does, noticeably. */
static int64_t find_step(const adapting *a, const int8_t *integers, const float *slope) {
    int32_t most = a->p->q->options.weight_max;
    float best = 0;
    int64_t found = -1;
    for (int64_t i = 0; i < a->taps; i++) {
        float diagonal = a->diagonal[i], gain = 2 * fabsf(slope[i]) - diagonal;
        if (gain <= best || gain <= 1e-4f * diagonal) continue;
        if (slope[i] > 0 ? integers[i] <= -most : integers[i] >= most) continue;
        best = gain;
        found = i;
    }
    return found;
}

/* Gives what that changes the sum by, on the average. */
static double descend(const adapting *a, int8_t *integers, float *slope) {
    double change = 0;
    for (int64_t left = 4 * a->taps, i; left && (i = find_step(a, integers, slope)) >= 0; left--) {
        int step = slope[i] > 0 ? -1 : 1;
        integers[i] = (int8_t)(integers[i] + step);
        change += step * a->means[i];
        add_scaled(slope, a->h + i * a->taps, (float)step, a->taps);
    }
    return change;
}

/* Is the largest sum of a channel, and its product with what it is multiplied by, within 32 bits? */
static bool is_within(const vt__product *p, int64_t o, double bias) {
    double sum = fabs(bias) + 1;
    for (int64_t i = 0; i < p->taps; i++) sum += abs(p->integers[o * p->taps + i]) * (p->q->options.most + 1.0);
    return sum < 0x1p31 && (!p->factor || sum * p->factor[o] <= ldexp(0x1p31, p->before));
}

/* The nearest integers stay where others would be too large. */
static void round_channel(adapting *a, int64_t o, float *slope) {
    vt__product *p = (vt__product *)a->p;
    int8_t *integers = p->integers + o * a->taps;
    memcpy(a->nearest, integers, (size_t)a->taps);
    double bias = p->bias[o] - nearbyint(descend(a, integers, slope));
    if (fabs(bias) <= 0x1p30 && is_within(p, o, bias))
        p->bias[o] = (int32_t)bias;
    else
        memcpy(integers, a->nearest, (size_t)a->taps);
}

/* Channels from `first` to before `end`, together: each row of H is read once for all. */
static void round_channels(adapting *a, int64_t first, int64_t end) {
    vt__product *p = (vt__product *)a->p;
    for (int64_t o = first; o < end; o++) {
        vt__read_weights(p, o);
        for (int64_t i = 0; i < a->taps; i++)
            a->error[(o - first) * a->taps + i] = (float)(p->integers[o * a->taps + i] - p->weight[i] / p->scales[o]);
    }
    memset(a->slope, 0, (size_t)((end - first) * a->taps) * sizeof *a->slope);
    for (int64_t i = 0; i < a->taps; i++)
        for (int64_t o = 0; o < end - first; o++)
            add_scaled(a->slope + o * a->taps, a->h + i * a->taps, a->error[o * a->taps + i], a->taps);
    for (int64_t o = first; o < end; o++) round_channel(a, o, a->slope + (o - first) * a->taps);
}

static void round_group(adapting *a, int64_t group) {
    int64_t channels = a->p->channels / a->p->layer->group, end = (group + 1) * channels;
    read_columns(a, group);
    find_moments(a);
    for (int64_t i = 0; i < a->taps; i++) a->diagonal[i] = a->h[i * a->taps + i];
    for (int64_t o = group * channels; o < end; o += ROWS) round_channels(a, o, o + ROWS < end ? o + ROWS : end);
}

/* Memory is the allocator's, not the arena's: it is given back layer by layer. */
static bool make(adapting *a) {
    const vta_allocator *from = a->seen->allocator;
    a->x = vt_alloc(from, (size_t)(a->taps * a->columns) * sizeof *a->x);
    a->h = vt_alloc(from, (size_t)(a->taps * a->taps) * sizeof *a->h);
    a->error = vt_alloc(from, (size_t)(ROWS * a->taps) * sizeof *a->error);
    a->slope = vt_alloc(from, (size_t)(ROWS * a->taps) * sizeof *a->slope);
    a->diagonal = vt_alloc(from, (size_t)a->taps * sizeof *a->diagonal);
    a->means = vt_alloc(from, (size_t)a->taps * sizeof *a->means);
    a->nearest = vt_alloc(from, (size_t)a->taps);
    return a->x && a->h && a->error && a->slope && a->diagonal && a->means && a->nearest;
}

static void drop(adapting *a) {
    const vta_allocator *from = a->seen->allocator;
    vt_free(from, a->x, (size_t)(a->taps * a->columns) * sizeof *a->x);
    vt_free(from, a->h, (size_t)(a->taps * a->taps) * sizeof *a->h);
    vt_free(from, a->error, (size_t)(ROWS * a->taps) * sizeof *a->error);
    vt_free(from, a->slope, (size_t)(ROWS * a->taps) * sizeof *a->slope);
    vt_free(from, a->diagonal, (size_t)a->taps * sizeof *a->diagonal);
    vt_free(from, a->means, (size_t)a->taps * sizeof *a->means);
    vt_free(from, a->nearest, (size_t)a->taps);
}

static bool can_adapt(const vt__product *p) {
    const vt_qseen *seen = p->q->options.seen;
    return seen && p->layer->index < seen->layer_count && seen->inputs[p->layer->index] && p->parts == 1 &&
           p->taps <= MAX_TAPS;
}

void vt__adapt(vt__product *p) {
    if (!can_adapt(p)) return;
    const vt_qseen *seen = p->q->options.seen;
    adapting a = {.p = p, .seen = seen, .inputs = seen->inputs[p->layer->index], .taps = p->taps};
    vt_qtensor_image(&p->layer->inputs[0]->type, a.in);
    vt_qtensor_image(&p->layer->output->type, a.out);
    int64_t all = (int64_t)seen->sample_count * a.in[0] * a.out[2] * a.out[3];
    int64_t wanted = COLUMNS_A_WEIGHT * a.taps > MAX_COLUMNS ? COLUMNS_A_WEIGHT * a.taps : MAX_COLUMNS;
    a.columns = all < wanted ? all : wanted;
    a.stride = all / a.columns;
    vt_poll(p->q->ctx);
    bool made = make(&a);
    for (int64_t group = 0; made && group < p->layer->group; group++) round_group(&a, group);
    drop(&a);
    if (!made) vt_raise(p->q->ctx, VTA_NO_MEMORY, "rounding the weights of %s", p->chain->head->name);
}

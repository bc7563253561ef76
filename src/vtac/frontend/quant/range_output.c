#include "frontend/quant/range_output.h"

#include <math.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/priv.h"

/* Ranges that are tried: the largest magnitude, and each 2^(1/4) below the one before it. */
enum { TRIED = 17, OF_AN_OCTAVE = 4, MAX_INPUTS = 8 };

/* The number of samples is limited by the total size of all activations: a large network has millions of elements a
 * sample. */
enum { SAMPLES_MIN = 2, SAMPLES_MAX = 16, ELEMENTS_MAX = 24 << 20 };

typedef struct measuring {
    vt_ranges *ranges;
    const vt_graph *g;
    const vta_allocator *allocator;
    vta_diag *diag;
    int32_t most;
    vt_eval *clean; /* the sample in floats, with all values */
    double *costs;  /* by the value's index, TRIED of them: the sum over samples; infinite: not tried for each */
} measuring;

/* ---- One range of one value -------------------------------------------------------------------------------------- */

static double power_of(const float *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(x[i])) sum += (double)x[i] * (double)x[i];
    return sum;
}

/* What rounding to such integers, and cutting off beyond them, add to each element. */
static void make_errors(const float *x, int64_t count, double range, int32_t most, float *to) {
    double step = range / most;
    for (int64_t i = 0; i < count; i++) {
        double is = fmin(fmax(nearbyint((double)x[i] / step), -most - 1), most) * step;
        to[i] = isfinite(x[i]) ? (float)(is - (double)x[i]) : 0;
    }
}

/* Noise over signal of a linear node's result, for errors of its operand `at`. */
static vta_status cost_behind(const measuring *m, const vt_gnode *n, uint32_t at, const float *errors, double *cost) {
    const vt_gvalue *y = n->outputs[0];
    int64_t count = vt_gtype_count(&y->type);
    double signal = power_of(vt_eval_value(m->clean, y), count);
    if (signal == 0) return VTA_OK;
    const void *in[MAX_INPUTS] = {0}; /* without a bias */
    for (uint32_t i = 0; i < 2 && i < n->input_count; i++)
        in[i] = i == at ? errors : vt_eval_value(m->clean, n->inputs[i]);
    float *out = vt_alloc(m->allocator, vt_gtype_bytes(&y->type) + 1);
    if (!out) return vt_no_memory(m->diag);
    vta_status status = vt_eval_node(n, in, (void *[]){out}, m->allocator, m->diag);
    if (status == VTA_OK) *cost += power_of(out, count) / signal;
    vt_free(m->allocator, out, vt_gtype_bytes(&y->type) + 1);
    return status;
}

/* Linear in each of its first two operands; behind them is a bias. A mean averages what rounding adds, and keeps what
 * cutting off does. */
static bool is_linear(const vt_gnode *n) {
    bool mean = n->op == VT_G_AVERAGE_POOL || n->op == VT_G_REDUCE_MEAN;
    return n->input_count <= MAX_INPUTS && (mean || vt__product_kind(n) != VT_Q_FLOAT || vt__is_matmul(n));
}

/* Of all that read the value. */
static vta_status cost_of(const measuring *m, const vt_gvalue *v, const float *errors, double *cost) {
    int64_t count = vt_gtype_count(&v->type);
    bool other = false;
    uint32_t readers = 0;
    *cost = 0;
    for (uint32_t k = 0; k < m->g->node_count; k++) {
        const vt_gnode *n = m->g->nodes[k];
        for (uint32_t i = 0; i < n->input_count; i++) {
            if (n->inputs[i] != v) continue;
            readers++;
            if (is_linear(n) && i < 2)
                VT_TRY(cost_behind(m, n, i, errors, cost));
            else
                other = true;
        }
    }
    double signal = power_of(vt_eval_value(m->clean, v), count);
    if ((other || !readers) && signal > 0) *cost += power_of(errors, count) / signal;
    return VTA_OK;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static double range_of(double largest, int k) { return largest * exp2(-(double)k / OF_AN_OCTAVE); }

/* From the largest range down, until what is cut off costs far more than the best so far: two in a row. */
static vta_status try_ranges(const measuring *m, const vt_gvalue *v, double largest, float *errors) {
    double *costs = &m->costs[v->index * TRIED], least = INFINITY;
    int worse = 0;
    for (int k = 0; k < TRIED; k++) {
        double cost = INFINITY;
        if (worse < 2) {
            make_errors(vt_eval_value(m->clean, v), vt_gtype_count(&v->type), range_of(largest, k), m->most, errors);
            VT_TRY(cost_of(m, v, errors, &cost));
        }
        least = fmin(least, cost);
        worse = cost > 2 * least ? worse + 1 : 0;
        costs[k] += cost;
    }
    return VTA_OK;
}

static bool is_tried(const measuring *m, const vt_gvalue *v) {
    return v->type.element == VT_ELEMENT_F32 && !v->data && vt_eval_value(m->clean, v) && vt_ranges_seen(m->ranges, v);
}

static double largest_of(const measuring *m, const vt_gvalue *v) {
    return vt_ranges_of(m->ranges, v, VT_RANGE_MAX, 100, m->most);
}

static vta_status measure_sample(const measuring *m, const void *const *inputs) {
    for (uint32_t i = 0; i < m->g->inputs.count; i++) vt_eval_input(m->clean, i, inputs[i]);
    VT_TRY(vt_eval_run(m->clean, m->diag));
    for (uint32_t i = 0; i < m->g->values.count; i++) {
        const vt_gvalue *v = m->g->values.item[i];
        double largest = is_tried(m, v) ? largest_of(m, v) : 0;
        if (largest == 0) continue;
        float *errors = vt_alloc(m->allocator, vt_gtype_bytes(&v->type) + 1);
        if (!errors) return vt_no_memory(m->diag);
        vta_status status = try_ranges(m, v, largest, errors);
        vt_free(m->allocator, errors, vt_gtype_bytes(&v->type) + 1);
        VT_TRY(status);
    }
    return VTA_OK;
}

static size_t samples_of(const vt_graph *g, size_t count) {
    size_t elements = 1;
    for (uint32_t i = 0; i < g->values.count; i++)
        if (!g->values.item[i]->data) elements += (size_t)vt_gtype_count(&g->values.item[i]->type);
    size_t most = ELEMENTS_MAX / elements;
    if (most < SAMPLES_MIN) most = SAMPLES_MIN;
    if (most > SAMPLES_MAX) most = SAMPLES_MAX;
    return count < most ? count : most;
}

static void choose(const measuring *m) {
    for (uint32_t i = 0; i < m->g->values.count; i++) {
        const vt_gvalue *v = m->g->values.item[i];
        const double *costs = &m->costs[(size_t)i * TRIED];
        int best = 0;
        if (!is_tried(m, v)) continue;
        for (int k = 1; k < TRIED; k++)
            if (costs[k] < costs[best]) best = k;
        vt_ranges_set_measured(m->ranges, v, range_of(largest_of(m, v), best));
    }
}

vta_status vt_ranges_measure(vt_ranges *r, const vt_graph *g, const void *const *const *samples, size_t count,
                             int32_t most, const vta_allocator *allocator, vta_diag *diag) {
    size_t bytes = ((size_t)g->values.count * TRIED + 1) * sizeof(double);
    const vt_eval_options keep = {.keep = true};
    measuring m = {.ranges = r, .g = g, .allocator = allocator, .diag = diag, .most = most};
    if (vt_ranges_are_measured(r)) return VTA_OK;
    m.costs = vt_alloc_zero(allocator, bytes);
    if (!m.costs) return vt_no_memory(diag);
    vta_status status = vt_eval_open(g, &keep, allocator, diag, &m.clean);
    for (size_t i = 0; i < samples_of(g, count) && status == VTA_OK; i++) status = measure_sample(&m, samples[i]);
    if (status == VTA_OK) choose(&m);
    vt_eval_close(m.clean);
    vt_free(allocator, m.costs, bytes);
    return status;
}

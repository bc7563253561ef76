/* Convolutions and matrix products: integer weights, and the steps from the sum to the result. A residual is added
 * before the last `k` bits are shifted away, as a multiple that stands for its scale. */
#include <math.h>

#include "base/spill.h"
#include "frontend/quant/product.h"

enum {
    BIAS_MAX = 3 << 16, /* with half of 2^VT__SHIFT_MAX it is what one tile of digits holds (vta/conv.h) */
    RESIDUAL_MAX = 127,
    CUT_OFF_MAX = 1 << 20, /* weights of that many times the largest that there are integers for */
};

typedef vt__product product;

/* ---- The weights as floats ------------------------------------------------------------------------------------- */

/* What integers of the input's channels stand for, relative to its scale: those that output channel `o` reads. */
static const double *channels_in(const product *p, int64_t o) {
    const double *channel = p->layer->inputs[0]->channel;
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1];
    return channel ? channel + o / (p->channels / p->layer->group) * (p->taps / window) : NULL;
}

/* What the node's weights are multiplied by: the constants that follow it, and its own. */
static double factor_of(const product *p, int64_t o) {
    const vt_gnode *n = p->chain->head;
    return p->chain->scale[o] * (n->op == VT_G_GEMM ? vt_gattr_float(n, VT_A_ALPHA) : 1);
}

/* One output channel at a time: a network's weights as doubles would take more memory than all else. */
void vt__read_weights(product *p, int64_t o) {
    const vt_gnode *n = p->chain->head;
    bool rows = n->op == VT_G_CONV || (n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_B));
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1];
    const double *channel = channels_in(p, o);
    for (int64_t i = 0; i < p->taps; i++)
        p->weight[i] =
            factor_of(p, o) * (channel ? channel[i / window] : 1) *
            vt_gelement_at(n->inputs[1],
                           (size_t)(rows ? o * p->taps + i : (i / window * p->channels + o) * window + i % window));
    vt_spill_read_on(p->q->g->read_in, &p->read, (size_t)p->taps * sizeof(float));
}

double vt__bias_of(const product *p, int64_t o) {
    return (p->own ? p->own[o] : 0) * p->chain->scale[o] + p->chain->offset[o];
}

static const double *own_bias(const product *p, const vt_gnode *n) {
    if (!vt_ginput_given(n, 2)) return NULL;
    double *numbers = VT_NEW_ARRAY(p->q->ctx, double, (size_t)p->channels);
    double beta = n->op == VT_G_GEMM ? vt_gattr_float(n, VT_A_BETA) : 1;
    bool one = vt_gtype_count(&n->inputs[2]->type) == 1;
    for (int64_t i = 0; i < p->channels; i++) numbers[i] = beta * vt_gelement_at(n->inputs[2], one ? 0 : (size_t)i);
    return numbers;
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

/* By input channel, the means of what weights of a channel are multiplied by, squared; 1 where they are unknown. */
static double power_of(const product *p, const double *powers, int64_t o, int64_t i) {
    int64_t window = p->layer->window.kernel[0] * p->layer->window.kernel[1], ins = p->taps / window;
    const double *channel = channels_in(p, o);
    int64_t group = o / (p->channels / p->layer->group);
    if (!powers) return 1;
    double x = powers[group * ins + i / window];
    return channel ? x / (channel[i / window] * channel[i / window]) : x;
}

static double error_of(const product *p, const double *powers, int64_t o, double scale) {
    double most = p->q->options.weight_max, sum = 0;
    for (int64_t i = 0; i < p->taps; i++) {
        double off = fmin(fmax(nearbyint(p->weight[i] / scale), -most), most) * scale - p->weight[i];
        sum += off * off * power_of(p, powers, o, i);
    }
    return sum;
}

/* Of few bits: weights beyond the largest integer may cost less than coarse steps for all. By the squared error, in
 * steps of what the channel's inputs hold (as ranges are chosen by Banner and others, 2019). */
static double best_scale(const product *p, int64_t o, double widest) {
    enum { STEPS = 32 };
    const double *powers = vt_ranges_powers(p->q->ranges, p->chain->head->inputs[0]);
    double best = widest, least = error_of(p, powers, o, widest);
    for (int k = STEPS - 1; k >= STEPS / 3; k--) {
        double scale = widest * k / STEPS, now = error_of(p, powers, o, scale);
        if (now < least) least = now, best = scale;
    }
    return best;
}

static double least_scale(product *p, int64_t o) {
    enum { FEW_MAX = 31 }; /* integers of more levels lose little by their ends */
    double most = 0;
    vt__read_weights(p, o);
    for (int64_t i = 0; i < p->taps; i++) most = fmax(most, fabs(p->weight[i]));
    vt__check_number(p->q->ctx, p->chain->head, most);
    vt__check_number(p->q->ctx, p->chain->head, vt__bias_of(p, o));
    double scale = most / p->q->options.weight_max;
    if (most > 0 && p->q->options.weight_max <= FEW_MAX) scale = best_scale(p, o, scale);
    return fmax(scale, fabs(vt__bias_of(p, o)) / p->layer->inputs[0]->scale / BIAS_MAX);
}

/* Each channel's scale is that of its sums, but for as many bits as are too many in one of them: four times the largest
 * that was seen of the channel fits, or twice the largest of all. */
static void settle_channels(product *p) {
    vt_qtensor *y = p->layer->output;
    const double *peaks = vt_ranges_peaks(p->q->ranges, p->chain->end);
    double range = 2 * vt_ranges_of(p->q->ranges, p->chain->end, VT_RANGE_MAX, 100, INT16_MAX), most = 0;
    double in = p->layer->inputs[0]->scale, *channel = VT_NEW_ARRAY(p->q->ctx, double, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) {
        if (p->least[o] == 0) p->least[o] = 1;
        most = fmax(most, (peaks ? fmin(4 * peaks[o], range) : range) / (p->least[o] * in * INT16_MAX));
    }
    p->common = (int32_t)fmin(fmax(ceil(log2(fmax(most, 1))), 0), VT__SHIFT_MAX);
    y->scale = ldexp(in, p->common);
    for (int64_t o = 0; o < p->channels; o++) {
        channel[o] = p->least[o];
        vt__check_range(p->q->ctx, p->chain->end->name, fmax(y->scale * channel[o] * INT16_MAX, 1)); /* as floats */
    }
    y->channel = channel;
    p->step = 1;
}

/* A result of 16 bits is as fine as the sums themselves, as far as its range allows; but no coarser than one of 8 bits,
 * where large weights meet small inputs. */
static void settle_scale(product *p) {
    double finest = 0, in = p->layer->inputs[0]->scale, scale = p->layer->output->scale;
    for (int64_t o = 0; o < p->channels; o++) finest = fmax(finest, p->least[o]);
    p->common = -1;
    if (p->q->by_channel[p->chain->end->index]) {
        settle_channels(p);
        return;
    }
    if (p->q->wide[p->chain->end->index] && !p->chain->stream) {
        double coarsest = scale * INT16_MAX / p->q->options.most;
        p->layer->output->scale = fmin(fmax(scale, finest * in), coarsest);
    }
    p->step = p->layer->output->scale / in;
    if (finest > p->step * CUT_OFF_MAX)
        vt_raise(p->q->ctx, VTA_OUT_OF_RANGE,
                 "node %s (%s): a step of its input (%g) times its weights (%g) is beyond all that its result stands "
                 "for (%g)",
                 p->chain->head->name, vt_gop_text(p->chain->head->op), in, finest * p->q->options.weight_max,
                 p->layer->output->scale * p->q->options.most);
}

static void set_integers(product *p, const vt_gnode *n) {
    vt_ctx *ctx = p->q->ctx;
    p->own = own_bias(p, n);
    p->weight = VT_NEW_ARRAY(ctx, double, (size_t)p->taps);
    p->integers = VT_NEW_ARRAY(ctx, int8_t, (size_t)(p->channels * p->taps * p->parts));
    p->shift = VT_NEW_ARRAY(ctx, int32_t, (size_t)p->channels);
    p->bias = VT_NEW_ARRAY(ctx, int32_t, (size_t)p->channels);
    p->scales = VT_NEW_ARRAY(ctx, double, (size_t)p->channels);
    p->least = VT_NEW_ARRAY(ctx, double, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) p->least[o] = least_scale(p, o);
    settle_scale(p);
    if ((p->q->options.multiply || p->chain->stream) && p->common < 0)
        vt__set_factors(p);
    else
        vt__set_shifts(p);
    vt__adapt(p);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* A limit of the sum before its last bits are shifted away: half of what they hold is in it, for rounding. */
static double limit_of(const product *p, double x) {
    return nearbyint(ldexp(x / p->layer->output->scale, p->keep)) + (p->keep ? ldexp(1, p->keep - 1) : 0);
}

/* Is it a number that an instruction holds? */
static bool fits(const product *p, double x) { return isinf(x) || fabs(limit_of(p, x)) <= INT16_MAX; }

static void settle_residual(product *p) {
    p->multiple = 1; /* a stream has one scale */
    if (p->chain->stream) return;
    int32_t least = VT__SHIFT_MAX;
    for (int64_t o = 0; o < p->channels; o++)
        if (p->shift[o] < least) least = p->shift[o];
    double factor = p->other->scale / p->layer->output->scale;
    vt__fraction(factor, RESIDUAL_MAX, &p->multiple, &p->keep);
    if (p->keep > least) p->keep = least;
    while (p->keep && !(fits(p, p->chain->floor) && fits(p, p->chain->ceiling))) p->keep--;
    p->multiple = (int32_t)lround(fmin(ldexp(factor, p->keep), RESIDUAL_MAX));
}

static bool is_same(const product *p, const int32_t *numbers) {
    for (int64_t o = 1; o < p->channels; o++)
        if (numbers[o] != numbers[0]) return false;
    return true;
}

static void add_factor(product *p) {
    if (!p->factor) return;
    bool same = is_same(p, p->factor);
    if (p->before) vt__step(p->layer, VT_QSTEP_SHIFT, p->before);
    if (same && p->factor[0] == 1) return;
    vt__step(p->layer, same ? VT_QSTEP_MULTIPLY : VT_QSTEP_MULTIPLY_CHANNEL, same ? p->factor[0] : 0);
    if (!same) p->layer->steps[p->layer->step_count - 1].channel = p->factor;
}

static void add_shift(product *p) {
    for (int64_t o = 0; o < p->channels; o++) p->shift[o] -= p->keep;
    bool same = is_same(p, p->shift);
    if (same && p->shift[0] == 0) return;
    vt__step(p->layer, same ? VT_QSTEP_SHIFT : VT_QSTEP_SHIFT_CHANNEL, same ? p->shift[0] : 0);
    if (!same) p->layer->steps[p->layer->step_count - 1].channel = p->shift;
}

static void add_limit(product *p, vt_qstep_kind kind, double x) {
    if (!isinf(x)) vt__step(p->layer, kind, (int32_t)fmin(fmax(limit_of(p, x), INT16_MIN), INT16_MAX));
}

static void add_residual(product *p) {
    if (!p->other) return;
    add_limit(p, VT_QSTEP_MAX, p->chain->floor);
    add_limit(p, VT_QSTEP_MIN, p->chain->ceiling);
    vt__step(p->layer, VT_QSTEP_RESIDUAL, p->multiple);
    p->layer->steps[p->layer->step_count - 1].tensor = p->other;
    if (p->keep) vt__step(p->layer, VT_QSTEP_SHIFT, p->keep);
}

static void add_steps(product *p) {
    if (p->other) settle_residual(p);
    vt__step(p->layer, VT_QSTEP_BIAS, 0);
    p->layer->steps[0].channel = p->bias;
    add_factor(p);
    add_shift(p);
    add_residual(p);
    vt__add_activation(p->q, p->layer, p->chain);
}

/* ---- The layer ------------------------------------------------------------------------------------------------- */

static void set_conv_window(vt_qlayer *l, const vt_gnode *n) {
    const vt_gtype *w = &n->inputs[1]->type;
    vt__set_window(l, n);
    l->window.kernel[0] = w->rank == 4 ? w->dim[2] : 1;
    l->window.kernel[1] = w->dim[w->rank - 1];
    l->group = vt_gattr_int(n, VT_A_GROUP);
}

/* Of `from` places along an axis, those whose tap `t` falls on one of `to` others. */
static double meetings(const vt_qwindow *w, int axis, int64_t t, int64_t from, int64_t to) {
    int64_t count = 0;
    for (int64_t y = 0; y < from; y++) {
        int64_t at = y * w->strides[axis] + t * w->dilations[axis] - w->pads[axis];
        count += at >= 0 && at < to;
    }
    return (double)count;
}

/* The share of outputs, along an axis, for which tap `t` is within the image. */
static double share_of(const vt_qlayer *l, int axis, int64_t t, int64_t size, int64_t outs) {
    bool transposed = l->kind == VT_Q_CONV_TRANSPOSE;
    return meetings(&l->window, axis, t, transposed ? size : outs, transposed ? outs : size) / (double)outs;
}

static void set_means(product *p) {
    const vt_qwindow *w = &p->layer->window;
    int64_t in[4], out[4];
    if (p->q->options.keep_bias) return;
    p->means = vt_ranges_means(p->q->ranges, p->chain->head->inputs[0]);
    p->coverage = VT_NEW_ARRAY(p->q->ctx, double, (size_t)(w->kernel[0] * w->kernel[1]));
    vt_qtensor_image(&p->layer->inputs[0]->type, in);
    vt_qtensor_image(&p->layer->output->type, out);
    for (int64_t y = 0; y < w->kernel[0]; y++)
        for (int64_t x = 0; x < w->kernel[1]; x++)
            p->coverage[y * w->kernel[1] + x] =
                share_of(p->layer, 0, y, in[2], out[2]) * share_of(p->layer, 1, x, in[3], out[3]);
}

static void set_weight_type(product *p) {
    vt_qlayer *l = p->layer;
    int64_t group_in = p->parts * p->taps / (l->window.kernel[0] * l->window.kernel[1]);
    int64_t dims[4] = {p->channels, group_in, l->window.kernel[0], l->window.kernel[1]};
    vt_gtype_make(VT_ELEMENT_I8, l->kind == VT_Q_DENSE ? 2 : 4, dims, &l->weight_type);
    l->weight = p->integers;
    l->weight_scales = p->scales;
    double *factors = VT_NEW_ARRAY(p->q->ctx, double, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) factors[o] = factor_of(p, o);
    l->node_factors = factors;
}

void vt__add_product(vt_quantizer *q, const vt_chain *c) {
    const vt_gnode *n = c->head;
    const vt_qtensor *x = vt__as_whole(q, n->inputs[0]);
    for (uint32_t i = 1; i < n->input_count; i++)
        if (n->inputs[i]) vt__check_constant(q, n, n->inputs[i]);
    product p = {.q = q, .chain = c, .channels = n->outputs[0]->type.dim[1]};
    p.other = c->other ? vt__as_whole(q, c->other) : NULL;
    p.taps = vt_gtype_count(&n->inputs[1]->type) / p.channels;
    p.parts = vt_qparts_count(x->parts);
    p.layer = vt__layer_new(q, c->kind, n->name, 1, &x, vt__result(q, c->end));
    p.layer->node = c->end->by;
    p.layer->window = (vt_qwindow){{1, 1}, {1, 1}, {1, 1}, {0}};
    if (c->kind != VT_Q_DENSE) set_conv_window(p.layer, n);
    set_means(&p);
    set_integers(&p, n);
    set_weight_type(&p);
    add_steps(&p);
}

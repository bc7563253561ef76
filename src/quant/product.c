/* Convolutions and matrix products: integer weights, and the steps from the sum to the result.
 *
 * With s the scales, channel c gets s_w[c] = s_out / 2^n[c] / s_in, n[c] the largest for which its weights fit: the sum
 * shifted right by n[c] is the result. A residual is added before the last `k` bits are shifted away, as a multiple
 * that stands for its scale. */
#include <math.h>
#include <stdlib.h>

#include "quant/priv.h"

enum {
    SHIFT_MOST = 16,
    BIAS_MOST = 3 << 16, /* with half of 2^SHIFT_MOST it is what one tile of digits holds (vta/conv.h) */
    RESIDUAL_MOST = 127,
    SHARE_MOST = 4,
};

typedef struct product {
    vt_quantizer *q;
    const vt_chain *chain;
    vt_qlayer *layer;
    const vt_qtensor *other;
    int64_t channels, taps; /* output channels; weights of one */
    double *weight;         /* of the channel in hand */
    double step;            /* s_out / s_in */
    int32_t *shift;         /* one a channel */
    int32_t *bias;
    double *scales;
    int8_t *integers;
    int32_t keep, multiple; /* of the residual */
} product;

/* ---- The weights as floats ------------------------------------------------------------------------------------- */

/* One output channel at a time: a network's weights as doubles would take more memory than all else. */
static void read_weights(product *p, const vt_gnode *n, int64_t o) {
    bool dense = n->op != VT_G_CONV, rows = !dense || (n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_B));
    double factor = p->chain->scale[o] * (n->op == VT_G_GEMM ? vt_gattr_float(n, VT_A_ALPHA) : 1);
    for (int64_t i = 0; i < p->taps; i++)
        p->weight[i] = factor * vt_gelement_at(n->inputs[1], (size_t)(rows ? o * p->taps + i : i * p->channels + o));
}

/* The node's own bias, and what followed it. */
static double bias_of(const product *p, const double *own, int64_t o) {
    return (own ? own[o] : 0) * p->chain->scale[o] + p->chain->offset[o];
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

/* The largest shift that keeps weights and bias of a channel within their types. */
static int32_t shift_of(const product *p, double bias) {
    double most = 0;
    for (int64_t i = 0; i < p->taps; i++) most = fmax(most, fabs(p->weight[i]));
    double least_scale = fmax(most / p->q->options.weight_most, fabs(bias) / p->layer->inputs[0]->scale / BIAS_MOST);
    double n = least_scale > 0 ? floor(log2(p->step / least_scale)) : 8;
    return (int32_t)fmin(fmax(n, 0), SHIFT_MOST);
}

/* The integers of a channel with a shift of n; false when a sum may pass 31 bits. */
static bool set_channel(product *p, int64_t o, double bias, int32_t n) {
    double scale = p->step / ldexp(1, n), most = p->q->options.weight_most, sum = 0;
    int8_t *to = &p->integers[o * p->taps];
    for (int64_t i = 0; i < p->taps; i++) {
        to[i] = (int8_t)fmin(fmax(nearbyint(p->weight[i] / scale), -most), most);
        sum += abs(to[i]);
    }
    double rounding = n > 0 ? ldexp(1, n - 1) : 0;
    double number = nearbyint(bias / (scale * p->layer->inputs[0]->scale)) + rounding;
    p->shift[o] = n;
    p->scales[o] = scale;
    p->bias[o] = (int32_t)fmin(fmax(number, -0x1p30), 0x1p30);
    return sum * (p->q->options.most + 1.0) + fabs(number) < 0x1p31;
}

/* One shift for all channels, the smallest, takes one cycle an output where a shift for each takes two. Their weights
 * are rounded to fewer bits then: taken where the power of that noise over all channels grows by less than SHARE_MOST;
 * else -1. */
static int32_t shared_shift(const product *p) {
    int32_t least = SHIFT_MOST;
    double each = 0;
    for (int64_t o = 0; o < p->channels; o++) {
        if (p->shift[o] < least) least = p->shift[o];
        each += ldexp(1, -2 * p->shift[o]);
    }
    return (double)p->channels * ldexp(1, -2 * least) <= SHARE_MOST * each ? least : -1;
}

static void set_integers(product *p, const vt_gnode *n) {
    const double *own = own_bias(p, n);
    vt_ctx *ctx = p->q->ctx;
    p->weight = VT_NEW_ARRAY(ctx, double, (size_t)p->taps);
    p->integers = VT_NEW_ARRAY(ctx, int8_t, (size_t)(p->channels * p->taps));
    p->shift = VT_NEW_ARRAY(ctx, int32_t, (size_t)p->channels);
    p->bias = VT_NEW_ARRAY(ctx, int32_t, (size_t)p->channels);
    p->scales = VT_NEW_ARRAY(ctx, double, (size_t)p->channels);
    for (int64_t o = 0; o < p->channels; o++) {
        read_weights(p, n, o);
        p->shift[o] = shift_of(p, bias_of(p, own, o));
    }
    int32_t shared = shared_shift(p);
    for (int64_t o = 0; o < p->channels; o++) {
        double bias = bias_of(p, own, o);
        int32_t shift = shared >= 0 ? shared : p->shift[o];
        read_weights(p, n, o);
        while (!set_channel(p, o, bias, shift) && shift > 0) shift--;
    }
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

static void settle_residual(product *p) {
    int32_t least = SHIFT_MOST;
    for (int64_t o = 0; o < p->channels; o++)
        if (p->shift[o] < least) least = p->shift[o];
    double factor = p->other->scale / p->layer->output->scale;
    vt__fraction(factor, RESIDUAL_MOST, &p->multiple, &p->keep);
    if (p->keep > least) p->keep = least, p->multiple = (int32_t)nearbyint(ldexp(factor, least));
}

static void add_shift(product *p) {
    bool same = true;
    for (int64_t o = 0; o < p->channels; o++) {
        p->shift[o] -= p->keep;
        same &= p->shift[o] == p->shift[0];
    }
    if (same && p->shift[0] == 0) return;
    vt__step(p->layer, same ? VT_QSTEP_SHIFT : VT_QSTEP_SHIFT_CHANNEL, same ? p->shift[0] : 0);
    if (!same) p->layer->steps[p->layer->step_count - 1].channel = p->shift;
}

static void add_residual(product *p) {
    if (!p->other) return;
    vt__step(p->layer, VT_QSTEP_RESIDUAL, p->multiple);
    p->layer->steps[p->layer->step_count - 1].tensor = p->other;
    if (p->keep) vt__step(p->layer, VT_QSTEP_SHIFT, p->keep);
}

static void add_steps(product *p) {
    if (p->other) settle_residual(p);
    vt__step(p->layer, VT_QSTEP_BIAS, 0);
    p->layer->steps[0].channel = p->bias;
    add_shift(p);
    add_residual(p);
    vt__add_limits(p->q, p->layer, p->chain->activation);
}

/* ---- The layer ------------------------------------------------------------------------------------------------- */

static void set_conv_window(vt_qlayer *l, const vt_gnode *n) {
    const vt_gtype *w = &n->inputs[1]->type;
    vt__set_window(l, n);
    l->window.kernel[0] = w->rank == 4 ? w->dim[2] : 1;
    l->window.kernel[1] = w->dim[w->rank - 1];
    l->group = vt_gattr_int(n, VT_A_GROUP);
}

static void set_weight_type(product *p) {
    vt_qlayer *l = p->layer;
    int64_t group_in = l->kind == VT_Q_CONV ? p->taps / (l->window.kernel[0] * l->window.kernel[1]) : p->taps;
    int64_t dims[4] = {p->channels, group_in, l->window.kernel[0], l->window.kernel[1]};
    vt_gtype_make(VT_ELEMENT_I8, l->kind == VT_Q_CONV ? 4 : 2, dims, &l->weight_type);
    l->weight = p->integers;
    l->weight_scales = p->scales;
}

void vt__add_product(vt_quantizer *q, const vt_chain *c) {
    const vt_gnode *n = c->head;
    const vt_qtensor *x = vt__as_whole(q, n->inputs[0]);
    product p = {.q = q, .chain = c, .channels = n->outputs[0]->type.dim[1]};
    p.other = c->other ? vt__as_whole(q, c->other) : NULL;
    p.taps = vt_gtype_count(&n->inputs[1]->type) / p.channels;
    p.layer = vt__layer_new(q, c->kind, n->name, 1, &x, vt__result(q, c->end));
    p.layer->node = c->end->by;
    p.step = p.layer->output->scale / x->scale;
    if (c->kind == VT_Q_CONV) set_conv_window(p.layer, n);
    set_integers(&p, n);
    set_weight_type(&p);
    add_steps(&p);
}

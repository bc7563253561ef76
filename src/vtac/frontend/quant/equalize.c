/* Scales of channels. Where only products read a value, a channel of it may have a scale that fits its own range: the
 * layer before is requantized to it, and the weights behind take it along, which is exact in floats (cross-layer
 * equalization). It costs no time. What a channel wins in steps, the weights behind may lose: they share a scale in
 * each of their outputs. So the noise of both is estimated, for some mixtures of the channels' ranges and of the
 * weights behind, and the least is taken.
 *
 * Values that are added, pooled or moved without change of their channels form a group, and have the same scales. */
#include <math.h>

#include "frontend/quant/priv.h"

enum {
    SPREAD_MAX = 256, /* of the scales of a value's channels */
    RESIDUAL_STEPS = 64,
};

typedef struct group {
    int64_t channels;
    bool refused;
    bool made;         /* a product computes one of it */
    uint32_t products; /* that read it */
    double range;      /* that its integers cover, of the largest channel, */
    double peak;       /* and what that channel reached */
    double *peaks;     /* the largest magnitude of a channel */
    double *powers;    /* means of squares */
    double *weights;   /* the largest weight that reads the channel, over the largest of all; */
    double *gains;     /* sums of squares of weights that read it */
    double *floors;    /* the finest scales that the weights before it allow; made when they are chosen */
    double *best;      /* the scales */
    double limit;      /* of a Clip; INFINITY: none */
} group;

typedef struct equalizer {
    vt_quantizer *q;
    uint32_t *root; /* by the value's index */
    group **groups; /* by that of the root */
} equalizer;

/* ---- Groups ---------------------------------------------------------------------------------------------------- */

static uint32_t root_of(const equalizer *e, uint32_t v) {
    while (e->root[v] != v) v = e->root[v];
    return v;
}

static void join(equalizer *e, const vt_gvalue *a, const vt_gvalue *b) {
    e->root[root_of(e, a->index)] = root_of(e, b->index);
}

static group *group_of(equalizer *e, const vt_gvalue *v) {
    group **g = &e->groups[root_of(e, v->index)];
    vt_ctx *ctx = e->q->ctx;
    if (*g) return *g;
    int64_t channels = v->type.rank > 1 ? v->type.dim[1] : 0;
    *g = VT_NEW(ctx, group);
    **g = (group){.channels = channels, .limit = INFINITY};
    double **arrays[] = {&(*g)->peaks, &(*g)->powers, &(*g)->weights, &(*g)->gains};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = VT_NEW_ARRAY(ctx, double, (size_t)channels + 1);
    return *g;
}

/* Rows and columns may go, channels stay. */
static bool keeps_channels(const vt_gtype *a, const vt_gtype *b) {
    return a->rank > 1 && b->rank > 1 && a->dim[0] == b->dim[0] && a->dim[1] == b->dim[1];
}

static bool is_shared(vt_qkind k) {
    return k == VT_Q_MAP || k == VT_Q_MAX_POOL || k == VT_Q_SUM_POOL || k == VT_Q_UPSAMPLE || k == VT_Q_RESHAPE;
}

static void join_all(equalizer *e) {
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        const vt_chain *c = e->q->chains[i];
        if (!c || c->kind == VT_Q_FLOAT) continue;
        if (is_shared(c->kind) && keeps_channels(&c->head->inputs[0]->type, &c->end->type))
            join(e, c->head->inputs[0], c->end);
        if (c->other) join(e, c->other, c->end);
    }
}

/* ---- What may have scales -------------------------------------------------------------------------------------- */

static void refuse(equalizer *e, const vt_gvalue *v) { group_of(e, v)->refused = true; }

/* Limits are one number for all channels: 0, none, or (below) beyond all that the integers cover. */
static void take_limits(equalizer *e, const vt_chain *c) {
    group *g = group_of(e, c->end);
    bool before = c->other && (c->floor > -INFINITY || c->ceiling < INFINITY);
    if (before || (c->least > -INFINITY && c->least != 0) || c->most <= 0) g->refused = true;
    g->limit = fmin(g->limit, c->most);
}

static void look_at(equalizer *e, const vt_chain *c) {
    const vt_gnode *n = c->head;
    if (c->kind == VT_Q_FLOAT) return;
    if (c->kind == VT_Q_TABLE) { /* has a row for each channel, if it has to */
        group_of(e, c->from), group_of(e, c->end);
        return;
    }
    if (c->from) refuse(e, c->from);
    if (is_shared(c->kind) ? !keeps_channels(&n->inputs[0]->type, &c->end->type) : !vt__is_product(c->kind))
        for (uint32_t k = 0; k <= n->input_count; k++) refuse(e, k < n->input_count ? n->inputs[k] : c->end);
    group_of(e, n->inputs[0]);
    group_of(e, c->end)->made |= vt__is_product(c->kind);
    take_limits(e, c);
}

/* ---- What is known of a group ---------------------------------------------------------------------------------- */

/* Few elements of a channel say little about the largest that others will have. */
static double margin_of(const vt_quantizer *q, const vt_gvalue *v) {
    enum { FEW = 16 };
    double seen = (double)vt_ranges_samples(q->ranges, v) * (double)vt_gtype_count(&v->type) / (double)v->type.dim[1];
    return 1 + FEW / sqrt(fmax(seen, 1));
}

static void take_value(equalizer *e, const vt_gvalue *v) {
    group *g = group_of(e, v);
    const double *peaks = vt_ranges_peaks(e->q->ranges, v), *powers = vt_ranges_powers(e->q->ranges, v);
    if (v->data || e->q->wide[v->index]) g->refused = true;
    if (!peaks || g->refused) return;
    g->range = fmax(g->range, vt__scale_of(e->q, v) * vt__most_of(e->q, v));
    double most = 0, margin = margin_of(e->q, v);
    for (int64_t c = 0; c < g->channels; c++) most = fmax(most, peaks[c]);
    g->peak = fmax(g->peak, most);
    for (int64_t c = 0; c < g->channels; c++) {
        g->peaks[c] = fmax(g->peaks[c], fmin(peaks[c] * margin, most));
        g->powers[c] = fmax(g->powers[c], powers[c]);
    }
}

/* Calls `fn` with each weight of a product: of output o, by input channel c. */
typedef void each_weight(group *g, int64_t o, int64_t c, double w, void *user);

static void for_weights(const vt_chain *c, group *g, each_weight *fn, void *user) {
    const vt_gnode *n = c->head;
    bool rows = n->op == VT_G_CONV || (n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_B));
    const vt_gtype *t = &n->inputs[1]->type;
    int64_t outs = n->outputs[0]->type.dim[1], count = vt_gtype_count(t), taps = count / outs;
    int64_t window = c->kind == VT_Q_DENSE ? 1 : vt_gtype_span(t, 2, t->rank), ins = taps / window;
    int64_t groups = c->kind == VT_Q_CONV ? g->channels / ins : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t o = rows ? i / taps : i / window % outs, in = rows ? i % taps / window : i / window / outs;
        fn(g, o, in + o / (outs / groups) * ins, vt_gelement_at(n->inputs[1], (size_t)i) * c->scale[o], user);
    }
}

static void largest(group *g, int64_t o, int64_t c, double w, void *user) {
    (void)g, (void)o, (void)c;
    *(double *)user = fmax(*(double *)user, fabs(w));
}

static void take_weight(group *g, int64_t o, int64_t c, double w, void *user) {
    double x = w / *(double *)user;
    (void)o;
    g->weights[c] = fmax(g->weights[c], fabs(x));
    g->gains[c] += x * x;
}

static void take_reader(equalizer *e, const vt_chain *c) {
    double most = 0;
    if (!vt__is_product(c->kind)) return;
    group *g = group_of(e, c->head->inputs[0]);
    if (g->refused || g->channels == 0) return;
    for_weights(c, g, largest, &most);
    if (most > 0) for_weights(c, g, take_weight, &most);
    g->products++;
}

/* ---- Noise ----------------------------------------------------------------------------------------------------- */

typedef struct noise {
    const double *scales;
    double *most; /* by the output of the reader: its largest weight, times the scale of its channel; */
    double *fed;  /* the sum over its weights of the squares of what they are multiplied by, in these steps */
    double rounding;
} noise;

static void add_noise(group *g, int64_t o, int64_t c, double w, void *user) {
    noise *n = user;
    double x = w * n->scales[c];
    n->most[o] = fmax(n->most[o], fabs(x));
    n->fed[o] += g->powers[c] / (n->scales[c] * n->scales[c]);
    n->rounding += x * x;
}

/* Of the sums of all readers, or of the value itself where only floats read it, over 1 / (12 * 127^2): operands are
 * rounded to 127 steps of the range, weights to 127 of the largest. */
static double noise_of(equalizer *e, const vt_gvalue *root, group *g, const double *scales) {
    double all = 0, range = g->range;
    for (int64_t c = 0; c < g->channels && !g->products; c++) all += scales[c] * scales[c];
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        const vt_chain *c = e->q->chains[i];
        if (!c || !vt__is_product(c->kind) || root_of(e, c->head->inputs[0]->index) != root->index) continue;
        int64_t outs = c->end->type.dim[1];
        noise n = {.scales = scales};
        n.most = VT_NEW_ARRAY(e->q->ctx, double, (size_t)outs);
        n.fed = VT_NEW_ARRAY(e->q->ctx, double, (size_t)outs);
        for_weights(c, g, add_noise, &n);
        double sum = n.rounding * range * range, level = 0;
        for (int64_t o = 0; o < outs; o++) sum += n.most[o] * n.most[o] * n.fed[o];
        double unit = 1;
        for_weights(c, g, largest, &level);
        if (level > 0) unit = level;
        all += sum / (unit * unit);
    }
    return all;
}

/* ---- Scales ---------------------------------------------------------------------------------------------------- */

static void widest(group *g, int64_t o, int64_t c, double w, void *user) {
    double x = fabs(w) * (g->best ? g->best[c] : 1), **to = user;
    (*to)[o] = fmax((*to)[o], x);
}

/* A result's step is at least twice that of a sum whose largest weight is 127; more where a residual is added to the
 * sum, before the shift that is left then: its multiple needs those bits. */
static void set_floors(equalizer *e, const vt_gvalue *root, group *g) {
    g->floors = VT_NEW_ARRAY(e->q->ctx, double, (size_t)g->channels);
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        const vt_chain *c = e->q->chains[i];
        if (!c || !vt__is_product(c->kind) || root_of(e, c->end->index) != root->index) continue;
        const vt_gvalue *x = c->head->inputs[0];
        double *most = VT_NEW_ARRAY(e->q->ctx, double, (size_t)g->channels);
        double step = vt__scale_of(e->q, x) / (g->range / e->q->options.most) / e->q->options.weight_max;
        for_weights(c, group_of(e, x), widest, &most);
        for (int64_t o = 0; o < g->channels; o++)
            g->floors[o] = fmax(g->floors[o], (c->other ? RESIDUAL_STEPS : 2) * step * most[o]);
    }
}

/* All that was seen of every channel is covered. No channel is so fine that the sums before it are coarser, nor covers
 * more than a Clip leaves. */
static void settle(group *g, double *scales) {
    double most = 0, worst = 0;
    for (int64_t c = 0; c < g->channels; c++) most = fmax(most, scales[c]);
    for (int64_t c = 0; c < g->channels; c++) scales[c] = fmax(scales[c] / most, fmax(1.0 / SPREAD_MAX, g->floors[c]));
    for (int64_t c = 0; c < g->channels; c++) worst = fmax(worst, g->peaks[c] / scales[c]);
    for (int64_t c = 0; c < g->channels; c++) scales[c] *= worst / g->range;
    for (int64_t c = 0; c < g->channels && g->limit < INFINITY; c++) scales[c] = fmin(scales[c], 1);
}

static void choose(equalizer *e, const vt_gvalue *root, group *g) {
    static const double powers[][2] = {{1, 0}, {0.5, 0.5}, {0.75, 0.25}, {0.5, 0}};
    vt_ctx *ctx = e->q->ctx;
    double *scales = VT_NEW_ARRAY(ctx, double, (size_t)g->channels);
    set_floors(e, root, g);
    for (int64_t c = 0; c < g->channels; c++) scales[c] = 1;
    double least = noise_of(e, root, g, scales) * 0.8; /* an estimate: small gains may be none */
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        for (int64_t c = 0; c < g->channels; c++) {
            double peak = fmax(g->peaks[c] / g->peak, 1.0 / SPREAD_MAX), weight = fmax(g->weights[c], 1.0 / SPREAD_MAX);
            scales[c] = pow(peak, powers[k][0]) / pow(weight, powers[k][1]);
        }
        settle(g, scales);
        double now = noise_of(e, root, g, scales);
        if (now >= least) continue;
        least = now;
        if (!g->best) g->best = VT_NEW_ARRAY(ctx, double, (size_t)g->channels);
        for (int64_t c = 0; c < g->channels; c++) g->best[c] = scales[c];
    }
}

void vt__equalize(vt_quantizer *q) {
    const vt_gvalues *values = &q->g->values;
    equalizer e = {.q = q};
    e.root = VT_NEW_ARRAY(q->ctx, uint32_t, values->count + 1);
    e.groups = VT_NEW_ARRAY(q->ctx, group *, values->count + 1);
    for (uint32_t i = 0; i < values->count; i++) e.root[i] = i;
    join_all(&e);
    for (uint32_t i = 0; i < q->g->node_count; i++)
        if (q->chains[i]) look_at(&e, q->chains[i]);
    for (uint32_t i = 0; i < values->count; i++)
        if (e.groups[root_of(&e, i)]) take_value(&e, values->item[i]);
    for (uint32_t i = 0; i < q->g->node_count; i++)
        if (q->chains[i]) take_reader(&e, q->chains[i]);
    for (uint32_t i = 0; i < values->count; i++) {
        group *g = e.groups[i];
        if (!g || root_of(&e, i) != i || g->refused || !(g->products || g->made) || g->peak == 0 ||
            g->limit < g->range * 0.999)
            continue;
        vt_poll(q->ctx);
        choose(&e, values->item[i], g);
    }
    for (uint32_t i = 0; i < values->count; i++)
        if (e.groups[root_of(&e, i)]) q->channel[i] = e.groups[root_of(&e, i)]->best;
}

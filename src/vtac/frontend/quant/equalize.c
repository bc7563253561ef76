/* Scales of channels. Where only products read a value, a channel of it may have a scale that fits its own range: the
 * layer before is requantized to it, and the weights behind take it along, which is exact in floats (cross-layer
 * equalization). It costs no time. What a channel wins in steps, the weights behind may lose: they share a scale in
 * each of their outputs (equalize_scales.c).
 *
 * Values that are added, pooled, moved, split or concatenated form a group. Channels of them that come to the same
 * place have one scale, a slot of the group: a concatenation has those of all its inputs. */
#include <math.h>

#include "base/spill.h"
#include "frontend/quant/equalize.h"

enum { RESIDUAL_STEPS = 64 };

typedef vt_eq_group group;

typedef struct equalizer {
    vt_quantizer *q;
    uint32_t *root;  /* by the value's index */
    group **groups;  /* by that of the root */
    double *limit;   /* by the value's index: of a Clip; INFINITY: none */
    uint32_t *first; /* by the value's index: the place of its channel 0 in the lists of all channels, of */
    uint32_t *same;  /* another channel with the same scale, or itself, */
    uint32_t *slot;  /* and the slot */
} equalizer;

/* ---- Groups ---------------------------------------------------------------------------------------------------- */

static uint32_t root_of(const equalizer *e, uint32_t v) {
    while (e->root[v] != v) v = e->root[v];
    return v;
}

static void join(equalizer *e, const vt_gvalue *a, const vt_gvalue *b) {
    e->root[root_of(e, a->index)] = root_of(e, b->index);
}

static int64_t channels_of(const vt_gvalue *v) { return v->type.rank > 1 ? v->type.dim[1] : 0; }

static uint32_t same_of(const equalizer *e, uint32_t at) {
    while (e->same[at] != at) at = e->same[at] = e->same[e->same[at]];
    return at;
}

static void join_channels(equalizer *e, const vt_gvalue *a, int64_t at, const vt_gvalue *b, int64_t to) {
    e->same[same_of(e, e->first[a->index] + (uint32_t)at)] = same_of(e, e->first[b->index] + (uint32_t)to);
}

static int64_t slot_of(const equalizer *e, const vt_gvalue *v, int64_t channel) {
    return e->slot[e->first[v->index] + channel];
}

static group *group_of(const equalizer *e, const vt_gvalue *v) { return e->groups[root_of(e, v->index)]; }

/* Rows and columns may go, channels stay. */
static bool keeps_channels(const vt_gtype *a, const vt_gtype *b) {
    return a->rank > 1 && b->rank > 1 && a->dim[0] == b->dim[0] && a->dim[1] == b->dim[1];
}

/* Images made flat: rows and columns of a channel follow one another. */
static bool flattens(const vt_gtype *a, const vt_gtype *b) {
    return a->rank > 2 && b->rank == 2 && a->dim[0] == b->dim[0] && vt_gtype_count(a) == vt_gtype_count(b);
}

static bool is_shared(vt_qkind k) {
    return k == VT_Q_MAP || k == VT_Q_MAX_POOL || k == VT_Q_SUM_POOL || k == VT_Q_UPSAMPLE || k == VT_Q_RESHAPE;
}

/* Each channel of `b` has the scale of one of `a`, from channel `begin` of it on. */
static void join_values(equalizer *e, const vt_gvalue *a, const vt_gvalue *b, int64_t begin) {
    join(e, a, b);
    for (int64_t c = 0; c < channels_of(a) && !a->data; c++) join_channels(e, a, c, b, begin + c);
}

static void join_flat(equalizer *e, const vt_gvalue *a, const vt_gvalue *b) {
    int64_t each = b->type.dim[1] / a->type.dim[1];
    join(e, a, b);
    for (int64_t c = 0; c < b->type.dim[1]; c++) join_channels(e, a, c / each, b, c);
}

static void join_parts(equalizer *e, const vt_gnode *n, const vt_gvalue *all) {
    bool along = vt_gattr_int(n, VT_A_AXIS) == 1;
    for (int64_t i = 0, begin = 0; i < n->input_count; i++) {
        join_values(e, n->inputs[i], all, begin);
        if (along) begin += channels_of(n->inputs[i]);
    }
}

/* Elements of one channel may come from several, and go to several. */
static void join_moved(equalizer *e, vt_chain *c) {
    const vt_gtype *from = &c->from->type, *to = &c->end->type;
    const int32_t *places = vt__move_places(e->q, c);
    int64_t count = vt_gtype_count(to), from_plane = vt_gtype_span(from, 2, from->rank);
    int64_t to_plane = vt_gtype_span(to, 2, to->rank), last = -1;
    join(e, c->from, c->end);
    for (int64_t i = 0; i < count; i++) {
        if (places[i] < 0) continue;
        int64_t a = places[i] / from_plane % from->dim[1], b = i / to_plane % to->dim[1];
        if (a * to->dim[1] + b != last) join_channels(e, c->from, a, c->end, b);
        last = a * to->dim[1] + b;
    }
}

static void join_all(equalizer *e) {
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        vt_chain *c = e->q->chains[i];
        if (!c || c->kind == VT_Q_FLOAT) continue;
        const vt_gvalue *x = c->head->inputs[0];
        if (c->kind == VT_Q_MOVE) join_moved(e, c);
        if (c->kind == VT_Q_CONCAT) join_parts(e, c->head, c->end);
        if (is_shared(c->kind) && keeps_channels(&x->type, &c->end->type))
            join_values(e, x, c->end, 0);
        else if (c->kind == VT_Q_RESHAPE && flattens(&x->type, &c->end->type))
            join_flat(e, x, c->end);
        if (c->other) join_values(e, c->other, c->end, 0);
    }
}

static void make_lists(equalizer *e) {
    const vt_gvalues *values = &e->q->g->values;
    vt_ctx *ctx = e->q->ctx;
    uint32_t count = 0;
    e->root = VT_NEW_ARRAY(ctx, uint32_t, values->count + 1);
    e->groups = VT_NEW_ARRAY(ctx, group *, values->count + 1);
    e->first = VT_NEW_ARRAY(ctx, uint32_t, values->count + 1);
    e->limit = VT_NEW_ARRAY(ctx, double, values->count + 1);
    for (uint32_t i = 0; i < values->count; i++) {
        e->root[i] = i;
        e->limit[i] = INFINITY;
        e->first[i] = count;
        if (!values->item[i]->data) count += (uint32_t)channels_of(values->item[i]);
    }
    e->same = VT_NEW_ARRAY(ctx, uint32_t, count + 1);
    e->slot = VT_NEW_ARRAY(ctx, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) e->same[i] = i;
}

/* Slots are numbered in the order of the values. */
static void set_slots(equalizer *e, const vt_gvalue *v, group *g, bool *numbered) {
    for (int64_t c = 0; c < channels_of(v) && !v->data; c++) {
        uint32_t at = e->first[v->index] + (uint32_t)c, same = same_of(e, at);
        if (!numbered[same]) e->slot[same] = (uint32_t)g->slots++;
        numbered[same] = true;
        e->slot[at] = e->slot[same];
    }
}

static void make_groups(equalizer *e) {
    const vt_gvalues *values = &e->q->g->values;
    vt_ctx *ctx = e->q->ctx;
    size_t channels = 1;
    for (uint32_t i = 0; i < values->count; i++) channels += (size_t)channels_of(values->item[i]);
    bool *numbered = VT_NEW_ARRAY(ctx, bool, channels);
    for (uint32_t i = 0; i < values->count; i++) {
        group **g = &e->groups[root_of(e, i)];
        if (!*g) *g = VT_NEW(ctx, group);
        set_slots(e, values->item[i], *g, numbered);
    }
    for (uint32_t i = 0; i < values->count; i++) {
        group *g = e->groups[i];
        if (!g) continue;
        double **arrays[] = {&g->peaks, &g->powers, &g->floors};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            *arrays[k] = VT_NEW_ARRAY(ctx, double, (size_t)g->slots + 1);
    }
}

/* ---- What may have scales -------------------------------------------------------------------------------------- */

static void refuse(equalizer *e, const vt_gvalue *v) { group_of(e, v)->refused = true; }

/* Limits are one number for all channels: 0, none, or (below) beyond all that the integers cover. */
static void take_limits(equalizer *e, const vt_chain *c) {
    bool before = c->other && (c->floor > -INFINITY || c->ceiling < INFINITY);
    if (before || (c->least > -INFINITY && c->least != 0) || c->most <= 0) refuse(e, c->end);
    e->limit[c->end->index] = c->most;
}

static bool is_joined(const vt_chain *c) {
    const vt_gtype *from = &c->head->inputs[0]->type, *to = &c->end->type;
    if (c->kind == VT_Q_RESHAPE && flattens(from, to)) return true;
    return is_shared(c->kind) ? keeps_channels(from, to) : vt__is_product(c->kind) || c->kind == VT_Q_CONCAT;
}

static void look_at(equalizer *e, const vt_chain *c) {
    const vt_gnode *n = c->head;
    if (c->kind == VT_Q_FLOAT) return;
    group_of(e, c->from ? c->from : n->inputs[0])->integers = group_of(e, c->end)->integers = true;
    if (c->kind == VT_Q_MOVE || c->kind == VT_Q_TABLE) return; /* a table has a row for each channel, if it has to */
    for (uint32_t k = 0; k < n->input_count && c->kind == VT_Q_MATMUL; k++)
        if (n->inputs[k]) refuse(e, vt__operand_root(e->q, n->inputs[k]));
    if (!is_joined(c))
        for (uint32_t k = 0; k <= n->input_count; k++) refuse(e, k < n->input_count ? n->inputs[k] : c->end);
    group_of(e, c->end)->made |= vt__is_product(c->kind);
    take_limits(e, c);
}

/* ---- What is known of a group ---------------------------------------------------------------------------------- */

/* What the integers of a value cover. */
static double range_of(const equalizer *e, const vt_gvalue *v) { return vt__scale_of(e->q, v) * vt__most_of(e->q, v); }

/* Its elements are some of those of other values of the group. */
static bool is_copy(const equalizer *e, const vt_gvalue *v) {
    const vt_chain *c = e->q->makers[v->index];
    return c && (c->kind == VT_Q_MOVE || c->kind == VT_Q_CONCAT || c->kind == VT_Q_MAX_POOL ||
                 c->kind == VT_Q_UPSAMPLE || c->kind == VT_Q_RESHAPE);
}

/* What a channel reaches, for others than the samples too. These say the less of it the fewer elements were seen, and
 * the more their own largest elements differ. */
static double reach_of(const vt_quantizer *q, const vt_gvalue *v, int64_t c) {
    enum { FEW = 16 };
    double peak = vt_ranges_peaks(q->ranges, v)[c], usual = vt_ranges_usual_peaks(q->ranges, v)[c];
    double samples = (double)vt_ranges_samples(q->ranges, v);
    double elements = samples * (double)vt_gtype_count(&v->type) / (double)channels_of(v);
    return peak + peak * FEW / sqrt(elements) + 2 * (peak - usual) / sqrt(samples);
}

static void take_value(equalizer *e, const vt_gvalue *v) {
    group *g = group_of(e, v);
    const double *peaks = vt_ranges_peaks(e->q->ranges, v), *powers = vt_ranges_powers(e->q->ranges, v);
    if (v->data || e->q->wide[v->index]) g->refused = true;
    if (!g->integers || !peaks || g->refused) return;
    bool copy = is_copy(e, v);
    double range = range_of(e, v), most = 0;
    g->limited |= e->limit[v->index] < INFINITY;
    g->refused |= e->limit[v->index] < range * 0.999;
    for (int64_t c = 0; c < channels_of(v); c++) most = fmax(most, peaks[c]);
    for (int64_t c = 0; c < channels_of(v); c++) {
        double *peak = &g->peaks[slot_of(e, v, c)], *power = &g->powers[slot_of(e, v, c)];
        if (!copy) *peak = fmax(*peak, fmin(reach_of(e->q, v, c), most) / range);
        *power = fmax(*power, powers[c] / (range * range));
    }
}

/* The power of all channels of a value; 0: unknown. */
static double signal_of(const equalizer *e, const vt_gvalue *v) {
    const double *powers = vt_ranges_powers(e->q->ranges, v);
    double sum = 0;
    for (int64_t c = 0; powers && c < channels_of(v); c++) sum += powers[c];
    return sum;
}

/* The square of a value's range, over the signal of what is made of it. */
static double share_of(const equalizer *e, const vt_gvalue *v, const vt_gvalue *made) {
    double range = range_of(e, v), signal = signal_of(e, made);
    return signal > 0 ? range * range / signal : 1;
}

/* ---- Products that read it ------------------------------------------------------------------------------------- */

/* Calls `fn` with each weight of a product, of output o and input channel c. */
typedef void each_weight(int64_t o, int64_t c, double w, void *user);

static void for_weights(const vt_chain *c, each_weight *fn, void *user) {
    const vt_gnode *n = c->head;
    bool rows = n->op == VT_G_CONV || (n->op == VT_G_GEMM && vt_gattr_int(n, VT_A_TRANS_B));
    const vt_gtype *t = &n->inputs[1]->type;
    int64_t outs = n->outputs[0]->type.dim[1], count = vt_gtype_count(t), taps = count / outs;
    int64_t window = c->kind == VT_Q_DENSE ? 1 : vt_gtype_span(t, 2, t->rank), ins = taps / window;
    int64_t groups = c->kind == VT_Q_CONV ? channels_of(n->inputs[0]) / ins : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t o = rows ? i / taps : i / window % outs, in = rows ? i % taps / window : i / window / outs;
        fn(o, in + o / (outs / groups) * ins, vt_gelement_at(n->inputs[1], (size_t)i) * c->scale[o], user);
    }
}

typedef struct matrix {
    vt_eq_reader *to;
    int64_t every;          /* so many outputs are a row */
    int64_t ins;            /* channels that an output reads */
    const uint32_t *column; /* of an input channel */
} matrix;

static void put_weight(int64_t o, int64_t c, double w, void *user) {
    matrix *m = user;
    if (o % m->every) return;
    int64_t at = o / m->every * m->to->columns + m->column[c];
    m->to->largest[at] = fmaxf(m->to->largest[at], (float)fabs(w));
    m->to->squares[at] += (float)(w * w);
}

/* Channels of a dense product that have the same slot are one column, as those of an image that was made flat. */
static void merge_columns(const equalizer *e, const vt_gvalue *x, int64_t window, vt_eq_reader *r, uint32_t *column) {
    vt_ctx *ctx = e->q->ctx;
    uint32_t *of_slot = VT_NEW_ARRAY(ctx, uint32_t, (size_t)group_of(e, x)->slots); /* and 1; 0: none yet */
    uint32_t *slots = VT_NEW_ARRAY(ctx, uint32_t, (size_t)channels_of(x));
    double *taps = VT_NEW_ARRAY(ctx, double, (size_t)channels_of(x));
    for (int64_t c = 0; c < channels_of(x); c++) {
        int64_t slot = slot_of(e, x, c);
        if (!of_slot[slot]) slots[r->columns] = (uint32_t)slot, of_slot[slot] = (uint32_t)++r->columns;
        column[c] = of_slot[slot] - 1;
        taps[column[c]] += (double)window;
    }
    r->slots = slots;
    r->taps = taps;
}

/* In groups, each output reads channels of its own. */
static void list_columns(const equalizer *e, const vt_chain *c, const matrix *m, int64_t window, uint32_t *column) {
    vt_ctx *ctx = e->q->ctx;
    const vt_gvalue *x = c->head->inputs[0];
    vt_eq_reader *r = m->to;
    int64_t each = channels_of(c->end) / (channels_of(x) / m->ins);
    uint32_t *slots = VT_NEW_ARRAY(ctx, uint32_t, (size_t)(r->rows * m->ins));
    double *taps = VT_NEW_ARRAY(ctx, double, (size_t)m->ins);
    for (int64_t i = 0; i < channels_of(x); i++) column[i] = (uint32_t)(i % m->ins);
    for (int64_t i = 0; i < m->ins; i++) taps[i] = (double)window;
    for (int64_t i = 0; i < r->rows * m->ins; i++)
        slots[i] = (uint32_t)slot_of(e, x, i / m->ins * m->every / each * m->ins + i % m->ins);
    r->columns = r->slots_row = m->ins;
    r->slots = slots;
    r->taps = taps;
}

/* Of large products some outputs stand for all. */
static vt_eq_reader *reader_of(const equalizer *e, const vt_chain *c) {
    enum { MAX_WEIGHTS = 1 << 17 };
    vt_ctx *ctx = e->q->ctx;
    const vt_gvalue *x = c->head->inputs[0];
    const vt_gtype *t = &c->head->inputs[1]->type;
    int64_t outs = channels_of(c->end), window = c->kind == VT_Q_DENSE ? 1 : vt_gtype_span(t, 2, t->rank);
    vt_eq_reader *r = VT_NEW(ctx, vt_eq_reader);
    matrix m = {.to = r, .ins = vt_gtype_count(t) / window / outs};
    m.every = (outs * m.ins + MAX_WEIGHTS - 1) / MAX_WEIGHTS;
    r->rows = (outs + m.every - 1) / m.every;
    r->share = share_of(e, x, c->end) * (double)outs / (double)r->rows;
    uint32_t *column = VT_NEW_ARRAY(ctx, uint32_t, (size_t)channels_of(x));
    m.column = column;
    if (c->kind == VT_Q_CONV && m.ins < channels_of(x))
        list_columns(e, c, &m, window, column);
    else
        merge_columns(e, x, window, r, column);
    r->largest = VT_NEW_ARRAY(ctx, float, (size_t)(r->rows * r->columns));
    r->squares = VT_NEW_ARRAY(ctx, float, (size_t)(r->rows * r->columns));
    for_weights(c, put_weight, &m);
    return r;
}

static void take_reader(equalizer *e, const vt_chain *c) {
    group *g = group_of(e, c->head->inputs[0]);
    if (g->refused || channels_of(c->head->inputs[0]) == 0) return;
    vt_eq_reader *r = reader_of(e, c);
    r->next = g->readers;
    g->readers = r;
}

/* Sums, functions and floats that read it. */
static void take_loose(equalizer *e, const vt_gvalue *v, const vt_gvalue *made) {
    group *g = group_of(e, v);
    if (v->data || !g->integers || g->refused || channels_of(v) == 0) return;
    g->loose += share_of(e, v, made);
}

static void take_readers(equalizer *e) {
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        const vt_chain *c = e->q->chains[i];
        if (!c) continue;
        if (vt__is_product(c->kind)) take_reader(e, c);
        vt_spill_release(e->q->g->read_in);
        if (c->other) take_loose(e, c->other, c->end);
        if (c->kind == VT_Q_TABLE) take_loose(e, c->from, c->from);
        for (uint32_t k = 0; c->kind == VT_Q_FLOAT && k < c->head->input_count; k++)
            if (c->head->inputs[k]) take_loose(e, c->head->inputs[k], c->head->inputs[k]);
    }
    for (uint32_t i = 0; i < e->q->g->outputs.count; i++)
        take_loose(e, e->q->g->outputs.item[i], e->q->g->outputs.item[i]);
}

/* ---- Scales ---------------------------------------------------------------------------------------------------- */

typedef struct widest {
    const equalizer *e;
    const vt_gvalue *x;
    double *most; /* by the output */
} widest;

static void widen(int64_t o, int64_t c, double w, void *user) {
    widest *to = user;
    const group *g = group_of(to->e, to->x);
    to->most[o] = fmax(to->most[o], fabs(w) * (g->best ? g->best[slot_of(to->e, to->x, c)] : 1));
}

/* A result's step is at least twice that of a sum whose largest weight is 127; more where a residual is added to the
 * sum, before the shift that is left then: its multiple needs those bits. */
static void set_floors(equalizer *e, const vt_gvalue *root, group *g) {
    for (uint32_t i = 0; i < e->q->g->node_count; i++) {
        const vt_chain *c = e->q->chains[i];
        if (!c || !vt__is_product(c->kind) || root_of(e, c->end->index) != root->index) continue;
        const vt_gvalue *x = c->head->inputs[0];
        widest to = {e, x, VT_NEW_ARRAY(e->q->ctx, double, (size_t)channels_of(c->end))};
        double step = vt__scale_of(e->q, x) / vt__scale_of(e->q, c->end) / e->q->options.weight_max;
        for_weights(c, widen, &to);
        for (int64_t o = 0; o < channels_of(c->end); o++) {
            double *floor = &g->floors[slot_of(e, c->end, o)];
            *floor = fmax(*floor, (c->other ? RESIDUAL_STEPS : 2) * step * to.most[o]);
        }
    }
}

static void choose_all(equalizer *e) {
    const vt_gvalues *values = &e->q->g->values;
    for (uint32_t i = 0; i < values->count; i++) {
        group *g = e->groups[i];
        if (!g || g->refused || !g->integers || !(g->readers || g->made) || !g->slots) continue;
        vt_poll(e->q->ctx);
        vt_spill_release(e->q->g->read_in);
        set_floors(e, values->item[i], g);
        vt__choose_scales(e->q->ctx, g);
    }
}

static const double *channel_scales(const equalizer *e, const vt_gvalue *v) {
    const group *g = group_of(e, v);
    if (!g->best || v->data) return NULL;
    double *scales = VT_NEW_ARRAY(e->q->ctx, double, (size_t)channels_of(v) + 1);
    for (int64_t c = 0; c < channels_of(v); c++) scales[c] = g->best[slot_of(e, v, c)];
    return scales;
}

void vt__equalize(vt_quantizer *q) {
    const vt_gvalues *values = &q->g->values;
    equalizer e = {.q = q};
    make_lists(&e);
    join_all(&e);
    make_groups(&e);
    for (uint32_t i = 0; i < q->g->node_count; i++)
        if (q->chains[i]) look_at(&e, q->chains[i]);
    for (uint32_t i = 0; i < values->count; i++) take_value(&e, values->item[i]);
    take_readers(&e);
    choose_all(&e);
    for (uint32_t i = 0; i < values->count; i++) q->channel[i] = channel_scales(&e, values->item[i]);
}

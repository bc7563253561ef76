#include "frontend/quant/given.h"

#include <math.h>

#include "frontend/graph/rewrite.h"
#include "frontend/pass/pass.h"
#include "frontend/quant/known.h"
#include "frontend/quant/priv.h"

typedef struct taker {
    vt_rewrite r;
    vt_ctx *ctx;
    uint32_t *others;    /* by index of the old graph's values: readers that do not quantize it */
    vt_gvalue **limited; /* by index of the old graph's integers: the floats that they stand for; NULL: not made yet */
    vt_givens found;
} taker;

static bool is_one(const vt_gvalue *v) { return vt_gvalue_is_constant(v) && vt_gtype_count(&v->type) == 1; }

static double zero_point(const vt_gvalue *v, size_t i) { return v ? vt_gelement_at(v, i) : 0; }

static const vt_gvalue *third(const vt_gnode *n) { return vt_ginput_given(n, 2) ? n->inputs[2] : NULL; }

/* What integers of the type stand for. */
static vt_interval range_of(const vt_gtype *t, const vt_gvalue *scale, const vt_gvalue *zero) {
    double s = vt_gelement_at(scale, 0), z = zero_point(zero, 0);
    return (vt_interval){(vt_element_least(t->element) - z) * s, (vt_element_max(t->element) - z) * s};
}

static double magnitude(vt_interval r) { return fmax(fabs(r.least), fabs(r.most)); }

static void note(taker *t, vt_given given) {
    vt_givens *f = &t->found;
    vt_grow(t->ctx, &f->item, &f->cap, f->count + 1, sizeof *f->item);
    f->item[f->count++] = given;
}

/* ---- Constants ------------------------------------------------------------------------------------------------- */

/* The floats of integers: their scales and zero points are one, or one for each place along `axis`. */
static vt_gvalue *as_floats(taker *t, const vt_gvalue *v, const vt_gvalue *scale, const vt_gvalue *zero, int64_t axis) {
    vt_gtype type = v->type;
    size_t count = (size_t)vt_gtype_count(&type), scales = (size_t)vt_gtype_count(&scale->type);
    size_t inner = scales > 1 ? (size_t)vt_gtype_span(&type, (uint32_t)axis + 1, type.rank) : count;
    type.element = VT_ELEMENT_F32;
    float *data = VT_NEW_ARRAY(t->ctx, float, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        size_t k = scales > 1 ? i / inner % scales : 0;
        size_t z = zero && vt_gtype_count(&zero->type) > 1 ? k : 0;
        data[i] = (float)((vt_gelement_at(v, i) - zero_point(zero, z)) * vt_gelement_at(scale, k));
    }
    return vt_graph_constant(t->r.to, v->name, type, data);
}

static bool constant_or_none(const vt_gvalue *v) { return !v || vt_gvalue_is_constant(v); }

/* ---- Nodes ----------------------------------------------------------------------------------------------------- */

static bool same_number(const vt_gvalue *a, const vt_gvalue *b) {
    if ((a && !is_one(a)) || (b && !is_one(b))) return false;
    return (a ? vt_gelement_at(a, 0) : 0) == (b ? vt_gelement_at(b, 0) : 0);
}

/* A pair that gives back what it took, rounded and within what the integers stand for. */
static bool is_pair(const vt_gnode *q, const vt_gnode *d) {
    return q && q->op == VT_G_QUANTIZE_LINEAR && q->inputs[0]->type.element == VT_ELEMENT_F32 && is_one(d->inputs[1]) &&
           same_number(q->inputs[1], d->inputs[1]) && same_number(third(q), third(d));
}

/* A pair sets limits: models leave out a Relu in front of one whose integers stand for no number below zero. Not where
 * they are those of the value already, give or take a step. */
static vt_gvalue *limited(taker *t, vt_gvalue *v, const char *name, vt_interval r, double step) {
    vt_interval known = vt_known_interval(v);
    if (known.least >= r.least - step && known.most <= r.most + step) return v;
    return vt_graph_apply(t->r.to, VT_G_CLIP, name, v, NULL, 2,
                          (vt_gattr[]){VT_GSET_FLOAT(MIN, r.least), VT_GSET_FLOAT(MAX, r.most)});
}

static bool take_pair(taker *t, const vt_gnode *d) {
    const vt_gvalue *x = d->inputs[0];
    vt_gvalue **to = &t->limited[x->index];
    if (!is_pair(x->by, d)) return false;
    if (!*to) {
        vt_interval r = range_of(&x->type, d->inputs[1], third(d));
        vt__check_range(t->ctx, x->name, magnitude(r));
        const vt_gvalue *from = x->by->inputs[0];
        vt_gvalue *now = vt_rewrite_of(&t->r, from);
        double step = vt_gelement_at(d->inputs[1], 0), zero = third(d) ? vt_gelement_at(third(d), 0) : 0;
        *to = limited(t, now, x->name, r, step);
        note(t, (vt_given){(*to)->name, x->name, step, zero, magnitude(r)});
        if (*to != now && !t->others[from->index]) note(t, (vt_given){now->name, NULL, step, zero, magnitude(r)});
    }
    vt_rewrite_replace(&t->r, d->outputs[0], *to);
    return true;
}

static bool take_dequantize(taker *t, const vt_gnode *n) {
    const vt_gvalue *x = n->inputs[0], *scale = n->inputs[1], *zero = third(n);
    if (!vt_gvalue_is_constant(scale) || !constant_or_none(zero)) return false;
    if (!vt_gvalue_is_constant(x)) return take_pair(t, n);
    vt_rewrite_replace(&t->r, n->outputs[0], as_floats(t, x, scale, zero, vt_gattr_int(n, VT_A_AXIS)));
    return true;
}

/* QuantizeLinear or DequantizeLinear, in the new graph. */
static vt_gvalue *convert(taker *t, vt_gop op, const char *name, vt_gvalue *x, vt_gvalue *scale, vt_gvalue *zero) {
    vt_gnode_spec spec = {.op = op, .name = name, .input_count = 3, .inputs = (vt_gvalue *[]){x, scale, zero}};
    return vt_graph_add(t->r.to, &spec)->outputs[0];
}

/* The integers of a QLinear operator's input as floats: those of a node before, or of an input of the graph. */
static vt_gvalue *float_of(taker *t, const vt_gnode *n, uint32_t at, int64_t axis) {
    const vt_gvalue *x = n->inputs[at], *scale = n->inputs[at + 1], *zero = n->inputs[at + 2];
    if (vt_gvalue_is_constant(x)) return as_floats(t, x, scale, zero, axis);
    return convert(t, VT_G_DEQUANTIZE_LINEAR, x->name, vt_rewrite_of(&t->r, x), vt_rewrite_of(&t->r, scale),
                   vt_rewrite_of(&t->r, zero));
}

/* Bias in units of scale of x times scale of w. */
static vt_gvalue *float_bias(taker *t, const vt_gnode *n) {
    const vt_gvalue *b = n->inputs[8];
    size_t count = (size_t)vt_gtype_count(&b->type), scales = (size_t)vt_gtype_count(&n->inputs[4]->type);
    vt_gtype type = b->type;
    float *data = VT_NEW_ARRAY(t->ctx, float, count ? count : 1);
    type.element = VT_ELEMENT_F32;
    for (size_t i = 0; i < count; i++)
        data[i] = (float)(vt_gelement_at(b, i) * vt_gelement_at(n->inputs[1], 0) *
                          vt_gelement_at(n->inputs[4], scales > 1 ? i : 0));
    return vt_graph_constant(t->r.to, b->name, type, data);
}

static bool is_known(const vt_gnode *n) {
    for (uint32_t i = 1; i < 8; i++)
        if (!vt_gvalue_is_constant(n->inputs[i]) && i != 3) return false;
    if (!is_one(n->inputs[1]) || !is_one(n->inputs[6]) || !is_one(n->inputs[7])) return false;
    return n->op == VT_G_QLINEAR_MAT_MUL ||
           (vt_gvalue_is_constant(n->inputs[3]) && (!vt_ginput_given(n, 8) || vt_gvalue_is_constant(n->inputs[8])));
}

/* As floats, and quantized again: another run takes that pair. */
static bool take_qlinear(taker *t, const vt_gnode *n) {
    if (!is_known(n)) return false;
    bool conv = n->op == VT_G_QLINEAR_CONV;
    vt_gvalue *in[3] = {float_of(t, n, 0, 0), float_of(t, n, 3, conv ? 0 : 1)};
    uint32_t count = 2;
    if (conv && vt_ginput_given(n, 8)) in[count++] = float_bias(t, n);
    vt_gnode_spec spec = {.op = conv ? VT_G_CONV : VT_G_MAT_MUL, .name = n->name, .input_count = count, .inputs = in};
    spec.attribute_count = conv ? n->attribute_count : 0;
    spec.attributes = n->attributes;
    /* One after the other, not as arguments: the order in which values are made is in their names. */
    vt_gvalue *zero = vt_rewrite_of(&t->r, n->inputs[7]), *scale = vt_rewrite_of(&t->r, n->inputs[6]);
    vt_gvalue *floats = vt_graph_add(t->r.to, &spec)->outputs[0];
    vt_gvalue *y = convert(t, VT_G_QUANTIZE_LINEAR, n->outputs[0]->name, floats, scale, zero);
    vt_rewrite_replace(&t->r, n->outputs[0], y);
    return true;
}

/* Does it only move elements, or take the largest? Then it may as well be done before they are rounded. */
static bool is_move(const vt_gnode *n) {
    switch ((int)n->op) {
    case VT_G_CONCAT:
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_MAX_POOL:
    case VT_G_RESHAPE:
    case VT_G_SLICE:
    case VT_G_SPACE_TO_DEPTH:
    case VT_G_TRANSPOSE: return true;
    default: return false;
    }
}

/* The node of the new graph that quantizes what a node reads, all of it in the same way; NULL: there is none. */
static const vt_gnode *quantizer_of(taker *t, const vt_gnode *n) {
    const vt_gnode *first = NULL;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gnode *q = vt_rewrite_of(&t->r, n->inputs[i])->by;
        if (!q || q->op != VT_G_QUANTIZE_LINEAR || !third(q) || !is_one(q->inputs[1])) return NULL;
        if (!first) first = q;
        if (!same_number(q->inputs[1], first->inputs[1]) || !same_number(third(q), third(first))) return NULL;
    }
    return first;
}

/* Of integers: of the floats that they stand for. */
static bool take_move(taker *t, const vt_gnode *n) {
    const vt_gnode *q = quantizer_of(t, n);
    if (!q) return false;
    vt_gvalue *scale = q->inputs[1], *zero = q->inputs[2];
    vt_gvalue **in = VT_NEW_ARRAY(t->ctx, vt_gvalue *, n->input_count);
    for (uint32_t i = 0; i < n->input_count; i++)
        in[i] = convert(t, VT_G_DEQUANTIZE_LINEAR, n->inputs[i]->name, vt_rewrite_of(&t->r, n->inputs[i]), scale, zero);
    vt_gnode_spec spec = {n->op, n->name, NULL, n->input_count, n->attribute_count, in, n->attributes};
    vt_gvalue *y = vt_graph_add(t->r.to, &spec)->outputs[0];
    vt_rewrite_replace(&t->r, n->outputs[0], convert(t, VT_G_QUANTIZE_LINEAR, n->outputs[0]->name, y, scale, zero));
    return true;
}

static bool take_integers(taker *t, const vt_gnode *n) {
    if (n->op == VT_G_QLINEAR_CONV || n->op == VT_G_QLINEAR_MAT_MUL) return take_qlinear(t, n);
    return is_move(n) && take_move(t, n);
}

static bool take_dequantized(taker *t, const vt_gnode *n) {
    return n->op == VT_G_DEQUANTIZE_LINEAR && take_dequantize(t, n);
}

static const vt_graph *pass(const vt_graph *g, taker *t, bool (*take)(taker *, const vt_gnode *)) {
    t->r = vt_rewrite_begin(g);
    t->ctx = g->ctx;
    t->others = vt_graph_uses(g);
    for (uint32_t i = 0; i < g->node_count; i++)
        if (g->nodes[i]->op == VT_G_QUANTIZE_LINEAR) t->others[g->nodes[i]->inputs[0]->index]--;
    t->limited = VT_NEW_ARRAY(g->ctx, vt_gvalue *, g->values.count + 1);
    for (uint32_t i = 0; i < g->node_count; i++)
        if (!take(t, g->nodes[i])) vt_rewrite_keep(&t->r, g->nodes[i]);
    return vt_graph_pass_remove_dead(vt_rewrite_end(&t->r));
}

const vt_graph *vt_quant_take_given(const vt_graph *g, vt_ranges **out_ranges, vt_givens *out_givens) {
    taker t = {.found = {.count = 0}};
    *out_ranges = NULL;
    const vt_graph *now = pass(pass(g, &t, take_integers), &t, take_dequantized);
    if (out_givens) *out_givens = t.found;
    if (now == g || t.found.count == 0) return now;
    *out_ranges = vt_ranges_new(g->ctx, now);
    for (uint32_t i = 0; i < t.found.count; i++) {
        const vt_gvalue *v = vt_graph_find(now, t.found.item[i].value);
        if (v) vt_ranges_set(*out_ranges, v, t.found.item[i].most);
    }
    return now;
}

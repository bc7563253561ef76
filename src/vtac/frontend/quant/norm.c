/* Normalization of rows (LayerNorm, RMSNorm) in integers, and the stream of sums that it reads.
 *
 * In a transformer each product's result is added to a stream, which the next normalization reads: rounding the stream
 * to 8 bits in every layer costs 14 dB of a vision transformer's 26. It has 15 bits here: two bytes, the low one and
 * minus the high one, rounded (x = low - 256 * other), so that GEMM puts an element into an accumulator; the product
 * that adds to it is computed twice, as every one with results of 16 bits. All of a stream has one scale.
 *
 * What is left of an element without the mean of its row is multiplied by the inverse root of the sum of its squares
 * (operators/layer_norm.c), which are those of all 15 bits: rows may be of very different sizes (that of the class is
 * 20 times smaller than others in the first layers of a vision transformer; squares of 8 bits are 7 % off there).
 * Constants for channels, the scale of the result, and rounding are steps behind it.
 *
 * The stream begins with floats, and only normalizations of sums are integers. Where a normalization is itself added to
 * a sum (BERT), what is between has no stream: that stays on floats. */
#include "frontend/quant/norm.h"

#include <math.h>

#include "base/log2.h"

enum {
    FEATURES_MAX = 4096,
    FEW = 4096, /* elements that the host normalizes in no time */
    FACTOR_MAX = 4095,
    SHIFT_MAX = 24,
    EPSILON_MAX = INT16_MAX,
    BIAS_MAX = 1 << 29,
};
static const double ROOM = 1.125; /* the stream may be so much larger than was seen */

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

double vt__stream_scale(double most) { return ROOM * most / VT_QSTREAM_MAX; }

/* What epsilon, and half of what shifting each square drops, add to the sum. */
static double epsilon_of(const vt__norm *m, double scale, int64_t features) {
    double sum = m->epsilon / scale / scale * ldexp((double)features, -vt_ceil_log2(features));
    return nearbyint(sum + (double)features / 2);
}

/* ---- Which nodes ------------------------------------------------------------------------------------------------- */

static bool is_constant(const vt_gvalue *v, double *out) {
    if (!v->data || v->type.element != VT_ELEMENT_F32 || vt_gtype_count(&v->type) != 1) return false;
    *out = vt_gelement_at(v, 0);
    return true;
}

static const vt_gnode *made_by(const vt_gvalue *v, vt_gop op) { return v && v->by && v->by->op == op ? v->by : NULL; }

static bool is_over_last(const vt_gnode *n) {
    const vt_gattr *axes = vt_gattr_of(n, VT_A_AXES);
    int64_t last = n->inputs[0]->type.rank - 1;
    return axes && axes->count == 1 && axes->ints[0] == last && n->outputs[0]->type.rank == last + 1;
}

static bool has_one_reader(const vt_quantizer *q, const vt_gvalue *v) { return q->uses[v->index] == 1; }

/* The mean of rows of what: ReduceMean, or ReduceSum times the right number. */
static const vt_gvalue *mean_of(const vt_quantizer *q, const vt_gvalue *v) {
    const vt_gnode *n = made_by(v, VT_G_REDUCE_MEAN), *times = made_by(v, VT_G_MUL);
    double factor;
    if (times) {
        n = made_by(times->inputs[0], VT_G_REDUCE_SUM);
        if (!n || !is_constant(times->inputs[1], &factor) || !has_one_reader(q, n->outputs[0])) return NULL;
        const vt_gtype *t = &n->inputs[0]->type;
        if (fabs(factor * (double)t->dim[t->rank - 1] - 1) > 1e-5) return NULL;
    }
    return n && is_over_last(n) && has_one_reader(q, v) ? n->inputs[0] : NULL;
}

static const vt_gvalue *squared(const vt_gvalue *v) {
    const vt_gnode *n = made_by(v, VT_G_MUL), *power = made_by(v, VT_G_POW);
    double two;
    if (n && n->inputs[0] == n->inputs[1]) return n->inputs[0];
    return power && is_constant(power->inputs[1], &two) && two == 2 ? power->inputs[0] : NULL;
}

/* Of the root of a mean square and epsilon: the value that was squared. */
static const vt_gvalue *deviation_of(const vt_quantizer *q, const vt_gvalue *v, double *out_epsilon) {
    const vt_gnode *root = made_by(v, VT_G_SQRT), *sum = root ? made_by(root->inputs[0], VT_G_ADD) : NULL;
    if (!sum || !is_constant(sum->inputs[1], out_epsilon) || !has_one_reader(q, v)) return NULL;
    const vt_gvalue *square = mean_of(q, sum->inputs[0]), *of = square ? squared(square) : NULL;
    return of && has_one_reader(q, square) && has_one_reader(q, sum->outputs[0]) ? of : NULL;
}

/* Numbers for the last axis, in the context's arena; NULL: it is something else. */
static const double *numbers_of(vt_quantizer *q, const vt_gvalue *v, const vt_gtype *of) {
    int64_t n = of->dim[of->rank - 1], count = vt_gtype_count(&v->type);
    if (!v->data || v->type.element != VT_ELEMENT_F32 || (count != n && count != 1) || v->type.rank > of->rank)
        return NULL;
    if (count == n && n > 1 && v->type.dim[v->type.rank - 1] != n) return NULL;
    double *numbers = VT_NEW_ARRAY(q->ctx, double, (size_t)n);
    for (int64_t i = 0; i < n; i++) numbers[i] = vt_gelement_at(v, count == 1 ? 0 : (size_t)i);
    return numbers;
}

/* y * constants or y + constants, which alone reads y. */
static const vt_gnode *constants_behind(vt_quantizer *q, const vt_gvalue *y, vt_gop op, const double **out) {
    const vt_gnode *n = has_one_reader(q, y) ? q->reader[y->index] : NULL;
    if (!n || n->op != op || !vt_gtype_same_shape(&y->type, &n->outputs[0]->type)) return NULL;
    const vt_gvalue *constant = n->inputs[n->inputs[0] == y];
    *out = numbers_of(q, constant, &y->type);
    return *out ? n : NULL;
}

static void take_constants(vt_quantizer *q, vt__norm *m) {
    const vt_gnode *n = constants_behind(q, m->y, VT_G_MUL, &m->gamma);
    if (n) m->y = n->outputs[0];
    n = constants_behind(q, m->y, VT_G_ADD, &m->beta);
    if (n) m->y = n->outputs[0];
}

/* How often the division, and what squares its first operand, read that. */
static uint32_t readers_of_squared(const vt_gnode *division) {
    const vt_gnode *mean = division->inputs[1]->by->inputs[0]->by->inputs[0]->by;
    const vt_gvalue *square = mean->inputs[0];
    if (mean->op == VT_G_MUL) square = square->by->inputs[0];
    return square->by->op == VT_G_MUL ? 3 : 2;
}

/* Does a product want more bits of it than the normalization gives? */
static bool has_parts(const vt_quantizer *q, const vt_gvalue *y) {
    for (uint32_t i = 0; q->options.choices && i < q->g->node_count; i++) {
        const vt_gnode *n = q->g->nodes[i];
        bool fine = false;
        if (vt__product_kind(n) == VT_Q_FLOAT) continue;
        for (const vt_gvalue *v = n->inputs[0];; v = v->by->inputs[0]) {
            fine |= q->options.choices[v->index].parts != 0;
            if (v == y && fine) return true;
            if (v == y || !v->by || v->by->op != VT_G_RESHAPE) break;
        }
    }
    return false;
}

/* Its integers are rows, whatever axes it has in the graph: then only what follows their order may read it. */
static bool has_rows(const vt_quantizer *q, const vt_gvalue *y) {
    for (uint32_t i = 0; y->type.rank > 2 && i < q->g->node_count; i++) {
        const vt_gnode *n = q->g->nodes[i];
        for (uint32_t k = 0; k < n->input_count; k++)
            if (n->inputs[k] == y && (k || !vt__may_move(n))) return false;
    }
    return true;
}

/* Does epsilon, in steps of the squares' sum, fit an immediate of the ALU? */
static bool has_small_epsilon(const vt_quantizer *q, const vt__norm *m) {
    const vt_gtype *t = &m->x->type;
    if (!vt_ranges_seen(q->ranges, m->x)) return false;
    double most = vt_ranges_of(q->ranges, m->x, VT_RANGE_MAX, 0, INT8_MAX);
    return most > 0 && epsilon_of(m, vt__stream_scale(most), t->dim[t->rank - 1]) <= EPSILON_MAX;
}

static bool norm_of(vt_quantizer *q, const vt_gnode *n, vt__norm *out) {
    if (n->op != VT_G_DIV || n->inputs[0]->type.element != VT_ELEMENT_F32) return false;
    const vt_gvalue *x = n->inputs[0];
    *out = (vt__norm){.y = n->outputs[0]};
    if (deviation_of(q, n->inputs[1], &out->epsilon) != x || !(out->epsilon >= 0)) return false;
    const vt_gnode *less = made_by(x, VT_G_SUB);
    out->mean = less && mean_of(q, less->inputs[1]) == less->inputs[0];
    out->x = out->mean ? less->inputs[0] : x;
    if (out->mean && q->uses[x->index] != readers_of_squared(n)) return false;
    const vt_gtype *t = &out->x->type;
    if (t->rank < 2 || t->dim[t->rank - 1] < 2 || t->dim[t->rank - 1] > FEATURES_MAX) return false;
    take_constants(q, out);
    return vt_gtype_count(t) > FEW && has_small_epsilon(q, out) && q->useful[out->y->index] && has_rows(q, out->y) &&
           !has_parts(q, out->y);
}

/* ---- The stream -------------------------------------------------------------------------------------------------- */

/* The matrix product whose result, reshaped or not, the value alone is; NULL: none. */
static const vt_gnode *product_of(const vt_quantizer *q, const vt_gvalue *v) {
    while (v->by && v->by->op == VT_G_RESHAPE && has_one_reader(q, v)) v = v->by->inputs[0];
    return v->by && has_one_reader(q, v) && vt__product_kind(v->by) == VT_Q_DENSE ? v->by : NULL;
}

/* A sum of a product's result and what was there before it. */
static bool is_sum(vt_quantizer *q, const vt_gvalue *v) {
    const vt_gnode *n = made_by(v, VT_G_ADD);
    const vt_gtype *t = &v->type;
    if (q->useful[v->index]) return false; /* a product reads integers of 8 bits */
    for (int i = 0; n && i < 2; i++) {
        const vt_gvalue *a = n->inputs[!i], *b = n->inputs[i];
        const vt_gnode *product = a->data || b->data ? NULL : product_of(q, b);
        if (!product || !vt_gtype_same_shape(&a->type, t) || !vt_gtype_same_shape(&b->type, t)) continue;
        if (product->outputs[0]->type.dim[1] != t->dim[t->rank - 1] || !vt_ranges_seen(q->ranges, v)) continue;
        if (!a->by || a->by->index > product->index || !vt_ranges_seen(q->ranges, a)) continue;
        return true;
    }
    return false;
}

/* Of the nodes between x and `v` the first. */
static uint32_t first_of(const vt__norm *m, const vt_gvalue *v) {
    uint32_t first = v->by->index;
    for (uint32_t i = 0; i < v->by->input_count; i++) {
        const vt_gvalue *in = v->by->inputs[i];
        uint32_t before = in == m->x || in->data ? first : first_of(m, in);
        if (before < first) first = before;
    }
    return first;
}

void vt__find_norms(vt_quantizer *q) {
    q->norms = VT_NEW_ARRAY(q->ctx, vt__norm *, q->g->node_count + 1);
    q->stream = VT_NEW_ARRAY(q->ctx, vt__stream, q->g->values.count + 1);
    if (q->options.most != INT8_MAX || q->options.wide_max < 0) return;
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        vt__norm m;
        if (!norm_of(q, q->g->nodes[i], &m) || !is_sum(q, m.x)) continue;
        vt__norm *kept = q->norms[first_of(&m, m.y)] = VT_NEW(q->ctx, vt__norm);
        *kept = m;
        q->stream[m.x->index].is_sum = true;
    }
}

bool vt__reads_stream(const vt_quantizer *q, const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] && q->stream[n->inputs[i]->index].is) return true;
    return false;
}

/* Does a layer before this one want other integers of it? */
static bool has_integers(const vt_quantizer *q, const vt_gvalue *v) {
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_chain *c = q->chains[i];
        if (!c || c->kind == VT_Q_FLOAT || c->stream) continue;
        if (c->other == v || c->mask == v || c->from == v) return true;
        for (uint32_t k = 0; k < c->head->input_count; k++)
            if (c->head->inputs[k] == v) return true;
    }
    return false;
}

/* What the chain of a product may add to: a stream, or floats where one begins. */
static bool begins_or_is_stream(const vt_quantizer *q, const vt_chain *c, const vt_gvalue *a) {
    if (a->data || !a->by || a->by->index > c->head->index || q->useful[a->index]) return false;
    const vt_chain *maker = q->makers[a->index];
    if (vt__is_whole(q, a)) return maker->stream;
    return !has_integers(q, a) && !q->root[a->index] && !q->moved[a->index] && q->chains[a->by->index];
}

bool vt__take_stream(vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    const vt_gvalue *v = c->end;
    const vt_gnode *reshape = n->op == VT_G_RESHAPE ? n : NULL;
    if (reshape) {
        v = n->outputs[0];
        n = has_one_reader(q, v) ? q->reader[v->index] : NULL;
    }
    if (!n || n->op != VT_G_ADD || !q->stream[n->outputs[0]->index].is_sum || c->kind != VT_Q_DENSE) return false;
    const vt_gvalue *other = n->inputs[n->inputs[0] == v];
    if (c->other || other == v || !begins_or_is_stream(q, c, other)) return false;
    if (reshape) q->taken[reshape->index] = true;
    q->taken[n->index] = true;
    c->other = other;
    c->floor = -INFINITY, c->ceiling = INFINITY;
    c->end = n->outputs[0];
    c->stream = true;
    q->stream[other->index].is = q->stream[c->end->index].is = true;
    return true;
}

/* Marks the nodes between x and y. */
static void take_nodes(vt_quantizer *q, const vt__norm *m, const vt_gvalue *v) {
    if (v == m->x || v->data || q->taken[v->by->index]) return;
    q->taken[v->by->index] = true;
    for (uint32_t i = 0; i < v->by->input_count; i++) take_nodes(q, m, v->by->inputs[i]);
}

bool vt__start_norm(vt_quantizer *q, const vt_gnode *n) {
    const vt__norm *m = q->norms[n->index];
    if (!m || !q->stream[m->x->index].is || !vt__is_whole(q, m->x)) return false;
    take_nodes(q, m, m->y);
    vt_chain *c = VT_NEW(q->ctx, vt_chain);
    *c = (vt_chain){.head = n, .end = m->y, .kind = VT_Q_NORM, .from = m->x, .norm = m};
    c->least = c->floor = -INFINITY;
    c->most = c->ceiling = INFINITY;
    q->chains[n->index] = q->makers[m->y->index] = c;
    q->stream[m->y->index].is_norm = true;
    return true;
}

/* ---- The layer --------------------------------------------------------------------------------------------------- */

vt_gtype vt__rows_type(const vt_gtype *t) {
    vt_gtype rows;
    int64_t columns = t->dim[t->rank - 1];
    vt_gtype_make(t->element, 2, (int64_t[]){vt_gtype_count(t) / columns, columns}, &rows);
    return rows;
}

/* What a result of 1 is before the steps. */
static double one_of(int64_t features) {
    return ldexp(1, 21 - 9) / sqrt(ldexp((double)features, -vt_ceil_log2(features)));
}

/* y = (u * factor + bias) >> shift */
static void add_steps(vt_quantizer *q, vt_qlayer *l, const vt__norm *m, int64_t features) {
    double most = 0, unit = 1 / one_of(features) / l->output->scale;
    int32_t *factor = VT_NEW_ARRAY(q->ctx, int32_t, (size_t)features), shift = 0;
    int32_t *bias = VT_NEW_ARRAY(q->ctx, int32_t, (size_t)features);
    bool same = true;
    for (int64_t i = 0; i < features; i++) most = fmax(most, fabs(m->gamma ? m->gamma[i] : 1) * unit);
    while (shift < SHIFT_MAX && ldexp(most, shift + 1) <= FACTOR_MAX) shift++;
    for (int64_t i = 0; i < features; i++) {
        double x = ldexp((m->gamma ? m->gamma[i] : 1) * unit, shift);
        double y = ldexp((m->beta ? m->beta[i] : 0) / l->output->scale, shift) + (shift ? ldexp(1, shift - 1) : 0);
        factor[i] = (int32_t)fmin(fmax(nearbyint(x), -FACTOR_MAX), FACTOR_MAX);
        bias[i] = (int32_t)fmin(fmax(nearbyint(y), -BIAS_MAX), BIAS_MAX);
        same &= factor[i] == factor[0];
    }
    vt__step(l, same ? VT_QSTEP_MULTIPLY : VT_QSTEP_MULTIPLY_CHANNEL, same ? factor[0] : 0);
    if (!same) l->steps[l->step_count - 1].channel = factor;
    vt__step(l, VT_QSTEP_BIAS, 0);
    l->steps[l->step_count - 1].channel = bias;
    if (shift) vt__step(l, VT_QSTEP_SHIFT, shift);
    vt__step(l, VT_QSTEP_MAX, INT8_MIN);
    vt__step(l, VT_QSTEP_MIN, INT8_MAX);
}

void vt__add_norm(vt_quantizer *q, const vt_chain *c) {
    const vt_qtensor *x = vt__as_whole(q, c->from);
    vt_qlayer *l = vt__layer_new(q, VT_Q_NORM, c->head->name, 1, &x, vt__result(q, c->end));
    int64_t features = x->type.dim[1];
    l->node = c->end->by;
    l->no_mean = !c->norm->mean;
    l->epsilon = (int32_t)epsilon_of(c->norm, x->scale, features);
    add_steps(q, l, c->norm, features);
}

/* Softmax between two products of matrices, as attention has it, in integers: the shares exp(x - largest of the row) of
 * 7 bits are the first operand of the second product, which divides its rows by the sums of these (operators/shares.c).
 *
 * The accelerator has accumulators of 32 bits for the scores x only while it computes them, no maximum over lanes, and
 * no exponential. So it computes the scores twice. First roughly, to 8 bits, for the largest of each row; its error
 * moves all of a row, which the division takes away again. Then in steps of an exponent of which 255 lead from the
 * largest share, 127, to half of one; the largest is subtracted, and a table of 256 entries has the shares: on hardware
 * with tables a step of the product, else one of the host. What is stored never has more than 8 bits, and the scores
 * lose none where they count.
 *
 * The other way, rows in lanes (the transposed product of keys and queries), would have the maximum and the sum as ALU
 * work without rotations. But the second product wants the shares of a row in the lanes of one input, and lanes and
 * rows are exchanged by a product with the unit matrix for every tile, stored and loaded once more; queries would have
 * to be stored as weights, and keys as rows. And a maximum behind the product itself would need all columns of a row on
 * the chip at once. */
#include <math.h>

#include "frontend/quant/matmul.h"

enum {
    SHARE_MOST = INT8_MAX,
    COLUMNS_MAX = 1 << 12, /* of rows whose sums can be divided by */
    ROUGH_MAX = 6,         /* bits, so that the largest share of a row is 31 at least, and their sum */
    MASK_STEPS = INT8_MAX, /* of the exponent, for one of a mask: at its least it takes away all that scores may have */
    MASKED = 1000,         /* the magnitude from which a number is one of a mask */
    ROOM = 2,              /* scores may be so many times as large as those seen */
};

/* What a step of the exponent is. */
static double step_of(void) { return log(2 * SHARE_MOST) / (VT_QTABLE_INTEGERS - 1); }

/* Bits that the largest of a row has less than the exponent; -1: too many. */
static int32_t rough_bits(const vt_quantizer *q, const vt_gvalue *scores) {
    double most = vt_ranges_of(q->ranges, scores, VT_RANGE_MAX, 0, INT8_MAX);
    for (int32_t bits = 0; bits <= ROUGH_MAX; bits++)
        if (ldexp(step_of(), bits) * INT8_MAX >= ROOM * most) return bits;
    return -1;
}

static bool is_over_rows(const vt_gnode *n) {
    if (n->op != VT_G_SOFTMAX) return false;
    int64_t axis = vt_gattr_int(n, VT_A_AXIS), rank = n->inputs[0]->type.rank;
    return axis == -1 || axis == rank - 1;
}

/* The product that alone reads the shares, row by row; NULL: there is none. */
static const vt_gnode *reader_of(const vt_quantizer *q, const vt_gvalue *v) {
    const vt_gnode *n = q->uses[v->index] == 1 ? q->reader[v->index] : NULL;
    return n && vt__is_matmul(n) && n->inputs[0] == v && n->inputs[1] != v ? n : NULL;
}

/* Can scores, with a mask or none, become shares? */
static bool has_shares(const vt_quantizer *q, const vt_chain *c, const vt_gvalue *scores, const vt_gnode *softmax) {
    vt__matmul first, second;
    double element;
    size_t place;
    if (!is_over_rows(softmax) || q->options.most != INT8_MAX || !vt_ranges_seen(q->ranges, scores)) return false;
    const vt_gnode *reader = reader_of(q, softmax->outputs[0]);
    if (!reader || !vt__matmul_of(c->head, &first) || !vt__matmul_of(reader, &second)) return false;
    if (first.count != second.count || first.rows != second.rows || first.columns != second.inner) return false;
    if (first.columns > COLUMNS_MAX || vt_ranges_odd(q->ranges, scores, &element, &place)) return false;
    return rough_bits(q, scores) >= 0;
}

/* Floats that are there before the product is, one for each column of the scores: 0 for those that count, far below all
 * scores for others, as attention has them. What else is added to scores would need finer steps. */
static bool is_mask(const vt_quantizer *q, const vt_chain *c, const vt_gvalue *v) {
    const vt_gtype *t = &v->type, *scores = &c->end->type;
    if (v->data || t->element != VT_ELEMENT_F32 || !t->rank || vt_gtype_count(t) != t->dim[t->rank - 1]) return false;
    if (t->dim[t->rank - 1] != scores->dim[scores->rank - 1] || !vt_ranges_seen(q->ranges, v)) return false;
    const vt_chain *maker = v->by ? q->chains[v->by->index] : NULL;
    if (v->by && (v->by->index > c->head->index || !maker || maker->kind != VT_Q_FLOAT)) return false;
    double most = vt_ranges_of(q->ranges, v, VT_RANGE_MAX, 0, INT8_MAX);
    return most == 0 || most >= MASKED;
}

/* Of a sum of the scores and a mask; only with the softmax behind it. */
static bool take_mask(const vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    const vt_gvalue *y = n->outputs[0], *mask = n->inputs[n->inputs[0] == c->end];
    const vt_gnode *softmax = q->uses[y->index] == 1 ? q->reader[y->index] : NULL;
    if (c->mask || !softmax || !vt_gtype_same_shape(&c->end->type, &y->type) || mask == c->end) return false;
    if (!is_mask(q, c, mask) || !has_shares(q, c, c->end, softmax)) return false;
    c->mask = mask;
    c->scores = c->end;
    return true;
}

bool vt__take_softmax(const vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    if (n->op == VT_G_ADD) return take_mask(q, c, n);
    if (!c->mask && !has_shares(q, c, c->end, n)) return false;
    if (!c->mask) c->scores = c->end;
    c->softmax = n;
    return true;
}

/* ---- Layers ------------------------------------------------------------------------------------------------------ */

typedef struct making {
    vt_quantizer *q;
    const vt_chain *chain;
    const vt__matmul *s;
    const vt_qtensor *const *x;
    double scale;
    int32_t bits;
    const vt_qtensor *mask; /* NULL: none */
} making;

static vt_qtensor *tensor(const making *m, const char *what) {
    const vt_gvalue *v = m->chain->scores;
    vt_qmatrices all = {m->s->count, m->s->rows, m->s->columns};
    vt_qtensor *t = vt__matrices_of(m->q, v, VT_QFORM_ROWS, all, VT_ELEMENT_I8, ldexp(step_of(), m->bits));
    t->name = vt_new_format(m->q->ctx, "%s.%s", v->name, what);
    t->inner = true;
    return t;
}

/* The product, in steps of 2^bits of the exponent's; rounded up, or to the nearest. */
static vt_qlayer *product(const making *m, const char *what, int32_t bits, bool up) {
    vt_qlayer *l = vt__layer_new(m->q, VT_Q_MATMUL, m->chain->head->name, 2, m->x, tensor(m, what));
    l->node = m->chain->softmax;
    vt__matmul_steps(l, ldexp(m->scale / step_of(), -bits), ldexp((double)m->s->inner, 14), up);
    return l;
}

static void add_tensor(vt_qlayer *l, const vt_qtensor *t, int32_t times) {
    vt__step(l, VT_QSTEP_RESIDUAL, times);
    l->steps[l->step_count - 1].tensor = t;
}

/* Its integers, once for each row. */
static const vt_qtensor *mask_of(const making *m) {
    const vt_gvalue *v = m->chain->mask;
    if (!v) return NULL;
    const vt_qtensor *from = vt__as_plain(m->q, v);
    vt_qtensor *to = tensor(m, "mask");
    to->scale = step_of() * MASK_STEPS;
    vt__layer_new(m->q, VT_Q_QUANTIZE, v->name, 1, &from, to)->repeated = true;
    return to;
}

static void limit(vt_qlayer *l) {
    vt__step(l, VT_QSTEP_MAX, INT8_MIN);
    vt__step(l, VT_QSTEP_MIN, INT8_MAX);
}

/* Rounded up, so that nothing is above the largest. What is masked is as small as can be. */
static const vt_qtensor *largest_of_rows(const making *m) {
    vt_qlayer *rough = product(m, "rough", m->bits, true);
    rough->rough = true;
    if (m->mask) add_tensor(rough, m->mask, MASK_STEPS);
    limit(rough);
    vt_qtensor *largest = tensor(m, "largest");
    const vt_qtensor *from = rough->output;
    vt__layer_new(m->q, VT_Q_ROW_MAX, m->chain->softmax->name, 1, &from, largest)->node = m->chain->softmax;
    return largest;
}

static const vt_qtensor *exponents(const making *m) {
    const vt_qtensor *largest = largest_of_rows(m);
    vt_qlayer *l = product(m, "exponents", 0, false);
    add_tensor(l, largest, -(1 << m->bits));
    if (m->mask) add_tensor(l, m->mask, MASK_STEPS);
    vt__step(l, VT_QSTEP_ADD, INT8_MAX);
    limit(l);
    return l->output;
}

/* The least exponent stands for all that are below it, too. */
static const int8_t *table(vt_ctx *ctx) {
    int8_t *t = vt_new_bytes(ctx, VT_QTABLE_INTEGERS);
    t[0] = 0;
    for (int32_t i = 1; i < VT_QTABLE_INTEGERS; i++)
        t[i] = (int8_t)lround(SHARE_MOST * exp(step_of() * (i - (VT_QTABLE_INTEGERS - 1))));
    return t;
}

void vt__add_softmax(vt_quantizer *q, const vt_chain *c, const vt__matmul *s, const vt_qtensor *const x[2],
                     double scale) {
    making m = {q, c, s, x, scale, rough_bits(q, c->scores), NULL};
    m.mask = mask_of(&m);
    const vt_qtensor *from = exponents(&m);
    vt_qmatrices all = {s->count, s->rows, s->columns};
    vt_qtensor *y = vt__matrices_of(q, c->end, VT_QFORM_ROWS, all, VT_ELEMENT_I8, vt__scale_of(q, c->end));
    vt_qlayer *l = vt__layer_new(q, VT_Q_TABLE, c->softmax->name, 1, &from, y);
    y->name = vt_new_format(q->ctx, "%s.shares", c->end->name);
    y->inner = true; /* no scale makes them what the graph has */
    l->node = c->softmax;
    l->table = table(q->ctx);
    l->table_rows = 1;
    q->rows[c->end->index] = y;
}

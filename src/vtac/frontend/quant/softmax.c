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
    COLUMNS_MAX = 1 << 14, /* of rows whose sums can be divided by */
    ROUGH_MAX = 7,         /* bits, so that a weight of -2^bits subtracts the largest */
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

bool vt__take_softmax(vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    vt__matmul first, second;
    double element;
    size_t place;
    if (!is_over_rows(n) || q->options.most != INT8_MAX || !vt_ranges_seen(q->ranges, c->end)) return false;
    const vt_gnode *reader = reader_of(q, n->outputs[0]);
    if (!reader || !vt__matmul_of(c->head, &first) || !vt__matmul_of(reader, &second)) return false;
    if (first.count != second.count || first.rows != second.rows || first.columns != second.inner) return false;
    if (first.columns > COLUMNS_MAX || vt_ranges_odd(q->ranges, c->end, &element, &place)) return false;
    if (rough_bits(q, c->end) < 0) return false;
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
} making;

static vt_qtensor *tensor(const making *m, const char *what) {
    const vt_gvalue *v = m->chain->softmax->inputs[0];
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

static void limit(vt_qlayer *l) {
    vt__step(l, VT_QSTEP_MAX, INT8_MIN);
    vt__step(l, VT_QSTEP_MIN, INT8_MAX);
}

/* Rounded up, so that nothing is above the largest. */
static const vt_qtensor *largest_of_rows(const making *m) {
    vt_qlayer *rough = product(m, "rough", m->bits, true);
    rough->rough = true;
    limit(rough);
    vt_qtensor *largest = tensor(m, "largest");
    const vt_qtensor *from = rough->output;
    vt__layer_new(m->q, VT_Q_ROW_MAX, m->chain->softmax->name, 1, &from, largest)->node = m->chain->softmax;
    return largest;
}

static const vt_qtensor *exponents(const making *m) {
    const vt_qtensor *largest = largest_of_rows(m);
    vt_qlayer *l = product(m, "exponents", 0, false);
    vt__step(l, VT_QSTEP_RESIDUAL, -(1 << m->bits));
    l->steps[l->step_count - 1].tensor = largest;
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
    making m = {q, c, s, x, scale, rough_bits(q, c->softmax->inputs[0])};
    const vt_qtensor *from = exponents(&m);
    vt_qmatrices all = {s->count, s->rows, s->columns};
    vt_qtensor *y = vt__matrices_of(q, c->end, VT_QFORM_ROWS, all, VT_ELEMENT_I8, vt__scale_of(q, c->end));
    vt_qlayer *l = vt__layer_new(q, VT_Q_TABLE, c->softmax->name, 1, &from, y);
    y->name = c->end->name;
    l->node = c->softmax;
    l->table = table(q->ctx);
    l->table_rows = 1;
    q->rows[c->end->index] = y;
}

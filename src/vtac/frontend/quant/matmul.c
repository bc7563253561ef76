/* Products of two matrices that layers compute, as attention has them: queries by keys, shares by values.
 *
 * Both operands have 8 bits and one scale each. Their integers are put where the product reads them: rows for the
 * first, the layout of weights for the second. What only moves elements in front of an operand is a part of that. */
#include <math.h>

#include "frontend/quant/matmul.h"

enum {
    WORTH = 8,             /* products for each element that is moved to and from the layer; see vt__why_no_matmul */
    COLUMNS_MAX = 1 << 17, /* of sums of 32 bits */
    FACTOR_MAX = 1023,
    SHIFT_MAX = 15,       /* half of a step is an immediate of 16 bits */
    PLACES_MAX = 1 << 24, /* numbers that float32 tells apart (move.c) */
};

/* ---- Which nodes ------------------------------------------------------------------------------------------------- */

static bool are_computed(const vt_gnode *n) {
    if (n->op != VT_G_MAT_MUL && n->op != VT_G_GEMM) return false;
    const vt_gvalue *a = n->inputs[0], *b = n->inputs[1];
    return !a->data && !b->data && a->type.element == VT_ELEMENT_F32 && a->type.rank >= 2 && b->type.rank >= 2 &&
           vt_gtype_count(&n->outputs[0]->type) > 0;
}

/* Axes of the first operand for which the second has one matrix are rows: they must come last. */
static bool set_batch(const vt_gtype *a, const vt_gtype *b, vt__matmul *s) {
    bool shared = false;
    if (a->rank < b->rank) return false;
    for (uint32_t i = 0; i + 2 < a->rank; i++) {
        uint32_t missing = a->rank - b->rank;
        int64_t of = i < missing ? 1 : b->dim[i - missing];
        shared |= of != a->dim[i];
        if (shared && of != 1) return false;
        *(shared ? &s->rows : &s->count) *= a->dim[i];
    }
    return true;
}

bool vt__matmul_of(const vt_gnode *n, vt__matmul *s) {
    if (!are_computed(n)) return false;
    const vt_gtype *a = &n->inputs[0]->type, *b = &n->inputs[1]->type;
    bool gemm = n->op == VT_G_GEMM;
    *s = (vt__matmul){1, a->dim[a->rank - 2], a->dim[a->rank - 1], b->dim[b->rank - 1],
                      gemm && vt_gattr_int(n, VT_A_TRANS_B)};
    if (s->transposed) s->columns = b->dim[0];
    if (gemm && (vt_gattr_int(n, VT_A_TRANS_A) || vt_gattr_float(n, VT_A_ALPHA) != 1 || vt_ginput_given(n, 2)))
        return false;
    return set_batch(a, b, s);
}

/* The host takes an element of an operand or of the result into other integers in about the time of eight products of
 * its own: decoding one token, whose attention has one product for each element of the cache, gains nothing. */
static bool is_worth(const vt__matmul *s) {
    double each = (double)s->rows * (double)s->inner + (double)s->inner * (double)s->columns +
                  (double)s->rows * (double)s->columns;
    return (double)s->rows * (double)s->inner * (double)s->columns >= WORTH * each;
}

static bool fits(const vt_gnode *n, const vt__matmul *s) {
    return s->inner < COLUMNS_MAX && vt_gtype_count(&n->inputs[0]->type) < PLACES_MAX &&
           vt_gtype_count(&n->inputs[1]->type) < PLACES_MAX && vt_gtype_count(&n->outputs[0]->type) < PLACES_MAX;
}

bool vt__is_matmul(const vt_gnode *n) {
    vt__matmul s;
    return vt__matmul_of(n, &s) && is_worth(&s) && fits(n, &s);
}

const char *vt__why_no_matmul(const vt_gnode *n) {
    vt__matmul s;
    if (!are_computed(n) || vt__is_matmul(n)) return NULL;
    if (!vt__matmul_of(n, &s)) return "a product of two computed matrices of this form is on floats";
    return is_worth(&s)
               ? "its matrices are too large for a product of two computed ones"
               : "it has few products for each element: to move these takes the host as long as to multiply them";
}

/* y * number or y / number, of one positive number. */
bool vt__take_factor(vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    bool divides = n->op == VT_G_DIV;
    if (n->op != VT_G_MUL && !divides) return false;
    const vt_gvalue *constant = n->inputs[n->inputs[0] == c->end];
    if (!constant->data || constant->type.element != VT_ELEMENT_F32 || (divides && n->inputs[1] != constant) ||
        vt_gtype_count(&constant->type) != 1 || !vt_gtype_same_shape(&c->end->type, &n->outputs[0]->type))
        return false;
    double x = vt_gelement_at(constant, 0);
    if (!(x > 0) || !isnormal((float)x)) return false;
    vt__check_constant(q, n, constant);
    *c->scale *= divides ? 1 / x : x;
    return true;
}

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

const vt_gvalue *vt__operand_root(const vt_quantizer *q, const vt_gvalue *v) {
    return q->moved[v->index] ? q->moved[v->index] : v;
}

static vt_gtype type_of(vt_qmatrices m, vt_element element) {
    vt_gtype t;
    vt_gtype_make(element, 3, (int64_t[]){m.count, m.rows, m.columns}, &t);
    return t;
}

vt_qtensor *vt__matrices_of(vt_quantizer *q, const vt_gvalue *v, vt_qform form, vt_qmatrices m, vt_element element,
                            double scale) {
    vt_qtensor *t = vt__tensor_new(q, v, type_of(m, element), scale);
    t->name = vt_new_format(q->ctx, "%s.%s", v->name, form == VT_QFORM_ROWS ? "rows" : "weights");
    t->form = form;
    t->matrices = m;
    return t;
}

/* Places of the elements of matrices among those of matrices of which each is the transpose. */
static int32_t *exchanged(vt_quantizer *q, const int32_t *places, vt_qmatrices m) {
    int32_t *out = VT_NEW_ARRAY(q->ctx, int32_t, (size_t)(m.count * m.rows * m.columns));
    for (int64_t i = 0; i < m.count; i++)
        for (int64_t r = 0; r < m.rows; r++)
            for (int64_t c = 0; c < m.columns; c++)
                out[(i * m.rows + r) * m.columns + c] = places[(i * m.columns + c) * m.rows + r];
    return out;
}

/* From integers by a list of places, from floats by rounding. */
static const vt_qtensor *operand(vt_quantizer *q, const vt_gvalue *v, vt_qform form, vt_qmatrices m, bool transposed) {
    const vt_gvalue *root = vt__operand_root(q, v);
    if (vt__is_whole(q, root)) {
        const vt_qtensor *from = vt__as_integers(q, root);
        vt_qtensor *to = vt__matrices_of(q, v, form, m, VT_ELEMENT_I8, from->scale);
        vt_qlayer *l = vt__layer_new(q, VT_Q_MOVE, v->name, 1, &from, to);
        int32_t *places = vt__places_between(q, root, v);
        l->places = transposed ? exchanged(q, places, m) : places;
        l->node = v->by;
        return to;
    }
    const vt_qtensor *from = vt__as_plain(q, v);
    if (!vt_ranges_seen(q->ranges, v))
        vt_raise(q->ctx, VTA_INVALID_ARGUMENT, "%s has no range: observe it, or give samples to calibrate with",
                 v->name);
    vt_qtensor *to = vt__matrices_of(q, v, form, m, VT_ELEMENT_I8, vt__scale_of(q, v));
    vt__layer_new(q, VT_Q_QUANTIZE, v->name, 1, &from, to)->transposed = transposed;
    return to;
}

/* ---- The layer --------------------------------------------------------------------------------------------------- */

/* sum * m / 2^n, halves up, or all up, for a sum of at most `most`. What the shift in front of the product drops is
 * half a unit on the average, which is added too. */
void vt__matmul_steps(vt_qlayer *l, double factor, double most, bool up) {
    int32_t m, n, before;
    vt__fraction(factor, FACTOR_MAX, &m, &n);
    before = n > SHIFT_MAX ? n - SHIFT_MAX : 0;
    n -= before;
    while (ldexp(most, -before) * m + INT16_MAX >= 0x1p31 && n > 0) before++, n--;
    if (before) vt__step(l, VT_QSTEP_SHIFT, before);
    if (m != 1) vt__step(l, VT_QSTEP_MULTIPLY, m);
    int32_t half = (n ? up ? (1 << n) - 1 : 1 << (n - 1) : 0) + (before && !up ? m / 2 : 0);
    if (half) vt__step(l, VT_QSTEP_ADD, half);
    if (n) vt__step(l, VT_QSTEP_SHIFT, n);
}

/* Bits to shift away so that no sum passes 16. They are far below what rounding the operands has made of the sum (some
 * 30 units of it for each root of a column), so that halves are not added, and nothing is limited: an output of few
 * columns takes no longer for its steps than for its sum. */
static int32_t wide_shift(const vt__matmul *s) {
    int32_t n = 0;
    while (ldexp((double)s->inner, 14 - n) > INT16_MAX) n++;
    return n;
}

static vt_qtensor *result_of(vt_quantizer *q, const vt_gvalue *v, const vt__matmul *s, double scale) {
    vt_element element = q->wide[v->index] ? VT_ELEMENT_I16 : VT_ELEMENT_I8;
    vt_qmatrices m = {s->count, s->rows, s->columns};
    vt_qtensor *y = q->rows[v->index] = vt__matrices_of(q, v, VT_QFORM_ROWS, m, element, scale);
    y->name = v->name;
    y->type = v->type;
    y->type.element = element;
    return y;
}

/* The first operand: what a softmax in front of it has left undivided stands where it is read. */
static const vt_qtensor *first_operand(vt_quantizer *q, const vt_chain *c, const vt__matmul *s, bool *out_shares) {
    const vt_gvalue *v = c->head->inputs[0];
    const vt_chain *maker = q->makers[v->index];
    *out_shares = maker && maker->softmax && maker->end == v;
    if (*out_shares) return q->rows[v->index];
    return operand(q, v, VT_QFORM_ROWS, (vt_qmatrices){s->count, s->rows, s->inner}, false);
}

void vt__add_matmul(vt_quantizer *q, const vt_chain *c) {
    vt__matmul s;
    const vt_gnode *n = c->head;
    bool wide = q->wide[c->end->index], limited = c->leaky || c->least > -INFINITY || c->most < INFINITY, shares;
    vt__matmul_of(n, &s);
    const vt_qtensor *x[2] = {first_operand(q, c, &s, &shares)};
    x[1] = operand(q, n->inputs[1], VT_QFORM_WEIGHTS, (vt_qmatrices){s.count, s.columns, s.inner}, !s.transposed);
    double from = *c->scale * (shares ? ldexp(1, -VT_QSHARES_BITS) : x[0]->scale) * x[1]->scale;
    if (c->softmax) {
        vt__add_softmax(q, c, &s, x, from);
        return;
    }
    int32_t dropped = shares ? VT_QSHARES_BITS + 8 - 15 : wide_shift(&s);
    double scale = wide ? ldexp(from, dropped) : vt__scale_of(q, c->end);
    vt_qlayer *l = vt__layer_new(q, VT_Q_MATMUL, n->name, 2, x, result_of(q, c->end, &s, scale));
    l->node = c->end->by;
    l->shares = shares;
    if (!wide)
        vt__matmul_steps(l, from / scale, shares ? ldexp(129, VT_QSHARES_BITS) : ldexp((double)s.inner, 14), false);
    else if (dropped)
        vt__step(l, VT_QSTEP_SHIFT, dropped);
    if (!wide || limited) vt__add_activation(q, l, c);
}

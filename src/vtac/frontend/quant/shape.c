/* The layers without weights: pooling, sums, activations, what moves elements, and nodes that stay on floats. */
#include <math.h>

#include "frontend/quant/priv.h"

enum { SHIFT_MAX = 15 }; /* half of a step is an immediate of 16 bits */

static vt_qlayer *one_input(vt_quantizer *q, const vt_chain *c) {
    const vt_qtensor *x = vt__as_whole(q, c->head->inputs[0]);
    vt_qlayer *l = vt__layer_new(q, c->kind, c->head->name, 1, &x, vt__result(q, c->end));
    l->node = c->end->by;
    return l;
}

/* ---- Pooling --------------------------------------------------------------------------------------------------- */

static void set_pool_window(vt_qlayer *l, const vt_gnode *n) {
    vt__set_window(l, n);
    vt__pair_of(n, VT_A_KERNEL, l->window.kernel);
}

static void set_whole_window(vt_qlayer *l) {
    int64_t image[4];
    vt_qtensor_image(&l->inputs[0]->type, image);
    l->window = (vt_qwindow){{image[2], image[3]}, {1, 1}, {1, 1}, {0}};
}

/* The sum itself, less the bits that do not fit. */
static void add_wide_mean(vt_quantizer *q, const vt_chain *c, vt_qlayer *l) {
    double count = (double)(l->window.kernel[0] * l->window.kernel[1]);
    int32_t n = 0;
    while (count * q->options.most / ldexp(1, n) > INT16_MAX) n++;
    l->output->scale = ldexp(l->inputs[0]->scale / count, n);
    vt__step(l, VT_QSTEP_MULTIPLY, 1);
    if (n > 0) vt__step(l, VT_QSTEP_ADD, 1 << (n - 1)), vt__step(l, VT_QSTEP_SHIFT, n);
    vt__add_activation(q, l, c);
}

/* sum * m / 2^n, halves up. A scale that nothing else shares is moved so that m is exact. Half of a step has to fit an
 * immediate of 16 bits: what is beyond (windows of thousands) is shifted away before, far below a step of the result.
 */
static void add_mean(vt_quantizer *q, const vt_chain *c, vt_qlayer *l) {
    double count = (double)(l->window.kernel[0] * l->window.kernel[1]), from = l->inputs[0]->scale / count;
    int32_t m, n;
    vt__fraction(from / l->output->scale, 127, &m, &n);
    if (m > 1 && ldexp(m, -n) > from / l->output->scale) m--;
    if (m > 0 && !vt__is_tied(q, c->end)) l->output->scale = from / ldexp(m, -n);
    if (n > SHIFT_MAX) vt__step(l, VT_QSTEP_SHIFT, n - SHIFT_MAX), n = SHIFT_MAX;
    vt__step(l, VT_QSTEP_MULTIPLY, m);
    if (n > 0) vt__step(l, VT_QSTEP_ADD, 1 << (n - 1)), vt__step(l, VT_QSTEP_SHIFT, n);
    vt__add_activation(q, l, c);
}

void vt__add_pool(vt_quantizer *q, const vt_chain *c) {
    vt_qlayer *l = one_input(q, c);
    if (c->head->op == VT_G_REDUCE_MEAN)
        set_whole_window(l);
    else
        set_pool_window(l, c->head);
    if (c->kind == VT_Q_SUM_POOL && q->wide[c->end->index])
        add_wide_mean(q, c, l);
    else if (c->kind == VT_Q_SUM_POOL)
        add_mean(q, c, l);
}

/* ---- Sums and activations -------------------------------------------------------------------------------------- */

/* a * ma / 2^n + b * mb / 2^n, halves up. */
static void add_sum(vt_quantizer *q, const vt_chain *c, vt_qlayer *l) {
    const vt_qtensor *a = l->inputs[0], *b = vt__as_whole(q, c->other);
    double fa = a->scale / l->output->scale, fb = b->scale / l->output->scale;
    int32_t m, n;
    vt__fraction(fmax(fa, fb), 127, &m, &n);
    vt__step(l, VT_QSTEP_MULTIPLY, (int32_t)nearbyint(fmin(ldexp(fa, n), 127)));
    vt__step(l, VT_QSTEP_RESIDUAL, (int32_t)nearbyint(fmin(ldexp(fb, n), 127)));
    l->steps[l->step_count - 1].tensor = b;
    if (n > 0) vt__step(l, VT_QSTEP_ADD, 1 << (n - 1)), vt__step(l, VT_QSTEP_SHIFT, n);
}

void vt__add_map(vt_quantizer *q, const vt_chain *c) {
    if (c->other) vt__as_whole(q, c->other); /* before the layer that reads it */
    vt_qlayer *l = one_input(q, c);
    if (c->other) add_sum(q, c, l);
    vt__add_activation(q, l, c);
}

/* The scale of the result is moved so that what products are multiplied by is exact, unless something shares it. */
void vt__add_mul(vt_quantizer *q, const vt_chain *c) {
    const vt_gnode *n = c->head;
    bool swapped = vt_gtype_count(&n->inputs[0]->type) < vt_gtype_count(&n->inputs[1]->type);
    const vt_qtensor *x[2] = {vt__as_whole(q, n->inputs[swapped]), vt__as_whole(q, n->inputs[!swapped])};
    vt_qlayer *l = vt__layer_new(q, VT_Q_MUL, n->name, 2, x, vt__result(q, c->end));
    l->node = c->end->by;
    double from = x[0]->scale * x[1]->scale;
    int32_t m, shift;
    vt__fraction(from / l->output->scale, INT16_MAX, &m, &shift);
    if (shift > SHIFT_MAX) {
        shift = SHIFT_MAX;
        m = (int32_t)fmax(nearbyint(ldexp(from / l->output->scale, shift)), 1);
    }
    if (!vt__is_tied(q, c->end)) l->output->scale = from / ldexp(m, -shift);
    vt__step(l, VT_QSTEP_MULTIPLY, m);
    if (shift > 0) vt__step(l, VT_QSTEP_ADD, 1 << (shift - 1)), vt__step(l, VT_QSTEP_SHIFT, shift);
    vt__add_activation(q, l, c);
}

/* ---- What moves elements --------------------------------------------------------------------------------------- */

static void add_concat(vt_quantizer *q, const vt_chain *c) {
    const vt_qtensor **inputs = VT_NEW_ARRAY(q->ctx, const vt_qtensor *, c->head->input_count);
    for (uint32_t i = 0; i < c->head->input_count; i++) inputs[i] = vt__as_whole(q, c->head->inputs[i]);
    vt_qlayer *l = vt__layer_new(q, c->kind, c->head->name, c->head->input_count, inputs, vt__result(q, c->end));
    l->axis = vt_gattr_int(c->head, VT_A_AXIS);
    l->node = c->head;
}

void vt__add_moved(vt_quantizer *q, const vt_chain *c) {
    if (c->kind == VT_Q_CONCAT) {
        add_concat(q, c);
        return;
    }
    vt_qlayer *l = one_input(q, c);
    int64_t from[4], to[4];
    vt_qtensor_image(&l->inputs[0]->type, from);
    vt_qtensor_image(&l->output->type, to);
    if (q->wide[c->end->index]) l->output->scale = l->inputs[0]->scale;
    if (c->kind == VT_Q_UPSAMPLE)
        for (int i = 0; i < 2; i++) l->scale[i] = to[2 + i] / from[2 + i];
}

void vt__add_float(vt_quantizer *q, const vt_chain *c) {
    const vt_gnode *n = c->head;
    const vt_qtensor **inputs = VT_NEW_ARRAY(q->ctx, const vt_qtensor *, n->input_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] && !n->inputs[i]->data) inputs[count++] = vt__as_plain(q, n->inputs[i]);
    if (n->output_count != 1)
        vt_raise(q->ctx, VTA_UNSUPPORTED, "node %s (%s): an operator of several results can not be compiled", n->name,
                 vt_gop_text(n->op));
    const vt_gvalue *y = n->outputs[0];
    q->plain[y->index] = vt__tensor_new(q, y, y->type, 0);
    vt_qlayer *l = vt__layer_new(q, VT_Q_FLOAT, n->name, count, inputs, q->plain[y->index]);
    l->node = n;
    l->why = vt__why_no_matmul(n);
}

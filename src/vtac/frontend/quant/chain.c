/* Which nodes become one layer, and of which kind. */
#include <math.h>

#include "frontend/quant/function.h"
#include "frontend/quant/matmul.h"
#include "frontend/quant/norm.h"

/* ---- What a node can be ---------------------------------------------------------------------------------------- */

static bool is_image(const vt_gtype *t) { return t->element == VT_ELEMENT_F32 && (t->rank == 3 || t->rank == 4); }

static bool is_conv(const vt_gnode *n) {
    bool constant = vt_gvalue_is_constant(n->inputs[1]) && (n->input_count < 3 || vt_gvalue_is_constant(n->inputs[2]));
    return constant && is_image(&n->inputs[0]->type);
}

/* In one group, without dilation, with the padding of the result at its end that a stride can leave open. */
static bool is_conv_transpose(const vt_gnode *n) {
    const vt_gattr *dilations = vt_gattr_of(n, VT_A_DILATIONS), *more = vt_gattr_of(n, VT_A_OUTPUT_PADS);
    const int64_t *strides = vt_gattr_ints(n, VT_A_STRIDES);
    for (uint32_t i = 0; i < dilations->count; i++)
        if (dilations->ints[i] != 1 || more->ints[i] >= strides[i]) return false;
    return is_conv(n) && vt_gattr_int(n, VT_A_GROUP) == 1;
}

static bool is_dense(const vt_gnode *n) {
    if (!vt_gvalue_is_constant(n->inputs[1]) || vt_gvalue_is_constant(n->inputs[0])) return false;
    if (n->inputs[0]->type.rank != 2 || n->inputs[1]->type.rank != 2) return false;
    if (n->op == VT_G_MAT_MUL) return true;
    return !vt_gattr_int(n, VT_A_TRANS_A) && (n->input_count < 3 || vt_gvalue_is_constant(n->inputs[2]));
}

static bool has_pads(const vt_gnode *n) {
    const vt_gattr *pads = vt_gattr_of(n, VT_A_PADS);
    for (uint32_t i = 0; i < pads->count; i++)
        if (pads->ints[i]) return true;
    return false;
}

/* The mean of rows and columns. */
static bool is_global_mean(const vt_gnode *n) {
    const vt_gattr *axes = vt_gattr_of(n, VT_A_AXES);
    uint32_t rank = n->inputs[0]->type.rank;
    if (axes->count != rank - 2) return false;
    for (uint32_t i = 0; i < axes->count; i++)
        if (axes->ints[i] < 2) return false;
    return true;
}

/* Rows and columns repeated. */
static bool is_repeated(const vt_gnode *n) {
    const vt_gtype *in = &n->inputs[0]->type, *out = &n->outputs[0]->type;
    return vt_gresize_repeats(n) && in->dim[0] == out->dim[0] && in->dim[1] == out->dim[1];
}

static bool is_leaky(const vt_gnode *n) {
    int power;
    double alpha = vt_gattr_float(n, VT_A_ALPHA);
    return alpha > 0 && alpha < 1 && frexp(alpha, &power) == 0.5 && power > -31;
}

static bool is_limit(const vt_gnode *n) { return n->op == VT_G_RELU || n->op == VT_G_CLIP; }

bool vt__is_activation(const vt_gnode *n) { return is_limit(n) || (n->op == VT_G_LEAKY_RELU && is_leaky(n)); }

/* Of two values that layers compute: a constant has no integers of its own. */
static bool is_sum(const vt_gnode *n) {
    return n->op == VT_G_ADD && n->outputs[0]->type.rank >= 2 && !n->inputs[0]->data && !n->inputs[1]->data &&
           vt_gtype_same_shape(&n->inputs[0]->type, &n->inputs[1]->type);
}

/* Other sums stay floats: the residual stream of a transformer, which normalizations read, would lose in every layer
 * what rounding it to 8 bits takes away. */
static bool is_whole_sum(const vt_quantizer *q, const vt_gnode *n) {
    return is_sum(n) && q->leads_on[n->outputs[0]->index];
}

/* One that moves integers makes them have 8 bits. */
static bool is_whole_reshape(const vt_quantizer *q, const vt_gnode *n) {
    const vt_gvalue *x = n->inputs[0], *y = n->outputs[0];
    vt_qkind made_by = q->makers[x->index]->kind;
    if (made_by == VT_Q_MATMUL) return false; /* no image: others move it */
    if (q->useful[y->index] || vt_qtensor_same_image(&x->type, &y->type)) return true;
    return made_by != VT_Q_DENSE && !vt__may_be_wide(q, x);
}

/* Of two tensors that layers compute, of one shape, or one with a number for each channel of an image; not where its
 * result is an operand in parts, which the host makes of floats. */
static bool is_product_of_two(const vt_quantizer *q, const vt_gnode *n) {
    const vt_gvalue *a = n->inputs[0], *b = n->inputs[1];
    if (q->options.choices && q->options.choices[n->outputs[0]->index].parts) return false;
    if (!vt__is_whole(q, a) || !vt__is_whole(q, b) || !q->useful[n->outputs[0]->index]) return false;
    const vt_gtype *x = &a->type, *y = &b->type;
    if (vt_gtype_same_shape(x, y)) return x->rank >= 2;
    if (vt_gtype_count(x) < vt_gtype_count(y)) x = &b->type, y = &a->type;
    return x->rank == y->rank && is_image(x) && x->dim[0] == y->dim[0] && x->dim[1] == y->dim[1] &&
           vt_gtype_span(y, 2, y->rank) == 1;
}

enum { MAX_AXES = 4 }; /* of integers: N, C, H, W (vt_qtensor_image) */

/* Has it integers for all that it reads and gives? */
static bool has_images(const vt_gnode *n) {
    const vt_gvalue *x = n->input_count ? n->inputs[0] : NULL;
    return x && n->output_count == 1 && x->type.element == VT_ELEMENT_F32 && vt_gtype_count(&n->outputs[0]->type) > 0 &&
           x->type.rank <= MAX_AXES && n->outputs[0]->type.rank <= MAX_AXES;
}

vt_qkind vt__product_kind(const vt_gnode *n) {
    if (!has_images(n)) return VT_Q_FLOAT;
    switch ((int)n->op) {
    case VT_G_CONV: return is_conv(n) ? VT_Q_CONV : VT_Q_FLOAT;
    case VT_G_CONV_TRANSPOSE: return is_conv_transpose(n) ? VT_Q_CONV_TRANSPOSE : VT_Q_FLOAT;
    case VT_G_GEMM:
    case VT_G_MAT_MUL: return is_dense(n) ? VT_Q_DENSE : VT_Q_FLOAT;
    default: return VT_Q_FLOAT;
    }
}

/* The node that alone reads the value; NULL when there are several, or an output does. */
static const vt_gnode *only_reader(const vt_quantizer *q, const vt_gvalue *v) {
    return q->uses[v->index] == 1 ? q->reader[v->index] : NULL;
}

/* Is the value an operand of a product, and of nothing else. */
static bool is_operand(const vt_quantizer *q, const vt_gvalue *v) {
    const vt_gnode *reader = only_reader(q, v);
    return reader && reader->inputs[0] == v && vt__product_kind(reader) != VT_Q_FLOAT;
}

/* On integers if the inputs are, or may as well be. FLOAT: it has no such form. A mean of floats stays one of floats:
 * rounding its terms to 8 bits costs as much time as summing them does, and what reads it (a normalization, say) may
 * divide by a result that is smaller than a step of theirs. */
static vt_qkind kind_of(const vt_quantizer *q, const vt_gnode *n) {
    if (vt__is_matmul(n)) return VT_Q_MATMUL;
    if (!has_images(n) || vt__reads_stream(q, n)) return VT_Q_FLOAT;
    const vt_gvalue *x = n->inputs[0];
    bool whole = vt__is_whole(q, x), image = is_image(&x->type);
    switch ((int)n->op) {
    case VT_G_CONV:
    case VT_G_CONV_TRANSPOSE:
    case VT_G_GEMM:
    case VT_G_MAT_MUL: return vt__product_kind(n);
    case VT_G_MAX_POOL: /* for a product: the largest of rounded numbers is the largest, rounded */
        if (vt_gvalue_is_constant(x) || (x->by && !whole && !is_operand(q, n->outputs[0]))) return VT_Q_FLOAT;
        return image ? VT_Q_MAX_POOL : VT_Q_FLOAT;
    case VT_G_AVERAGE_POOL:
        return whole && image && (!has_pads(n) || vt_gattr_int(n, VT_A_COUNT_PADS)) ? VT_Q_SUM_POOL : VT_Q_FLOAT;
    case VT_G_REDUCE_MEAN: return whole && image && is_global_mean(n) ? VT_Q_SUM_POOL : VT_Q_FLOAT;
    case VT_G_ADD: return is_whole_sum(q, n) && (whole || vt__is_whole(q, n->inputs[1])) ? VT_Q_MAP : VT_Q_FLOAT;
    case VT_G_MUL: return is_product_of_two(q, n) ? VT_Q_MUL : VT_Q_FLOAT;
    case VT_G_RELU:
    case VT_G_CLIP:
    case VT_G_LEAKY_RELU: return whole && vt__is_activation(n) ? VT_Q_MAP : VT_Q_FLOAT;
    case VT_G_CONCAT:
        for (uint32_t i = 0; i < n->input_count; i++)
            if (!vt__is_whole(q, n->inputs[i])) return VT_Q_FLOAT;
        return VT_Q_CONCAT;
    case VT_G_RESIZE: return whole && image && is_repeated(n) ? VT_Q_UPSAMPLE : VT_Q_FLOAT;
    case VT_G_RESHAPE: return whole && is_whole_reshape(q, n) ? VT_Q_RESHAPE : VT_Q_FLOAT;
    default: return VT_Q_FLOAT;
    }
}

/* ---- What follows ---------------------------------------------------------------------------------------------- */

static const vt_gvalue *other_input(const vt_gnode *n, const vt_gvalue *v) {
    return n->inputs[0] == v ? n->inputs[1] : n->inputs[0];
}

/* Has a layer before this one computed it? */
static bool is_there(vt_quantizer *q, const vt_gvalue *v) {
    vt__settle_function(q, v);
    return !v->data && (vt__is_whole(q, v) || !v->by);
}

/* y * number, y + number, per channel: into the weights and the bias. */
static bool take_constant(vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    const vt_gtype *t = &c->end->type;
    if ((n->op != VT_G_ADD && n->op != VT_G_MUL) || c->other) return false;
    double *numbers = vt__channel_numbers(q->ctx, other_input(n, c->end), t);
    if (!numbers || !vt_gtype_same_shape(t, &n->outputs[0]->type)) return false;
    vt__check_constant(q, n, other_input(n, c->end));
    for (int64_t i = 0; i < t->dim[1]; i++)
        if (n->op == VT_G_ADD)
            c->offset[i] += numbers[i];
        else
            c->scale[i] *= numbers[i], c->offset[i] *= numbers[i];
    return true;
}

static bool is_limited(const vt_chain *c) { return c->least > -INFINITY || c->most < INFINITY; }

static double between(double x, double least, double most) { return fmin(fmax(x, least), most); }

/* Relu and Clip, any number of them; LeakyRelu before those. */
static bool take_activation(vt_chain *c, const vt_gnode *n) {
    if (is_limit(n)) {
        bool clip = n->op == VT_G_CLIP;
        double least = clip ? vt_gattr_float(n, VT_A_MIN) : 0, most = clip ? vt_gattr_float(n, VT_A_MAX) : INFINITY;
        c->least = between(c->least, least, most);
        c->most = between(c->most, least, most);
        return true;
    }
    if (c->leaky || is_limited(c) || !vt__is_activation(n)) return false;
    c->leaky = n;
    return true;
}

static bool take(vt_quantizer *q, vt_chain *c, const vt_gnode *n) {
    bool product = vt__is_product(c->kind);
    if (c->softmax || c->stream) return false;
    if (product && !c->leaky && !is_limited(c) && vt__take_stream(q, c, n)) return true;
    if (c->kind == VT_Q_MATMUL && !c->leaky && !is_limited(c) && vt__take_softmax(q, c, n)) return true;
    if (product && !c->leaky && !is_limited(c) && take_constant(q, c, n)) return true;
    if (c->kind == VT_Q_MATMUL && !c->leaky && !is_limited(c) && vt__take_factor(q, c, n)) return true;
    if (product && !c->leaky && !c->other && is_whole_sum(q, n) && n->inputs[0] != n->inputs[1] &&
        is_there(q, other_input(n, c->end))) {
        c->other = other_input(n, c->end);
        c->floor = c->least, c->ceiling = c->most;
        c->least = -INFINITY, c->most = INFINITY;
        return true;
    }
    return take_activation(c, n);
}

static void begin(vt_quantizer *q, vt_chain *c) {
    const vt_gnode *n = c->head;
    if (vt__is_product(c->kind)) {
        size_t channels = (size_t)c->end->type.dim[1];
        c->scale = VT_NEW_ARRAY(q->ctx, double, channels);
        c->offset = VT_NEW_ARRAY(q->ctx, double, channels);
        for (size_t i = 0; i < channels; i++) c->scale[i] = 1;
    }
    if (c->kind == VT_Q_MATMUL) *(c->scale = VT_NEW(q->ctx, double)) = 1;
    if (n->op == VT_G_ADD) c->other = n->inputs[1];
    take_activation(c, n);
}

static void follow(vt_quantizer *q, vt_chain *c) {
    const vt_gnode *n;
    while ((n = only_reader(q, c->end)) && n->output_count == 1 && take(q, c, n)) {
        if (!c->stream) c->end = n->outputs[0];
        q->taken[n->index] = true;
    }
}

bool vt__is_whole(const vt_quantizer *q, const vt_gvalue *v) {
    const vt_chain *c = q->makers[v->index];
    return c && c->kind != VT_Q_FLOAT && !c->plain;
}

void vt__start_chain(vt_quantizer *q, const vt_gnode *n) {
    vt_chain *c = VT_NEW(q->ctx, vt_chain);
    c->head = n;
    c->end = n->output_count ? n->outputs[0] : NULL;
    c->kind = kind_of(q, n);
    c->least = c->floor = -INFINITY;
    c->most = c->ceiling = INFINITY;
    q->chains[n->index] = c;
    if (c->kind == VT_Q_FLOAT) return;
    begin(q, c);
    if (vt__is_product(c->kind) || c->kind == VT_Q_MATMUL || c->kind == VT_Q_MAP || c->kind == VT_Q_MUL ||
        c->kind == VT_Q_SUM_POOL)
        follow(q, c);
    q->makers[c->end->index] = c;
}

/* What moves elements waits for what reads them, and so does a function of them. */
static bool is_deferred(vt_quantizer *q, const vt_gnode *n) {
    if (n->input_count > 0 && n->inputs[0] && vt__may_move(n)) {
        vt__settle_function(q, n->inputs[0]);
        if (vt__is_move(q, n)) {
            vt__defer_move(q, n);
            return true;
        }
    }
    for (uint32_t k = 0; k < n->input_count; k++)
        if (n->inputs[k] && !vt__is_matmul(n)) vt__settle_move(q, n->inputs[k]);
    return vt__defer_function(q, n);
}

void vt__find_chains(vt_quantizer *q) {
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_gnode *n = q->g->nodes[i];
        if (q->taken[i] || vt__start_norm(q, n) || is_deferred(q, n)) continue;
        for (uint32_t k = 0; k < n->input_count; k++)
            if (n->inputs[k]) vt__settle_function(q, n->inputs[k]);
        vt__start_chain(q, n);
    }
    for (uint32_t i = 0; i < q->g->outputs.count; i++) {
        vt__settle_move(q, q->g->outputs.item[i]);
        vt__settle_function(q, q->g->outputs.item[i]);
    }
}

/* Operators of many forms, as those that the layers of a network have: products of two matrices and nothing else, rows
 * of numbers that lie together. */
#include "frontend/pass/decompose.h"

/* ---- Making nodes ---------------------------------------------------------------------------------------------- */

vt_gvalue *vt__decompose_make(vt_rewrite *r, const vt_gnode *n, bool last, vt_gop op, uint32_t input_count,
                              vt_gvalue *const *inputs, uint32_t attribute_count, const vt_gattr *attributes) {
    const char *name = n->outputs[0]->name;
    if (!last) name = vt_new_format(r->to->ctx, "%s.%s", name, vt_gop_text(op));
    vt_gnode_spec spec = {op, n->name, &name, input_count, attribute_count, inputs, attributes};
    return vt_graph_add(r->to, &spec)->outputs[0];
}

static vt_gvalue *reshaped(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, uint32_t rank,
                           const int64_t *dims) {
    const vt_gattr shape[] = {VT_GSET_INTS(SHAPE, rank, dims)};
    return vt__decompose_make(r, n, last, VT_G_RESHAPE, 1, &x, 1, shape);
}

/* The two axes exchanged. */
static vt_gvalue *exchanged(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, uint32_t a, uint32_t b) {
    int64_t order[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) order[i] = i;
    order[a] = b, order[b] = a;
    const vt_gattr perm[] = {VT_GSET_INTS(PERM, x->type.rank, order)};
    return vt__decompose_make(r, n, last, VT_G_TRANSPOSE, 1, &x, 1, perm);
}

static vt_gvalue *times(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, double number) {
    vt_gvalue *inputs[] = {x, vt_graph_scalar(r->to, vt_new_format(r->to->ctx, "%s.factor", n->name), (float)number)};
    return vt__decompose_make(r, n, last, VT_G_MUL, 2, inputs, 0, NULL);
}

/* ---- Gemm ------------------------------------------------------------------------------------------------------ */

/* One row, or one number, known now. */
static bool is_bias(const vt_gvalue *c, int64_t columns) {
    int64_t count = vt_gtype_count(&c->type);
    return c->data && (count == 1 || (c->type.rank && c->type.dim[c->type.rank - 1] == columns && count == columns));
}

/* a * b and a row of constants; of a matrix b that is computed the same without factors. */
static bool is_plain(const vt_gnode *n) {
    bool third = vt_ginput_given(n, 2), constant = n->inputs[1]->data != NULL;
    int64_t columns = n->outputs[0]->type.dim[1];
    if (vt_gattr_int(n, VT_A_TRANS_A) || (third && !is_bias(n->inputs[2], columns))) return false;
    if (constant) return true;
    return vt_gattr_float(n, VT_A_ALPHA) == 1 &&
           (!third || (vt_gattr_float(n, VT_A_BETA) == 1 && vt_gtype_count(&n->inputs[2]->type) == columns));
}

/* The third operand is added; factors are products by themselves. */
static vt_gvalue *plain_gemm(vt_rewrite *r, const vt_gnode *n) {
    const vt_gattr attributes[] = {VT_GSET_INT(TRANS_B, vt_gattr_int(n, VT_A_TRANS_B))};
    vt_gvalue *in[] = {vt_rewrite_of(r, n->inputs[0]), vt_rewrite_of(r, n->inputs[1])}, *sum[2];
    double alpha = vt_gattr_float(n, VT_A_ALPHA), beta = vt_gattr_float(n, VT_A_BETA);
    bool third = vt_ginput_given(n, 2), factor = alpha != 1;
    if (vt_gattr_int(n, VT_A_TRANS_A)) in[0] = exchanged(r, n, false, in[0], 0, 1);
    sum[0] = vt__decompose_make(r, n, !third && !factor, VT_G_GEMM, 2, in, 1, attributes);
    if (factor) sum[0] = times(r, n, !third, sum[0], alpha);
    if (!third) return sum[0];
    sum[1] = vt_rewrite_of(r, n->inputs[2]);
    if (beta != 1) sum[1] = times(r, n, false, sum[1], beta);
    return vt__decompose_make(r, n, true, VT_G_ADD, 2, sum, 0, NULL);
}

/* ---- Matrix products of more than two axes --------------------------------------------------------------------- */

/* All rows go through one matrix of weights: they are rows of one product. */
static bool is_of_rows(const vt_gnode *n) {
    return n->op == VT_G_MAT_MUL && n->inputs[0]->type.rank > 2 && n->inputs[1]->type.rank == 2 && n->inputs[1]->data &&
           !n->inputs[0]->data && vt_gtype_count(&n->outputs[0]->type);
}

/* What an Add adds to such a product that nothing else reads: one number a column; NULL: it is another Add. */
static const vt_gvalue *bias_of_rows(const vt_gnode *add, const uint32_t *uses, const vt_gnode **out_product) {
    if (add->op != VT_G_ADD) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const vt_gvalue *x = add->inputs[i], *bias = add->inputs[!i];
        if (!x->by || !is_of_rows(x->by) || uses[x->index] != 1) continue;
        *out_product = x->by;
        int64_t columns = x->type.dim[x->type.rank - 1];
        if (is_bias(bias, columns) && vt_gtype_count(&bias->type) == columns && bias->type.rank <= x->type.rank)
            return bias;
    }
    return NULL;
}

/* In the place of `n`: the product itself, or its sum with a bias. */
static vt_gvalue *product_of_rows(vt_rewrite *r, const vt_gnode *n, const vt_gnode *product, const vt_gvalue *bias) {
    const vt_gtype *y = &n->outputs[0]->type, *w = &product->inputs[1]->type;
    int64_t rows[] = {vt_gtype_span(y, 0, y->rank - 1), w->dim[0]};
    vt_gvalue *in[3] = {reshaped(r, product, false, vt_rewrite_of(r, product->inputs[0]), 2, rows),
                        vt_rewrite_of(r, product->inputs[1])};
    if (bias) in[2] = vt_graph_constant(r->to, bias->name, (vt_gtype){VT_ELEMENT_F32, 1, {w->dim[1]}}, bias->data);
    vt_gvalue *sums = vt__decompose_make(r, product, false, bias ? VT_G_GEMM : VT_G_MAT_MUL, bias ? 3 : 2, in, 0, NULL);
    return reshaped(r, n, true, sums, y->rank, y->dim);
}

/* ---- Softmax --------------------------------------------------------------------------------------------------- */

static bool is_softmax_across(const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    return (n->op == VT_G_SOFTMAX || n->op == VT_G_LOG_SOFTMAX) &&
           vt_gtype_span(x, (uint32_t)vt_gattr_int(n, VT_A_AXIS) + 1, x->rank) > 1;
}

/* Along the last axis. */
static vt_gvalue *softmax_along(vt_rewrite *r, const vt_gnode *n) {
    uint32_t axis = (uint32_t)vt_gattr_int(n, VT_A_AXIS), last = n->inputs[0]->type.rank - 1;
    const vt_gattr along[] = {VT_GSET_INT(AXIS, last)};
    vt_gvalue *x = exchanged(r, n, false, vt_rewrite_of(r, n->inputs[0]), axis, last);
    return exchanged(r, n, true, vt__decompose_make(r, n, false, n->op, 1, &x, 1, along), axis, last);
}

/* ---- The pass -------------------------------------------------------------------------------------------------- */

/* What stands for the node; NULL: the node itself. */
static vt_gvalue *decomposed(vt_rewrite *r, const vt_gnode *n, const uint32_t *uses) {
    const vt_gnode *product = NULL;
    const vt_gvalue *bias = bias_of_rows(n, uses, &product);
    if (bias) return product_of_rows(r, n, product, bias);
    if (n->op == VT_G_GEMM && !is_plain(n)) return plain_gemm(r, n);
    if (is_of_rows(n)) return product_of_rows(r, n, n, NULL);
    if (n->op == VT_G_REDUCE_PROD) return vt__decompose_reduce_prod(r, n);
    return is_softmax_across(n) ? softmax_along(r, n) : NULL;
}

/* A product whose sum with a bias stands for both. */
static void find_taken(const vt_graph *g, const uint32_t *uses, bool *taken) {
    for (uint32_t i = 0; i < g->node_count; i++) {
        const vt_gnode *product;
        if (bias_of_rows(g->nodes[i], uses, &product)) taken[product->index] = true;
    }
}

const vt_graph *vt_graph_pass_decompose(const vt_graph *g) {
    const uint32_t *uses = vt_graph_uses(g);
    bool *taken = VT_NEW_ARRAY(g->ctx, bool, g->node_count);
    vt_rewrite r = vt_rewrite_begin(g);
    find_taken(g, uses, taken);
    for (uint32_t i = 0; i < g->node_count; i++) {
        if (taken[i] || vt__decompose_dynamic(&r, g->nodes[i])) continue;
        vt_gvalue *now = decomposed(&r, g->nodes[i], uses);
        if (now)
            vt_rewrite_replace(&r, g->nodes[i]->outputs[0], now);
        else
            vt_rewrite_keep(&r, g->nodes[i]);
    }
    return vt_rewrite_end(&r);
}

/* DynamicQuantizeLinear, whose three results are those of simpler operators: the range of x with 0 in it, a step of
 * it, and x in such steps. The numbers are the evaluator's, to the bit. */
#include "frontend/pass/decompose.h"

static vt_gvalue *number(vt_rewrite *r, const vt_gnode *n, double x) {
    return vt_graph_scalar(r->to, vt_new_format(r->to->ctx, "%s.number", n->name), (float)x);
}

static vt_gvalue *two(vt_rewrite *r, const vt_gnode *n, vt_gop op, vt_gvalue *a, vt_gvalue *b) {
    return vt__decompose_make(r, n, false, op, 2, (vt_gvalue *[]){a, b}, 0, NULL);
}

/* The smallest or the largest element, or 0. */
static vt_gvalue *end_of(vt_rewrite *r, const vt_gnode *n, vt_gvalue *x, bool largest) {
    int64_t all[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) all[i] = i;
    const vt_gattr set[] = {VT_GSET_INTS(AXES, x->type.rank, all), VT_GSET_INT(KEEPDIMS, 0)};
    if (x->type.rank) x = vt__decompose_make(r, n, false, largest ? VT_G_REDUCE_MAX : VT_G_REDUCE_MIN, 1, &x, 2, set);
    return two(r, n, largest ? VT_G_MAX : VT_G_MIN, x, number(r, n, 0));
}

/* A node that gives result `i` of n. */
static void result(vt_rewrite *r, const vt_gnode *n, uint32_t i, vt_gop op, uint32_t input_count,
                   vt_gvalue *const *inputs) {
    vt_gnode_spec spec = {op, n->name, &n->outputs[i]->name, input_count, 0, inputs, NULL};
    vt_rewrite_replace(r, n->outputs[i], vt_graph_add(r->to, &spec)->outputs[0]);
}

bool vt__decompose_dynamic(vt_rewrite *r, const vt_gnode *n) {
    if (n->op != VT_G_DYNAMIC_QUANTIZE_LINEAR || !vt_gtype_count(&n->inputs[0]->type)) return false;
    vt_gvalue *x = vt_rewrite_of(r, n->inputs[0]), *least = end_of(r, n, x, false), *most = end_of(r, n, x, true);
    vt_gvalue *step = two(r, n, VT_G_DIV, two(r, n, VT_G_SUB, most, least), number(r, n, 255));
    vt_gvalue *has = two(r, n, VT_G_GREATER, step, number(r, n, 0)), *one = number(r, n, 1);
    vt_gvalue *by = vt__decompose_make(r, n, false, VT_G_WHERE, 3, (vt_gvalue *[]){has, step, one}, 0, NULL);
    vt_gvalue *below = two(r, n, VT_G_SUB, number(r, n, 0), least);
    result(r, n, 1, VT_G_IDENTITY, 1, &step);
    result(r, n, 2, VT_G_QUANTIZE_LINEAR, 2, (vt_gvalue *[]){below, by});
    result(r, n, 0, VT_G_QUANTIZE_LINEAR, 3, (vt_gvalue *[]){x, by, vt_rewrite_of(r, n->outputs[2])});
    return true;
}

/* What computes each element from one, behind a reshape, does so in front of it: then the reshape meets the next one,
 * and both are one, or nothing. So a function between two products of rows, which are matrices here and have more axes
 * in the model, stands between two matrices. */
#include "frontend/pass/pass.h"

/* Of operators whose operands may also be a number. */
static bool is_of_elements(vt_gop op) {
    switch ((int)op) {
    case VT_G_RELU:
    case VT_G_LEAKY_RELU:
    case VT_G_CLIP:
    case VT_G_SIGMOID:
    case VT_G_HARD_SIGMOID:
    case VT_G_HARD_SWISH:
    case VT_G_ELU:
    case VT_G_SOFTPLUS:
    case VT_G_TANH:
    case VT_G_ERF:
    case VT_G_EXP:
    case VT_G_LOG:
    case VT_G_SQRT:
    case VT_G_RECIPROCAL:
    case VT_G_ABS:
    case VT_G_NEG:
    case VT_G_ADD:
    case VT_G_SUB:
    case VT_G_MUL:
    case VT_G_DIV:
    case VT_G_MIN:
    case VT_G_MAX:
    case VT_G_POW: return true;
    default: return false;
    }
}

/* What a value of the new graph is a reshape of; NULL: it is none. */
static vt_gvalue *reshaped_from(const vt_gvalue *v) {
    return v->by && v->by->op == VT_G_RESHAPE ? v->by->inputs[0] : NULL;
}

/* The operands in front of their reshapes, all of one shape; false: one of them has no reshape, or another shape. */
static bool take_sources(vt_rewrite *r, const vt_gnode *n, vt_gvalue **out) {
    const vt_gvalue *first = NULL;
    for (uint32_t i = 0; i < n->input_count; i++) {
        if (!n->inputs[i]) return false;
        vt_gvalue *v = vt_rewrite_of(r, n->inputs[i]), *from = reshaped_from(v);
        out[i] = v->data ? v : from;
        if (v->data) continue;
        if (!from || (first && !vt_gtype_equal(&first->type, &from->type)) ||
            !vt_gtype_same_shape(&v->type, &n->outputs[0]->type))
            return false;
        first = from;
    }
    for (uint32_t i = 0; first && i < n->input_count; i++)
        if (out[i]->data && (vt_gtype_count(&out[i]->type) != 1 || out[i]->type.rank > first->type.rank)) return false;
    return first;
}

static vt_gvalue *reshaped(vt_rewrite *r, const char *node, const char *name, vt_gvalue *x, const vt_gtype *to) {
    const vt_gattr shape[] = {VT_GSET_INTS(SHAPE, to->rank, to->dim)};
    if (vt_gtype_same_shape(&x->type, to)) return x;
    vt_gnode_spec spec = {VT_G_RESHAPE, node, &name, 1, 1, &x, shape};
    return vt_graph_add(r->to, &spec)->outputs[0];
}

static bool is_output(const vt_graph *g, const vt_gvalue *v) {
    for (uint32_t i = 0; i < g->outputs.count; i++)
        if (g->outputs.item[i] == v) return true;
    return false;
}

/* The node, of what is in front of the reshapes, and a reshape of its result. Outputs keep their names; else the first
 * has it, since the second mostly goes. */
static bool sink(vt_rewrite *r, const vt_gnode *n) {
    if (!is_of_elements(n->op) || n->output_count != 1 || n->outputs[0]->type.element != VT_ELEMENT_F32) return false;
    vt_gvalue **in = VT_NEW_ARRAY(r->to->ctx, vt_gvalue *, n->input_count);
    if (!take_sources(r, n, in)) return false;
    const char *own = n->outputs[0]->name, *other = vt_new_format(r->to->ctx, "%s.%s", own, vt_gop_text(VT_G_RESHAPE));
    bool last = is_output(r->from, n->outputs[0]);
    const char *name = last ? other : own;
    vt_gnode_spec spec = {n->op, n->name, &name, n->input_count, n->attribute_count, in, n->attributes};
    vt_gvalue *y = vt_graph_add(r->to, &spec)->outputs[0];
    vt_rewrite_replace(r, n->outputs[0], reshaped(r, n->name, last ? own : other, y, &n->outputs[0]->type));
    return true;
}

/* Two reshapes are one. */
static bool join(vt_rewrite *r, const vt_gnode *n) {
    vt_gvalue *from = n->op == VT_G_RESHAPE ? reshaped_from(vt_rewrite_of(r, n->inputs[0])) : NULL;
    bool same = from && vt_gtype_same_shape(&from->type, &n->outputs[0]->type);
    if (!from || (same && is_output(r->from, n->outputs[0]))) return false;
    vt_rewrite_replace(r, n->outputs[0], reshaped(r, n->name, n->outputs[0]->name, from, &n->outputs[0]->type));
    return true;
}

const vt_graph *vt_graph_pass_sink_reshapes(const vt_graph *g) {
    vt_rewrite r = vt_rewrite_begin(g);
    for (uint32_t i = 0; i < g->node_count; i++)
        if (!join(&r, g->nodes[i]) && !sink(&r, g->nodes[i])) vt_rewrite_keep(&r, g->nodes[i]);
    return vt_rewrite_end(&r);
}

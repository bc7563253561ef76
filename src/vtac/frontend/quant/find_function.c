/* Where functions of one integer begin and end. A node whose operands are all functions of the same tensor, or
 * constants, waits: whether its result is needed shows when something else reads it. */
#include "frontend/quant/function.h"

/* ---- Of which tensor ------------------------------------------------------------------------------------------- */

/* The tensor that the operand is, or is a function of; NULL: it is on floats. */
static const vt_gvalue *root_of(const vt_quantizer *q, const vt_gvalue *v) {
    if (q->root[v->index]) return q->root[v->index];
    return vt__is_whole(q, v) ? v : NULL;
}

/* Is the node's result a function of the marked values alone, and one that reads them element by element? */
static bool is_function_of(const vt_gnode *n, const bool *marked) {
    if (!vt__function_is_known(n->op) || n->output_count != 1) return false;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (!v || !(v->data || marked[v->index])) return false;
        if (marked[v->index] && !vt_gtype_same_shape(&v->type, &n->outputs[0]->type)) return false;
    }
    return true;
}

bool vt__is_for_tables(const vt_quantizer *q, const vt_gvalue *v) {
    enum { FEW = 4096 };
    if (!v->by || q->options.wide_all || vt_gtype_count(&v->type) <= FEW || !q->useful[v->index]) return false;
    bool *marked = VT_NEW_ARRAY(q->ctx, bool, q->g->values.count + 1), functions = false;
    marked[v->index] = true;
    for (uint32_t i = v->by->index + 1; i < q->g->node_count; i++) {
        const vt_gnode *n = q->g->nodes[i];
        bool reads = false;
        for (uint32_t k = 0; k < n->input_count; k++) reads |= n->inputs[k] && marked[n->inputs[k]->index];
        if (!reads || (vt__product_kind(n) != VT_Q_FLOAT && marked[n->inputs[0]->index])) continue;
        if (!is_function_of(n, marked)) return false;
        marked[n->outputs[0]->index] = functions = true;
    }
    for (uint32_t i = 0; i < q->g->outputs.count; i++)
        if (marked[q->g->outputs.item[i]->index]) return false;
    return functions;
}

bool vt__may_be_wide(const vt_quantizer *q, const vt_gvalue *v) {
    const vt_chain *c = q->makers[v->index];
    while (c && c->kind == VT_Q_RESHAPE) c = q->makers[c->head->inputs[0]->index];
    bool chosen = q->options.wide_all || (q->options.choices && q->options.choices[v->index].wide);
    if (c && c->kind == VT_Q_DENSE && !chosen)
        return vt_gtype_count(&c->head->inputs[1]->type) <= q->options.wide_max && !vt__is_for_tables(q, c->end);
    return c && (c->kind == VT_Q_DENSE || c->kind == VT_Q_MATMUL || c->kind == VT_Q_SUM_POOL ||
                 (c->kind == VT_Q_CONV && chosen));
}

/* A constant that has one number, or one a channel. */
static bool is_number(const vt_quantizer *q, const vt_gvalue *v, const vt_gtype *type) {
    if (v->type.element != VT_ELEMENT_F32 || v->type.rank > type->rank) return false;
    return vt_gtype_count(&v->type) == 1 || vt__channel_numbers(q->ctx, v, type);
}

static bool is_function(const vt_quantizer *q, const vt_gnode *n, const vt_gvalue **out_root) {
    const vt_gvalue *root = NULL;
    if (!vt__function_is_known(n->op) || n->output_count != 1 || n->outputs[0]->type.element != VT_ELEMENT_F32)
        return false;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i], *from = v && !v->data ? root_of(q, v) : NULL;
        if (!v || (!v->data && (!from || (root && root != from)))) return false;
        if (from) root = from;
    }
    if (!root || !vt_gtype_same_shape(&root->type, &n->outputs[0]->type)) return false;
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i]->data && !is_number(q, n->inputs[i], &root->type)) return false;
    *out_root = root;
    return !q->stream[root->index].is && !vt__may_be_wide(q, root); /* a table would be too large */
}

bool vt__defer_function(vt_quantizer *q, const vt_gnode *n) {
    const vt_gvalue *root;
    if (!is_function(q, n, &root)) return false;
    q->root[n->outputs[0]->index] = root;
    return true;
}

/* ---- What is between ------------------------------------------------------------------------------------------- */

static uint32_t collect(const vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *v, const vt_gnode **out,
                        uint32_t count) {
    if (v == from || v->data) return count;
    for (uint32_t i = 0; i < count; i++)
        if (out[i] == v->by) return count;
    for (uint32_t i = 0; i < v->by->input_count; i++) count = collect(q, from, v->by->inputs[i], out, count);
    out[count] = v->by;
    return count + 1;
}

uint32_t vt__function_nodes(const vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *to, const vt_gnode **out) {
    return collect(q, from, to, out, 0);
}

/* ---- Chains ---------------------------------------------------------------------------------------------------- */

static void start_each(vt_quantizer *q, const vt_gnode *const *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!q->chains[nodes[i]->index] && !q->taken[nodes[i]->index]) vt__start_chain(q, nodes[i]);
}

static bool are_activations(const vt_gnode *const *nodes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!vt__is_activation(nodes[i])) return false;
    return true;
}

/* Limits and slopes by powers of two are the accelerator's; floats that nothing rounds again come from a table too, and
 * those that become an operand in parts. */
void vt__settle_function(vt_quantizer *q, const vt_gvalue *v) {
    const vt_gvalue *from = q->root[v->index];
    if (!from || v->data || q->makers[v->index] || q->chains[v->by->index]) return;
    const vt_gnode **nodes = VT_NEW_ARRAY(q->ctx, const vt_gnode *, v->by->index + 1);
    uint32_t count = vt__function_nodes(q, from, v, nodes);
    bool whole = q->useful[v->index];
    if (are_activations(nodes, count) || (whole && !vt_ranges_seen(q->ranges, v))) {
        start_each(q, nodes, count);
        return;
    }
    vt_chain *c = VT_NEW(q->ctx, vt_chain);
    bool in_parts = q->options.choices && q->options.choices[v->index].parts;
    *c = (vt_chain){.head = nodes[0], .end = v, .kind = VT_Q_TABLE, .from = from, .plain = !whole || in_parts};
    q->chains[v->by->index] = q->makers[v->index] = c;
}

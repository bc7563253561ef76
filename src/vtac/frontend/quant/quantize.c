/* From a graph to a quantized network. */
#include "base/spill.h"
#include "frontend/quant/function.h"
#include "frontend/quant/norm.h"

static void prepare(vt_quantizer *q) {
    size_t values = q->g->values.count + 1, nodes = q->g->node_count + 1;
    q->uses = vt_graph_uses(q->g);
    q->reader = VT_NEW_ARRAY(q->ctx, const vt_gnode *, values);
    q->makers = VT_NEW_ARRAY(q->ctx, vt_chain *, values);
    q->same = VT_NEW_ARRAY(q->ctx, uint32_t, values);
    q->root = VT_NEW_ARRAY(q->ctx, const vt_gvalue *, values);
    q->moved = VT_NEW_ARRAY(q->ctx, const vt_gvalue *, values);
    q->wide = VT_NEW_ARRAY(q->ctx, bool, values);
    q->channel = VT_NEW_ARRAY(q->ctx, const double *, values);
    q->by_channel = VT_NEW_ARRAY(q->ctx, bool, values);
    q->whole = VT_NEW_ARRAY(q->ctx, vt_qtensor *, values);
    q->plain = VT_NEW_ARRAY(q->ctx, vt_qtensor *, values);
    q->rows = VT_NEW_ARRAY(q->ctx, vt_qtensor *, values);
    q->chains = VT_NEW_ARRAY(q->ctx, vt_chain *, nodes);
    q->taken = VT_NEW_ARRAY(q->ctx, bool, nodes);
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_gnode *n = q->g->nodes[i];
        for (uint32_t k = 0; k < n->input_count; k++)
            if (n->inputs[k]) q->reader[n->inputs[k]->index] = n;
    }
    for (uint32_t i = 0; i < q->g->outputs.count; i++) q->reader[q->g->outputs.item[i]->index] = NULL;
}

static void add_layer(vt_quantizer *q, vt_chain *c) {
    switch (c->kind) {
    case VT_Q_CONV:
    case VT_Q_CONV_TRANSPOSE:
    case VT_Q_DENSE: vt__add_product(q, c); break;
    case VT_Q_MATMUL: vt__add_matmul(q, c); break;
    case VT_Q_MAX_POOL:
    case VT_Q_SUM_POOL: vt__add_pool(q, c); break;
    case VT_Q_MAP: vt__add_map(q, c); break;
    case VT_Q_MUL: vt__add_mul(q, c); break;
    case VT_Q_TABLE: vt__add_table(q, c); break;
    case VT_Q_MOVE: vt__add_move(q, c); break;
    case VT_Q_NORM: vt__add_norm(q, c); break;
    case VT_Q_CONCAT:
    case VT_Q_UPSAMPLE:
    case VT_Q_RESHAPE: vt__add_moved(q, c); break;
    case VT_Q_FLOAT: vt__add_float(q, c); break;
    case VT_Q_ROW_MAX:
    case VT_Q_QUANTIZE:
    case VT_Q_DEQUANTIZE:
    case VT_QKIND_COUNT: break; /* made where they are needed */
    }
}

/* A constant that the network gives: a copy of it, by a node that the graph has not. */
static const vt_qtensor *add_constant(vt_quantizer *q, vt_gvalue *v) {
    vt_gnode *copy = VT_NEW(q->ctx, vt_gnode);
    vt_gvalue **in = VT_NEW(q->ctx, vt_gvalue *), **out = VT_NEW(q->ctx, vt_gvalue *);
    if (q->plain[v->index]) return q->plain[v->index];
    *in = *out = v;
    *copy = (vt_gnode){.name = v->name, .op = VT_G_IDENTITY, .input_count = 1, .output_count = 1};
    copy->inputs = in;
    copy->outputs = out;
    q->plain[v->index] = vt__tensor_new(q, v, v->type, 0);
    vt__layer_new(q, VT_Q_FLOAT, v->name, 0, NULL, q->plain[v->index])->node = copy;
    return q->plain[v->index];
}

static void add_ends(vt_quantizer *q) {
    vt_qnet *net = q->net;
    net->outputs = VT_NEW_ARRAY(q->ctx, const vt_qtensor *, q->g->outputs.count + 1);
    for (uint32_t i = 0; i < q->g->outputs.count; i++) {
        vt_gvalue *v = q->g->outputs.item[i];
        net->outputs[i] = v->data ? add_constant(q, v) : vt__as_plain(q, v);
    }
}

const vt_qnet *vt_quantize(const vt_graph *g, const vt_ranges *ranges, const vt_quant_options *options) {
    vt_quantizer q = {.ctx = g->ctx, .g = g, .ranges = ranges, .options = *options};
    q.net = VT_NEW(g->ctx, vt_qnet);
    q.net->ctx = g->ctx;
    q.net->graph = g;
    prepare(&q);
    vt__find_useful(&q);
    vt__find_norms(&q);
    vt__find_chains(&q);
    vt__find_wide(&q);
    vt__tie_scales(&q);
    if (q.options.equalize) vt__equalize(&q);
    q.net->inputs = VT_NEW_ARRAY(g->ctx, const vt_qtensor *, g->inputs.count + 1);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const vt_gvalue *v = g->inputs.item[i];
        q.net->inputs[i] = q.plain[v->index] = vt__tensor_new(&q, v, v->type, 0);
    }
    for (uint32_t i = 0; i < g->node_count; i++) {
        vt_poll(g->ctx);
        vt_spill_release(g->read_in);
        if (q.chains[i]) add_layer(&q, q.chains[i]);
    }
    add_ends(&q);
    return q.net;
}

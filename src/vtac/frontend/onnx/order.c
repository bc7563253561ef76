/* The order of nodes. ONNX asks for one in which values are computed before they are used; files do not always have it.
 */
#include "frontend/onnx/priv.h"

typedef struct sorter {
    vt_onnx_reader *r;
    vt_onnx_map makers; /* node by output: a pointer into the list of nodes */
    uint32_t *order, count;
    uint8_t *state; /* of nodes: 0 not seen, 1 on the way, 2 done */
    struct visit {
        uint32_t node;
        size_t input; /* the next one to look at */
    } *stack;
    uint32_t depth;
} sorter;

static void note_outputs(sorter *s, uint32_t i) {
    const Onnx__NodeProto *p = s->r->from->node[i];
    for (size_t k = 0; k < p->n_output; k++) {
        if (!*p->output[k]) continue;
        if (vt__onnx_map_own(&s->r->values, p->output[k]) ||
            !vt__onnx_map_put(s->r->ctx, &s->makers, p->output[k], &s->r->from->node[i]))
            vt__onnx_refuse(s->r, "node %s computes %s, which there is already", vt__onnx_node_name(p), p->output[k]);
    }
}

static void enter(sorter *s, uint32_t node) {
    s->state[node] = 1;
    s->stack[s->depth++] = (struct visit){node, 0};
}

/* Looks at one more input of the node on top of the stack. */
static void look(sorter *s) {
    struct visit *v = &s->stack[s->depth - 1];
    const Onnx__NodeProto *p = s->r->from->node[v->node];
    if (v->input == p->n_input) {
        s->state[v->node] = 2;
        s->order[s->count++] = v->node;
        s->depth--;
        return;
    }
    const char *name = p->input[v->input++];
    Onnx__NodeProto **maker = *name ? vt__onnx_map_get(&s->makers, name) : NULL;
    if (!*name) return;
    if (!maker && (vt__onnx_map_get(&s->r->values, name) || vt__onnx_map_get(&s->r->sequences, name))) return;
    if (!maker)
        vt__onnx_refuse(s->r, "node %s (%s): nothing computes its input %s, and it is no constant",
                        vt__onnx_node_name(p), vt__onnx_name(p->op_type), name);
    uint32_t node = (uint32_t)(maker - s->r->from->node);
    if (s->state[node] == 1)
        vt__onnx_refuse(s->r, "node %s needs its own result: the graph has a cycle through %s", vt__onnx_node_name(p),
                        name);
    if (s->state[node] == 0) enter(s, node);
}

const uint32_t *vt__onnx_order(vt_onnx_reader *r) {
    uint32_t n = (uint32_t)r->from->n_node;
    sorter s = {.r = r, .order = VT_NEW_ARRAY(r->ctx, uint32_t, n), .state = VT_NEW_ARRAY(r->ctx, uint8_t, n)};
    s.stack = VT_NEW_ARRAY(r->ctx, struct visit, n);
    for (uint32_t i = 0; i < n; i++) note_outputs(&s, i);
    for (uint32_t i = 0; i < n; i++) {
        if (s.state[i] == 0) enter(&s, i);
        while (s.depth) look(&s);
    }
    return s.order;
}

/* The rules of a graph, checked anew: for passes, and for who writes them. */
#include "frontend/graph/priv.h"

typedef struct checker {
    const vt_graph *g;
    const char *after;
    bool *computed; /* by value index */
} checker;

static void check(const checker *c, bool holds, const char *what, const char *name) {
    if (!holds) vt_raise(c->g->ctx, VTA_INTERNAL, "graph %s after %s: %s: %s", c->g->name, c->after, name, what);
}

static void check_value(const checker *c, const vt_gvalue *v) {
    check(c, v->index < c->g->values.count && c->g->values.item[v->index] == v, "a value of another graph", v->name);
    check(c, vt_graph_find(c->g, v->name) == v, "two values of that name", v->name);
}

static void check_inputs(const checker *c, const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (!v) continue;
        check_value(c, v);
        check(c, c->computed[v->index], "an input is used before it is computed", n->name);
    }
}

/* Infers once more, into a copy. */
static void check_outputs(const checker *c, const vt_gnode *n) {
    vt_gnode again = *n;
    again.outputs = VT_NEW_ARRAY(c->g->ctx, vt_gvalue *, n->output_count);
    for (uint32_t i = 0; i < n->output_count; i++) again.outputs[i] = VT_NEW(c->g->ctx, vt_gvalue);
    vt__infer(c->g->ctx, &again);
    for (uint32_t i = 0; i < n->output_count; i++) {
        const vt_gvalue *v = n->outputs[i];
        check_value(c, v);
        check(c, v->by == n && v->output == i && !v->data, "an output does not know its node", v->name);
        check(c, vt_gtype_equal(&v->type, &again.outputs[i]->type), "not the type that its operator gives", v->name);
        c->computed[v->index] = true;
    }
}

void vt_graph_verify(const vt_graph *g, const char *after) {
    checker c = {g, after, VT_NEW_ARRAY(g->ctx, bool, g->values.count)};
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const vt_gvalue *v = g->inputs.item[i];
        check_value(&c, v);
        check(&c, !v->by && !v->data, "an input that is computed", v->name);
        c.computed[v->index] = true;
    }
    for (uint32_t i = 0; i < g->values.count; i++)
        if (g->values.item[i]->data) c.computed[i] = true;
    for (uint32_t i = 0; i < g->node_count; i++) {
        check(&c, g->nodes[i]->index == i, "a node does not know its place", g->nodes[i]->name);
        check_inputs(&c, g->nodes[i]);
        check_outputs(&c, g->nodes[i]);
    }
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        check_value(&c, g->outputs.item[i]);
        check(&c, c.computed[g->outputs.item[i]->index], "an output that nothing computes", g->outputs.item[i]->name);
    }
}

/* Building a graph, node by node. */
#include <string.h>

#include "base/arena_text.h"
#include "frontend/graph/priv.h"

vt_graph *vt_graph_new(vt_ctx *ctx, const char *name) {
    vt_graph *g = VT_NEW(ctx, vt_graph);
    g->ctx = ctx;
    g->read_in = ctx;
    g->name = vt_new_string(ctx, name);
    return g;
}

static void append(vt_ctx *ctx, vt_gvalues *list, vt_gvalue *v) {
    vt_grow(ctx, &list->item, &list->cap, list->count + 1, sizeof *list->item);
    list->item[list->count++] = v;
}

static vt_gvalue *value_new(vt_graph *g, const char *name, vt_gtype type) {
    vt_gvalue *v = VT_NEW(g->ctx, vt_gvalue);
    v->name = vt__graph_new_name(g, name);
    v->type = type;
    v->index = g->values.count;
    vt__graph_name(g, v);
    append(g->ctx, &g->values, v);
    return v;
}

vt_gvalue *vt_graph_input(vt_graph *g, const char *name, vt_gtype type) {
    vt_gvalue *v = value_new(g, name, type);
    append(g->ctx, &g->inputs, v);
    return v;
}

vt_gvalue *vt_graph_constant(vt_graph *g, const char *name, vt_gtype type, const void *data) {
    vt_gvalue *v = value_new(g, name, type);
    v->data = data;
    return v;
}

vt_gvalue *vt_graph_scalar(vt_graph *g, const char *name, float value) {
    float *data = VT_NEW(g->ctx, float);
    *data = value;
    return vt_graph_constant(g, name, (vt_gtype){.element = VT_ELEMENT_F32}, data);
}

void vt_graph_output(vt_graph *g, vt_gvalue *v, const char *name) {
    const char **names = VT_NEW_ARRAY(g->ctx, const char *, g->outputs.count + 1);
    for (uint32_t i = 0; i < g->outputs.count; i++) names[i] = g->output_names[i];
    names[g->outputs.count] = vt_new_string(g->ctx, name ? name : v->name);
    g->output_names = names;
    append(g->ctx, &g->outputs, v);
}

/* ---- Nodes ---- */

static void *copy(vt_ctx *ctx, const void *items, uint32_t count, size_t item) {
    void *to = vt_new_array_bytes(ctx, count, item);
    if (count) memcpy(to, items, count * item);
    return to;
}

static void set_attribute(vt_ctx *ctx, vt_gattr *to, const vt_gattr *from) {
    *to = *from;
    if (from->ints) to->ints = copy(ctx, from->ints, from->count, sizeof *from->ints);
    if (from->floats) to->floats = copy(ctx, from->floats, from->count, sizeof *from->floats);
}

static void set_attributes(vt_ctx *ctx, vt_gnode *n, const vt_gnode_spec *spec) {
    vt_gattr all[VT_MAX_ATTRIBUTES];
    n->attribute_count = vt_gop_attributes(n->op, all);
    for (uint32_t i = 0; i < spec->attribute_count; i++) {
        uint32_t at = 0;
        while (at < n->attribute_count && all[at].name != spec->attributes[i].name) at++;
        if (at == n->attribute_count)
            vt_raise(ctx, VTA_INTERNAL, "node %s: %s has no attribute %s", n->name, vt_gop_text(n->op),
                     vt_gattr_text(spec->attributes[i].name));
        set_attribute(ctx, &all[at], &spec->attributes[i]);
    }
    n->attributes = copy(ctx, all, n->attribute_count, sizeof *all);
}

/* Outputs have a name already while types are inferred, for messages; they enter the graph when all went well. */
static void make_outputs(vt_graph *g, vt_gnode *n, const char *const *names) {
    n->output_count = vt_gop_get(n->op)->outputs;
    n->outputs = VT_NEW_ARRAY(g->ctx, vt_gvalue *, n->output_count);
    for (uint32_t i = 0; i < n->output_count; i++) {
        vt_gvalue *v = n->outputs[i] = VT_NEW(g->ctx, vt_gvalue);
        v->name = names && names[i] && *names[i] ? names[i] : n->name;
        v->by = n;
        v->output = i;
    }
}

static void enter_outputs(vt_graph *g, vt_gnode *n) {
    for (uint32_t i = 0; i < n->output_count; i++) {
        vt_gvalue *v = n->outputs[i];
        v->name = vt__graph_new_name(g, v->name);
        v->index = g->values.count;
        vt__graph_name(g, v);
        append(g->ctx, &g->values, v);
    }
}

static void append_node(vt_graph *g, vt_gnode *n) {
    n->index = g->node_count;
    vt_grow(g->ctx, &g->nodes, &g->node_cap, g->node_count + 1, sizeof *g->nodes);
    g->nodes[g->node_count++] = n;
}

const vt_gnode *vt_graph_add(vt_graph *g, const vt_gnode_spec *spec) {
    vt_gnode *n = VT_NEW(g->ctx, vt_gnode);
    n->op = spec->op;
    n->name = vt_new_string(g->ctx, spec->name && *spec->name ? spec->name : vt_gop_text(spec->op));
    n->input_count = spec->input_count;
    while (n->input_count && !spec->inputs[n->input_count - 1]) n->input_count--;
    n->inputs = copy(g->ctx, spec->inputs, n->input_count, sizeof *n->inputs);
    set_attributes(g->ctx, n, spec);
    make_outputs(g, n, spec->output_names);
    vt__infer(g->ctx, n);
    enter_outputs(g, n);
    append_node(g, n);
    return n;
}

vt_gvalue *vt_graph_apply(vt_graph *g, vt_gop op, const char *name, vt_gvalue *a, vt_gvalue *b,
                          uint32_t attribute_count, const vt_gattr *attributes) {
    vt_gnode_spec spec = {.op = op,
                          .name = name,
                          .input_count = 2,
                          .inputs = (vt_gvalue *[]){a, b},
                          .attribute_count = attribute_count,
                          .attributes = attributes};
    return vt_graph_add(g, &spec)->outputs[0];
}

void vt_gnode_refuse(vt_ctx *ctx, const vt_gnode *n, const char *fmt, ...) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    va_list args;
    va_start(args, fmt);
    vt_strbuf_vaddf(&sb, fmt, args);
    va_end(args);
    vt_raise(ctx, VTA_MISMATCH, "node %s (%s): %s", n->name, vt_gop_text(n->op), vt_arena_text_take(ctx, &sb));
}

uint32_t *vt_graph_uses(const vt_graph *g) {
    uint32_t *uses = VT_NEW_ARRAY(g->ctx, uint32_t, g->values.count);
    for (uint32_t i = 0; i < g->node_count; i++)
        for (uint32_t k = 0; k < g->nodes[i]->input_count; k++)
            if (g->nodes[i]->inputs[k]) uses[g->nodes[i]->inputs[k]->index]++;
    for (uint32_t i = 0; i < g->outputs.count; i++) uses[g->outputs.item[i]->index]++;
    return uses;
}

#include "frontend/graph/rewrite.h"

static vt_rewrite begin_in(vt_ctx *ctx, const vt_graph *g) {
    vt_rewrite r = {.from = g, .to = vt_graph_new(ctx, g->name)};
    r.to->read_in = g->read_in;
    r.map = VT_NEW_ARRAY(ctx, vt_gvalue *, g->values.count);
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        const vt_gvalue *v = g->inputs.item[i];
        r.map[v->index] = vt_graph_input(r.to, v->name, v->type);
    }
    return r;
}

vt_gvalue *vt_rewrite_of(vt_rewrite *r, const vt_gvalue *old) {
    if (!old) return NULL;
    vt_gvalue **now = &r->map[old->index];
    if (!*now && old->data) *now = vt_graph_constant(r->to, old->name, old->type, old->data);
    if (!*now) vt_raise(r->to->ctx, VTA_INTERNAL, "%s is used after the node that computes it was dropped", old->name);
    return *now;
}

const vt_gnode *vt_rewrite_keep(vt_rewrite *r, const vt_gnode *n) {
    vt_gvalue **inputs = VT_NEW_ARRAY(r->to->ctx, vt_gvalue *, n->input_count);
    const char **names = VT_NEW_ARRAY(r->to->ctx, const char *, n->output_count);
    for (uint32_t i = 0; i < n->input_count; i++) inputs[i] = vt_rewrite_of(r, n->inputs[i]);
    for (uint32_t i = 0; i < n->output_count; i++) names[i] = n->outputs[i]->name;
    vt_gnode_spec spec = {n->op, n->name, names, n->input_count, n->attribute_count, inputs, n->attributes};
    const vt_gnode *now = vt_graph_add(r->to, &spec);
    for (uint32_t i = 0; i < n->output_count; i++) r->map[n->outputs[i]->index] = now->outputs[i];
    return now;
}

void vt_rewrite_replace(vt_rewrite *r, const vt_gvalue *old, vt_gvalue *now) {
    r->map[old->index] = now;
    r->changed = true;
}

void vt_rewrite_drop(vt_rewrite *r) { r->changed = true; }

vt_rewrite vt_rewrite_begin(const vt_graph *g) { return begin_in(g->ctx, g); }

const vt_graph *vt_graph_copy(vt_ctx *ctx, const vt_graph *g) {
    vt_rewrite r = begin_in(ctx, g);
    for (uint32_t i = 0; i < g->node_count; i++) vt_rewrite_keep(&r, g->nodes[i]);
    r.changed = true;
    return vt_rewrite_end(&r);
}

const vt_graph *vt_rewrite_end(vt_rewrite *r) {
    if (!r->changed) return r->from;
    for (uint32_t i = 0; i < r->from->outputs.count; i++)
        vt_graph_output(r->to, vt_rewrite_of(r, r->from->outputs.item[i]), r->from->output_names[i]);
    return r->to;
}

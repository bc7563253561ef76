/* What is in a graph. */
#include <string.h>

#include "base/element_type.h"
#include "base/json_write.h"
#include "base/strbuf.h"
#include "base/versioned.h"
#include "frontend/model/model.h"

const char *vtac_graph_name(const vtac_graph *graph) { return graph->graph->name; }
size_t vtac_graph_input_count(const vtac_graph *graph) { return graph->graph->inputs.count; }
size_t vtac_graph_output_count(const vtac_graph *graph) { return graph->graph->outputs.count; }
size_t vtac_graph_node_count(const vtac_graph *graph) { return graph->graph->node_count; }
uint64_t vtac_graph_macs(const vtac_graph *graph) { return vt_graph_macs(graph->graph); }

uint64_t vtac_graph_parameters(const vtac_graph *graph) { return graph->parameters; }

static vtac_graph_tensor tensor_of(const char *name, const vt_gvalue *v) {
    vtac_graph_tensor t = {
        .name = name, .ndim = (int32_t)v->type.rank, .shape = v->type.dim, .bytes = vt_gtype_bytes(&v->type)};
    vt_element_type_parse(vt_element_text(v->type.element), &t.type);
    return t;
}

/* NULL: there is no value with that index. */
static vta_status give(const char *name, const vt_gvalue *v, vtac_graph_tensor *out_tensor) {
    static const vtac_graph_tensor none;
    if (!out_tensor) return VTA_INVALID_ARGUMENT;
    vtac_graph_tensor own = v ? tensor_of(name, v) : none;
    vt_result_write(out_tensor, &own, sizeof own);
    return v ? VTA_OK : VTA_OUT_OF_RANGE;
}

vta_status vtac_graph_input(const vtac_graph *graph, size_t index, vtac_graph_tensor *out_tensor) {
    const vt_gvalues *in = &graph->graph->inputs;
    const vt_gvalue *v = index < in->count ? in->item[index] : NULL;
    return give(v ? v->name : NULL, v, out_tensor);
}

vta_status vtac_graph_output(const vtac_graph *graph, size_t index, vtac_graph_tensor *out_tensor) {
    const vt_gvalues *out = &graph->graph->outputs;
    if (index >= out->count) return give(NULL, NULL, out_tensor);
    return give(graph->graph->output_names[index], out->item[index], out_tensor);
}

size_t vtac_graph_property_count(const vtac_graph *graph) { return graph->property_count; }

const char *vtac_graph_property(const vtac_graph *graph, size_t index, const char **out_value) {
    bool there = index < graph->property_count;
    if (out_value) *out_value = there ? graph->properties[index].value : NULL;
    return there ? graph->properties[index].key : NULL;
}

size_t vtac_graph_find_input(const vtac_graph *graph, const char *name) {
    for (uint32_t i = 0; name && i < graph->graph->inputs.count; i++)
        if (!strcmp(graph->graph->inputs.item[i]->name, name)) return i;
    return SIZE_MAX;
}

size_t vtac_graph_find_output(const vtac_graph *graph, const char *name) {
    for (uint32_t i = 0; name && i < graph->graph->outputs.count; i++)
        if (!strcmp(graph->graph->output_names[i], name)) return i;
    return SIZE_MAX;
}

vta_status vtac_graph_node_get(const vtac_graph *graph, size_t index, vtac_graph_node *out_node) {
    static const vtac_graph_node none;
    if (!out_node) return VTA_INVALID_ARGUMENT;
    const vt_gnode *n = index < graph->graph->node_count ? graph->graph->nodes[index] : NULL;
    vtac_graph_node own = none;
    if (n)
        own = (vtac_graph_node){.name = n->name,
                                .op = vt_gop_text(n->op),
                                .macs = vt_gnode_macs(n),
                                .output = tensor_of(n->outputs[0]->name, n->outputs[0])};
    vt_result_write(out_node, &own, sizeof own);
    return n ? VTA_OK : VTA_OUT_OF_RANGE;
}

/* ---- As text ---- */

char *vtac_graph_print(const vtac_graph *graph) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_graph_print(graph->graph, &sb);
    return vt_strbuf_take(&sb);
}

static void write_type(vt_json *w, const vt_gtype *t) {
    vt_json_text(w, "type", vt_element_text(t->element));
    vt_json_array(w, "shape");
    for (uint32_t i = 0; i < t->rank; i++) vt_json_int(w, NULL, t->dim[i]);
    vt_json_end(w);
}

static void write_value(vt_json *w, const char *name, const vt_gvalue *v) {
    vt_json_line(w);
    vt_json_object(w, NULL);
    vt_json_text(w, "name", name);
    write_type(w, &v->type);
    vt_json_end(w);
}

static void write_attribute(vt_json *w, const vt_gattr *a) {
    const char *key = vt_gattr_text(a->name);
    switch (vt_gattr_kind_of(a->name)) {
    case VT_GATTR_INT: vt_json_int(w, key, a->i); return;
    case VT_GATTR_FLOAT: vt_json_real(w, key, a->f); return;
    case VT_GATTR_WORD: vt_json_text(w, key, vt_gword_text((vt_gword)a->i)); return;
    case VT_GATTR_ELEMENT: vt_json_text(w, key, vt_element_text((vt_element)a->i)); return;
    case VT_GATTR_INTS:
    case VT_GATTR_FLOATS:
        vt_json_array(w, key);
        for (uint32_t i = 0; i < a->count; i++)
            if (a->ints)
                vt_json_int(w, NULL, a->ints[i]);
            else
                vt_json_real(w, NULL, a->floats[i]);
        vt_json_end(w);
    }
}

/* An input is its name; a constant also says what it is. */
static void write_input(vt_json *w, const vt_gvalue *v) {
    vt_json_object(w, NULL);
    vt_json_text(w, "name", v ? v->name : NULL);
    if (v && v->data) {
        vt_json_bool(w, "constant", true);
        write_type(w, &v->type);
    }
    vt_json_end(w);
}

static void write_node(vt_json *w, const vt_gnode *n) {
    vt_json_line(w);
    vt_json_object(w, NULL);
    vt_json_text(w, "name", n->name);
    vt_json_text(w, "op", vt_gop_text(n->op));
    vt_json_array(w, "inputs");
    for (uint32_t i = 0; i < n->input_count; i++) write_input(w, n->inputs[i]);
    vt_json_end(w);
    vt_json_array(w, "outputs");
    for (uint32_t i = 0; i < n->output_count; i++) write_value(w, n->outputs[i]->name, n->outputs[i]);
    vt_json_end(w);
    vt_json_object(w, "attributes");
    for (uint32_t i = 0; i < n->attribute_count; i++) write_attribute(w, &n->attributes[i]);
    vt_json_end(w);
    vt_json_uint(w, "macs", vt_gnode_macs(n));
    vt_json_end(w);
}

char *vtac_graph_to_json(const vtac_graph *graph) {
    const vt_graph *g = graph->graph;
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_text(&w, "name", g->name);
    vt_json_uint(&w, "macs", vt_graph_macs(g));
    vt_json_uint(&w, "parameters", graph->parameters);
    vt_json_array(&w, "inputs");
    for (uint32_t i = 0; i < g->inputs.count; i++) write_value(&w, g->inputs.item[i]->name, g->inputs.item[i]);
    vt_json_end(&w);
    vt_json_array(&w, "outputs");
    for (uint32_t i = 0; i < g->outputs.count; i++) write_value(&w, g->output_names[i], g->outputs.item[i]);
    vt_json_end(&w);
    vt_json_array(&w, "nodes");
    for (uint32_t i = 0; i < g->node_count; i++) write_node(&w, g->nodes[i]);
    vt_json_end(&w);
    vt_json_end(&w);
    return vt_strbuf_take(&sb);
}

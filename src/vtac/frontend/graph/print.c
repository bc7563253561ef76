/* The graph as text: one line a node. */
#include <inttypes.h>
#include <string.h>

#include "base/arena_text.h"
#include "frontend/graph/graph.h"

enum { FEW = 8 }; /* elements of a constant that are printed */

double vt_gelement_at(const vt_gvalue *v, size_t i) {
    switch (v->type.element) {
#define VT_ELEMENT(name, text, ctype)                                                                                  \
    case VT_ELEMENT_##name: return (double)((const ctype *)v->data)[i];
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    case VT_ELEMENT_COUNT: break;
    }
    return 0;
}

static void print_constant(const vt_gvalue *v, vt_strbuf *sb) {
    size_t count = (size_t)vt_gtype_count(&v->type);
    char text[VT_GTYPE_TEXT];
    vt_strbuf_addf(sb, "const %s %s", v->name, vt_gtype_text(&v->type, text));
    if (count > FEW) return;
    for (size_t i = 0; i < count; i++) vt_strbuf_addf(sb, "%s%.9g", i ? "," : "{", vt_gelement_at(v, i));
    vt_strbuf_add(sb, count ? "}" : "{}");
}

static void print_inputs(const vt_gnode *n, vt_strbuf *sb) {
    for (uint32_t i = 0; i < n->input_count; i++) {
        const vt_gvalue *v = n->inputs[i];
        if (i) vt_strbuf_add(sb, ", ");
        if (!v)
            vt_strbuf_add(sb, "-");
        else if (v->data)
            print_constant(v, sb);
        else
            vt_strbuf_add(sb, v->name);
    }
}

static void print_attribute(const vt_gattr *a, vt_strbuf *sb) {
    vt_gattr_kind kind = vt_gattr_kind_of(a->name);
    vt_strbuf_addf(sb, " %s=", vt_gattr_text(a->name));
    switch (kind) {
    case VT_GATTR_INT: vt_strbuf_addf(sb, "%" PRId64, a->i); break;
    case VT_GATTR_FLOAT: vt_strbuf_addf(sb, "%.9g", a->f); break;
    case VT_GATTR_WORD: vt_strbuf_add(sb, vt_gword_text((vt_gword)a->i)); break;
    case VT_GATTR_ELEMENT: vt_strbuf_add(sb, vt_element_text((vt_element)a->i)); break;
    case VT_GATTR_INTS:
    case VT_GATTR_FLOATS:
        for (uint32_t i = 0; i < a->count; i++)
            if (kind == VT_GATTR_INTS)
                vt_strbuf_addf(sb, "%s%" PRId64, i ? "," : "", a->ints[i]);
            else
                vt_strbuf_addf(sb, "%s%.9g", i ? "," : "", a->floats[i]);
    }
}

void vt_gnode_print(const vt_gnode *n, vt_strbuf *sb) {
    char text[VT_GTYPE_TEXT];
    for (uint32_t i = 0; i < n->output_count; i++)
        vt_strbuf_addf(sb, "%s%s: %s", i ? ", " : "", n->outputs[i]->name, vt_gtype_text(&n->outputs[i]->type, text));
    vt_strbuf_addf(sb, " = %s(", vt_gop_text(n->op));
    print_inputs(n, sb);
    vt_strbuf_addc(sb, ')');
    for (uint32_t i = 0; i < n->attribute_count; i++) print_attribute(&n->attributes[i], sb);
}

static void print_output(const vt_graph *g, uint32_t i, vt_strbuf *sb) {
    const vt_gvalue *v = g->outputs.item[i];
    char text[VT_GTYPE_TEXT];
    vt_strbuf_addf(sb, "output %s: %s", g->output_names[i], vt_gtype_text(&v->type, text));
    if (v->data) vt_strbuf_add(sb, " = "), print_constant(v, sb);
    if (!v->data && strcmp(v->name, g->output_names[i]) != 0) vt_strbuf_addf(sb, " = %s", v->name);
    vt_strbuf_addc(sb, '\n');
}

void vt_graph_print(const vt_graph *g, vt_strbuf *sb) {
    char text[VT_GTYPE_TEXT];
    vt_strbuf_addf(sb, "graph %s\n", g->name);
    for (uint32_t i = 0; i < g->inputs.count; i++)
        vt_strbuf_addf(sb, "input %s: %s\n", g->inputs.item[i]->name, vt_gtype_text(&g->inputs.item[i]->type, text));
    for (uint32_t i = 0; i < g->node_count; i++) {
        vt_gnode_print(g->nodes[i], sb);
        vt_strbuf_addc(sb, '\n');
    }
    for (uint32_t i = 0; i < g->outputs.count; i++) print_output(g, i, sb);
}

const char *vt_graph_text(const vt_graph *g) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(g->ctx, &room);
    vt_graph_print(g, &sb);
    return vt_arena_text_take(g->ctx, &sb);
}

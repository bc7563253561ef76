/* The tables of operators and attributes. */
#include <math.h>
#include <string.h>

#include "frontend/graph/graph.h"

/* Attributes follow their operator's row: a list of all, each with its operator. */
static const struct {
    vt_gop op;
    vt_gattr_name name;
    double value;
} defaults[] = {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning)
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value) {VT_G_##op, VT_A_##attribute, value},
#include "frontend/graph/operators.def"
};

static const vt_gop_info operators[] = {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning)                                  \
    {text, meaning, least, most, outputs, VT_GOP_##elements},
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
};

static const struct {
    const char *text;
    vt_gattr_kind kind;
} attributes[] = {
#define VT_GRAPH_ATTRIBUTE(name, text, kind) {text, VT_GATTR_##kind},
#define VT_GRAPH_WORD(attribute, name, text)
#include "frontend/graph/attributes.def"
};

static const struct {
    vt_gattr_name attribute;
    const char *text;
} words[] = {
#define VT_GRAPH_ATTRIBUTE(name, text, kind)
#define VT_GRAPH_WORD(attribute, name, text) {VT_A_##attribute, text},
#include "frontend/graph/attributes.def"
};

enum { DEFAULTS = sizeof defaults / sizeof *defaults };

const vt_gop_info *vt_gop_get(vt_gop op) { return &operators[op]; }
const char *vt_gop_text(vt_gop op) { return operators[op].text; }
const char *vt_gattr_text(vt_gattr_name name) { return attributes[name].text; }
vt_gattr_kind vt_gattr_kind_of(vt_gattr_name name) { return attributes[name].kind; }
const char *vt_gword_text(vt_gword word) { return words[word].text; }

vt_gop vt_gop_find(const char *text) {
    uint32_t i = 0;
    while (i < VT_GOP_COUNT && strcmp(operators[i].text, text) != 0) i++;
    return (vt_gop)i;
}

vt_gword vt_gword_find(vt_gattr_name attribute, const char *text) {
    uint32_t i = 0;
    while (i < VT_GWORD_COUNT && (words[i].attribute != attribute || strcmp(words[i].text, text) != 0)) i++;
    return (vt_gword)i;
}

uint32_t vt_gop_attributes(vt_gop op, vt_gattr out_attributes[VT_MAX_ATTRIBUTES]) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < DEFAULTS; i++) {
        if (defaults[i].op != op) continue;
        vt_gattr a = {.name = defaults[i].name};
        if (attributes[a.name].kind == VT_GATTR_FLOAT)
            a.f = defaults[i].value;
        else if (attributes[a.name].kind != VT_GATTR_INTS && attributes[a.name].kind != VT_GATTR_FLOATS)
            a.i = (int64_t)defaults[i].value;
        out_attributes[n++] = a;
    }
    return n;
}

const vt_gattr *vt_gattr_of(const vt_gnode *n, vt_gattr_name name) {
    uint32_t i = 0;
    while (n->attributes[i].name != name) i++;
    return &n->attributes[i];
}

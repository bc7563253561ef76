/* What the functions that read an operator share: inputs, outputs, attributes. */
#include <math.h>
#include <string.h>

#include "base/arena_text.h"
#include "frontend/eval/eval.h"
#include "frontend/onnx/rows.h"

enum { SMALL = 1024 }; /* elements that are computed while reading */

static const char *vtext(const vt_onnx_node *n, const char *fmt, va_list args) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(n->r->ctx, &room);
    vt_strbuf_vaddf(&sb, fmt, args);
    return vt_arena_text_take(n->r->ctx, &sb);
}

static _Noreturn void leave(const vt_onnx_node *n, vta_status status, const char *text) {
    vt_raise(n->r->ctx, status, "%s: node %s (%s): %s", n->r->options->name, n->name, vt__onnx_name(n->p->op_type),
             text);
}

void vt__onnx_wrong(const vt_onnx_node *n, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = vtext(n, fmt, args);
    va_end(args);
    leave(n, VTA_MISMATCH, text);
}

void vt__onnx_unsupported(const vt_onnx_node *n, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    const char *text = vtext(n, fmt, args);
    va_end(args);
    leave(n, VTA_UNSUPPORTED, text);
}

/* ---- Inputs and outputs ---- */

vt_gvalue *vt__onnx_in(const vt_onnx_node *n, size_t i) {
    if (i >= n->p->n_input || !*n->p->input[i]) return NULL;
    vt_gvalue *v = vt__onnx_map_get(&n->r->values, n->p->input[i]);
    return n->narrowed ? vt__onnx_narrow_in(n, i, v) : v;
}

vt_gvalue *vt__onnx_need(const vt_onnx_node *n, size_t i) {
    vt_gvalue *v = vt__onnx_in(n, i);
    if (!v) vt__onnx_wrong(n, "input %zu is missing", i);
    return v;
}

bool vt__onnx_wants(const vt_onnx_node *n, size_t i) { return i < n->p->n_output && *n->p->output[i]; }

static bool reads(const Onnx__GraphProto *g, const char *name) {
    for (size_t i = 0; i < g->n_node; i++) {
        const Onnx__NodeProto *p = g->node[i];
        for (size_t k = 0; k < p->n_input; k++)
            if (!strcmp(p->input[k], name)) return true;
        for (size_t k = 0; k < p->n_attribute; k++)
            if (p->attribute[k]->g && reads(p->attribute[k]->g, name)) return true;
    }
    for (size_t i = 0; i < g->n_output; i++)
        if (!strcmp(vt__onnx_name(g->output[i]->name), name)) return true;
    return false;
}

bool vt__onnx_is_read(const vt_onnx_node *n, size_t i) {
    return vt__onnx_wants(n, i) && reads(n->r->from, n->p->output[i]);
}

void vt__onnx_out(const vt_onnx_node *n, size_t i, vt_gvalue *v) {
    if (!vt__onnx_wants(n, i)) return;
    if (n->narrowed) v = vt__onnx_wide_out(n, v);
    vt__onnx_map_put(n->r->ctx, &n->r->values, n->p->output[i], v);
}

/* ---- Attributes: their types were checked already ---- */

const Onnx__AttributeProto *vt__onnx_attribute_of(const vt_onnx_node *n, const char *name) {
    for (size_t i = 0; i < n->p->n_attribute; i++)
        if (!strcmp(vt__onnx_name(n->p->attribute[i]->name), name)) return n->p->attribute[i];
    return NULL;
}

bool vt__onnx_has(const vt_onnx_node *n, const char *name) { return vt__onnx_attribute_of(n, name) != NULL; }

int64_t vt__onnx_int(const vt_onnx_node *n, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    return a ? a->i : otherwise;
}

double vt__onnx_float(const vt_onnx_node *n, const char *name, double otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    if (a && isnan(a->f)) vt__onnx_wrong(n, "attribute %s is not a number", name);
    return a ? (double)a->f : otherwise;
}

const char *vt__onnx_string(const vt_onnx_node *n, const char *name, const char *otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    if (a && !a->s.len) return ""; /* there may be no data then */
    return a ? vt_new_stringn(n->r->ctx, (const char *)a->s.data, a->s.len) : otherwise;
}

vt_onnx_ints vt__onnx_ints_of(const vt_onnx_node *n, const char *name) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    if (!a) return (vt_onnx_ints){0};
    if (a->n_ints > SMALL) vt__onnx_wrong(n, "attribute %s has %zu entries", name, a->n_ints);
    return (vt_onnx_ints){a->ints, (uint32_t)a->n_ints, true};
}

/* ---- Inputs that must be known ---- */

static const vt_gvalue *constant(const vt_onnx_node *n, size_t i, const char *what) {
    const vt_gvalue *v = vt__onnx_in(n, i);
    if (v && !v->data)
        vt__onnx_unsupported(n, "%s (%s) is computed when the model runs; it must follow from constants and shapes",
                             what, v->name);
    if (v && strcmp(what, "shape") != 0) vt__onnx_rows_want_known(n, v, what);
    return v;
}

vt_onnx_ints vt__onnx_constant_ints(const vt_onnx_node *n, size_t i, const char *what) {
    const vt_gvalue *v = constant(n, i, what);
    if (!v) return (vt_onnx_ints){0};
    int64_t count = vt_gtype_count(&v->type);
    if (count > SMALL || v->type.rank > 1) vt__onnx_wrong(n, "%s is not a list of numbers", what);
    if (v->type.element == VT_ELEMENT_I64) return (vt_onnx_ints){v->data, (uint32_t)count, true};
    if (v->type.element != VT_ELEMENT_I32) vt__onnx_wrong(n, "%s are not integers", what);
    int64_t *ints = VT_NEW_ARRAY(n->r->ctx, int64_t, (size_t)count);
    for (int64_t k = 0; k < count; k++) ints[k] = ((const int32_t *)v->data)[k];
    return (vt_onnx_ints){ints, (uint32_t)count, true};
}

vt_onnx_ints vt__onnx_ints_either(const vt_onnx_node *n, const char *name, int64_t since, size_t i) {
    return n->r->opset < since ? vt__onnx_ints_of(n, name) : vt__onnx_constant_ints(n, i, name);
}

double vt__onnx_constant_number(const vt_onnx_node *n, size_t i, const char *what) {
    const vt_gvalue *v = constant(n, i, what);
    if (!v || vt_gtype_count(&v->type) != 1) vt__onnx_wrong(n, "%s is not one number", what);
    double x = vt_gelement_at(v, 0);
    if (isnan(x)) vt__onnx_wrong(n, "%s is not a number", what);
    return x;
}

uint32_t vt__onnx_axis(const vt_onnx_node *n, int64_t axis, uint32_t rank) {
    if (axis < -(int64_t)rank || axis >= rank)
        vt__onnx_wrong(n, "axis %lld of a tensor of %u axes", (long long)axis, (unsigned)rank);
    return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* ---- Making nodes ---- */

static bool is_known(const vt_gnode *n) {
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] && (!n->inputs[i]->data || vt_gtype_count(&n->inputs[i]->type) > SMALL)) return false;
    for (uint32_t i = 0; i < n->output_count; i++)
        if (vt_gtype_count(&n->outputs[i]->type) > SMALL) return false;
    return n->output_count == 1 && n->op != VT_G_DEQUANTIZE_LINEAR;
}

/* The value of a node whose inputs are constants. */
static vt_gvalue *compute(const vt_onnx_node *n, const vt_gnode *node) {
    const void **in = VT_NEW_ARRAY(n->r->ctx, const void *, node->input_count);
    vt_gtype t = node->outputs[0]->type;
    void *out = vt_new_bytes(n->r->ctx, vt_gtype_bytes(&t));
    for (uint32_t i = 0; i < node->input_count; i++) in[i] = node->inputs[i] ? node->inputs[i]->data : NULL;
    vta_status status = vt_eval_node(node, in, &out, n->r->ctx->arena.allocator, n->r->ctx->diag);
    if (status != VTA_OK) vt_leave(n->r->ctx, status);
    vt_gvalue *y = vt_graph_constant(n->r->g, node->name, t, out);
    vt__onnx_rows_copy(n->r, node->outputs[0], y);
    return y;
}

vt_gvalue *vt__onnx_make(const vt_onnx_node *n, vt_gop op, uint32_t input_count, vt_gvalue *const *inputs,
                         uint32_t attribute_count, const vt_gattr *attributes) {
    vt_gnode_spec spec = {op,     n->name,   (const char *const *)n->p->output, input_count, attribute_count,
                          inputs, attributes};
    if (n->p->n_output < vt_gop_get(op)->outputs) spec.output_names = NULL;
    const vt_gnode *node = vt_graph_add(n->r->g, &spec);
    vt__onnx_rows_pass(n, node);
    return is_known(node) ? compute(n, node) : node->outputs[0];
}

vt_gvalue *vt__onnx_reshape_to(const vt_onnx_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims) {
    return vt__onnx_make(n, VT_G_RESHAPE, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(SHAPE, rank, dims)));
}

vt_gvalue *vt__onnx_ints_value(const vt_onnx_node *n, uint32_t count, const int64_t *values) {
    int64_t *data = VT_NEW_ARRAY(n->r->ctx, int64_t, count ? count : 1);
    vt_gtype t = {VT_ELEMENT_I64, 1, {count}};
    for (uint32_t i = 0; i < count; i++) data[i] = values[i];
    return vt_graph_constant(n->r->g, n->p->n_output ? n->p->output[0] : n->name, t, data);
}

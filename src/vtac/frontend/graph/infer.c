/* Type and shape inference: what all operators share. */
#include <float.h>

#include "frontend/graph/priv.h"

static vt_infer *const functions[] = {
#define VT_GRAPH_OP(name, text, least, most, outputs, elements, infer, eval, meaning) vt__infer_##infer,
#define VT_GRAPH_OP_ATTRIBUTE(op, attribute, value)
#include "frontend/graph/operators.def"
};

static bool is_made_of(vt_gop_elements allowed, vt_element e) {
    switch (allowed) {
    case VT_GOP_FLOATS: return e == VT_ELEMENT_F32;
    case VT_GOP_NUMBERS: return e != VT_ELEMENT_BOOL;
    case VT_GOP_BYTES: return vt_element_is_byte(e);
    case VT_GOP_BOOLS: return e == VT_ELEMENT_BOOL;
    case VT_GOP_ANY: return true;
    case VT_GOP_REALS: return e == VT_ELEMENT_F32 || e == VT_ELEMENT_F64;
    }
    return false;
}

static const char *elements_text(vt_gop_elements allowed) {
    static const char *const texts[] = {"float32", "a number type", "int8 or uint8",
                                        "bool",    "anything",      "float32 or float64"};
    return texts[allowed];
}

static void check_inputs(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gop_info *op = vt_gop_get(n->op);
    if (n->input_count < op->least || n->input_count > op->most)
        vt_gnode_refuse(ctx, n, "%u inputs, expected %u to %u", (unsigned)n->input_count, (unsigned)op->least,
                        (unsigned)op->most);
    for (uint32_t i = 0; i < n->input_count; i++)
        if (!n->inputs[i] && (i < op->least || op->most == VT_MANY))
            vt_gnode_refuse(ctx, n, "input %u is missing", (unsigned)i);
    vt_element e = n->inputs[0]->type.element;
    if (!is_made_of(op->elements, e))
        vt_gnode_refuse(ctx, n, "input 0 (%s) is %s, expected %s", n->inputs[0]->name, vt_element_text(e),
                        elements_text(op->elements));
}

void vt__infer(vt_ctx *ctx, const vt_gnode *n) {
    check_inputs(ctx, n);
    functions[n->op](ctx, n);
    for (uint32_t i = 0; i < n->output_count; i++) {
        char text[VT_GTYPE_TEXT];
        const vt_gtype *t = &n->outputs[i]->type;
        if (vt_gtype_count(t) > VT_MAX_COMPUTED)
            vt_gnode_refuse(ctx, n, "its result %s has %lld elements; a node computes at most %lld",
                            vt_gtype_text(t, text), (long long)vt_gtype_count(t), (long long)VT_MAX_COMPUTED);
    }
}

vt_gtype vt__infer_type(vt_ctx *ctx, const vt_gnode *n, vt_element element, size_t rank, const int64_t *dims) {
    vt_gtype t;
    if (vt_gtype_make(element, rank, dims, &t)) return t;
    if (rank > VT_MAX_RANK)
        vt_gnode_refuse(ctx, n, "the result has %zu axes, where at most %d are possible", rank, VT_MAX_RANK);
    for (size_t i = 0; i < rank; i++)
        if (dims[i] < 0)
            vt_gnode_refuse(ctx, n, "axis %zu of the result would have %lld elements", i, (long long)dims[i]);
    vt_gnode_refuse(ctx, n, "the result has more than %lld elements", (long long)VT_MAX_ELEMENTS);
}

void vt__want_element(vt_ctx *ctx, const vt_gnode *n, uint32_t input, vt_element element) {
    const vt_gvalue *v = n->inputs[input];
    if (v->type.element != element)
        vt_gnode_refuse(ctx, n, "input %u (%s) is %s, expected %s", (unsigned)input, v->name,
                        vt_element_text(v->type.element), vt_element_text(element));
}

void vt__want_rank(vt_ctx *ctx, const vt_gnode *n, uint32_t input, uint32_t rank) {
    const vt_gvalue *v = n->inputs[input];
    char text[VT_GTYPE_TEXT];
    if (v->type.rank != rank)
        vt_gnode_refuse(ctx, n, "input %u (%s) is %s, expected %u axes", (unsigned)input, v->name,
                        vt_gtype_text(&v->type, text), (unsigned)rank);
}

const int64_t *vt__want_ints(vt_ctx *ctx, const vt_gnode *n, vt_gattr_name name, uint32_t count) {
    const vt_gattr *a = vt_gattr_of(n, name);
    if (a->count != count)
        vt_gnode_refuse(ctx, n, "%s has %u entries, expected %u", vt_gattr_text(name), (unsigned)a->count,
                        (unsigned)count);
    return a->ints;
}

uint32_t vt__want_axis(vt_ctx *ctx, const vt_gnode *n) {
    int64_t axis = vt_gattr_int(n, VT_A_AXIS), rank = n->inputs[0]->type.rank;
    if (axis < 0 || axis >= rank)
        vt_gnode_refuse(ctx, n, "axis %lld of a tensor of %lld axes", (long long)axis, (long long)rank);
    return (uint32_t)axis;
}

void vt__want_range(vt_ctx *ctx, const vt_gnode *n, vt_gattr_name name, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
        vt_gnode_refuse(ctx, n, "%s has %lld, where %lld to %lld is possible", vt_gattr_text(name), (long long)value,
                        (long long)least, (long long)most);
}

vt_gtype vt__infer_broadcast_of(vt_ctx *ctx, const vt_gnode *n, vt_element element, vt_gtype a, vt_gtype b) {
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    int64_t dims[VT_MAX_RANK];
    uint32_t rank = a.rank > b.rank ? a.rank : b.rank;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t x = i < rank - a.rank ? 1 : a.dim[i - (rank - a.rank)];
        int64_t y = i < rank - b.rank ? 1 : b.dim[i - (rank - b.rank)];
        if (x != y && x != 1 && y != 1)
            vt_gnode_refuse(ctx, n, "%s and %s do not broadcast", vt_gtype_text(&a, left), vt_gtype_text(&b, right));
        dims[i] = x == 1 ? y : x;
    }
    return vt__infer_type(ctx, n, element, rank, dims);
}

void vt__want_bytes(vt_ctx *ctx, const vt_gnode *n, uint32_t input) {
    vt_element e = n->inputs[input]->type.element;
    if (!vt_element_is_byte(e))
        vt_gnode_refuse(ctx, n, "input %u (%s) is %s, expected int8 or uint8", (unsigned)input, n->inputs[input]->name,
                        vt_element_text(e));
}

void vt__want_parameter(vt_ctx *ctx, const vt_gnode *n, uint32_t input, vt_element element, int64_t most) {
    char text[VT_GTYPE_TEXT];
    if (!vt_ginput_given(n, input)) return;
    const vt_gtype *t = &n->inputs[input]->type;
    vt__want_element(ctx, n, input, element);
    if (t->rank > 1 || (t->rank == 1 && t->dim[0] != 1 && t->dim[0] != most))
        vt_gnode_refuse(ctx, n, "input %u (%s) is %s, expected one number, or one for each of %lld", (unsigned)input,
                        n->inputs[input]->name, vt_gtype_text(t, text), (long long)most);
}

void vt__want_scales(vt_ctx *ctx, const vt_gnode *n, uint32_t input, bool divides) {
    const vt_gvalue *v = n->inputs[input];
    for (int64_t i = 0; v->data && i < vt_gtype_count(&v->type); i++) {
        double x = vt_gelement_at(v, (size_t)i);
        if (!(x >= 0 && x <= FLT_MAX) || (divides && x == 0))
            vt_gnode_refuse(ctx, n, "element %lld of its scale %s is %g; a scale is a positive, finite number",
                            (long long)i, v->name, x);
    }
}

/* Operators whose result is known when the model is read. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/rows.h"

static vt_gvalue *floats_value(const vt_onnx_node *n, uint32_t rank, size_t count, const float *values) {
    int64_t dims[] = {(int64_t)count};
    vt_gtype t;
    if (!vt_gtype_make(VT_ELEMENT_F32, rank, dims, &t)) vt__onnx_wrong(n, "too many numbers");
    float *data = VT_NEW_ARRAY(n->r->ctx, float, count ? count : 1);
    if (count) memcpy(data, values, count * sizeof *data);
    return vt_graph_constant(n->r->g, n->name, t, data);
}

static vt_gvalue *number_value(const vt_onnx_node *n, int64_t x) {
    int64_t *data = VT_NEW(n->r->ctx, int64_t);
    *data = x;
    return vt_graph_constant(n->r->g, n->name, (vt_gtype){.element = VT_ELEMENT_I64}, data);
}

void vt__onnx_constant(const vt_onnx_node *n) {
    if (n->p->n_attribute != 1) vt__onnx_wrong(n, "%zu attributes, expected one", n->p->n_attribute);
    const Onnx__AttributeProto *a = n->p->attribute[0];
    const char *name = vt__onnx_name(a->name);
    if (!strcmp(name, "value")) {
        if (!a->t) vt__onnx_wrong(n, "there is no tensor in it");
        vt__onnx_out(n, 0, vt__onnx_tensor(n->r, a->t, n->name));
    } else if (!strcmp(name, "value_int")) {
        vt__onnx_out(n, 0, number_value(n, a->i));
    } else if (!strcmp(name, "value_ints")) {
        vt_onnx_ints list = vt__onnx_ints_of(n, name);
        vt__onnx_out(n, 0, vt__onnx_ints_value(n, list.count, list.item));
    } else if (!strcmp(name, "value_float")) {
        vt__onnx_out(n, 0, floats_value(n, 0, 1, &a->f));
    } else {
        vt__onnx_out(n, 0, floats_value(n, 1, a->n_floats, a->floats));
    }
}

void vt__onnx_constant_of_shape(const vt_onnx_node *n) {
    vt_onnx_ints shape = vt__onnx_constant_ints(n, 0, "shape");
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, "value");
    float zero = 0;
    vt_gvalue *one = a && a->t ? vt__onnx_tensor(n->r, a->t, n->name) : floats_value(n, 1, 1, &zero);
    if (vt_gtype_count(&one->type) != 1) vt__onnx_wrong(n, "its value is not one number");
    if (!shape.given || shape.count > VT_MAX_RANK) vt__onnx_wrong(n, "a shape of %u axes", (unsigned)shape.count);
    one = vt__onnx_reshape_to(n, one, 0, NULL);
    vt_gvalue *y =
        vt__onnx_make(n, VT_G_EXPAND, 1, &one, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(SHAPE, shape.count, shape.item)));
    vt__onnx_rows_shaped(n, vt__onnx_in(n, 0), y);
    vt__onnx_out(n, 0, y);
}

static int64_t between(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* Shape, of a part of the axes from opset 15 on, and Size. */
void vt__onnx_shape(const vt_onnx_node *n) {
    const vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype *t = &x->type;
    if (!strcmp(n->p->op_type, "Size")) {
        vt_gvalue *size = number_value(n, vt_gtype_count(t));
        vt__onnx_rows_measured(n->r, x, size);
        vt__onnx_out(n, 0, size);
        return;
    }
    uint32_t axis;
    int64_t begin = vt__onnx_int(n, "start", 0), end = vt__onnx_int(n, "end", t->rank);
    begin = between(begin < 0 ? begin + t->rank : begin, 0, t->rank);
    end = between(end < 0 ? end + t->rank : end, begin, t->rank);
    vt_gvalue *shape = vt__onnx_ints_value(n, (uint32_t)(end - begin), t->dim + begin);
    if (vt__onnx_rows_are_open(n->r, x, &axis) && axis >= begin && axis < end) vt__onnx_rows_measured(n->r, x, shape);
    vt__onnx_out(n, 0, shape);
}

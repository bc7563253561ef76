#include "frontend/onnx/rows.h"

#include "frontend/onnx/make.h"

typedef struct rows {
    vt_gvalue *count;
    int64_t extent; /* the largest count */
    uint32_t axis;
    bool is_shape; /* the value is a constant that was made of the extent */
} rows;

/* By the index of a value; short as long as no value has any. */
struct vt_onnx_rows {
    const rows **item;
    uint32_t count, cap;
};

static const rows *rows_of(const vt_onnx_reader *r, const vt_gvalue *v) {
    return v && r->rows && v->index < r->rows->count ? r->rows->item[v->index] : NULL;
}

static void set(vt_onnx_reader *r, const vt_gvalue *v, rows value) {
    struct vt_onnx_rows *all = r->rows;
    vt_grow(r->ctx, &all->item, &all->cap, v->index + 1, sizeof *all->item);
    while (all->count <= v->index) all->item[all->count++] = NULL;
    rows *to = VT_NEW(r->ctx, rows);
    *to = value;
    all->item[v->index] = to;
}

void vt__onnx_rows_begin(vt_onnx_reader *r) { r->rows = VT_NEW(r->ctx, struct vt_onnx_rows); }

void vt__onnx_rows_set(vt_onnx_reader *r, const vt_gvalue *v, vt_gvalue *count, uint32_t axis) {
    set(r, v, (rows){.count = count, .extent = v->type.dim[axis], .axis = axis});
}

bool vt__onnx_rows_are_open(const vt_onnx_reader *r, const vt_gvalue *v, uint32_t *out_axis) {
    const rows *of = rows_of(r, v);
    if (!of || of->is_shape) return false;
    *out_axis = of->axis;
    return true;
}

vt_gvalue *vt__onnx_rows_whole(const vt_onnx_node *n, vt_gvalue *v) {
    uint32_t axis;
    if (!vt__onnx_rows_are_open(n->r, v, &axis)) return v;
    v = vt__mk_one(n, VT_G_IDENTITY, v);
    n->r->rows->item[v->index] = NULL;
    return v;
}

void vt__onnx_rows_measured(vt_onnx_reader *r, const vt_gvalue *x, const vt_gvalue *shape) {
    const rows *of = rows_of(r, x);
    if (of) set(r, shape, (rows){.count = of->count, .extent = of->extent, .is_shape = true});
}

/* Does the operator only move numbers? Then those of a shape that are not the extent itself are as any other. */
static bool moves(vt_gop op) {
    return op == VT_G_GATHER || op == VT_G_SLICE || op == VT_G_CONCAT || op == VT_G_RESHAPE || op == VT_G_CAST ||
           op == VT_G_IDENTITY;
}

static bool has(const vt_gvalue *v, int64_t number) {
    for (int64_t i = 0; i < vt_gtype_count(&v->type); i++)
        if (vt_gelement_at(v, (size_t)i) == (double)number) return true;
    return false;
}

void vt__onnx_rows_copy(vt_onnx_reader *r, const vt_gvalue *from, const vt_gvalue *to) {
    const rows *of = rows_of(r, from);
    if (of && !(of->is_shape && from->by && moves(from->by->op) && !has(to, of->extent))) set(r, to, *of);
}

_Noreturn static void refuse(const vt_onnx_node *n, const char *name, const char *why) {
    vt__onnx_unsupported(n,
                         "how many rows %s has depends on values (NonMaxSuppression, NonZero), and %s; end the model "
                         "before it, or in front of the operator that finds the rows",
                         name, why);
}

void vt__onnx_rows_want_known(const vt_onnx_node *n, const vt_gvalue *v, const char *what) {
    const rows *of = rows_of(n->r, v);
    if (of && of->is_shape) refuse(n, v->name, vt_new_format(n->r->ctx, "here it is used as %s", what));
}

void vt__onnx_rows_shaped(const vt_onnx_node *n, const vt_gvalue *shape, const vt_gvalue *v) {
    const rows *of = rows_of(n->r, shape);
    uint32_t found = 0, axis = 0;
    if (!of || !of->is_shape || rows_of(n->r, v)) return;
    for (uint32_t i = 0; i < v->type.rank; i++)
        if (v->type.dim[i] == of->extent) found++, axis = i;
    if (found != 1) refuse(n, shape->name, "which axis of the result has them is not clear");
    vt__onnx_rows_set(n->r, v, of->count, axis);
}

/* ---- Operators: the axis of the result along which the rows lie; -1: there is none ---- */

static int64_t attribute(const vt_gnode *n, vt_gattr_name name) { return vt_gattr_int(n, name); }

/* The same place from the end, if the extent is kept. */
static int64_t broadcast(const vt_gtype *x, const vt_gtype *y, int64_t axis) {
    int64_t to = axis + y->rank - x->rank;
    return y->dim[to] == x->dim[axis] ? to : -1;
}

static int64_t reshaped(const vt_gtype *x, const vt_gtype *y, int64_t axis) {
    for (uint32_t to = 0; to < y->rank; to++)
        if (y->dim[to] == x->dim[axis] && vt_gtype_span(y, 0, to) == vt_gtype_span(x, 0, (uint32_t)axis)) return to;
    return -1;
}

static int64_t transposed(const vt_gnode *n, int64_t axis) {
    const vt_gattr *perm = vt_gattr_of(n, VT_A_PERM);
    uint32_t to = 0;
    while (to < perm->count && perm->ints[to] != axis) to++;
    return to;
}

static int64_t sliced(const vt_gnode *n, int64_t axis) {
    return !vt_gattr_ints(n, VT_A_STARTS)[axis] && vt_gattr_ints(n, VT_A_STEPS)[axis] == 1 ? axis : -1;
}

static int64_t gathered(const vt_gnode *n, uint32_t input, int64_t axis) {
    int64_t along = attribute(n, VT_A_AXIS);
    if (input) return along + axis;
    return axis == along ? -1 : axis < along ? axis : axis - 1 + (int64_t)n->inputs[1]->type.rank;
}

static int64_t reduced(const vt_gnode *n, int64_t axis) {
    const vt_gattr *axes = vt_gattr_of(n, VT_A_AXES);
    int64_t to = axis;
    for (uint32_t i = 0; i < axes->count; i++) {
        if (axes->ints[i] == axis) return -1;
        to -= axes->ints[i] < axis && !attribute(n, VT_A_KEEPDIMS);
    }
    return to;
}

/* Rows of the first factor, columns of the second one, or images of the first where the second is one matrix. */
static int64_t multiplied(const vt_gnode *n, uint32_t input, int64_t axis) {
    const vt_gtype *x = &n->inputs[0]->type, *w = &n->inputs[1]->type, *y = &n->outputs[0]->type;
    if (x->rank < 2 || w->rank < 2) return -1;
    if (input) return axis == w->rank - 1 ? (int64_t)y->rank - 1 : -1;
    if (axis == x->rank - 2) return (int64_t)y->rank - 2;
    return axis < x->rank - 2 && w->rank == 2 ? axis : -1;
}

static int64_t product(const vt_gnode *n, uint32_t input, int64_t axis) {
    if (input > 1) return broadcast(&n->inputs[2]->type, &n->outputs[0]->type, axis);
    int64_t own = attribute(n, input ? VT_A_TRANS_B : VT_A_TRANS_A) ? !input : input;
    return axis == own ? (int64_t)input : -1;
}

static int64_t padded(const vt_gnode *n, int64_t axis) {
    const int64_t *pads = vt_gattr_ints(n, VT_A_PADS);
    return !pads[axis] && !pads[axis + n->inputs[0]->type.rank] ? axis : -1;
}

static int64_t axis_after(const vt_gnode *n, uint32_t input, int64_t axis) {
    const vt_gtype *x = &n->inputs[input]->type, *y = &n->outputs[0]->type;
    if (n->op >= VT_G_RELU && n->op <= VT_G_WHERE) return broadcast(x, y, axis); /* of one element, or two, each */
    switch ((int)n->op) {
    case VT_G_EXPAND: return broadcast(x, y, axis);
    case VT_G_RESHAPE: return reshaped(x, y, axis);
    case VT_G_TRANSPOSE: return transposed(n, axis);
    case VT_G_SLICE: return sliced(n, axis);
    case VT_G_PAD: return padded(n, axis);
    case VT_G_GATHER: return gathered(n, input, axis);
    case VT_G_MAT_MUL: return multiplied(n, input, axis);
    case VT_G_GEMM: return product(n, input, axis);
    case VT_G_REDUCE_MEAN:
    case VT_G_REDUCE_SUM:
    case VT_G_REDUCE_PROD:
    case VT_G_REDUCE_MAX:
    case VT_G_REDUCE_MIN: return reduced(n, axis);
    case VT_G_CONCAT:
    case VT_G_SOFTMAX:
    case VT_G_LOG_SOFTMAX:
    case VT_G_TOP_K:
    case VT_G_CUM_SUM: return axis == attribute(n, VT_A_AXIS) ? -1 : axis;
    case VT_G_QUANTIZE_LINEAR:
    case VT_G_DEQUANTIZE_LINEAR: return input ? -1 : axis;
    default: return -1;
    }
}

/* What is made of constants for shapes is one itself, as long as nothing else is among it. */
static bool pass_shape(const vt_onnx_node *n, const vt_gnode *node) {
    const vt_gvalue *shape = NULL;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const rows *of = rows_of(n->r, node->inputs[i]);
        if (of && of->is_shape) shape = node->inputs[i];
    }
    for (uint32_t i = 0; shape && i < node->input_count; i++) {
        const rows *of = rows_of(n->r, node->inputs[i]);
        if (node->inputs[i] && !node->inputs[i]->data && !(of && of->is_shape))
            vt__onnx_rows_want_known(n, shape, "an operand");
    }
    if (shape) set(n->r, node->outputs[0], *rows_of(n->r, shape));
    return shape != NULL;
}

void vt__onnx_rows_pass(const vt_onnx_node *n, const vt_gnode *node) {
    const rows *before = NULL;
    int64_t axis = -1;
    if (!n->r->rows->count || pass_shape(n, node)) return;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const rows *of = rows_of(n->r, node->inputs[i]);
        if (!of) continue;
        const char *name = node->inputs[i]->name;
        int64_t to = node->output_count == 1 ? axis_after(node, i, of->axis) : -1;
        if (to < 0) refuse(n, name, vt_new_format(n->r->ctx, "%s is not computed row by row", vt_gop_text(node->op)));
        if (before && (to != axis || before->count != of->count)) refuse(n, name, "another operand's by others");
        before = of, axis = to;
    }
    if (before) vt__onnx_rows_set(n->r, node->outputs[0], before->count, (uint32_t)axis);
}

/* ---- Outputs ---- */

vt_gvalue *vt__onnx_rows_counted(const vt_onnx_node *n, const vt_gvalue *v) {
    const rows *of = rows_of(n->r, v);
    if (!of || of->is_shape) return NULL;
    vt_gvalue *number = vt__mk_iota(n, VT_ELEMENT_I64, v->type.rank, of->axis, v->type.dim[of->axis], 0, 1);
    return vt__mk_two(n, VT_G_LESS, number, vt__onnx_reshape_to(n, of->count, 0, NULL));
}

/* min(where(is the axis, count, extents), extents) */
static void add_extents(const vt_onnx_node *n, const vt_gvalue *v, const rows *of) {
    int64_t rank = v->type.rank;
    bool *is_axis;
    vt_gvalue *mask = vt__mk_room(n, VT_ELEMENT_BOOL, 1, &rank, &is_axis);
    for (uint32_t i = 0; i < rank; i++) is_axis[i] = i == of->axis;
    vt_gvalue *all = vt__onnx_ints_value(n, (uint32_t)rank, v->type.dim);
    vt_graph_output(n->r->g, vt__mk_two(n, VT_G_MIN, vt__mk_where(n, mask, of->count, all), all), n->name);
}

/* What is behind the last row becomes 0. */
static void end_output(vt_onnx_reader *r, vt_gvalue **v, const char *name) {
    const rows *of = rows_of(r, *v);
    Onnx__NodeProto none = ONNX__NODE_PROTO__INIT;
    vt_onnx_node n = {r, &none, vt_new_format(r->ctx, "%s:extents", name), NULL};
    if (!of) return;
    if (of->is_shape)
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: output %s is made of a number of rows that depends on values",
                 r->options->name, name);
    add_extents(&n, *v, of);
    *v = vt__mk_where(&n, vt__onnx_rows_counted(&n, *v), *v, vt__mk_number(&n, (*v)->type.element, 0));
}

void vt__onnx_rows_end(vt_onnx_reader *r) {
    uint32_t outputs = r->rows->count ? r->g->outputs.count : 0;
    for (uint32_t i = 0; i < outputs; i++) {
        vt_gvalue *v = r->g->outputs.item[i];
        end_output(r, &v, r->g->output_names[i]);
        r->g->outputs.item[i] = v;
    }
}

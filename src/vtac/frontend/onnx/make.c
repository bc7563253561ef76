#include "frontend/onnx/make.h"

#include <string.h>

#include "frontend/eval/eval.h"
#include "frontend/onnx/rows.h"

vt_gvalue *vt__mk_one(const vt_onnx_node *n, vt_gop op, vt_gvalue *x) { return vt__onnx_make(n, op, 1, &x, 0, NULL); }

vt_gvalue *vt__mk_two(const vt_onnx_node *n, vt_gop op, vt_gvalue *a, vt_gvalue *b) {
    return vt__onnx_make(n, op, VT_ONNX_INPUTS(a, b), 0, NULL);
}

vt_gvalue *vt__mk_with(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, double number) {
    return vt__mk_two(n, op, x, vt__mk_number(n, x->type.element, number));
}

vt_gvalue *vt__mk_where(const vt_onnx_node *n, vt_gvalue *condition, vt_gvalue *a, vt_gvalue *b) {
    return vt__onnx_make(n, VT_G_WHERE, VT_ONNX_INPUTS(condition, a, b), 0, NULL);
}

vt_gvalue *vt__mk_cast(const vt_onnx_node *n, vt_gvalue *x, vt_element to) {
    if (x->type.element == to) return x;
    return vt__onnx_make(n, VT_G_CAST, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INT(TO, to)));
}

vt_gvalue *vt__mk_transpose(const vt_onnx_node *n, vt_gvalue *x, const int64_t *perm) {
    bool moved = false;
    for (uint32_t i = 0; i < x->type.rank; i++) moved = moved || perm[i] != i;
    if (!moved) return x;
    return vt__onnx_make(n, VT_G_TRANSPOSE, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PERM, x->type.rank, perm)));
}

vt_gvalue *vt__mk_move_axis(const vt_onnx_node *n, vt_gvalue *x, uint32_t from, uint32_t to) {
    int64_t perm[VT_MAX_RANK];
    uint32_t next = 0;
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (next == from) next++;
        perm[i] = i == to ? from : next++;
    }
    return vt__mk_transpose(n, x, perm);
}

vt_gvalue *vt__mk_reduce(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, uint32_t count, const int64_t *axes,
                         bool keep) {
    return vt__onnx_make(n, op, 1, &x,
                         VT_ONNX_ATTRIBUTES(VT_GSET_INTS(AXES, count, axes), VT_GSET_INT(KEEPDIMS, keep)));
}

vt_gvalue *vt__mk_take(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, vt_gvalue *table) {
    return vt__onnx_make(n, VT_G_GATHER, VT_ONNX_INPUTS(x, table), VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

vt_gvalue *vt__mk_slice(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, int64_t start, int64_t count) {
    int64_t starts[VT_MAX_RANK] = {0}, steps[VT_MAX_RANK], dims[VT_MAX_RANK];
    uint32_t r = x->type.rank;
    if (start == 0 && count == x->type.dim[axis]) return x;
    for (uint32_t i = 0; i < r; i++) steps[i] = 1, dims[i] = x->type.dim[i];
    starts[axis] = count ? start : 0, dims[axis] = count;
    return vt__onnx_make(n, VT_G_SLICE, 1, &x,
                         VT_ONNX_ATTRIBUTES(VT_GSET_INTS(STARTS, r, starts), VT_GSET_INTS(STEPS, r, steps),
                                            VT_GSET_INTS(SHAPE, r, dims)));
}

vt_gvalue *vt__mk_concat(const vt_onnx_node *n, uint32_t count, vt_gvalue *const *values, uint32_t axis) {
    return vt__onnx_make(n, VT_G_CONCAT, count, values, VT_ONNX_ATTRIBUTES(VT_GSET_INT(AXIS, axis)));
}

vt_gvalue *vt__mk_expand(const vt_onnx_node *n, vt_gvalue *x, uint32_t rank, const int64_t *dims) {
    bool same = rank == x->type.rank;
    for (uint32_t i = 0; same && i < rank; i++) same = dims[i] == x->type.dim[i];
    if (same) return x;
    return vt__onnx_make(n, VT_G_EXPAND, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(SHAPE, rank, dims)));
}

vt_gvalue *vt__mk_unsqueeze(const vt_onnx_node *n, vt_gvalue *x, uint32_t at) {
    int64_t dims[VT_MAX_RANK + 1];
    for (uint32_t i = 0, from = 0; i <= x->type.rank; i++) dims[i] = i == at ? 1 : x->type.dim[from++];
    return vt__onnx_reshape_to(n, x, x->type.rank + 1, dims);
}

/* ---- Constants ---- */

vt_gvalue *vt__mk_room(const vt_onnx_node *n, vt_element element, uint32_t rank, const int64_t *dims, void *out_data) {
    vt_gtype t;
    if (!vt_gtype_make(element, rank, dims, &t) || vt_gtype_count(&t) > VT_MAX_COMPUTED)
        vt__onnx_wrong(n, "a table of more than %lld numbers is needed", (long long)VT_MAX_COMPUTED);
    void *data = vt_new_bytes(n->r->ctx, vt_gtype_bytes(&t));
    memcpy(out_data, &data, sizeof data);
    return vt_graph_constant(n->r->g, n->name, t, data);
}

vt_gvalue *vt__mk_number(const vt_onnx_node *n, vt_element element, double number) {
    void *data;
    vt_gvalue *v = vt__mk_room(n, element, 0, NULL, &data);
    vt_element_store(element, data, 0, number);
    return v;
}

vt_gvalue *vt__mk_iota(const vt_onnx_node *n, vt_element element, uint32_t rank, uint32_t axis, int64_t count,
                       double start, double step) {
    int64_t dims[VT_MAX_RANK];
    void *data;
    for (uint32_t i = 0; i < rank; i++) dims[i] = i == axis ? count : 1;
    vt_gvalue *v = vt__mk_room(n, element, rank, dims, &data);
    for (int64_t i = 0; i < count; i++) vt_element_store(element, data, (size_t)i, start + (double)i * step);
    return v;
}

/* So many nodes are looked at, a value that is read twice counting twice; so large may their results be. */
enum { NODES_MAX = 64, KNOWN_MAX = 1 << 22 };

static vt_gvalue *known(const vt_onnx_node *n, vt_gvalue *v, int *left) {
    const vt_gnode *by = v->by;
    if (v->data) return v;
    if (!by || by->output_count != 1 || vt_gtype_count(&v->type) > KNOWN_MAX || (*left)-- <= 0) return NULL;
    const void **in = VT_NEW_ARRAY(n->r->ctx, const void *, by->input_count + 1);
    for (uint32_t i = 0; i < by->input_count; i++) {
        const vt_gvalue *x = by->inputs[i] ? known(n, by->inputs[i], left) : NULL;
        if (by->inputs[i] && !x) return NULL;
        in[i] = x ? x->data : NULL;
    }
    void *out = vt_new_bytes(n->r->ctx, vt_gtype_bytes(&v->type));
    vta_status status = vt_eval_node(by, in, &out, n->r->ctx->arena.allocator, n->r->ctx->diag);
    if (status != VTA_OK) vt_leave(n->r->ctx, status);
    vt_gvalue *y = vt_graph_constant(n->r->g, v->name, v->type, out);
    vt__onnx_rows_copy(n->r, v, y);
    return y;
}

vt_gvalue *vt__onnx_known(const vt_onnx_node *n, vt_gvalue *v) {
    int left = NODES_MAX;
    return known(n, v, &left);
}

vt_gvalue *vt__onnx_need_known(const vt_onnx_node *n, size_t i, const char *what) {
    vt_gvalue *v = vt__onnx_need(n, i), *is = vt__onnx_known(n, v);
    if (!is)
        vt__onnx_unsupported(n, "%s (%s) is computed when the model runs; it must follow from constants and shapes",
                             what, v->name);
    vt__onnx_rows_want_known(n, is, what);
    return is;
}

void vt__onnx_want_floats(const vt_onnx_node *n, const vt_gvalue *x) {
    if (x->type.element != VT_ELEMENT_F32 && x->type.element != VT_ELEMENT_F64)
        vt__onnx_unsupported(n, "of %s (%s); of float32 it is supported", vt_element_text(x->type.element), x->name);
}

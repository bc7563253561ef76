/* Matrix products on floats. */
#include "network/float.h"

/* The axes before the matrices of an operand: of 1 where there are fewer of them than in the result. */
static void set_batch(const vt_gtype *t, int32_t axes, int64_t batch[]) {
    int32_t own = (int32_t)(t->rank > 2 ? t->rank - 2 : 0);
    for (int32_t i = 0; i < axes; i++) batch[i] = i < axes - own ? 1 : t->dim[i - (axes - own)];
}

static int32_t batch_axes(const vt_gtype *a, const vt_gtype *b) {
    uint32_t rank = a->rank > b->rank ? a->rank : b->rank;
    return (int32_t)(rank > 2 ? rank - 2 : 0);
}

/* The zero points of the first and the second operand are inputs 2 and 3; a given one comes after the operands. */
vt_host_factors vt__float_factors(const vt__float_node *o) {
    vt_host_factors f = {.first = o->shapes[0].type, .second = o->shapes[1].type};
    bool integers = o->is->op == VT_G_MAT_MUL_INTEGER || o->is->op == VT_G_CONV_INTEGER;
    if (integers && vt_ginput_given(o->is, 2)) f.first_zeros = vt_gtype_count(&o->is->inputs[2]->type);
    if (integers && vt_ginput_given(o->is, 3)) f.second_zeros = vt_gtype_count(&o->is->inputs[3]->type);
    return f;
}

/* A first operand of one axis is a row, a second one a column. */
vta_status vt__float_matrix(const vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *a = &o->is->inputs[0]->type, *b = &o->is->inputs[1]->type;
    bool gemm = o->is->op == VT_G_GEMM;
    vt_host_matmul m = {.m = a->rank > 1 ? a->dim[a->rank - 2] : 1,
                        .k = a->dim[a->rank - 1],
                        .n = b->rank > 1 ? b->dim[b->rank - 1] : 1,
                        .of = vt__float_factors(o),
                        .transposed = gemm && vt_gattr_int(o->is, VT_A_TRANS_B),
                        .bias = gemm && vt_ginput_given(o->is, 2),
                        .batch_axes = batch_axes(a, b)};
    if (m.batch_axes > VT_HOST_BATCH) vt__float_refuse(o, "matrices of more than 8 axes are not compiled");
    if (m.transposed) m.n = b->dim[0];
    set_batch(a, m.batch_axes, m.x_batch);
    set_batch(b, m.batch_axes, m.w_batch);
    /* the pass Decompose leaves no others */
    if (gemm && (vt_gattr_int(o->is, VT_A_TRANS_A) || vt_gattr_float(o->is, VT_A_ALPHA) != 1))
        vt__float_refuse(o, "a factor and a transposed first matrix are not compiled on floats");
    if (m.bias && (vt_gattr_float(o->is, VT_A_BETA) != 1 || vt_gtype_count(&o->is->inputs[2]->type) != m.n))
        vt__float_refuse(o, "a third matrix that is not one number a column is not compiled on floats");
    return vt_host_matmul_kernel(&o->host, &m, out);
}

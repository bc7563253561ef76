/* Types of matrix products and normalization. */
#include "frontend/graph/priv.h"

/* The product of a and b over their last axes, all others broadcast. */
static vt_gtype product(vt_ctx *ctx, const vt_gnode *n, vt_element element, vt_gtype a, vt_gtype b) {
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    bool row = a.rank == 1, column = b.rank == 1;
    if (!a.rank || !b.rank) vt_gnode_refuse(ctx, n, "a scalar has no matrix product");
    if (a.dim[a.rank - 1] != b.dim[column ? 0 : b.rank - 2])
        vt_gnode_refuse(ctx, n, "%s and %s have no matrix product", vt_gtype_text(&a, left), vt_gtype_text(&b, right));
    int64_t rows = row ? 1 : a.dim[a.rank - 2], columns = column ? 1 : b.dim[b.rank - 1];
    a.rank = row ? 0 : a.rank - 2;
    b.rank = column ? 0 : b.rank - 2;
    vt_gtype t = vt__infer_broadcast_of(ctx, n, element, a, b);
    if (t.rank + 2 > VT_MAX_RANK) vt_gnode_refuse(ctx, n, "the result has more than %d axes", VT_MAX_RANK);
    if (!row) t.dim[t.rank++] = rows;
    if (!column) t.dim[t.rank++] = columns;
    return vt__infer_type(ctx, n, element, t.rank, t.dim);
}

void vt__infer_mat_mul(vt_ctx *ctx, const vt_gnode *n) {
    vt_element e = n->inputs[0]->type.element;
    vt__want_element(ctx, n, 1, e);
    vt__gives(n, 0, product(ctx, n, e, n->inputs[0]->type, n->inputs[1]->type));
}

/* The result broadcast with c must be the result. */
static void check_c(vt_ctx *ctx, const vt_gnode *n, vt_gtype result) {
    char text[VT_GTYPE_TEXT];
    if (!vt_ginput_given(n, 2)) return;
    vt__want_element(ctx, n, 2, VT_ELEMENT_F32);
    vt_gtype t = vt__infer_broadcast_of(ctx, n, VT_ELEMENT_F32, n->inputs[2]->type, result);
    if (!vt_gtype_equal(&t, &result))
        vt_gnode_refuse(ctx, n, "c (%s) is %s, which is more than the product", n->inputs[2]->name,
                        vt_gtype_text(&n->inputs[2]->type, text));
}

void vt__infer_gemm(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_rank(ctx, n, 0, 2);
    vt__want_rank(ctx, n, 1, 2);
    vt__want_element(ctx, n, 1, VT_ELEMENT_F32);
    const int64_t *a = n->inputs[0]->type.dim, *b = n->inputs[1]->type.dim;
    bool ta = vt_gattr_int(n, VT_A_TRANS_A) != 0, tb = vt_gattr_int(n, VT_A_TRANS_B) != 0;
    if (a[!ta] != b[tb])
        vt_gnode_refuse(ctx, n, "the rows of a have %lld elements, the columns of b %lld", (long long)a[!ta],
                        (long long)b[tb]);
    vt_gtype t = vt__infer_type(ctx, n, VT_ELEMENT_F32, 2, (int64_t[]){a[ta], b[!tb]});
    check_c(ctx, n, t);
    vt__gives(n, 0, t);
}

static int64_t rows_of(const vt_gtype *a) { return a->rank > 1 ? a->dim[a->rank - 2] : 1; }
static int64_t columns_of(const vt_gtype *b) { return b->rank > 1 ? b->dim[b->rank - 1] : 1; }

void vt__infer_mat_mul_integer(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *a = &n->inputs[0]->type, *b = &n->inputs[1]->type;
    vt__want_bytes(ctx, n, 1);
    vt__gives(n, 0, product(ctx, n, VT_ELEMENT_I32, *a, *b));
    vt__want_parameter(ctx, n, 2, a->element, rows_of(a));
    vt__want_parameter(ctx, n, 3, b->element, columns_of(b));
}

void vt__infer_qlinear_mat_mul(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *a = &n->inputs[0]->type, *b = &n->inputs[3]->type;
    vt__want_bytes(ctx, n, 3);
    vt__want_bytes(ctx, n, 7);
    vt_element y = n->inputs[7]->type.element;
    vt__gives(n, 0, product(ctx, n, y, *a, *b));
    vt__want_parameter(ctx, n, 1, VT_ELEMENT_F32, rows_of(a));
    vt__want_parameter(ctx, n, 2, a->element, rows_of(a));
    vt__want_parameter(ctx, n, 4, VT_ELEMENT_F32, columns_of(b));
    vt__want_parameter(ctx, n, 5, b->element, columns_of(b));
    vt__want_parameter(ctx, n, 6, VT_ELEMENT_F32, 1);
    vt__want_scales(ctx, n, 1, false), vt__want_scales(ctx, n, 4, false), vt__want_scales(ctx, n, 6, true);
    vt__want_parameter(ctx, n, 7, y, 1);
}

void vt__infer_batch_normalization(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    char text[VT_GTYPE_TEXT];
    if (x->rank < 2) vt_gnode_refuse(ctx, n, "input 0 is %s: there is no axis of channels", vt_gtype_text(x, text));
    for (uint32_t i = 1; i < 5; i++) {
        vt__want_element(ctx, n, i, VT_ELEMENT_F32);
        vt__want_rank(ctx, n, i, 1);
        if (n->inputs[i]->type.dim[0] != x->dim[1])
            vt_gnode_refuse(ctx, n, "input %u (%s) has %lld numbers for %lld channels", (unsigned)i, n->inputs[i]->name,
                            (long long)n->inputs[i]->type.dim[0], (long long)x->dim[1]);
    }
    vt__gives(n, 0, *x);
}

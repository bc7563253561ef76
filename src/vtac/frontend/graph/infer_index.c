/* Types of what works on bits, on places along an axis, on rows, and on boxes. */
#include "frontend/graph/priv.h"

static void want_integers(vt_ctx *ctx, const vt_gnode *n, bool without_sign) {
    vt_element e = n->inputs[0]->type.element;
    if (e == VT_ELEMENT_F32 || e == VT_ELEMENT_F64 || (without_sign && vt_element_least(e) < 0))
        vt_gnode_refuse(ctx, n, "input 0 (%s) is %s, expected %s", n->inputs[0]->name, vt_element_text(e),
                        without_sign ? "an unsigned integer" : "an integer");
}

void vt__infer_bits(vt_ctx *ctx, const vt_gnode *n) {
    want_integers(ctx, n, false);
    vt__infer_broadcast(ctx, n);
}

void vt__infer_bits_same(vt_ctx *ctx, const vt_gnode *n) {
    want_integers(ctx, n, false);
    vt__infer_same(ctx, n);
}

void vt__infer_shift(vt_ctx *ctx, const vt_gnode *n) {
    want_integers(ctx, n, true);
    vt__infer_broadcast(ctx, n);
}

void vt__infer_top_k(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    uint32_t axis = vt__want_axis(ctx, n);
    vt__want_range(ctx, n, VT_A_K, vt_gattr_int(n, VT_A_K), 0, t.dim[axis]);
    t.dim[axis] = vt_gattr_int(n, VT_A_K);
    t.element = VT_ELEMENT_I64;
    vt__gives(n, 0, t);
}

void vt__infer_scatter(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    vt__want_rank(ctx, n, 0, 2);
    vt__want_rank(ctx, n, 1, 1);
    vt__want_rank(ctx, n, 2, 2);
    vt__want_element(ctx, n, 1, VT_ELEMENT_I64);
    vt__want_element(ctx, n, 2, t.element);
    const int64_t *updates = n->inputs[2]->type.dim;
    if (updates[0] != n->inputs[1]->type.dim[0] || updates[1] != t.dim[1])
        vt_gnode_refuse(ctx, n, "%lld updates of %lld elements for %lld rows of %lld", (long long)updates[0],
                        (long long)updates[1], (long long)n->inputs[1]->type.dim[0], (long long)t.dim[1]);
    vt__gives(n, 0, t);
}

/* A row of their number, and as many as there can be: at most k of each class, and no more than there are boxes. */
void vt__infer_non_max_suppression(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_rank(ctx, n, 0, 3);
    vt__want_rank(ctx, n, 1, 3);
    vt__want_element(ctx, n, 1, VT_ELEMENT_F32);
    const int64_t *boxes = n->inputs[0]->type.dim, *scores = n->inputs[1]->type.dim;
    int64_t k = vt_gattr_int(n, VT_A_K);
    if (boxes[2] != 4) vt_gnode_refuse(ctx, n, "boxes of %lld numbers, expected 4", (long long)boxes[2]);
    if (scores[0] != boxes[0] || scores[2] != boxes[1])
        vt_gnode_refuse(ctx, n, "scores of %lld images and %lld boxes, boxes of %lld and %lld", (long long)scores[0],
                        (long long)scores[2], (long long)boxes[0], (long long)boxes[1]);
    vt__want_range(ctx, n, VT_A_K, k, 0, INT64_MAX);
    int64_t rows = scores[0] * scores[1] * (k < boxes[1] ? k : boxes[1]);
    vt__gives(n, 0, vt__infer_type(ctx, n, VT_ELEMENT_I64, 2, (int64_t[]){1 + rows, 3}));
}

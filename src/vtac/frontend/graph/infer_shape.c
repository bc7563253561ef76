/* Types of what moves elements, and of reductions. */
#include "frontend/graph/priv.h"

#define LARGEST ((int64_t)1 << 32) /* of what is added to an extent, or multiplied with one */

/* The attribute `shape` as it stands. */
static vt_gtype shape_of(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gattr *a = vt_gattr_of(n, VT_A_SHAPE);
    return vt__infer_type(ctx, n, n->inputs[0]->type.element, a->count, a->ints);
}

void vt__infer_reshape(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = shape_of(ctx, n);
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    if (vt_gtype_count(&t) != vt_gtype_count(&n->inputs[0]->type))
        vt_gnode_refuse(ctx, n, "%s has not as many elements as %s", vt_gtype_text(&n->inputs[0]->type, left),
                        vt_gtype_text(&t, right));
    vt__gives(n, 0, t);
}

void vt__infer_expand(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = shape_of(ctx, n), x = n->inputs[0]->type;
    vt_gtype both = vt__infer_broadcast_of(ctx, n, x.element, x, t);
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    if (!vt_gtype_equal(&both, &t))
        vt_gnode_refuse(ctx, n, "%s does not broadcast to %s", vt_gtype_text(&x, left), vt_gtype_text(&t, right));
    vt__gives(n, 0, t);
}

void vt__infer_transpose(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    const int64_t *perm = vt__want_ints(ctx, n, VT_A_PERM, x->rank);
    int64_t dims[VT_MAX_RANK];
    uint32_t seen = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        vt__want_range(ctx, n, VT_A_PERM, perm[i], 0, x->rank - 1);
        if (seen & 1u << perm[i]) vt_gnode_refuse(ctx, n, "perm has axis %lld twice", (long long)perm[i]);
        seen |= 1u << perm[i];
        dims[i] = x->dim[perm[i]];
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, x->element, x->rank, dims));
}

void vt__infer_concat(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    uint32_t axis = vt__want_axis(ctx, n);
    char left[VT_GTYPE_TEXT], right[VT_GTYPE_TEXT];
    for (uint32_t i = 1; i < n->input_count; i++) {
        vt_gtype x = n->inputs[i]->type, y = t;
        vt__want_element(ctx, n, i, t.element);
        if (x.rank == t.rank) y.dim[axis] = x.dim[axis];
        if (!vt_gtype_equal(&x, &y))
            vt_gnode_refuse(ctx, n, "input %u (%s) is %s and does not fit %s along axis %u", (unsigned)i,
                            n->inputs[i]->name, vt_gtype_text(&x, left), vt_gtype_text(&n->inputs[0]->type, right),
                            (unsigned)axis);
        t.dim[axis] += x.dim[axis];
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, t.element, t.rank, t.dim));
}

void vt__infer_pad(vt_ctx *ctx, const vt_gnode *n) {
    vt_gtype t = n->inputs[0]->type;
    const int64_t *pads = vt__want_ints(ctx, n, VT_A_PADS, 2 * t.rank);
    bool reflect = vt_gattr_int(n, VT_A_PADDING) == VT_PADDING_REFLECT;
    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t before = pads[i], after = pads[t.rank + i], most = reflect ? t.dim[i] - 1 : LARGEST;
        if (t.dim[i] == 0 && vt_gattr_int(n, VT_A_PADDING) != VT_PADDING_CONSTANT) most = 0;
        vt__want_range(ctx, n, VT_A_PADS, before, -t.dim[i], most > 0 ? most : 0);
        vt__want_range(ctx, n, VT_A_PADS, after, -t.dim[i], most > 0 ? most : 0);
        t.dim[i] += before + after;
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, t.element, t.rank, t.dim));
}

void vt__infer_slice(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    const int64_t *starts = vt__want_ints(ctx, n, VT_A_STARTS, x->rank),
                  *steps = vt__want_ints(ctx, n, VT_A_STEPS, x->rank);
    vt__want_ints(ctx, n, VT_A_SHAPE, x->rank);
    vt_gtype t = shape_of(ctx, n);
    for (uint32_t i = 0; i < x->rank; i++) {
        vt__want_range(ctx, n, VT_A_STEPS, steps[i], -LARGEST, LARGEST);
        if (!t.dim[i]) continue;
        vt__want_range(ctx, n, VT_A_STARTS, starts[i], 0, x->dim[i] - 1);
        int64_t last = starts[i] + (t.dim[i] - 1) * (steps[i] ? steps[i] : 1);
        if (!steps[i] || last < 0 || last >= x->dim[i])
            vt_gnode_refuse(ctx, n, "the slice of axis %u (from %lld in steps of %lld) leaves the input", (unsigned)i,
                            (long long)starts[i], (long long)steps[i]);
    }
    vt__gives(n, 0, t);
}

void vt__infer_gather(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type, *at = &n->inputs[1]->type;
    uint32_t axis = vt__want_axis(ctx, n), rank = 0;
    int64_t dims[2 * VT_MAX_RANK];
    if (at->element != VT_ELEMENT_I32) vt__want_element(ctx, n, 1, VT_ELEMENT_I64);
    for (uint32_t i = 0; i < axis; i++) dims[rank++] = x->dim[i];
    for (uint32_t i = 0; i < at->rank; i++) dims[rank++] = at->dim[i];
    for (uint32_t i = axis + 1; i < x->rank; i++) dims[rank++] = x->dim[i];
    vt__gives(n, 0, vt__infer_type(ctx, n, x->element, rank, dims));
}

void vt__infer_resize(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    const vt_gattr *scales = vt_gattr_of(n, VT_A_SCALES);
    vt__want_ints(ctx, n, VT_A_SHAPE, x->rank);
    if (x->element != VT_ELEMENT_F32 && vt_gattr_int(n, VT_A_SAMPLING) != VT_SAMPLING_NEAREST)
        vt__want_element(ctx, n, 0, VT_ELEMENT_F32);
    if (scales->count != x->rank)
        vt_gnode_refuse(ctx, n, "%u scales for %u axes", (unsigned)scales->count, (unsigned)x->rank);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!(scales->floats[i] > 0) || scales->floats[i] > (double)LARGEST ||
            (!x->dim[i] && vt_gattr_ints(n, VT_A_SHAPE)[i]))
            vt_gnode_refuse(ctx, n, "axis %u cannot be scaled by %g", (unsigned)i, scales->floats[i]);
    vt__gives(n, 0, shape_of(ctx, n));
}

static int64_t blocksize(vt_ctx *ctx, const vt_gnode *n) {
    int64_t block = vt_gattr_int(n, VT_A_BLOCKSIZE);
    vt__want_rank(ctx, n, 0, 4);
    vt__want_range(ctx, n, VT_A_BLOCKSIZE, block, 1, 1 << 15);
    return block;
}

void vt__infer_depth_to_space(vt_ctx *ctx, const vt_gnode *n) {
    int64_t block = blocksize(ctx, n);
    const int64_t *x = n->inputs[0]->type.dim;
    if (x[1] % (block * block))
        vt_gnode_refuse(ctx, n, "%lld channels are not a multiple of blocks of %lld", (long long)x[1],
                        (long long)(block * block));
    int64_t dims[] = {x[0], x[1] / (block * block), x[2] * block, x[3] * block};
    vt__gives(n, 0, vt__infer_type(ctx, n, n->inputs[0]->type.element, 4, dims));
}

void vt__infer_space_to_depth(vt_ctx *ctx, const vt_gnode *n) {
    int64_t block = blocksize(ctx, n);
    const int64_t *x = n->inputs[0]->type.dim;
    if (x[2] % block || x[3] % block)
        vt_gnode_refuse(ctx, n, "%lld rows of %lld are not a multiple of blocks of %lld", (long long)x[2],
                        (long long)x[3], (long long)block);
    int64_t dims[] = {x[0], x[1] * block * block, x[2] / block, x[3] / block};
    vt__gives(n, 0, vt__infer_type(ctx, n, n->inputs[0]->type.element, 4, dims));
}

void vt__infer_along_axis(vt_ctx *ctx, const vt_gnode *n) {
    vt__want_axis(ctx, n);
    vt__gives(n, 0, n->inputs[0]->type);
}

void vt__infer_reduce(vt_ctx *ctx, const vt_gnode *n) {
    const vt_gtype *x = &n->inputs[0]->type;
    const vt_gattr *axes = vt_gattr_of(n, VT_A_AXES);
    uint32_t gone = 0, rank = 0;
    int64_t dims[VT_MAX_RANK];
    for (uint32_t i = 0; i < axes->count; i++) {
        if (axes->ints[i] < 0 || axes->ints[i] >= x->rank || gone & 1u << axes->ints[i])
            vt_gnode_refuse(ctx, n, "axes has %lld, once too often for %u axes", (long long)axes->ints[i],
                            (unsigned)x->rank);
        gone |= 1u << axes->ints[i];
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        bool reduced = gone >> i & 1;
        if (reduced && !x->dim[i]) vt_gnode_refuse(ctx, n, "axis %u, which is reduced, is empty", (unsigned)i);
        if (!reduced || vt_gattr_int(n, VT_A_KEEPDIMS)) dims[rank++] = reduced ? 1 : x->dim[i];
    }
    vt__gives(n, 0, vt__infer_type(ctx, n, x->element, rank, dims));
}

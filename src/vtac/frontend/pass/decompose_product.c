/* Products of many elements: of halves, and of halves of these, each a product of two tensors. */
#include "frontend/pass/decompose.h"

/* Entries from `start` on along an axis. */
static vt_gvalue *part(vt_rewrite *r, const vt_gnode *n, vt_gvalue *x, uint32_t axis, int64_t start, int64_t count) {
    int64_t starts[VT_MAX_RANK] = {0}, steps[VT_MAX_RANK], sizes[VT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) steps[i] = 1, sizes[i] = x->type.dim[i];
    starts[axis] = start, sizes[axis] = count;
    const vt_gattr set[] = {VT_GSET_INTS(STARTS, x->type.rank, starts), VT_GSET_INTS(STEPS, x->type.rank, steps),
                            VT_GSET_INTS(SHAPE, x->type.rank, sizes)};
    return vt__decompose_make(r, n, false, VT_G_SLICE, 1, &x, 3, set);
}

static vt_gvalue *times(vt_rewrite *r, const vt_gnode *n, vt_gvalue *a, vt_gvalue *b) {
    return vt__decompose_make(r, n, false, VT_G_MUL, 2, (vt_gvalue *[]){a, b}, 0, NULL);
}

/* All entries along an axis become one. */
static vt_gvalue *multiplied(vt_rewrite *r, const vt_gnode *n, vt_gvalue *x, uint32_t axis) {
    vt_gvalue *odd = NULL;
    for (int64_t count = x->type.dim[axis]; count > 1; count /= 2) {
        if (count % 2) {
            vt_gvalue *last = part(r, n, x, axis, count - 1, 1);
            odd = odd ? times(r, n, odd, last) : last;
        }
        x = times(r, n, part(r, n, x, axis, 0, count / 2), part(r, n, x, axis, count / 2, count / 2));
    }
    return odd ? times(r, n, x, odd) : x;
}

static vt_gvalue *shaped(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, uint32_t rank,
                         const int64_t *dims) {
    const vt_gattr set[] = {VT_GSET_INTS(SHAPE, rank, dims)};
    return vt__decompose_make(r, n, last, VT_G_RESHAPE, 1, &x, 1, set);
}

vt_gvalue *vt__decompose_product(vt_rewrite *r, const vt_gnode *n, bool last, vt_gvalue *x, uint32_t axis) {
    int64_t dims[VT_MAX_RANK];
    uint32_t rank = 0;
    x = multiplied(r, n, x, axis);
    for (uint32_t i = 0; i < x->type.rank; i++)
        if (i != axis) dims[rank++] = x->type.dim[i];
    return shaped(r, n, last, x, rank, dims);
}

vt_gvalue *vt__decompose_reduce_prod(vt_rewrite *r, const vt_gnode *n) {
    const vt_gattr *axes = vt_gattr_of(n, VT_A_AXES);
    const vt_gtype *y = &n->outputs[0]->type;
    if (!vt_gtype_count(&n->inputs[0]->type)) return NULL;
    vt_gvalue *x = vt_rewrite_of(r, n->inputs[0]);
    for (uint32_t i = 0; i < axes->count; i++) x = multiplied(r, n, x, (uint32_t)axes->ints[i]);
    return shaped(r, n, true, x, y->rank, y->dim);
}

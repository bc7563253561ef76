/* Reductions along axes, and what is found with them: the place of the largest, means, norms. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

static bool is(const vt_onnx_node *n, const char *name) { return !strcmp(n->p->op_type, name); }

static uint32_t all_axes(uint32_t rank, int64_t axes[VT_MAX_RANK]) {
    for (uint32_t i = 0; i < rank; i++) axes[i] = i;
    return rank;
}

/* The axes that are reduced: an attribute up to operator set 12 (ReduceSum) or 17, an input after it. How many. */
static uint32_t axes_of(const vt_onnx_node *n, const vt_gvalue *x, int64_t axes[VT_MAX_RANK]) {
    vt_onnx_ints given = vt__onnx_ints_either(n, "axes", is(n, "ReduceSum") ? 13 : 18, 1);
    uint32_t count = given.count;
    if (count > VT_MAX_RANK) vt__onnx_wrong(n, "%u axes", (unsigned)count);
    for (uint32_t i = 0; i < count; i++) axes[i] = vt__onnx_axis(n, given.item[i], x->type.rank);
    return count || vt__onnx_int(n, "noop_with_empty_axes", 0) ? count : all_axes(x->type.rank, axes);
}

static vt_gvalue *reduced(const vt_onnx_node *n, vt_gop op, vt_gvalue *x) {
    int64_t axes[VT_MAX_RANK];
    uint32_t count = axes_of(n, x, axes);
    return vt__mk_reduce(n, op, x, count, axes, vt__onnx_int(n, "keepdims", 1) != 0);
}

/* The largest and the smallest of truth are those of 0 and 1. */
void vt__onnx_reduce(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool truth = x->type.element == VT_ELEMENT_BOOL && (is(n, "ReduceMax") || is(n, "ReduceMin"));
    vt_gvalue *y = reduced(n, vt_gop_find(n->p->op_type), truth ? vt__mk_cast(n, x, VT_ELEMENT_U8) : x);
    vt__onnx_out(n, 0, truth ? vt__mk_cast(n, y, VT_ELEMENT_BOOL) : y);
}

/* Sums of absolute values, or of squares, and the root of these. */
void vt__onnx_reduce_norm(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt__onnx_want_floats(n, x);
    vt_gvalue *parts = is(n, "ReduceL1") ? vt__mk_one(n, VT_G_ABS, x) : vt__mk_two(n, VT_G_MUL, x, x);
    vt_gvalue *sum = reduced(n, VT_G_REDUCE_SUM, parts);
    vt__onnx_out(n, 0, is(n, "ReduceL2") ? vt__mk_one(n, VT_G_SQRT, sum) : sum);
}

static vt_gvalue *without_axes(const vt_onnx_node *n, vt_gvalue *x, uint32_t count, const int64_t *axes) {
    int64_t dims[VT_MAX_RANK];
    uint32_t rank = 0, gone = 0;
    for (uint32_t i = 0; i < count; i++) gone |= 1u << axes[i];
    for (uint32_t i = 0; i < x->type.rank; i++)
        if (!(gone >> i & 1)) dims[rank++] = x->type.dim[i];
    return vt__onnx_reshape_to(n, x, rank, dims);
}

/* log(sum(exp(x))), as the largest and what exp(x - largest) adds to it: that does not grow beyond all numbers. */
static vt_gvalue *log_sum_exp(const vt_onnx_node *n, vt_gvalue *x) {
    int64_t axes[VT_MAX_RANK];
    uint32_t count = axes_of(n, x, axes);
    vt_gvalue *most = vt__mk_reduce(n, VT_G_REDUCE_MAX, x, count, axes, true);
    most = vt__mk_with(n, VT_G_MIN, vt__mk_with(n, VT_G_MAX, most, -(double)3e38f), (double)3e38f);
    vt_gvalue *parts = vt__mk_one(n, VT_G_EXP, vt__mk_two(n, VT_G_SUB, x, most));
    vt_gvalue *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, parts, count, axes, true);
    sum = vt__mk_two(n, VT_G_ADD, vt__mk_one(n, VT_G_LOG, sum), most);
    return vt__onnx_int(n, "keepdims", 1) ? sum : without_axes(n, sum, count, axes);
}

void vt__onnx_reduce_log_sum(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt__onnx_want_floats(n, x);
    bool exponents = is(n, "ReduceLogSumExp");
    vt__onnx_out(n, 0, exponents ? log_sum_exp(n, x) : vt__mk_one(n, VT_G_LOG, reduced(n, VT_G_REDUCE_SUM, x)));
}

void vt__onnx_mean(const vt_onnx_node *n) {
    vt_gvalue *v = vt__onnx_need(n, 0);
    vt__onnx_want_floats(n, v);
    for (size_t i = 1; i < n->p->n_input; i++) v = vt__mk_two(n, VT_G_ADD, v, vt__onnx_need(n, i));
    vt__onnx_out(n, 0, n->p->n_input > 1 ? vt__mk_with(n, VT_G_DIV, v, (double)n->p->n_input) : v);
}

/* ---- The place of the largest or smallest ---- */

enum { PLACES_MAX = 1 << 24 }; /* that a float32 can count */

/* The number of the first (or last) element along an axis that is the largest: a float of the input's shape, where that
 * axis has one element. Places are floats, which reductions are compiled of. What is not a number counts as the largest
 * and as the smallest, as in NumPy. */
static vt_gvalue *place_of(const vt_onnx_node *n, vt_gvalue *x, uint32_t axis, bool smallest, bool last) {
    const int64_t axes[] = {axis}, count = x->type.dim[axis];
    if (count > PLACES_MAX) vt__onnx_unsupported(n, "along an axis of %lld elements", (long long)count);
    vt_gvalue *best = vt__mk_reduce(n, smallest ? VT_G_REDUCE_MIN : VT_G_REDUCE_MAX, x, 1, axes, true);
    vt_gvalue *places = vt__mk_iota(n, VT_ELEMENT_F32, x->type.rank, axis, count, 0, 1);
    vt_gvalue *others = vt__mk_number(n, VT_ELEMENT_F32, last ? -1 : (double)count);
    vt_gvalue *found = vt__mk_two(n, VT_G_EQUAL, x, best);
    if (x->type.element == VT_ELEMENT_F32 || x->type.element == VT_ELEMENT_F64)
        found = vt__mk_two(n, VT_G_OR, found, vt__mk_one(n, VT_G_NOT, vt__mk_two(n, VT_G_EQUAL, x, x)));
    places = vt__mk_where(n, found, places, others);
    return vt__mk_reduce(n, last ? VT_G_REDUCE_MAX : VT_G_REDUCE_MIN, places, 1, axes, true);
}

void vt__onnx_arg_max(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", 0), x->type.rank);
    vt_gvalue *place = place_of(n, x, axis, is(n, "ArgMin"), vt__onnx_int(n, "select_last_index", 0) != 0);
    if (!vt__onnx_int(n, "keepdims", 1)) place = without_axes(n, place, 1, (int64_t[]){axis});
    vt__onnx_out(n, 0, vt__mk_cast(n, place, VT_ELEMENT_I64));
}

/* 1 at the first of the largest, else 0. Up to operator set 12 all axes from `axis` on count as one. */
void vt__onnx_hardmax(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    const vt_gtype t = x->type;
    bool old = n->r->opset < 13;
    uint32_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", old ? 1 : -1), t.rank);
    vt__onnx_want_floats(n, x);
    if (old) {
        x = vt__onnx_reshape_to(n, x, 2, (int64_t[]){vt_gtype_span(&t, 0, axis), vt_gtype_span(&t, axis, t.rank)});
        axis = 1;
    }
    vt_gvalue *places = vt__mk_iota(n, VT_ELEMENT_F32, x->type.rank, axis, x->type.dim[axis], 0, 1);
    vt_gvalue *hot = vt__mk_two(n, VT_G_EQUAL, places, place_of(n, x, axis, false, false));
    vt__onnx_out(n, 0, vt__onnx_reshape_to(n, vt__mk_cast(n, hot, t.element), t.rank, t.dim));
}

/* ---- Norms and pools of them ---- */

/* |x|^p */
static vt_gvalue *power(const vt_onnx_node *n, vt_gvalue *x, double p) {
    if (p == 2) return vt__mk_two(n, VT_G_MUL, x, x);
    x = vt__mk_one(n, VT_G_ABS, x);
    return p == 1 ? x : vt__mk_with(n, VT_G_POW, x, p);
}

static vt_gvalue *root(const vt_onnx_node *n, vt_gvalue *x, double p) {
    if (p == 2) return vt__mk_one(n, VT_G_SQRT, x);
    return p == 1 ? x : vt__mk_with(n, VT_G_POW, x, 1 / p);
}

/* x / (sum of |x|^p)^(1/p) along an axis; 0 stays where all are. */
void vt__onnx_lp_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    int64_t axis = vt__onnx_axis(n, vt__onnx_int(n, "axis", -1), x->type.rank), p = vt__onnx_int(n, "p", 2);
    vt__onnx_want_floats(n, x);
    vt_gvalue *norm = root(n, vt__mk_reduce(n, VT_G_REDUCE_SUM, power(n, x, (double)p), 1, &axis, true), (double)p);
    vt_gvalue *zero = vt__mk_with(n, VT_G_EQUAL, norm, 0);
    norm = vt__mk_where(n, zero, vt__mk_number(n, norm->type.element, 1), norm);
    vt__onnx_out(n, 0, vt__mk_two(n, VT_G_DIV, x, norm));
}

/* The mean of |x|^p under a window, times its elements. */
void vt__onnx_lp_pool(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *y = power(n, x, (double)vt__onnx_int(n, "p", 2));
    double p = (double)vt__onnx_int(n, "p", 2), elements = 1;
    vt__onnx_want_floats(n, x);
    if (is(n, "GlobalLpPool")) {
        if (x->type.rank < 3) vt__onnx_wrong(n, "the input has %u axes", (unsigned)x->type.rank);
        elements = (double)vt_gtype_span(&x->type, 2, x->type.rank);
        y = vt__onnx_global_pool_of(n, VT_G_AVERAGE_POOL, y);
    } else {
        vt_onnx_ints kernel = vt__onnx_ints_of(n, "kernel_shape");
        for (uint32_t i = 0; i < kernel.count; i++) elements *= (double)kernel.item[i];
        y = vt__onnx_pool_of(n, VT_G_AVERAGE_POOL, y);
    }
    vt__onnx_out(n, 0, root(n, vt__mk_with(n, VT_G_MUL, y, elements), p));
}

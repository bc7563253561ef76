/* Operators of integer networks that QuantLab exports and Deeploy runs: their tensors are declared as float32 and hold
 * integers. What they mean is said in int64, so that every number is exact, as Deeploy's kernels compute it. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/runtime.h"

/* An attribute that is an integer, or a tensor of one number. */
static int64_t number_of(const vt_onnx_node *n, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = vt__onnx_attribute_of(n, name);
    const vt_gvalue *v = a && a->t ? vt__onnx_tensor(n->r, a->t, n->name) : NULL;
    double x = (double)vt__onnx_int(n, name, otherwise);
    if (v) x = vt_gtype_count(&v->type) == 1 ? vt_gelement_at(v, 0) : (double)NAN;
    if (!(fabs(x) <= 0x1p40) || x != floor(x)) vt__onnx_wrong(n, "attribute %s is not one integer", name);
    return (int64_t)x;
}

static int64_t divisor_of(const vt_onnx_node *n, const char *name) {
    int64_t x = number_of(n, name, 0);
    if (x < 1 || x > 1 << 24) vt__onnx_wrong(n, "attribute %s is %lld, by which is divided", name, (long long)x);
    return x;
}

static vt_gvalue *integers(const vt_onnx_node *n, size_t i) {
    return vt__mk_cast(n, vt__onnx_need(n, i), VT_ELEMENT_I64);
}

static void give(const vt_onnx_node *n, vt_gvalue *v) { vt__onnx_out(n, 0, vt__mk_cast(n, v, VT_ELEMENT_F32)); }

static vt_gvalue *times(const vt_onnx_node *n, vt_gvalue *a, vt_gvalue *b) { return vt__mk_two(n, VT_G_MUL, a, b); }
static vt_gvalue *less(const vt_onnx_node *n, vt_gvalue *a, vt_gvalue *b) { return vt__mk_two(n, VT_G_SUB, a, b); }
static vt_gvalue *over(const vt_onnx_node *n, vt_gvalue *a, vt_gvalue *b) { return vt__mk_two(n, VT_G_DIV, a, b); }
static vt_gvalue *plus(const vt_onnx_node *n, vt_gvalue *a, int64_t b) { return vt__mk_plus(n, a, (double)b); }

/* x / by towards minus infinity; Div goes towards 0, so that what it divides is made positive. */
static vt_gvalue *floor_over(const vt_onnx_node *n, vt_gvalue *x, int64_t by) {
    const int64_t far = (int64_t)1 << 38;
    if (by == 1) return x;
    return plus(n, vt__mk_with(n, VT_G_DIV, plus(n, x, far * by), (double)by), -far);
}

static vt_gvalue *limited(const vt_onnx_node *n, vt_gvalue *x, int64_t low, int64_t high) {
    return vt__mk_with(n, VT_G_MIN, vt__mk_with(n, VT_G_MAX, x, (double)low), (double)high);
}

/* Within so many levels: around 0, or from 0 on. */
static vt_gvalue *in_levels(const vt_onnx_node *n, vt_gvalue *x, int64_t levels, bool is_signed) {
    if (levels < 2 || levels > 1 << 24) vt__onnx_wrong(n, "%lld levels", (long long)levels);
    return is_signed ? limited(n, x, -levels / 2, levels / 2 - 1) : limited(n, x, 0, levels - 1);
}

static vt_gvalue *sum_along(const vt_onnx_node *n, vt_gvalue *x) {
    return vt__mk_reduce(n, VT_G_REDUCE_SUM, x, 1, (const int64_t[]){x->type.rank - 1}, true);
}

/* (x * mul + add) / div, rounded to the nearest integer, halves up, in levels. */
void vt__onnx_requant_shift(const vt_onnx_node *n) {
    int64_t by = divisor_of(n, "div");
    vt_gvalue *x = vt__mk_two(n, VT_G_ADD, times(n, integers(n, 0), integers(n, 1)), integers(n, 2));
    x = floor_over(n, plus(n, x, by / 2), by);
    give(n, in_levels(n, x, number_of(n, "n_levels_out", 256), number_of(n, "signed", 1) != 0));
}

/* A polynomial in the place of the error function: x * (one + sign(x) * (one - (min(|x|, -b) + b)^2)) / 2. */
void vt__onnx_integer_gelu(const vt_onnx_node *n) {
    int64_t b = number_of(n, "b", 0), one = number_of(n, "one", 0);
    vt_gvalue *x = integers(n, 0), *size = vt__mk_one(n, VT_G_ABS, x);
    vt_gvalue *d = plus(n, vt__mk_with(n, VT_G_MIN, size, (double)-b), b);
    vt_gvalue *part = plus(n, vt__mk_with(n, VT_G_MUL, times(n, d, d), -1), one);
    give(n, times(n, x, floor_over(n, plus(n, times(n, limited(n, x, -1, 1), part), one), 2)));
}

/* The root of the mean of squares and 1, rounded down. */
static vt_gvalue *root_of_squares(const vt_onnx_node *n, vt_gvalue *x) {
    vt_gvalue *mean = vt__mk_with(n, VT_G_DIV, sum_along(n, times(n, x, x)), (double)x->type.dim[x->type.rank - 1]);
    vt_gvalue *root = vt__mk_one(n, VT_G_SQRT, vt__mk_cast(n, plus(n, mean, 1), VT_ELEMENT_F32));
    return vt__mk_cast(n, vt__mk_one(n, VT_G_FLOOR, root), VT_ELEMENT_I64);
}

static void want_elements(const vt_onnx_node *n, const vt_gvalue *x) {
    if (!x->type.rank || !vt_gtype_count(&x->type)) vt__onnx_wrong(n, "the input has no elements");
}

/* Of iLayerNorm without the mean, and with a bias; the quotients go towards 0. */
void vt__onnx_integer_normalization(const vt_onnx_node *n) {
    vt_gvalue *x = integers(n, 0);
    want_elements(n, x);
    bool centred = !strcmp(n->p->op_type, "iLayerNorm");
    int64_t by = divisor_of(n, "D");
    if (centred) x = less(n, x, vt__mk_with(n, VT_G_DIV, sum_along(n, x), (double)x->type.dim[x->type.rank - 1]));
    vt_gvalue *y = over(n, times(n, x, integers(n, 1)), root_of_squares(n, x));
    if (centred) y = vt__mk_two(n, VT_G_ADD, y, integers(n, 2));
    give(n, in_levels(n, floor_over(n, y, by), number_of(n, "n_levels", 256), true));
}

/* 2^z as a table has it: z is from 0 to 31. */
static vt_gvalue *power_of_two(const vt_onnx_node *n, vt_gvalue *z) {
    const int64_t count = 32;
    int64_t *data;
    vt_gvalue *table = vt__mk_room(n, VT_ELEMENT_I64, 1, &count, &data);
    for (int64_t i = 0; i < count; i++) data[i] = (int64_t)1 << i;
    return vt__mk_take(n, table, 0, z);
}

/* exp as a polynomial of the part below ln 2, and a shift. */
void vt__onnx_integer_softmax(const vt_onnx_node *n) {
    vt_gvalue *x = integers(n, 0);
    int64_t a = number_of(n, "coeffA", 1), b = number_of(n, "coeffB", 0), c = number_of(n, "coeffC", 0);
    int64_t log2 = divisor_of(n, "log2"), levels = number_of(n, "n_levels", 256);
    want_elements(n, x);
    const int64_t last[] = {x->type.rank - 1};
    x = less(n, x, vt__mk_reduce(n, VT_G_REDUCE_MAX, x, 1, last, true));
    vt_gvalue *z = limited(n, vt__mk_with(n, VT_G_DIV, vt__mk_with(n, VT_G_MUL, x, -1), (double)log2), 0, 31);
    vt_gvalue *p = plus(n, vt__mk_two(n, VT_G_ADD, x, vt__mk_with(n, VT_G_MUL, z, (double)log2)), b);
    p = plus(n, vt__mk_with(n, VT_G_MUL, times(n, p, p), (double)a), c);
    vt_gvalue *y = over(n, vt__mk_with(n, VT_G_MAX, p, 0), power_of_two(n, z));
    vt_gvalue *sum = vt__mk_with(n, VT_G_MAX, sum_along(n, y), 1);
    y = over(n, vt__mk_with(n, VT_G_MUL, y, (double)(levels - 1)), sum);
    give(n, y);
}

/* A softmax to the base 2 of numbers in steps of 1 / 32: shares of 256, shifted by how far x is below the largest. */
void vt__onnx_integer_maximum(const vt_onnx_node *n) {
    vt_gvalue *x = integers(n, 0);
    int64_t levels = number_of(n, "n_levels", 256);
    want_elements(n, x);
    const int64_t last[] = {x->type.rank - 1};
    vt_gvalue *below = less(n, vt__mk_reduce(n, VT_G_REDUCE_MAX, x, 1, last, true), x);
    vt_gvalue *power = power_of_two(n, limited(n, vt__mk_with(n, VT_G_DIV, plus(n, below, 16), 32), 0, 31));
    vt_gvalue *sum = sum_along(n, over(n, vt__mk_number(n, VT_ELEMENT_I64, 256), power));
    vt_gvalue *share = over(n, vt__mk_number(n, VT_ELEMENT_I64, (double)((levels - 1) * 256)), sum);
    give(n, over(n, share, power));
}

/* x * (min(max(x + three, 0), six) * one_over_six) */
void vt__onnx_integer_hard_swish(const vt_onnx_node *n) {
    vt_gvalue *x = integers(n, 0);
    vt_gvalue *part = limited(n, plus(n, x, number_of(n, "three", 0)), 0, number_of(n, "six", 0));
    give(n, times(n, x, vt__mk_with(n, VT_G_MUL, part, (double)number_of(n, "one_over_six", 0))));
}

/* floor(Delta * eta * x / (y * eta + eps)): x / y in steps of 1 / Delta. */
void vt__onnx_integer_division(const vt_onnx_node *n) {
    int64_t delta = divisor_of(n, "Delta"), eta = divisor_of(n, "eta"), y = divisor_of(n, "y");
    int64_t eps = number_of(n, "eps", 1), by;
    if (eps < 0 || delta * eta >= (int64_t)1 << 40 || (by = y * eta + eps) >= (int64_t)1 << 24)
        vt__onnx_wrong(n, "x * %lld * %lld / (%lld * %lld + %lld) does not fit into 64 bits", (long long)delta,
                       (long long)eta, (long long)y, (long long)eta, (long long)eps);
    give(n, floor_over(n, vt__mk_with(n, VT_G_MUL, integers(n, 0), (double)(delta * eta)), by));
}

/* The mean along axes, rounded to the nearest integer, halves up. */
void vt__onnx_integer_mean(const vt_onnx_node *n) {
    vt_gvalue *x = integers(n, 0);
    vt_onnx_ints axes = vt__onnx_ints_of(n, "axes");
    int64_t list[VT_MAX_RANK], count = 1;
    if (!axes.given || axes.count > x->type.rank) vt__onnx_wrong(n, "it has no list of axes");
    for (uint32_t i = 0; i < axes.count; i++) {
        list[i] = vt__onnx_axis(n, axes.item[i], x->type.rank);
        count *= x->type.dim[list[i]];
    }
    if (count < 1) vt__onnx_wrong(n, "the input has no elements");
    vt_gvalue *sum = vt__mk_reduce(n, VT_G_REDUCE_SUM, x, axes.count, list, vt__onnx_int(n, "keepdims", 1) != 0);
    give(n, floor_over(n, plus(n, sum, count / 2), count));
}

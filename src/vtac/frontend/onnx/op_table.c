/* What is made with tables of constants: masks, sums along an axis, one of many, ranges and windows of numbers. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/make.h"

/* The upper or lower part of matrices, 0 elsewhere. */
void vt__onnx_trilu(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool upper = vt__onnx_int(n, "upper", 1) != 0, *to;
    double k = 0; /* may be far outside of the matrix */
    if (x->type.rank < 2) vt__onnx_wrong(n, "the input has %u axes", (unsigned)x->type.rank);
    if (vt__onnx_in(n, 1)) k = vt__onnx_constant_number(n, 1, "k");
    int64_t rows = x->type.dim[x->type.rank - 2], columns = x->type.dim[x->type.rank - 1];
    vt_gvalue *mask = vt__mk_room(n, VT_ELEMENT_BOOL, 2, (int64_t[]){rows, columns}, &to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) *to++ = upper ? (double)(j - i) >= k : (double)(j - i) <= k;
    vt__onnx_out(n, 0, vt__mk_where(n, mask, x, vt__mk_number(n, x->type.element, 0)));
}

void vt__onnx_cum_sum(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints given = vt__onnx_constant_ints(n, 1, "axis");
    if (given.count != 1) vt__onnx_wrong(n, "axis is not one number");
    const vt_gattr set[] = {VT_GSET_INT(AXIS, vt__onnx_axis(n, given.item[0], x->type.rank)),
                            VT_GSET_INT(EXCLUSIVE, vt__onnx_int(n, "exclusive", 0) != 0),
                            VT_GSET_INT(REVERSE, vt__onnx_int(n, "reverse", 0) != 0)};
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_CUM_SUM, 1, &x, 3, set));
}

/* One of two values at each place of the new axis. An index below 0 counts from the end. */
void vt__onnx_one_hot(const vt_onnx_node *n) {
    vt_gvalue *at = vt__mk_cast(n, vt__onnx_need(n, 0), VT_ELEMENT_I64), *values = vt__onnx_need(n, 2);
    double depth = vt__onnx_constant_number(n, 1, "depth");
    int64_t axis = vt__onnx_int(n, "axis", -1);
    uint32_t rank = at->type.rank + 1;
    if (depth < 1 || depth > (double)VT_MAX_COMPUTED) vt__onnx_wrong(n, "a depth of %g", depth);
    if (rank > VT_MAX_RANK) vt__onnx_unsupported(n, "a result of %u axes", (unsigned)rank);
    if (values->type.rank != 1 || values->type.dim[0] != 2) vt__onnx_wrong(n, "values are not two");
    uint32_t place = vt__onnx_axis(n, axis, rank);
    at = vt__mk_where(n, vt__mk_with(n, VT_G_LESS, at, 0), vt__mk_with(n, VT_G_ADD, at, depth), at);
    vt_gvalue *all = vt__mk_iota(n, VT_ELEMENT_I64, rank, place, (int64_t)depth, 0, 1);
    vt_gvalue *hot = vt__mk_two(n, VT_G_EQUAL, all, vt__mk_unsqueeze(n, at, place));
    vt_gvalue *off = vt__onnx_reshape_to(n, vt__mk_slice(n, values, 0, 0, 1), 0, NULL);
    vt_gvalue *on = vt__onnx_reshape_to(n, vt__mk_slice(n, values, 0, 1, 1), 0, NULL);
    vt__onnx_out(n, 0, vt__mk_where(n, hot, on, off));
}

/* The element type that an attribute says, by ONNX's number. */
static vt_element type_of(const vt_onnx_node *n, const char *attribute, vt_element otherwise) {
    vt_element e = otherwise;
    if (vt__onnx_has(n, attribute) && !vt__onnx_element(vt__onnx_int(n, attribute, 0), &e))
        vt__onnx_unsupported(n, "%s: element type %lld of ONNX", attribute, (long long)vt__onnx_int(n, attribute, 0));
    return e;
}

/* Ones on a diagonal. */
void vt__onnx_eye_like(const vt_onnx_node *n) {
    const vt_gtype *t = &vt__onnx_need(n, 0)->type;
    vt_element e = type_of(n, "dtype", t->element);
    int64_t k = vt__onnx_int(n, "k", 0);
    uint8_t *to;
    if (t->rank != 2) vt__onnx_wrong(n, "the input has %u axes", (unsigned)t->rank);
    vt_gvalue *y = vt__mk_room(n, VT_ELEMENT_U8, 2, t->dim, &to);
    for (int64_t i = 0; i < t->dim[0]; i++)
        for (int64_t j = 0; j < t->dim[1]; j++) *to++ = j - i == k;
    vt_gvalue *v = vt__mk_cast(n, y, e), *is = vt__onnx_known(n, v);
    vt__onnx_out(n, 0, is ? is : v); /* a large one is cast when the model runs */
}

/* Of any numbers: start + i * delta. */
void vt__onnx_range(const vt_onnx_node *n) {
    vt_element e = vt__onnx_need(n, 0)->type.element;
    double start = vt__onnx_constant_number(n, 0, "start"), limit = vt__onnx_constant_number(n, 1, "limit");
    double step = vt__onnx_constant_number(n, 2, "delta"), count = ceil((limit - start) / step);
    if (!(fabs(start) < 1e15 && fabs(limit) < 1e15 && count < 1e6))
        vt__onnx_wrong(n, "from %g to %g by %g", start, limit, step);
    vt__onnx_out(n, 0, vt__mk_iota(n, e, 1, 0, count > 0 ? (int64_t)count : 0, start, step));
}

/* HannWindow, HammingWindow, BlackmanWindow: a - b cos(2 pi i / N) + c cos(4 pi i / N). */
void vt__onnx_window(const vt_onnx_node *n) {
    bool hamming = !strcmp(n->p->op_type, "HammingWindow"), blackman = !strcmp(n->p->op_type, "BlackmanWindow");
    double size = vt__onnx_constant_number(n, 0, "size"), c = blackman ? 0.08 : 0;
    double a = hamming ? 25.0 / 46 : blackman ? 0.42 : 0.5, b = hamming ? 21.0 / 46 : 0.5;
    bool periodic = vt__onnx_int(n, "periodic", 1) != 0;
    float *to;
    if (type_of(n, "output_datatype", VT_ELEMENT_F32) != VT_ELEMENT_F32)
        vt__onnx_unsupported(n, "of another type than float32");
    if (size < 1 || size > (double)(1 << 24)) vt__onnx_wrong(n, "a window of %g", size);
    int64_t count = (int64_t)size;
    vt_gvalue *y = vt__mk_room(n, VT_ELEMENT_F32, 1, &count, &to);
    for (int64_t i = 0; i < count; i++) {
        double angle = 2 * 3.14159265358979323846 * (double)i / (periodic ? size : size - 1);
        to[i] = (float)(a - b * cos(angle) + c * cos(2 * angle));
    }
    vt__onnx_out(n, 0, y);
}

void vt__onnx_cast_like(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_element to = vt__onnx_need(n, 1)->type.element;
    vt__onnx_out(n, 0, x->type.element == to ? vt__mk_one(n, VT_G_IDENTITY, x) : vt__mk_cast(n, x, to));
}

/* The middle of x where it is larger along an axis, zeros around it where it is smaller. */
void vt__onnx_center_crop_pad(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    vt_onnx_ints shape = vt__onnx_constant_ints(n, 1, "shape"), axes = vt__onnx_ints_of(n, "axes");
    uint32_t rank = x->type.rank;
    int64_t pads[2 * VT_MAX_RANK] = {0};
    if (!shape.given || (axes.given ? axes.count : rank) != shape.count || shape.count > rank)
        vt__onnx_wrong(n, "shape and axes are not as many");
    for (uint32_t i = 0; i < shape.count; i++) {
        uint32_t a = axes.given ? vt__onnx_axis(n, axes.item[i], rank) : i;
        int64_t has = x->type.dim[a], wants = shape.item[i], before;
        if (wants < 0 || wants > VT_MAX_COMPUTED) vt__onnx_wrong(n, "an extent of %lld", (long long)wants);
        before = wants > has ? (wants - has) / 2 : -((has - wants) / 2);
        pads[a] = before, pads[rank + a] = wants - has - before;
    }
    vt__onnx_out(n, 0, vt__onnx_make(n, VT_G_PAD, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PADS, 2 * rank, pads))));
}

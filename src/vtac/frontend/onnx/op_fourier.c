/* Fourier transforms as products with a constant matrix. A complex number is an axis of two: real and imaginary part.
 */
#include <math.h>

#include "frontend/onnx/make.h"

#define PI 3.14159265358979323846

/* [length * parts, bins * 2]: row j * parts + p is part p (1: there is no imaginary one) of element j. */
static vt_gvalue *matrix(const vt_onnx_node *n, int64_t length, int64_t parts, int64_t bins, bool inverse) {
    float *to;
    vt_gvalue *v = vt__mk_room(n, VT_ELEMENT_F32, 2, (int64_t[]){length * parts, bins * 2}, &to);
    for (int64_t j = 0; j < length; j++)
        for (int64_t p = 0; p < parts; p++)
            for (int64_t k = 0; k < bins; k++) {
                double angle = (inverse ? 2 : -2) * PI * (double)(j * k % length) / (double)length;
                double by = inverse ? 1 / (double)length : 1, re = cos(angle) * by, im = sin(angle) * by;
                *to++ = (float)(p ? -im : re);
                *to++ = (float)(p ? re : im);
            }
    return v;
}

/* `x` is [.., length, parts]: [.., bins, 2]. */
static vt_gvalue *transformed(const vt_onnx_node *n, vt_gvalue *x, bool inverse, bool half) {
    const vt_gtype t = x->type;
    int64_t length = t.dim[t.rank - 2], parts = t.dim[t.rank - 1], dims[VT_MAX_RANK];
    int64_t bins = half ? length / 2 + 1 : length;
    for (uint32_t i = 0; i < t.rank; i++) dims[i] = t.dim[i];
    dims[t.rank - 2] = length * parts;
    x = vt__onnx_reshape_to(n, x, t.rank - 1, dims);
    x = vt__mk_two(n, VT_G_MAT_MUL, x, matrix(n, length, parts, bins, inverse));
    dims[t.rank - 2] = bins, dims[t.rank - 1] = 2;
    return vt__onnx_reshape_to(n, x, t.rank, dims);
}

static void check(const vt_onnx_node *n, const vt_gvalue *x) {
    vt__onnx_want_floats(n, x);
    if (x->type.rank < 2 || x->type.dim[x->type.rank - 1] < 1 || x->type.dim[x->type.rank - 1] > 2)
        vt__onnx_wrong(n, "the last axis of the input is not one of 1 or 2 parts");
}

/* The axis is an attribute up to operator set 19, an input from 20 on. */
void vt__onnx_dft(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0);
    bool inverse = vt__onnx_int(n, "inverse", 0) != 0, half = vt__onnx_int(n, "onesided", 0) != 0;
    int64_t given = n->r->opset < 20 ? vt__onnx_int(n, "axis", 1) : -2;
    check(n, x);
    if (n->r->opset >= 20 && vt__onnx_in(n, 2)) given = (int64_t)vt__onnx_constant_number(n, 2, "axis");
    uint32_t axis = vt__onnx_axis(n, given, x->type.rank), last = x->type.rank - 1;
    if (axis == last) vt__onnx_wrong(n, "axis %u is that of real and imaginary parts", (unsigned)axis);
    if (half && inverse) vt__onnx_unsupported(n, "inverse together with onesided");
    x = vt__mk_move_axis(n, x, axis, last - 1);
    if (vt__onnx_in(n, 1)) {
        double wants = vt__onnx_constant_number(n, 1, "dft_length");
        int64_t has = x->type.dim[last - 1], pads[2 * VT_MAX_RANK] = {0};
        if (wants < 1 || wants > (double)(1 << 20)) vt__onnx_wrong(n, "a length of %g", wants);
        pads[2 * last] = (int64_t)wants - has; /* more zeros, or less */
        if ((int64_t)wants != has)
            x = vt__onnx_make(n, VT_G_PAD, 1, &x, VT_ONNX_ATTRIBUTES(VT_GSET_INTS(PADS, 2 * last + 2, pads)));
    }
    vt__onnx_out(n, 0, vt__mk_move_axis(n, transformed(n, x, inverse, half), last - 1, axis));
}

/* Frames of a signal [images, samples] or [images, samples, parts], times a window, transformed. */
void vt__onnx_stft(const vt_onnx_node *n) {
    vt_gvalue *x = vt__onnx_need(n, 0), *window = vt__onnx_in(n, 2);
    double step = vt__onnx_constant_number(n, 1, "frame_step"), size = 0;
    bool half = vt__onnx_int(n, "onesided", 1) != 0;
    if (x->type.rank == 2) x = vt__mk_unsqueeze(n, x, 2);
    check(n, x);
    if (vt__onnx_in(n, 3)) size = vt__onnx_constant_number(n, 3, "frame_length");
    if (window && !size) size = (double)vt_gtype_count(&window->type);
    if (x->type.rank != 3 || !(step >= 1) || !(size >= 1) || size > (double)x->type.dim[1])
        vt__onnx_wrong(n, "frames of %g, in steps of %g, of the signal", size, step);
    int64_t length = (int64_t)size, by = (int64_t)step, frames = (x->type.dim[1] - length) / by + 1, *table;
    vt_gvalue *at = vt__mk_room(n, VT_ELEMENT_I64, 2, (int64_t[]){frames, length}, &table);
    for (int64_t f = 0; f < frames; f++)
        for (int64_t i = 0; i < length; i++) *table++ = f * by + i;
    x = vt__mk_take(n, x, 1, at);
    if (window) x = vt__mk_two(n, VT_G_MUL, x, vt__onnx_reshape_to(n, window, 2, (int64_t[]){length, 1}));
    vt__onnx_out(n, 0, transformed(n, x, false, half && x->type.dim[3] == 1));
}

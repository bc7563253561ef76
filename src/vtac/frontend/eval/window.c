/* What convolutions and pools share. */
#include "frontend/eval/priv.h"

vt_windows vt__windows_of(const vt_gnode *n, const vt_gtype *in, const vt_gtype *out, const int64_t *kernel) {
    const int64_t *strides = vt_gattr_ints(n, VT_A_STRIDES), *pads = vt_gattr_ints(n, VT_A_PADS);
    const int64_t *dilations = vt_gattr_ints(n, VT_A_DILATIONS);
    uint32_t w = in->rank - 3; /* of lists: 0 or 1 */
    vt_windows v = {.images = in->dim[0],
                    .channels = in->dim[1],
                    .in_h = 1,
                    .in_w = in->dim[2 + w],
                    .out_h = 1,
                    .out_w = out->dim[2 + w],
                    .kernel_h = 1,
                    .kernel_w = kernel[w],
                    .stride_h = 1,
                    .stride_w = strides[w],
                    .dilation_h = 1,
                    .dilation_w = dilations[w],
                    .left = pads[w]};
    if (!w) return v;
    v.in_h = in->dim[2];
    v.out_h = out->dim[2];
    v.kernel_h = kernel[0];
    v.stride_h = strides[0];
    v.dilation_h = dilations[0];
    v.top = pads[0];
    return v;
}

static int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

void vt__inside(int64_t at, int64_t stride, int64_t dilation, int64_t before, int64_t in, int64_t out, int64_t *begin,
                int64_t *end) {
    int64_t shift = before - at * dilation; /* 0 <= i * stride - shift < in */
    *begin = ceil_div(shift, stride);
    *end = ceil_div(in + shift, stride);
    if (*end > out) *end = out;
    if (*begin > *end) *begin = *end;
}

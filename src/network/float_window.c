/* Nodes on floats that look at neighbours, or move them: averages, blocks of pixels, borders. */
#include <inttypes.h>

#include "network/float.h"

bool vt__float_average(const vt_host *host, const vt_gnode *is, vtac_kernel **out, vta_status *out_status) {
    const vt_gtype *in = &is->inputs[0]->type, *to = &is->outputs[0]->type;
    const int64_t *kernel = vt_gattr_ints(is, VT_A_KERNEL), *strides = vt_gattr_ints(is, VT_A_STRIDES);
    const int64_t *pads = vt_gattr_ints(is, VT_A_PADS);
    if (in->rank != 4) return false;
    const vt_host_pool pool = {
        .window = {in->dim[0], in->dim[1], in->dim[2], in->dim[3], kernel[0], kernel[1], strides[0], strides[1], 1, 1,
                   pads[0], pads[1], to->dim[2], to->dim[3]},
        .form = {.type = "float32"},
        .average = true,
        .count_padding = vt_gattr_int(is, VT_A_COUNT_PADS) != 0,
    };
    *out_status = vt_host_pool_kernel(host, &pool, out);
    return true;
}

/* Where an element of the result comes from, in expressions of i0 to i3. */
const char *vt__float_blocks(vt_ctx *ctx, const vt_gnode *is) {
    int64_t b = vt_gattr_int(is, VT_A_BLOCKSIZE), channels = is->inputs[0]->type.dim[1];
    if (is->op == VT_G_SPACE_TO_DEPTH)
        return vt_new_format(ctx,
                             "i0, i1 %% %" PRId64 ", i2 * %" PRId64 " + i1 // %" PRId64 ", i3 * %" PRId64
                             " + i1 // %" PRId64 " %% %" PRId64,
                             channels, b, channels * b, b, channels, b);
    const char *pixel = vt_new_format(ctx, "(i2 %% %" PRId64 " * %" PRId64 " + i3 %% %" PRId64 ")", b, b, b);
    const char *channel = vt_gattr_int(is, VT_A_ORDER) == VT_ORDER_DCR
                              ? vt_new_format(ctx, "%s * %" PRId64 " + i1", pixel, channels / (b * b))
                              : vt_new_format(ctx, "i1 * %" PRId64 " + %s", b * b, pixel);
    return vt_new_format(ctx, "i0, %s, i2 // %" PRId64 ", i3 // %" PRId64, channel, b, b);
}

/* The place that a border shows: mirrored at the last element, or that element. */
const char *vt__float_border(vt_ctx *ctx, const char *at, int64_t extent, bool mirrored) {
    if (!mirrored) return vt_new_format(ctx, "min(max(%s, 0), %" PRId64 ")", at, extent - 1);
    const char *from_first = vt_new_format(ctx, "max(%s, 0 - (%s))", at, at);
    return vt_new_format(ctx, "min(%s, %" PRId64 " - %s)", from_first, 2 * (extent - 1), from_first);
}

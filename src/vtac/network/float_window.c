/* Nodes on floats that look at neighbours, or move them: averages, blocks of pixels, borders. */
#include <inttypes.h>

#include "network/float.h"

/* Windows of images; a sequence is an image of one row. */
static bool window_of(const vt_gnode *is, const int64_t *kernel, vt_host_window *out) {
    const vt_gtype *in = &is->inputs[0]->type, *to = &is->outputs[0]->type;
    const int64_t *strides = vt_gattr_ints(is, VT_A_STRIDES), *pads = vt_gattr_ints(is, VT_A_PADS);
    const int64_t *dilations = vt_gattr_ints(is, VT_A_DILATIONS);
    bool image = in->rank == 4;
    uint32_t w = image; /* which of the numbers is of columns */
    if (!image && in->rank != 3) return false;
    *out = (vt_host_window){.n = in->dim[0],
                            .c = in->dim[1],
                            .h = image ? in->dim[2] : 1,
                            .w = in->dim[2 + w],
                            .kernel_h = image ? kernel[0] : 1,
                            .kernel_w = kernel[w],
                            .stride_h = image ? strides[0] : 1,
                            .stride_w = strides[w],
                            .dilation_h = image ? dilations[0] : 1,
                            .dilation_w = dilations[w],
                            .pad_top = image ? pads[0] : 0,
                            .pad_left = pads[w],
                            .out_h = image ? to->dim[2] : 1,
                            .out_w = to->dim[2 + w]};
    return true;
}

vta_status vt__float_pool(const vt__float_node *o, vtac_kernel **out) {
    bool average = o->is->op == VT_G_AVERAGE_POOL;
    vt_host_pool pool = {.form = {.type = o->shapes[0].type},
                         .average = average,
                         .count_padding = average && vt_gattr_int(o->is, VT_A_COUNT_PADS) != 0};
    if (!window_of(o->is, vt_gattr_ints(o->is, VT_A_KERNEL), &pool.window))
        vt__float_refuse(o, "only pools of images and sequences are compiled");
    return vt_host_pool_kernel(&o->host, &pool, out);
}

vta_status vt__float_conv(const vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *weights = &o->is->inputs[1]->type;
    bool integers = o->is->op == VT_G_CONV_INTEGER;
    vt_host_conv conv = {.out_c = o->is->outputs[0]->type.dim[1],
                         .groups = vt_gattr_int(o->is, VT_A_GROUP),
                         .of = vt__float_factors(o),
                         .bias = !integers && vt_ginput_given(o->is, 2),
                         .transposed = o->is->op == VT_G_CONV_TRANSPOSE};
    if (!window_of(o->is, weights->dim + 2, &conv.window))
        vt__float_refuse(o, "only convolutions of images and sequences are compiled");
    return vt_host_conv_kernel(&o->host, &conv, out);
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

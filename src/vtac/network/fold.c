/* A convolution of pictures leaves most lanes of its input empty: 3 channels of 16. Instead its kernel goes into the
 * lanes (rows, columns, channels of the kernel, in this order), and it becomes one of 1 x 1. The host makes that
 * input from the floats, so this is done where the layer's input is quantized for it alone. */
#include "network/priv.h"
#include "operators/host/host.h"

uint32_t vt__readers_of(const vt__net *n, const vt_qtensor *t) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        for (uint32_t k = 0; k < l->input_count; k++) count += l->inputs[k] == t;
        for (uint32_t k = 0; k < l->step_count; k++) count += l->steps[k].tensor == t;
    }
    return count;
}

bool vt__is_folded(const vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0];
    const vt_qwindow *w = &l->window;
    if (n->options->processor_only || l->kind != VT_Q_CONV || l->group != 1 || x->type.rank != 4 || !x->by ||
        x->by->kind != VT_Q_QUANTIZE || x->channel || x->parts)
        return false;
    bool few = 2 * x->type.dim[1] <= n->block && w->kernel[0] * w->kernel[1] > 1;
    return few && w->dilations[0] == 1 && w->dilations[1] == 1 && vt__readers_of(n, x) == 1;
}

bool vt__is_folded_away(const vt__net *n, const vt_qtensor *t) {
    for (uint32_t i = 0; i < n->net->layer_count; i++)
        if (n->net->layers[i]->input_count && n->net->layers[i]->inputs[0] == t && vt__is_folded(n, n->net->layers[i]))
            return true;
    return false;
}

const int8_t *vt__folded_weights(const vt__net *n, const vt_qlayer *l) {
    int64_t ins = l->weight_type.dim[1], taps = l->window.kernel[0] * l->window.kernel[1];
    int8_t *folded = vt_new_bytes(n->ctx, (size_t)vt_gtype_count(&l->weight_type));
    for (int64_t o = 0; o < l->weight_type.dim[0]; o++)
        for (int64_t i = 0; i < ins; i++)
            for (int64_t t = 0; t < taps; t++) folded[(o * taps + t) * ins + i] = l->weight[(o * ins + i) * taps + t];
    return folded;
}

uint32_t vt__folded_input(vt__net *n, const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0];
    const vt_qwindow *w = &l->window;
    const int64_t *d = x->type.dim, *out = l->output->type.dim;
    int64_t lanes = (d[1] * w->kernel[0] * w->kernel[1] + n->block - 1) / n->block * n->block;
    int64_t images = (d[0] + n->batch - 1) / n->batch * n->batch;
    vt_host host = vt__host_of(n);
    vt_host_im2row o = {.to = {"int8", (uint32_t)n->batch, (uint32_t)n->block},
                        .scale = (double)(float)(1 / x->scale),
                        .low = INT8_MIN,
                        .high = INT8_MAX};
    o.window = (vt_host_window){d[0],          d[1], d[2], d[3],       w->kernel[0], w->kernel[1], w->strides[0],
                                w->strides[1], 1,    1,    w->pads[0], w->pads[1],   out[2],       out[3]};
    vt__args args = {.count = 0};
    vtac_kernel *kernel;
    uint32_t buffer;
    vt__must(n, vt_planner_buffer(n->planner, VT_PLACE_DEVICE, x->name, (uint64_t)(images * lanes * out[2] * out[3]),
                                  n->ctx->diag, &buffer));
    vt__give_place(&args, vt__place_of(n, x->by->inputs[0]));
    vt__give(&args, buffer);
    vt__must(n, vt_host_im2row_kernel(&host, &o, &kernel));
    vt__call_kernel(n, l, kernel, &args);
    return buffer;
}

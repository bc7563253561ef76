/* Windows of convolutions and pools, as ONNX says them. */
#ifndef VT_GRAPH_ONNX_WINDOW_H
#define VT_GRAPH_ONNX_WINDOW_H

#include "frontend/onnx/make.h"

enum { SPATIAL = VT_MAX_RANK };

/* Complete: nothing is left out. */
typedef struct vt_onnx_window {
    uint32_t spatial;
    int64_t kernel[SPATIAL], strides[SPATIAL], dilations[SPATIAL], pads[2 * SPATIAL];
} vt_onnx_window;

#define WINDOW_ATTRIBUTES(w)                                                                                           \
    VT_GSET_INTS(STRIDES, (w).spatial, (w).strides), VT_GSET_INTS(PADS, 2 * (w).spatial, (w).pads),                    \
        VT_GSET_INTS(DILATIONS, (w).spatial, (w).dilations)

/* The convolution of the node's first inputs, with its attributes. */
vt_gvalue *vt__mk_conv(const vt_onnx_node *n, vt_gop op, size_t inputs);

/* op_volume.c: windows over three axes, made of windows over two. `in`: input, weights, bias or NULL. */
vt_gvalue *vt__mk_volume_conv(const vt_onnx_node *n, vt_gvalue *const in[3], const vt_onnx_window *w, int64_t group);
vt_gvalue *vt__mk_volume_conv_transpose(const vt_onnx_node *n, vt_gvalue *const in[3], const vt_onnx_window *w,
                                        const int64_t more[3], int64_t group);
vt_gvalue *vt__mk_volume_pool(const vt_onnx_node *n, vt_gop op, vt_gvalue *x, const vt_onnx_window *w, bool all);

#endif

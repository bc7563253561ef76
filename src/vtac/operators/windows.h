/* Windows over an image: kernel, stride, padding, and which of their taps lie inside. */
#ifndef VT_OPS_WINDOWS_H
#define VT_OPS_WINDOWS_H

#include "operators/lanes.h"
#include "operators/tiles.h"

/* The attributes of VT_IMAGES and VT_WINDOWS, `values` from "batch" on: sizes, groups of lanes, rows and columns of the
 * result. Refuses windows that do not fit, that hold nothing but padding, or whose padding a load cannot make. */
vta_status vt__windows_describe(vtac_op *op, const int64_t *values, vta_diag *diag);

/* One direction. Output y's tap t is the image's element y * stride + t - before. */
typedef struct vt_window_axis {
    int64_t size, taps, stride, before, outs;
} vt_window_axis;

vt_window_axis vt__window_rows(const vt_op_shape *s);
vt_window_axis vt__window_columns(const vt_op_shape *s);
/* Outputs whose tap lies in the image. */
int64_t vt__window_valid(const vt_window_axis *a, int64_t tap);
/* The same as text, "i >= 1 && i < 5" for `axis` i; empty where the tap always lies there. */
void vt__window_condition(const vt_window_axis *a, int64_t tap, const char *axis, char out[96]);
/* Elements of the padded image that the windows of so many outputs cover. */
static inline int64_t vt__window_span(const vt_window_axis *a, int64_t outs) {
    return (outs - 1) * a->stride + a->taps;
}

/* "tensor data_buf", padded to what the windows cover. */
void vt__windows_input(const vt_op_shape *s, vt_strbuf *out);
/* What a tile loads of the image. */
void vt__windows_add_load(const vt_op_shape *s, const vt_op_blocks *b, vt_tile_use *use);

#endif

/* Resize on floats: of rows and columns, or of a sequence, which is an image of one row. */
#include "network/float.h"
#include <inttypes.h>

static vta_status repeat(const vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *in = &o->is->inputs[0]->type, *to = &o->is->outputs[0]->type;
    const char *index = "";
    for (uint32_t i = 0; i < in->rank; i++)
        index = vt_new_format(o->n->ctx, "%s%si%u // %" PRId64, index, i ? ", " : "", i, to->dim[i] / in->dim[i]);
    return vt_host_gather_kernel(&o->host, &o->shapes[0], index, NULL, NULL, &o->result, out);
}

static vt_host_coordinates coordinates_of(const vt_gnode *is) {
    switch (vt_gattr_int(is, VT_A_COORDINATES)) {
    case VT_COORDINATES_ASYMMETRIC: return VT_HOST_ASYMMETRIC;
    case VT_COORDINATES_ALIGN_CORNERS: return VT_HOST_ALIGN_CORNERS;
    case VT_COORDINATES_PYTORCH_HALF_PIXEL: return VT_HOST_PYTORCH_HALF_PIXEL;
    default: return VT_HOST_HALF_PIXEL;
    }
}

static vt_host_rounding rounding_of(const vt_gnode *is) {
    if (vt_gattr_int(is, VT_A_SAMPLING) == VT_SAMPLING_LINEAR) return VT_HOST_LINEAR;
    switch (vt_gattr_int(is, VT_A_ROUNDING)) {
    case VT_ROUNDING_FLOOR: return VT_HOST_FLOOR;
    case VT_ROUNDING_CEIL: return VT_HOST_CEIL;
    case VT_ROUNDING_ROUND_PREFER_CEIL: return VT_HOST_ROUND_UP;
    default: return VT_HOST_ROUND_DOWN;
    }
}

vta_status vt__float_resize(const vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *in = &o->is->inputs[0]->type, *to = &o->is->outputs[0]->type;
    const double *scales = vt_gattr_of(o->is, VT_A_SCALES)->floats;
    uint32_t last = in->rank - 1;
    bool image = in->rank == 4;
    if (vt_gresize_repeats(o->is)) return repeat(o, out);
    if ((!image && in->rank != 3) || in->dim[0] != to->dim[0] || in->dim[1] != to->dim[1] || scales[0] != 1 ||
        scales[1] != 1)
        vt__float_refuse(o, "only rows and columns are resized, or the last of three axes");
    vt_host_resize r = {.n = in->dim[0],
                        .c = in->dim[1],
                        .h = image ? in->dim[2] : 1,
                        .w = in->dim[last],
                        .out_h = image ? to->dim[2] : 1,
                        .out_w = to->dim[last],
                        .scale_h = image ? scales[2] : 1,
                        .scale_w = scales[last],
                        .rounding = rounding_of(o->is),
                        .coordinates = coordinates_of(o->is)};
    return vt_host_resize_kernel(&o->host, &r, out);
}

/* What is asked of a Resize. */
#include "graph/graph.h"

bool vt_gresize_repeats(const vt_gnode *n) {
    const vt_gtype *in = &n->inputs[0]->type, *out = &n->outputs[0]->type;
    int64_t how = vt_gattr_int(n, VT_A_COORDINATES);
    if (vt_gattr_int(n, VT_A_SAMPLING) != VT_SAMPLING_NEAREST || how == VT_COORDINATES_ALIGN_CORNERS) return false;
    for (uint32_t i = 0; i < in->rank; i++)
        if (in->dim[i] == 0 || out->dim[i] % in->dim[i]) return false;
    /* Counting from the corner, only rounding down gives y / factor; from the middle of a pixel, all ways do. */
    return how != VT_COORDINATES_ASYMMETRIC || vt_gattr_int(n, VT_A_ROUNDING) == VT_ROUNDING_FLOOR;
}

/* What is asked of a Resize. */
#include "frontend/graph/graph.h"

/* Counting from the corner, only rounding down gives y / factor; from the middle of a pixel, rounding to the nearest.
 */
static bool rounds_to_factors(const vt_gnode *n) {
    int64_t rounding = vt_gattr_int(n, VT_A_ROUNDING);
    switch (vt_gattr_int(n, VT_A_COORDINATES)) {
    case VT_COORDINATES_ALIGN_CORNERS: return false;
    case VT_COORDINATES_ASYMMETRIC: return rounding == VT_ROUNDING_FLOOR;
    default: return rounding == VT_ROUNDING_ROUND_PREFER_FLOOR || rounding == VT_ROUNDING_ROUND_PREFER_CEIL;
    }
}

bool vt_gresize_repeats(const vt_gnode *n) {
    const vt_gtype *in = &n->inputs[0]->type, *out = &n->outputs[0]->type;
    const double *scales = vt_gattr_of(n, VT_A_SCALES)->floats;
    if (vt_gattr_int(n, VT_A_SAMPLING) != VT_SAMPLING_NEAREST || !rounds_to_factors(n)) return false;
    for (uint32_t i = 0; i < in->rank; i++) /* a scale may be a little more than the whole factor of the extents */
        if (in->dim[i] == 0 || out->dim[i] % in->dim[i] || scales[i] != (double)(out->dim[i] / in->dim[i]))
            return false;
    return true;
}

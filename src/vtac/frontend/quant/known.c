#include "frontend/quant/known.h"

#include <math.h>

/* So many nodes are looked at; a value that is read twice counts twice. */
enum { NODES_MAX = 64 };

static vt_interval interval_of(const vt_gvalue *v, int *left);

static vt_interval together(vt_interval a, vt_interval b) {
    return (vt_interval){fmin(a.least, b.least), fmax(a.most, b.most)};
}

static vt_interval limited(vt_interval x, double least, double most) {
    return (vt_interval){fmin(fmax(x.least, least), most), fmin(fmax(x.most, least), most)};
}

static vt_interval of_inputs(const vt_gnode *n, int *left) {
    vt_interval all = interval_of(n->inputs[0], left);
    for (uint32_t i = 1; i < n->input_count; i++) all = together(all, interval_of(n->inputs[i], left));
    return all;
}

static vt_interval interval_of(const vt_gvalue *v, int *left) {
    const vt_gnode *n = v->by;
    if (!n || (*left)-- <= 0) return (vt_interval){-INFINITY, INFINITY};
    switch ((int)n->op) {
    case VT_G_RELU: return limited(interval_of(n->inputs[0], left), 0, INFINITY);
    case VT_G_CLIP:
        return limited(interval_of(n->inputs[0], left), vt_gattr_float(n, VT_A_MIN), vt_gattr_float(n, VT_A_MAX));
    case VT_G_SIGMOID:
    case VT_G_SOFTMAX: return (vt_interval){0, 1};
    case VT_G_AVERAGE_POOL: /* padding may count: zeros */
        return together(interval_of(n->inputs[0], left), (vt_interval){0, 0});
    case VT_G_MAX_POOL:
    case VT_G_REDUCE_MEAN:
    case VT_G_RESHAPE:
    case VT_G_TRANSPOSE: return interval_of(n->inputs[0], left);
    case VT_G_CONCAT: return of_inputs(n, left);
    default: return (vt_interval){-INFINITY, INFINITY};
    }
}

vt_interval vt_known_interval(const vt_gvalue *v) {
    int left = NODES_MAX;
    return interval_of(v, &left);
}

/* Operators whose loops depend on values, or on what was computed one step before. */
#include "network/float.h"

vta_status vt__float_top_k(vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *x = &o->is->inputs[0]->type;
    uint32_t axis = (uint32_t)vt_gattr_int(o->is, VT_A_AXIS);
    const vt_host_top_k top_k = {.type = vt_element_text(x->element),
                                 .outer = vt_gtype_span(x, 0, axis),
                                 .n = x->dim[axis],
                                 .inner = vt_gtype_span(x, axis + 1, x->rank),
                                 .k = vt_gattr_int(o->is, VT_A_K),
                                 .largest = vt_gattr_int(o->is, VT_A_LARGEST) != 0};
    return vt_host_top_k_kernel(&o->host, &top_k, out);
}

vta_status vt__float_cum_sum(vt__float_node *o, vtac_kernel **out) {
    const vt_gtype *x = &o->is->inputs[0]->type;
    uint32_t axis = (uint32_t)vt_gattr_int(o->is, VT_A_AXIS);
    const vt_host_cum_sum sum = {.type = vt_element_text(x->element),
                                 .outer = vt_gtype_span(x, 0, axis),
                                 .n = x->dim[axis],
                                 .inner = vt_gtype_span(x, axis + 1, x->rank),
                                 .exclusive = vt_gattr_int(o->is, VT_A_EXCLUSIVE) != 0,
                                 .reverse = vt_gattr_int(o->is, VT_A_REVERSE) != 0};
    return vt_host_cum_sum_kernel(&o->host, &sum, out);
}

vta_status vt__float_scatter(vt__float_node *o, vtac_kernel **out) {
    static const vt_host_scatter_how how[] = {[VT_REDUCTION_NONE] = VT_HOST_SCATTER_SET,
                                              [VT_REDUCTION_ADD] = VT_HOST_SCATTER_ADD,
                                              [VT_REDUCTION_MUL] = VT_HOST_SCATTER_MUL,
                                              [VT_REDUCTION_MAX] = VT_HOST_SCATTER_MAX,
                                              [VT_REDUCTION_MIN] = VT_HOST_SCATTER_MIN};
    const vt_gtype *x = &o->is->inputs[0]->type;
    const vt_host_scatter scatter = {.type = vt_element_text(x->element),
                                     .how = how[vt_gattr_int(o->is, VT_A_REDUCTION)],
                                     .rows = x->dim[0],
                                     .width = x->dim[1],
                                     .updates = o->is->inputs[1]->type.dim[0]};
    return vt_host_scatter_kernel(&o->host, &scatter, out);
}

vta_status vt__float_suppression(vt__float_node *o, vtac_kernel **out) {
    const int64_t *scores = o->is->inputs[1]->type.dim;
    const vt_host_suppress suppress = {.images = scores[0],
                                       .classes = scores[1],
                                       .boxes = scores[2],
                                       .k = vt_gattr_int(o->is, VT_A_K),
                                       .iou = vt_gattr_float(o->is, VT_A_IOU),
                                       .score = vt_gattr_float(o->is, VT_A_SCORE),
                                       .centered = vt_gattr_int(o->is, VT_A_CENTERED) != 0};
    return vt_host_suppress_kernel(&o->host, &suppress, out);
}

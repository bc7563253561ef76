/* A max pooling that alone reads a convolution is computed with it, on the sums: bias, factors, shift and limits keep
 * the order of values, so the largest sum becomes the largest result. */
#include "network/priv.h"

static bool keeps_order(const vt_qlayer *l) {
    for (uint32_t i = 0; i < l->step_count; i++) {
        vt_qstep_kind k = l->steps[i].kind;
        if (k != VT_QSTEP_BIAS && k != VT_QSTEP_SHIFT && k != VT_QSTEP_SHIFT_CHANNEL &&
            k != VT_QSTEP_MULTIPLY_CHANNEL && k != VT_QSTEP_ADD && k != VT_QSTEP_MAX && k != VT_QSTEP_MIN)
            return false;
    }
    return true;
}

/* Equal both ways, with the padding at the end that its size asks for. */
static bool is_square(const vt_qlayer *l) {
    const vt_qwindow *w = &l->window;
    int64_t in[4], out[4];
    vt_qtensor_image(&l->inputs[0]->type, in);
    vt_qtensor_image(&l->output->type, out);
    for (int i = 0; i < 2; i++)
        if (w->kernel[i] != w->kernel[0] || w->strides[i] != w->strides[0] || w->dilations[i] != 1 ||
            w->pads[i] != w->pads[0] || out[2 + i] != (in[2 + i] + 2 * w->pads[0] - w->kernel[0]) / w->strides[0] + 1)
            return false;
    return true;
}

static bool is_output(const vt__net *n, const vt_qtensor *t) {
    for (uint32_t i = 0; i < n->net->graph->outputs.count; i++)
        if (n->net->outputs[i] == t) return true;
    return false;
}

/* Rows of larger kernels would be loaded once for each row of sums. */
static bool is_of_one_row(const vt__net *n, const vt_qlayer *l) {
    return l->kind == VT_Q_CONV && l->group == 1 && (l->window.kernel[0] == 1 || vt__is_folded(n, l));
}

const vt_qlayer *vt__pooling_of(const vt__net *n, const vt_qlayer *l) {
    if (!is_of_one_row(n, l) || !keeps_order(l) || vt__readers_of(n, l->output) != 1 || is_output(n, l->output))
        return NULL;
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *p = n->net->layers[i];
        if (p->kind == VT_Q_MAX_POOL && p->inputs[0] == l->output && !p->step_count && is_square(p)) return p;
    }
    return NULL;
}

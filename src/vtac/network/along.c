/* What an operator computes along with its layer, where nothing else reads the layer's result.
 *
 * A max pooling behind a convolution is computed on the sums: bias, factors, shift and limits keep the order of values,
 * so the largest sum becomes the largest result. A function of one integer is the last step of the epilogue, where the
 * hardware has tables: it limits what it looks up to 8 bits, as the layer's result is. */
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

/* The layer that alone reads the tensor, as its first input. */
static const vt_qlayer *reader_of(const vt__net *n, const vt_qtensor *t) {
    if (vt__readers_of(n, t) != 1 || is_output(n, t)) return NULL;
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        const vt_qlayer *l = n->net->layers[i];
        if (l->input_count && l->inputs[0] == t) return l;
    }
    return NULL;
}

static bool is_pooled(const vt__net *n, const vt_qlayer *l, const vt_qlayer *reader) {
    return is_of_one_row(n, l) && keeps_order(l) && reader->kind == VT_Q_MAX_POOL && !reader->step_count &&
           is_square(reader);
}

vt__along vt__along_of(const vt__net *n, const vt_qlayer *l) {
    vt__along a = {NULL, NULL};
    if (vt__is_wide(l->output)) return a;
    const vt_qlayer *reader = reader_of(n, l->output);
    if (reader && is_pooled(n, l, reader)) {
        a.pooling = reader;
        reader = reader_of(n, reader->output);
    }
    if (reader && vt__is_device_table(n, reader) && l->kind != VT_Q_TABLE) a.table = reader;
    return a;
}

bool vt__along_less(vt__along *a) {
    bool some = a->pooling || a->table;
    if (!a->table) a->pooling = NULL;
    a->table = NULL;
    return some;
}

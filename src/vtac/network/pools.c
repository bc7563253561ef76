/* Max poolings of one tensor with windows of several sizes, as detectors have them (5, 9, 13): a larger one is the
 * maximum over results of a smaller one, which it begins with. With stride 1
 *
 *     max of x[y - P2 .. y - P2 + K2 - 1] = max of (max of x[t - P1 .. t - P1 + K1 - 1])
 *                                           over t = y - (P2 - P1) .. y - (P2 - P1) + K2 - K1
 *
 * at the borders too, where both leave out what lies outside: a window of K2 - K1 + 1, with fewer taps to take. */
#include "network/priv.h"

static bool is_plain(const vt_qtensor *t) { return !t->form && !t->parts; }

/* Of stride 1 on neighbours. */
static bool is_dense(const vt_qlayer *l) {
    const vt_qwindow *w = &l->window;
    return l->kind == VT_Q_MAX_POOL && l->inputs[0]->type.rank == 4 && is_plain(l->inputs[0]) && is_plain(l->output) &&
           w->strides[0] == 1 && w->strides[1] == 1 && w->dilations[0] == 1 && w->dilations[1] == 1;
}

/* Its result stands for the input's integers. */
static bool keeps_integers(const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0], *y = l->output;
    return !l->step_count && x->scale == y->scale && x->channel == y->channel && x->type.element == y->type.element;
}

/* The window that is left of the larger one; false: it does not begin with the smaller one. */
static bool rest_of(const vt_qwindow *large, const vt_qwindow *small, vt_qwindow *out) {
    *out = *large;
    for (int i = 0; i < 2; i++) {
        int64_t more = large->kernel[i] - small->kernel[i];
        out->kernel[i] = more + 1;
        for (int side = i; side < 4; side += 2) {
            out->pads[side] = large->pads[side] - small->pads[side];
            if (out->pads[side] < 0 || out->pads[side] > more) return false;
        }
    }
    return out->kernel[0] * out->kernel[1] < large->kernel[0] * large->kernel[1];
}

/* The layer that begins with another one before it: with that which leaves the smallest window. NULL: with none. */
static vt_qlayer *shorter(const vt__net *n, const vt_qlayer *l) {
    vt_qlayer *made = NULL;
    if (!is_dense(l)) return NULL;
    for (uint32_t i = 0; i < n->net->layer_count && n->net->layers[i] != l; i++) {
        const vt_qlayer *before = n->net->layers[i];
        vt_qwindow rest;
        if (!is_dense(before) || before->inputs[0] != l->inputs[0] || !keeps_integers(before) ||
            !rest_of(&l->window, &before->window, &rest))
            continue;
        if (made && rest.kernel[0] * rest.kernel[1] >= made->window.kernel[0] * made->window.kernel[1]) continue;
        const vt_qtensor **in = VT_NEW_ARRAY(n->ctx, const vt_qtensor *, 1);
        *in = before->output;
        if (!made) made = VT_NEW(n->ctx, vt_qlayer);
        *made = *l;
        made->inputs = in;
        made->window = rest;
    }
    return made;
}

void vt__pools_in_turn(vt__net *n) {
    vt_qlayer **layers = VT_NEW_ARRAY(n->ctx, vt_qlayer *, n->net->layer_count + 1);
    bool some = false;
    for (uint32_t i = 0; i < n->net->layer_count; i++) {
        vt_qlayer *made = shorter(n, n->net->layers[i]);
        layers[i] = made ? made : n->net->layers[i];
        some |= made != NULL;
    }
    if (!some) return;
    vt_qnet *to = VT_NEW(n->ctx, vt_qnet);
    *to = *n->net;
    to->layers = layers;
    to->layer_cap = n->net->layer_count;
    n->net = to;
}

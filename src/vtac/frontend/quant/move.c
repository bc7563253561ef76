/* What moves integers: any number of nodes that only take elements of one tensor, in another order, some of them, or
 * with zeros between (shuffles of channels, slices, transpositions, pixels to channels and back), are one layer. It has
 * a list of where each element of its result is in that tensor, which is made by moving the numbers of the places. */
#include <string.h>

#include "base/alloc.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/priv.h"

enum { PLACES_MAX = 1 << 24 }; /* numbers that float32 tells apart */

/* ---- Where they begin and end ------------------------------------------------------------------------------------ */

static bool has_zeros(const vt_gnode *n) {
    return n->op != VT_G_PAD ||
           (vt_gattr_int(n, VT_A_PADDING) == VT_PADDING_CONSTANT && !vt_gattr_float(n, VT_A_VALUE));
}

bool vt__may_move(const vt_gnode *n) {
    switch ((int)n->op) {
    case VT_G_RESHAPE:
    case VT_G_TRANSPOSE:
    case VT_G_SLICE:
    case VT_G_DEPTH_TO_SPACE:
    case VT_G_SPACE_TO_DEPTH: return true;
    case VT_G_PAD: return has_zeros(n);
    case VT_G_GATHER: return n->inputs[1]->data != NULL;
    default: return false;
    }
}

bool vt__is_move(const vt_quantizer *q, const vt_gnode *n) {
    if (!vt__may_move(n) || n->output_count != 1 || n->inputs[0]->data || !q->useful[n->outputs[0]->index])
        return false;
    const vt_gvalue *x = n->inputs[0], *from = q->moved[x->index] ? q->moved[x->index] : x;
    return (q->moved[x->index] || vt__is_whole(q, x)) && from->type.rank >= 2 && from->type.rank <= 4 &&
           vt_gtype_count(&from->type) < PLACES_MAX && vt_gtype_count(&n->outputs[0]->type) > 0;
}

void vt__defer_move(vt_quantizer *q, const vt_gnode *n) {
    const vt_gvalue *x = n->inputs[0];
    q->moved[n->outputs[0]->index] = q->moved[x->index] ? q->moved[x->index] : x;
}

static uint32_t nodes_between(const vt_gvalue *from, const vt_gvalue *to) {
    uint32_t n = 0;
    for (const vt_gvalue *v = to; v != from; v = v->by->inputs[0]) n++;
    return n;
}

/* A reshape between images is a kind of its own; shapes of other ranks have no integers. What a product of two computes
 * is no image. */
void vt__settle_move(vt_quantizer *q, const vt_gvalue *v) {
    const vt_gvalue *from = q->moved[v->index];
    if (!from || q->makers[v->index] || q->chains[v->by->index]) return;
    bool image = q->makers[from->index]->kind != VT_Q_MATMUL;
    bool reshape = image && nodes_between(from, v) == 1 && v->by->op == VT_G_RESHAPE;
    if (reshape || v->type.rank > 4 || v->type.rank < 2) {
        vt__settle_move(q, v->by->inputs[0]);
        vt__start_chain(q, v->by);
        return;
    }
    vt_chain *c = VT_NEW(q->ctx, vt_chain);
    *c = (vt_chain){.head = v->by, .end = v, .kind = VT_Q_MOVE, .from = from};
    q->chains[v->by->index] = q->makers[v->index] = c;
}

/* ---- The layer --------------------------------------------------------------------------------------------------- */

/* The places of `v`'s elements in `from`, from 1 on; 0: a zero. */
static const float *places_of(vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *v) {
    size_t count = (size_t)vt_gtype_count(&v->type);
    float *out = VT_NEW_ARRAY(q->ctx, float, count);
    if (v == from) {
        for (size_t i = 0; i < count; i++) out[i] = (float)(i + 1);
        return out;
    }
    const vt_gnode *n = v->by;
    const void *in[2] = {places_of(q, from, n->inputs[0]), n->input_count > 1 ? n->inputs[1]->data : NULL};
    vta_status status = vt_eval_node(n, in, (void *[]){out}, q->ctx->arena.allocator, q->ctx->diag);
    if (status != VTA_OK) vt_leave(q->ctx, status);
    return out;
}

int32_t *vt__places_between(vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *to) {
    size_t count = (size_t)vt_gtype_count(&to->type);
    int32_t *places = VT_NEW_ARRAY(q->ctx, int32_t, count);
    const float *numbers = places_of(q, from, to);
    for (size_t i = 0; i < count; i++) places[i] = (int32_t)numbers[i] - 1;
    return places;
}

const int32_t *vt__move_places(vt_quantizer *q, vt_chain *c) {
    if (!c->places) c->places = vt__places_between(q, c->from, c->end);
    return c->places;
}

void vt__add_move(vt_quantizer *q, vt_chain *c) {
    const vt_qtensor *x = vt__as_integers(q, c->from);
    vt_qlayer *l = vt__layer_new(q, VT_Q_MOVE, c->head->name, 1, &x, vt__result(q, c->end));
    l->places = vt__move_places(q, c);
    l->node = c->head;
}

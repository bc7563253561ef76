/* Tensors and layers of a quantized network, and what converts between integers and floats. */
#include <string.h>

#include "frontend/quant/norm.h"

vt_qtensor *vt__tensor_new(vt_quantizer *q, const vt_gvalue *v, vt_gtype type, double scale) {
    vt_qnet *net = q->net;
    vt_qtensor *t = VT_NEW(q->ctx, vt_qtensor);
    *t = (vt_qtensor){.name = v->name, .type = type, .scale = scale, .index = net->tensor_count, .value = v};
    vt_grow(q->ctx, &net->tensors, &net->tensor_cap, net->tensor_count + 1, sizeof *net->tensors);
    net->tensors[net->tensor_count++] = t;
    return t;
}

vt_qlayer *vt__layer_new(vt_quantizer *q, vt_qkind kind, const char *name, uint32_t input_count,
                         const vt_qtensor *const *inputs, vt_qtensor *output) {
    vt_qnet *net = q->net;
    vt_qlayer *l = VT_NEW(q->ctx, vt_qlayer);
    const vt_qtensor **copy = VT_NEW_ARRAY(q->ctx, const vt_qtensor *, input_count ? input_count : 1);
    for (uint32_t i = 0; i < input_count; i++) copy[i] = inputs[i];
    *l = (vt_qlayer){.name = name, .kind = kind, .index = net->layer_count, .group = 1};
    l->input_count = input_count;
    l->inputs = copy;
    l->output = output;
    output->by = l;
    vt_grow(q->ctx, &net->layers, &net->layer_cap, net->layer_count + 1, sizeof *net->layers);
    net->layers[net->layer_count++] = l;
    return l;
}

void vt__step(vt_qlayer *l, vt_qstep_kind kind, int32_t number) {
    l->steps[l->step_count++] = (vt_qstep){.kind = kind, .number = number};
}

int32_t vt__most_of(const vt_quantizer *q, const vt_gvalue *v) {
    return q->wide[v->index] ? INT16_MAX : q->options.most;
}

static vt_gtype whole_type(const vt_quantizer *q, const vt_gvalue *v) {
    vt_gtype t = q->stream[v->index].is || q->stream[v->index].is_norm ? vt__rows_type(&v->type) : v->type;
    t.element = vt__most_of(q, v) > INT8_MAX ? VT_ELEMENT_I16 : VT_ELEMENT_I8;
    return t;
}

vt_qtensor *vt__result(vt_quantizer *q, const vt_gvalue *v) {
    vt_qtensor *t = q->whole[v->index] = vt__tensor_new(q, v, whole_type(q, v), vt__scale_of(q, v));
    t->channel = q->channel[v->index];
    t->split = q->stream[v->index].is;
    return t;
}

/* Has it parts? Only where the host makes the integers, and only products read them: parts go into
 * the weights. */
static void set_operand(vt_quantizer *q, vt_qtensor *t) {
    const vt_gvalue *v = t->value;
    const vt_quant_choice *c = q->options.choices ? &q->options.choices[v->index] : NULL;
    if (!c || !c->parts || !vt__is_operand(q, v)) return;
    t->parts = c->parts;
    t->type.dim[1] *= vt_qparts_count(c->parts);
}

bool vt__is_operand(const vt_quantizer *q, const vt_gvalue *v) {
    uint32_t readers = 0;
    if (vt__is_whole(q, v) || v->type.rank < 2 || v->type.rank > 4) return false;
    for (uint32_t i = 0; i < q->g->node_count; i++) {
        const vt_chain *c = q->chains[i];
        if (!c || c->kind == VT_Q_FLOAT) continue;
        if (c->other == v) return false;
        for (uint32_t k = 0; k < c->head->input_count; k++) {
            if (c->head->inputs[k] != v) continue;
            if (c->kind != VT_Q_CONV && c->kind != VT_Q_DENSE) return false;
            readers++;
        }
    }
    return readers > 0;
}

vt_qtensor *vt__as_integers(vt_quantizer *q, const vt_gvalue *v) {
    return q->rows[v->index] ? q->rows[v->index] : vt__as_whole(q, v);
}

/* Of what a product of two computes. */
static vt_qtensor *image_of_rows(vt_quantizer *q, const vt_gvalue *v) {
    const vt_qtensor *from = q->rows[v->index];
    vt_qtensor *to = vt__result(q, v);
    vt_qlayer *l = vt__layer_new(q, VT_Q_MOVE, v->name, 1, &from, to);
    l->places = vt__places_between(q, v, v);
    l->node = v->by;
    return to;
}

vt_qtensor *vt__as_whole(vt_quantizer *q, const vt_gvalue *v) {
    if (q->whole[v->index]) return q->whole[v->index];
    if (q->rows[v->index]) return image_of_rows(q, v);
    const vt_qtensor *from = vt__as_plain(q, v);
    if (!vt_ranges_seen(q->ranges, v))
        vt_raise(q->ctx, VTA_INVALID_ARGUMENT, "%s has no range: observe it, or give samples to calibrate with",
                 v->name);
    vt_qtensor *to = vt__result(q, v);
    set_operand(q, to);
    vt__layer_new(q, VT_Q_QUANTIZE, v->name, 1, &from, to);
    return to;
}

vt_qtensor *vt__as_plain(vt_quantizer *q, const vt_gvalue *v) {
    if (q->plain[v->index]) return q->plain[v->index];
    if (q->makers[v->index] && q->makers[v->index]->kind == VT_Q_TABLE) return vt__function_as_plain(q, v);
    const vt_qtensor *from = q->rows[v->index] ? q->rows[v->index] : q->whole[v->index];
    if (!from) vt_raise(q->ctx, VTA_INTERNAL, "%s is used before a layer computes it", v->name);
    vt_qtensor *to = q->plain[v->index] = vt__tensor_new(q, v, v->type, 0);
    vt__layer_new(q, VT_Q_DEQUANTIZE, v->name, 1, &from, to);
    return to;
}

bool vt_qnet_reads(const vt_qnet *net, const void *data) {
    for (uint32_t i = 0; i < net->layer_count; i++) {
        const vt_qlayer *l = net->layers[i];
        for (uint32_t k = 0; l->kind == VT_Q_FLOAT && k < l->node->input_count; k++)
            if (l->node->inputs[k] && l->node->inputs[k]->data == data) return true;
    }
    return false;
}

void vt_qtensor_image(const vt_gtype *t, int64_t out[4]) {
    for (uint32_t i = 0; i < 4; i++) out[i] = 1;
    if (t->rank > 0) out[0] = t->dim[0];
    if (t->rank > 1) out[1] = t->dim[1];
    if (t->rank == 3) out[3] = t->dim[2];
    if (t->rank == 4) out[2] = t->dim[2], out[3] = t->dim[3];
}

bool vt_qtensor_same_image(const vt_gtype *a, const vt_gtype *b) {
    int64_t x[4], y[4];
    vt_qtensor_image(a, x);
    vt_qtensor_image(b, y);
    return !memcmp(x, y, sizeof x);
}

void vt__pair_of(const vt_gnode *n, vt_gattr_name name, int64_t out[2]) {
    const vt_gattr *a = vt_gattr_of(n, name);
    out[0] = a->count == 2 ? a->ints[0] : 1;
    out[1] = a->ints[a->count - 1];
}

void vt__set_window(vt_qlayer *l, const vt_gnode *n) {
    const vt_gattr *pads = vt_gattr_of(n, VT_A_PADS);
    vt__pair_of(n, VT_A_STRIDES, l->window.strides);
    vt__pair_of(n, VT_A_DILATIONS, l->window.dilations);
    for (uint32_t i = 0; i < pads->count; i++) l->window.pads[pads->count == 4 ? i : 2 * i + 1] = pads->ints[i];
}

/* The steps on accumulators, and what stands between floats and integers. */
#include <math.h>

#include "frontend/quant/eval_priv.h"

void vt__store_integer(const vt_qtensor *t, void *data, int64_t i, int32_t x) {
    if (t->type.element == VT_ELEMENT_I8)
        ((int8_t *)data)[i] = (int8_t)x;
    else
        ((int16_t *)data)[i] = (int16_t)x;
}

static int32_t wrap(int64_t x) { return (int32_t)(uint32_t)(uint64_t)x; }

static int32_t done(const vt__qcall *c, const vt_qstep *s, int32_t x, int64_t channel, int64_t at) {
    switch (s->kind) {
    case VT_QSTEP_BIAS: return wrap((int64_t)x + s->channel[channel]);
    case VT_QSTEP_SHIFT: return x >> s->number;
    case VT_QSTEP_SHIFT_CHANNEL: return x >> s->channel[channel];
    case VT_QSTEP_MULTIPLY: return wrap((int64_t)x * s->number);
    case VT_QSTEP_MULTIPLY_CHANNEL: return wrap((int64_t)x * s->channel[channel]);
    case VT_QSTEP_RESIDUAL:
        return wrap(x + (int64_t)s->number * vt_qtensor_at(s->tensor, c->values[s->tensor->index].data, at));
    case VT_QSTEP_ADD: return wrap((int64_t)x + s->number);
    case VT_QSTEP_MAX: return x > s->number ? x : s->number;
    case VT_QSTEP_MIN: return x < s->number ? x : s->number;
    case VT_QSTEP_LEAKY: return x < 0 ? x >> s->number : x;
    case VT_QSTEP_COUNT: break;
    }
    return x;
}

void vt__finish(const vt__qcall *c, int32_t *acc, int64_t count, int64_t channel, int64_t at) {
    const vt_qlayer *l = c->layer;
    for (uint32_t k = 0; k < l->step_count; k++)
        for (int64_t i = 0; i < count; i++) acc[i] = done(c, &l->steps[k], acc[i], channel, at + i);
    for (int64_t i = 0; i < count; i++) vt__store_integer(l->output, c->out, at + i, acc[i]);
}

/* Where its parts go: of a number of 8 + VT_QFINE_BITS bits, or of one of 8. */
static void store_parts(const vt_qtensor *t, void *data, int64_t at, int64_t plane, int32_t x) {
    int32_t high = t->parts & VT_QPART_FINE ? (x + (1 << (VT_QFINE_BITS - 1))) >> VT_QFINE_BITS : x;
    vt__store_integer(t, data, at, high);
    if (t->parts & VT_QPART_FINE) vt__store_integer(t, data, at += plane, x - high * (1 << VT_QFINE_BITS));
    if (t->parts & VT_QPART_COARSE)
        vt__store_integer(t, data, at + plane, (high + (1 << (VT_QCOARSE_BITS - 1))) >> VT_QCOARSE_BITS);
}

/* One channel after the other: each may have a scale, and parts. */
static void quantize_channels(const vt__qcall *c) {
    const vt_qtensor *t = c->layer->output;
    const vt_gtype *from = &c->layer->inputs[0]->type;
    int64_t plane = from->rank > 2 ? vt_gtype_span(from, 2, from->rank) : 1, parts = vt_qparts_count(t->parts);
    float least, most;
    vt_qtensor_limits(t, &least, &most);
    for (int64_t k = 0; k < from->dim[0] * from->dim[1]; k++) {
        const float *in = (const float *)c->in + k * plane, by = vt_qtensor_factor(t, k % from->dim[1]);
        for (int64_t i = 0; i < plane; i++) {
            float x = nearbyintf(in[i] * by);
            int32_t number = x >= least ? x <= most ? (int32_t)x : (int32_t)most : (int32_t)least;
            store_parts(t, c->out, k * parts * plane + i, plane, number);
        }
    }
}

/* Of `i`, an element of matrices, the place among those of which each is the transpose. */
static int64_t exchanged(vt_qmatrices m, int64_t i) {
    int64_t size = m.rows * m.columns, at = i % size;
    return i - at + at % m.columns * m.rows + at / m.columns;
}

void vt__run_quantize(const vt__qcall *c) {
    const vt_qtensor *t = c->layer->output;
    if (t->channel || t->parts) {
        quantize_channels(c);
        return;
    }
    const float *in = c->in, by = (float)(1 / t->scale);
    int64_t count = vt_gtype_count(&t->type);
    float least = (float)vt_element_least(t->type.element), most = (float)vt_element_max(t->type.element);
    if (t->split) least = -VT_QSTREAM_MAX, most = VT_QSTREAM_MAX;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = c->layer->repeated     ? i % t->matrices.columns
                     : c->layer->transposed ? exchanged(t->matrices, i)
                                            : i;
        float x = nearbyintf(in[at] * by);
        vt__store_integer(t, c->out, i, x >= least ? x <= most ? (int32_t)x : (int32_t)most : (int32_t)least);
    }
}

void vt__run_dequantize(const vt__qcall *c) {
    const vt_qtensor *t = c->layer->inputs[0];
    int64_t count = vt_gtype_count(&t->type), plane = t->type.rank > 2 ? vt_gtype_span(&t->type, 2, t->type.rank) : 1;
    for (int64_t i = 0; i < count; i++)
        ((float *)c->out)[i] =
            (float)vt_qtensor_at(t, c->in, i) * (float)vt_qtensor_scale(t, t->channel ? i / plane % t->type.dim[1] : 0);
}

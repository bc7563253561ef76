/* Pooling, sums, and what moves integers. */
#include <string.h>

#include "frontend/quant/eval_priv.h"

/* ---- Windows --------------------------------------------------------------------------------------------------- */

typedef struct window {
    const vt__qcall *c;
    int64_t in[4], out[4];
} window;

static window window_of(const vt__qcall *c) {
    window w = {.c = c};
    vt_qtensor_image(&c->layer->inputs[0]->type, w.in);
    vt_qtensor_image(&c->layer->output->type, w.out);
    return w;
}

/* The sum and the largest of output (plane, y, x). */
static void look(const window *w, int64_t plane, int64_t y, int64_t x, int32_t *out_sum, int32_t *out_max) {
    const vt_qwindow *v = &w->c->layer->window;
    *out_sum = 0;
    *out_max = INT32_MIN;
    for (int64_t ky = 0; ky < v->kernel[0]; ky++)
        for (int64_t kx = 0; kx < v->kernel[1]; kx++) {
            int64_t row = y * v->strides[0] + ky * v->dilations[0] - v->pads[0];
            int64_t column = x * v->strides[1] + kx * v->dilations[1] - v->pads[1];
            if (row < 0 || row >= w->in[2] || column < 0 || column >= w->in[3]) continue;
            int32_t one = vt_qtensor_at(w->c->layer->inputs[0], w->c->in, (plane * w->in[2] + row) * w->in[3] + column);
            *out_sum += one;
            if (one > *out_max) *out_max = one;
        }
}

static void each_window(const vt__qcall *c, bool sum) {
    window w = window_of(c);
    for (int64_t plane = 0; plane < w.out[0] * w.out[1]; plane++)
        for (int64_t y = 0; y < w.out[2]; y++)
            for (int64_t x = 0; x < w.out[3]; x++) {
                int32_t all, most;
                look(&w, plane, y, x, &all, &most);
                vt__finish(c, sum ? &all : &most, 1, plane % w.out[1], (plane * w.out[2] + y) * w.out[3] + x);
            }
}

void vt__run_max_pool(const vt__qcall *c) { each_window(c, false); }

void vt__run_sum_pool(const vt__qcall *c) { each_window(c, true); }

void vt__run_map(const vt__qcall *c) {
    const vt_gtype *t = &c->layer->output->type;
    int64_t count = vt_gtype_count(t), plane = t->rank > 2 ? vt_gtype_span(t, 2, t->rank) : 1;
    int64_t channels = t->rank > 1 ? t->dim[1] : 1;
    for (int64_t i = 0; i < count; i++) {
        int32_t x = vt_qtensor_at(c->layer->inputs[0], c->in, i);
        vt__finish(c, &x, 1, i / plane % channels, i);
    }
}

/* The second input has the first one's elements, or one for all rows and columns of a channel. */
void vt__run_mul(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    const vt_gtype *t = &l->output->type;
    const int8_t *a = c->in, *b = c->values[l->inputs[1]->index].data;
    int64_t count = vt_gtype_count(t), plane = t->rank > 2 ? vt_gtype_span(t, 2, t->rank) : 1;
    int64_t of_one = count / vt_gtype_count(&l->inputs[1]->type);
    for (int64_t i = 0; i < count; i++) {
        int32_t x = a[i] * b[i / of_one];
        vt__finish(c, &x, 1, i / plane % t->dim[1], i);
    }
}

void vt__run_table(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    const vt_gtype *t = &l->output->type;
    int64_t count = vt_gtype_count(t), plane = t->rank > 2 ? vt_gtype_span(t, 2, t->rank) : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (i / plane % l->table_rows) * VT_QTABLE_INTEGERS + ((const int8_t *)c->in)[i] - INT8_MIN;
        if (l->output->scale == 0)
            ((float *)c->out)[i] = ((const float *)l->table)[at];
        else
            ((int8_t *)c->out)[i] = ((const int8_t *)l->table)[at];
    }
}

/* ---- What moves ------------------------------------------------------------------------------------------------ */

void vt__run_move(const vt__qcall *c) {
    const int32_t *places = c->layer->places;
    int64_t count = vt_gtype_count(&c->layer->output->type);
    for (int64_t i = 0; i < count; i++) ((int8_t *)c->out)[i] = places[i] < 0 ? 0 : ((const int8_t *)c->in)[places[i]];
}

void vt__run_concat(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    const vt_gtype *t = &l->output->type;
    uint32_t axis = (uint32_t)l->axis;
    int64_t outer = vt_gtype_span(t, 0, axis);
    size_t element = vt_element_bytes(t->element), row = (size_t)vt_gtype_span(t, axis, t->rank) * element, at = 0;
    for (uint32_t k = 0; k < l->input_count; k++) {
        const vt_gtype *from = &l->inputs[k]->type;
        size_t part = (size_t)vt_gtype_span(from, axis, from->rank) * element;
        for (int64_t i = 0; i < outer; i++)
            memcpy((char *)c->out + (size_t)i * row + at,
                   (const char *)c->values[l->inputs[k]->index].data + (size_t)i * part, part);
        at += part;
    }
}

void vt__run_upsample(const vt__qcall *c) {
    const vt_qlayer *l = c->layer;
    window w = window_of(c);
    for (int64_t plane = 0; plane < w.out[0] * w.out[1]; plane++)
        for (int64_t y = 0; y < w.out[2]; y++)
            for (int64_t x = 0; x < w.out[3]; x++)
                vt__store_integer(l->output, c->out, (plane * w.out[2] + y) * w.out[3] + x,
                                  vt_qtensor_at(l->inputs[0], c->in,
                                                (plane * w.in[2] + y / l->scale[0]) * w.in[3] + x / l->scale[1]));
}

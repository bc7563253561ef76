/* Between numbers and the bytes that stand for them. */
#include "frontend/eval/priv.h"

int32_t vt__byte_at(const void *data, vt_element element, int64_t i) {
    return element == VT_ELEMENT_I8 ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
}

void vt__byte_set(void *data, vt_element element, int64_t i, int32_t value) {
    if (element == VT_ELEMENT_I8)
        ((int8_t *)data)[i] = (int8_t)value;
    else
        ((uint8_t *)data)[i] = (uint8_t)value;
}

/* Adding it leaves no fraction bits, so that the sum is rounded, to the even one of two; taking it away gives an
 * integer. For numbers below 2^21. */
#define NO_FRACTION 12582912.0f

/* Saturated first: the bounds are integers, so that rounding does not leave them. */
static inline float quantized(float x, float scale, float least, float most) {
    float y = x / scale;
    y = y < least ? least : y > most ? most : y;
    y = y == y ? y : 0;
    return y + NO_FRACTION - NO_FRACTION;
}

int32_t vt__quantize(float x, float scale, int32_t zero, vt_element to) {
    float least = (float)vt_element_least(to) - (float)zero, most = (float)vt_element_max(to) - (float)zero;
    return (int32_t)quantized(x, scale, least, most) + zero;
}

/* Scale and zero point of element i of x. */
typedef struct parameters {
    const float *scales;
    const void *zeros;
    int64_t count, extent, inner; /* scales; of the axis that they belong to; elements of x for each of its entries */
} parameters;

static parameters parameters_of(const vt_eval_call *c) {
    const vt_gtype *x = vt__in_type(c, 0);
    uint32_t axis = (uint32_t)vt_gattr_int(c->n, VT_A_AXIS);
    parameters p = {c->in[1], vt__in(c, 2), vt_gtype_count(vt__in_type(c, 1)), 1, 1};
    if (p.count == 1) return p;
    p.extent = x->dim[axis];
    p.inner = vt_gtype_span(x, axis + 1, x->rank);
    return p;
}

static int64_t entry(const parameters *p, int64_t i) { return p->count == 1 ? 0 : i / p->inner % p->extent; }

/* Elements that share scale and zero point: `n` of them, the same one again after all others. */
static int64_t run_of(const parameters *p, int64_t all) { return p->count == 1 ? all : p->inner; }

vta_status vt__eval_quantize_linear(const vt_eval_call *c) {
    parameters p = parameters_of(c);
    vt_element from = vt__in_type(c, 0)->element, to = vt__out_type(c)->element;
    int64_t all = vt_gtype_count(vt__out_type(c)), n = run_of(&p, all);
    for (int64_t at = 0; n && at < all; at += n) {
        int64_t k = entry(&p, at);
        int32_t zero = p.zeros ? vt__byte_at(p.zeros, to, k) : 0;
        float scale = p.scales[k], least = (float)vt_element_least(to) - (float)zero;
        float most = (float)vt_element_max(to) - (float)zero;
        uint8_t *bytes = (uint8_t *)c->out[0] + at;
        for (int64_t i = 0; i < n; i++) {
            float x =
                from == VT_ELEMENT_F32 ? ((const float *)c->in[0])[at + i] : (float)((const int32_t *)c->in[0])[at + i];
            bytes[i] = (uint8_t)((int32_t)quantized(x, scale, least, most) + zero); /* int8 in two's complement */
        }
    }
    return VTA_OK;
}

static int32_t integer_at(const void *data, vt_element element, int64_t i) {
    return element == VT_ELEMENT_I32 ? ((const int32_t *)data)[i] : vt__byte_at(data, element, i);
}

vta_status vt__eval_dequantize_linear(const vt_eval_call *c) {
    parameters p = parameters_of(c);
    vt_element from = vt__in_type(c, 0)->element;
    int64_t all = vt_gtype_count(vt__out_type(c)), n = run_of(&p, all);
    for (int64_t at = 0; n && at < all; at += n) {
        int64_t k = entry(&p, at);
        uint32_t zero = p.zeros ? (uint32_t)integer_at(p.zeros, from, k) : 0;
        float scale = p.scales[k], *to = (float *)c->out[0] + at;
        for (int64_t i = 0; i < n; i++)
            to[i] = (float)(int32_t)((uint32_t)integer_at(c->in[0], from, at + i) - zero) * scale;
    }
    return VTA_OK;
}

/* The range always holds 0, so that 0 is a number without error. */
vta_status vt__eval_dynamic_quantize_linear(const vt_eval_call *c) {
    const float *x = c->in[0];
    float least = 0, most = 0;
    int64_t count = vt_gtype_count(vt__in_type(c, 0));
    for (int64_t i = 0; i < count; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    float scale = (most - least) / 255;
    int32_t zero = scale > 0 ? vt__quantize(0 - least, scale, 0, VT_ELEMENT_U8) : 0;
    for (int64_t i = 0; i < count; i++)
        ((uint8_t *)c->out[0])[i] = (uint8_t)vt__quantize(x[i], scale > 0 ? scale : 1, zero, VT_ELEMENT_U8);
    *(float *)c->out[1] = scale;
    *(uint8_t *)c->out[2] = (uint8_t)zero;
    return VTA_OK;
}

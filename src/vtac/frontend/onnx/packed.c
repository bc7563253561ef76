/* Tensors of floats of 16 bits, which become float32, and of integers of 4 bits, which become bytes. */
#include <math.h>
#include <string.h>

#include "frontend/onnx/priv.h"

enum { BFLOAT16 = 16, UINT4 = 21, INT4 = 22 }; /* ONNX's numbers; headers of older versions do not have all */

bool vt__onnx_is_packed(int64_t type) {
    return type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16 || type == BFLOAT16 || type == UINT4 || type == INT4;
}

bool vt__onnx_packed_element(int64_t type, vt_element *out_element) {
    *out_element = type == UINT4 ? VT_ELEMENT_U8 : type == INT4 ? VT_ELEMENT_I8 : VT_ELEMENT_F32;
    return vt__onnx_is_packed(type);
}

void vt__onnx_note_four_bits(vt_onnx_reader *r, const vt_gvalue *v) {
    vt_onnx_four_bits *f = r->four_bits;
    if (!f) return;
    vt_grow(r->ctx, &f->item, &f->cap, f->count + 1, sizeof *f->item);
    f->item[f->count++] = v;
}

bool vt__onnx_has_four_bits(const vt_onnx_reader *r, const vt_gvalue *v) {
    for (uint32_t i = 0; r->four_bits && i < r->four_bits->count; i++)
        if (r->four_bits->item[i] == v) return true;
    return false;
}

static float from_half(uint32_t bits) {
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    float x = exponent == 31  ? (fraction ? NAN : INFINITY)
              : exponent == 0 ? ldexpf((float)fraction, -24)
                              : ldexpf((float)(fraction + 1024), exponent - 25);
    return bits >> 15 & 1 ? -x : x;
}

static float from_bfloat(uint32_t bits) {
    float x;
    bits <<= 16;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float *floats_of(vt_onnx_reader *r, const uint8_t *bytes, size_t count, bool half) {
    float *to = VT_NEW_ARRAY(r->ctx, float, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
        to[i] = half ? from_half(bits) : from_bfloat(bits);
    }
    return to;
}

/* The first of two numbers is in the low bits. */
static uint8_t *bytes_of(vt_onnx_reader *r, const uint8_t *bytes, size_t count, bool is_signed) {
    uint8_t *to = vt_new_bytes(r->ctx, count);
    for (size_t i = 0; i < count; i++) {
        int x = bytes[i / 2] >> i % 2 * 4 & 15;
        to[i] = (uint8_t)(is_signed && x > 7 ? x - 16 : x);
    }
    return to;
}

/* The bytes as they would be in raw data: lists have two or one of them in each integer. */
static const uint8_t *listed(vt_onnx_reader *r, const Onnx__TensorProto *p, size_t each) {
    uint8_t *to = vt_new_bytes(r->ctx, p->n_int32_data * each);
    for (size_t i = 0; i < p->n_int32_data * each; i++)
        to[i] = (uint8_t)((uint32_t)p->int32_data[i / each] >> i % each * 8);
    return to;
}

const void *vt__onnx_packed(vt_onnx_reader *r, const Onnx__TensorProto *p, int64_t elements, const char *name) {
    bool four = p->data_type == UINT4 || p->data_type == INT4;
    size_t count = (size_t)elements, wants = four ? (count + 1) / 2 : count * 2, has = wants;
    const uint8_t *bytes;
    if (p->has_data_location && p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        bytes = vt__onnx_external(r, p, wants);
    else if (p->has_raw_data)
        bytes = p->raw_data.data, has = p->raw_data.len;
    else
        bytes = listed(r, p, four ? 1 : 2), has = p->n_int32_data * (four ? 1 : 2);
    if (has != wants)
        vt__onnx_refuse(r, "tensor %s has data of %zu bytes, where its shape asks for %zu", name, has, wants);
    if (four) return bytes_of(r, bytes, count, p->data_type == INT4);
    return floats_of(r, bytes, count, p->data_type != BFLOAT16);
}

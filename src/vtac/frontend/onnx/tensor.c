/* Tensors of a model as constants of the graph. */
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/priv.h"

/* Element types by ONNX's number. */
static const struct {
    int64_t type;
    vt_element element;
} types[] = {
    {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, VT_ELEMENT_F32},
    {ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE, VT_ELEMENT_F64},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT8, VT_ELEMENT_I8},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT8, VT_ELEMENT_U8},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT16, VT_ELEMENT_I16},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT16, VT_ELEMENT_U16},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT32, VT_ELEMENT_I32},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT32, VT_ELEMENT_U32},
    {ONNX__TENSOR_PROTO__DATA_TYPE__INT64, VT_ELEMENT_I64},
    {ONNX__TENSOR_PROTO__DATA_TYPE__UINT64, VT_ELEMENT_U64},
    {ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, VT_ELEMENT_BOOL},
    /* computed as float32 */
    {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, VT_ELEMENT_F32},
    {ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16, VT_ELEMENT_F32},
};

bool vt__onnx_element(int64_t type, vt_element *out_element) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != type) continue;
        *out_element = types[i].element;
        return true;
    }
    return false;
}

/* A bool in memory is 0 or 1, whatever the file has. */
static const void *truths(vt_onnx_reader *r, const uint8_t *bytes, size_t count) {
    bool *to = vt_new_bytes(r->ctx, count);
    for (size_t i = 0; i < count; i++) to[i] = bytes[i] != 0;
    return to;
}

static void check_count(vt_onnx_reader *r, const char *name, size_t has, size_t wants) {
    if (has != wants) vt__onnx_refuse(r, "tensor %s has data of %zu, where its shape asks for %zu", name, has, wants);
}

static const void *raw(vt_onnx_reader *r, const char *name, const void *bytes, size_t size, const vt_gtype *t) {
    check_count(r, name, size, vt_gtype_bytes(t));
    return t->element == VT_ELEMENT_BOOL ? truths(r, bytes, size) : bytes;
}

/* 32-bit integers that stand for those of a smaller type. */
static const void *narrow(vt_onnx_reader *r, const Onnx__TensorProto *p, const vt_gtype *t, const char *name) {
    size_t count = (size_t)vt_gtype_count(t), bytes = vt_element_bytes(t->element);
    double least = vt_element_least(t->element), most = vt_element_max(t->element);
    char *to = vt_new_bytes(r->ctx, count * bytes);
    check_count(r, name, p->n_int32_data, count);
    for (size_t i = 0; i < count; i++) {
        int32_t x = p->int32_data[i];
        if (x < least || x > most)
            vt__onnx_refuse(r, "tensor %s: %d is not a value of %s", name, (int)x, vt_element_text(t->element));
        memcpy(to + i * bytes, &x, bytes); /* the low bytes come first */
    }
    return to;
}

static const void *listed(vt_onnx_reader *r, const Onnx__TensorProto *p, const vt_gtype *t, const char *name) {
    size_t count = (size_t)vt_gtype_count(t);
    switch (t->element) {
    case VT_ELEMENT_F32: check_count(r, name, p->n_float_data, count); return p->float_data;
    case VT_ELEMENT_F64: check_count(r, name, p->n_double_data, count); return p->double_data;
    case VT_ELEMENT_I32: check_count(r, name, p->n_int32_data, count); return p->int32_data;
    case VT_ELEMENT_I64: check_count(r, name, p->n_int64_data, count); return p->int64_data;
    case VT_ELEMENT_U64: check_count(r, name, p->n_uint64_data, count); return p->uint64_data;
    case VT_ELEMENT_U32: {
        uint32_t *to = VT_NEW_ARRAY(r->ctx, uint32_t, count);
        check_count(r, name, p->n_uint64_data, count);
        for (size_t i = 0; i < count; i++) to[i] = (uint32_t)p->uint64_data[i];
        return to;
    }
    case VT_ELEMENT_I8:
    case VT_ELEMENT_U8:
    case VT_ELEMENT_I16:
    case VT_ELEMENT_U16:
    case VT_ELEMENT_BOOL:
    case VT_ELEMENT_COUNT: break;
    }
    return narrow(r, p, t, name);
}

static const void *data_of(vt_onnx_reader *r, const Onnx__TensorProto *p, const vt_gtype *t, const char *name) {
    if (p->has_data_location && p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
        return raw(r, name, vt__onnx_external(r, p, vt_gtype_bytes(t)), vt_gtype_bytes(t), t);
    return p->has_raw_data ? raw(r, name, p->raw_data.data, p->raw_data.len, t) : listed(r, p, t, name);
}

static vt_gvalue *read_tensor(vt_onnx_reader *r, const Onnx__TensorProto *p, const char *name) {
    vt_element element;
    vt_gtype t;
    if (!vt__onnx_packed_element(p->data_type, &element) && !vt__onnx_element(p->data_type, &element))
        vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: tensor %s: element type %d of ONNX is not supported", r->options->name,
                 name, (int)p->data_type);
    if (p->segment) vt_raise(r->ctx, VTA_UNSUPPORTED, "%s: tensor %s is in segments", r->options->name, name);
    if (!vt_gtype_make(element, p->n_dims, p->dims, &t))
        vt__onnx_refuse(r, "tensor %s: a shape with a negative extent, more than %d axes or %lld elements", name,
                        VT_MAX_RANK, (long long)VT_MAX_ELEMENTS);
    const void *data =
        vt__onnx_is_packed(p->data_type) ? vt__onnx_packed(r, p, vt_gtype_count(&t), name) : data_of(r, p, &t, name);
    vt_gvalue *v = vt_graph_constant(r->g, name, t, data ? data : "");
    if (vt__onnx_is_packed(p->data_type) && element != VT_ELEMENT_F32) vt__onnx_note_four_bits(r, v);
    return v;
}

/* A body is read once for each turn, but its tensors once in all: their data may be as large as the file. */
vt_gvalue *vt__onnx_tensor(vt_onnx_reader *r, const Onnx__TensorProto *p, const char *name) {
    char key[32];
    if (!r->in_body) return read_tensor(r, p, name);
    snprintf(key, sizeof key, "%p", (const void *)p);
    vt_gvalue *v = vt__onnx_map_get(r->tensors, key);
    if (v) return v;
    v = read_tensor(r, p, name);
    vt__onnx_map_put(r->ctx, r->tensors, vt_new_string(r->ctx, key), v);
    return v;
}

/* Packets of TVM's RPC protocol, in and out. */
#include <string.h>

#include "rpc/tvm.h"

/* ---- In ---------------------------------------------------------------------------------------------------------- */

vta_status vt__tvm_read_tensor(vt_rpc_reader *r, vta_diag *diag, vt_tvm_value *v) {
    v->bits = vt__rpc_u64(r);
    v->device.device_type = (DLDeviceType)vt__rpc_u32(r);
    v->device.device_id = (int32_t)vt__rpc_u32(r);
    v->ndim = (int32_t)vt__rpc_u32(r);
    v->type.code = vt__rpc_u8(r);
    v->type.bits = vt__rpc_u8(r);
    v->type.lanes = vt__rpc_u16(r);
    if (v->ndim < 0 || v->ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(diag, VTA_PARSE, "a tensor of %d dimensions; at most %d", v->ndim, VTA_ARRAY_MAX_DIMS);
    for (int32_t i = 0; i < v->ndim; i++) v->shape[i] = (int64_t)vt__rpc_u64(r);
    v->offset = vt__rpc_u64(r);
    return r->failed ? vt_fail(diag, VTA_PARSE, "a tensor is cut short") : VTA_OK;
}

static void read_text(vt_rpc_reader *r, vt_tvm_value *v) {
    uint64_t size = vt__rpc_u64(r);
    if (size > r->left) r->failed = true;
    v->size = r->failed ? 0 : (size_t)size;
    v->text = (const char *)vt__rpc_bytes(r, v->size);
}

static vta_status read_value(vt_rpc_reader *r, vta_diag *diag, vt_tvm_value *v) {
    switch (v->code) {
    case VTA_ARG_INT:
    case VTA_ARG_FLOAT:
    case VTA_ARG_HANDLE:
    case VTA_ARG_MODULE:
    case VTA_ARG_FUNCTION:
    case VTA_ARG_DATA_TYPE: v->bits = vt__rpc_u64(r); break;
    case VTA_ARG_DEVICE:
        v->device.device_type = (DLDeviceType)vt__rpc_u32(r);
        v->device.device_id = (int32_t)vt__rpc_u32(r);
        break;
    case VTA_ARG_NULL: break;
    case VTA_ARG_STRING:
    case VTA_ARG_BYTES: read_text(r, v); break;
    case VTA_ARG_TENSOR:
    case VTA_ARG_NDARRAY: return vt__tvm_read_tensor(r, diag, v);
    default: return vt_fail(diag, VTA_PARSE, "a value of type code %d does not travel", v->code);
    }
    return VTA_OK;
}

vta_status vt__tvm_read_args(vt_rpc_reader *r, vta_diag *diag, vt_tvm_args *a) {
    uint32_t count = vt__rpc_u32(r);
    a->count = 0;
    if (count > VT_TVM_MAX_ARGS)
        return vt_fail(diag, VTA_PARSE, "%u values in a packet; at most %d", count, VT_TVM_MAX_ARGS);
    for (uint32_t i = 0; i < count; i++) a->at[i] = (vt_tvm_value){.code = (int)vt__rpc_u32(r)};
    for (uint32_t i = 0; i < count && !r->failed; i++) VT_TRY(read_value(r, diag, &a->at[i]));
    if (r->failed || r->left) return vt_fail(diag, VTA_PARSE, "a packet is cut short, or has bytes after its end");
    a->count = (int)count;
    return VTA_OK;
}

vta_status vt__tvm_tensor(vt_rpc_session *s, const vt_tvm_value *v, DLTensor *out) {
    vt_rpc_object *object;
    size_t bytes, have;
    VT_TRY(vt__objects_get(&s->objects, v->bits, VT_RPC_ARRAY_OF_BYTES, s->diag, &object));
    const DLTensor *whole = vta_array_tensor(object->u.array);
    *out = (DLTensor){.data = whole->data,
                      .device = whole->device,
                      .ndim = v->ndim,
                      .dtype = v->type,
                      .shape = (int64_t *)v->shape,
                      .byte_offset = v->offset};
    have = vta_array_bytes(object->u.array);
    if (vta_tensor_bytes(out, &bytes) != VTA_OK || v->offset > have || bytes > have - v->offset)
        return vt_fail(s->diag, VTA_OUT_OF_RANGE, "a tensor goes beyond the %zu bytes of its array", have);
    if (v->device.device_type != whole->device.device_type)
        return vt_fail(s->diag, VTA_MISMATCH, "a tensor is said to be on device type %d, and is on %d",
                       (int)v->device.device_type, (int)whole->device.device_type);
    return VTA_OK;
}

/* ---- Out --------------------------------------------------------------------------------------------------------- */

size_t vt__tvm_begin(vt_strbuf *to, uint32_t code) {
    size_t begin = to->size;
    vt__rpc_put_u64(to, 0);
    vt__rpc_put_u32(to, code);
    return begin;
}

void vt__tvm_end(vt_strbuf *to, size_t begin) {
    uint64_t size = to->size - begin - 8;
    for (int i = 0; !to->failed && i < 8; i++) to->text[begin + (size_t)i] = (char)(size >> (8 * i));
}

static void put_value(vt_strbuf *to, int code, uint64_t bits, const char *text, size_t size) {
    if (code == VTA_ARG_NULL) return;
    bool is_text = code == VTA_ARG_STRING || code == VTA_ARG_BYTES;
    vt__rpc_put_u64(to, is_text ? size : bits);
    if (is_text) vt_strbuf_addn(to, text, size);
}

void vt__tvm_return(vt_strbuf *to, bool called, int code, uint64_t bits, const char *text, size_t size) {
    size_t begin = vt__tvm_begin(to, VT_TVM_RETURN);
    bool is_handle = code == VTA_ARG_MODULE || code == VTA_ARG_FUNCTION;
    vt__rpc_put_u32(to, called ? 2 : 1);
    if (called) vt__rpc_put_u32(to, VTA_ARG_INT);
    vt__rpc_put_u32(to, (uint32_t)(is_handle ? VTA_ARG_HANDLE : code));
    if (called) vt__rpc_put_u64(to, (uint64_t)code);
    put_value(to, code, bits, text, size);
    vt__tvm_end(to, begin);
}

void vt__tvm_exception(vt_strbuf *to, const char *text) {
    size_t begin = vt__tvm_begin(to, VT_TVM_EXCEPTION);
    vt__rpc_put_u32(to, 1);
    vt__rpc_put_u32(to, VTA_ARG_STRING);
    vt__rpc_put_u64(to, strlen(text));
    vt_strbuf_add(to, text);
    vt__tvm_end(to, begin);
}

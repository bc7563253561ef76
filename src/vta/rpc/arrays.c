/* Arrays of a session. */
#include <string.h>

#include "rpc/session.h"

vta_status vt__session_array(vt_rpc_session *s, int32_t device, int32_t ndim, const int64_t *shape, DLDataType type,
                             uint64_t *out_array) {
    vt_rpc_object object = {.kind = VT_RPC_ARRAY_OF_BYTES};
    DLTensor wanted = {.ndim = ndim, .dtype = type, .shape = (int64_t *)shape};
    size_t bytes;
    if (vta_tensor_bytes(&wanted, &bytes) == VTA_OK && bytes > s->page->memory_bytes - s->objects.array_bytes)
        return vt_fail(s->diag, VTA_NO_MEMORY,
                       "an array of %zu bytes: this session may have %llu, and its arrays have %llu (--memory of the "
                       "server)",
                       bytes, (unsigned long long)s->page->memory_bytes, (unsigned long long)s->objects.array_bytes);
    if (device == kDLExtDev) VT_TRY(vt__session_runtime(s));
    VT_TRY(vta_array_create(device, ndim, shape, type, s->objects.allocator, s->diag, &object.u.array));
    vta_status status = vt__objects_add(&s->objects, object, s->diag, out_array);
    if (status != VTA_OK) vta_array_free(object.u.array);
    return status;
}

/* So many bytes of an array, as a tensor of bytes. */
typedef struct part {
    int64_t extent;
    DLTensor tensor;
} part;

static vta_status part_of(vt_rpc_session *s, uint64_t number, uint64_t offset, size_t bytes, part *out) {
    vt_rpc_object *object;
    VT_TRY(vt__objects_get(&s->objects, number, VT_RPC_ARRAY_OF_BYTES, s->diag, &object));
    size_t have = vta_array_bytes(object->u.array);
    if (offset > have || bytes > have - offset)
        return vt_fail(s->diag, VTA_OUT_OF_RANGE, "%zu bytes from %llu on of an array of %zu bytes", bytes,
                       (unsigned long long)offset, have);
    const DLTensor *whole = vta_array_tensor(object->u.array);
    out->extent = (int64_t)bytes;
    out->tensor = (DLTensor){.data = whole->data,
                             .device = whole->device,
                             .ndim = 1,
                             .dtype = {kDLUInt, 8, 1},
                             .shape = &out->extent,
                             .byte_offset = whole->byte_offset + offset};
    return VTA_OK;
}

static DLTensor bytes_here(const void *at, int64_t *extent) {
    return (DLTensor){.data = (void *)at, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLUInt, 8, 1}, .shape = extent};
}

vta_status vt__session_write(vt_rpc_session *s, uint64_t array, uint64_t offset, const void *from, size_t bytes) {
    part p;
    VT_TRY(part_of(s, array, offset, bytes, &p));
    DLTensor here = bytes_here(from, &p.extent);
    return bytes ? vta_tensor_copy(&here, &p.tensor, s->diag) : VTA_OK;
}

vta_status vt__session_read(vt_rpc_session *s, uint64_t array, uint64_t offset, size_t bytes, vt_strbuf *to) {
    part p;
    VT_TRY(part_of(s, array, offset, bytes, &p));
    if (!vt_reserve(to->allocator, &to->text, &to->cap, to->size + bytes + 1, 1)) return vt_no_memory(s->diag);
    DLTensor here = bytes_here(to->text + to->size, &p.extent);
    if (bytes) VT_TRY(vta_tensor_copy(&p.tensor, &here, s->diag));
    to->size += bytes;
    to->text[to->size] = '\0';
    return VTA_OK;
}

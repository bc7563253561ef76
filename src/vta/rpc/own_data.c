/* Answers about files and arrays. */
#include "rpc/own.h"

/* ---- Files ------------------------------------------------------------------------------------------------------- */

vta_status vt__answer_UPLOAD(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    uint64_t offset = vt__rpc_u64(&q->in);
    if (q->in.failed) return vt__own_end(q, "UPLOAD");
    return vt__session_upload(q->s, name, offset, q->in.at, q->in.left);
}

vta_status vt__answer_DOWNLOAD(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    uint64_t offset = vt__rpc_u64(&q->in), total;
    uint32_t count = vt__rpc_u32(&q->in);
    VT_TRY(vt__own_end(q, "DOWNLOAD"));
    if (count > VT_RPC_CHUNK_BYTES) count = VT_RPC_CHUNK_BYTES;
    vt_strbuf bytes;
    vt_strbuf_init(&bytes, q->out->allocator);
    vta_status status = vt__session_download(q->s, name, offset, count, &bytes, &total);
    vt__rpc_put_u64(q->out, status == VTA_OK ? total : 0);
    vt_strbuf_addn(q->out, vt_strbuf_text(&bytes), bytes.size);
    if (bytes.failed) status = vt_no_memory(q->s->diag);
    vt_strbuf_free(&bytes);
    return status;
}

vta_status vt__answer_REMOVE(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(vt__own_end(q, "REMOVE"));
    return vt__session_remove(q->s, name);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

vta_status vt__answer_ARRAY(vt_rpc_request *q) {
    int64_t device = (int64_t)vt__rpc_u64(&q->in), shape[VTA_ARRAY_MAX_DIMS];
    DLDataType type;
    type.code = vt__rpc_u8(&q->in);
    type.bits = vt__rpc_u8(&q->in);
    type.lanes = vt__rpc_u16(&q->in);
    uint32_t ndim = vt__rpc_u32(&q->in);
    uint64_t number;
    if (ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "an array of %u dimensions; at most %d", ndim, VTA_ARRAY_MAX_DIMS);
    for (uint32_t i = 0; i < ndim; i++) shape[i] = (int64_t)vt__rpc_u64(&q->in);
    VT_TRY(vt__own_end(q, "ARRAY"));
    if (device < 0 || device > 255) return vt_fail(q->s->diag, VTA_UNSUPPORTED, "device type %lld", (long long)device);
    VT_TRY(vt__session_array(q->s, (int32_t)device, (int32_t)ndim, shape, type, &number));
    vt__rpc_put_u64(q->out, number);
    return VTA_OK;
}

vta_status vt__answer_WRITE(vt_rpc_request *q) {
    uint64_t array = vt__rpc_u64(&q->in);
    uint64_t offset = vt__rpc_u64(&q->in);
    if (q->in.failed) return vt__own_end(q, "WRITE");
    return vt__session_write(q->s, array, offset, q->in.at, q->in.left);
}

vta_status vt__answer_READ(vt_rpc_request *q) {
    uint64_t array = vt__rpc_u64(&q->in);
    uint64_t offset = vt__rpc_u64(&q->in);
    uint32_t count = vt__rpc_u32(&q->in);
    VT_TRY(vt__own_end(q, "READ"));
    if (count > VT_RPC_CHUNK_BYTES)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "READ: %u bytes; at most %d at once", count, VT_RPC_CHUNK_BYTES);
    return vt__session_read(q->s, array, offset, count, q->out);
}

vta_status vt__answer_COPY(vt_rpc_request *q) {
    vt_rpc_object *from, *to;
    uint64_t a = vt__rpc_u64(&q->in);
    uint64_t b = vt__rpc_u64(&q->in);
    VT_TRY(vt__own_end(q, "COPY"));
    VT_TRY(vt__objects_get(&q->s->objects, a, VT_RPC_ARRAY_OF_BYTES, q->s->diag, &from));
    VT_TRY(vt__objects_get(&q->s->objects, b, VT_RPC_ARRAY_OF_BYTES, q->s->diag, &to));
    return vta_array_copy(from->u.array, to->u.array, q->s->diag);
}

vta_status vt__answer_FREE(vt_rpc_request *q) {
    uint64_t number = vt__rpc_u64(&q->in);
    VT_TRY(vt__own_end(q, "FREE"));
    return vt__objects_free(&q->s->objects, number, q->s->diag);
}

/* The client's requests about files and arrays (vta/rpc.def). */
#include <string.h>

#include "rpc/client_session.h"

/* ---- Files ------------------------------------------------------------------------------------------------------- */

vta_status vta_rpc_upload(vta_rpc *rpc, const char *name, const void *bytes, size_t size, vta_diag *diag) {
    VT_CLIENT_NEED(rpc && name && (bytes || !size));
    size_t done = 0;
    do {
        size_t part = size - done < VT_RPC_CHUNK_BYTES ? size - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = vt__client_begin(rpc);
        vt__rpc_put_text(out, name);
        vt__rpc_put_u64(out, done);
        VT_TRY(vt__link_ask_with(&rpc->link, VT_RPC_UPLOAD, part ? (const char *)bytes + done : NULL, part, diag));
        done += part;
    } while (done < size);
    return vt__link_done(&rpc->link, diag);
}

static vta_status download_part(vta_rpc *rpc, const char *name, vt_strbuf *to, uint64_t *out_total, vta_diag *diag) {
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_text(out, name);
    vt__rpc_put_u64(out, to->size);
    vt__rpc_put_u32(out, VT_RPC_CHUNK_BYTES);
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_DOWNLOAD, diag));
    *out_total = vt__rpc_u64(&rpc->link.answer);
    if (rpc->link.answer.failed) return vt__link_done(&rpc->link, diag);
    bool none = !rpc->link.answer.left && to->size < *out_total;
    if (none) return vt_fail(diag, VTA_IO, "%s: %s became shorter meanwhile", rpc->link.place, name);
    vt_strbuf_addn(to, (const char *)rpc->link.answer.at, rpc->link.answer.left);
    return VTA_OK;
}

vta_status vta_rpc_download(vta_rpc *rpc, const char *name, vta_diag *diag, char **out_bytes, size_t *out_size) {
    VT_CLIENT_NEED(rpc && name && out_bytes && out_size);
    vt_strbuf bytes;
    uint64_t total = 0;
    vta_status status;
    *out_bytes = NULL;
    *out_size = 0;
    vt_strbuf_init(&bytes, NULL);
    vt_strbuf_addn(&bytes, "", 0);
    do status = download_part(rpc, name, &bytes, &total, diag);
    while (status == VTA_OK && bytes.size < total && !bytes.failed);
    if (status == VTA_OK && bytes.failed) status = vt_no_memory(diag);
    *out_size = status == VTA_OK ? bytes.size : 0;
    if (status == VTA_OK) *out_bytes = bytes.text; /* the C library's, as vta_string_free wants it */
    if (status != VTA_OK) vt_strbuf_free(&bytes);
    return status;
}

vta_status vta_rpc_remove(vta_rpc *rpc, const char *name, vta_diag *diag) {
    VT_CLIENT_NEED(rpc && name);
    vt__rpc_put_text(vt__client_begin(rpc), name);
    return vt__client_plain(rpc, VT_RPC_REMOVE, diag);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

vta_status vta_rpc_array(vta_rpc *rpc, int32_t device_type, int32_t ndim, const int64_t *shape, DLDataType dtype,
                         vta_diag *diag, uint64_t *out_array) {
    VT_CLIENT_NEED(rpc && out_array && (shape || !ndim));
    *out_array = 0;
    if (ndim < 0 || ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "an array of %d dimensions; 0 to %d", ndim, VTA_ARRAY_MAX_DIMS);
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, (uint64_t)(int64_t)device_type);
    vt__rpc_put_u8(out, dtype.code);
    vt__rpc_put_u8(out, dtype.bits);
    vt__rpc_put_u16(out, dtype.lanes);
    vt__rpc_put_u32(out, (uint32_t)ndim);
    for (int32_t i = 0; i < ndim; i++) vt__rpc_put_u64(out, (uint64_t)shape[i]);
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_ARRAY, diag));
    *out_array = vt__rpc_u64(&rpc->link.answer);
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_write(vta_rpc *rpc, uint64_t array, uint64_t offset, const void *from, size_t bytes,
                         vta_diag *diag) {
    VT_CLIENT_NEED(rpc && (from || !bytes));
    size_t done = 0;
    do {
        size_t part = bytes - done < VT_RPC_CHUNK_BYTES ? bytes - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = vt__client_begin(rpc);
        vt__rpc_put_u64(out, array);
        vt__rpc_put_u64(out, offset + done);
        VT_TRY(vt__link_ask_with(&rpc->link, VT_RPC_WRITE, (const char *)from + done, part, diag));
        done += part;
    } while (done < bytes);
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_read(vta_rpc *rpc, uint64_t array, uint64_t offset, void *to, size_t bytes, vta_diag *diag) {
    VT_CLIENT_NEED(rpc && (to || !bytes));
    size_t done = 0;
    do {
        size_t part = bytes - done < VT_RPC_CHUNK_BYTES ? bytes - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = vt__client_begin(rpc);
        vt__rpc_put_u64(out, array);
        vt__rpc_put_u64(out, offset + done);
        vt__rpc_put_u32(out, (uint32_t)part);
        VT_TRY(vt__link_ask(&rpc->link, VT_RPC_READ, diag));
        const uint8_t *got = vt__rpc_bytes(&rpc->link.answer, part);
        if (got && part) memcpy((char *)to + done, got, part);
        VT_TRY(vt__link_done(&rpc->link, diag));
        done += part;
    } while (done < bytes);
    return VTA_OK;
}

vta_status vta_rpc_copy(vta_rpc *rpc, uint64_t from, uint64_t to, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt_strbuf *out = vt__client_begin(rpc);
    vt__rpc_put_u64(out, from);
    vt__rpc_put_u64(out, to);
    return vt__client_plain(rpc, VT_RPC_COPY, diag);
}

vta_status vta_rpc_free(vta_rpc *rpc, uint64_t number, vta_diag *diag) {
    VT_CLIENT_NEED(rpc);
    vt__rpc_put_u64(vt__client_begin(rpc), number);
    return vt__client_plain(rpc, VT_RPC_FREE, diag);
}

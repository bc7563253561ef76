/* The client's functions of vta/rpc.h: each is a request of vta/rpc.def. */
#include "rpc/client.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/versioned.h"
#include "rpc/lease.h"

struct vta_rpc {
    vta_allocator allocator;
    vt_rpc_link link;
    vt_rpc_lease lease; /* the tracker's connection, where one chose the server */
    char machine[32], library[64], driver[128];
};

static vta_status invalid(vta_diag *diag, const char *function) {
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s: a pointer is NULL", function);
}
#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) return invalid(diag, __func__);                                                              \
    } while (0)

/* ---- Opening and closing ----------------------------------------------------------------------------------------- */

static vta_status open_session(vta_rpc *rpc, const char *host, uint32_t port, const vta_rpc_options *options,
                               vta_diag *diag) {
    char chosen[256] = "";
    snprintf(chosen, sizeof chosen, "%s", host ? host : "127.0.0.1");
    if (options->tracker)
        VT_TRY(vt__lease_take(&rpc->lease, options, &rpc->allocator, diag, sizeof chosen, chosen, &port));
    VT_TRY(vt__link_open(&rpc->link, chosen, port ? port : VTA_RPC_PORT, options, &rpc->allocator, diag));
    vt__rpc_text(&rpc->link.answer, rpc->library, sizeof rpc->library);
    vt__rpc_text(&rpc->link.answer, rpc->machine, sizeof rpc->machine);
    vt__rpc_text(&rpc->link.answer, rpc->driver, sizeof rpc->driver);
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_connect(const char *host, uint32_t port, const vta_rpc_options *options,
                           const vta_allocator *allocator, vta_diag *diag, vta_rpc **out_rpc) {
    vta_rpc_options own;
    NEED(out_rpc);
    *out_rpc = NULL;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_rpc_options", diag));
    vta_rpc *rpc = vt_alloc_zero(allocator, sizeof *rpc);
    if (!rpc) return vt_no_memory(diag);
    rpc->allocator = allocator ? *allocator : vt_allocator_libc;
    rpc->link.stream.fd = -1;
    rpc->link.over = true;
    vta_status status = open_session(rpc, host, port, &own, diag);
    if (status == VTA_OK)
        *out_rpc = rpc;
    else
        vta_rpc_close(rpc);
    return status;
}

void vta_rpc_close(vta_rpc *rpc) {
    if (!rpc) return;
    vt__link_begin(&rpc->link);
    if (!rpc->link.over && rpc->link.owner == getpid()) vt__link_ask(&rpc->link, VT_RPC_BYE, NULL);
    vt__link_close(&rpc->link);
    vt__lease_give_back(&rpc->lease);
    vta_allocator allocator = rpc->allocator;
    vt_free(&allocator, rpc, sizeof *rpc);
}

const char *vta_rpc_machine(const vta_rpc *rpc) { return rpc ? rpc->machine : ""; }
const char *vta_rpc_library(const vta_rpc *rpc) { return rpc ? rpc->library : ""; }
const char *vta_rpc_driver(const vta_rpc *rpc) { return rpc ? rpc->driver : ""; }

/* A request without fields, or with one, whose answer has none. */
static vta_status plain(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag) {
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    return vt__link_done(&rpc->link, diag);
}

static vta_status ask_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, char **out_text) {
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    char *text = vt__link_text(&rpc->link);
    vta_status status = vt__link_done(&rpc->link, diag);
    if (status == VTA_OK && !text) status = vt_no_memory(diag);
    if (status == VTA_OK && out_text)
        *out_text = text;
    else
        vta_string_free(text);
    return status;
}

static vt_strbuf *begin(vta_rpc *rpc) {
    vt__link_begin(&rpc->link);
    return &rpc->link.out;
}

vta_status vta_rpc_ping(vta_rpc *rpc, vta_diag *diag) {
    NEED(rpc);
    begin(rpc);
    return plain(rpc, VT_RPC_PING, diag);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

vta_status vta_rpc_upload(vta_rpc *rpc, const char *name, const void *bytes, size_t size, vta_diag *diag) {
    NEED(rpc && name && (bytes || !size));
    size_t done = 0;
    do {
        size_t part = size - done < VT_RPC_CHUNK_BYTES ? size - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = begin(rpc);
        vt__rpc_put_text(out, name);
        vt__rpc_put_u64(out, done);
        VT_TRY(vt__link_ask_with(&rpc->link, VT_RPC_UPLOAD, (const char *)bytes + done, part, diag));
        done += part;
    } while (done < size);
    return vt__link_done(&rpc->link, diag);
}

static vta_status download_part(vta_rpc *rpc, const char *name, vt_strbuf *to, uint64_t *out_total, vta_diag *diag) {
    vt_strbuf *out = begin(rpc);
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
    NEED(rpc && name && out_bytes && out_size);
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
    NEED(rpc && name);
    vt__rpc_put_text(begin(rpc), name);
    return plain(rpc, VT_RPC_REMOVE, diag);
}

/* ---- Code -------------------------------------------------------------------------------------------------------- */

/* An answer of a number and a text, which is the caller's when it wants it. */
static vta_status number_and_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, uint64_t *out_number,
                                  char **out_text) {
    *out_number = 0;
    if (out_text) *out_text = NULL;
    VT_TRY(vt__link_ask(&rpc->link, message, diag));
    uint64_t number = vt__rpc_u64(&rpc->link.answer);
    char *text = vt__link_text(&rpc->link);
    vta_status status = vt__link_done(&rpc->link, diag);
    if (status == VTA_OK && !text) status = vt_no_memory(diag);
    if (status == VTA_OK) *out_number = number;
    if (status == VTA_OK && out_text)
        *out_text = text;
    else
        vta_string_free(text);
    return status;
}

vta_status vta_rpc_load_module(vta_rpc *rpc, const char *name, vta_diag *diag, uint64_t *out_module, char **out_names) {
    NEED(rpc && name && out_module);
    vt__rpc_put_text(begin(rpc), name);
    return number_and_text(rpc, VT_RPC_LOAD_MODULE, diag, out_module, out_names);
}

vta_status vta_rpc_function(vta_rpc *rpc, uint64_t module, const char *name, vta_diag *diag, uint64_t *out_function,
                            char **out_signature) {
    NEED(rpc && name && out_function);
    vt_strbuf *out = begin(rpc);
    vt__rpc_put_u64(out, module);
    vt__rpc_put_text(out, name);
    return number_and_text(rpc, VT_RPC_FUNCTION, diag, out_function, out_signature);
}

static vta_status put_argument(vt_strbuf *out, const TVMValue *value, int code, int index, vta_diag *diag) {
    vt__rpc_put_u8(out, (uint8_t)code);
    switch (code) {
    case VTA_ARG_INT:
    case VTA_ARG_FLOAT: vt__rpc_put_u64(out, (uint64_t)value->v_int64); return VTA_OK;
    case VTA_ARG_TENSOR: vt__rpc_put_u64(out, (uint64_t)value->v_int64); return VTA_OK;
    case VTA_ARG_NULL: return VTA_OK;
    case VTA_ARG_STRING: vt__rpc_put_text(out, value->v_str ? value->v_str : ""); return VTA_OK;
    default:
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "argument %d has type code %d; integers (0), floats (2), null (4), tensors (7) and strings (11) "
                       "can be sent",
                       index, code);
    }
}

static vta_status put_arguments(vt_strbuf *out, const TVMValue *args, const int *codes, int count, vta_diag *diag) {
    if (count < 0 || count > VT_RPC_MOST_ARGS || (count && (!args || !codes)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%d arguments; 0 to %d can be sent", count, VT_RPC_MOST_ARGS);
    vt__rpc_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++) VT_TRY(put_argument(out, &args[i], codes[i], i, diag));
    return VTA_OK;
}

vta_status vta_rpc_call(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                        vta_diag *diag, TVMValue *out_value, int *out_code) {
    NEED(rpc);
    TVMValue value = {0};
    vt_strbuf *out = begin(rpc);
    vt__rpc_put_u64(out, function);
    VT_TRY(put_arguments(out, args, type_codes, count, diag));
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_CALL, diag));
    int code = vt__rpc_u8(&rpc->link.answer);
    if (code != VTA_ARG_NULL) value.v_int64 = (int64_t)vt__rpc_u64(&rpc->link.answer);
    if (out_value) *out_value = value;
    if (out_code) *out_code = code;
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_time(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                        uint32_t number, uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag, double *out_seconds) {
    NEED(rpc && (out_seconds || !repeat));
    vt_strbuf *out = begin(rpc);
    vt__rpc_put_u64(out, function);
    vt__rpc_put_u32(out, number);
    vt__rpc_put_u32(out, repeat);
    vt__rpc_put_u32(out, min_repeat_ms);
    VT_TRY(put_arguments(out, args, type_codes, count, diag));
    VT_TRY(vt__link_ask(&rpc->link, VT_RPC_TIME, diag));
    for (uint32_t i = 0; i < repeat; i++) out_seconds[i] = vt__rpc_f64(&rpc->link.answer);
    return vt__link_done(&rpc->link, diag);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

vta_status vta_rpc_array(vta_rpc *rpc, int32_t device_type, int32_t ndim, const int64_t *shape, DLDataType dtype,
                         vta_diag *diag, uint64_t *out_array) {
    NEED(rpc && out_array && (shape || !ndim));
    *out_array = 0;
    if (ndim < 0 || ndim > VTA_ARRAY_MAX_DIMS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "an array of %d dimensions; 0 to %d", ndim, VTA_ARRAY_MAX_DIMS);
    vt_strbuf *out = begin(rpc);
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
    NEED(rpc && (from || !bytes));
    size_t done = 0;
    do {
        size_t part = bytes - done < VT_RPC_CHUNK_BYTES ? bytes - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = begin(rpc);
        vt__rpc_put_u64(out, array);
        vt__rpc_put_u64(out, offset + done);
        VT_TRY(vt__link_ask_with(&rpc->link, VT_RPC_WRITE, (const char *)from + done, part, diag));
        done += part;
    } while (done < bytes);
    return vt__link_done(&rpc->link, diag);
}

vta_status vta_rpc_read(vta_rpc *rpc, uint64_t array, uint64_t offset, void *to, size_t bytes, vta_diag *diag) {
    NEED(rpc && (to || !bytes));
    size_t done = 0;
    do {
        size_t part = bytes - done < VT_RPC_CHUNK_BYTES ? bytes - done : VT_RPC_CHUNK_BYTES;
        vt_strbuf *out = begin(rpc);
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
    NEED(rpc);
    vt_strbuf *out = begin(rpc);
    vt__rpc_put_u64(out, from);
    vt__rpc_put_u64(out, to);
    return plain(rpc, VT_RPC_COPY, diag);
}

vta_status vta_rpc_free(vta_rpc *rpc, uint64_t number, vta_diag *diag) {
    NEED(rpc);
    vt__rpc_put_u64(begin(rpc), number);
    return plain(rpc, VT_RPC_FREE, diag);
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

vta_status vta_rpc_statistics(vta_rpc *rpc, vta_diag *diag, char **out_json) {
    NEED(rpc && out_json);
    *out_json = NULL;
    begin(rpc);
    return ask_text(rpc, VT_RPC_STATISTICS, diag, out_json);
}

vta_status vta_rpc_clear_statistics(vta_rpc *rpc, vta_diag *diag) {
    NEED(rpc);
    begin(rpc);
    return plain(rpc, VT_RPC_CLEAR, diag);
}

vta_status vta_rpc_configure(vta_rpc *rpc, const char *config, vta_diag *diag) {
    NEED(rpc && config);
    vt__rpc_put_text(begin(rpc), config);
    return ask_text(rpc, VT_RPC_CONFIGURE, diag, NULL);
}

vta_status vta_rpc_program(vta_rpc *rpc, const char *name, vta_diag *diag) {
    NEED(rpc);
    vt__rpc_put_text(begin(rpc), name ? name : "");
    return ask_text(rpc, VT_RPC_PROGRAM, diag, NULL);
}

vta_status vta_rpc_sessions(vta_rpc *rpc, vta_diag *diag, char **out_json) {
    NEED(rpc && out_json);
    *out_json = NULL;
    begin(rpc);
    return ask_text(rpc, VT_RPC_SESSIONS, diag, out_json);
}

vta_status vta_rpc_shutdown(vta_rpc *rpc, vta_diag *diag) {
    NEED(rpc);
    begin(rpc);
    vta_status status = plain(rpc, VT_RPC_SHUTDOWN, diag);
    if (status == VTA_OK) rpc->link.over = true;
    return status;
}

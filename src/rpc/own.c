/* The project's own protocol, as a session serves it: one function for each row of vta/rpc.def. */
#include <stdio.h>
#include <string.h>

#include "rpc/session.h"

/* One request: its fields, and the answer's. */
typedef struct request {
    vt_rpc_session *s;
    vt_rpc_reader in;
    vt_strbuf *out;
    bool over;
} request;

static vta_status end(request *q, const char *name) { return vt__rpc_end(&q->in, name, q->s->diag); }

static vta_status answer_HELLO(request *q) {
    char who[256];
    uint32_t version = vt__rpc_u32(&q->in);
    vt__rpc_text(&q->in, who, sizeof who);
    if (version != VT_RPC_WIRE_VERSION && !q->in.failed)
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "the client speaks version %u of the protocol, this server version %d: update the older one",
                       version, VT_RPC_WIRE_VERSION);
    VT_TRY(end(q, "HELLO"));
    vt__rpc_put_u32(q->out, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(q->out, vta_version());
    vt__rpc_put_text(q->out, vt__machine_name());
    vt__rpc_put_text(q->out, q->s->page->driver);
    return VTA_OK;
}

static vta_status answer_PING(request *q) { return end(q, "PING"); }

/* ---- Files ------------------------------------------------------------------------------------------------------- */

enum { NAME_BYTES = 256 };

static vta_status answer_UPLOAD(request *q) {
    char name[NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    uint64_t offset = vt__rpc_u64(&q->in);
    if (q->in.failed) return end(q, "UPLOAD");
    return vt__session_upload(q->s, name, offset, q->in.at, q->in.left);
}

static vta_status answer_DOWNLOAD(request *q) {
    char name[NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    uint64_t offset = vt__rpc_u64(&q->in), total;
    uint32_t count = vt__rpc_u32(&q->in);
    VT_TRY(end(q, "DOWNLOAD"));
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

static vta_status answer_REMOVE(request *q) {
    char name[NAME_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(end(q, "REMOVE"));
    return vt__session_remove(q->s, name);
}

/* ---- Code -------------------------------------------------------------------------------------------------------- */

static vta_status answer_LOAD_MODULE(request *q) {
    char name[NAME_BYTES];
    uint64_t number;
    vt_rpc_object *object;
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(end(q, "LOAD_MODULE"));
    VT_TRY(vt__session_load(q->s, name, &number));
    VT_TRY(vt__objects_get(&q->s->objects, number, VT_RPC_MODULE, q->s->diag, &object));
    vt__rpc_put_u64(q->out, number);
    vt__rpc_put_text(q->out, vta_module_function_names(object->u.module));
    return VTA_OK;
}

static vta_status answer_FUNCTION(request *q) {
    char name[NAME_BYTES];
    const char *signature = "";
    uint64_t number, module = vt__rpc_u64(&q->in);
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(end(q, "FUNCTION"));
    VT_TRY(vt__session_function(q->s, module, name, &number, &signature));
    vt__rpc_put_u64(q->out, number);
    vt__rpc_put_text(q->out, signature);
    return VTA_OK;
}

typedef struct arguments {
    int count, codes[VT_RPC_MOST_ARGS];
    TVMValue values[VT_RPC_MOST_ARGS];
    char texts[4096]; /* of strings, with their ends */
    size_t text_size;
} arguments;

static vta_status string_argument(request *q, arguments *a, TVMValue *out) {
    size_t size;
    const char *text = vt__rpc_textn(&q->in, &size);
    if (!text) return VTA_OK; /* `end` says so */
    if (size >= sizeof a->texts - a->text_size)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "the strings of a call have more than %zu characters",
                       sizeof a->texts);
    char *to = a->texts + a->text_size;
    memcpy(to, text, size);
    to[size] = '\0';
    a->text_size += size + 1;
    out->v_str = to;
    return VTA_OK;
}

static vta_status argument(request *q, arguments *a, int i) {
    TVMValue *value = &a->values[i];
    vt_rpc_object *array;
    a->codes[i] = vt__rpc_u8(&q->in);
    switch (a->codes[i]) {
    case VTA_ARG_INT: value->v_int64 = (int64_t)vt__rpc_u64(&q->in); return VTA_OK;
    case VTA_ARG_FLOAT: value->v_float64 = vt__rpc_f64(&q->in); return VTA_OK;
    case VTA_ARG_NULL: value->v_handle = NULL; return VTA_OK;
    case VTA_ARG_STRING: return string_argument(q, a, value);
    case VTA_ARG_TENSOR:
        VT_TRY(vt__objects_get(&q->s->objects, vt__rpc_u64(&q->in), VT_RPC_ARRAY_OF_BYTES, q->s->diag, &array));
        value->v_handle = vta_array_tensor(array->u.array);
        return VTA_OK;
    default:
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "argument %d has type code %d; integers (0), floats (2), null (4), tensors (7) and strings (11) "
                       "can be sent",
                       i, a->codes[i]);
    }
}

static vta_status read_arguments(request *q, arguments *a, const char *name) {
    uint32_t count = vt__rpc_u32(&q->in);
    a->text_size = 0;
    if (count > VT_RPC_MOST_ARGS)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "%s: %u arguments; at most %d", name, count, VT_RPC_MOST_ARGS);
    a->count = (int)count;
    for (int i = 0; i < a->count && !q->in.failed; i++) VT_TRY(argument(q, a, i));
    return end(q, name);
}

static vta_status code_of(request *q, uint64_t number, vta_packed_function *out) {
    vt_rpc_object *object;
    *out = NULL;
    VT_TRY(vt__objects_get(&q->s->objects, number, VT_RPC_CODE, q->s->diag, &object));
    *out = object->u.code;
    return VTA_OK;
}

static vta_status answer_CALL(request *q) {
    arguments a;
    vta_packed_function code;
    TVMValue value;
    int type;
    VT_TRY(code_of(q, vt__rpc_u64(&q->in), &code));
    VT_TRY(read_arguments(q, &a, "CALL"));
    VT_TRY(vt__session_call(q->s, code, a.values, a.codes, a.count, &value, &type));
    if (type != VTA_ARG_INT && type != VTA_ARG_FLOAT) type = VTA_ARG_NULL;
    vt__rpc_put_u8(q->out, (uint8_t)type);
    if (type != VTA_ARG_NULL) vt__rpc_put_u64(q->out, (uint64_t)value.v_int64);
    return VTA_OK;
}

static vta_status answer_TIME(request *q) {
    arguments a;
    vt_rpc_timer timer = {0};
    VT_TRY(code_of(q, vt__rpc_u64(&q->in), &timer.function));
    timer.number = vt__rpc_u32(&q->in);
    timer.repeat = vt__rpc_u32(&q->in);
    timer.min_repeat_ms = vt__rpc_u32(&q->in);
    VT_TRY(read_arguments(q, &a, "TIME"));
    size_t bytes = (timer.repeat < VT_RPC_MOST_ROUNDS ? timer.repeat : VT_RPC_MOST_ROUNDS) * sizeof(double);
    double *seconds = vt_alloc(q->out->allocator, bytes);
    if (!seconds) return vt_no_memory(q->s->diag);
    vta_status status = vt__session_time(q->s, &timer, a.values, a.codes, a.count, seconds);
    for (uint32_t i = 0; status == VTA_OK && i < timer.repeat; i++) vt__rpc_put_f64(q->out, seconds[i]);
    vt_free(q->out->allocator, seconds, bytes);
    return status;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static vta_status answer_ARRAY(request *q) {
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
    VT_TRY(end(q, "ARRAY"));
    if (device < 0 || device > 255) return vt_fail(q->s->diag, VTA_UNSUPPORTED, "device type %lld", (long long)device);
    VT_TRY(vt__session_array(q->s, (int32_t)device, (int32_t)ndim, shape, type, &number));
    vt__rpc_put_u64(q->out, number);
    return VTA_OK;
}

static vta_status answer_WRITE(request *q) {
    uint64_t array = vt__rpc_u64(&q->in);
    uint64_t offset = vt__rpc_u64(&q->in);
    if (q->in.failed) return end(q, "WRITE");
    return vt__session_write(q->s, array, offset, q->in.at, q->in.left);
}

static vta_status answer_READ(request *q) {
    uint64_t array = vt__rpc_u64(&q->in);
    uint64_t offset = vt__rpc_u64(&q->in);
    uint32_t count = vt__rpc_u32(&q->in);
    VT_TRY(end(q, "READ"));
    if (count > VT_RPC_CHUNK_BYTES)
        return vt_fail(q->s->diag, VTA_OUT_OF_RANGE, "READ: %u bytes; at most %d at once", count, VT_RPC_CHUNK_BYTES);
    return vt__session_read(q->s, array, offset, count, q->out);
}

static vta_status answer_COPY(request *q) {
    vt_rpc_object *from, *to;
    uint64_t a = vt__rpc_u64(&q->in);
    uint64_t b = vt__rpc_u64(&q->in);
    VT_TRY(end(q, "COPY"));
    VT_TRY(vt__objects_get(&q->s->objects, a, VT_RPC_ARRAY_OF_BYTES, q->s->diag, &from));
    VT_TRY(vt__objects_get(&q->s->objects, b, VT_RPC_ARRAY_OF_BYTES, q->s->diag, &to));
    return vta_array_copy(from->u.array, to->u.array, q->s->diag);
}

static vta_status answer_FREE(request *q) {
    uint64_t number = vt__rpc_u64(&q->in);
    VT_TRY(end(q, "FREE"));
    return vt__objects_free(&q->s->objects, number, q->s->diag);
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

static vta_status answer_STATISTICS(request *q) {
    VT_TRY(end(q, "STATISTICS"));
    VT_TRY(vt__session_runtime(q->s));
    vta_counters counters = vta_runtime_counters(NULL);
    char *text = vta_counters_to_json(&counters);
    if (!text) return vt_no_memory(q->s->diag);
    vt__rpc_put_text(q->out, text);
    vta_string_free(text);
    return VTA_OK;
}

static vta_status answer_CLEAR(request *q) {
    VT_TRY(end(q, "CLEAR"));
    VT_TRY(vt__session_runtime(q->s));
    vta_runtime_clear_counters(NULL);
    return VTA_OK;
}

static vta_status answer_CONFIGURE(request *q) {
    size_t size;
    const char *text = vt__rpc_textn(&q->in, &size);
    VT_TRY(end(q, "CONFIGURE"));
    VT_TRY(vt__session_configure(q->s, text, size));
    vt__rpc_put_text(q->out, vta_runtime_driver(NULL));
    return VTA_OK;
}

static vta_status answer_PROGRAM(request *q) {
    char name[NAME_BYTES], path[VT_RPC_PATH_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(end(q, "PROGRAM"));
    VT_TRY(vt__session_program(q->s, name, sizeof path, path));
    vt__rpc_put_text(q->out, path);
    return VTA_OK;
}

static vta_status answer_SESSIONS(request *q) {
    vt_strbuf text;
    VT_TRY(end(q, "SESSIONS"));
    vt_strbuf_init(&text, q->out->allocator);
    vt__session_list(q->s, &text);
    vt__rpc_put_text(q->out, vt_strbuf_text(&text));
    vta_status status = text.failed ? vt_no_memory(q->s->diag) : VTA_OK;
    vt_strbuf_free(&text);
    return status;
}

static vta_status answer_SHUTDOWN(request *q) {
    VT_TRY(end(q, "SHUTDOWN"));
    if (!q->s->page->allow_shutdown)
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "this server is not ended by its clients (it was started without --allow-shutdown)");
    atomic_store(&q->s->page->shutdown, 1);
    q->over = true;
    return VTA_OK;
}

static vta_status answer_BYE(request *q) {
    q->over = true;
    return end(q, "BYE");
}

static vta_status not_here(request *q) {
    return vt_fail(q->s->diag, VTA_UNSUPPORTED, "a session does not answer this message");
}
#define answer_ENDED not_here
#define answer_REGISTER not_here
#define answer_REQUEST not_here
#define answer_SUMMARY not_here

vta_status vt__own_answer(vt_rpc_session *s, uint16_t message, const void *fields, size_t size, vt_strbuf *out,
                          bool *out_over) {
    request q = {s, {fields, size, false}, out, false};
    vta_status status = VTA_UNSUPPORTED;
    switch (message) {
#define VTA_RPC_MESSAGE(name, number, request_fields, answer, meaning)                                                 \
    case number:                                                                                                       \
        status = answer_##name(&q);                                                                                    \
        break;
#include "vta/rpc.def"
#undef VTA_RPC_MESSAGE
    }
    if (status == VTA_OK && out->failed) status = vt_no_memory(s->diag);
    *out_over = q.over;
    return status;
}

/* ---- The connection ---------------------------------------------------------------------------------------------- */

static vta_status send_answer(vt_rpc_session *s, vt_rpc_header header, vta_status status, vt_strbuf *out) {
    if (status != VTA_OK) {
        vt_strbuf_clear(out);
        vt__session_words(s, status, out);
    }
    header.status = (uint16_t)status;
    header.size = (uint32_t)out->size;
    return vt__rpc_send(&s->stream, header, vt_strbuf_text(out), vt__rpc_deadline(s->page->patience_ms, out->size),
                        NULL);
}

/* One request and its answer. The first must be HELLO: nothing else has a meaning before versions are compared. */
static vta_status serve_one(vt_rpc_session *s, bool first, vt_strbuf *in, vt_strbuf *out, bool *out_over) {
    vt_rpc_header header = {0};
    uint64_t idle = s->page->idle_seconds ? vt__rpc_now() + (uint64_t)s->page->idle_seconds * 1000 : 0;
    vt_strbuf_clear(out);
    vta_diag_clear(s->diag);
    vta_status status = vt__rpc_receive(&s->stream, idle, s->page->patience_ms, s->diag, &header, in);
    if (status == VTA_NOT_FOUND || status == VTA_IO) return status;
    bool readable = status == VTA_OK;
    if (readable && first != (header.message == VT_RPC_HELLO))
        status = vt_fail(s->diag, VTA_PARSE, "HELLO is the first message of a connection, and no other one is");
    atomic_store(&s->page->number, header.number);
    if (status == VTA_OK) status = vt__own_answer(s, header.message, in->text, in->size, out, out_over);
    atomic_fetch_add(&s->page->bytes, in->size + out->size);
    if (status != VTA_OK && (!readable || first)) {
        if (!readable) header.message = VT_RPC_ENDED;
        send_answer(s, header, status, out);
        return VTA_PARSE; /* what follows cannot be understood */
    }
    return send_answer(s, header, status, out);
}

static vta_status read_preface(vt_rpc_session *s, const uint8_t begin[4]) {
    uint8_t rest[VT_RPC_PREFACE_BYTES - 4];
    if (memcmp(begin, VT_RPC_PREFACE, 4)) return vt_fail(s->diag, VTA_PARSE, "the client speaks neither protocol");
    VT_TRY(vt__rpc_read(&s->stream, rest, sizeof rest, vt__rpc_deadline(s->page->patience_ms, 0), s->diag));
    if (!memcmp(rest, &VT_RPC_PREFACE[4], sizeof rest)) return VTA_OK;
    return vt_fail(s->diag, VTA_PARSE, "the client speaks neither protocol");
}

vta_status vt__serve_own(vt_rpc_session *s, const uint8_t begin[4]) {
    VT_TRY(read_preface(s, begin));
    vt_strbuf in, out;
    vt_strbuf_init(&in, s->objects.allocator);
    vt_strbuf_init(&out, s->objects.allocator);
    bool over = false;
    vta_status status = serve_one(s, true, &in, &out, &over);
    while (status == VTA_OK && !over) status = serve_one(s, false, &in, &out, &over);
    vt_strbuf_free(&in);
    vt_strbuf_free(&out);
    return over ? VTA_NOT_FOUND : status;
}

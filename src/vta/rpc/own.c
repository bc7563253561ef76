/* The project's own protocol, as a session serves it: the connection, and answers about the machine. */
#include <string.h>

#include "rpc/own.h"

vta_status vt__own_end(vt_rpc_request *q, const char *name) { return vt__rpc_end(&q->in, name, q->s->diag); }

vta_status vt__answer_HELLO(vt_rpc_request *q) {
    char who[256];
    uint32_t version = vt__rpc_u32(&q->in);
    vt__rpc_text(&q->in, who, sizeof who);
    if (version != VT_RPC_WIRE_VERSION && !q->in.failed)
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "the client speaks version %u of the protocol, this server version %d: update the older one",
                       version, VT_RPC_WIRE_VERSION);
    VT_TRY(vt__own_end(q, "HELLO"));
    vt__rpc_put_u32(q->out, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(q->out, vta_version());
    vt__rpc_put_text(q->out, vt__machine_name());
    vt__rpc_put_text(q->out, q->s->page->driver);
    return VTA_OK;
}

vta_status vt__answer_PING(vt_rpc_request *q) { return vt__own_end(q, "PING"); }

/* ---- The machine ------------------------------------------------------------------------------------------------- */

vta_status vt__answer_STATISTICS(vt_rpc_request *q) {
    VT_TRY(vt__own_end(q, "STATISTICS"));
    VT_TRY(vt__session_runtime(q->s));
    vta_counters counters = vta_runtime_counters(NULL);
    char *text = vta_counters_to_json(&counters);
    if (!text) return vt_no_memory(q->s->diag);
    vt__rpc_put_text(q->out, text);
    vta_string_free(text);
    return VTA_OK;
}

vta_status vt__answer_CLEAR(vt_rpc_request *q) {
    VT_TRY(vt__own_end(q, "CLEAR"));
    VT_TRY(vt__session_runtime(q->s));
    vta_runtime_clear_counters(NULL);
    return VTA_OK;
}

vta_status vt__answer_CONFIGURE(vt_rpc_request *q) {
    size_t size;
    const char *text = vt__rpc_textn(&q->in, &size);
    VT_TRY(vt__own_end(q, "CONFIGURE"));
    VT_TRY(vt__session_configure(q->s, text, size));
    vt__rpc_put_text(q->out, vta_runtime_driver(NULL));
    return VTA_OK;
}

vta_status vt__answer_PROGRAM(vt_rpc_request *q) {
    char name[VT_OWN_NAME_BYTES], path[VT_RPC_PATH_BYTES];
    vt__rpc_text(&q->in, name, sizeof name);
    VT_TRY(vt__own_end(q, "PROGRAM"));
    VT_TRY(vt__session_program(q->s, name, sizeof path, path));
    vt__rpc_put_text(q->out, path);
    return VTA_OK;
}

vta_status vt__answer_SESSIONS(vt_rpc_request *q) {
    vt_strbuf text;
    VT_TRY(vt__own_end(q, "SESSIONS"));
    vt_strbuf_init(&text, q->out->allocator);
    vt__session_list(q->s, &text);
    vt__rpc_put_text(q->out, vt_strbuf_text(&text));
    vta_status status = text.failed ? vt_no_memory(q->s->diag) : VTA_OK;
    vt_strbuf_free(&text);
    return status;
}

vta_status vt__answer_SHUTDOWN(vt_rpc_request *q) {
    VT_TRY(vt__own_end(q, "SHUTDOWN"));
    if (!q->s->page->allow_shutdown)
        return vt_fail(q->s->diag, VTA_UNSUPPORTED,
                       "this server is not ended by its clients (it was started without --allow-shutdown)");
    atomic_store(&q->s->page->shutdown, 1);
    q->over = true;
    return VTA_OK;
}

vta_status vt__answer_BYE(vt_rpc_request *q) {
    q->over = true;
    return vt__own_end(q, "BYE");
}

static vta_status for_trackers(vt_rpc_request *q) {
    return vt_fail(q->s->diag, VTA_UNSUPPORTED, "this is a server, and not the tracker that was expected");
}
vta_status vt__answer_ENDED(vt_rpc_request *q) { return for_trackers(q); }
vta_status vt__answer_REGISTER(vt_rpc_request *q) { return for_trackers(q); }
vta_status vt__answer_LEASED(vt_rpc_request *q) { return for_trackers(q); }
vta_status vt__answer_REQUEST(vt_rpc_request *q) { return for_trackers(q); }
vta_status vt__answer_SUMMARY(vt_rpc_request *q) { return for_trackers(q); }

vta_status vt__own_answer(vt_rpc_session *s, uint16_t message, const void *fields, size_t size, vt_strbuf *out,
                          bool *out_over) {
    vt_rpc_request q = {s, {fields, size, false}, out, false};
    vta_status status = VTA_UNSUPPORTED;
    switch (message) {
#define VTA_RPC_MESSAGE(name, number, request_fields, answer, meaning)                                                 \
    case number: status = vt__answer_##name(&q); break;
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

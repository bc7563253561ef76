/* TVM's RPC protocol, as a session serves it: the greeting, and one packet after another. */
#include "rpc/tvm.h"

#include <stdio.h>
#include <string.h>

static vta_status receive(vt_rpc_session *s, vt_strbuf *in) {
    uint8_t head[8];
    uint32_t patience = s->page->patience_ms;
    uint64_t idle = s->page->idle_seconds ? vt__rpc_now() + (uint64_t)s->page->idle_seconds * 1000 : 0;
    VT_TRY(vt__rpc_wait(&s->stream, idle, s->diag));
    VT_TRY(vt__rpc_read(&s->stream, head, sizeof head, vt__rpc_deadline(patience, 0), s->diag));
    vt_rpc_reader r = {head, sizeof head, false};
    uint64_t size = vt__rpc_u64(&r);
    if (size < 4 || size > VT_TVM_PACKET_BYTES)
        return vt_fail(s->diag, VTA_PARSE, "a packet of %llu bytes; 4 to %d", (unsigned long long)size,
                       VT_TVM_PACKET_BYTES);
    vt_strbuf_clear(in);
    /* Memory is taken as bytes come: a length alone costs nothing. */
    for (uint64_t deadline = vt__rpc_deadline(patience, (size_t)size); in->size < size;) {
        size_t left = (size_t)size - in->size, part = left < VT_RPC_CHUNK_BYTES ? left : VT_RPC_CHUNK_BYTES;
        if (!vt_reserve(in->allocator, &in->text, &in->cap, in->size + part + 1, 1)) return vt_no_memory(s->diag);
        vta_status status = vt__rpc_read(&s->stream, in->text + in->size, part, deadline, s->diag);
        if (status != VTA_OK) return status == VTA_NOT_FOUND ? VTA_IO : status;
        in->size += part;
    }
    return VTA_OK;
}

static vta_status serve_one(vt_rpc_session *s, vt_strbuf *in, vt_strbuf *out, bool *out_over) {
    vt_strbuf_clear(out);
    vta_diag_clear(s->diag);
    vta_status sent = VTA_OK, status = receive(s, in);
    if (status == VTA_PARSE) vt__tvm_raise(s, status, out);
    if (status == VTA_OK) status = vt__tvm_answer(s, in->text, in->size, out, out_over);
    atomic_fetch_add(&s->page->bytes, in->size + out->size);
    uint64_t until = vt__rpc_deadline(s->page->patience_ms, out->size);
    if (out->size && !out->failed) sent = vt__rpc_write(&s->stream, out->text, out->size, until, s->diag);
    return status != VTA_OK ? status : sent;
}

/* The client says "client:KEY" and perhaps more words. */
static bool asks_for(const char *said, const char *name) {
    static const char role[] = "client:";
    size_t n = strcspn(said, " ");
    return !strncmp(said, role, sizeof role - 1) && n - (sizeof role - 1) == strlen(name) &&
           !strncmp(said + sizeof role - 1, name, strlen(name));
}

static vta_status greet(vt_rpc_session *s) {
    enum { MISMATCH = 2 };
    uint8_t size_bytes[4];
    char said[VT_TVM_KEY_BYTES + 1], key[VT_RPC_NAME_BYTES + 16];
    uint64_t until = vt__rpc_deadline(s->page->patience_ms, 0);
    VT_TRY(vt__rpc_read(&s->stream, size_bytes, sizeof size_bytes, until, s->diag));
    vt_rpc_reader r = {size_bytes, sizeof size_bytes, false};
    uint32_t size = vt__rpc_u32(&r);
    if (size > VT_TVM_KEY_BYTES)
        return vt_fail(s->diag, VTA_PARSE, "a key of %u characters; at most %d", size, VT_TVM_KEY_BYTES);
    VT_TRY(vt__rpc_read(&s->stream, said, size, until, s->diag));
    said[size] = '\0';
    bool ours = strlen(said) == size && asks_for(said, s->page->name);
    vt_strbuf hello;
    vt_strbuf_init(&hello, NULL);
    snprintf(key, sizeof key, "server:%s", s->page->name);
    vt__rpc_put_u32(&hello, VT_TVM_MAGIC + (ours ? 0 : MISMATCH));
    if (ours) vt__rpc_put_text(&hello, key);
    vta_status status = vt__rpc_write(&s->stream, vt_strbuf_text(&hello), hello.size, until, s->diag);
    vt_strbuf_free(&hello);
    if (status != VTA_OK || ours) return status;
    return vt_fail(s->diag, VTA_INVALID_ARGUMENT, "the client asks for '%.64s', and this server is 'client:%s'", said,
                   s->page->name);
}

vta_status vt__serve_tvm(vt_rpc_session *s) {
    vt_strbuf in, out;
    bool over = false;
    VT_TRY(greet(s));
    vt_strbuf_init(&in, s->objects.allocator);
    vt_strbuf_init(&out, s->objects.allocator);
    vta_status status = VTA_OK;
    while (status == VTA_OK && !over) status = serve_one(s, &in, &out, &over);
    vt_strbuf_free(&in);
    vt_strbuf_free(&out);
    return over ? VTA_NOT_FOUND : status;
}

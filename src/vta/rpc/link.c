/* Connections of clients: open, ask, close. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/client.h"

enum { DEFAULT_PATIENCE_MS = 30000 };

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

void vt__link_begin(vt_rpc_link *link) { vt_strbuf_clear(&link->out); }

vta_status vt__link_ask(vt_rpc_link *link, vt_rpc_message message, vta_diag *diag) {
    return vt__link_ask_with(link, message, NULL, 0, diag);
}

/* A connection that failed is of no use any more: what comes next could be the answer to anything. */
static vta_status lost(vt_rpc_link *link, vta_status status, vta_diag *diag) {
    link->over = true;
    if (link->number > 1) vt_note_at(diag, VT_NO_POS, "the session with %s is over: connect again", link->place);
    return status == VTA_NOT_FOUND ? VTA_IO : status;
}

static vta_status send_request(vt_rpc_link *link, vt_rpc_message message, const void *bytes, size_t size,
                               vta_diag *diag) {
    uint64_t until = vt__rpc_deadline(link->patience_ms, link->out.size + size);
    vt_rpc_header header = {.message = (uint16_t)message, .number = ++link->number};
    header.size = (uint32_t)(link->out.size + size);
    if (!size) return vt__rpc_send(&link->stream, header, vt_strbuf_text(&link->out), until, diag);
    uint8_t begin[VT_RPC_HEADER_BYTES];
    vt__rpc_put_header(begin, &header);
    VT_TRY(vt__rpc_write(&link->stream, begin, sizeof begin, until, diag));
    VT_TRY(vt__rpc_write(&link->stream, vt_strbuf_text(&link->out), link->out.size, until, diag));
    return vt__rpc_write(&link->stream, bytes, size, until, diag);
}

static vta_status known_status(uint16_t status) {
    bool known = strcmp(vta_status_name((vta_status)status), "VTA_?") != 0;
    return status && known ? (vta_status)status : VTA_INTERNAL;
}

/* What the server says of an error, or of the end. */
static vta_status refused(vt_rpc_link *link, const vt_rpc_header *header, vta_diag *diag) {
    vta_status status = known_status(header->status);
    vt_fail(diag, status, "%s: %.*s", link->place, (int)(link->in.size < 8192 ? link->in.size : 8192),
            vt_strbuf_text(&link->in));
    return header->message == VT_RPC_ENDED ? lost(link, status, diag) : status;
}

static vta_status get_answer(vt_rpc_link *link, vt_rpc_message message, vta_diag *diag) {
    vt_rpc_header header;
    uint64_t until = link->answer_ms ? vt__rpc_now() + link->answer_ms : 0;
    vta_status status = vt__rpc_receive(&link->stream, until, link->patience_ms, diag, &header, &link->in);
    if (status != VTA_OK) return lost(link, status, diag);
    if (header.status || header.message == VT_RPC_ENDED) return refused(link, &header, diag);
    if (header.number != link->number || header.message != message)
        return lost(link,
                    vt_fail(diag, VTA_PARSE, "%s: answer %u (%s) to request %u (%s)", link->place, header.number,
                            vt__rpc_message_name(header.message), link->number,
                            vt__rpc_message_name((uint16_t)message)),
                    diag);
    link->answer = (vt_rpc_reader){(const uint8_t *)link->in.text, link->in.size, false};
    return VTA_OK;
}

vta_status vt__link_ask_with(vt_rpc_link *link, vt_rpc_message message, const void *bytes, size_t size,
                             vta_diag *diag) {
    link->answer = (vt_rpc_reader){.failed = true};
    if (link->over)
        return vt_fail(diag, VTA_IO, "%s: the session is over since an earlier call failed: connect again",
                       link->place);
    if (link->out.failed) return vt_no_memory(diag);
    if (link->out.size + size > VT_RPC_FRAME_BYTES)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: a request of %zu bytes; at most %d", link->place,
                       link->out.size + size, VT_RPC_FRAME_BYTES);
    vta_diag *sending = vta_diag_create(NULL); /* the server may have said why it takes no more: that is better */
    vta_status sent = send_request(link, message, bytes, size, sending);
    vta_status status = sent == VTA_TIMEOUT ? sent : get_answer(link, message, diag);
    if (sent == VTA_TIMEOUT) vt_fail(diag, sent, "%s: %s", link->place, vt_diag_reason(sending));
    if (sent == VTA_TIMEOUT) lost(link, sent, diag);
    vta_diag_destroy(sending);
    return status;
}

vta_status vt__link_done(const vt_rpc_link *link, vta_diag *diag) {
    return vt__rpc_end(&link->answer, "the server's answer", diag);
}

char *vt__link_text(vt_rpc_link *link) {
    size_t size;
    const char *text = vt__rpc_textn(&link->answer, &size);
    char *copy = text ? vt_alloc(NULL, size + 1) : NULL;
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static vta_status encrypt(vt_rpc_link *link, const char *key_file, vta_diag *diag) {
    vt_rpc_key key;
    VT_TRY(vt__key_read(key_file, diag, &key));
    vta_status status = vt__tls_context(&key, false, diag, &link->tls);
    explicit_bzero(&key, sizeof key);
    if (status != VTA_OK) return status;
    return vt__tls_connect(link->tls, link->stream.fd, vt__rpc_deadline(link->patience_ms, 0), link->place, diag,
                           &link->stream.tls);
}

static vta_status greet(vt_rpc_link *link, vta_diag *diag) {
    uint64_t until = vt__rpc_deadline(link->patience_ms, 0);
    uint32_t answer_ms = link->answer_ms;
    VT_TRY(vt__rpc_write(&link->stream, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES, until, diag));
    vt__link_begin(link);
    vt__rpc_put_u32(&link->out, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(&link->out, vta_build_id());
    link->answer_ms = link->patience_ms;
    vta_status status = vt__link_ask(link, VT_RPC_HELLO, diag);
    link->answer_ms = answer_ms;
    if (status != VTA_OK) return status;
    uint32_t version = vt__rpc_u32(&link->answer);
    if (version == VT_RPC_WIRE_VERSION) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: speaks version %u of the protocol, this library version %d", link->place,
                   version, VT_RPC_WIRE_VERSION);
}

vta_status vt__link_open(vt_rpc_link *link, const char *host, uint32_t port, const vta_rpc_options *options,
                         const vta_allocator *allocator, vta_diag *diag) {
    *link = (vt_rpc_link){.allocator = allocator, .stream = {.fd = -1}, .owner = getpid()};
    link->patience_ms = options->timeout_ms ? options->timeout_ms : DEFAULT_PATIENCE_MS;
    link->answer_ms = options->answer_ms;
    vt_strbuf_init(&link->out, allocator);
    vt_strbuf_init(&link->in, allocator);
    snprintf(link->place, sizeof link->place, "%.250s:%u", host, port);
    uint64_t until = vt__rpc_deadline(link->patience_ms, 0);
    vta_status status = vt__rpc_dial(host, port, until, diag, &link->stream.fd);
    if (status == VTA_OK && options->key_file) status = encrypt(link, options->key_file, diag);
    if (status == VTA_OK) {
        status = greet(link, diag);
        if (status == VTA_PARSE || status == VTA_IO)
            vt_note_at(diag, VT_NO_POS, "is it a vta rpc-server that answers at %s?", link->place);
    }
    if (status != VTA_OK) vt__link_close(link);
    return status;
}

void vt__link_close(vt_rpc_link *link) {
    bool ours = link->owner == getpid();
    /* Also where a forked child has the socket, too, the other side sees the end; but a child's end is its own. */
    if (ours && link->stream.tls) vt__tls_bye(link->stream.tls);
    if (ours && link->stream.fd >= 0) shutdown(link->stream.fd, SHUT_RDWR);
    vt__rpc_close(&link->stream);
    vt__tls_context_free(link->tls);
    vt_strbuf_free(&link->out);
    vt_strbuf_free(&link->in);
    link->tls = NULL;
    link->over = true;
}

#include "rpc/stream.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rpc/tls.h"

enum { BYTES_PER_MS = 64 };

uint64_t vt__rpc_now(void) { return vt_now_ns() / 1000000; }

uint64_t vt__rpc_deadline(uint32_t patience_ms, size_t size) {
    return patience_ms ? vt__rpc_now() + patience_ms + size / BYTES_PER_MS : 0;
}

/* Until the socket can be read or written, or an error shows at the next try. */
static vta_status wait_for(const vt_rpc_stream *s, short what, uint64_t deadline, vta_diag *diag) {
    for (;;) {
        uint64_t now = vt__rpc_now();
        if (deadline && now >= deadline)
            return vt_fail(diag, VTA_TIMEOUT, "the other side of the connection is too slow: nothing %s in time",
                           what == POLLIN ? "came" : "was taken");
        uint64_t left = deadline ? deadline - now : 60000;
        struct pollfd p = {.fd = s->fd, .events = what};
        int n = poll(&p, 1, left > 60000 ? 60000 : (int)left);
        if (n > 0) return VTA_OK;
        if (n < 0 && errno != EINTR) return vt_fail(diag, VTA_IO, "poll: %s", strerror(errno));
    }
}

/* One try. Bytes moved; 0: closed; -1: wait for *out_wait; -2: broken (errno). */
static ssize_t try_read(vt_rpc_stream *s, void *to, size_t size, short *out_wait) {
    *out_wait = POLLIN;
    if (s->tls) return vt__tls_read(s->tls, to, size, out_wait);
    ssize_t n = recv(s->fd, to, size, 0);
    if (n >= 0) return n;
    return errno == EAGAIN || errno == EINTR ? -1 : -2;
}

static ssize_t try_write(vt_rpc_stream *s, const void *from, size_t size, short *out_wait) {
    *out_wait = POLLOUT;
    if (s->tls) return vt__tls_write(s->tls, from, size, out_wait);
    ssize_t n = send(s->fd, from, size, MSG_NOSIGNAL);
    if (n >= 0) return n;
    return errno == EAGAIN || errno == EINTR ? -1 : -2;
}

static vta_status broken(vta_diag *diag) { return vt_fail(diag, VTA_IO, "the connection broke: %s", strerror(errno)); }

vta_status vt__rpc_read(vt_rpc_stream *s, void *to, size_t size, uint64_t deadline, vta_diag *diag) {
    size_t have = 0;
    while (have < size) {
        short wait;
        ssize_t n = try_read(s, (char *)to + have, size - have, &wait);
        if (n == 0 && !have) return vt_fail(diag, VTA_NOT_FOUND, "the other side closed the connection");
        if (n == 0) return vt_fail(diag, VTA_IO, "the connection was closed after %zu of %zu bytes", have, size);
        if (n == -2) return broken(diag);
        if (n == -1) VT_TRY(wait_for(s, wait, deadline, diag));
        if (n > 0) have += (size_t)n;
    }
    return VTA_OK;
}

vta_status vt__rpc_write(vt_rpc_stream *s, const void *from, size_t size, uint64_t deadline, vta_diag *diag) {
    size_t gone = 0;
    while (gone < size) {
        short wait;
        ssize_t n = try_write(s, (const char *)from + gone, size - gone, &wait);
        if (n == -2 || n == 0) return broken(diag);
        if (n == -1) VT_TRY(wait_for(s, wait, deadline, diag));
        if (n > 0) gone += (size_t)n;
    }
    return VTA_OK;
}

vta_status vt__rpc_wait(vt_rpc_stream *s, uint64_t deadline, vta_diag *diag) {
    if (s->tls && vt__tls_pending(s->tls)) return VTA_OK;
    return wait_for(s, POLLIN, deadline, diag);
}

/* ---- Frames ------------------------------------------------------------------------------------------------------ */

enum { JOINED_BYTES = 4096 };

vta_status vt__rpc_send(vt_rpc_stream *s, vt_rpc_header header, const void *fields, uint64_t deadline, vta_diag *diag) {
    uint8_t joined[VT_RPC_HEADER_BYTES + JOINED_BYTES];
    vt__rpc_put_header(joined, &header);
    /* What is small leaves as one packet. */
    size_t first = header.size < JOINED_BYTES ? header.size : JOINED_BYTES;
    if (first) memcpy(joined + VT_RPC_HEADER_BYTES, fields, first);
    VT_TRY(vt__rpc_write(s, joined, VT_RPC_HEADER_BYTES + first, deadline, diag));
    if (first == header.size) return VTA_OK;
    return vt__rpc_write(s, (const char *)fields + first, header.size - first, deadline, diag);
}

vta_status vt__rpc_receive(vt_rpc_stream *s, uint64_t wait_until, uint32_t patience_ms, vta_diag *diag,
                           vt_rpc_header *out_header, vt_strbuf *fields) {
    uint8_t bytes[VT_RPC_HEADER_BYTES];
    vt_strbuf_clear(fields);
    VT_TRY(vt__rpc_wait(s, wait_until, diag));
    VT_TRY(vt__rpc_read(s, bytes, sizeof bytes, vt__rpc_deadline(patience_ms, 0), diag));
    VT_TRY(vt__rpc_get_header(bytes, diag, out_header));
    size_t size = out_header->size;
    if (!vt_reserve(fields->allocator, &fields->text, &fields->cap, size + 1, 1)) return vt_no_memory(diag);
    vta_status status = vt__rpc_read(s, fields->text, size, vt__rpc_deadline(patience_ms, size), diag);
    fields->text[size] = '\0';
    fields->size = size;
    return status == VTA_NOT_FOUND && size ? VTA_IO : status;
}

void vt__rpc_close(vt_rpc_stream *s) {
    if (s->tls) vt__tls_free(s->tls);
    if (s->fd >= 0) close(s->fd);
    *s = (vt_rpc_stream){.fd = -1};
}

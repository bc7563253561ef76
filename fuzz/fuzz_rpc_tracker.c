/* Any bytes as what servers and clients say to a tracker: answered or refused with frames that are whole, nobody
 * crashes, and afterwards the one server of the tracker is free again. The first byte chooses: bytes as they come from
 * the network; or, after a good greeting, messages (a byte that chooses one, a byte and so many bytes of fields). */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/tracker_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

enum { MAX_BYTES = 4096 }; /* the answers to so many fit into a socket's buffer */

static void put_frame(vt_strbuf *to, uint16_t message, uint32_t number, const void *fields, size_t size) {
    uint8_t header[VT_RPC_HEADER_BYTES];
    vt__rpc_put_header(header, &(vt_rpc_header){.size = (uint32_t)size, .message = message, .number = number});
    vt_strbuf_addn(to, (const char *)header, sizeof header);
    vt_strbuf_addn(to, fields, size);
}

static void put_greeting(vt_strbuf *to) {
    vt_strbuf fields;
    vt_strbuf_init(&fields, NULL);
    vt__rpc_put_u32(&fields, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(&fields, "fuzz");
    vt_strbuf_addn(to, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES);
    put_frame(to, VT_RPC_HELLO, 1, vt_strbuf_text(&fields), fields.size);
    vt_strbuf_free(&fields);
}

static void put_messages(vt_strbuf *to, const uint8_t *data, size_t size) {
    static const uint16_t messages[] = {VT_RPC_REGISTER, VT_RPC_LEASED, VT_RPC_REQUEST,
                                        VT_RPC_SUMMARY,  VT_RPC_BYE,    VT_RPC_HELLO,
                                        VT_RPC_ENDED,    VT_RPC_PING,   999};
    for (uint32_t number = 2; size >= 2; number++) {
        size_t fields = data[1] < size - 2 ? data[1] : size - 2;
        put_frame(to, messages[data[0] % (sizeof messages / sizeof *messages)], number, data + 2, fields);
        data += 2 + fields, size -= 2 + fields;
    }
}

/* What the tracker answered: whole frames of messages that exist, and after a refusal a text. */
static void check_answers(int fd) {
    static uint8_t bytes[1 << 20];
    size_t size = 0;
    for (ssize_t n; (n = read(fd, bytes + size, sizeof bytes - size)) > 0;) size += (size_t)n;
    for (size_t at = 0; at < size;) {
        vt_rpc_header header;
        check(size - at >= VT_RPC_HEADER_BYTES && vt__rpc_get_header(bytes + at, NULL, &header) == VTA_OK);
        at += VT_RPC_HEADER_BYTES;
        check(header.size <= size - at && (!header.status || header.size > 0));
        at += header.size;
    }
}

static void converse(vt_tracker *t, const vt_strbuf *said) {
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    vt_tracker_link link = {.t = t, .fd = ends[0]};
    check(write(ends[1], vt_strbuf_text(said), said->size) == (ssize_t)said->size);
    shutdown(ends[1], SHUT_WR); /* nothing waits for more */
    vt__tracker_serve_link(&link);
    check(link.over && link.fd == -1);
    check_answers(ends[1]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size || size > MAX_BYTES) return 0;
    vt_tracker t = {.options = {.lease_seconds = 60}, .lock = PTHREAD_MUTEX_INITIALIZER, .listener = -1, .signals = -1};
    vt_tracked server = {.key = "board", .host = "127.0.0.1", .port = 9091};
    vt_strbuf said;
    vt_strbuf_init(&said, NULL);
    check(vt__tracker_init(&t.state, NULL) == VTA_OK);
    vt__tracker_add(&t.state, &server, NULL);
    if (data[0] % 2 == 0) put_greeting(&said);
    if (data[0] % 2 == 0)
        put_messages(&said, data + 1, size - 1);
    else
        vt_strbuf_addn(&said, (const char *)data + 1, size - 1);
    check(!said.failed);
    converse(&t, &said);
    check(t.state.servers == &server && !server.next && !server.leased && server.lease_over == (server.served > 0) &&
          !t.state.waiting);
    vt__tracker_clear(&t.state);
    vt_strbuf_free(&said);
    return 0;
}

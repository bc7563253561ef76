/* Any answers that a server could give to a client: every request of the project's protocol, its answer made of the
 * data. The client takes it or refuses it with a message, and never more. Each request takes a byte that chooses it, a
 * byte that says how the answer's header is wrong, and a byte and so many bytes of fields. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/client_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

enum { OTHER_NUMBER = 1, OTHER_MESSAGE = 2, REFUSED = 4, ENDED = 8, CUT = 16, LONG = 32 };

typedef struct server {
    int fd;
    uint32_t number;
    bool closed;
} server;

/* Puts the answer where the client will find it, before it asks. */
static void answer(server *s, vt_rpc_message message, uint8_t how, const uint8_t *fields, size_t size) {
    uint8_t bytes[VT_RPC_HEADER_BYTES];
    if (s->closed) return;
    vt_rpc_header header = {.size = (uint32_t)size, .message = (uint16_t)message, .number = ++s->number};
    if (how & OTHER_NUMBER) header.number += how;
    if (how & OTHER_MESSAGE) header.message = (uint16_t)(how >> 2);
    if (how & REFUSED) header.status = how;
    if (how & ENDED) header.message = VT_RPC_ENDED;
    if (how & LONG) header.size += (uint32_t)how << 16;
    vt__rpc_put_header(bytes, &header);
    check(write(s->fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
    if (how & CUT) size /= 2;
    check(size == 0 || write(s->fd, fields, size) == (ssize_t)size);
    s->closed = how & (CUT | LONG);
    if (s->closed) shutdown(s->fd, SHUT_WR); /* the rest never comes */
}

typedef struct client {
    vta_rpc rpc;
    vta_diag *diag;
    char *text;
    size_t size;
    uint64_t number;
    double seconds[4];
    uint8_t bytes[64];
} client;

static const int64_t shape[] = {2, 3};
static const DLDataType type = {kDLInt, 8, 1};

/* A request, and its message. */
#define REQUESTS(X)                                                                                                    \
    X(PING, vta_rpc_ping(&c->rpc, c->diag))                                                                            \
    X(UPLOAD, vta_rpc_upload(&c->rpc, "name", "bytes", 5, c->diag))                                                    \
    X(DOWNLOAD, vta_rpc_download(&c->rpc, "name", c->diag, &c->text, &c->size))                                        \
    X(REMOVE, vta_rpc_remove(&c->rpc, "name", c->diag))                                                                \
    X(LOAD_MODULE, vta_rpc_load_module(&c->rpc, "name", c->diag, &c->number, &c->text))                                \
    X(FUNCTION, vta_rpc_function(&c->rpc, 1, "name", c->diag, &c->number, &c->text))                                   \
    X(CALL, vta_rpc_call(&c->rpc, 1, NULL, NULL, 0, c->diag, NULL, NULL))                                              \
    X(TIME, vta_rpc_time(&c->rpc, 1, NULL, NULL, 0, 1, 4, 0, c->diag, c->seconds))                                     \
    X(ARRAY, vta_rpc_array(&c->rpc, 1, 2, shape, type, c->diag, &c->number))                                           \
    X(WRITE, vta_rpc_write(&c->rpc, 1, 0, c->bytes, sizeof c->bytes, c->diag))                                         \
    X(READ, vta_rpc_read(&c->rpc, 1, 0, c->bytes, sizeof c->bytes, c->diag))                                           \
    X(COPY, vta_rpc_copy(&c->rpc, 1, 2, c->diag))                                                                      \
    X(FREE, vta_rpc_free(&c->rpc, 1, c->diag))                                                                         \
    X(STATISTICS, vta_rpc_statistics(&c->rpc, c->diag, &c->text))                                                      \
    X(CLEAR, vta_rpc_clear_statistics(&c->rpc, c->diag))                                                               \
    X(CONFIGURE, vta_rpc_configure(&c->rpc, "{}", c->diag))                                                            \
    X(PROGRAM, vta_rpc_program(&c->rpc, NULL, c->diag))                                                                \
    X(LOAD_MODEL, vta_rpc_load_model(&c->rpc, "name", c->diag, &c->number, &c->text))                                  \
    X(RUN_MODEL, vta_rpc_run_model(&c->rpc, 1, NULL, 0, c->diag, c->seconds, &c->text))                                \
    X(PROFILE_MODEL, vta_rpc_profile_model(&c->rpc, 1, c->diag, &c->text))                                             \
    X(SESSIONS, vta_rpc_sessions(&c->rpc, c->diag, &c->text))                                                          \
    X(SHUTDOWN, vta_rpc_shutdown(&c->rpc, c->diag))

#define REQUEST(name, call)                                                                                            \
    static vta_status ask_##name(client *c) { return call; }
REQUESTS(REQUEST)
#undef REQUEST

static const struct {
    vt_rpc_message message;
    vta_status (*ask)(client *c);
} requests[] = {
#define REQUEST(name, call) {VT_RPC_##name, ask_##name},
    REQUESTS(REQUEST)
#undef REQUEST
};
enum { KINDS = sizeof requests / sizeof *requests };

static void one(client *c, server *s, size_t kind, uint8_t how, const uint8_t *fields, size_t size) {
    bool over = c->rpc.link.over;
    c->text = NULL;
    vta_diag_clear(c->diag);
    if (!over) answer(s, requests[kind].message, how, fields, size);
    vta_status status = requests[kind].ask(c);
    if (status != VTA_OK) check(vta_diag_count(c->diag) > 0 && !c->text);
    if (over) check(status == VTA_IO);
    vta_string_free(c->text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MAX = 32 };
    int ends[2];
    client c = {.rpc = {.allocator = vt_allocator_libc}, .diag = vta_diag_create(NULL)};
    check(c.diag && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
    server s = {.fd = ends[1]};
    c.rpc.link = (vt_rpc_link){.stream = {.fd = ends[0]}, .owner = getpid(), .patience_ms = 1, .answer_ms = 1};
    vt_strbuf_init(&c.rpc.link.out, NULL);
    vt_strbuf_init(&c.rpc.link.in, NULL);
    for (int n = 0; size >= 3 && n < MAX; n++) {
        size_t fields = data[2] < size - 3 ? data[2] : size - 3;
        uint8_t *exact = malloc(fields ? fields : 1);
        if (fields) memcpy(exact, data + 3, fields);
        one(&c, &s, data[0] % KINDS, data[1], exact, fields);
        free(exact);
        data += 3 + fields, size -= 3 + fields;
    }
    vt__link_close(&c.rpc.link);
    close(ends[1]);
    vta_diag_destroy(c.diag);
    return 0;
}

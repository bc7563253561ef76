/* Between a client and its session: what comes from the network is given to the session's socket, decrypted where there
 * is a key, and the other way round. So the server knows when a client waits for an answer, whatever the session's code
 * says. A side that takes nothing stops the other from being read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/server.h"
#include "rpc/stream.h"

enum { QUEUE_BYTES = 1 << 20, ROOM_BYTES = 1 << 20 };

/* A write that is going on. */
typedef struct block {
    uv_write_t write;
    vt_connection *c;
    char bytes[];
} block;

static void on_network(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer);
static void on_session(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer);

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
    vt_blocks *blocks = ((vt_connection *)handle->data)->server->blocks;
    (void)wanted;
    *buffer = uv_buf_init(blocks->room, sizeof blocks->room);
}

static void read_network(vt_connection *c) { uv_read_start((uv_stream_t *)&c->tcp, give_room, on_network); }
static void read_session(vt_connection *c) { uv_read_start((uv_stream_t *)&c->inside, give_room, on_session); }

static void written(uv_write_t *write, int status) {
    vt_connection *c = ((block *)write)->c;
    bool to_session = c->has_inside && write->handle == (uv_stream_t *)&c->inside;
    free(write);
    if (c->state == VT_CLOSED) return;
    if (status < 0 && to_session) return; /* it ends, and how it does is what the client is told */
    if (status < 0) {
        vt__connection_kill(c, VTA_IO, "the connection broke");
        return;
    }
    bool room_in = !c->has_inside || uv_stream_get_write_queue_size((uv_stream_t *)&c->inside) < QUEUE_BYTES;
    bool room_out = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp) < QUEUE_BYTES;
    if (room_in && !c->gone) read_network(c); /* nothing happens where it is being read */
    if (room_out && c->has_inside && !c->inside_over) read_session(c);
}

/* What the system does not take at once waits in a copy. */
static void send_block(vt_connection *c, uv_stream_t *to, uv_stream_t *from, const char *bytes, size_t size) {
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)size);
    int taken = uv_try_write(to, &buffer, 1);
    size_t done = taken > 0 ? (size_t)taken : 0;
    if (done == size) return;
    block *b = malloc(sizeof *b + size - done);
    if (!b) {
        vt__connection_kill(c, VTA_NO_MEMORY, "the server is out of memory");
        return;
    }
    memcpy(b->bytes, bytes + done, size - done);
    b->c = c;
    buffer = uv_buf_init(b->bytes, (unsigned)(size - done));
    if (uv_write(&b->write, to, &buffer, 1, written) != 0) {
        free(b);
        vt__connection_kill(c, VTA_IO, "the connection broke");
    } else if (from && uv_stream_get_write_queue_size(to) > QUEUE_BYTES) {
        uv_read_stop(from);
    }
}

/* Sends what TLS has to say. */
static void drain(vt_connection *c) {
    size_t n;
    uv_stream_t *from = c->has_inside ? (uv_stream_t *)&c->inside : NULL;
    char *sealed = c->server->blocks->sealed;
    while ((n = vt__tls_drain(c->tls, sealed, VT_BLOCK_BYTES)) > 0)
        send_block(c, (uv_stream_t *)&c->tcp, from, sealed, n);
}

void vt__pump_say(vt_connection *c, const void *bytes, size_t size) {
    short wait;
    if (!c->tls) {
        send_block(c, (uv_stream_t *)&c->tcp, c->has_inside ? (uv_stream_t *)&c->inside : NULL, bytes, size);
        return;
    }
    ssize_t n = 1;
    for (size_t done = 0; c->state != VT_CLOSED && done < size && n > 0; done += n > 0 ? (size_t)n : 0)
        n = vt__tls_write(c->tls, (const char *)bytes + done, size - done, &wait);
    if (c->state != VT_CLOSED) drain(c);
}

/* ---- From the session -------------------------------------------------------------------------------------------- */

static void on_session(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer) {
    vt_connection *c = stream->data;
    if (n > 0) c->asked = 0;
    if (n > 0) vt__pump_say(c, buffer->base, (size_t)n);
    if (n >= 0) return;
    c->inside_over = true;
    uv_read_stop(stream);
    if (!c->running) vt__connection_part(c);
}

/* ---- From the network -------------------------------------------------------------------------------------------- */

static void give_session(vt_connection *c, const char *bytes, size_t size) {
    if (size >= VT_RPC_PREFACE_BYTES && !memcmp(bytes, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES)) c->speaks_own = true;
    c->asked = uv_now(&c->server->loop);
    send_block(c, (uv_stream_t *)&c->inside, (uv_stream_t *)&c->tcp, bytes, size);
}

/* As many records as fit are one block. */
static ssize_t decrypt_block(vt_connection *c, size_t *out_size) {
    char *opened = c->server->blocks->opened;
    short wait;
    ssize_t n = 1;
    *out_size = 0;
    while (*out_size < VT_BLOCK_BYTES &&
           (n = vt__tls_read(c->tls, opened + *out_size, VT_BLOCK_BYTES - *out_size, &wait)) > 0)
        *out_size += (size_t)n;
    return n;
}

static void decrypt(vt_connection *c) {
    size_t size = 1;
    ssize_t n = 1;
    while (c->state == VT_SERVED && n > 0) {
        n = decrypt_block(c, &size);
        if (size) give_session(c, c->server->blocks->opened, size);
    }
    drain(c);
    if (n == -2) vt__connection_kill(c, VTA_IO, "the connection was tampered with");
}

/* The session gets one end of a pair of sockets. */
vta_status vt__pump_session(vt_connection *c, vta_diag *diag) {
    int ends[2];
    VT_TRY(vt__connection_take_line(c, diag));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return vt_fail(diag, VTA_IO, "socketpair: %s", strerror(errno));
    for (int i = 0; i < 2; i++) { /* large pieces wake the other side less often; a user may have less than root */
        const int bytes = ROOM_BYTES;
        if (setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes) != 0)
            setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    }
    c->inside_fd = ends[1];
    uv_pipe_init(&c->server->loop, &c->inside, 0);
    c->inside.data = c;
    c->has_inside = true;
    c->handles++;
    if (uv_pipe_open(&c->inside, ends[0]) != 0) {
        close(ends[0]);
        return vt_fail(diag, VTA_IO, "uv_pipe_open fails");
    }
    VT_TRY(vt__connection_start(c, c->inside_fd, diag));
    close(c->inside_fd);
    c->inside_fd = -1;
    read_session(c);
    return VTA_OK;
}

static void shake(vt_connection *c) {
    vta_diag *diag = c->server->diag;
    vta_diag_clear(diag);
    int done = vt__tls_handshake(c->tls, diag);
    drain(c);
    if (done == 0) return;
    if (done < 0) { /* TLS has told the client */
        vt__server_log(c->server, "%s: refused: %s", c->peer, vt_diag_reason(c->server->diag));
        vt__connection_part(c);
        return;
    }
    vta_status status = vt__pump_session(c, diag);
    if (status == VTA_OK)
        decrypt(c); /* the first request may have come along */
    else
        vt__connection_refuse(c, status, vt_diag_reason(c->server->diag));
}

/* A client of the own protocol that was started without a key is told so in the clear. */
static bool speaks_in_the_clear(const vt_connection *c, const char *bytes, size_t size) {
    return c->tls && c->state == VT_SHAKING && size >= VT_RPC_PREFACE_BYTES &&
           !memcmp(bytes, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES);
}

/* The client has left: its session sees the end of its requests, and has a moment to end. */
static void leave(vt_connection *c) {
    c->gone = vt__rpc_now();
    uv_read_stop((uv_stream_t *)&c->tcp);
    int fd;
    if (c->state == VT_SERVED && uv_fileno((uv_handle_t *)&c->inside, &fd) == 0) shutdown(fd, SHUT_WR);
    if (c->state != VT_SERVED) vt__connection_close(c);
}

static void on_network(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer) {
    vt_connection *c = stream->data;
    if (n == 0) return;
    if (n < 0) {
        leave(c);
        return;
    }
    if (c->state == VT_PARTING) return;
    if (speaks_in_the_clear(c, buffer->base, (size_t)n)) {
        vt__connection_refuse(c, VTA_INVALID_ARGUMENT, VT_NEEDS_KEY);
        return;
    }
    if (!c->tls) {
        give_session(c, buffer->base, (size_t)n);
        return;
    }
    if (!vt__tls_feed(c->tls, buffer->base, (size_t)n)) {
        vt__connection_kill(c, VTA_NO_MEMORY, "the server is out of memory");
        return;
    }
    if (c->state == VT_SHAKING)
        shake(c);
    else
        decrypt(c);
}

static void begin_in_the_clear(vt_connection *c) {
    vta_status status = vt__pump_session(c, c->server->diag);
    read_network(c);
    if (status != VTA_OK) vt__connection_refuse(c, status, vt_diag_reason(c->server->diag));
}

void vt__pump_begin(vt_connection *c) {
    vta_diag_clear(c->server->diag);
    if (!c->server->tls) {
        begin_in_the_clear(c);
        return;
    }
    if (vt__tls_accept(c->server->tls, c->server->diag, &c->tls) != VTA_OK) {
        vt__server_log(c->server, "%s: refused: %s", c->peer, vt_diag_reason(c->server->diag));
        vt__connection_close(c);
        return;
    }
    read_network(c);
}

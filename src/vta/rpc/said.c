/* What a session writes to its standard output and error: lines of the server's log, marked as the session's. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "rpc/server.h"

enum { MAX_BYTES = 1 << 16 }; /* of one session */

static void log_line(vt_connection *c) {
    c->said.line[c->said.size] = '\0';
    if (c->said.size) vt__server_log(c->server, "%s: session %d says: %s", c->peer, c->process.pid, c->said.line);
    c->said.size = 0;
}

static void hear(vt_connection *c, const char *bytes, size_t size) {
    vt_said *said = &c->said;
    for (size_t i = 0; i < size && said->left; i++) {
        if (bytes[i] == '\n' || said->size == sizeof said->line - 1) log_line(c);
        if (bytes[i] != '\n') said->line[said->size++] = bytes[i] ? bytes[i] : ' ';
        if (--said->left) continue;
        log_line(c);
        vt__server_log(c->server, "%s: session %d says more, which is not logged", c->peer, c->process.pid);
    }
}

static void give_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
    vt_blocks *blocks = ((vt_connection *)handle->data)->server->blocks;
    (void)wanted;
    *buffer = uv_buf_init(blocks->room, sizeof blocks->room);
}

static void close_pipe(vt_connection *c) {
    log_line(c);
    c->has_says = false;
    uv_close((uv_handle_t *)&c->says, vt__connection_closed);
}

static void on_words(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer) {
    vt_connection *c = stream->data;
    if (n > 0) hear(c, buffer->base, (size_t)n);
    if (n < 0) close_pipe(c);
}

vta_status vt__said_begin(vt_connection *c, int fd, vta_diag *diag) {
    uv_pipe_init(&c->server->loop, &c->says, 0);
    c->says.data = c;
    c->has_says = true;
    c->said.left = MAX_BYTES;
    c->handles++;
    if (uv_pipe_open(&c->says, fd) != 0) {
        close(fd);
        return vt_fail(diag, VTA_IO, "uv_pipe_open fails");
    }
    return uv_read_start((uv_stream_t *)&c->says, give_room, on_words) == 0 ? VTA_OK : vt_no_memory(diag);
}

void vt__said_end(vt_connection *c) {
    int fd;
    ssize_t n;
    size_t all = 0;
    if (!c->has_says) return;
    vt_blocks *blocks = c->server->blocks;
    if (uv_fileno((uv_handle_t *)&c->says, &fd) == 0)
        for (; all < MAX_BYTES && (n = read(fd, blocks->room, sizeof blocks->room)) > 0; all += (size_t)n)
            hear(c, blocks->room, (size_t)n);
    close_pipe(c);
}

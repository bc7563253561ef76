/* The process of a connection's session: started, watched, ended. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "rpc/server.h"
#include "rpc/session.h"

void vt__connection_kill(vt_connection *c, vta_status status, const char *why) {
    if (c->ended == VTA_OK) {
        c->ended = status;
        snprintf(c->why, sizeof c->why, "%s", why);
    }
    if (c->running) kill(-c->process.pid, SIGKILL);
    if (!c->running && c->state < VT_PARTING) vt__connection_part(c);
}

/* Did the session's client ask for the server's end? A session can claim it: only where clients may ask is it heard. */
static void hear_shutdown(vt_connection *c) {
    if (c->server->options.allow_shutdown && c->page && atomic_load(&c->page->shutdown))
        vt__server_end(c->server, "a client ended it");
}

static void session_exits(uv_process_t *process, int64_t code, int signal) {
    vt_connection *c = process->data;
    c->running = false;
    kill(-process->pid, SIGKILL); /* what it has started */
    if (c->ended == VTA_OK && (signal || code)) {
        c->ended = VTA_ILLEGAL;
        if (signal)
            snprintf(c->why, sizeof c->why, "the session's process was ended by signal %d (%s)%s", signal,
                     strsignal(signal), signal == SIGKILL ? "; is there not enough memory?" : "");
        else
            snprintf(c->why, sizeof c->why, "the session's process ended itself with code %d", (int)code);
    }
    if (c->ended == VTA_OK)
        vt__server_log(c->server, "%s: session %d ends", c->peer, process->pid);
    else
        vt__server_log(c->server, "%s: session %d: %s", c->peer, process->pid, c->why);
    if (!c->tls || c->inside_over) vt__connection_part(c);
    hear_shutdown(c);
}

static void put_text(char *to, size_t room, const char *text) { snprintf(to, room, "%s", text ? text : ""); }

static void fill_page(vt_connection *c) {
    const vta_rpc_server_options *o = &c->server->options;
    vt_rpc_page *p = c->page;
    *p = (vt_rpc_page){.mark = VT_RPC_PAGE_MARK,
                       .size = sizeof *p,
                       .memory_bytes = o->memory_bytes,
                       .file_bytes = o->file_bytes,
                       .patience_ms = o->patience_ms,
                       .idle_seconds = o->idle_seconds,
                       .user = c->server->user,
                       .group = c->server->group,
                       .change_user = c->server->change_user,
                       .allow_shutdown = o->allow_shutdown};
    put_text(p->folder, sizeof p->folder, c->folder);
    put_text(p->config, sizeof p->config, c->server->config_text);
    put_text(p->driver, sizeof p->driver, o->driver);
    put_text(p->name, sizeof p->name, o->name);
    put_text(p->bitstreams, sizeof p->bitstreams, o->bitstreams);
}

static vta_status make_place(vt_connection *c, vta_diag *diag) {
    const vt_server *s = c->server;
    VT_TRY(vt__folders_session(s, diag, c->folder));
    if (s->change_user && chown(c->folder, s->user, s->group) != 0)
        return vt_fail(diag, VTA_IO, "%s: cannot be given to the session's user: %s", c->folder, strerror(errno));
    VT_TRY(vt__share_make("vta-session", sizeof *c->page, diag, &c->page_fd, (void **)&c->page));
    fill_page(c);
    return VTA_OK;
}

static vta_status spawn(vt_connection *c, int fd, vta_diag *diag) {
    char temporary[VT_FOLDER_BYTES + 16], config[VT_RPC_PATH_BYTES + 16], path[VT_RPC_PATH_BYTES];
    const char *search = vt_environment(VT_ENV_PATH);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", c->folder);
    snprintf(config, sizeof config, "VTA_CONFIG=%s", c->server->config);
    snprintf(path, sizeof path, "PATH=%s", search ? search : "/usr/bin:/bin");
    char board[VT_RPC_PATH_BYTES];
    const char *place = vt_environment(VT_ENV_VTA_BOARD);
    snprintf(board, sizeof board, "VTA_BOARD=%s", place ? place : "");
    char *environment[] = {path, temporary, config, board, NULL};
    char *argv[] = {(char *)c->server->options.session_program, NULL};
    uv_stdio_container_t files[] = {
        {.flags = UV_IGNORE},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
        {.flags = UV_INHERIT_FD, .data.fd = fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->page_fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->server->table_fd},
    };
    const uv_process_options_t options = {.exit_cb = session_exits,
                                          .file = argv[0],
                                          .args = argv,
                                          .env = environment,
                                          .flags = UV_PROCESS_DETACHED,
                                          .stdio_count = 6,
                                          .stdio = files};
    c->process.data = c;
    int error = uv_spawn(&c->server->loop, &c->process, &options);
    c->has_process = true; /* also after a failure the handle is to be closed */
    c->handles++;
    if (error) return vt_fail(diag, VTA_IO, "%s: cannot be started: %s", argv[0], uv_strerror(error));
    return VTA_OK;
}

vta_status vt__connection_start(vt_connection *c, int fd, vta_diag *diag) {
    VT_TRY(make_place(c, diag));
    VT_TRY(spawn(c, fd, diag));
    c->running = true;
    atomic_store(&c->line->pid, (uint32_t)c->process.pid);
    vt__connection_enter(c, VT_SERVED);
    vt__server_log(c->server, "%s: session %d begins", c->peer, c->process.pid);
    return VTA_OK;
}

/* ---- Watching ---------------------------------------------------------------------------------------------------- */

enum { GONE_MS = 500, PARTING_MS = 2000 };

static void watch_session(vt_connection *c, uint64_t now) {
    const vta_rpc_server_options *o = &c->server->options;
    uint64_t began = atomic_load(&c->page->call_started);
    uint64_t calling = began && began < now ? now - began : 0;
    char why[128];
    if (c->line) {
        c->line->protocol = atomic_load(&c->page->protocol);
        c->line->calls = atomic_load(&c->page->calls);
        c->line->bytes = atomic_load(&c->page->bytes);
        c->line->calling_ms = calling;
    }
    if (calling > (uint64_t)o->call_seconds * 1000) {
        snprintf(why, sizeof why, "a call took longer than %u seconds (--call-seconds), and the session was ended",
                 o->call_seconds);
        vt__connection_kill(c, VTA_TIMEOUT, why);
    }
    if (c->gone && now - c->gone > GONE_MS) vt__connection_kill(c, VTA_IO, "the client is gone");
}

void vt__connection_watch(vt_connection *c, uint64_t now) {
    if (c->state == VT_SERVED && c->running) watch_session(c, now);
    bool late = c->state == VT_SHAKING && now - c->since > c->server->options.patience_ms;
    if (late) vt__server_log(c->server, "%s: refused: no TLS handshake in time", c->peer);
    if (late || (c->state == VT_PARTING && now - c->since > PARTING_MS)) vt__connection_close(c);
    if (c->state == VT_SERVED && !c->running && now - c->since > PARTING_MS && c->tls) vt__connection_part(c);
    hear_shutdown(c);
}

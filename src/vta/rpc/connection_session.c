/* The process of a connection's session: started, watched, ended. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "rpc/cgroup.h"
#include "rpc/server.h"
#include "rpc/session.h"
#include "rpc/users.h"

/* The keeper ends the rest, and tells when all of it is over. */
static void end_session(vt_connection *c, int signal) {
    c->killed = vt__rpc_now();
    if (c->line) atomic_store(&c->line->ending, 1);
    kill(signal == SIGKILL ? -c->process.pid : c->process.pid, signal);
}

void vt__connection_kill(vt_connection *c, vta_status status, const char *why) {
    if (c->ended == VTA_OK) {
        c->ended = status;
        snprintf(c->why, sizeof c->why, "%s", why);
    }
    if (c->running && !c->killed) end_session(c, SIGTERM);
    if (!c->running && c->state < VT_PARTING) vt__connection_part(c);
}

/* Did the session's client ask for the server's end? A session can claim it: only where clients may ask is it heard. */
static bool wants_shutdown(const vt_connection *c) {
    return c->server->options.allow_shutdown && c->page && atomic_load(&c->page->shutdown);
}

static void judge_state(vt_connection *c, int code, int signal) {
    if (signal)
        snprintf(c->why, sizeof c->why, "the session's process was ended by signal %d (%s)%s", signal,
                 strsignal(signal), signal == SIGKILL ? "; is there not enough memory?" : "");
    else if (!c->page || atomic_load(&c->page->stage) == VT_STAGE_BEGINS)
        snprintf(c->why, sizeof c->why, "the session could not begin; the server's log says why");
    else
        snprintf(c->why, sizeof c->why, "the session's process ended itself with code %d", code);
}

static vta_status out_of_memory(vt_connection *c) {
    snprintf(c->why, sizeof c->why,
             "the processes of the session had more than %llu MiB of memory together (--memory), and it was ended",
             (unsigned long long)(c->server->options.memory_bytes >> 20));
    return VTA_NO_MEMORY;
}

/* How the session ended, as its keeper says; `code` and `signal` are the keeper's. VTA_OK: in order. */
static vta_status judge(vt_connection *c, int code, int signal) {
    const vta_rpc_server_options *o = &c->server->options;
    const vt_rpc_verdict *v = c->verdict;
    bool finished = c->gone || (c->page && atomic_load(&c->page->stage) == VT_STAGE_DONE);
    switch (v ? v->end : VT_END_UNKNOWN) {
    case VT_END_ITSELF:
        code = WIFEXITED(v->state) ? WEXITSTATUS(v->state) : 0;
        signal = WIFSIGNALED(v->state) ? WTERMSIG(v->state) : 0;
        break;
    case VT_END_NO_JAIL:
        snprintf(c->why, sizeof c->why, "the session could not begin: %.200s", v->words);
        return VTA_IO;
    case VT_END_MEMORY: return out_of_memory(c);
    case VT_END_PROCESSES:
        snprintf(c->why, sizeof c->why,
                 "the session had more than %u processes and threads (--processes), and it was ended",
                 o->max_processes);
        return VTA_NO_MEMORY;
    default: break;
    }
    if (!signal && !code && finished) return VTA_OK;
    if (*c->group && vt__cgroup_ran_out(c->group)) return out_of_memory(c);
    judge_state(c, code, signal);
    return VTA_ILLEGAL;
}

static void session_exits(uv_process_t *process, int64_t code, int signal) {
    vt_connection *c = process->data;
    c->running = false;
    kill(-process->pid, SIGKILL); /* if the keeper was killed */
    if (c->ended == VTA_OK) c->ended = judge(c, (int)code, signal);
    if (c->ended == VTA_OK)
        vt__server_log(c->server, "%s: session %d ends", c->peer, process->pid);
    else
        vt__server_log(c->server, "%s: session %d: %s", c->peer, process->pid, c->why);
    vt_server *server = c->server;
    bool shutdown = wants_shutdown(c);
    if (c->inside_over) vt__connection_part(c);
    if (shutdown) vt__server_end(server, "a client ended it");
}

static void put_text(char *to, size_t room, const char *text) { snprintf(to, room, "%s", text ? text : ""); }

/* Of a session without namespaces, where the server may give it one. */
static uint32_t own_user(const vt_connection *c, uint32_t shared) { return c->own_user ? c->own_user : shared; }

static void fill_page(vt_connection *c) {
    const vta_rpc_server_options *o = &c->server->options;
    vt_rpc_page *p = c->page;
    *p = (vt_rpc_page){.mark = VT_RPC_PAGE_MARK,
                       .size = sizeof *p,
                       .memory_bytes = o->memory_bytes,
                       .file_bytes = o->file_bytes,
                       .patience_ms = o->patience_ms,
                       .idle_seconds = o->idle_seconds,
                       .user = own_user(c, c->server->user),
                       .group = own_user(c, c->server->group),
                       .own_user = c->server->own_users,
                       .has_group = c->group_fd >= 0,
                       .change_user = c->server->change_user,
                       .processes = o->max_processes == UINT32_MAX ? 0 : o->max_processes,
                       .jail = (uint8_t)c->server->jail,
                       .slot = (uint32_t)(c->line - c->server->table->line),
                       .allow_shutdown = o->allow_shutdown};
    put_text(p->folder, sizeof p->folder, c->folder);
    put_text(p->config, sizeof p->config, c->server->config_text);
    put_text(p->driver, sizeof p->driver, o->driver);
    put_text(p->name, sizeof p->name, o->name);
    put_text(p->bitstreams, sizeof p->bitstreams, o->bitstreams);
    put_text(p->key_file, sizeof p->key_file, c->server->key_file);
    put_text(p->home, sizeof p->home, c->server->home);
}

static vta_status make_place(vt_connection *c, vta_diag *diag) {
    const vt_server *s = c->server;
    const vta_rpc_server_options *o = &s->options;
    VT_TRY(vt__folders_session(s, diag, c->folder));
    if (s->own_users) VT_TRY(vt__user_take(diag, &c->own_user, &c->user_fd));
    if (o->cgroup)
        VT_TRY(vt__cgroup_make(o->cgroup, o->memory_bytes, o->max_processes == UINT32_MAX ? 0 : o->max_processes, diag,
                               c->group, &c->group_fd));
    if (s->change_user && chown(c->folder, own_user(c, s->user), own_user(c, s->group)) != 0)
        return vt_fail(diag, VTA_IO, "%s: cannot be given to the session's user: %s", c->folder, strerror(errno));
    VT_TRY(vt__share_make("vta-session", sizeof *c->page, diag, &c->page_fd, (void **)&c->page));
    VT_TRY(vt__share_make("vta-verdict", sizeof *c->verdict, diag, &c->verdict_fd, (void **)&c->verdict));
    fill_page(c);
    return VTA_OK;
}

static vta_status spawn(vt_connection *c, int fd, int log, vta_diag *diag) {
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
        {.flags = UV_INHERIT_FD, .data.fd = log},
        {.flags = UV_INHERIT_FD, .data.fd = log},
        {.flags = UV_INHERIT_FD, .data.fd = fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->page_fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->server->table_fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->verdict_fd},
        {.flags = UV_INHERIT_FD, .data.fd = c->group_fd},
    };
    const uv_process_options_t options = {.exit_cb = session_exits,
                                          .file = argv[0],
                                          .args = argv,
                                          .env = environment,
                                          .flags = UV_PROCESS_DETACHED,
                                          .stdio_count = c->group_fd >= 0 ? VT_RPC_FD_GROUP + 1 : VT_RPC_FD_VERDICT + 1,
                                          .stdio = files};
    c->process.data = c;
    int error = uv_spawn(&c->server->loop, &c->process, &options);
    c->has_process = true; /* also after a failure the handle is to be closed */
    c->handles++;
    if (error) return vt_fail(diag, VTA_IO, "%s: cannot be started: %s", argv[0], uv_strerror(error));
    return VTA_OK;
}

vta_status vt__connection_start(vt_connection *c, int fd, vta_diag *diag) {
    int log[2];
    VT_TRY(make_place(c, diag));
    if (pipe2(log, O_CLOEXEC) != 0) return vt_fail(diag, VTA_IO, "pipe2: %s", strerror(errno));
    vta_status status = vt__said_begin(c, log[0], diag);
    if (status == VTA_OK) status = spawn(c, fd, log[1], diag);
    close(log[1]);
    if (status != VTA_OK) return status;
    c->running = true;
    atomic_store(&c->line->pid, (uint32_t)c->process.pid);
    vt__connection_enter(c, VT_SERVED);
    vt__server_log(c->server, "%s: session %d begins", c->peer, c->process.pid);
    return VTA_OK;
}

/* ---- Watching ---------------------------------------------------------------------------------------------------- */

enum { GONE_MS = 500, PARTING_MS = 2000, KILLED_MS = 3000, AFTER_PATIENCE_MS = 1000 };

/* What happened since the time was looked at is not long ago. */
static uint64_t elapsed(uint64_t now, uint64_t since) { return since < now ? now - since : 0; }

static void watch_session(vt_connection *c, uint64_t now) {
    const vta_rpc_server_options *o = &c->server->options;
    uint64_t began = atomic_load(&c->page->call_started);
    uint64_t calling = began ? elapsed(now, began) : 0;
    char why[128];
    if (c->line) {
        c->line->protocol = atomic_load(&c->page->protocol);
        c->line->calls = atomic_load(&c->page->calls);
        c->line->bytes = atomic_load(&c->page->bytes);
        c->line->calling_ms = calling;
    }
    /* What the page says may be of the session's code. That a client waits, the server sees itself; a frame that came
     * in part has its own limit. */
    uint64_t waiting = c->asked ? elapsed(now, c->asked) : 0, most = (uint64_t)o->call_seconds * 1000;
    if (calling > most || (waiting > most && waiting > o->patience_ms + AFTER_PATIENCE_MS)) {
        snprintf(why, sizeof why, "a call took longer than %u seconds (--call-seconds), and the session was ended",
                 o->call_seconds);
        vt__connection_kill(c, VTA_TIMEOUT, why);
    }
    /* Who has only ended its requests may wait for answers, which a session on a slow machine has not begun with. A
     * call is nobody's any more. */
    uint64_t may_last = calling || o->patience_ms < GONE_MS ? GONE_MS : o->patience_ms;
    if (c->gone && elapsed(now, c->gone) > may_last) vt__connection_kill(c, VTA_IO, "the client is gone");
}

void vt__connection_watch(vt_connection *c, uint64_t now) {
    if (c->state == VT_SERVED && c->running) watch_session(c, now);
    if (c->running && c->killed && elapsed(now, c->killed) > KILLED_MS)
        end_session(c, SIGKILL); /* the keeper is stuck */
    bool late = c->state == VT_SHAKING && elapsed(now, c->since) > c->server->options.patience_ms;
    if (late) vt__server_log(c->server, "%s: refused: no TLS handshake in time", c->peer);
    if (late || (c->state == VT_PARTING && elapsed(now, c->since) > PARTING_MS)) vt__connection_close(c);
    if (c->state == VT_SERVED && !c->running && elapsed(now, c->since) > PARTING_MS) vt__connection_part(c);
    if (wants_shutdown(c)) vt__server_end(c->server, "a client ended it");
}

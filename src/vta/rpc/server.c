#include "rpc/server.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/versioned.h"
#include "rpc/address.h"
#include "rpc/cgroup.h"
#include "rpc/jail.h"
#include "rpc/log.h"
#include "rpc/registration.h"
#include "rpc/sigpipe.h"
#include "rpc/stream.h"
#include "rpc/users.h"

enum { WATCH_MS = 100, BACKLOG = 64 };

void vt__server_log(vt_server *s, const char *fmt, ...) {
    char text[1024], line[1025];
    va_list args;
    if (!s->options.log.write) return;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text - 1, fmt, args);
    va_end(args);
    if (n < 0) return;
    size_t size = vt__log_line(line, sizeof line - 1, text);
    s->options.log.write(s->options.log.ctx, line, size);
}

void vt__server_end(vt_server *s, const char *why) {
    if (s->ending) return;
    s->ending = true;
    vt__server_log(s, "the server ends: %s", why);
    uv_close((uv_handle_t *)&s->listener, NULL);
    for (int i = 0; i < 2; i++) uv_close((uv_handle_t *)&s->signals[i], NULL);
    vt__registration_end(s->registration);
    for (vt_connection *c = s->first, *next; c; c = next) {
        next = c->next;
        if (c->running)
            vt__connection_kill(c, VTA_INTERRUPTED, "the server ends");
        else if (c->state < VT_PARTING)
            vt__connection_close(c);
    }
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

static void on_connection(uv_stream_t *listener, int status) {
    if (status == 0) vt__connection_accept(listener->data);
}

static void on_signal(uv_signal_t *signal, int number) {
    vt__server_end(signal->data, number == SIGINT ? "interrupted" : "terminated");
}

static void on_time(uv_timer_t *timer) {
    vt_server *s = timer->data;
    uint64_t now = vt__rpc_now();
    for (vt_connection *c = s->first, *next; c; c = next) {
        next = c->next;
        vt__connection_watch(c, now);
    }
    if (s->ending && !s->first) uv_close((uv_handle_t *)timer, NULL);
}

/* ---- What it listens on ------------------------------------------------------------------------------------------ */

static vta_status listen_on(vt_server *s, vta_diag *diag) {
    struct sockaddr_storage at;
    bool loopback = false;
    VT_TRY(vt__address_read(s->options.host, s->options.port, diag, &at, &loopback));
    if (!loopback && !s->tls)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "--host %.100s: a server runs the code that it is sent; where others can reach it, it needs "
                       "--key-file (`vta rpc new-key FILE` makes one)",
                       s->options.host);
    if (!loopback && s->jail == VT_JAIL_REAPED && !s->options.unprotected)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "--host %.100s: this machine gives sessions no namespaces (%s): what one runs could harm the "
                       "others, and the server. --unprotected serves others all the same",
                       s->options.host, s->no_jail);
    int error = uv_tcp_bind(&s->listener, (struct sockaddr *)&at, 0);
    if (!error) error = uv_listen((uv_stream_t *)&s->listener, BACKLOG, on_connection);
    if (error)
        return vt_fail(diag, VTA_IO, "cannot listen on %.100s:%u: %s", s->options.host, s->options.port,
                       uv_strerror(error));
    return VTA_OK;
}

static uint32_t port_of(const vt_server *s) {
    struct sockaddr_storage at;
    int size = sizeof at;
    if (uv_tcp_getsockname(&s->listener, (struct sockaddr *)&at, &size) != 0) return 0;
    return vt__address_port((struct sockaddr *)&at);
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static void fill_in(vta_rpc_server_options *o) {
    if (!o->host) o->host = "127.0.0.1";
    if (!o->name) o->name = "";
    if (!o->user) o->user = "nobody";
    if (!o->max_sessions) o->max_sessions = 16;
    if (!o->call_seconds) o->call_seconds = 300;
    if (!o->idle_seconds) o->idle_seconds = 3600;
    if (!o->patience_ms) o->patience_ms = 30000;
    if (!o->memory_bytes) o->memory_bytes = (uint64_t)2 << 30;
    if (!o->max_processes) o->max_processes = 256;
    if (!o->file_bytes) o->file_bytes = (uint64_t)1 << 30;
    if (!o->public_host) o->public_host = o->host;
}

static vta_status check_text(const char *name, const char *text, size_t room, vta_diag *diag) {
    if (!text || strlen(text) < room) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s has more than %zu characters", name, room - 1);
}

static vta_status check(const vta_rpc_server_options *o, vta_diag *diag) {
    if (!o->session_program)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_rpc_serve: session_program is needed: the path of vta-session");
    if (access(o->session_program, X_OK) != 0)
        return vt_fail(diag, VTA_NOT_FOUND, "%s: no program that can be run (--session-program)", o->session_program);
    if (o->max_sessions > VT_RPC_MAX_SESSIONS)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u sessions; at most %d", o->max_sessions, VT_RPC_MAX_SESSIONS);
    VT_TRY(check_text("driver", o->driver, VT_RPC_NAME_BYTES, diag));
    return check_text("name", o->name, VT_RPC_NAME_BYTES, diag);
}

/* Sessions have another current folder: they get the whole path. */
static vta_status make_absolute(const char *option, const char **path, char room[VT_RPC_PATH_BYTES], vta_diag *diag) {
    char whole[PATH_MAX];
    if (!*path) return VTA_OK;
    if (!realpath(*path, whole))
        return vt_fail(diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s %s: %s", option, *path, strerror(errno));
    VT_TRY(check_text(option, whole, VT_RPC_PATH_BYTES, diag));
    strcpy(room, whole);
    *path = room;
    return VTA_OK;
}

/* Early, so that a mistake is not found by the first client; and here, since sessions may run as a user who may not
 * read the file. */
static vta_status read_config(vt_server *s, vta_diag *diag) {
    vta_config *config;
    if (!s->options.config) return VTA_OK;
    VT_TRY(vta_config_load(s->options.config, diag, &config));
    s->config_text = vta_config_to_json(config);
    vta_config_release(config);
    if (!s->config_text) return vt_no_memory(diag);
    return check_text("config", s->config_text, VT_RPC_CONFIG_BYTES, diag);
}

static vta_status find_user(vt_server *s, vta_diag *diag) {
    if (geteuid() != 0 || !strcmp(s->options.user, "root")) return VTA_OK;
    char room[4096];
    struct passwd entry, *found = NULL;
    if (getpwnam_r(s->options.user, &entry, room, sizeof room, &found) != 0 || !found)
        return vt_fail(diag, VTA_NOT_FOUND, "--user %.64s: there is no such user", s->options.user);
    s->user = found->pw_uid;
    s->group = found->pw_gid;
    s->change_user = true;
    return VTA_OK;
}

/* What stands in a user's home is no session's to see, and where the key is. */
static void find_hidden(vt_server *s) {
    char room[4096], whole[PATH_MAX];
    struct passwd entry, *found = NULL;
    uid_t user = s->change_user ? s->user : geteuid();
    if (getpwuid_r(user, &entry, room, sizeof room, &found) == 0 && found && strlen(found->pw_dir) < sizeof s->home)
        strcpy(s->home, found->pw_dir);
    if (s->options.key_file && realpath(s->options.key_file, whole) && strlen(whole) < sizeof s->key_file)
        strcpy(s->key_file, whole);
}

/* Tries which namespaces there are. */
static vta_status find_jail(vt_server *s, vta_diag *diag) {
    static vt_rpc_page page;
    s->jail = VT_JAIL_REAPED;
    snprintf(s->no_jail, sizeof s->no_jail, "--unprotected");
    if (s->options.unprotected) return VTA_OK;
    page = (vt_rpc_page){.change_user = s->change_user, .user = s->user, .group = s->group};
    VT_TRY(vt__folders_session(s, diag, page.folder));
    strcpy(page.key_file, s->key_file);
    strcpy(page.home, s->home);
    bool given = !s->change_user || chown(page.folder, s->user, s->group) == 0;
    if (!given) snprintf(s->no_jail, sizeof s->no_jail, "a folder cannot be given to their user: %s", strerror(errno));
    if (given) s->jail = vt__jail_find(&page, sizeof s->no_jail, s->no_jail);
    rmdir(page.folder);
    return VTA_OK;
}

/* Sessions of root without namespaces are kept apart by being different users, unless it said who they are. */
static vta_status find_own_users(vt_server *s, vta_diag *diag) {
    char folder[VT_FOLDER_BYTES];
    if (s->jail != VT_JAIL_REAPED || !s->change_user || strcmp(s->options.user, "nobody") != 0) return VTA_OK;
    VT_TRY(vt__folders_session(s, diag, folder));
    int fd = -1;
    bool may = chown(folder, VT_LAST_OWN_USER, VT_LAST_OWN_USER) == 0; /* a container may have fewer */
    s->own_users = may && vt__users_open(NULL, &fd) == VTA_OK;
    if (may && !s->own_users)
        vt__server_log(s, "sessions are one user: %s cannot be opened: %s", VT_USERS_FILE, strerror(errno));
    if (fd >= 0) close(fd);
    rmdir(folder);
    return VTA_OK;
}

static void tell_jail(vt_server *s) {
    const char *more = s->options.cgroup ? "" : ", and have more memory and processes together than it may (--cgroup)";
    if (s->jail == VT_JAIL_REAPED && s->own_users)
        vt__server_log(
            s,
            "sessions are not protected (%s): each is a user of its own, but what a client sends may use the "
            "network, read what everybody may read%s",
            s->no_jail, more);
    else if (s->jail == VT_JAIL_REAPED)
        vt__server_log(s,
                       "sessions are not protected (%s): what a client sends may read and end what others run, read "
                       "all that the sessions' user may read, this server's key among it if that is its owner%s",
                       s->no_jail, more);
    if (geteuid() == 0 && !s->change_user)
        vt__server_log(s,
                       "sessions are root (--user): what a client sends has the devices and the memory of the machine");
}

static vta_status make_tls(vt_server *s, vta_diag *diag) {
    vt_rpc_key key;
    if (!s->options.key_file) return VTA_OK;
    VT_TRY(vt__key_read(s->options.key_file, diag, &key));
    vta_status status = vt__tls_context(&key, true, diag, &s->tls);
    explicit_bzero(&key, sizeof key);
    return status;
}

static vta_status make_table(vt_server *s, vta_diag *diag) {
    int fd;
    VT_TRY(vt__share_make("vta-sessions", sizeof *s->table, diag, &fd, (void **)&s->table));
    s->table->most = s->options.max_sessions;
    s->table_fd = vt__share_reader(fd);
    close(fd);
    return s->table_fd >= 0 ? VTA_OK : vt_fail(diag, VTA_IO, "cannot open shared memory for reading");
}

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static vta_status prepare(vt_server *s, vta_diag *diag) {
    VT_TRY(check(&s->options, diag));
    VT_TRY(make_absolute("--config", &s->options.config, s->config, diag));
    VT_TRY(make_absolute("--bitstreams", &s->options.bitstreams, s->bitstreams, diag));
    VT_TRY(make_absolute("--cgroup", &s->options.cgroup, s->cgroup, diag));
    if (s->options.cgroup) VT_TRY(vt__cgroup_begin(s->options.cgroup, diag));
    VT_TRY(read_config(s, diag));
    VT_TRY(find_user(s, diag));
    VT_TRY(make_tls(s, diag));
    VT_TRY(make_table(s, diag));
    VT_TRY(vt__folders_begin(s, diag));
    find_hidden(s);
    VT_TRY(find_jail(s, diag));
    VT_TRY(find_own_users(s, diag));
    s->blocks = vt_alloc(NULL, sizeof *s->blocks);
    s->diag = vta_diag_create(NULL);
    return s->diag && s->blocks ? VTA_OK : vt_no_memory(diag);
}

static void begin_handles(vt_server *s) {
    uv_tcp_init(&s->loop, &s->listener);
    uv_timer_init(&s->loop, &s->timer);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&s->loop, &s->signals[i]);
        s->signals[i].data = s;
        uv_signal_start(&s->signals[i], on_signal, i ? SIGTERM : SIGINT);
    }
    s->listener.data = s->timer.data = s;
    uv_timer_start(&s->timer, on_time, WATCH_MS, WATCH_MS);
}

static vta_status serve(vt_server *s, vta_diag *diag) {
    begin_handles(s);
    vta_status status = listen_on(s, diag);
    vt_registration *registration = NULL;
    if (status == VTA_OK) status = vt__registration_begin(s, port_of(s), diag, &registration);
    if (status == VTA_OK) {
        vt__server_log(s, "listening on %s:%u%s", s->options.host, port_of(s),
                       s->tls ? ", with a key" : ", for this machine only");
        tell_jail(s);
        if (s->options.ready) s->options.ready(s->options.ready_ctx, port_of(s));
    } else {
        vt__server_end(s, "it cannot begin");
    }
    s->registration = registration;
    vt_sigpipe held = vt__sigpipe_hold(); /* libuv writes to clients that may be gone */
    uv_run(&s->loop, UV_RUN_DEFAULT);
    vt__sigpipe_release(&held);
    vt__registration_free(registration);
    return status;
}

vta_status vta_rpc_serve(const vta_rpc_server_options *options, vta_diag *diag) {
    vt_server s = {.table_fd = -1, .folder_fd = -1};
    int dumpable = prctl(PR_GET_DUMPABLE);
    VT_TRY(vt_options_read(&s.options, sizeof s.options, options, "vta_rpc_server_options", diag));
    fill_in(&s.options);
    /* Sessions of the same user do not read the memory of this process, where the key is. */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    vta_status status = prepare(&s, diag);
    if (status == VTA_OK && uv_loop_init(&s.loop) != 0)
        status = vt_no_memory(diag);
    else if (status == VTA_OK) {
        status = serve(&s, diag);
        uv_loop_close(&s.loop);
    }
    vt__folders_end(&s);
    if (s.table_fd >= 0) close(s.table_fd);
    vt__share_close(s.table, sizeof *s.table);
    vt__tls_context_free(s.tls);
    vt_free(NULL, s.blocks, sizeof *s.blocks);
    vta_string_free(s.config_text);
    vta_diag_destroy(s.diag);
    prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
    return status;
}

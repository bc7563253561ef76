#include "rpc/registration.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "rpc/client.h"

struct vt_registration {
    vt_server *server;
    uv_async_t lease_over; /* the loop ends sessions: */
    _Atomic bool all;      /* all of them; else it looks which ones have lost their client */
    pthread_t thread;
    int stop;  /* an eventfd: can be read when the server ends */
    int ended; /* another: when the loop has ended the sessions */
    char host[256], place[300];
    uint32_t port, own_port;
    uint64_t lease_until; /* of the lease that goes on (vt__rpc_now); 0: none. Only the thread's, as what follows */
    bool orphan;          /* the tracker does not have that lease's client */
    uint64_t empty_since; /* when an orphan was first seen without sessions; 0: it has some */
};

enum { FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 15000 };

/* True when the server ends; waits for that, or for something to read, so many milliseconds. */
static bool pause_or_stop(const vt_registration *r, int fd, int ms) {
    struct pollfd p[2] = {{.fd = r->stop, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    poll(p, fd >= 0 ? 2 : 1, ms);
    return p[0].revents != 0;
}

/* The server's board, as its sessions see it; NULL: it cannot be made, which the sessions tell. */
static vta_config *config_of(const vt_server *s) {
    vta_config *config = NULL;
    if (!s->config_text) return vta_config_default();
    vta_config_parse(s->config_text, strlen(s->config_text), s->options.config, NULL, &config);
    return config;
}

/* Sessions that are being ended could still take the board. */
static bool has_ending_sessions(const vt_server *s) {
    for (uint32_t i = 0; i < VT_RPC_MAX_SESSIONS; i++)
        if (atomic_load(&s->table->line[i].pid) && atomic_load(&s->table->line[i].ending)) return true;
    return false;
}

/* Until nobody has the server's board any more and it runs nothing: a client that died may have left a stream, and who
 * comes next would wait for that, or be refused. False: the server ends. */
static bool wait_until_idle(const vt_registration *r) {
    enum { LOOK_EVERY_MS = 10 };
    vta_config *config = config_of(r->server);
    vta_status status = VTA_TIMEOUT;
    bool goes_on = true;
    while (goes_on) {
        if (has_ending_sessions(r->server)) {
            goes_on = !pause_or_stop(r, -1, LOOK_EVERY_MS);
            continue;
        }
        status = config ? vta_device_idle(r->server->options.driver, config, NULL, NULL) : VTA_OK;
        if (status != VTA_TIMEOUT && status != VTA_IO) break;
        goes_on = !pause_or_stop(r, -1, LOOK_EVERY_MS);
    }
    vta_config_release(config);
    return goes_on;
}

static bool has_sessions(const vt_server *s) {
    for (uint32_t i = 0; i < VT_RPC_MAX_SESSIONS; i++)
        if (atomic_load(&s->table->line[i].pid)) return true;
    return false;
}

/* A client has this long for its next session. */
enum { ORPHAN_MS = 2000, LOOK_AT_ORPHAN_MS = 100 };

static bool is_left(vt_registration *r) {
    uint64_t now = vt__rpc_now();
    if (has_sessions(r->server))
        r->empty_since = 0;
    else if (!r->empty_since)
        r->empty_since = now;
    return r->empty_since && now - r->empty_since > ORPHAN_MS;
}

/* With the lease that goes on: the tracker may have been started anew. */
static vta_status ask(vt_registration *r, vt_rpc_link *link, vta_diag *diag) {
    const vta_rpc_server_options *o = &r->server->options;
    const vta_rpc_options options = {.key_file = o->key_file, .timeout_ms = 5000, .answer_ms = 5000};
    VT_TRY(vt__link_open(link, r->host, r->port, &options, NULL, diag));
    vt__link_begin(link);
    vt__rpc_put_text(&link->out, o->name);
    vt__rpc_put_text(&link->out, o->public_host);
    vt__rpc_put_u32(&link->out, r->own_port);
    uint64_t now = vt__rpc_now();
    if (r->lease_until) vt__rpc_put_u64(&link->out, r->lease_until > now ? r->lease_until - now : 0);
    vta_status status = vt__link_ask(link, r->lease_until ? VT_RPC_LEASED : VT_RPC_REGISTER, diag);
    r->orphan = r->lease_until != 0;
    r->empty_since = 0;
    if (status != VTA_OK) vt__link_close(link);
    return status;
}

/* The loop ends all sessions when a lease is over by its time. When its client has left, the client's sessions end by
 * themselves, but may not know yet: they are not to take the board when it is another's. False: the server ends. */
static bool end_sessions_of_lease(vt_registration *r, bool late) {
    uint64_t done;
    atomic_store(&r->all, late);
    uv_async_send(&r->lease_over);
    do {
        if (pause_or_stop(r, r->ended, -1)) return false;
    } while (read(r->ended, &done, sizeof done) != (ssize_t)sizeof done); /* a signal may end the pause */
    return true;
}

/* When the board is idle the tracker may give the server to others. False: the server ends. */
static bool end_lease(vt_registration *r, vt_rpc_link *link, bool late, vta_diag *diag) {
    const vt_rpc_header answer = {.message = VT_RPC_ENDED};
    if (!end_sessions_of_lease(r, late) || !wait_until_idle(r)) return false;
    r->lease_until = 0;
    r->orphan = false;
    vt__rpc_send(&link->stream, answer, "", vt__rpc_deadline(5000, 0), diag); /* a broken connection shows next */
    return true;
}

/* The tracker's word that a lease begins. */
static void begin_lease(vt_registration *r, const vt_rpc_link *link) {
    char key[VT_RPC_NAME_BYTES], host[256];
    vt_rpc_reader in = {(const uint8_t *)link->in.text, link->in.size, false};
    vt__rpc_text(&in, key, sizeof key);
    vt__rpc_text(&in, host, sizeof host);
    vt__rpc_u32(&in);
    uint64_t ms = vt__rpc_u64(&in);
    if (in.failed) return;
    r->lease_until = vt__rpc_now() + ms;
    r->orphan = false;
}

static bool can_read(const vt_rpc_link *link) {
    struct pollfd p = {.fd = link->stream.fd, .events = POLLIN};
    return (link->stream.tls && vt__tls_pending(link->stream.tls)) || poll(&p, 1, 0) > 0;
}

/* Until the connection is lost or the server ends. What comes is that a lease begins, or is over. */
static bool stay(vt_registration *r, vt_rpc_link *link, vta_diag *diag) {
    for (;;) {
        vt_rpc_header header;
        if (!can_read(link) && pause_or_stop(r, link->stream.fd, r->orphan ? LOOK_AT_ORPHAN_MS : -1)) return false;
        vta_diag_clear(diag);
        if (!can_read(link)) {
            if (r->orphan && is_left(r) && !end_lease(r, link, false, diag)) return false;
            continue;
        }
        if (vt__rpc_receive(&link->stream, 0, 5000, diag, &header, &link->in) != VTA_OK) return true;
        if (header.message == VT_RPC_LEASED) begin_lease(r, link);
        if (header.message != VT_RPC_ENDED) continue;
        if (!end_lease(r, link, header.status != VTA_OK, diag)) return false;
    }
}

/* A server that is nobody's registers when its board is idle; one with a lease as it is. A lease that is over while no
 * tracker is there to say so ends here. False: the server ends. */
static bool may_register(vt_registration *r) {
    if (r->lease_until > vt__rpc_now()) return true;
    if (r->lease_until && !end_sessions_of_lease(r, true)) return false;
    r->lease_until = 0;
    return wait_until_idle(r);
}

/* Again and again: a tracker that was started anew knows nothing of its servers. */
static void *keep_registered(void *arg) {
    vt_registration *r = arg;
    vta_diag *diag = vta_diag_create(NULL);
    int pause = FIRST_PAUSE_MS;
    for (bool go_on = diag != NULL && may_register(r); go_on; go_on = go_on && may_register(r)) {
        vt_rpc_link link;
        vta_diag_clear(diag);
        if (ask(r, &link, diag) == VTA_OK) {
            pause = FIRST_PAUSE_MS;
            go_on = stay(r, &link, diag);
            vt__link_close(&link);
        }
        if (go_on) go_on = !pause_or_stop(r, -1, pause);
        pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    }
    vta_diag_destroy(diag);
    return NULL;
}

/* Also where the loop has not read the connection's end yet. */
static bool has_left(const vt_connection *c) {
    struct pollfd p = {.events = POLLRDHUP};
    if (c->gone) return true;
    return uv_fileno((const uv_handle_t *)&c->tcp, &p.fd) == 0 && poll(&p, 1, 0) > 0;
}

static void end_sessions(uv_async_t *async) {
    const vt_registration *r = async->data;
    bool all = atomic_load(&r->all);
    uint64_t one = 1;
    vt_server *s = r->server;
    for (vt_connection *c = s->first, *next; c; c = next) {
        next = c->next;
        if (!c->running) continue;
        if (all)
            vt__connection_kill(c, VTA_TIMEOUT, "the tracker's lease is over");
        else if (c->line && has_left(c))
            atomic_store(&c->line->ending, 1); /* by itself, or connection_session.c ends it */
    }
    if (write(r->ended, &one, sizeof one) < 0) return; /* cannot be: the counter has room */
}

static void closed(uv_handle_t *handle) { vt__registration_free(handle->data); }

/* Signals, of processes that end above all, are the loop's. */
static bool start_thread(vt_registration *r) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&r->thread, NULL, keep_registered, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* After a failure the handle may be the loop's still (its data is set), and then it is the loop that frees `r`. */
static vta_status begin(vt_registration *r, vta_diag *diag) {
    vt_server *s = r->server;
    snprintf(r->host, sizeof r->host, "127.0.0.1");
    r->port = VTA_RPC_TRACKER_PORT;
    VT_TRY(vta_rpc_place(s->options.tracker, sizeof r->host, r->host, &r->port, diag));
    r->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    r->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (r->stop < 0 || r->ended < 0 || uv_async_init(&s->loop, &r->lease_over, end_sessions) != 0)
        return vt_no_memory(diag);
    r->lease_over.data = r;
    if (start_thread(r)) return VTA_OK;
    uv_close((uv_handle_t *)&r->lease_over, closed);
    return vt_no_memory(diag);
}

vta_status vt__registration_begin(vt_server *s, uint32_t port, vta_diag *diag, vt_registration **out_registration) {
    *out_registration = NULL;
    if (!s->options.tracker) return VTA_OK;
    vt_registration *r = vt_alloc_zero(NULL, sizeof *r);
    if (!r) return vt_no_memory(diag);
    r->server = s;
    r->own_port = port;
    r->stop = r->ended = -1;
    vta_status status = begin(r, diag);
    if (status == VTA_OK) {
        *out_registration = r;
        return VTA_OK;
    }
    if (r->lease_over.data) return status;
    if (r->stop >= 0) close(r->stop);
    if (r->ended >= 0) close(r->ended);
    vt_free(NULL, r, sizeof *r);
    return status;
}

void vt__registration_end(vt_registration *r) {
    if (!r) return;
    uint64_t one = 1;
    if (write(r->stop, &one, sizeof one) < 0) return; /* cannot be: the counter has room */
    pthread_join(r->thread, NULL);
    uv_close((uv_handle_t *)&r->lease_over, NULL);
}

void vt__registration_free(vt_registration *r) {
    if (!r) return;
    close(r->stop);
    close(r->ended);
    vt_free(NULL, r, sizeof *r);
}

/* One connection of the tracker: a server that has its place, or a client that asks for one. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/tracker_link.h"

enum { PATIENCE_MS = 10000 };

/* What the thread of a connection works with. */
typedef struct serving {
    vt_tracker *t;
    vt_tracker_link *l;
    vt_rpc_stream stream;
    vt_strbuf in, out;
    vta_diag *diag;
} serving;

static const char *words_of(const serving *s, vta_status status) {
    vta_diag_entry e;
    return vta_diag_get(s->diag, 0, &e) == VTA_OK ? e.message : vta_status_text(status);
}

static vta_status answer(serving *s, vt_rpc_header header, vta_status status) {
    if (status != VTA_OK) {
        vt_strbuf_clear(&s->out);
        vt_strbuf_add(&s->out, words_of(s, status));
    }
    header.status = (uint16_t)status;
    header.size = (uint32_t)s->out.size;
    vta_status sent = vt__rpc_send(&s->stream, header, vt_strbuf_text(&s->out), vt__rpc_deadline(PATIENCE_MS, 0), NULL);
    return status != VTA_OK ? status : sent;
}

/* Has the other side closed? Nobody who holds a place or a lease says anything more. */
static bool is_gone(void *ctx) {
    const serving *s = ctx;
    struct pollfd p = {.fd = s->stream.fd, .events = POLLIN | POLLRDHUP};
    return poll(&p, 1, 0) > 0;
}

static bool is_ending(serving *s) {
    pthread_mutex_lock(&s->t->state.lock);
    bool ending = s->t->state.ending;
    pthread_mutex_unlock(&s->t->state.lock);
    return ending;
}

static bool has_lost_its_lease(serving *s, vt_tracked *server, bool *out_late) {
    pthread_mutex_lock(&s->t->state.lock);
    bool over = server->lease_over;
    *out_late = server->late;
    pthread_mutex_unlock(&s->t->state.lock);
    return over;
}

static void free_again(serving *s, vt_tracked *server) {
    pthread_mutex_lock(&s->t->state.lock);
    server->lease_over = false;
    pthread_cond_broadcast(&s->t->state.changed);
    pthread_mutex_unlock(&s->t->state.lock);
}

/* It says so, when its board is idle, too: until then whoever comes next would be ended with them, or be refused. */
static bool is_idle(serving *s) {
    vt_rpc_header header;
    uint64_t until = vt__rpc_deadline(PATIENCE_MS, 0);
    return vt__rpc_receive(&s->stream, until, PATIENCE_MS, NULL, &header, &s->in) == VTA_OK &&
           header.message == VT_RPC_ENDED;
}

static bool has_news(serving *s, const vt_tracked *server, uint64_t *out_ms) {
    uint64_t now = vt__rpc_now();
    pthread_mutex_lock(&s->t->state.lock);
    bool news = server->news;
    *out_ms = server->until > now ? server->until - now : 0;
    pthread_mutex_unlock(&s->t->state.lock);
    return news;
}

/* The server keeps it in mind: a tracker that was started anew learns it from there. */
static vta_status tell_lease(serving *s, vt_tracked *server, uint64_t ms) {
    vt_strbuf_clear(&s->out);
    vt__rpc_put_text(&s->out, server->key);
    vt__rpc_put_text(&s->out, server->host);
    vt__rpc_put_u32(&s->out, server->port);
    vt__rpc_put_u64(&s->out, ms);
    const vt_rpc_header begins = {.size = (uint32_t)s->out.size, .message = VT_RPC_LEASED};
    VT_TRY(vt__rpc_send(&s->stream, begins, vt_strbuf_text(&s->out), vt__rpc_deadline(PATIENCE_MS, 0), NULL));
    pthread_mutex_lock(&s->t->state.lock);
    server->news = false;
    pthread_cond_broadcast(&s->t->state.changed);
    pthread_mutex_unlock(&s->t->state.lock);
    return VTA_OK;
}

/* A lease whose client this tracker does not know is over when its time is. */
static void look_at_orphan(serving *s, vt_tracked *server) {
    pthread_mutex_lock(&s->t->state.lock);
    if (server->orphan && vt__rpc_now() >= server->until) {
        server->orphan = server->leased = false;
        server->lease_over = server->late = true;
    }
    pthread_mutex_unlock(&s->t->state.lock);
}

/* Or when the server says, unasked, that its sessions are. False: the server has left. */
static bool hear_server(serving *s, vt_tracked *server) {
    if (!is_idle(s)) return false;
    pthread_mutex_lock(&s->t->state.lock);
    if (server->orphan) server->orphan = server->leased = false;
    pthread_cond_broadcast(&s->t->state.changed);
    pthread_mutex_unlock(&s->t->state.lock);
    return true;
}

static vta_status tell_lease_over(serving *s, bool late) {
    static const char why[] = "the lease is over (its time, or the tracker's --lease-seconds)";
    const vt_rpc_header by_time = {.size = sizeof why - 1, .message = VT_RPC_ENDED, .status = VTA_TIMEOUT};
    const vt_rpc_header given_back = {.message = VT_RPC_ENDED};
    return vt__rpc_send(&s->stream, late ? by_time : given_back, late ? why : "", vt__rpc_deadline(PATIENCE_MS, 0),
                        NULL);
}

/* A server has its place as long as it is connected. It is told when a lease is over, and says when it is idle; one
 * that does not in time loses its place, and registers again when it is. */
static void hold_place(serving *s, vt_tracked *server) {
    enum { LOOK_EVERY_MS = 20 };
    bool late;
    uint64_t ms;
    while (!is_ending(s)) {
        if (is_gone(s) && !hear_server(s, server)) break;
        look_at_orphan(s, server);
        if (has_news(s, server, &ms) && tell_lease(s, server, ms) != VTA_OK) break;
        if (has_lost_its_lease(s, server, &late)) {
            if (tell_lease_over(s, late) != VTA_OK || !is_idle(s)) break;
            free_again(s, server);
        }
        uint64_t times;
        struct pollfd p[2] = {{.fd = s->stream.fd, .events = POLLIN | POLLRDHUP},
                              {.fd = server->wake, .events = POLLIN}};
        poll(p, 2, LOOK_EVERY_MS);
        if (p[1].revents && read(server->wake, &times, sizeof times) < 0) break; /* cannot be */
    }
}

static vta_status on_register(serving *s, vt_rpc_header header, vt_rpc_reader *in) {
    vt_tracked server = {.next = NULL};
    char line[512];
    vt__rpc_text(in, server.key, sizeof server.key);
    vt__rpc_text(in, server.host, sizeof server.host);
    server.port = vt__rpc_u32(in);
    bool leased = header.message == VT_RPC_LEASED;
    uint64_t ms = leased ? vt__rpc_u64(in) : 0, most = (uint64_t)s->t->options.lease_seconds * 1000;
    vta_status status = vt__rpc_end(in, vt__rpc_message_name(header.message), s->diag);
    if (status == VTA_OK && (!*server.host || !server.port || server.port > 65535))
        status = vt_fail(s->diag, VTA_INVALID_ARGUMENT, "REGISTER: '%s' port %u is not a host and a port", server.host,
                         server.port);
    if (leased) {
        server.leased = server.orphan = true;
        server.since = vt__rpc_now();
        server.until = server.since + (ms < most ? ms : most);
    }
    snprintf(line, sizeof line, "server %s:%u of key '%s' registers%s", server.host, server.port, server.key,
             leased ? ", with a lease that goes on" : "");
    server.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (status == VTA_OK && server.wake < 0) status = vt_fail(s->diag, VTA_IO, "eventfd: %s", strerror(errno));
    if (status == VTA_OK) status = vt__tracker_add(&s->t->state, &server, s->diag);
    if (status != VTA_OK) {
        if (server.wake >= 0) close(server.wake);
        return answer(s, header, status);
    }
    vt__tracker_say(s->t, s->l, line);
    if (answer(s, header, status) == VTA_OK) hold_place(s, &server);
    vt__tracker_remove(&s->t->state, &server);
    close(server.wake);
    vt__tracker_say(s->t, s->l, "the server is gone");
    return VTA_NOT_FOUND;
}

/* A client has a server as long as it is connected, and until its time is up. */
static void hold_lease(serving *s, const vt_tracked *server) {
    bool late = false;
    while (!late && !is_gone(s) && !is_ending(s)) {
        struct pollfd p = {.fd = s->stream.fd, .events = POLLIN | POLLRDHUP};
        poll(&p, 1, 100);
        late = vt__rpc_now() >= server->until;
    }
    vt__tracker_give_back(&s->t->state, server, late);
    vt__tracker_say(s->t, s->l, late ? "the lease is over by its time" : "the lease is given back");
}

typedef struct asked {
    const char *key;
    uint32_t priority, seconds;
    uint64_t until; /* when to wait no longer */
} asked;

/* The server is told first: then the lease outlives this tracker from the moment that the client has it. */
static vta_status give_lease(serving *s, vt_rpc_header header, const asked *a, vt_tracked *server) {
    char line[512];
    vta_status status =
        vt__tracker_take(&s->t->state, a->key, a->priority, a->until, a->seconds, is_gone, s, s->diag, server);
    if (status != VTA_OK) return answer(s, header, status);
    if (!vt__tracker_wait_told(&s->t->state, server, is_gone, s)) {
        vt__tracker_give_back(&s->t->state, server, false);
        return VTA_NOT_FOUND;
    }
    vt__rpc_put_text(&s->out, server->host);
    vt__rpc_put_u32(&s->out, server->port);
    snprintf(line, sizeof line, "has %s:%u for %u seconds", server->host, server->port, a->seconds);
    vt__tracker_say(s->t, s->l, line);
    if (answer(s, header, VTA_OK) == VTA_OK)
        hold_lease(s, server);
    else
        vt__tracker_give_back(&s->t->state, server, false);
    return VTA_NOT_FOUND;
}

static vta_status on_request(serving *s, vt_rpc_header header, vt_rpc_reader *in) {
    char key[VT_TRACKER_NAME];
    vt__rpc_text(in, key, sizeof key);
    uint32_t priority = vt__rpc_u32(in), seconds, wait_ms;
    seconds = vt__rpc_u32(in);
    wait_ms = vt__rpc_u32(in);
    vta_status status = vt__rpc_end(in, "REQUEST", s->diag);
    uint32_t most = s->t->options.lease_seconds;
    if (!seconds || seconds > most) seconds = most;
    if (status != VTA_OK) return answer(s, header, status);
    const asked a = {.key = key, .priority = priority, .seconds = seconds, .until = vt__rpc_now() + wait_ms};
    vt_tracked server = {.port = 0};
    vt__tracker_hold(&s->t->state, &server);
    status = give_lease(s, header, &a, &server);
    vt__tracker_let_go(&s->t->state, &server);
    return status;
}

static vta_status on_hello(serving *s, vt_rpc_header header, vt_rpc_reader *in) {
    char who[256];
    vta_status status = VTA_OK;
    uint32_t version = vt__rpc_u32(in);
    vt__rpc_text(in, who, sizeof who);
    if (version != VT_RPC_WIRE_VERSION)
        status = vt_fail(s->diag, VTA_UNSUPPORTED, "version %u of the protocol; this tracker speaks version %d",
                         version, VT_RPC_WIRE_VERSION);
    if (status == VTA_OK) status = vt__rpc_end(in, "HELLO", s->diag);
    vt__rpc_put_u32(&s->out, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(&s->out, vta_version());
    vt__rpc_put_text(&s->out, "tracker");
    vt__rpc_put_text(&s->out, "");
    return answer(s, header, status);
}

static vta_status on_summary(serving *s, vt_rpc_header header, vt_rpc_reader *in) {
    vt_strbuf text;
    vta_status status = vt__rpc_end(in, "SUMMARY", s->diag);
    vt_strbuf_init(&text, NULL);
    vt__tracker_summary(&s->t->state, &text);
    vt__rpc_put_text(&s->out, vt_strbuf_text(&text));
    vt_strbuf_free(&text);
    return answer(s, header, status);
}

static vta_status serve_one(serving *s, bool first) {
    vt_rpc_header header;
    vt_strbuf_clear(&s->out);
    vta_diag_clear(s->diag);
    VT_TRY(vt__rpc_receive(&s->stream, vt__rpc_now() + PATIENCE_MS, PATIENCE_MS, s->diag, &header, &s->in));
    vt_rpc_reader in = {(const uint8_t *)s->in.text, s->in.size, false};
    if (first != (header.message == VT_RPC_HELLO))
        return answer(s, header, vt_fail(s->diag, VTA_PARSE, "HELLO is the first message, and no other one is"));
    switch (header.message) {
    case VT_RPC_HELLO: return on_hello(s, header, &in);
    case VT_RPC_LEASED:
    case VT_RPC_REGISTER: return on_register(s, header, &in);
    case VT_RPC_REQUEST: return on_request(s, header, &in);
    case VT_RPC_SUMMARY: return on_summary(s, header, &in);
    case VT_RPC_BYE: return VTA_NOT_FOUND;
    default:
        return answer(s, header,
                      vt_fail(s->diag, VTA_UNSUPPORTED,
                              "a tracker does not answer %s; is it a server that "
                              "you meant?",
                              vt__rpc_message_name(header.message)));
    }
}

static bool speaks_in_the_clear(serving *s, uint64_t until) {
    char begin[VT_RPC_PREFACE_BYTES];
    return vt__rpc_wait(&s->stream, until, NULL) == VTA_OK &&
           recv(s->stream.fd, begin, sizeof begin, MSG_PEEK) == (ssize_t)sizeof begin &&
           !memcmp(begin, VT_RPC_PREFACE, sizeof begin);
}

/* A client that was started without a key is told so. */
static vta_status refuse_in_the_clear(serving *s, uint64_t until) {
    vt_rpc_header header;
    VT_TRY(vt__rpc_receive(&s->stream, until, PATIENCE_MS, s->diag, &header, &s->in));
    header.message = VT_RPC_ENDED;
    return answer(s, header, vt_fail(s->diag, VTA_INVALID_ARGUMENT, VT_NEEDS_KEY));
}

static vta_status serve(serving *s) {
    char preface[VT_RPC_PREFACE_BYTES];
    uint64_t until = vt__rpc_deadline(PATIENCE_MS, 0);
    bool in_the_clear = s->t->tls && speaks_in_the_clear(s, until);
    if (s->t->tls && !in_the_clear) VT_TRY(vt__tls_serve(s->t->tls, s->stream.fd, until, s->diag, &s->stream.tls));
    VT_TRY(vt__rpc_read(&s->stream, preface, sizeof preface, until, s->diag));
    if (memcmp(preface, VT_RPC_PREFACE, sizeof preface))
        return vt_fail(s->diag, VTA_PARSE, "the client speaks another protocol");
    if (in_the_clear) return refuse_in_the_clear(s, until);
    VT_TRY(serve_one(s, true));
    vta_status status;
    do status = serve_one(s, false);
    while (status == VTA_OK);
    return status;
}

void *vt__tracker_serve_link(void *arg) {
    vt_tracker_link *l = arg;
    serving s = {.t = l->t, .l = l, .stream = {.fd = l->fd}, .diag = vta_diag_create(NULL)};
    vt_strbuf_init(&s.in, NULL);
    vt_strbuf_init(&s.out, NULL);
    vta_status status = s.diag ? serve(&s) : VTA_NO_MEMORY;
    if (status != VTA_OK && status != VTA_NOT_FOUND && status != VTA_INTERRUPTED)
        vt__tracker_say(l->t, l, words_of(&s, status));
    vta_diag_destroy(s.diag);
    vt_strbuf_free(&s.in);
    vt_strbuf_free(&s.out);
    pthread_mutex_lock(&l->t->lock);
    vt__rpc_close(&s.stream);
    l->fd = -1;
    l->over = true;
    pthread_mutex_unlock(&l->t->lock);
    return NULL;
}

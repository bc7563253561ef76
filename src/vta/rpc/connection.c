/* One connection of the server: from accept to close. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/address.h"
#include "rpc/server.h"
#include "rpc/session.h"

/* ---- The end ----------------------------------------------------------------------------------------------------- */

void vt__connection_enter(vt_connection *c, vt_connection_state state) {
    c->state = state;
    c->since = vt__rpc_now();
}

static void free_line(vt_connection *c) {
    if (!c->line) return;
    atomic_store(&c->line->pid, 0);
    c->line = NULL;
    c->server->sessions--;
}

static void release(vt_connection *c) {
    *c->link = c->next;
    if (c->next) c->next->link = c->link;
    vt__tls_free(c->tls);
    free(c);
}

void vt__connection_closed(uv_handle_t *handle) {
    vt_connection *c = handle->data;
    if (--c->handles == 0) release(c);
}

static void close_handle(void *handle) { uv_close(handle, vt__connection_closed); }

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

void vt__connection_close(vt_connection *c) {
    if (c->state == VT_CLOSED) return;
    vt__connection_enter(c, VT_CLOSED);
    free_line(c);
    vt__said_end(c);
    if (c->has_inside) close_handle(&c->inside);
    if (c->has_process) close_handle(&c->process);
    close_fd(&c->inside_fd);
    close_fd(&c->page_fd);
    close_fd(&c->verdict_fd);
    close_fd(&c->group_fd);
    close_fd(&c->user_fd);
    vt__share_close(c->page, sizeof *c->page);
    vt__share_close(c->verdict, sizeof *c->verdict);
    c->page = NULL;
    c->verdict = NULL;
    if (*c->folder || *c->group) vt__folders_drop(c->server, c->folder, c->group);
    close_handle(&c->tcp);
}

/* ---- Parting ----------------------------------------------------------------------------------------------------- */

static void say(vt_connection *c, uint32_t protocol, uint32_t number, vta_status status, const char *why) {
    vt_strbuf words;
    vt_strbuf_init(&words, NULL);
    vt__farewell(&words, protocol, number, status, why);
    uv_buf_t buffer = uv_buf_init(words.text, (unsigned)words.size);
    if (words.size && c->tls && !vt__tls_is_open(c->tls))
        uv_try_write((uv_stream_t *)&c->tcp, &buffer, 1); /* in the clear: it knows no key */
    else if (words.size)
        vt__pump_say(c, words.text, words.size);
    vt_strbuf_free(&words);
}

static void say_why(vt_connection *c) {
    uint32_t protocol = atomic_load(&c->page->protocol);
    if (protocol == VT_RPC_UNKNOWN && c->speaks_own) protocol = VT_RPC_OWN;
    say(c, protocol, atomic_load(&c->page->number), c->ended, c->why);
}

/* Nothing more is sent. What the system has not taken yet still is. */
static void end_sending(vt_connection *c) {
    int fd;
    bool sent = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp) == 0;
    if (sent && uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0) shutdown(fd, SHUT_WR);
}

/* The connection is not closed at once: with bytes of the client's unread that would throw away the last words. */
void vt__connection_part(vt_connection *c) {
    if (c->state >= VT_PARTING) return;
    vt__connection_enter(c, VT_PARTING);
    free_line(c);
    if (c->ended != VTA_OK && c->page) say_why(c);
    bool sent = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp) == 0;
    end_sending(c);
    if (c->gone && sent) vt__connection_close(c); /* else pump.c goes on reading, and closes */
}

/* ---- The beginning ----------------------------------------------------------------------------------------------- */

vta_status vt__connection_take_line(vt_connection *c, vta_diag *diag) {
    vt_rpc_table *t = c->server->table;
    uint32_t most = c->server->options.max_sessions;
    for (uint32_t i = 0; c->server->sessions < most && i < VT_RPC_MAX_SESSIONS && !c->line; i++)
        if (!atomic_load(&t->line[i].pid)) c->line = &t->line[i];
    if (!c->line)
        return vt_fail(diag, VTA_NO_MEMORY, "all %u sessions of this server are taken (--sessions); try again later",
                       most);
    c->server->sessions++;
    vt_rpc_line *l = c->line;
    l->since_ms = vt__rpc_now();
    l->protocol = VT_RPC_UNKNOWN;
    l->calls = l->bytes = l->calling_ms = 0;
    snprintf(l->peer, sizeof l->peer, "%s", c->peer);
    atomic_store(&l->ending, 0);
    atomic_store(&l->pid, VT_LINE_TAKEN); /* from now on others read it */
    return VTA_OK;
}

static void name_peer(vt_connection *c) {
    struct sockaddr_storage from;
    int size = sizeof from;
    bool known = uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&from, &size) == 0 &&
                 vt__address_text((struct sockaddr *)&from, c->peer, sizeof c->peer);
    if (!known) snprintf(c->peer, sizeof c->peer, "?");
}

/* Said in the own protocol: who speaks TVM's sees a connection that is refused. */
void vt__connection_refuse(vt_connection *c, vta_status status, const char *why) {
    vt__server_log(c->server, "%s: refused: %s", c->peer, why);
    say(c, VT_RPC_OWN, 0, status, why);
    vt__connection_part(c);
}

static vt_connection *new_connection(vt_server *s) {
    vt_connection *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *c = (vt_connection){
        .server = s, .page_fd = -1, .verdict_fd = -1, .inside_fd = -1, .group_fd = -1, .user_fd = -1, .next = s->first};
    c->link = &s->first;
    if (s->first) s->first->link = &c->next;
    s->first = c;
    uv_tcp_init(&s->loop, &c->tcp);
    c->tcp.data = c;
    c->handles = 1;
    vt__connection_enter(c, VT_SHAKING);
    return c;
}

/* ---- Handshakes -------------------------------------------------------------------------------------------------- */

enum { MAX_SHAKING = 64, MAX_OF_ONE = 32 };

/* The address without its port. */
static bool same_address(const vt_connection *a, const vt_connection *b) {
    const char *end = strrchr(a->peer, ':');
    size_t n = end ? (size_t)(end - a->peer) : strlen(a->peer);
    return !strncmp(a->peer, b->peer, n + 1);
}

/* Connections that have not shown the key yet: how many, and which is the oldest (the list begins with the youngest).
 * `like`: only those of its address; NULL: all. */
static int count_shaking(const vt_server *s, const vt_connection *like, vt_connection **out_oldest) {
    int n = 0;
    for (vt_connection *c = s->first; c; c = c->next) {
        if (c->state != VT_SHAKING || (like && !same_address(like, c))) continue;
        *out_oldest = c;
        n++;
    }
    return n;
}

/* Sessions are for those who have the key: who only connects, and waits, makes room for those who come after. */
static void make_room(vt_server *s, const vt_connection *latest) {
    vt_connection *oldest = NULL;
    bool many = count_shaking(s, latest, &oldest) > MAX_OF_ONE;
    if (!many && count_shaking(s, NULL, &oldest) <= MAX_SHAKING) return;
    vt__server_log(s, "%s: refused: %d younger ones %sare in the TLS handshake", oldest->peer,
                   many ? MAX_OF_ONE : MAX_SHAKING, many ? "of its address " : "");
    vt__connection_close(oldest);
}

/* ---- Accepting --------------------------------------------------------------------------------------------------- */

void vt__connection_accept(vt_server *s) {
    int fd;
    vt_connection *c = new_connection(s);
    if (!c) return; /* it waits in the queue of the system, and leaves in the end */
    if (uv_accept((uv_stream_t *)&s->listener, (uv_stream_t *)&c->tcp) != 0) {
        vt__connection_close(c);
        return;
    }
    if (uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0) vt__rpc_set_up_socket(fd);
    name_peer(c);
    vta_diag_clear(s->diag);
    if (s->tls) make_room(s, c);
    vt__pump_begin(c);
}

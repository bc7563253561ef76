/* The tracker's connections: a thread for each, since each does nothing but wait. */
#include "rpc/tracker_link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/versioned.h"
#include "rpc/address.h"
#include "rpc/log.h"

void vt__tracker_say(vt_tracker *t, const vt_tracker_link *l, const char *text) {
    char words[512], line[1024];
    snprintf(words, sizeof words, "%s: %.400s", l ? l->peer : "tracker", text);
    size_t size = vt__log_line(line, sizeof line, words);
    pthread_mutex_lock(&t->lock);
    if (t->options.log.write) t->options.log.write(t->options.log.ctx, line, size);
    pthread_mutex_unlock(&t->lock);
}

/* ---- All connections --------------------------------------------------------------------------------------------- */

/* Joins those that are over; all, when the tracker ends. */
static void collect(vt_tracker *t, bool all) {
    pthread_mutex_lock(&t->lock);
    for (vt_tracker_link **link = &t->links; *link;) {
        vt_tracker_link *l = *link;
        if (!l->over && !all) {
            link = &l->next;
            continue;
        }
        *link = l->next;
        if (l->fd >= 0) shutdown(l->fd, SHUT_RDWR);
        pthread_mutex_unlock(&t->lock);
        pthread_join(l->thread, NULL);
        vt_free(NULL, l, sizeof *l);
        pthread_mutex_lock(&t->lock);
        t->count--;
        link = &t->links;
    }
    pthread_mutex_unlock(&t->lock);
}

static void accept_one(vt_tracker *t) {
    struct sockaddr_storage from = {0};
    socklen_t size = sizeof from;
    int fd = accept4(t->listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    vt_tracker_link *l = fd >= 0 && t->count < VT_TRACKER_MAX ? vt_alloc_zero(NULL, sizeof *l) : NULL;
    if (!l) {
        if (fd >= 0) close(fd);
        return;
    }
    vt__rpc_set_up_socket(fd);
    l->t = t;
    l->fd = fd;
    if (!vt__address_text((struct sockaddr *)&from, l->peer, sizeof l->peer)) strcpy(l->peer, "?");
    pthread_mutex_lock(&t->lock);
    bool begun = pthread_create(&l->thread, NULL, vt__tracker_serve_link, l) == 0;
    if (begun) l->next = t->links, t->links = l, t->count++;
    pthread_mutex_unlock(&t->lock);
    if (begun) return;
    close(fd);
    vt_free(NULL, l, sizeof *l);
}

static void accept_all(vt_tracker *t) {
    for (;;) {
        struct pollfd p[2] = {{.fd = t->listener, .events = POLLIN}, {.fd = t->signals, .events = POLLIN}};
        poll(p, 2, 1000);
        struct signalfd_siginfo taken; /* else it would come when signals are let in again */
        if (p[1].revents && read(t->signals, &taken, sizeof taken) > 0) return;
        if (p[0].revents) accept_one(t);
        collect(t, false);
    }
}

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static vta_status listen_on(vt_tracker *t, vta_diag *diag, uint32_t *out_port) {
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    bool loopback = false;
    int one = 1;
    VT_TRY(vt__address_read(t->options.host, t->options.port, diag, &at, &loopback));
    if (!loopback && !t->tls)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT,
            "--host %.100s: where others can reach it, a tracker needs --key-file (`vta rpc new-key FILE` makes "
            "one)",
            t->options.host);
    t->listener = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (t->listener >= 0) setsockopt(t->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (t->listener < 0 || bind(t->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(t->listener, 64) != 0)
        return vt_fail(diag, VTA_IO, "cannot listen on %.100s:%u: %s", t->options.host, t->options.port,
                       strerror(errno));
    getsockname(t->listener, (struct sockaddr *)&at, &size);
    *out_port = vt__address_port((struct sockaddr *)&at);
    return VTA_OK;
}

static vta_status make_tls(vt_tracker *t, vta_diag *diag) {
    vt_rpc_key key;
    if (!t->options.key_file) return VTA_OK;
    VT_TRY(vt__key_read(t->options.key_file, diag, &key));
    vta_status status = vt__tls_context(&key, true, diag, &t->tls);
    explicit_bzero(&key, sizeof key);
    return status;
}

static vta_status track(vt_tracker *t, vta_diag *diag) {
    uint32_t port = 0;
    VT_TRY(make_tls(t, diag));
    VT_TRY(listen_on(t, diag, &port));
    char line[128];
    snprintf(line, sizeof line, "listening on %.64s:%u", t->options.host, port);
    vt__tracker_say(t, NULL, line);
    if (t->options.ready) t->options.ready(t->options.ready_ctx, port);
    accept_all(t);
    vt__tracker_end(&t->state);
    collect(t, true);
    return VTA_OK;
}

vta_status vta_rpc_track(const vta_rpc_tracker_options *options, vta_diag *diag) {
    vt_tracker t = {.listener = -1, .signals = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
    sigset_t ends, before;
    VT_TRY(vt_options_read(&t.options, sizeof t.options, options, "vta_rpc_tracker_options", diag));
    if (!t.options.host) t.options.host = "127.0.0.1";
    if (!t.options.lease_seconds) t.options.lease_seconds = 3600;
    VT_TRY(vt__tracker_init(&t.state, diag));
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    t.signals = signalfd(-1, &ends, SFD_CLOEXEC);
    vta_status status = t.signals >= 0 ? track(&t, diag) : vt_fail(diag, VTA_IO, "signalfd: %s", strerror(errno));
    if (t.signals >= 0) close(t.signals);
    if (t.listener >= 0) close(t.listener);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    vt__tls_context_free(t.tls);
    vt__tracker_clear(&t.state);
    return status;
}

/* Who has which server, and who is next. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "rpc/tracker.h"

vta_status vt__tracker_init(vt_tracker_state *t, vta_diag *diag) {
    *t = (vt_tracker_state){.arrivals = 0};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    bool made = pthread_mutex_init(&t->lock, NULL) == 0 && pthread_cond_init(&t->changed, &monotonic) == 0;
    pthread_condattr_destroy(&monotonic);
    return made ? VTA_OK : vt_no_memory(diag);
}

void vt__tracker_clear(vt_tracker_state *t) {
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

static void change(vt_tracker_state *t) {
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void vt__tracker_end(vt_tracker_state *t) {
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    change(t);
}

/* Its thread looks. */
static void wake(const vt_tracked *s) {
    const uint64_t one = 1;
    if (s->wake > 0 && write(s->wake, &one, sizeof one) < 0) return; /* it will look all the same */
}

static bool is_same_place(const vt_tracked *a, const vt_tracked *b) {
    return a->port == b->port && !strcmp(a->host, b->host);
}

void vt__tracker_hold(vt_tracker_state *t, vt_tracked *lease) {
    pthread_mutex_lock(&t->lock);
    lease->next = t->leases;
    t->leases = lease;
    pthread_mutex_unlock(&t->lock);
}

static void forget_lease(vt_tracker_state *t, const vt_tracked *lease) {
    vt_tracked **link = &t->leases;
    while (*link && *link != lease) link = &(*link)->next;
    if (*link) *link = lease->next;
}

void vt__tracker_let_go(vt_tracker_state *t, vt_tracked *lease) {
    pthread_mutex_lock(&t->lock);
    forget_lease(t, lease);
    pthread_mutex_unlock(&t->lock);
}

/* The server was started anew, and knows nothing of it. */
static void take_over_lease(const vt_tracker_state *t, vt_tracked *server) {
    for (const vt_tracked *l = t->leases; l; l = l->next) {
        if (!is_same_place(l, server)) continue;
        server->leased = server->news = true;
        server->orphan = false;
        server->since = l->since;
        server->until = l->until;
    }
}

vta_status vt__tracker_add(vt_tracker_state *t, vt_tracked *server, vta_diag *diag) {
    bool known = false;
    pthread_mutex_lock(&t->lock);
    vt_tracked **last = &t->servers;
    for (; *last; last = &(*last)->next) known |= is_same_place(*last, server);
    server->next = NULL;
    take_over_lease(t, server);
    if (!known) *last = server;
    change(t);
    if (!known) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT,
                   "%s:%u is registered already, by another connection (two servers need different ports, or a "
                   "--public-host each)",
                   server->host, server->port);
}

void vt__tracker_remove(vt_tracker_state *t, vt_tracked *server) {
    pthread_mutex_lock(&t->lock);
    vt_tracked **link = &t->servers;
    while (*link && *link != server) link = &(*link)->next;
    if (*link) *link = server->next;
    change(t);
}

/* "" is any key. */
static bool is_of(const vt_tracked *s, const char *key) { return !*key || !strcmp(s->key, key); }

static bool any_of(const vt_tracker_state *t, const char *key) {
    for (const vt_tracked *s = t->servers; s; s = s->next)
        if (is_of(s, key)) return true;
    return false;
}

/* The one that is free and has served least. */
static vt_tracked *free_one(const vt_tracker_state *t, const char *key) {
    vt_tracked *best = NULL;
    for (vt_tracked *s = t->servers; s; s = s->next)
        if (is_of(s, key) && !s->leased && !s->lease_over && (!best || s->served < best->served)) best = s;
    return best;
}

/* Does somebody else come first to this server? */
static bool is_next(const vt_tracker_state *t, const vt_waiting *me, const vt_tracked *server) {
    for (const vt_waiting *w = t->waiting; w; w = w->next) {
        if (w == me || !is_of(server, w->key)) continue;
        if (w->priority > me->priority || (w->priority == me->priority && w->number < me->number)) return false;
    }
    return true;
}

static void wait_a_moment(vt_tracker_state *t) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&t->changed, &t->lock, &until);
}

static vta_status none(const vt_tracker_state *t, const char *key, vta_diag *diag) {
    if (!any_of(t, key)) return vt_fail(diag, VTA_NOT_FOUND, "no server of key '%s' is registered", key);
    return vt_fail(diag, VTA_TIMEOUT, "all servers of key '%s' are taken (`--wait SECONDS` waits for one)", key);
}

vta_status vt__tracker_take(vt_tracker_state *t, const char *key, uint32_t priority, uint64_t until, uint32_t seconds,
                            bool (*gone)(void *ctx), void *ctx, vta_diag *diag, vt_tracked *out_server) {
    vta_status status = VTA_TIMEOUT;
    pthread_mutex_lock(&t->lock);
    vt_waiting me = {.next = t->waiting, .key = key, .priority = priority, .number = t->arrivals++};
    t->waiting = &me;
    for (;;) {
        vt_tracked *server = free_one(t, key);
        if (server && is_next(t, &me, server)) {
            server->leased = server->news = true;
            server->since = vt__rpc_now();
            server->until = server->since + (uint64_t)seconds * 1000;
            server->served++;
            wake(server);
            vt_tracked *next = out_server->next; /* it may be in a list */
            *out_server = *server;
            out_server->next = next;
            status = VTA_OK;
        } else if (t->ending || gone(ctx)) {
            status = VTA_INTERRUPTED;
        } else if (vt__rpc_now() >= until) {
            status = none(t, key, diag);
        } else {
            wait_a_moment(t);
            continue;
        }
        break;
    }
    vt_waiting **link = &t->waiting;
    while (*link != &me) link = &(*link)->next;
    *link = me.next;
    change(t);
    return status;
}

bool vt__tracker_wait_told(vt_tracker_state *t, const vt_tracked *lease, bool (*gone)(void *ctx), void *ctx) {
    bool told = false, is_gone = false;
    pthread_mutex_lock(&t->lock);
    while (!told && !is_gone && !t->ending) {
        told = true;
        for (const vt_tracked *s = t->servers; s; s = s->next)
            if (is_same_place(s, lease) && s->since == lease->since && s->news) told = false;
        if (!told && !(is_gone = gone(ctx))) wait_a_moment(t);
    }
    pthread_mutex_unlock(&t->lock);
    return !is_gone;
}

void vt__tracker_give_back(vt_tracker_state *t, const vt_tracked *server, bool late) {
    pthread_mutex_lock(&t->lock);
    for (vt_tracked *s = t->servers; s; s = s->next) {
        if (!is_same_place(s, server) || s->since != server->since) continue;
        s->leased = s->news = false;
        s->lease_over = true; /* free when the server says so */
        s->late = late;
        wake(s);
    }
    forget_lease(t, server); /* at once: a server that registers now would have a lease that nobody gives back */
    change(t);
}

void vt__tracker_summary(vt_tracker_state *t, vt_strbuf *to) {
    vt_json w;
    vt_json_init(&w, to, VT_JSON_SPACED);
    pthread_mutex_lock(&t->lock);
    uint64_t now = vt__rpc_now();
    vt_json_object(&w, NULL);
    vt_json_array(&w, "servers");
    for (const vt_tracked *s = t->servers; s; s = s->next) {
        vt_json_object(&w, NULL);
        vt_json_text(&w, "key", s->key);
        vt_json_text(&w, "host", s->host);
        vt_json_uint(&w, "port", s->port);
        vt_json_bool(&w, "free", !s->leased && !s->lease_over);
        vt_json_uint(&w, "leases", s->served);
        if (s->leased) vt_json_fixed(&w, "seconds_left", (double)(s->until - now) / 1000, 1);
        vt_json_end(&w);
    }
    vt_json_end(&w);
    vt_json_array(&w, "waiting");
    for (const vt_waiting *c = t->waiting; c; c = c->next) {
        vt_json_object(&w, NULL);
        vt_json_text(&w, "key", c->key);
        vt_json_uint(&w, "priority", c->priority);
        vt_json_end(&w);
    }
    vt_json_end(&w);
    vt_json_end(&w);
    pthread_mutex_unlock(&t->lock);
}

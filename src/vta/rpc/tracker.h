/* A tracker: servers register under a key, clients ask for one and have it to themselves for a while. */
#ifndef VT_RPC_TRACKER_H
#define VT_RPC_TRACKER_H

#include <pthread.h>

#include "base/strbuf.h"
#include "rpc/stream.h"
#include "rpc/tls.h"
#include "vta/rpc.h"

enum { VT_TRACKER_NAME = 128, VT_TRACKER_MAX = 1024 };

/* A server that is there. */
typedef struct vt_tracked {
    struct vt_tracked *next;
    char key[VT_TRACKER_NAME], host[256];
    uint32_t port;
    bool leased;
    uint64_t since, until; /* of the lease (vt__rpc_now) */
    uint64_t served;       /* leases so far */
    bool lease_over;       /* the server is to say when it is idle */
    bool late;             /* and to end its sessions before: the lease is over by its time */
    bool news;             /* the server is to be told that a lease has begun */
    bool orphan;           /* the lease is of an earlier connection: the server says when its sessions are over */
    int wake;              /* an eventfd: its thread is to look; 0: none */
} vt_tracked;

/* A client that waits for one. */
typedef struct vt_waiting {
    struct vt_waiting *next;
    const char *key;
    uint32_t priority;
    uint64_t number; /* of arrival */
} vt_waiting;

typedef struct vt_tracker_state {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    vt_tracked *servers;
    vt_tracked *leases; /* of clients that are here: copies, which outlive the registration of their server */
    vt_waiting *waiting;
    uint64_t arrivals;
    bool ending;
} vt_tracker_state;

vta_status vt__tracker_init(vt_tracker_state *t, vta_diag *diag);
void vt__tracker_clear(vt_tracker_state *t);
/* Everybody who waits gives up. */
void vt__tracker_end(vt_tracker_state *t);

/* A client is here: what vt__tracker_take gives it is known until it lets go. `lease` is the caller's. */
void vt__tracker_hold(vt_tracker_state *t, vt_tracked *lease);
void vt__tracker_let_go(vt_tracker_state *t, vt_tracked *lease);
/* Waits until the server of a lease that was taken has been told of it, or is gone: a tracker that comes back learns
 * the lease from there. False when `gone(ctx)`, the client of the lease, is gone before. */
bool vt__tracker_wait_told(vt_tracker_state *t, const vt_tracked *lease, bool (*gone)(void *ctx), void *ctx);

/* A server comes and goes. One that comes back while its lease's client is here still has that lease. The entry is the
 * caller's, and stays until it was removed. */
/* VTA_INVALID_ARGUMENT when there is one of the same host and port: it would be given to two clients at once. */
vta_status vt__tracker_add(vt_tracker_state *t, vt_tracked *server, vta_diag *diag);
void vt__tracker_remove(vt_tracker_state *t, vt_tracked *server);

/* Waits until a server of the key is free and nobody of a higher priority, or who came earlier with the same one, waits
 * for it. `gone(ctx)` is asked ten times a second whether the client has left. VTA_NOT_FOUND: there is no such server;
 * VTA_TIMEOUT: none became free by `until`; VTA_INTERRUPTED: the client left, or the tracker ends. */
vta_status vt__tracker_take(vt_tracker_state *t, const char *key, uint32_t priority, uint64_t until, uint32_t seconds,
                            bool (*gone)(void *ctx), void *ctx, vta_diag *diag, vt_tracked *out_server);
/* The lease of the server at this place is over, by its end or, with `late`, by its time: then the server is told. It
 * is known no longer: `server` may be what vt__tracker_hold was given. */
void vt__tracker_give_back(vt_tracker_state *t, const vt_tracked *server, bool late);
void vt__tracker_summary(vt_tracker_state *t, vt_strbuf *to);

#endif

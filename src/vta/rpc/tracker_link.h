/* A tracker and its connections. */
#ifndef VT_RPC_TRACKER_LINK_H
#define VT_RPC_TRACKER_LINK_H

#include "rpc/tracker.h"

typedef struct vt_tracker vt_tracker;

typedef struct vt_tracker_link {
    struct vt_tracker_link *next;
    vt_tracker *t;
    pthread_t thread;
    int fd;
    bool over; /* its thread is done, and can be joined */
    char peer[64];
} vt_tracker_link;

struct vt_tracker {
    vta_rpc_tracker_options options;
    vt_tracker_state state;
    struct ssl_ctx_st *tls;
    pthread_mutex_t lock; /* guards the list of connections, and the log */
    vt_tracker_link *links;
    int count, listener, signals;
};

/* A line of the log. `l` NULL: of the tracker itself. */
void vt__tracker_say(vt_tracker *t, const vt_tracker_link *l, const char *text);
/* What a connection's thread does; `arg` is its vt_tracker_link. */
void *vt__tracker_serve_link(void *arg);

#endif

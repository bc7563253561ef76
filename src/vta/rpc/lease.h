/* A client's side of a tracker: the server that it was given, for as long as it keeps the connection. */
#ifndef VT_RPC_LEASE_H
#define VT_RPC_LEASE_H

#include "rpc/client.h"

typedef struct vt_rpc_lease {
    bool taken;
    uint64_t until; /* its end (vt__rpc_now); 0: the tracker knows */
    vt_rpc_link link;
} vt_rpc_lease;

/* Asks options->tracker for a server. VTA_NOT_FOUND: it has none of that key; VTA_TIMEOUT: none became free. */
vta_status vt__lease_take(vt_rpc_lease *lease, const vta_rpc_options *options, const vta_allocator *allocator,
                          vta_diag *diag, size_t room, char *out_host, uint32_t *out_port);
/* After its session has begun. VTA_IO: its tracker was ended, and a lease whose tracker and server were both started
 * anew is nobody's; VTA_TIMEOUT: its time was over before. VTA_OK without one. */
vta_status vt__lease_check(const vt_rpc_lease *lease, const vta_rpc_options *options, vta_diag *diag);
void vt__lease_give_back(vt_rpc_lease *lease);

#endif

/* A client's session, as the files of its requests see it. */
#ifndef VT_RPC_CLIENT_SESSION_H
#define VT_RPC_CLIENT_SESSION_H

#include "rpc/client.h"
#include "rpc/lease.h"

struct vta_rpc {
    vta_allocator allocator;
    vt_rpc_link link;
    vt_rpc_lease lease; /* the tracker's connection, where one chose the server */
    char machine[32], library[64], driver[128];
};

/* The pointers that a function must have. */
vta_status vt__client_invalid(vta_diag *diag, const char *function);
#define VT_CLIENT_NEED(condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) return vt__client_invalid(diag, __func__);                                                   \
    } while (0)

/* Begins a request; its fields go there. */
vt_strbuf *vt__client_begin(vta_rpc *rpc);
/* Asks, for an answer without fields. */
vta_status vt__client_plain(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag);
/* For a text, which is the caller's when it wants it. */
vta_status vt__client_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, char **out_text);
/* The last field of an answer that has come, a text. */
vta_status vt__client_take_text(vta_rpc *rpc, vta_diag *diag, char **out_text);
/* For a number and a text. */
vta_status vt__client_number_and_text(vta_rpc *rpc, vt_rpc_message message, vta_diag *diag, uint64_t *out_number,
                                      char **out_text);

#endif

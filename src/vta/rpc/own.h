/* Requests of the project's own protocol and their answers: a function for each row of vta/rpc.def. */
#ifndef VT_RPC_OWN_H
#define VT_RPC_OWN_H

#include "rpc/session.h"

enum { VT_OWN_NAME_BYTES = 256 };

/* One request: its fields, and the answer's. */
typedef struct vt_rpc_request {
    vt_rpc_session *s;
    vt_rpc_reader in;
    vt_strbuf *out;
    bool over;
} vt_rpc_request;

/* VTA_PARSE unless all fields were read and nothing is left. */
vta_status vt__own_end(vt_rpc_request *q, const char *name);

#define VTA_RPC_MESSAGE(name, number, request, answer, meaning) vta_status vt__answer_##name(vt_rpc_request *q);
#include "vta/rpc.def"
#undef VTA_RPC_MESSAGE

#endif

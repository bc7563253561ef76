/* A client's end of the project's own protocol: one request after another. */
#ifndef VT_RPC_CLIENT_H
#define VT_RPC_CLIENT_H

#include <sys/types.h>

#include "rpc/stream.h"
#include "rpc/tls.h"
#include "vta/rpc.h"

/* A connection to a server or a tracker on which requests are made. */
typedef struct vt_rpc_link {
    const vta_allocator *allocator;
    vt_rpc_stream stream;
    struct ssl_ctx_st *tls;
    uint32_t patience_ms, answer_ms;
    uint32_t number;   /* of the last request */
    vt_strbuf out, in; /* fields of the request, and of the answer */
    vt_rpc_reader answer;
    pid_t owner;     /* the process that opened it: a forked child ends nothing */
    bool over;       /* broken, or ended by the server */
    char place[300]; /* "host:port", for messages */
} vt_rpc_link;

/* Connects, and compares versions: the answer's fields after the version stand in link->answer. */
vta_status vt__link_open(vt_rpc_link *link, const char *host, uint32_t port, const vta_rpc_options *options,
                         const vta_allocator *allocator, vta_diag *diag);
void vt__link_close(vt_rpc_link *link);
/* Begins a request: its fields go to link->out. */
void vt__link_begin(vt_rpc_link *link);
/* Sends it and waits for the answer, whose fields stand in link->answer. */
vta_status vt__link_ask(vt_rpc_link *link, vt_rpc_message message, vta_diag *diag);
/* The same with `bytes` after the fields. */
vta_status vt__link_ask_with(vt_rpc_link *link, vt_rpc_message message, const void *bytes, size_t size, vta_diag *diag);
/* VTA_PARSE unless the answer was read to its end. */
vta_status vt__link_done(const vt_rpc_link *link, vta_diag *diag);
/* A text of the answer as a string to be freed with vta_string_free; NULL: out of memory, or it is not there. */
char *vt__link_text(vt_rpc_link *link);

#endif

/* TLS 1.3 with a pre-shared key: both sides prove that they have it, and all is encrypted. The only file that knows
 * OpenSSL. */
#ifndef VT_RPC_TLS_H
#define VT_RPC_TLS_H

#include <sys/types.h>

#include "base/diag.h"

struct ssl_st;
struct ssl_ctx_st;

/* What a client without a key is told, in the clear. */
#define VT_NEEDS_KEY "this server was started with a key file: its clients need the same (--key-file)"

enum { VT_KEY_LEAST = 16, VT_KEY_MAX = 64 };

typedef struct vt_rpc_key {
    uint8_t bytes[VT_KEY_MAX];
    size_t size;
} vt_rpc_key;

/* Reads a key file: 32 to 128 hexadecimal digits. VTA_PARSE for anything else, VTA_INVALID_ARGUMENT for a file that
 * others than its owner may read. */
vta_status vt__key_read(const char *path, vta_diag *diag, vt_rpc_key *out_key);

/* What the connections of one server, or of one client, share. */
vta_status vt__tls_context(const vt_rpc_key *key, bool server, vta_diag *diag, struct ssl_ctx_st **out_context);
void vt__tls_context_free(struct ssl_ctx_st *context);

/* The client's side of a connected socket, shaken hands by the deadline; `server` names it in messages.
 * VTA_INVALID_ARGUMENT: keys differ, or it does not speak our protocol. */
vta_status vt__tls_connect(struct ssl_ctx_st *context, int fd, uint64_t deadline, const char *server, vta_diag *diag,
                           struct ssl_st **out_tls);
/* The server's side of one, for a thread that waits. */
vta_status vt__tls_serve(struct ssl_ctx_st *context, int fd, uint64_t deadline, vta_diag *diag,
                         struct ssl_st **out_tls);
/* As vt_rpc_stream wants them: bytes moved; 0: closed; -1: wait for *out_wait (poll's events); -2: broken. */
ssize_t vt__tls_read(struct ssl_st *tls, void *to, size_t size, short *out_wait);
ssize_t vt__tls_write(struct ssl_st *tls, const void *from, size_t size, short *out_wait);
/* Was something read from the socket that nobody has asked for? It may be a part of a record. */
bool vt__tls_pending(struct ssl_st *tls);
/* Says that no more comes. */
void vt__tls_bye(struct ssl_st *tls);
void vt__tls_free(struct ssl_st *tls);

/* The server's side, between two streams of bytes in memory. */
vta_status vt__tls_accept(struct ssl_ctx_st *context, vta_diag *diag, struct ssl_st **out_tls);
/* Takes what came from the network. False: out of memory. */
bool vt__tls_feed(struct ssl_st *tls, const void *from, size_t size);
/* What is to be sent to the network: so many bytes, 0 when nothing is. */
size_t vt__tls_drain(struct ssl_st *tls, void *to, size_t room);
/* Is the handshake done? */
bool vt__tls_is_open(const struct ssl_st *tls);
/* Goes on with the handshake. 1: done; 0: needs more from the network; -1: refused, and why. */
int vt__tls_handshake(struct ssl_st *tls, vta_diag *diag);

#endif

/* Addresses that a server listens on. */
#ifndef VT_RPC_ADDRESS_H
#define VT_RPC_ADDRESS_H

#include <sys/socket.h>

#include "base/diag.h"

/* A numeric address ("127.0.0.1", "::1") or "localhost". *out_loopback: only this machine reaches it. */
vta_status vt__address_read(const char *host, uint32_t port, vta_diag *diag, struct sockaddr_storage *out,
                            bool *out_loopback);
uint32_t vt__address_port(const struct sockaddr *at);
/* "127.0.0.1:4711"; false for an address of another kind. */
bool vt__address_text(const struct sockaddr *at, char *to, size_t room);

#endif

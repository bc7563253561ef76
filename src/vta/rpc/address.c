#include "rpc/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

vta_status vt__address_read(const char *host, uint32_t port, vta_diag *diag, struct sockaddr_storage *out,
                            bool *out_loopback) {
    const char *name = !strcmp(host, "localhost") ? "127.0.0.1" : host;
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    memset(out, 0, sizeof *out);
    *out_loopback = false;
    if (port > 65535) return vt_fail(diag, VTA_INVALID_ARGUMENT, "port %u; ports are 0 to 65535", port);
    if (inet_pton(AF_INET, name, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        *out_loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
        return VTA_OK;
    }
    if (inet_pton(AF_INET6, name, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        *out_loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
        return VTA_OK;
    }
    return vt_fail(diag, VTA_INVALID_ARGUMENT,
                   "--host %.100s: must be an address of this machine, like 127.0.0.1, 0.0.0.0 (all) or ::1", host);
}

uint32_t vt__address_port(const struct sockaddr *at) {
    return ntohs(at->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)at)->sin6_port
                                           : ((const struct sockaddr_in *)at)->sin_port);
}

bool vt__address_text(const struct sockaddr *at, char *to, size_t room) {
    char name[INET6_ADDRSTRLEN];
    const void *address = at->sa_family == AF_INET    ? (const void *)&((const struct sockaddr_in *)at)->sin_addr
                          : at->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)at)->sin6_addr
                                                      : NULL;
    if (!address || !inet_ntop(at->sa_family, address, name, sizeof name)) return false;
    snprintf(to, room, at->sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", name, vt__address_port(at));
    return true;
}

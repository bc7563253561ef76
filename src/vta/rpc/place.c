/* "HOST:PORT" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "vta/rpc.h"

/* Where the port begins; NULL for none: an IPv6 address has colons of its own, and a port only after brackets. */
static const char *port_in(const char *place) {
    const char *bracket = strrchr(place, ']'), *from = bracket ? bracket : place, *colon = strchr(from, ':');
    return colon && (bracket || !strchr(colon + 1, ':')) ? colon : NULL;
}

vta_status vta_rpc_place(const char *place, size_t host_size, char *host, uint32_t *port, vta_diag *diag) {
    enum { PORT_MAX = 65535 };
    if (!place || !host || !port) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_rpc_place: a pointer is NULL");
    const char *colon = port_in(place), *from = place;
    size_t size = colon ? (size_t)(colon - place) : strlen(place);
    if (size > 1 && from[0] == '[' && from[size - 1] == ']') from++, size -= 2;
    char *end = NULL;
    unsigned long number = colon ? strtoul(colon + 1, &end, 10) : *port;
    if (size >= host_size || (colon && (*end || end == colon + 1 || !number || number > PORT_MAX)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%.100s: must be HOST:PORT, like board:9091, :9091 or [::1]:9091",
                       place);
    if (size && strspn(from, "0123456789") == size)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%.*s is not a host; a port of this machine is :%.*s", (int)size,
                       from, (int)size, from);
    if (size) snprintf(host, host_size, "%.*s", (int)size, from);
    *port = (uint32_t)number;
    return VTA_OK;
}

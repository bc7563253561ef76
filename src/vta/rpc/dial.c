/* Connections to hosts by name. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rpc/stream.h"

void vt__rpc_set_up_socket(int fd) {
    enum { IDLE_SECONDS = 30, INTERVAL_SECONDS = 10, PROBES = 3 };
    const int one = 1, idle = IDLE_SECONDS, interval = INTERVAL_SECONDS, probes = PROBES;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
}

/* 0, or the error. */
static int connect_within(int fd, const struct addrinfo *to, uint64_t deadline) {
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    for (;;) {
        uint64_t now = vt__rpc_now(), left = deadline ? deadline - now : 60000;
        if (deadline && now >= deadline) return ETIMEDOUT;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        int n = poll(&p, 1, left > 60000 ? 60000 : (int)left);
        if (n < 0 && errno != EINTR) return errno;
        if (n <= 0) continue;
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        return error;
    }
}

static int try_address(const struct addrinfo *to, uint64_t deadline, int *out_fd) {
    int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (fd < 0) return errno;
    int error = connect_within(fd, to, deadline);
    if (error) {
        close(fd);
        return error;
    }
    vt__rpc_set_up_socket(fd);
    *out_fd = fd;
    return 0;
}

vta_status vt__rpc_dial(const char *host, uint32_t port, uint64_t deadline, vta_diag *diag, int *out_fd) {
    *out_fd = -1;
    if (!port || port > 65535) return vt_fail(diag, VTA_INVALID_ARGUMENT, "port %u; ports are 1 to 65535", port);
    char number[8];
    snprintf(number, sizeof number, "%u", port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, number, &hints, &found), error = ECONNREFUSED;
    if (code) return vt_fail(diag, VTA_NOT_FOUND, "%.200s: %s", host, gai_strerror(code));
    for (const struct addrinfo *a = found; a && *out_fd < 0; a = a->ai_next) error = try_address(a, deadline, out_fd);
    freeaddrinfo(found);
    if (*out_fd >= 0) return VTA_OK;
    return vt_fail(diag, error == ETIMEDOUT ? VTA_TIMEOUT : VTA_IO, "%.200s:%u: cannot connect: %s%s", host, port,
                   strerror(error), error == ECONNREFUSED ? "; does `vta rpc-server` run there?" : "");
}

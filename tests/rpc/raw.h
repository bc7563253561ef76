/* Bytes over a socket, for tests that speak a protocol by hand. */
#ifndef TESTS_RPC_RAW_H
#define TESTS_RPC_RAW_H

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "rpc/server.h"

/* A connection to a server on this machine; reads give up after a minute. */
static inline int raw_connect(uint32_t port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval patience = {.tv_sec = 60};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) fail_msg("connect: %s", strerror(errno));
    return fd;
}

/* False when the other side takes no more. */
static inline bool raw_send(int fd, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* Bytes received, fewer than `size` when the other side closes. Fails when nothing comes in time. */
static inline size_t raw_receive(int fd, void *to, size_t size) {
    size_t have = 0;
    while (have < size) {
        ssize_t n = recv(fd, (char *)to + have, size - have, 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) fail_msg("nothing came in a minute");
        if (n <= 0) break;
        have += (size_t)n;
    }
    return have;
}

static inline uint64_t raw_u64(const uint8_t *at) {
    uint64_t value = 0;
    for (int i = 8; i-- > 0;) value = value << 8 | at[i];
    return value;
}

static inline void raw_put(uint8_t *at, uint64_t value, int size) {
    for (int i = 0; i < size; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/* This process's socket to a port. */
static inline int raw_socket_to(uint32_t port) {
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in at;
        socklen_t size = sizeof at;
        if (getpeername(fd, (struct sockaddr *)&at, &size) == 0 && ntohs(at.sin_port) == port) return fd;
    }
    fail_msg("no socket to port %u", port);
    return -1;
}

#endif

#include "loopback.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int check(int result, const char *what) {
    if (result >= 0) return result;
    perror(what);
    exit(1);
}

/* ---- Plain sockets ----------------------------------------------------------------------------------------------- */

bool loopback_send(int fd, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

bool loopback_receive(int fd, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = recv(fd, (char *)bytes + done, size - done, 0);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static int without_delay(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static struct sockaddr_in address(uint32_t port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

int loopback_listen(int backlog, uint32_t *out_port) {
    struct sockaddr_in at = address(0);
    socklen_t size = sizeof at;
    int listener = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    check(bind(listener, (struct sockaddr *)&at, sizeof at), "bind");
    check(listen(listener, backlog), "listen");
    check(getsockname(listener, (struct sockaddr *)&at, &size), "getsockname");
    *out_port = ntohs(at.sin_port);
    return listener;
}

int loopback_accept(int listener) { return without_delay(check(accept(listener, NULL, NULL), "accept")); }

int loopback_connect(uint32_t port) {
    struct sockaddr_in at = address(port);
    int fd = check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    check(connect(fd, (struct sockaddr *)&at, sizeof at), "connect");
    return without_delay(fd);
}

/* ---- A server ---------------------------------------------------------------------------------------------------- */

static void write_port(void *ctx, uint32_t port) {
    if (write(*(int *)ctx, &port, sizeof port) != (ssize_t)sizeof port) _exit(1);
}

pid_t loopback_serve(const vta_rpc_server_options *options, uint32_t *out_port) {
    int ends[2];
    check(pipe(ends), "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        vta_rpc_server_options own = *options;
        vta_diag *diag = vta_diag_create(NULL);
        own.ready = write_port;
        own.ready_ctx = &ends[1];
        if (vta_rpc_serve(&own, diag) != VTA_OK) fprintf(stderr, "%s\n", vta_diag_text(diag));
        _exit(0);
    }
    close(ends[1]);
    check(read(ends[0], out_port, sizeof *out_port) == (ssize_t)sizeof *out_port ? 0 : -1, "the server's port");
    close(ends[0]);
    return pid;
}

void loopback_must(vta_status status, vta_diag *diag) {
    if (status == VTA_OK) return;
    fprintf(stderr, "%s\n", vta_diag_text(diag));
    exit(1);
}

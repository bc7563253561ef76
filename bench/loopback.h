/* Both ends of a connection on the loopback, and a server in another process: for the benchmarks of remote
 * execution. What fails ends the program with a message. */
#ifndef BENCH_LOOPBACK_H
#define BENCH_LOOPBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "vta/rpc.h"

/* All bytes, in as many pieces as it takes; false where the other end has closed. */
bool loopback_send(int fd, const void *bytes, size_t size);
bool loopback_receive(int fd, void *bytes, size_t size);
/* A socket that listens, and its port. */
int loopback_listen(int backlog, uint32_t *out_port);
/* The next client of a listening socket; a connection to a port. Small messages are sent at once. */
int loopback_accept(int listener);
int loopback_connect(uint32_t port);

/* Serves with these options until it gets SIGTERM; its port. */
pid_t loopback_serve(const vta_rpc_server_options *options, uint32_t *out_port);
void loopback_must(vta_status status, vta_diag *diag);

#endif

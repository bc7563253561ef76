/* What servers of the tool do alike: the log, and the port. */
#ifndef CLI_RPC_SERVE_H
#define CLI_RPC_SERVE_H

#include <stddef.h>
#include <stdint.h>

/* A line of the log, with the time in front, on standard error. Where that takes nothing at the moment, the line is
 * dropped and counted. */
void cli_write_log(void *ctx, const char *text, size_t size);
/* "port N" on standard output: with --port 0 it is news, and a script may wait for it. */
void cli_tell_port(void *ctx, uint32_t port);

#endif

/* One end of a connection, for one thread: reads and writes that give up after a time. */
#ifndef VT_RPC_STREAM_H
#define VT_RPC_STREAM_H

#include "base/diag.h"
#include "rpc/wire.h"

struct ssl_st;

typedef struct vt_rpc_stream {
    int fd;             /* a socket; -1: none. Not blocking. */
    struct ssl_st *tls; /* NULL: in the clear */
} vt_rpc_stream;

/* Milliseconds of a clock that never goes back. */
uint64_t vt__rpc_now(void);

/* Reads exactly `size` bytes until the time `deadline` (of vt__rpc_now; 0: forever). VTA_NOT_FOUND: the other side
 * closed before the first byte; VTA_IO: it closed later, or the connection broke; VTA_TIMEOUT. */
vta_status vt__rpc_read(vt_rpc_stream *s, void *to, size_t size, uint64_t deadline, vta_diag *diag);
vta_status vt__rpc_write(vt_rpc_stream *s, const void *from, size_t size, uint64_t deadline, vta_diag *diag);
/* Waits for the first byte of something; the same results. */
vta_status vt__rpc_wait(vt_rpc_stream *s, uint64_t deadline, vta_diag *diag);
/* Until when so many bytes may take from now on: `patience_ms`, and a second more for every 64 KiB. */
uint64_t vt__rpc_deadline(uint32_t patience_ms, size_t size);

/* A header and the fields after it, as one. */
vta_status vt__rpc_send(vt_rpc_stream *s, vt_rpc_header header, const void *fields, uint64_t deadline, vta_diag *diag);
/* The next frame; `fields` is overwritten. */
vta_status vt__rpc_receive(vt_rpc_stream *s, uint64_t wait_until, uint32_t patience_ms, vta_diag *diag,
                           vt_rpc_header *out_header, vt_strbuf *fields);

/* A connection to a host by name or number, made within the time. */
vta_status vt__rpc_dial(const char *host, uint32_t port, uint64_t deadline, vta_diag *diag, int *out_fd);
/* What is small is sent at once, and a machine that has vanished is noticed within a minute. */
void vt__rpc_set_up_socket(int fd);
void vt__rpc_close(vt_rpc_stream *s);

#endif

/* The keeper of a session: the process that the server starts, which starts the one that serves the client and runs its
 * code, ends all that this has started, and tells the server how it ended. */
#ifndef VT_RPC_KEEPER_H
#define VT_RPC_KEEPER_H

#include "rpc/share.h"

/* Returns in the process that is to serve the client, which is inside page->jail; *out_verdict is gone there. The
 * others never return: they exit with 0 when all processes of the session are over, and the verdict has been given.
 * SIGTERM to the keeper, or the end of the server, ends the session. */
vta_status vt__keeper_begin(const vt_rpc_page *page, vt_rpc_verdict *verdict, vta_diag *diag);

/* What the processes of a process's folder /proc have together, but for this one: bytes of memory that no file backs,
 * and processes with their threads. */
void vt__keeper_count(const char *proc, uint64_t *out_bytes, uint32_t *out_tasks);

#endif

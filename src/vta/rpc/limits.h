/* What a session's process may do. */
#ifndef VT_RPC_LIMITS_H
#define VT_RPC_LIMITS_H

#include "rpc/share.h"

/* Applies them to this process, which must not have run anything of its client yet: user, processes, memory, files,
 * no way to more rights, an end with the server. */
vta_status vt__limits_apply(const vt_rpc_page *page, vta_diag *diag);

#endif

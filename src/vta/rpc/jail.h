/* Namespaces of a session: its code sees no process but its own, no network, none of the server's files, and only its
 * own folder to write to. */
#ifndef VT_RPC_JAIL_H
#define VT_RPC_JAIL_H

#include "rpc/share.h"

/* Which kind this machine gives a session of this page: VT_JAIL_USER, VT_JAIL_ROOT, or VT_JAIL_REAPED with the reason
 * in `why`. Tries it out in a process of its own. */
vt_rpc_jail vt__jail_find(const vt_rpc_page *page, size_t room, char *why);

/* Puts this process, which has one thread, into page->jail; its children are inside. With VT_JAIL_USER it becomes the
 * session's user first. */
vta_status vt__jail_enter(const vt_rpc_page *page, vta_diag *diag);
/* In the first child: what the session sees of the machine's files and processes. */
vta_status vt__jail_furnish(const vt_rpc_page *page, vta_diag *diag);
/* In the process that runs the session: gives up all rights for good (but the one to map registers of a board, for
 * sessions that are root). */
vta_status vt__jail_lock(const vt_rpc_page *page, vta_diag *diag);

/* Becomes the user that sessions run as, when the server is root. */
vta_status vt__jail_become_user(const vt_rpc_page *page, vta_diag *diag);

#endif

/* Users that no two sessions of a machine have at once. */
#ifndef VT_RPC_USERS_H
#define VT_RPC_USERS_H

#include "base/diag.h"
#include "rpc/share.h"

#define VT_USERS_FILE "/run/vta-rpc-users"

/* The file whose locks say who has which; root's. VTA_IO: it cannot be made. */
vta_status vt__users_open(vta_diag *diag, int *out_fd);
/* One that nobody has, until *out_fd is closed. VTA_NO_MEMORY: there is none. */
vta_status vt__user_take(vta_diag *diag, uint32_t *out_user, int *out_fd);

#endif

/* A server's place at a tracker: a thread that registers, and registers again when the connection was lost. */
#ifndef VT_RPC_REGISTRATION_H
#define VT_RPC_REGISTRATION_H

#include "rpc/server.h"

typedef struct vt_registration vt_registration;

/* NULL in *out_registration, and VTA_OK, for a server without a tracker. */
vta_status vt__registration_begin(vt_server *s, uint32_t port, vta_diag *diag, vt_registration **out_registration);
/* Leaves the tracker, and the loop. */
void vt__registration_end(vt_registration *r);
/* After the loop has ended. */
void vt__registration_free(vt_registration *r);

#endif

/* Limits of the kernel for all of a session's processes together: a control group (version 2) for each session, in a
 * folder that is the server's to use. */
#ifndef VT_RPC_CGROUP_H
#define VT_RPC_CGROUP_H

#include "rpc/share.h"

/* Makes the folder ready for groups of sessions: its controllers pids and memory are handed on to them. What servers
 * that are gone have left in it goes. VTA_NOT_FOUND: there is no such folder; VTA_UNSUPPORTED: it is no control group,
 * or has not both controllers; VTA_IO: it cannot be written, or has processes itself. */
vta_status vt__cgroup_begin(const char *folder, vta_diag *diag);

/* A group for one session in it. `memory_bytes` UINT64_MAX and `processes` 0: no limit. A process that writes "0" to
 * *out_fd is in it. Its path is in out_group. */
vta_status vt__cgroup_make(const char *folder, uint64_t memory_bytes, uint32_t processes, vta_diag *diag,
                           char out_group[VT_RPC_PATH_BYTES], int *out_fd);
/* Was something in the group ended because it had too much memory? */
bool vt__cgroup_ran_out(const char *group);
/* Removes it, and does not wait: what is in it is told to end, and as long as that lasts it is busy. Anything else that
 * keeps it is for ever. */
typedef enum vt_cgroup_end { VT_CGROUP_GONE, VT_CGROUP_BUSY, VT_CGROUP_STAYS } vt_cgroup_end;
vt_cgroup_end vt__cgroup_remove(const char *group);

#endif

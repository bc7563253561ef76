/* Users for sessions without namespaces: each has a number of its own, on this machine and not only in its server. Who
 * has one holds the lock of its byte in a file, which the kernel lets go of when the server dies. */
#include "rpc/users.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

vta_status vt__users_open(vta_diag *diag, int *out_fd) {
    *out_fd = open(VT_USERS_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*out_fd >= 0) return VTA_OK;
    return vt_fail(diag, VTA_IO, VT_USERS_FILE ", which says which users sessions have, cannot be opened: %s",
                   strerror(errno));
}

vta_status vt__user_take(vta_diag *diag, uint32_t *out_user, int *out_fd) {
    VT_TRY(vt__users_open(diag, out_fd));
    for (uint32_t user = VT_FIRST_OWN_USER; user <= VT_LAST_OWN_USER; user++) {
        struct flock byte = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(user - VT_FIRST_OWN_USER), .l_len = 1};
        if (fcntl(*out_fd, F_OFD_SETLK, &byte) != 0) continue;
        *out_user = user;
        return VTA_OK;
    }
    close(*out_fd);
    *out_fd = -1;
    return vt_fail(diag, VTA_NO_MEMORY,
                   "all users that sessions without namespaces may be (%d to %d) are taken on this machine; try again "
                   "later",
                   VT_FIRST_OWN_USER, VT_LAST_OWN_USER);
}

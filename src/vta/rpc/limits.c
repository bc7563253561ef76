#include "rpc/limits.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rpc/jail.h"

static vta_status failed(vta_diag *diag, const char *what) {
    return vt_fail(diag, VTA_IO, "the session cannot %s: %s", what, strerror(errno));
}

static int limit(int resource, uint64_t most) {
    struct rlimit l;
    if (getrlimit(resource, &l) != 0) return -1;
    if (l.rlim_max == RLIM_INFINITY || l.rlim_max > most) l.rlim_max = most;
    l.rlim_cur = l.rlim_max;
    return setrlimit(resource, &l);
}

vta_status vt__limits_apply(const vt_rpc_page *page, vta_diag *diag) {
    enum { OPEN_FILES = 256 };
    pid_t server = getppid();
    /* Before the rights go: the number counts in the namespace of the session's user alone, where it has one. */
    if ((page->jail == VT_JAIL_USER || page->own_user) && page->processes && limit(RLIMIT_NPROC, page->processes) != 0)
        return failed(diag, "limit its processes");
    VT_TRY(page->jail >= VT_JAIL_USER ? vt__jail_lock(page, diag) : vt__jail_become_user(page, diag));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(diag, "give up rights");
    /* After the change of user, which clears it. A server that is gone already sends no signal. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return failed(diag, "be bound to its server");
    /* Other processes of the user, those of other sessions among them, neither trace it nor read its memory. */
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return failed(diag, "protect its memory");
    if (getppid() != server) return failed(diag, "find its server");
    if (page->memory_bytes != UINT64_MAX && limit(RLIMIT_AS, page->memory_bytes) != 0)
        return failed(diag, "limit its memory");
    if (limit(RLIMIT_FSIZE, page->file_bytes) != 0 || limit(RLIMIT_NOFILE, OPEN_FILES) != 0 ||
        limit(RLIMIT_CORE, 0) != 0)
        return failed(diag, "limit its files");
    signal(SIGXFSZ, SIG_IGN); /* a write that is too long is an error, not the end */
    signal(SIGPIPE, SIG_IGN);
    return chdir(page->folder) == 0 ? VTA_OK : failed(diag, "enter its folder");
}

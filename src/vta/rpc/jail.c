#include "rpc/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rpc/jail_files.h"

static vta_status failed(vta_diag *diag, const char *what) {
    return vt_fail(diag, VTA_IO, "%s: %s", what, strerror(errno));
}

vta_status vt__jail_become_user(const vt_rpc_page *page, vta_diag *diag) {
    const gid_t group = page->group;
    if (!page->change_user || geteuid() != 0) return VTA_OK;
    if (setgroups(1, &group) != 0 || setgid(group) != 0 || setuid(page->user) != 0)
        return failed(diag, "the session cannot change to the user that it should run as");
    return VTA_OK;
}

/* ---- Entering ---------------------------------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0) close(fd);
    return n == (ssize_t)strlen(text);
}

/* Inside, the user has the number that it has outside. */
static vta_status map_user(uid_t user, gid_t group, vta_diag *diag) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", user, user);
    snprintf(groups, sizeof groups, "%u %u 1\n", group, group);
    if (!write_file("/proc/self/setgroups", "deny") && errno != ENOENT) return failed(diag, "setgroups");
    if (!write_file("/proc/self/uid_map", users) || !write_file("/proc/self/gid_map", groups))
        return failed(diag, "users of a namespace");
    return VTA_OK;
}

vta_status vt__jail_enter(const vt_rpc_page *page, vta_diag *diag) {
    enum { SPACES = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC };
    if (page->jail != VT_JAIL_USER) return unshare(SPACES) == 0 ? VTA_OK : failed(diag, "namespaces for root");
    VT_TRY(vt__jail_become_user(page, diag));
    uid_t user = geteuid();
    gid_t group = getegid();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* else the files in /proc/self would be root's */
    if (unshare(CLONE_NEWUSER | SPACES) != 0) return failed(diag, "namespaces without rights");
    VT_TRY(map_user(user, group, diag));
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? VTA_OK : failed(diag, "protecting the session's memory");
}

/* ---- Rights ------------------------------------------------------------------------------------------------------ */

vta_status vt__jail_lock(const vt_rpc_page *page, vta_diag *diag) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2] = {{0}, {0}};
    int kept = page->jail == VT_JAIL_ROOT && !page->change_user ? CAP_SYS_RAWIO : -1; /* /dev/mem */
    VT_TRY(vt__jail_become_user(page, diag));
    for (int c = 0; c < 64 && prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
        if (c != kept && prctl(PR_CAPBSET_DROP, c, 0, 0, 0) != 0 && errno != EPERM) return failed(diag, "rights");
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (kept >= 0) sets[0].permitted = sets[0].effective = 1u << kept;
    if (syscall(SYS_capset, &header, sets) != 0) return failed(diag, "rights");
    return VTA_OK;
}

/* ---- Finding out ------------------------------------------------------------------------------------------------- */

/* Writes what fails to `to`; the exit code says whether something did. */
static int attempt(const vt_rpc_page *page, int to) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_diag_entry e;
    int state = 1;
    if (!diag) return 1;
    vta_status status = vt__jail_enter(page, diag);
    pid_t child = status == VTA_OK ? fork() : -1;
    if (child == 0) {
        status = vt__jail_furnish(page, diag);
        if (status == VTA_OK) status = vt__jail_lock(page, diag);
        if (status == VTA_OK) _exit(0);
    } else if (child > 0) {
        return waitpid(child, &state, 0) == child && state == 0 ? 0 : 1;
    } else if (status == VTA_OK) {
        status = failed(diag, "a process in a namespace");
    }
    if (vta_diag_get(diag, 0, &e) == VTA_OK && write(to, e.message, strlen(e.message)) < 0) _exit(2);
    _exit(1);
}

static bool works(const vt_rpc_page *page, size_t room, char *why) {
    int ends[2], state = 1;
    size_t had = strlen(why);
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGCHLD, SIG_DFL);
        _exit(attempt(page, ends[1]));
    }
    close(ends[1]);
    if (pid > 0 && had + 2 < room && had) had += (size_t)snprintf(why + had, room - had, "; ");
    ssize_t n = pid > 0 && had + 1 < room ? read(ends[0], why + had, room - had - 1) : 0;
    why[had + (n > 0 ? (size_t)n : 0)] = '\0';
    close(ends[0]);
    if (pid > 0 && waitpid(pid, &state, 0) != pid) state = 1;
    return state == 0;
}

vt_rpc_jail vt__jail_find(const vt_rpc_page *page, size_t room, char *why) {
    static const vt_rpc_jail kinds[] = {VT_JAIL_USER, VT_JAIL_ROOT};
    static vt_rpc_page tried; /* too large for some stacks; servers are made one at a time */
    tried = *page;
    *why = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool is_root = geteuid() == 0;
        if (kinds[i] == VT_JAIL_USER && is_root && !page->change_user) continue; /* a root without its devices */
        if (kinds[i] == VT_JAIL_ROOT && !is_root) continue;
        tried.jail = (uint8_t)kinds[i];
        if (works(&tried, room, why)) return kinds[i];
    }
    return VT_JAIL_REAPED;
}

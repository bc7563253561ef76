#include "rpc/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "vta-session-"

/* A session's keeper and the first process of its namespace count, too. */
enum { OWN_PROCESSES = 2, OWN_BYTES = 16 << 20, PATH_ROOM = VT_RPC_PATH_BYTES + 64 };

static const char *const controllers[] = {"pids", "memory"};

/* ---- Files of a group -------------------------------------------------------------------------------------------- */

static int open_file(const char *group, const char *file, int how) {
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", group, file);
    return open(path, how | O_CLOEXEC, 0600);
}

/* 0, or the error. */
static int put(const char *group, const char *file, const char *text) {
    int fd = open_file(group, file, O_WRONLY | O_CREAT);
    if (fd < 0) return errno;
    int error = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : errno;
    close(fd);
    return error;
}

static bool get(const char *group, const char *file, size_t room, char *text) {
    int fd = open_file(group, file, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, room - 1) : -1;
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n >= 0;
}

/* Is the word among those of the text, which blanks and line ends separate? */
static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[n])) return true;
    return false;
}

/* ---- The folder -------------------------------------------------------------------------------------------------- */

/* A group may hand its controllers on only while no process is in it itself: a server that was started in its own goes
 * into a group below it. */
static bool move_below(const char *folder) {
    char path[PATH_ROOM], procs[64], me[32];
    snprintf(me, sizeof me, "%d\n", (int)getpid());
    if (!get(folder, "cgroup.procs", sizeof procs, procs) || strcmp(procs, me) != 0) return false;
    snprintf(path, sizeof path, "%s/vta-server", folder);
    return (mkdir(path, 0755) == 0 || errno == EEXIST) && put(path, "cgroup.procs", "0") == 0;
}

static vta_status hand_on(const char *folder, const char *controller, vta_diag *diag) {
    char word[32];
    snprintf(word, sizeof word, "+%s", controller);
    int error = put(folder, "cgroup.subtree_control", word);
    if (error == EBUSY && move_below(folder)) error = put(folder, "cgroup.subtree_control", word);
    if (!error) return VTA_OK;
    return vt_fail(diag, VTA_IO, "--cgroup %s: its controller %s cannot be handed on to sessions: %s%s", folder,
                   controller, strerror(error),
                   error == EBUSY ? " (there are processes in this group itself; move them to one below it)" : "");
}

/* Groups of servers that are gone. One that has processes stays: they are about to end. */
static void sweep(const char *folder) {
    char path[PATH_ROOM];
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
        pid_t server = (pid_t)strtol(e->d_name + sizeof PREFIX - 1, NULL, 10);
        snprintf(path, sizeof path, "%s/%.60s", folder, e->d_name);
        if (server > 0 && kill(server, 0) != 0 && errno == ESRCH) rmdir(path);
    }
    if (dir) closedir(dir);
}

vta_status vt__cgroup_begin(const char *folder, vta_diag *diag) {
    enum { KINDS = sizeof controllers / sizeof *controllers };
    char has[1024];
    struct stat is;
    if (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode))
        return vt_fail(diag, VTA_NOT_FOUND, "--cgroup %s: there is no such folder", folder);
    if (!get(folder, "cgroup.controllers", sizeof has, has))
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "--cgroup %s: this is no control group of version 2 (it has no file cgroup.controllers)",
                       folder);
    for (int i = 0; i < KINDS; i++)
        if (!has_word(has, controllers[i]))
            return vt_fail(diag, VTA_UNSUPPORTED,
                           "--cgroup %s: the controller %s is not there (cgroup.controllers has \"%.*s\"): the group "
                           "above must hand it on, and no hierarchy of version 1 may have it",
                           folder, controllers[i], (int)strcspn(has, "\n"), has);
    for (int i = 0; i < KINDS; i++) VT_TRY(hand_on(folder, controllers[i], diag));
    sweep(folder);
    return VTA_OK;
}

/* ---- The group of a session -------------------------------------------------------------------------------------- */

/* 0, or the error. */
static int set_limits(const char *group, uint64_t memory_bytes, uint32_t processes) {
    char text[32];
    int error = 0;
    if (processes) {
        snprintf(text, sizeof text, "%" PRIu64, (uint64_t)processes + OWN_PROCESSES);
        error = put(group, "pids.max", text);
    }
    if (error || memory_bytes > UINT64_MAX - OWN_BYTES) return error;
    snprintf(text, sizeof text, "%" PRIu64, memory_bytes + OWN_BYTES);
    error = put(group, "memory.max", text);
    put(group, "memory.swap.max", "0"); /* not there without swap */
    return error;
}

/* One that no other server of this process has. What is there already was made by an earlier process of this number, as
 * in a container, where a server has the same one each time: it is removed, or, while processes are in it, passed over.
 * 0, or the error. */
static int make_group(const char *folder, char out_group[VT_RPC_PATH_BYTES]) {
    static _Atomic uint64_t made;
    for (;;) {
        int n = snprintf(out_group, VT_RPC_PATH_BYTES, "%s/" PREFIX "%d-%" PRIu64, folder, (int)getpid(), made++);
        if (n >= VT_RPC_PATH_BYTES) return ENAMETOOLONG;
        if (mkdir(out_group, 0755) == 0) return 0;
        if (errno != EEXIST) return errno;
        if (rmdir(out_group) == 0 && mkdir(out_group, 0755) == 0) return 0;
    }
}

vta_status vt__cgroup_make(const char *folder, uint64_t memory_bytes, uint32_t processes, vta_diag *diag,
                           char out_group[VT_RPC_PATH_BYTES], int *out_fd) {
    *out_fd = -1;
    int error = make_group(folder, out_group);
    bool made = !error;
    if (made) error = set_limits(out_group, memory_bytes, processes);
    if (!error && (*out_fd = open_file(out_group, "cgroup.procs", O_WRONLY | O_CREAT)) >= 0) return VTA_OK;
    if (!error) error = errno;
    if (made) rmdir(out_group);
    vta_status status =
        vt_fail(diag, VTA_IO, "%s: no control group for the session can be made: %s", out_group, strerror(error));
    *out_group = '\0';
    return status;
}

bool vt__cgroup_ran_out(const char *group) {
    static const char name[] = "\noom_kill ";
    char text[1024] = "\n";
    if (!get(group, "memory.events", sizeof text - 1, text + 1)) return false;
    const char *at = strstr(text, name);
    return at && strtoul(at + sizeof name - 1, NULL, 10) > 0;
}

vt_cgroup_end vt__cgroup_remove(const char *group) {
    if (rmdir(group) == 0 || errno == ENOENT) return VT_CGROUP_GONE;
    if (errno != EBUSY) return VT_CGROUP_STAYS;
    put(group, "cgroup.kill", "1"); /* from Linux 5.14; as a rule the keeper has done it already */
    return VT_CGROUP_BUSY;
}

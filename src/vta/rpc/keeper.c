#include "rpc/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rpc/jail.h"

enum { LOOK_MS = 100 };

static void give_words(vt_rpc_verdict *v, const vta_diag *diag) {
    vta_diag_entry e;
    snprintf(v->words, sizeof v->words, "%s", vta_diag_get(diag, 0, &e) == VTA_OK ? e.message : "out of memory");
    v->end = VT_END_NO_JAIL;
}

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

/* "Name:   123 kB" of /proc/PID/status. */
static uint64_t field(const char *status, const char *name) {
    const char *at = strstr(status, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void count_one(const char *proc, const char *pid, uint64_t *bytes, uint32_t *tasks) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "%.16s/%.16s/status", proc, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) close(fd);
    if (n <= 0) return; /* it has ended */
    text[n] = '\0';
    *bytes += (field(text, "\nRssAnon:") + field(text, "\nRssShmem:")) * 1024;
    *tasks += (uint32_t)field(text, "\nThreads:");
}

void vt__keeper_count(const char *proc, uint64_t *out_bytes, uint32_t *out_tasks) {
    char self[16];
    DIR *dir = opendir(proc);
    *out_bytes = *out_tasks = 0;
    snprintf(self, sizeof self, "%d", (int)getpid());
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] >= '0' && e->d_name[0] <= '9' && strcmp(e->d_name, self) != 0)
            count_one(proc, e->d_name, out_bytes, out_tasks);
    if (dir) closedir(dir);
}

/* Is all of the session together within its limits? Those of the kernel are for each process, or for each user. */
static bool is_within(const vt_rpc_page *limits, vt_rpc_verdict *v) {
    uint64_t bytes;
    uint32_t tasks;
    vt__keeper_count("/proc", &bytes, &tasks);
    if (bytes > limits->memory_bytes)
        v->end = VT_END_MEMORY;
    else if (limits->processes && tasks > limits->processes)
        v->end = VT_END_PROCESSES;
    else
        return true;
    return false;
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

static sigset_t held_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    return set;
}

/* Collects the dead. True when `main` is among them. */
static bool collect(pid_t main, int *out_state) {
    int state;
    bool over = false;
    for (pid_t pid; (pid = waitpid(-1, &state, WNOHANG)) > 0;) {
        if (pid != main) continue;
        *out_state = state;
        over = true;
    }
    return over;
}

/* The first process of the namespace: what it leaves behind when it ends, the kernel ends. */
static void be_first(const vt_rpc_page *page, vt_rpc_verdict *v, pid_t session) {
    const vt_rpc_page limits = {.memory_bytes = page->memory_bytes, .processes = page->processes};
    const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
    sigset_t set = held_signals();
    int state = 0;
    for (;;) {
        sigtimedwait(&set, NULL, &moment);
        if (collect(session, &state)) {
            v->state = state;
            v->end = VT_END_ITSELF;
            _exit(0);
        }
        if (!is_within(&limits, v)) _exit(0);
    }
}

/* Where there is no namespace: all that descends from the session comes to its keeper when its parent ends. */
static void kill_descendants(void) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int state; waitpid(-1, &state, WNOHANG) >= 0 || errno != ECHILD;) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
        if (fd >= 0) close(fd);
        text[n > 0 ? n : 0] = '\0';
        for (char *at = text, *end; *at; at = end) {
            long pid = strtol(at, &end, 10);
            if (end == at) break;
            kill((pid_t)pid, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void keep(bool has_jail, vt_rpc_verdict *v, pid_t child) {
    sigset_t set = held_signals();
    int state = 0, number;
    for (bool over = false; !over; over = collect(child, &state))
        if (sigwait(&set, &number) == 0 && number == SIGTERM) kill(child, SIGKILL);
    if (!has_jail) {
        kill_descendants();
        v->state = state;
        v->end = VT_END_ITSELF;
    } else if (v->end == VT_END_UNKNOWN) { /* the first process of the namespace was killed */
        v->state = state;
        v->end = VT_END_ITSELF;
    }
    _exit(0);
}

/* ---- Beginning --------------------------------------------------------------------------------------------------- */

/* Descriptors of the session are its own: when it closes them, they are closed. */
static void let_go(void) {
    for (int fd = 0; fd <= VT_RPC_FD_VERDICT; fd++) close(fd);
}

/* What follows is inside: the first process, and from it the one that serves. Returns in that one. */
static vta_status begin_inside(const vt_rpc_page *page, vt_rpc_verdict *v, int life, vta_diag *diag) {
    struct pollfd keeper = {.fd = life};
    sigset_t set = held_signals();
    /* The keeper may be gone before it could be said that its end is to be this one's. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || poll(&keeper, 1, 0) != 0) _exit(0);
    close(life);
    if (vt__jail_furnish(page, diag) != VTA_OK) {
        give_words(v, diag);
        _exit(0);
    }
    pid_t session = fork();
    if (session > 0) {
        let_go();
        be_first(page, v, session);
    }
    if (session < 0) {
        v->end = VT_END_PROCESSES;
        _exit(0);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return VTA_OK;
}

/* A pipe whose ends are no descriptors of the session. */
static bool make_life(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, VT_RPC_FD_VERDICT + 1);
        close(low[i]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Before there is any other process of the session. */
static vta_status enter_group(vta_diag *diag) {
    ssize_t n = write(VT_RPC_FD_GROUP, "0", 1);
    if (n != 1) return vt_fail(diag, VTA_IO, "the session cannot enter its control group: %s", strerror(errno));
    close(VT_RPC_FD_GROUP);
    return VTA_OK;
}

vta_status vt__keeper_begin(const vt_rpc_page *page, vt_rpc_verdict *v, vta_diag *diag) {
    bool has_jail = page->jail != VT_JAIL_REAPED;
    sigset_t set = held_signals();
    int life[2] = {-1, -1};
    pid_t server = getppid();
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    vta_status status = page->has_group ? enter_group(diag) : VTA_OK;
    if (status == VTA_OK && has_jail) status = vt__jail_enter(page, diag);
    bool bound = prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0 && getppid() == server;
    if (status == VTA_OK && (!bound || !make_life(life) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0))
        status = vt_fail(diag, VTA_IO, "a keeper for the session cannot be made: %s", strerror(errno));
    if (status == VTA_OK && !has_jail) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t child = status == VTA_OK ? fork() : -1;
    if (status == VTA_OK && child < 0)
        status = vt_fail(diag, VTA_IO, "the session's process cannot be made: %s", strerror(errno));
    if (status != VTA_OK) {
        give_words(v, diag);
        _exit(0);
    }
    if (child > 0) {
        close(life[0]);
        let_go(); /* but of life[1], which is above them and says that the keeper lives */
        keep(has_jail, v, child);
    }
    close(life[1]);
    if (has_jail) return begin_inside(page, v, life[0], diag);
    close(life[0]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return VTA_OK;
}

/* Processes that try schedules: forked, given a trial through a socket, and asked for what came of it. A process that
 * dies, or takes too long, loses the trial that it had; another one is started in its place. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "operators/tune/tune.h"

enum { TICK_MS = 100 };

/* ---- The process ------------------------------------------------------------------------------------------------- */

static bool send_all(int to, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t n = send(to, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int from, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        ssize_t n = recv(from, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* Ctrl-C is for the process that searches, which then asks no more. */
static void serve(const vt_tune_pool *pool, int from) {
    vt_tune_trial t;
    signal(SIGINT, SIG_IGN);
    while (receive_all(from, &t, sizeof t)) {
        if (vt__tune_try(pool->op, pool->profile, NULL, &t) != VTA_OK) break;
        if (!send_all(from, &t, sizeof t)) break;
    }
    _exit(0);
}

/* Sockets of the others must end with the process that searches. */
static void close_others(const vt_tune_pool *pool) {
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->workers[i].pid > 0) close(pool->workers[i].to);
}

static vta_status start(const vt_tune_pool *pool, vt_tune_worker *w, vta_diag *diag) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return vt_fail(diag, VTA_IO, "no socket for a process of the tuner: %s", strerror(errno));
    int pid = fork();
    if (pid == 0) {
        close(ends[0]);
        close_others(pool);
        serve(pool, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    if (pid > 0) {
        *w = (vt_tune_worker){.pid = pid, .to = ends[0]};
        return VTA_OK;
    }
    close(ends[0]);
    return vt_fail(diag, VTA_IO, "no process can be started for the tuner: %s", strerror(error));
}

/* Ends a process and says how it went. */
static void end(vt_tune_worker *w, bool kill_it, char *out_how, size_t size) {
    int state = 0;
    close(w->to);
    if (kill_it) kill(w->pid, SIGKILL);
    while (waitpid(w->pid, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(state))
        snprintf(out_how, size, "its process was ended by signal %d", WTERMSIG(state));
    else
        snprintf(out_how, size, "its process ended with exit code %d", WEXITSTATUS(state));
    *w = (vt_tune_worker){.pid = 0};
}

/* ---- Trials ------------------------------------------------------------------------------------------------------ */

static void lose(vt_tune_worker *w, bool late, double seconds) {
    vt_tune_trial *t = w->trial;
    char how[64];
    double began = w->began;
    end(w, late, how, sizeof how);
    if (!t) return;
    t->done = true;
    t->cycles = 0;
    t->error = late ? VT_TUNE_TIMEOUT : VT_TUNE_DIED;
    t->seconds = vt_now() - began;
    if (late)
        snprintf(t->message, sizeof t->message, "no result after %.0f s", seconds);
    else
        snprintf(t->message, sizeof t->message, "%s", how);
}

/* Hands out a trial; a process that is gone meanwhile is replaced once. */
static vta_status give(const vt_tune_pool *pool, vt_tune_worker *w, vt_tune_trial *t, vta_diag *diag) {
    for (int times = 0; times < 2; times++) {
        if (w->pid <= 0) VT_TRY(start(pool, w, diag));
        w->began = vt_now();
        if (send_all(w->to, t, sizeof *t)) {
            w->trial = t;
            return VTA_OK;
        }
        lose(w, false, 0);
    }
    return vt_fail(diag, VTA_IO, "processes of the tuner end at once");
}

static void take(vt_tune_worker *w) {
    vt_tune_trial t;
    if (!receive_all(w->to, &t, sizeof t)) {
        lose(w, false, 0);
        return;
    }
    *w->trial = t;
    w->trial = NULL;
}

static uint32_t busy(const vt_tune_pool *pool) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < pool->jobs; i++) n += pool->workers[i].trial != NULL;
    return n;
}

/* Waits a moment for results. True when the search shall end. */
static bool wait_for_results(vt_tune_pool *pool) {
    struct pollfd polled[VT_TUNE_MAX_JOBS];
    bool stop = false;
    for (uint32_t i = 0; i < pool->jobs; i++)
        polled[i] = (struct pollfd){.fd = pool->workers[i].trial ? pool->workers[i].to : -1, .events = POLLIN};
    if (poll(polled, pool->jobs, TICK_MS) <= 0) memset(polled, 0, sizeof polled);
    for (uint32_t i = 0; i < pool->jobs; i++) {
        vt_tune_worker *w = &pool->workers[i];
        vt_tune_trial *t = w->trial;
        if (!t) continue;
        if (polled[i].revents)
            take(w);
        else if (vt_now() - w->began > pool->trial_seconds)
            lose(w, true, pool->trial_seconds);
        if (t->done) stop |= pool->tick(pool->user, t);
    }
    return pool->tick(pool->user, NULL) || stop;
}

static vt_tune_trial *next_of(vt_tune_trial *trials, uint32_t count, uint32_t *at) {
    while (*at < count && trials[*at].done) (*at)++;
    return *at < count ? &trials[(*at)++] : NULL;
}

/* Every free process has a trial, as long as there are any. */
static vta_status give_all(vt_tune_pool *pool, vt_tune_trial *trials, uint32_t count, uint32_t *at, vta_diag *diag) {
    for (uint32_t i = 0; i < pool->jobs; i++) {
        if (pool->workers[i].trial) continue;
        vt_tune_trial *t = next_of(trials, count, at);
        if (!t) break;
        VT_TRY(give(pool, &pool->workers[i], t, diag));
    }
    return VTA_OK;
}

static vta_status run_in_processes(vt_tune_pool *pool, vt_tune_trial *trials, uint32_t count, vta_diag *diag,
                                   bool *out_stopped) {
    uint32_t at = 0;
    do {
        if (!*out_stopped) VT_TRY(give_all(pool, trials, count, &at, diag));
        if (busy(pool)) *out_stopped |= wait_for_results(pool);
        if (*out_stopped) break;
    } while (busy(pool) || at < count);
    return VTA_OK;
}

static vta_status run_here(vt_tune_pool *pool, vt_tune_trial *trials, uint32_t count, vta_diag *diag,
                           bool *out_stopped) {
    uint32_t at = 0;
    for (vt_tune_trial *t; !*out_stopped && (t = next_of(trials, count, &at));) {
        if (vt__tune_try(pool->op, pool->profile, pool->op->allocator, t) != VTA_OK) return vt_no_memory(diag);
        *out_stopped = pool->tick(pool->user, t);
    }
    return VTA_OK;
}

vta_status vt__tune_run(vt_tune_pool *pool, vt_tune_trial *trials, uint32_t count, vta_diag *diag, bool *out_stopped) {
    *out_stopped = false;
    return (pool->jobs ? run_in_processes : run_here)(pool, trials, count, diag, out_stopped);
}

void vt__tune_pool_end(vt_tune_pool *pool) {
    char how[64];
    for (uint32_t i = 0; i < pool->jobs; i++)
        if (pool->workers[i].pid > 0) end(&pool->workers[i], true, how, sizeof how);
}

#include "rpc/sigpipe.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static sigset_t only_sigpipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
}

static bool is_pending(void) {
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, SIGPIPE) == 1;
}

vt_sigpipe vt__sigpipe_hold(void) {
    vt_sigpipe held;
    sigset_t set = only_sigpipe();
    held.was_pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &set, &held.before);
    return held;
}

void vt__sigpipe_release(const vt_sigpipe *held) {
    int error = errno;
    sigset_t set = only_sigpipe();
    if (!held->was_pending && is_pending()) sigtimedwait(&set, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = error;
}

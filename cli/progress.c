/* The progress line, drawn by a thread of its own, so that it moves while a single long step runs. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static pthread_t drawer;
static bool is_running, stop; /* is_running belongs to the calling thread */
static const char *step;
static uint64_t steps_done, steps_total;

static struct timespec half_a_second_later(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 500000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static void *draw(void *unused) {
    (void)unused;
    time_t begin = time(NULL);
    bool drawn = false;
    pthread_mutex_lock(&lock);
    while (!stop) {
        struct timespec until = half_a_second_later();
        while (!stop && pthread_cond_timedwait(&stopped, &lock, &until) != ETIMEDOUT) {
        }
        if (stop) break;
        drawn = true;
        fprintf(stderr, "\r%s %llu of %llu, %lld s\033[K", step, (unsigned long long)steps_done,
                (unsigned long long)steps_total, (long long)(time(NULL) - begin));
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
    if (drawn) fprintf(stderr, "\r\033[K");
    return NULL;
}

void cli_progress(const char *what, uint64_t done, uint64_t total) {
    pthread_mutex_lock(&lock);
    step = what;
    steps_done = done;
    steps_total = total;
    pthread_mutex_unlock(&lock);
    if (is_running || !isatty(STDERR_FILENO)) return;
    stop = false;
    is_running = pthread_create(&drawer, NULL, draw, NULL) == 0;
}

void cli_progress_end(void) {
    if (!is_running) return;
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_cond_signal(&stopped);
    pthread_mutex_unlock(&lock);
    pthread_join(drawer, NULL);
    is_running = false;
}

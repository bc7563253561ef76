/* rpc_soak [--clear] [--workers N] [--every N] SEED SESSIONS: sessions of random good and bad behaviour on four boards
 * under a tracker, while servers, trackers and sessions are killed. No number may be wrong, no lease lost, no session
 * end without a reason, and memory, descriptors, threads, processes and files stay as they are. */
#include "soak/soak.h"

#include <sys/mman.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void soak_fail(soak *s, const char *fmt, ...) {
    va_list args;
    uint32_t n = atomic_fetch_add(&s->failures, 1);
    if (n >= SOAK_MAX_FAILURES) return;
    va_start(args, fmt);
    vsnprintf(s->failure[n], sizeof s->failure[n], fmt, args);
    va_end(args);
    fprintf(stderr, "rpc_soak: %s\n", s->failure[n]);
}

int soak_files_of(pid_t pid) {
    char path[64];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) n += e->d_name[0] != '.';
    if (dir) closedir(dir);
    return n - (dir && pid == getpid());
}

/* ---- Workers ----------------------------------------------------------------------------------------------------- */

static void park(soak *s, uint32_t me) {
    int files = soak_files_of(getpid()), first = atomic_load(&s->worker_files[me]);
    if (first && files > first) soak_fail(s, "client %u grows: %d descriptors, %d at first", me, files, first);
    if (!first) atomic_store(&s->worker_files[me], files);
    atomic_store(&s->parked[me], true);
    while (atomic_load(&s->resting)) usleep(2000);
    atomic_store(&s->parked[me], false);
}

static void work(soak *s, uint32_t me) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        if (atomic_load(&s->resting)) park(s, me);
        uint64_t number = atomic_fetch_add(&s->next, 1);
        if (number >= s->count || atomic_load(&s->failures) >= SOAK_MAX_FAILURES) _exit(0);
        soak_session(s, number);
    }
}

static bool all_parked(const soak *s, const pid_t *workers) {
    for (uint32_t i = 0; i < s->workers; i++)
        if (workers[i] && !atomic_load(&s->parked[i])) return false;
    return true;
}

/* How many go on. One that was ended by a signal is a fault of the client's library. */
static uint32_t collect(soak *s, pid_t *workers) {
    uint32_t n = 0;
    int state;
    for (uint32_t i = 0; i < s->workers; i++) {
        if (workers[i] && waitpid(workers[i], &state, WNOHANG) == workers[i]) {
            workers[i] = 0;
            if (state) soak_fail(s, "client %u ended with state 0x%x", i, (unsigned)state);
        }
        n += workers[i] != 0;
    }
    return n;
}

/* ---- The course of it -------------------------------------------------------------------------------------------- */

static void rest(soak *s, pid_t *workers) {
    atomic_store(&s->resting, true);
    while (!all_parked(s, workers)) {
        usleep(5000);
        collect(s, workers);
    }
    soak_places_rest(s);
    atomic_store(&s->resting, false);
}

static soak_disturbance choose(check_random *random) {
    static const int weights[] = {
#define ROW(name, weight, words) weight,
        SOAK_DISTURBANCES(ROW)
#undef ROW
    };
    int64_t at = 0;
    for (int i = 0; i < SOAK_DISTURBANCE_COUNT; i++) at += weights[i];
    at = check_between(random, 0, at - 1);
    int i = 0;
    while ((at -= weights[i]) >= 0) i++;
    return (soak_disturbance)i;
}

static void conduct(soak *s, pid_t *workers, uint64_t every) {
    check_random random = {s->seed * 0x9e3779b97f4a7c15u | 1};
    uint64_t next_rest = every, told = 0;
    double begin = now();
    while (collect(s, workers)) {
        usleep((useconds_t)check_between(&random, 10000, 1000000));
        soak_disturb(s, choose(&random), &random);
        soak_places_look(s);
        uint64_t at = atomic_load(&s->next);
        if (at < next_rest || at >= s->count) continue;
        rest(s, workers);
        next_rest = at + every;
        if (at / 1000 > told)
            fprintf(stderr, "rpc_soak: %llu sessions, %.0f s\n", (unsigned long long)at, now() - begin);
        told = at / 1000;
    }
    soak_places_rest(s);
    printf("%llu sessions, %.0f s\n", (unsigned long long)s->count, now() - begin);
}

static void report(const soak *s) {
    printf("%-22s %10s %10s\n", "sessions", "expected", "disturbed");
    for (size_t i = 0; i < soak_sorts(); i++)
        printf("  %-20s %10llu %10llu\n", soak_sort_name(i), (unsigned long long)s->tally[i][SOAK_AS_EXPECTED],
               (unsigned long long)s->tally[i][SOAK_DISTURBED]);
    soak_places_report(s);
    printf("failures: %u\n", (unsigned)s->failures);
    for (uint32_t i = 0; i < s->failures && i < SOAK_MAX_FAILURES; i++) printf("  %s\n", s->failure[i]);
}

static int usage(void) {
    fprintf(stderr, "usage: rpc_soak [--clear] [--workers N] [--every N] SEED SESSIONS\n");
    return 2;
}

int main(int argc, char **argv) {
    pid_t workers[SOAK_MAX_WORKERS] = {0};
    uint64_t every = 250;
    soak *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) return 1;
    s->workers = 6;
    s->with_key = true;
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        if (!strcmp(argv[i], "--clear"))
            s->with_key = false;
        else if (!strcmp(argv[i], "--workers") && i + 1 < argc)
            s->workers = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--every") && i + 1 < argc)
            every = strtoull(argv[++i], NULL, 10);
        else
            return usage();
    }
    if (argc - i != 2 || !s->workers || s->workers > SOAK_MAX_WORKERS || !every) return usage();
    s->seed = strtoull(argv[i], NULL, 10);
    s->count = strtoull(argv[i + 1], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    /* Of the servers: libuv closes descriptors where the thread sanitizer does not see it, and then their numbers
     * belong to another thread. */
    setenv("TSAN_OPTIONS", "die_after_fork=0:ignore_noninstrumented_modules=1", 0);
    soak_sessions_prepare();
    soak_places_begin(s);
    for (uint32_t w = 0; w < s->workers; w++)
        if ((workers[w] = fork()) == 0) work(s, w);
    conduct(s, workers, every);
    soak_places_end(s);
    report(s);
    return atomic_load(&s->failures) != 0;
}

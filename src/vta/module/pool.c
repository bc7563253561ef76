/* The thread pool behind TVMBackendParallelLaunch. Compiled code launches with no context in hand, so the pool is the
 * process's: as many threads as processors the process may use, the launching one included, made at the first launch.
 * One launch runs at a time; a launch from within a task runs its tasks in turn. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/fork.h"
#include "vta/module.h"

enum { MAX_THREADS = 64 };

/* One launch. */
typedef struct launch {
    FTVMParallelLambda lambda;
    void *data;
    int tasks;
    atomic_int next;    /* the next task that nobody has */
    atomic_int result;  /* the first failure */
    atomic_int arrived; /* at the barrier */
    atomic_uint round;  /* of the barrier */
    bool in_turn;
} launch;

static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER; /* one launch at a time */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* guards what follows */
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static launch *current;
static unsigned generation; /* counts launches */
static int busy;            /* workers inside the current launch */
static int workers;
static bool started, stopping;
static pthread_t threads[MAX_THREADS];
static _Thread_local bool inside_task;

static void run_tasks(launch *l) {
    inside_task = true;
    for (int task; (task = atomic_fetch_add(&l->next, 1)) < l->tasks;) {
        TVMParallelGroupEnv env = {.sync_handle = l, .num_task = l->tasks};
        int result = l->lambda(task, &env, l->data), none = 0;
        if (result) atomic_compare_exchange_strong(&l->result, &none, result);
    }
    inside_task = false;
}

static void *worker(void *unused) {
    (void)unused;
    unsigned seen = 0;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!stopping && (!current || generation == seen)) pthread_cond_wait(&work, &lock);
        if (stopping) break;
        seen = generation;
        launch *l = current;
        busy++;
        pthread_mutex_unlock(&lock);
        run_tasks(l);
        pthread_mutex_lock(&lock);
        if (--busy == 0) pthread_cond_signal(&idle);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int processors(void) {
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

/* Fewer threads than processors only cost time. */
static void start(void) {
    if (started) return;
    started = true;
    for (int want = processors() - 1; workers < want; workers++)
        if (pthread_create(&threads[workers], NULL, worker, NULL)) break;
}

__attribute__((destructor)) static void stop(void) {
    pthread_mutex_lock(&lock);
    stopping = true;
    int count = workers;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    if (inside_task) return; /* a task that ends the process does not wait for itself */
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

/* ---- fork ---- */

/* A task's thread cannot wait for the launch that it is part of; its child may only go on to exec. */
static void before_fork(void) {
    if (inside_task) return;
    pthread_mutex_lock(&launch_lock);
    pthread_mutex_lock(&lock);
}

static void in_parent(void) {
    if (inside_task) return;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&launch_lock);
}

static void in_child(void) {
    if (inside_task) { /* a thread that is not here may hold them */
        pthread_mutex_init(&launch_lock, NULL);
        pthread_mutex_init(&lock, NULL);
    }
    in_parent();
    pthread_cond_init(&work, NULL);
    pthread_cond_init(&idle, NULL);
    current = NULL;
    busy = workers = 0;
    started = stopping = false;
}

/* ORDER FORK: tasks use the runtime and names. */
__attribute__((constructor(VT_FORK_OUTER))) static void watch_forks(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}

/* All tasks in the calling thread, one after another. */
static int run_in_turn(FTVMParallelLambda lambda, void *data, int tasks) {
    launch l = {.tasks = tasks, .in_turn = tasks > 1};
    bool nested = inside_task;
    int result = 0;
    inside_task = true;
    for (int task = 0; task < tasks && !result; task++) {
        TVMParallelGroupEnv env = {.sync_handle = &l, .num_task = tasks};
        result = lambda(task, &env, data);
    }
    inside_task = nested;
    return result;
}

static int run_on_pool(FTVMParallelLambda lambda, void *data, int tasks) {
    launch l = {.lambda = lambda, .data = data, .tasks = tasks, .in_turn = tasks > workers + 1};
    pthread_mutex_lock(&lock);
    current = &l;
    generation++;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    run_tasks(&l);
    pthread_mutex_lock(&lock);
    current = NULL; /* a worker that comes late finds nothing */
    while (busy) pthread_cond_wait(&idle, &lock);
    pthread_mutex_unlock(&lock);
    return atomic_load(&l.result);
}

int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void *cdata, int num_task) {
    if (!flambda || num_task < 0) {
        TVMAPISetLastError("TVMBackendParallelLaunch: flambda is NULL or num_task is negative");
        return -1;
    }
    if (inside_task) return run_in_turn(flambda, cdata, num_task ? num_task : 1);
    pthread_mutex_lock(&launch_lock);
    start();
    int tasks = num_task ? num_task : workers + 1;
    int result = workers && tasks > 1 ? run_on_pool(flambda, cdata, tasks) : run_in_turn(flambda, cdata, tasks);
    pthread_mutex_unlock(&launch_lock);
    return result;
}

int TVMBackendParallelBarrier(int task_id, TVMParallelGroupEnv *penv) {
    (void)task_id;
    launch *l = penv ? penv->sync_handle : NULL;
    if (!l || l->in_turn) {
        TVMAPISetLastError("TVMBackendParallelBarrier: the launch has more tasks than threads, which cannot wait for "
                           "each other");
        return -1;
    }
    unsigned round = atomic_load(&l->round);
    if (atomic_fetch_add(&l->arrived, 1) + 1 == l->tasks) {
        atomic_store(&l->arrived, 0);
        atomic_fetch_add(&l->round, 1);
        return 0;
    }
    while (atomic_load(&l->round) == round) sched_yield();
    return 0;
}

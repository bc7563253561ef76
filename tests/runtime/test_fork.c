/* fork while other threads use the runtime: parent and child go on, with the same buffers and runtimes. A child that
 * hangs is ended by an alarm that is far away. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

#include "runtime/runtime_priv.h"
#include "vta/isa.h"
#include "vta/module.h"
#include "vta/runtime.h"

enum { THREADS = 4, FORKS = 60, COUNT = 4, LANES = 16, HANG = 100 /* seconds */ };

static atomic_bool stop;
static atomic_int programs, failures;

static int add_signature(void *signature) {
    int32_t value;
    memcpy(&value, signature, sizeof value);
    VTAUopLoopBegin(COUNT, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, value);
    VTAUopLoopEnd();
    return 0;
}

/* out = 5 + value in every element, on the calling thread's runtime; false when it is not. */
static bool program(int32_t value) {
    static _Thread_local void *site;
    int32_t acc[COUNT * LANES];
    int8_t out[COUNT * LANES] = {0};
    for (int i = 0; i < COUNT * LANES; i++) acc[i] = 5;
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out);
    VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
    VTALoadBuffer2D(cmd, from, 0, COUNT, 1, COUNT, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTAPushALUOp(&site, add_signature, &value, sizeof value);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, COUNT, 1, COUNT);
    VTASynchronize(cmd, 0);
    VTABufferCopy(to, 0, out, 0, sizeof out, 2);
    VTABufferFree(from);
    VTABufferFree(to);
    bool fine = !vta_last_error(cmd);
    for (int i = 0; i < COUNT * LANES; i++) fine = fine && out[i] == 5 + value;
    return fine;
}

static int count_task(int task, TVMParallelGroupEnv *env, void *data) {
    (void)env;
    atomic_fetch_add((atomic_int *)data, task + 1);
    return 0;
}

/* 1 + 2 + ... + 8, by the thread pool. */
static bool launch(void) {
    atomic_int sum = 0;
    return TVMBackendParallelLaunch(count_task, &sum, 8) == 0 && atomic_load(&sum) == 36;
}

static int registered(TVMValue *args, int *codes, int n, TVMValue *ret, int *ret_code, void *resource) {
    (void)args, (void)codes, (void)n, (void)ret, (void)ret_code, (void)resource;
    return 0;
}

static bool everything(int32_t value) {
    TVMFunctionHandle handle;
    return program(value) && launch() && vta_function_register("forks", registered, NULL) == VTA_OK &&
           TVMBackendGetFuncFromEnv(NULL, "forks", &handle) == 0;
}

static void *work(void *arg) {
    vta_runtime *own = NULL;
    if (arg && vta_runtime_create(NULL, "sim", NULL, NULL, NULL, &own) == VTA_OK) vta_runtime_use(own);
    while (!atomic_load(&stop)) {
        if (!everything((int32_t)(atomic_fetch_add(&programs, 1) % 50))) atomic_fetch_add(&failures, 1);
        if (!arg && atomic_load(&programs) % 16 == 0) { /* runtimes come and go, too */
            vta_runtime *brief;
            if (vta_runtime_create(NULL, "sim", NULL, NULL, NULL, &brief) == VTA_OK) vta_runtime_destroy(brief);
        }
    }
    if (own) vta_runtime_destroy(own);
    return NULL;
}

/* What a child found, in its exit code. */
static void child(vta_runtime *inherited) {
    alarm(HANG);
    bool fine = true;
    for (int round = 0; round < 3; round++) fine = fine && everything(round);
    vta_runtime_use(inherited); /* made before the fork, used by a thread that the child has not */
    fine = fine && everything(7);
    vta_runtime_use(NULL);
    pid_t pid = fork(); /* and a child's child */
    if (!pid) _exit(everything(9) ? 0 : 1);
    int status;
    waitpid(pid, &status, 0);
    fine = fine && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    _exit(fine ? 0 : 1);
}

TEST_CASE(test_fork_among_threads) {
    pthread_t threads[THREADS];
    vta_runtime *shared;
    assert_int_equal(vta_runtime_create(NULL, "sim", NULL, NULL, NULL, &shared), VTA_OK);
    assert_true(everything(1));
    for (long i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i % 2)), 0);
    for (int n = 0; n < FORKS; n++) {
        pid_t pid = fork();
        if (!pid) child(shared);
        int status;
        assert_true(everything(n % 40));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (WIFSIGNALED(status))
            fail_msg("child %d: %s", n, WTERMSIG(status) == SIGALRM ? "hangs" : "ended by a signal");
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&failures), 0);
    vta_runtime_destroy(shared);
}

/* From within a call of the runtime: the sink of its messages is called with the runtime held. Parent and child both
 * return into the call, hold the runtime until it is over, and can go on after it. */
static pid_t forked_inside = -1;
static bool held_inside;

static void fork_in_sink(void *runtime, const char *text, size_t size) {
    (void)text, (void)size;
    if (forked_inside >= 0) return;
    forked_inside = fork();
    if (!forked_inside) alarm(HANG);
    held_inside = pthread_mutex_lock(&(*(vta_runtime **)runtime)->lock) == EDEADLK;
}

TEST_CASE(test_fork_from_inside) {
    vta_runtime *runtime;
    vta_runtime_options options = {.debug = 2, .sink = {.write = fork_in_sink, .ctx = &runtime}};
    assert_int_equal(vta_runtime_create(NULL, "sim", &options, NULL, NULL, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    bool fine = program(3) && held_inside && program(4);
    if (!forked_inside) _exit(fine ? 0 : 1);
    assert_true(fine && forked_inside > 0);
    int status;
    assert_int_equal(waitpid(forked_inside, &status, 0), forked_inside);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    vta_runtime_destroy(runtime);
}

int main(void) { return run_cases(); }

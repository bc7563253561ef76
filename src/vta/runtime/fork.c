/* fork while other threads use the runtime: it waits for what they do in it, device runs included. Locks are taken as
 * everywhere: the default runtime's, the list of runtimes, each runtime, the tables of handles. */
#include "runtime/fork.h"

#include <errno.h>

#include "runtime/command.h"
#include "runtime/process.h"

static vt_handles *const tables[] = {&vt_buffers, &vt_commands, &vt_devices};
enum { TABLES = sizeof tables / sizeof *tables };

void vt_runtimes_before_fork(void) {
    vt_process_lock();
    /* A runtime that the calling thread holds itself, being called back from it, is left as it is. */
    for (vta_runtime *r = vt_process_runtimes(); r; r = r->next_of_process)
        r->forks_inside = pthread_mutex_lock(&r->lock) == EDEADLK;
    for (int i = 0; i < TABLES; i++) pthread_mutex_lock(&tables[i]->lock);
}

void vt_runtimes_after_fork_in_parent(void) {
    for (int i = TABLES; i-- > 0;) pthread_mutex_unlock(&tables[i]->lock);
    for (vta_runtime *r = vt_process_runtimes(); r; r = r->next_of_process)
        if (!r->forks_inside) pthread_mutex_unlock(&r->lock);
    vt_process_unlock();
}

static bool is_mine(const vt_command *command) {
    const vt_command *c = vt_this_thread.commands;
    while (c && c != command) c = c->next_of_thread;
    return c != NULL;
}

/* The streams of threads that the child does not have never end: nothing waits for them. A runtime's lock is made anew,
 * since it knows its owner by a number that is another one here. */
void vt_runtimes_after_fork_in_child(void) {
    for (int i = TABLES; i-- > 0;) pthread_mutex_unlock(&tables[i]->lock);
    for (vta_runtime *r = vt_process_runtimes(); r; r = r->next_of_process) {
        vt_runtime_init_lock(r);
        for (vt_command *c = r->commands; c; c = c->next_of_runtime)
            if (!is_mine(c)) c->epoch = 0;
        if (r->forks_inside) pthread_mutex_lock(&r->lock);
    }
    vt_process_unlock();
}

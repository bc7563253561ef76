#include "runtime/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/versioned.h"
#include "runtime/command.h"
#include "runtime/fork.h"

_Thread_local vt_thread vt_this_thread;
_Atomic(vta_runtime *) vt_default_runtime;
_Atomic uint64_t vt_site_count;
vt_handles vt_buffers = {.lock = PTHREAD_MUTEX_INITIALIZER};
vt_handles vt_commands = {.lock = PTHREAD_MUTEX_INITIALIZER};
vt_handles vt_devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the making and replacing of the default */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;    /* guards the list of runtimes */
static vta_runtime *runtimes;
static pthread_key_t thread_key;
static bool have_thread_key;

static void thread_ends(void *unused) {
    (void)unused;
    vt_thread *t = &vt_this_thread;
    while (t->commands) {
        vt_command *command = t->commands;
        t->commands = command->next_of_thread;
        vt_command_destroy(command);
    }
    if (t->chosen) vt_runtime_release(t->chosen);
    vt_free(NULL, t->report, sizeof *t->report);
    *t = (vt_thread){0};
}

__attribute__((constructor(VT_FORK_INNER))) static void library_begins(void) {
    pthread_atfork(vt_runtimes_before_fork, vt_runtimes_after_fork_in_parent, vt_runtimes_after_fork_in_child);
    vt_buffers.base = vt_handle_base(VT_HANDLE_BUFFER);
    vt_commands.base = vt_handle_base(VT_HANDLE_COMMAND);
    vt_devices.base = vt_handle_base(VT_HANDLE_DEVICE);
    have_thread_key = pthread_key_create(&thread_key, thread_ends) == 0;
}

/* A capture file is written, and a leak checker kept quiet, when the process ends in order. */
__attribute__((destructor)) static void library_ends(void) {
    thread_ends(NULL);
    vta_runtime *runtime = atomic_exchange(&vt_default_runtime, NULL);
    if (runtime) vt_runtime_release(runtime);
    if (have_thread_key) pthread_key_delete(thread_key);
}

static void register_thread(void) {
    vt_thread *t = &vt_this_thread;
    if (t->registered || !have_thread_key) return;
    t->registered = pthread_setspecific(thread_key, t) == 0;
}

vt_report *vt_thread_report(void) {
    vt_thread *t = &vt_this_thread;
    if (!t->report) t->report = vt_alloc_zero(NULL, sizeof *t->report);
    register_thread();
    return t->report;
}

static void report_diag(const char *what, vta_diag *diag) {
    vt_report *report = vt_thread_report();
    if (!report) return;
    char line[VT_REPORT_BYTES / 2];
    snprintf(line, sizeof line, "%s: %s", what, vt_diag_reason(diag));
    vt_report_line(report, vt_report_reason(diag).status, line);
}

/* ---- All runtimes, for fork -------------------------------------------------------------------------------- */

void vt_process_add(vta_runtime *runtime) {
    pthread_mutex_lock(&list_lock);
    runtime->next_of_process = runtimes;
    runtimes = runtime;
    pthread_mutex_unlock(&list_lock);
}

void vt_process_remove(vta_runtime *runtime) {
    pthread_mutex_lock(&list_lock);
    vta_runtime **link = &runtimes;
    while (*link && *link != runtime) link = &(*link)->next_of_process;
    if (*link) *link = runtime->next_of_process;
    pthread_mutex_unlock(&list_lock);
}

vta_runtime *vt_process_runtimes(void) { return runtimes; }

void vt_process_lock(void) {
    pthread_mutex_lock(&default_lock);
    pthread_mutex_lock(&list_lock);
}

void vt_process_unlock(void) {
    pthread_mutex_unlock(&list_lock);
    pthread_mutex_unlock(&default_lock);
}

const char *vt_process_capture(void) { return vt_environment(VT_ENV_VTA_CAPTURE); /* set by `vta capture` */ }

/* $VTA_CAPTURE_ERRORS is the number of a pipe: a file might not be written either, on a disk that is full. */
void vt_process_capture_failed(const char *why) {
    const char *number = vt_environment(VT_ENV_VTA_CAPTURE_ERRORS);
    int fd = number ? atoi(number) : 0;
    if (fd > STDERR_FILENO && write(fd, why, strlen(why)) < 0) return; /* nobody listens any more */
}

/* ---- The default runtime ----------------------------------------------------------------------------------- */

static vta_runtime *make_default(vta_diag *diag) {
    vta_runtime *runtime;
    return vta_runtime_create(NULL, NULL, NULL, NULL, diag, &runtime) == VTA_OK ? runtime : NULL;
}

static vta_runtime *acquire_default(vta_diag *diag) {
    pthread_mutex_lock(&default_lock);
    vta_runtime *runtime = atomic_load(&vt_default_runtime);
    if (!runtime) {
        runtime = make_default(diag);
        atomic_store(&vt_default_runtime, runtime);
    }
    if (runtime) vt_runtime_retain(runtime);
    pthread_mutex_unlock(&default_lock);
    return runtime;
}

static vta_runtime *acquire(vta_diag *diag) {
    vta_runtime *chosen = vt_this_thread.chosen;
    if (!chosen) return acquire_default(diag);
    if (atomic_load(&chosen->retired)) {
        vt_fail(diag, VTA_INVALID_ARGUMENT,
                "the runtime that this thread chose was destroyed; vta_runtime_use(NULL) goes back to the default");
        return NULL;
    }
    vt_runtime_retain(chosen);
    return chosen;
}

vta_runtime *vt_runtime_acquire(void) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime = acquire(diag);
    if (!runtime) report_diag("no runtime", diag);
    vta_diag_destroy(diag);
    return runtime;
}

vta_runtime *vta_runtime_current(void) {
    vta_runtime *runtime = vt_runtime_acquire();
    if (runtime) vt_runtime_release(runtime); /* the thread's choice or the process keeps it */
    return runtime;
}

static void retire(vta_runtime *runtime) {
    atomic_store(&runtime->retired, true);
    vt_thread_drop_commands(runtime);
    vt_runtime_release(runtime);
}

void vta_runtime_destroy(vta_runtime *runtime) {
    if (!runtime) return;
    if (vt_this_thread.chosen == runtime) vta_runtime_use(NULL);
    retire(runtime);
}

vta_status vta_runtime_reconfigure(const vta_config *config, const char *driver, const vta_runtime_options *options,
                                   vta_diag *diag) {
    if (vt_this_thread.command && vt_this_thread.command->recording)
        return vt_fail(diag, VTA_ILLEGAL, "vta_runtime_reconfigure inside a finit");
    vta_runtime *runtime;
    vta_runtime_options chosen;
    VT_TRY(vt_options_read(&chosen, sizeof chosen, options, "vta_runtime_options", diag));
    if (!chosen.capture) chosen.capture = vt_process_capture(); /* programs begin by choosing their configuration */
    VT_TRY(vta_runtime_create(config, driver, &chosen, NULL, diag, &runtime));
    pthread_mutex_lock(&default_lock);
    vta_runtime *old = atomic_exchange(&vt_default_runtime, runtime);
    pthread_mutex_unlock(&default_lock);
    if (old) retire(old);
    return VTA_OK;
}

/* ---- The calling thread ------------------------------------------------------------------------------------ */

void vta_runtime_use(vta_runtime *runtime) {
    vt_thread *t = &vt_this_thread;
    if (runtime) vt_runtime_retain(runtime);
    if (t->chosen) vt_runtime_release(t->chosen);
    t->chosen = runtime;
    register_thread();
}

static void forget_command(vt_thread *t, vt_command *command) {
    if (t->command != command) return;
    t->command = NULL;
    t->handle = NULL;
}

void vt_thread_drop_commands(const vta_runtime *runtime) {
    vt_thread *t = &vt_this_thread;
    for (vt_command **link = &t->commands; *link;) {
        vt_command *command = *link;
        bool drop = runtime ? command->runtime == runtime : atomic_load(&command->runtime->retired);
        if (!drop || command->recording) { /* inside its finit: later */
            link = &command->next_of_thread;
            continue;
        }
        *link = command->next_of_thread;
        forget_command(t, command);
        vt_command_destroy(command);
    }
}

static vt_command *use_command(vt_thread *t, vt_command *command) {
    t->command = command;
    t->handle = (void *)atomic_load_explicit(&command->slot->handle, memory_order_relaxed);
    return command;
}

static vt_command *find_or_make(vta_diag *diag) {
    vt_thread *t = &vt_this_thread;
    vt_thread_drop_commands(NULL);
    vta_runtime *runtime = acquire(diag);
    if (!runtime) return NULL;
    for (vt_command *c = t->commands; c; c = c->next_of_thread) {
        if (c->runtime != runtime) continue;
        vt_runtime_release(runtime);
        return use_command(t, c);
    }
    vt_command *command;
    if (vt_command_create(runtime, diag, &command) != VTA_OK) {
        vt_runtime_release(runtime);
        return NULL;
    }
    command->next_of_thread = t->commands;
    t->commands = command;
    register_thread();
    return use_command(t, command);
}

vt_command *vt_thread_command(void) {
    const vt_thread *t = &vt_this_thread;
    const vta_runtime *wanted = t->chosen ? t->chosen : atomic_load_explicit(&vt_default_runtime, memory_order_acquire);
    if (t->command && t->command->runtime == wanted && !atomic_load_explicit(&wanted->retired, memory_order_relaxed))
        return t->command;
    vta_diag *diag = vta_diag_create(NULL);
    vt_command *command = find_or_make(diag);
    if (!command) report_diag("no command handle", diag);
    vta_diag_destroy(diag);
    return command;
}

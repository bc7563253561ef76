/* The one place with process-wide and per-thread state, which the original's interface forces: its calls name no
 * runtime, and some of them no command handle. */
#ifndef VT_RUNTIME_PROCESS_H
#define VT_RUNTIME_PROCESS_H

#include "runtime/handle.h"
#include "runtime/report.h"
#include "runtime/runtime_priv.h"

/* What a thread has. */
typedef struct vt_thread {
    void *handle;         /* of `command`: the fast way from a handle to its command */
    vt_command *command;  /* the one used last */
    vta_runtime *chosen;  /* by vta_runtime_use; NULL: the process's default */
    vt_command *commands; /* all of this thread */
    vt_report *report;    /* failures of calls that no command handle can be found for */
    bool registered;      /* vt__thread_ends will be called */
} vt_thread;

extern _Thread_local vt_thread vt_this_thread __attribute__((tls_model("initial-exec")));
extern _Atomic(vta_runtime *) vt_default_runtime;
extern vt_handles vt_buffers, vt_commands, vt_devices;
extern _Atomic uint64_t vt_site_count; /* call sites numbered so far */

/* The calling thread's runtime with a reference for the caller; NULL after reporting why there is none. */
vta_runtime *vt_runtime_acquire(void);
/* The calling thread's command handle on its runtime, made if need be; NULL after reporting why there is none. */
vt_command *vt_thread_command(void);
/* Drops the calling thread's handles on a runtime; NULL: on all that were retired. */
void vt_thread_drop_commands(const vta_runtime *runtime);
/* Where a call without a command handle reports; NULL when there is no memory for it. */
vt_report *vt_thread_report(void);

#endif

/* The runtime's process-wide and per-thread state, which the interface of TVM's VTA forces: its calls name no
 * runtime, and some of them no command handle. */
#ifndef VT_RUNTIME_PROCESS_H
#define VT_RUNTIME_PROCESS_H

#include "runtime/handle.h"
#include "runtime/report.h"
#include "runtime/runtime_priv.h"

/* Calls look at the thread's state each time, so the library's thread-local storage is laid out when the process starts
 * (a few words, for which the loader keeps room). Not under sanitizers: their checks for null test the flags of an
 * addition that the linker turns into one which sets none. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VT_QUICK_TLS
#else
#define VT_QUICK_TLS __attribute__((tls_model("initial-exec")))
#endif

/* Buffers whose contents the host accessed, by address. */
enum { VT_MAX_TOUCHED = 16 };
typedef struct vt_touched {
    bool watching;
    uint32_t count; /* may be more than are kept */
    uint32_t addr[VT_MAX_TOUCHED];
} vt_touched;

/* What a thread has. */
typedef struct vt_thread {
    void *handle;         /* of `command`: the fast way from a handle to its command */
    vt_command *command;  /* the one used last */
    vta_runtime *chosen;  /* by vta_runtime_use; NULL: the process's default */
    vt_command *commands; /* all of this thread */
    vt_report *report;    /* failures of calls that no command handle can be found for */
    bool registered;      /* what it has is freed when it ends */
    vt_touched touched;   /* by the host, while a recording in memory goes on */
} vt_thread;

extern _Thread_local vt_thread vt_this_thread VT_QUICK_TLS;
extern _Atomic(vta_runtime *) vt_default_runtime;
extern vt_handles vt_buffers, vt_commands, vt_devices;
extern _Atomic uint64_t vt_site_count; /* call sites numbered so far */

/* The calling thread's runtime with a reference for the caller; NULL after reporting why there is none. */
vta_runtime *vt_runtime_acquire(void);
/* The calling thread's command handle on its runtime, made if need be; NULL after reporting why there is none. */
vt_command *vt_thread_command(void);
/* Drops the calling thread's handles on a runtime; NULL: on all that were retired. */
void vt_thread_drop_commands(const vta_runtime *runtime);
/* All runtimes of the process; the list is as long as it is locked what it was. Locking holds the making of the default
 * runtime too. */
void vt_process_add(vta_runtime *runtime);
void vt_process_remove(vta_runtime *runtime);
vta_runtime *vt_process_runtimes(void);
void vt_process_lock(void);
void vt_process_unlock(void);
/* The file that the environment asks all runtimes to be recorded in; NULL: none. */
const char *vt_process_capture(void);
/* Tells the process that asked for the recording (`vta capture`) why it could not be written. */
void vt_process_capture_failed(const char *why);
/* Where a call without a command handle reports; NULL when there is no memory for it. */
vt_report *vt_thread_report(void);

#endif

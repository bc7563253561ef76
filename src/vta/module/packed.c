/* Calls in the packed calling convention, and the functions that code inside modules finds by name. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "module/module_priv.h"
#include "runtime/command.h"
#include "runtime/fork.h"
#include "vta/tvm.h"

/* ---- The last error ---------------------------------------------------------------------------------------- */

enum { ERROR_BYTES = 1024 };
static _Thread_local char last_error[ERROR_BYTES];

void TVMAPISetLastError(const char *msg) { snprintf(last_error, sizeof last_error, "%s", msg ? msg : ""); }

const char *TVMGetLastError(void) { return last_error; }

/* ---- Calls ------------------------------------------------------------------------------------------------- */

/* What the runtime had reported when a call began. */
typedef struct mark {
    const vt_report *thread, *command;
    vt_report_mark thread_mark, command_mark;
} mark;

static mark mark_reports(void) {
    const vt_thread *t = &vt_this_thread;
    mark m = {t->report, t->command ? &t->command->report : NULL, {0}, {0}};
    if (m.thread) m.thread_mark = vt_report_here(m.thread);
    if (m.command) m.command_mark = vt_report_here(m.command);
    return m;
}

/* Adds what the runtime has reported since; true when there is something. */
static bool add_reports(const mark *m, vta_diag *diag) {
    static const vt_report_mark start = {0};
    const vt_thread *t = &vt_this_thread;
    const vt_report *command = t->command ? &t->command->report : NULL;
    const char *text = command ? vt_report_since(command, command == m->command ? m->command_mark : start) : NULL;
    if (!text && t->report) text = vt_report_since(t->report, t->report == m->thread ? m->thread_mark : start);
    if (text) vt_fail(diag, VTA_ILLEGAL, "%s", text);
    return text != NULL;
}

bool vt__host_stopped(void) { return __atomic_load_n(&vta_host_stop, __ATOMIC_RELAXED) != 0; }

vta_status vta_function_call(vta_packed_function function, const TVMValue *args, const int *type_codes, int num_args,
                             vta_diag *diag, TVMValue *out_value, int *out_type_code) {
    TVMValue value = {0};
    int code = VTA_ARG_NULL;
    if (out_value) *out_value = value;
    if (out_type_code) *out_type_code = code;
    if (!function) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_function_call: function is NULL");
    if (num_args < 0 || (num_args && (!args || !type_codes)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_function_call: %d arguments, but args or type_codes is NULL",
                       num_args);
    last_error[0] = '\0';
    mark before = mark_reports();
    int result = function((TVMValue *)args, (int *)type_codes, num_args, &value, &code, NULL);
    bool reported = add_reports(&before, diag), stopped = result && vt__host_stopped();
    if (stopped) vt_fail(diag, VTA_INTERRUPTED, "interrupted");
    if (result && !stopped && (last_error[0] || !reported))
        vt_fail(diag, VTA_ILLEGAL, "%s", last_error[0] ? last_error : "the function failed and gave no reason");
    if (result || reported) {
        /* What the call has recorded is half a kernel. */
        if (vt_this_thread.command && !vt_this_thread.command->recording) vt_command_drop(vt_this_thread.command);
        return stopped ? VTA_INTERRUPTED : VTA_ILLEGAL;
    }
    if (out_value) *out_value = value;
    if (out_type_code) *out_type_code = code;
    return VTA_OK;
}

static vta_status call_with(vta_packed_function function, DLTensor *const *tensors, int count, TVMValue *args,
                            int *codes, vta_diag *diag) {
    for (int i = 0; i < count; i++) {
        args[i] = (TVMValue){.v_handle = tensors[i]};
        codes[i] = VTA_ARG_TENSOR;
    }
    return vta_function_call(function, args, codes, count, diag, NULL, NULL);
}

vta_status vta_function_call_tensors(vta_packed_function function, DLTensor *const *tensors, int count,
                                     vta_diag *diag) {
    enum { FEW = 32 }; /* for which no memory is asked for */
    TVMValue few[FEW];
    int codes[FEW];
    if (count < 0 || (count && !tensors))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_function_call_tensors: %d tensors at %p", count,
                       (const void *)tensors);
    if (count <= FEW) return call_with(function, tensors, count, few, codes, diag);
    size_t bytes = (size_t)count * (sizeof(TVMValue) + sizeof(int));
    TVMValue *args = vt_alloc(NULL, bytes);
    if (!args) return vt_no_memory(diag);
    vta_status status = call_with(function, tensors, count, args, (int *)(args + count), diag);
    vt_free(NULL, args, bytes);
    return status;
}

/* ---- Functions by name ------------------------------------------------------------------------------------- */

/* Calls by name have no context to look in: the names are the process's. A handle is the address of an entry, which is
 * never freed, so that a handle kept by a module stays good; removing a function leaves it without an address. */
typedef struct named {
    struct named *next;
    _Atomic(vta_packed_function) function;
    char name[];
} named;

static named *names;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

static named *find_named(const char *name) {
    for (named *n = names; n; n = n->next)
        if (!strcmp(n->name, name)) return n;
    return NULL;
}

static named *add_named(const char *name) {
    size_t length = strlen(name);
    named *n = vt_alloc_zero(NULL, sizeof *n + length + 1);
    if (!n) return NULL;
    memcpy(n->name, name, length);
    n->next = names;
    names = n;
    return n;
}

static void before_fork(void) { pthread_mutex_lock(&names_lock); }
static void after_fork(void) { pthread_mutex_unlock(&names_lock); } /* in the child it is this thread's, too */

/* ORDER FORK: tasks of the pool look names up. */
__attribute__((constructor(VT_FORK_INNER))) static void watch_forks(void) {
    pthread_atfork(before_fork, after_fork, after_fork);
}

vta_status vta_function_register(const char *name, vta_packed_function function, vta_diag *diag) {
    if (!name || !*name) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_function_register: the name is empty");
    pthread_mutex_lock(&names_lock);
    named *n = find_named(name);
    if (!n && function) n = add_named(name);
    if (n) atomic_store(&n->function, function);
    pthread_mutex_unlock(&names_lock);
    return n || !function ? VTA_OK : vt_no_memory(diag);
}

int TVMBackendGetFuncFromEnv(void *mod_node, const char *func_name, TVMFunctionHandle *out) {
    (void)mod_node;
    if (!func_name || !out) {
        TVMAPISetLastError("TVMBackendGetFuncFromEnv: func_name or out is NULL");
        return -1;
    }
    pthread_mutex_lock(&names_lock);
    named *n = find_named(func_name);
    pthread_mutex_unlock(&names_lock);
    *out = n && atomic_load(&n->function) ? n : NULL;
    if (*out) return 0;
    char text[ERROR_BYTES];
    snprintf(text, sizeof text, "no function '%s' is registered (vta_function_register)", func_name);
    TVMAPISetLastError(text);
    return -1;
}

int TVMFuncGetGlobal(const char *name, TVMFunctionHandle *out) {
    int code = TVMBackendGetFuncFromEnv(NULL, name, out);
    return name && out ? 0 : code;
}

/* ---- Functions of modules ---------------------------------------------------------------------------------- */

/* What a program holds by TVMModGetFunction: entries without a name, which end with TVMFuncFree. */
static named *held;

vta_status vt__function_hold(vta_packed_function function, vta_diag *diag, TVMFunctionHandle *out) {
    named *n = vt_alloc_zero(NULL, sizeof *n + 1);
    *out = n;
    if (!n) return vt_no_memory(diag);
    atomic_store(&n->function, function);
    pthread_mutex_lock(&names_lock);
    n->next = held;
    held = n;
    pthread_mutex_unlock(&names_lock);
    return VTA_OK;
}

int TVMFuncFree(TVMFunctionHandle func) {
    pthread_mutex_lock(&names_lock);
    named **at = &held;
    while (*at && *at != func) at = &(*at)->next;
    named *n = *at;
    if (n) *at = n->next;
    pthread_mutex_unlock(&names_lock);
    vt_free(NULL, n, sizeof *n + 1);
    return 0;
}

static bool is_among(const named *list, const void *handle) {
    while (list && list != handle) list = list->next;
    return list != NULL;
}

/* The function of a handle, NULL when there is none, and whether a program holds it. */
static vta_packed_function function_of(TVMFunctionHandle handle, bool *out_held) {
    pthread_mutex_lock(&names_lock);
    *out_held = is_among(held, handle);
    bool found = *out_held || is_among(names, handle);
    vta_packed_function function = found ? atomic_load(&((named *)handle)->function) : NULL;
    pthread_mutex_unlock(&names_lock);
    return function;
}

void vt__last_error_of(vta_diag *diag, vta_status status) {
    vta_diag_entry entry;
    bool words = vta_diag_get(diag, 0, &entry) == VTA_OK;
    TVMAPISetLastError(words ? entry.message : vta_status_text(status));
}

/* A call from outside of kernels: what the runtime reports during it is an error, too. */
static int call_held(vta_packed_function function, TVMValue *args, int *type_codes, int num_args, TVMValue *ret_val,
                     int *ret_type_code) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_function_call(function, args, type_codes, num_args, diag, ret_val, ret_type_code);
    if (status != VTA_OK) vt__last_error_of(diag, status);
    vta_diag_destroy(diag);
    return status == VTA_OK ? 0 : -1;
}

int TVMFuncCall(TVMFunctionHandle func, TVMValue *args, int *type_codes, int num_args, TVMValue *ret_val,
                int *ret_type_code) {
    bool is_held;
    vta_packed_function function = function_of(func, &is_held);
    if (!function) {
        TVMAPISetLastError("TVMFuncCall: the handle is not a function's, or the function was removed");
        return -1;
    }
    if (is_held) return call_held(function, args, type_codes, num_args, ret_val, ret_type_code);
    TVMValue value = {0};
    int code = VTA_ARG_NULL;
    return function(args, type_codes, num_args, ret_val ? ret_val : &value, ret_type_code ? ret_type_code : &code,
                    NULL);
}

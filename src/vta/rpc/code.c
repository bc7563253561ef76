/* Modules and functions of a session. */
#include <stdio.h>
#include <string.h>

#include "module/module.h"
#include "rpc/session.h"

void vt__session_call_begins(vt_rpc_session *s) { atomic_store(&s->page->call_started, vt__rpc_now()); }

void vt__session_call_ends(vt_rpc_session *s, uint64_t calls) {
    atomic_store(&s->page->call_started, 0);
    atomic_fetch_add(&s->page->calls, calls);
}

vta_status vt__session_load(vt_rpc_session *s, const char *name, uint64_t *out_module) {
    char path[VT_RPC_PATH_BYTES];
    vt_rpc_object object = {.kind = VT_RPC_MODULE};
    VT_TRY(vt__session_path(s, name, sizeof path, path));
    vt__session_call_begins(s); /* an object may have code that runs when it is loaded */
    vta_status status = vta_module_load(path, s->objects.allocator, s->diag, &object.u.module);
    vt__session_call_ends(s, 0);
    if (status != VTA_OK) return status;
    status = vt__objects_add(&s->objects, object, s->diag, out_module);
    if (status != VTA_OK) vta_module_destroy(object.u.module);
    return status;
}

vta_status vt__session_function(vt_rpc_session *s, uint64_t module, const char *name, uint64_t *out_function,
                                const char **out_signature) {
    vt_rpc_object *from, object = {.kind = VT_RPC_CODE, .owner = module};
    VT_TRY(vt__objects_get(&s->objects, module, VT_RPC_MODULE, s->diag, &from));
    if (!strcmp(name, "__tvm_main__")) VT_TRY(vt_module_entry(from->u.module, s->diag, &name));
    VT_TRY(vta_module_function(from->u.module, name, s->diag, &object.u.code));
    if (out_signature) *out_signature = vt_module_signature_text(from->u.module, name);
    return vt__objects_add(&s->objects, object, s->diag, out_function);
}

vta_status vt__session_call(vt_rpc_session *s, vta_packed_function f, TVMValue *args, int *codes, int count,
                            TVMValue *out_value, int *out_code) {
    vt__session_call_begins(s);
    vta_status status = vta_function_call(f, args, codes, count, s->diag, out_value, out_code);
    vt__session_call_ends(s, 1);
    return status;
}

vta_status vt__session_time(vt_rpc_session *s, const vt_rpc_timer *timer, TVMValue *args, int *codes, int count,
                            double *out_seconds) {
    if (!timer->number || !timer->repeat || timer->repeat > VT_RPC_MAX_ROUNDS || timer->min_repeat_ms > 1000000)
        return vt_fail(s->diag, VTA_OUT_OF_RANGE,
                       "time evaluator: number %u, repeat %u, min_repeat_ms %u; at least 1, 1 to %d, at most 1000000",
                       timer->number, timer->repeat, timer->min_repeat_ms, VT_RPC_MAX_ROUNDS);
    vt__session_call_begins(s);
    const vt_timed f = {timer->function, args, codes, count};
    vta_status status = vt_function_time(&f, timer->number, timer->repeat, timer->min_repeat_ms, s->diag, out_seconds);
    vt__session_call_ends(s, timer->repeat);
    return status;
}

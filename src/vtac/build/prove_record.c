/* One call of a compiled function, recorded in memory: in a thread of its own, because the runtime that a thread has
 * chosen is its caller's business. */
#include <pthread.h>
#include <string.h>

#include "base/diag.h"
#include "build/prove.h"
#include "vta/runtime.h"

typedef struct job {
    const vt_proof *proof;
    vta_packed_function function;
    uint32_t *addrs;
    vta_diag *diag;
    vt_recording *out;
    vta_status status;
} job;

static vta_status make_arrays(job *j, vt_checking *k) {
    for (size_t i = 0; i < k->n; i++) {
        VT_TRY(vt_checking_operand(k, i, j->proof->args[i], kDLExtDev));
        k->dl[i] = vta_array_tensor(k->operands[i].array);
        VT_TRY(vta_buffer_info(k->dl[i]->data, NULL, &j->addrs[i]));
    }
    return VTA_OK;
}

static vta_status call(job *j, vt_checking *k, vta_runtime *runtime) {
    VT_TRY(make_arrays(j, k));
    VT_TRY(vta_runtime_record(runtime, j->diag));
    vta_status status = vta_function_call_tensors(j->function, k->dl, (int)k->n, j->diag);
    j->out->failed = status != VTA_OK;
    VT_TRY(status);
    return vta_runtime_recorded(runtime, VT_TOUCHED, j->diag, &j->out->program, j->out->touched,
                                &j->out->touched_count);
}

/* On a device that computes nothing: the stream is all that is wanted. */
static vta_status record(job *j) {
    const vt_proof *p = j->proof;
    vta_runtime *runtime;
    vt_checking k = {.c = p->c, .diag = j->diag, .allocator = p->allocator, .n = p->n};
    VT_TRY(vta_runtime_create(te_context_config(p->c), "null", NULL, p->allocator, j->diag, &runtime));
    vta_runtime_use(runtime);
    vta_status status = vt_checking_make(&k) ? call(j, &k, runtime) : vt_no_memory(j->diag);
    vt_checking_free(&k);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    return status;
}

static void *thread(void *user) {
    job *j = user;
    j->status = record(j);
    return NULL;
}

vta_status vt_prove_record(const vt_proof *p, vta_packed_function function, uint32_t addrs[], vta_diag *diag,
                           vt_recording *out) {
    *out = (vt_recording){0};
    job j = {.proof = p, .function = function, .addrs = addrs, .diag = diag, .out = out};
    pthread_t id;
    if (pthread_create(&id, NULL, thread, &j) != 0)
        return vt_fail(diag, VTA_NO_MEMORY, "no thread can be made for the recording");
    pthread_join(id, NULL);
    return j.status;
}

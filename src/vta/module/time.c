/* Seconds of calls, in rounds. */

#include "base/alloc.h"
#include "base/clock.h"
#include "module/module.h"
#include "module/module_priv.h"

static vta_status run_round(const vt_timed *f, uint64_t number, vta_diag *diag, double *out_seconds) {
    double begin = vt_now();
    for (uint64_t n = 0; n < number; n++) {
        if (vt__host_stopped()) return vt_fail(diag, VTA_INTERRUPTED, "interrupted");
        VT_TRY(vta_function_call(f->function, f->args, f->codes, f->count, diag, NULL, NULL));
    }
    *out_seconds = vt_now() - begin;
    return VTA_OK;
}

/* Rounds that are too short are made longer, and those after them begin so long. */
vta_status vt_function_time(const vt_timed *f, uint32_t number, uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag,
                            double *out_seconds) {
    uint64_t calls = number;
    double least = min_repeat_ms / 1000.0, took;
    VT_TRY(run_round(f, 1, diag, &took));
    for (uint32_t r = 0; r < repeat; r++) {
        for (;;) {
            VT_TRY(run_round(f, calls, diag, &took));
            if (took >= least) break;
            double wanted = took > 0 ? least / took * (double)calls : 0, grown = 1.6 * (double)calls;
            calls = (uint64_t)(wanted > grown ? wanted : grown) + 1;
        }
        out_seconds[r] = took / (double)calls;
    }
    return VTA_OK;
}

vta_status vta_function_time(vta_packed_function function, DLTensor *const *tensors, int count, uint32_t number,
                             uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag, double *out_seconds) {
    if (!function || !number || !repeat || !out_seconds || count < 0 || (count && !tensors))
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "vta_function_time: function, number, repeat, tensors or out_seconds is missing");
    size_t bytes = ((size_t)count + 1) * (sizeof(TVMValue) + sizeof(int));
    TVMValue *args = vt_alloc(NULL, bytes);
    if (!args) return vt_no_memory(diag);
    vt_timed f = {function, args, (int *)(args + count), count};
    for (int i = 0; i < count; i++) {
        args[i] = (TVMValue){.v_handle = tensors[i]};
        f.codes[i] = VTA_ARG_TENSOR;
    }
    vta_status status = vt_function_time(&f, number, repeat, min_repeat_ms, diag, out_seconds);
    vt_free(NULL, args, bytes);
    return status;
}

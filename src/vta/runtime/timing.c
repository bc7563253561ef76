/* What the timing device of a runtime has measured. */
#include "vta/timing.h"
#include "runtime/process.h"

vta_status vta_runtime_timing(vta_runtime *runtime, vta_diag *diag, vta_timing *out_timing,
                              vta_timing_profile *out_profile) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vta_device_timing(runtime->device, diag, out_timing, out_profile);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return status;
}

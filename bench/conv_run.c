#include "conv_run.h"

#include <stdio.h>

#include "timing.h"

typedef struct run {
    vta_device *device;
    conv_job job;
    vta_diag *diag;
} run;

static int execute(void *arg) {
    run *r = arg;
    return vta_device_run(r->device, r->job.insn_addr, r->job.insn_count, 0, r->diag) == VTA_OK;
}

double conv_seconds(const char *driver, const vta_config *config, const vta_device_options *options,
                    const conv_shape *shape, void (*look)(vta_device *device, const conv_job *job, void *arg),
                    void *arg) {
    run r = {.diag = vta_diag_create(NULL)};
    double seconds = -1;
    if (vta_device_create(driver, config, options, NULL, r.diag, &r.device) == VTA_OK &&
        conv_prepare(r.device, *shape, r.diag, &r.job) == VTA_OK) {
        conv_fill(r.device, &r.job);
        size_t errors = execute(&r) ? conv_errors(r.device, &r.job) : 0;
        if (errors) vta_diag_add(r.diag, VTA_ERROR, VTA_MISMATCH, "wrong outputs");
        if (!vta_diag_count(r.diag)) {
            if (look) look(r.device, &r.job, arg);
            seconds = best_seconds(execute, &r);
        }
        conv_release(r.device, &r.job);
    }
    if (seconds < 0) fprintf(stderr, "%s on %s: %s\n", shape->name, driver, vta_diag_text(r.diag));
    vta_device_destroy(r.device);
    vta_diag_destroy(r.diag);
    return seconds;
}

/* Compiled language models on a device. */
#include "language.h"

#include "model.h"

vta_status cli_language_on(vta_model *model, const cli_device *device, cli_language *out) {
    cli_asked_device own;
    vta_instance_options options = {.driver = device->driver ? device->driver : "sim", .device = &own.options};
    cli_instance_timing timing;
    static const cli_timing none;
    const cli_timing *asked = device->timing ? device->timing : &none;
    *out = (cli_language){.model = model};
    vta_status status = cli_device_asked(device, &own);
    if (status == VTA_OK) status = cli_find_timing(asked, vta_model_config(model), cli_diag(), &out->timing);
    if (status == VTA_OK) status = cli_time_instance(asked, model, &timing, &options);
    if (status == VTA_OK) status = vta_instance_create(model, &options, cli_diag(), &out->instance);
    return status == VTA_OK ? vta_language_of_instance(out->instance, cli_diag(), &out->language) : status;
}

vta_status cli_language_open(const char *path, const cli_device *device, cli_language *out) {
    vta_model *model;
    *out = (cli_language){0};
    vta_status status = vta_model_load(path, NULL, cli_diag(), &model);
    return status == VTA_OK ? cli_language_on(model, device, out) : status;
}

#ifndef VT_COMPILER
static void cli_float_language_close(struct cli_float_language *f) { (void)f; }
#else
void cli_float_language_close(struct cli_float_language *f);
#endif

void cli_language_close(cli_language *l) {
    vta_language_destroy(l->language);
    vta_instance_destroy(l->instance);
    vta_model_release(l->model);
    cli_float_language_close(l->floats);
    *l = (cli_language){0};
}

vta_status cli_language_feed(cli_language *l, const int32_t *tokens, size_t count, const float **out_scores) {
    double begin = cli_now();
    vta_status status = vta_language_feed(l->language, tokens, count, cli_diag(), out_scores);
    l->seconds += cli_now() - begin;
    return status;
}

vta_status cli_language_cycles(const cli_language *l, uint64_t *out_cycles, double *out_clock) {
    vta_model_step step = {0};
    vta_step_profile took = {0};
    *out_cycles = 0;
    *out_clock = 0;
    if (!l->instance) return VTA_OK;
    vta_status status = VTA_OK;
    for (size_t i = 0; status == VTA_OK && vta_model_get_step(l->model, i, &step) == VTA_OK; i++) {
        if (step.layer != UINT32_MAX) continue;
        status = vta_instance_profile(l->instance, i, cli_diag(), &took);
        *out_cycles += took.cycles;
    }
    if (status == VTA_OK) *out_clock = (double)l->timing.frequency_khz * 1e3;
    return status;
}

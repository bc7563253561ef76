#include "model_open.h"

#include <stdlib.h>

/* The tensors of one side; free() their list. */
static vta_status list_tensors(const cli_opened_model *o, bool outputs, cli_tensors *out) {
    size_t count = outputs ? vta_model_output_count(o->model) : vta_model_input_count(o->model);
    cli_tensor *items = calloc(count + 1, sizeof *items);
    *out = (cli_tensors){o->m->path, outputs, count, items};
    if (!items) return VTA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        vta_model_tensor t = {0};
        outputs ? vta_model_output(o->model, i, &t) : vta_model_input(o->model, i, &t);
        items[i] = (cli_tensor){t.name, t.type, t.ndim, t.shape, t.bytes};
    }
    return VTA_OK;
}

vta_status cli_model_set_inputs(cli_opened_model *o, bool all) {
    vta_status status = cli_tensors_read(&o->inputs, &o->m->inputs, o->m->pictures, all, &o->input_data);
    for (size_t i = 0; i < o->inputs.count && status == VTA_OK; i++)
        status = vta_instance_set_input(o->instance, i, o->input_data[i], o->inputs.item[i].bytes, cli_diag());
    return status;
}

vta_status cli_model_open(const cli_model *m, cli_opened_model *o) {
    vta_device_options device = m->device->options;
    device.check = m->device->check;
    device.skip_execution = m->device->skip_execution;
    const vta_instance_options options = {
        .driver = m->device->driver ? m->device->driver : "sim", .device = &device, .timing = m->timing};
    *o = (cli_opened_model){.m = m};
    vta_status status = cli_model_load(m->path, cli_diag(), &o->model);
    if (status == VTA_OK) status = list_tensors(o, false, &o->inputs);
    if (status == VTA_OK) status = list_tensors(o, true, &o->outputs);
    return status == VTA_OK ? vta_instance_create(o->model, &options, cli_diag(), &o->instance) : status;
}

void cli_model_close(cli_opened_model *o) {
    vta_instance_destroy(o->instance);
    cli_tensors_free(&o->inputs, o->input_data);
    cli_tensors_free(&o->outputs, o->output_data);
    free((void *)o->inputs.item);
    free((void *)o->outputs.item);
}

vta_status cli_model_measure(cli_opened_model *o) {
    vta_status status = VTA_OK;
    for (uint64_t i = 0; i == 0 || (i < o->m->repeat && status == VTA_OK); i++) {
        vta_device_clear_counters(vta_instance_device(o->instance));
        double begin = cli_now();
        status = vta_instance_run(o->instance, cli_diag());
        double seconds = cli_now() - begin;
        if (i == 0 || seconds < o->seconds) o->seconds = seconds;
    }
    return status;
}

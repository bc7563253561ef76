#include "model_open.h"

#include <stdlib.h>
#include <string.h>

#include "picture_files.h"
#include "timing.h"
#include "vta/module.h"

enum { RANK_MAX = 8 };

/* What is known of the shape of an input. */
typedef struct wanted {
    DLTensor tensor;
    int64_t extents[RANK_MAX];
} wanted;

static void note(wanted *w, int32_t ndim, const int64_t *shape) {
    for (int32_t i = 0; i < ndim && i < RANK_MAX; i++) w->extents[i] = shape[i];
    w->tensor = (DLTensor){.ndim = ndim, .shape = w->extents};
}

static vta_status note_option(const cli_opened_model *o, const char *text, wanted *all) {
    int64_t shape[RANK_MAX];
    int32_t ndim = 0;
    size_t index;
    const char *at;
    vta_status status = cli_tensors_find(&o->inputs, text, &index, &at);
    while (status == VTA_OK && *at && ndim < RANK_MAX) {
        char *end;
        shape[ndim++] = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ','))
            return cli_fail(VTA_INVALID_ARGUMENT, "--shape %s: expected extents with commas between them", text);
        at = *end ? end + 1 : end;
    }
    if (status == VTA_OK) note(&all[index], ndim, shape);
    return status;
}

static vta_status note_file(const cli_opened_model *o, const char *text, wanted *all) {
    vta_array *array;
    size_t index;
    const char *file;
    vta_status status = cli_tensors_find(&o->inputs, text, &index, &file);
    if (status != VTA_OK || cli_is_picture(file)) return status;
    status = vta_array_load_npy(file, NULL, cli_diag(), &array);
    if (status != VTA_OK) return status;
    note(&all[index], vta_array_tensor(array)->ndim, vta_array_tensor(array)->shape);
    vta_array_free(array);
    return VTA_OK;
}

/* Of an artifact for several shapes the one that --shape and the files given say. */
static vta_status choose_shape(cli_opened_model *o) {
    static const cli_list none;
    const cli_list *shapes = o->m->shapes ? o->m->shapes : &none;
    if (vta_model_shape_count(o->model) == 1 && !shapes->count) return VTA_OK;
    wanted *all = calloc(o->inputs.count + 1, sizeof *all);
    const DLTensor **inputs = calloc(o->inputs.count + 1, sizeof *inputs);
    vta_status status = all && inputs ? VTA_OK : VTA_NO_MEMORY;
    for (int i = 0; i < shapes->count && status == VTA_OK; i++) status = note_option(o, shapes->item[i], all);
    for (int i = 0; i < o->m->inputs.count && status == VTA_OK && !shapes->count; i++)
        status = note_file(o, o->m->inputs.item[i], all);
    for (size_t i = 0; status == VTA_OK && i < o->inputs.count; i++)
        if (all[i].tensor.shape) inputs[i] = &all[i].tensor;
    if (status == VTA_OK) status = vta_model_for_shapes(o->model, inputs, cli_diag(), &o->model);
    free(inputs);
    free(all);
    return status;
}

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
    cli_asked_device asked;
    char timing[CLI_DEVICE_TIMING];
    const vta_instance_options options = {
        .driver = m->device->driver ? m->device->driver : "sim", .device = &asked.options, .timing = m->timing};
    *o = (cli_opened_model){.m = m};
    vta_status status = cli_device_asked(m->device, &asked);
    if (status == VTA_OK) status = cli_model_load(m->path, cli_diag(), &o->model);
    vta_model *first = o->model;
    if (status == VTA_OK && !cli_is_network(m->path)) { /* else it was compiled for that */
        status = cli_device_timing(m->device->timing, vta_model_config(first), options.driver, timing);
        asked.options.profile = *timing ? timing : NULL;
    }
    if (status == VTA_OK) status = list_tensors(o, false, &o->inputs);
    if (status == VTA_OK) status = choose_shape(o);
    if (status == VTA_OK && o->model != first) {
        free((void *)o->inputs.item);
        status = list_tensors(o, false, &o->inputs);
    }
    if (status == VTA_OK) status = list_tensors(o, true, &o->outputs);
    return status == VTA_OK ? vta_instance_create(o->model, &options, cli_diag(), &o->instance) : status;
}

vta_status cli_time_instance(const cli_timing *asked, const vta_model *model, cli_instance_timing *timing,
                             vta_instance_options *options) {
    const vta_config *config = vta_model_config(model);
    const char *driver = options->driver ? options->driver : "sim";
    if (!cli_timing_is_given(asked)) return VTA_OK;
    vta_status status = cli_find_timing(asked, config, cli_diag(), &timing->profile);
    options->timing = &timing->profile;
    if (status != VTA_OK || (strcmp(driver, "tsim") && strcmp(driver, "rtl"))) return status;
    status = cli_device_timing(asked, config, driver, timing->words);
    timing->device = options->device ? *options->device : (vta_device_options){0};
    timing->device.profile = timing->words;
    options->device = &timing->device;
    return status;
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

vta_status cli_model_measure_warm(cli_opened_model *o) {
    const double long_run = 5;
    vta_status status = cli_model_measure(o);
    return status == VTA_OK && o->seconds < long_run ? cli_model_measure(o) : status;
}

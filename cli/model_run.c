/* Running a network, and telling what came out. */
#include <stdlib.h>

#include "findings.h"
#include "model_open.h"
#include "stats.h"

static vta_status get_outputs(cli_opened_model *o) {
    static const cli_list none;
    vta_status status = cli_tensors_read(&o->outputs, &none, NULL, false, &o->output_data);
    for (size_t i = 0; i < o->outputs.count && status == VTA_OK; i++)
        status = vta_instance_get_output(o->instance, i, o->output_data[i], o->outputs.item[i].bytes, cli_diag());
    return status;
}

static void report(const cli_opened_model *o, const cli_tensors *outputs, void *const *data) {
    vta_device *device = vta_instance_device(o->instance);
    vta_counters counters = vta_device_counters(device);
    if (o->m->json) {
        json_t *j = json_pack("{s:s, s:s, s:f, s:o, s:o}", "model", vta_model_name(o->model), "driver",
                              vta_device_driver(device), "seconds", o->seconds, "outputs",
                              cli_tensors_json(outputs, data), "stats", cli_stats_json(&counters));
        if (o->m->device->check) cli_findings_json(j, vta_device_findings_to_json(device));
        cli_print_json(j);
        return;
    }
    cli_tensors_print(outputs, data);
    printf("%.2f ms", o->seconds * 1e3);
    if (counters.cycles) printf(", %llu cycles", (unsigned long long)counters.cycles);
    printf("%s\n", o->m->device->check ? "; no races" : "");
}

/* What the checker found, unless the run itself has told it: then there are more than `said` messages. */
static void warn(const cli_opened_model *o, size_t said) {
    if (o->instance && o->m->device->check && vta_diag_count(cli_diag()) == said)
        cli_findings_warn(vta_device_findings_to_json(vta_instance_device(o->instance)));
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

static vta_status run_chunk(void *user, void *const *inputs, void *const *outputs) {
    cli_opened_model *o = user;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < o->inputs.count && status == VTA_OK; i++)
        status = vta_instance_set_input(o->instance, i, inputs[i], o->inputs.item[i].bytes, cli_diag());
    double begin = cli_now();
    if (status == VTA_OK) status = vta_instance_run(o->instance, cli_diag());
    o->seconds += cli_now() - begin;
    for (size_t i = 0; i < o->outputs.count && status == VTA_OK; i++)
        status = vta_instance_get_output(o->instance, i, outputs[i], o->outputs.item[i].bytes, cli_diag());
    return status;
}

static vta_status run_stream(cli_opened_model *o) {
    const cli_model *m = o->m;
    cli_stream s;
    size_t said = vta_diag_count(cli_diag());
    vta_device_clear_counters(vta_instance_device(o->instance));
    vta_status status = cli_stream_run(&o->inputs, &o->outputs, &m->inputs, &m->carry, run_chunk, o, &s);
    warn(o, said);
    if (status == VTA_OK) status = cli_tensors_write(&s.results, &m->outputs, s.data);
    if (status == VTA_OK) report(o, &s.results, s.data);
    cli_stream_free(&s);
    return status;
}

/* ---- One run ----------------------------------------------------------------------------------------------------- */

static vta_status run(cli_opened_model *o) {
    const cli_model *m = o->m;
    vta_status status = cli_model_set_inputs(o, true);
    size_t said = vta_diag_count(cli_diag());
    if (status == VTA_OK) status = cli_model_measure(o);
    warn(o, said);
    if (status == VTA_OK) status = get_outputs(o);
    if (status == VTA_OK) status = cli_tensors_write(&o->outputs, &m->outputs, o->output_data);
    if (status == VTA_OK) report(o, &o->outputs, o->output_data);
    return status;
}

vta_status cli_run_model(const cli_model *m) {
    cli_opened_model o;
    vta_status status = cli_model_open(m, &o);
    if (status == VTA_OK) status = m->carry.count ? run_stream(&o) : run(&o);
    cli_model_close(&o);
    return status;
}

/* A tool without the compiler runs nothing else. */
#ifndef VT_COMPILER
int cmd_run(const cli_command *self, int argc, char **argv) {
    static cli_timing timing;
    static cli_device device = {.timing = &timing};
    static cli_model m;
    static cli_pictures pictures;
    const cli_option options[] = {CLI_MODEL_OPTIONS(&m),
                                  CLI_PICTURE_OPTIONS(&pictures),
                                  CLI_DEVICE_OPTIONS(&device),
                                  CLI_TIMING_OPTIONS(&timing),
                                  {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &m.json},
                                  {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one compiled network is needed, not %d", argc);
    if (m.carry.count && m.repeat) return cli_usage(self, "--carry and --repeat: expected one of them");
    m.path = argv[0];
    m.device = &device;
    m.pictures = &pictures;
    vta_status status = cli_pictures_settle(&pictures, argv[0]);
    if (status == VTA_OK) status = cli_run_model(&m);
    free(pictures.labels);
    return cli_finish(status);
}
#endif

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

static void report(const cli_opened_model *o) {
    vta_device *device = vta_instance_device(o->instance);
    vta_counters counters = vta_device_counters(device);
    if (o->m->json) {
        json_t *j = json_pack("{s:s, s:s, s:f, s:o, s:o}", "model", vta_model_name(o->model), "driver",
                              vta_device_driver(device), "seconds", o->seconds, "outputs",
                              cli_tensors_json(&o->outputs, o->output_data), "stats", cli_stats_json(&counters));
        if (o->m->device->check) cli_findings_json(j, vta_device_findings_to_json(device));
        cli_print_json(j);
        return;
    }
    cli_tensors_print(&o->outputs, o->output_data);
    printf("%.2f ms", o->seconds * 1e3);
    if (counters.cycles) printf(", %llu cycles", (unsigned long long)counters.cycles);
    printf("%s\n", o->m->device->check ? "; no races" : "");
}

vta_status cli_run_model(const cli_model *m) {
    cli_opened_model o;
    vta_status status = cli_model_open(m, &o);
    if (status == VTA_OK) status = cli_model_set_inputs(&o, true);
    size_t said = vta_diag_count(cli_diag());
    if (status == VTA_OK) status = cli_model_measure(&o);
    bool is_told = vta_diag_count(cli_diag()) > said; /* by the run itself */
    if (o.instance && m->device->check && !is_told)
        cli_findings_warn(vta_device_findings_to_json(vta_instance_device(o.instance)));
    if (status == VTA_OK) status = get_outputs(&o);
    if (status == VTA_OK) status = cli_tensors_write(&o.outputs, &m->outputs, o.output_data);
    if (status == VTA_OK) report(&o);
    cli_model_close(&o);
    return status;
}

/* A tool without the compiler runs nothing else. */
#ifndef VT_COMPILER
int cmd_run(const cli_command *self, int argc, char **argv) {
    static cli_device device;
    static cli_model m;
    static cli_pictures pictures;
    const cli_option options[] = {CLI_MODEL_OPTIONS(&m),
                                  CLI_PICTURE_OPTIONS(&pictures),
                                  CLI_DEVICE_OPTIONS(&device),
                                  {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &m.json},
                                  {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one compiled network is needed, not %d", argc);
    m.path = argv[0];
    m.device = &device;
    m.pictures = &pictures;
    vta_status status = cli_pictures_settle(&pictures, argv[0]);
    if (status == VTA_OK) status = cli_run_model(&m);
    free(pictures.labels);
    return cli_finish(status);
}
#endif

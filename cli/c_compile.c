/* vta compile: an ONNX model as an artifact. */
#include <stdlib.h>
#include <string.h>

#include "c_compile.h"
#include "c_detection.h"
#include "c_machine.h"
#include "c_search.h"
#include "file.h"
#include "labels.h"

typedef struct state {
    cli_common common;
    cli_network network;
    cli_pictures pictures;
    cli_detection detection; /* where it is a detector: its decoder goes along */
    const char *output, *labels;
    char *texts[2]; /* of the sections */
    bool report;
    cli_search search;
} state;

static void print(const state *s, const char *path, const uint8_t *bytes, size_t size, vtac_compile_report *report) {
    vta_model *model = NULL;
    vta_model_memory memory = {.size = sizeof memory};
    if (vta_model_parse(bytes, size, path, NULL, cli_diag(), &model) == VTA_OK) vta_model_get_memory(model, &memory);
    if (s->report && model) cli_compile_measure(report, model);
    vta_model_release(model);
    size_t accelerated = vtac_compile_report_count(report, VTAC_ON_ACCELERATOR);
    size_t others = vtac_compile_report_count(report, VTAC_ON_HOST);
    if (s->common.json) {
        json_t *all = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "file", path, "bytes", (json_int_t)size,
                                "device_bytes", (json_int_t)memory.device_bytes, "host_bytes",
                                (json_int_t)memory.host_bytes, "accelerator_layers", (json_int_t)accelerated,
                                "processor_layers", (json_int_t)others, "report", vtac_compile_report_text(report));
        cli_compile_json(report, all);
        if (s->search.tried) json_object_set(all, "search", s->search.tried);
        cli_print_json(all);
        return;
    }
    if (s->report) cli_compile_print(report);
    printf("%s: %zu bytes; %zu layers on the accelerator, %zu on the host; %llu bytes on the device, %llu on the "
           "host\n",
           path, size, accelerated, others, (unsigned long long)memory.device_bytes,
           (unsigned long long)memory.host_bytes);
}

/* Settings of pictures, and names of classes, go along, so that the artifact can be used alone. */
static vta_status make_sections(state *s) {
    static vtac_section sections[2];
    json_t *how = cli_pictures_json(&s->pictures), *list = cli_names_json(&s->detection.names);
    vta_status status = VTA_OK;
    s->texts[0] = json_dumps(how, JSON_COMPACT);
    s->texts[1] = json_dumps(list, JSON_COMPACT);
    json_decref(how);
    json_decref(list);
    if (status == VTA_OK && (!s->texts[0] || !s->texts[1])) status = VTA_NO_MEMORY;
    if (status != VTA_OK) return status;
    sections[0] = (vtac_section){CLI_PICTURE_SECTION, s->texts[0], strlen(s->texts[0])};
    sections[1] = (vtac_section){CLI_LABELS_SECTION, s->texts[1], strlen(s->texts[1])};
    s->network.sections = sections;
    s->network.section_count = s->detection.names.text ? 2 : 1;
    return VTA_OK;
}

/* A detector's decoder, and its preprocessing where nothing says another one, follow from its outputs. */
static vta_status loaded(void *user, const vtac_graph *graph) {
    state *s = user;
    vta_detector *detector;
    vta_status status = cli_detector_of_graph(graph, &s->detection, true, &detector);
    vta_detector_destroy(detector);
    return status == VTA_OK ? make_sections(s) : status;
}

static vta_status read_names(state *s) {
    const char *labels = s->labels ? s->labels : s->pictures.labels;
    return labels ? cli_names_read(labels, &s->detection.names) : VTA_OK;
}

static vta_status compile(state *s, const char *model) {
    uint8_t *bytes = NULL;
    size_t size;
    vtac_compile_report *report = NULL;
    char *own = s->output ? NULL : cli_with_ending(cli_base_name(model), ".vta-model");
    const char *path = s->output ? s->output : own;
    vta_status status = path ? cli_pictures_settle(&s->pictures, model) : VTA_NO_MEMORY;
    if (status == VTA_OK) status = read_names(s);
    if (status == VTA_OK && s->search.truth.images) status = cli_truth_read(&s->search.truth, &s->pictures, model);
    if (status == VTA_OK)
        status = cli_network_compile(&s->network, model, &s->pictures, 0, NULL, &bytes, &size, &report);
    if (status == VTA_OK) status = cli_write_file(path, bytes, size);
    if (status == VTA_OK) print(s, path, bytes, size, report);
    vtac_compile_report_destroy(report);
    vta_string_free((char *)bytes);
    free(own);
    return status;
}

int cmd_compile(const cli_command *self, int argc, char **argv) {
    static state s;
    s.network.common = &s.common;
    s.network.search = &s.search;
    s.network.pictures = &s.pictures;
    s.network.loaded = loaded;
    s.network.user = &s;
    s.detection.network = &s.network;
    s.detection.pictures = &s.pictures;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "the artifact (MODEL's name with the ending .vta-model, in this folder)",
         &s.output},
        {"report", 0, CLI_FLAG, NULL, "print for each layer where it runs, why, and what it takes", &s.report},
        {"labels", 0, CLI_TEXT, "FILE", "names of the classes, as for vta classify; the artifact keeps them",
         &s.labels},
        CLI_DECODER_OPTION(&s.detection.decoder),
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_SEARCH_OPTIONS(&s.search),
        CLI_MACHINE_OPTION(&s.network.machine),
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
        CLI_STAGES_OPTION,
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.common.timing),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "expected one MODEL");
    if (cli_search_check(&s.search) != VTA_OK) {
        cli_finish(VTA_INVALID_ARGUMENT);
        return CLI_USAGE;
    }
    vta_status status = compile(&s, argv[0]);
    json_decref(s.search.tried);
    cli_truth_free(&s.search.truth);
    cli_names_free(&s.detection.names);
    free(s.pictures.labels);
    free(s.texts[0]);
    free(s.texts[1]);
    return cli_finish(status);
}

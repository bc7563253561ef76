/* Language models in floats, and what they are calibrated with. */
#include "c_language.h"

#include <stdlib.h>
#include <string.h>

#include "vta/support.h"

enum { LINES = 16, OWN_LINES = 4, OWN_TOKENS = 96 };

/* ---- In floats ---- */

typedef struct cli_float_language {
    vtac_graph *graph; /* NULL: another one's */
    vtac_evaluator *evaluator;
    vtac_calibration *observer; /* sees what every run computes; NULL: nothing does */
    size_t input_count, output_count;
    vta_model_tensor *tensors; /* of inputs, then of outputs */
    void **data;
} cli_float_language;

void cli_float_language_close(cli_float_language *f);

void cli_float_language_close(cli_float_language *f) {
    if (!f) return;
    for (size_t i = 0; f->data && i < f->input_count; i++) free(f->data[i]);
    free(f->data);
    free(f->tensors);
    vtac_evaluator_destroy(f->evaluator);
    vtac_graph_destroy(f->graph);
    free(f);
}

static vta_status run(void *user, vta_diag *diag) {
    const cli_float_language *f = user;
    const void *const *inputs = (const void *const *)f->data;
    vta_status status = vtac_evaluator_run(f->evaluator, inputs, diag);
    return status == VTA_OK && f->observer ? vtac_calibration_observe(f->observer, inputs, diag) : status;
}

static const void *output(void *user, size_t index) {
    return vtac_evaluator_output(((cli_float_language *)user)->evaluator, index);
}

static vta_model_tensor tensor_of(const vtac_graph *graph, bool of_output, size_t i) {
    vtac_graph_tensor t = {0};
    of_output ? vtac_graph_output(graph, i, &t) : vtac_graph_input(graph, i, &t);
    return (vta_model_tensor){sizeof(vta_model_tensor), t.name, t.type, t.ndim, t.shape, t.bytes};
}

static vta_status list_tensors(cli_float_language *f, const vtac_graph *graph) {
    f->input_count = vtac_graph_input_count(graph);
    f->output_count = vtac_graph_output_count(graph);
    f->tensors = calloc(f->input_count + f->output_count + 1, sizeof *f->tensors);
    f->data = calloc(f->input_count + 1, sizeof *f->data);
    if (!f->tensors || !f->data) return VTA_NO_MEMORY;
    for (size_t i = 0; i < f->input_count; i++) {
        f->tensors[i] = tensor_of(graph, false, i);
        f->data[i] = calloc(1, f->tensors[i].bytes + 1);
        if (!f->data[i]) return VTA_NO_MEMORY;
    }
    for (size_t i = 0; i < f->output_count; i++) f->tensors[f->input_count + i] = tensor_of(graph, true, i);
    return VTA_OK;
}

static vta_status open_floats(const vtac_graph *graph, const char *path, cli_language *out) {
    cli_float_language *f = out->floats;
    vta_status status = list_tensors(f, graph);
    if (status == VTA_OK) status = vtac_evaluator_create(graph, NULL, NULL, cli_diag(), &f->evaluator);
    if (status != VTA_OK) return status;
    const vta_language_machine machine = {.size = sizeof machine,
                                          .name = path,
                                          .input_count = f->input_count,
                                          .output_count = f->output_count,
                                          .inputs = f->tensors,
                                          .outputs = f->tensors + f->input_count,
                                          .input_data = f->data,
                                          .user = f,
                                          .run = run,
                                          .output = output};
    return vta_language_create(&machine, NULL, cli_diag(), &out->language);
}

vta_status cli_language_floats(const cli_graph *how, const char *path, cli_language *out) {
    vtac_graph_options options = {0};
    *out = (cli_language){.floats = calloc(1, sizeof *out->floats)};
    if (!out->floats) return VTA_NO_MEMORY;
    vta_status status = cli_graph_load(how, path, &options, &out->floats->graph);
    return status == VTA_OK ? open_floats(out->floats->graph, path, out) : status;
}

bool cli_graph_is_language(const vtac_graph *graph) {
    cli_float_language f = {0};
    f.input_count = vtac_graph_input_count(graph);
    f.output_count = vtac_graph_output_count(graph);
    f.tensors = calloc(f.input_count + f.output_count + 1, sizeof *f.tensors);
    if (!f.tensors) return false;
    for (size_t i = 0; i < f.input_count + f.output_count; i++)
        f.tensors[i] = tensor_of(graph, i >= f.input_count, i >= f.input_count ? i - f.input_count : i);
    bool is = vta_language_is(f.input_count, f.tensors, f.output_count, f.tensors + f.input_count);
    free(f.tensors);
    return is;
}

/* ---- Calibration ---- */

static vta_status observe_line(cli_language *l, const int32_t *tokens, size_t count) {
    size_t context = vta_language_context(l->language);
    vta_language_rewind(l->language, 0);
    return cli_language_feed(l, tokens, count < context ? count : context, NULL);
}

static vta_status observe_file(const cli_network *n, cli_language *l, const char *file) {
    cli_lines lines;
    size_t most = n->samples ? n->samples : LINES;
    vta_status status = cli_lines_read(file, &lines);
    for (size_t i = 0; i < lines.count && i < most && status == VTA_OK; i++) {
        cli_progress("calibrating: line", i, lines.count < most ? lines.count : most);
        status = observe_line(l, lines.item[i].tokens, lines.item[i].count);
    }
    cli_lines_free(&lines);
    return status;
}

/* Texts that the model writes itself, by chance, from token 1. */
static vta_status observe_own(cli_language *l) {
    const vta_sampler_options options = {.size = sizeof options, .temperature = 1, .top_p = 0.95, .seed = 1};
    vta_sampler *sampler = NULL;
    size_t vocabulary = vta_language_vocabulary(l->language), context = vta_language_context(l->language);
    vta_status status = vta_sampler_create(&options, NULL, cli_diag(), &sampler);
    for (size_t i = 0; i < OWN_LINES && status == VTA_OK; i++) {
        int32_t token = vocabulary > 1;
        const float *scores;
        cli_progress("calibrating: text", i, OWN_LINES);
        vta_language_rewind(l->language, 0);
        for (size_t k = 0; k < OWN_TOKENS && k < context && status == VTA_OK; k++) {
            status = cli_language_feed(l, &token, 1, &scores);
            if (status == VTA_OK) status = vta_sampler_choose(sampler, scores, vocabulary, cli_diag(), &token);
        }
    }
    vta_sampler_destroy(sampler);
    return status;
}

vta_status cli_calibrate_tokens(const cli_network *n, const char *path, const vtac_graph *graph,
                                vtac_calibration *calibration, const char *file) {
    cli_language l = {.floats = calloc(1, sizeof *l.floats)};
    if (!l.floats) return VTA_NO_MEMORY;
    l.floats->observer = calibration;
    vta_status status = open_floats(graph, path, &l);
    if (status == VTA_OK) status = file ? observe_file(n, &l, file) : observe_own(&l);
    cli_progress_end();
    cli_language_close(&l);
    return status;
}

/* ---- Compiled on the way ---- */

vta_status cli_language_compiled(const cli_network *n, const char *path, const cli_device *device, cli_language *out) {
    static cli_pictures none;
    vta_model *model;
    *out = (cli_language){0};
    vta_status status = cli_network_open(n, path, &none, 0, NULL, &model);
    return status == VTA_OK ? cli_language_on(model, device, out) : status;
}

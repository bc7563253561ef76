/* vta run MODEL.onnx --float: a network in floats, on files. */
#include "c_run_float.h"

#include <stdlib.h>
#include <string.h>

typedef struct running {
    vtac_graph *graph;
    vtac_evaluator *evaluator;
    cli_tensors inputs, outputs;
    void **input_data, **output_data; /* the second belong to the evaluator */
    double seconds;
} running;

static vta_status evaluate(running *r) {
    double begin = cli_now();
    vta_status status = vtac_evaluator_run(r->evaluator, (const void *const *)r->input_data, cli_diag());
    r->seconds = cli_now() - begin;
    r->output_data = calloc(r->outputs.count + 1, sizeof *r->output_data);
    if (!r->output_data) return VTA_NO_MEMORY;
    for (size_t i = 0; i < r->outputs.count && status == VTA_OK; i++)
        r->output_data[i] = (void *)vtac_evaluator_output(r->evaluator, i);
    return status;
}

static void report(const running *r, const cli_tensors *outputs, void *const *data, bool json) {
    if (json) {
        cli_print_json(json_pack("{s:s, s:s, s:f, s:o}", "model", vtac_graph_name(r->graph), "driver", "float",
                                 "seconds", r->seconds, "outputs", cli_tensors_json(outputs, data)));
        return;
    }
    cli_tensors_print(outputs, data);
    printf("%.2f ms, in floats\n", r->seconds * 1e3);
}

static vta_status run(running *r, const cli_model *m) {
    vta_status status = cli_tensors_read(&r->inputs, &m->inputs, m->pictures, true, &r->input_data);
    if (status == VTA_OK) status = evaluate(r);
    if (status == VTA_OK) status = cli_tensors_write(&r->outputs, &m->outputs, r->output_data);
    if (status == VTA_OK) report(r, &r->outputs, r->output_data, m->json);
    return status;
}

static vta_status run_chunk(void *user, void *const *inputs, void *const *outputs) {
    running *r = user;
    double begin = cli_now();
    vta_status status = vtac_evaluator_run(r->evaluator, (const void *const *)inputs, cli_diag());
    r->seconds += cli_now() - begin;
    for (size_t i = 0; i < r->outputs.count && status == VTA_OK; i++)
        memcpy(outputs[i], vtac_evaluator_output(r->evaluator, i), r->outputs.item[i].bytes);
    return status;
}

static vta_status run_stream(running *r, const cli_model *m) {
    cli_stream s;
    vta_status status = cli_stream_run(&r->inputs, &r->outputs, &m->inputs, &m->carry, run_chunk, r, &s);
    if (status == VTA_OK) status = cli_tensors_write(&s.results, &m->outputs, s.data);
    if (status == VTA_OK) report(r, &s.results, s.data, m->json);
    cli_stream_free(&s);
    return status;
}

vta_status cli_run_float(const cli_graph *how, const cli_model *m) {
    running r = {0};
    vtac_graph_options options = {0};
    vta_status status = cli_graph_load(how, m->path, &options, &r.graph);
    if (status == VTA_OK && m->pictures) status = cli_pictures_of_graph(m->pictures, r.graph);
    if (status == VTA_OK) status = cli_graph_tensors(r.graph, m->path, false, &r.inputs);
    if (status == VTA_OK) status = cli_graph_tensors(r.graph, m->path, true, &r.outputs);
    if (status == VTA_OK) status = vtac_evaluator_create(r.graph, NULL, NULL, cli_diag(), &r.evaluator);
    if (status == VTA_OK) status = m->carry.count ? run_stream(&r, m) : run(&r, m);
    cli_tensors_free(&r.inputs, r.input_data);
    free(r.output_data);
    free((void *)r.inputs.item);
    free((void *)r.outputs.item);
    vtac_evaluator_destroy(r.evaluator);
    vtac_graph_destroy(r.graph);
    return status;
}

#include <stdlib.h>
#include <string.h>

#include "rpc_run.h"
#include "rpc_tensors.h"
#include "stats.h"

/* Inputs, or outputs, and their data here. */
typedef struct tensors {
    cli_rpc_tensors there;
    cli_tensors list;
    void **data;
} tensors;

typedef struct running {
    const cli_rpc_run *run;
    vta_rpc *rpc;
    uint64_t model;
    json_t *description, *statistics;
    tensors inputs, outputs;
    double seconds; /* of the quickest run */
} running;

/* ---- What the server says of it ---------------------------------------------------------------------------------- */

static vta_status read_tensors(const running *r, const char *key, tensors *t) {
    vta_status status = cli_rpc_tensors_read(r->description, key, r->run->path, cli_diag(), &t->there);
    t->list = (cli_tensors){r->run->path, t == &r->outputs, status == VTA_OK ? t->there.count : 0, t->there.at};
    return status;
}

static vta_status load(running *r) {
    char *text;
    vta_status status = cli_rpc_upload(r->rpc, r->run->path);
    if (status == VTA_OK)
        status = vta_rpc_load_model(r->rpc, cli_rpc_file_name(r->run->path), cli_diag(), &r->model, &text);
    if (status != VTA_OK) return status;
    r->description = cli_json_of(text);
    status = read_tensors(r, "inputs", &r->inputs);
    return status == VTA_OK ? read_tensors(r, "outputs", &r->outputs) : status;
}

/* ---- Inputs and outputs ------------------------------------------------------------------------------------------ */

static vta_status send_inputs(running *r) {
    tensors *t = &r->inputs;
    vta_status status = cli_tensors_read(&t->list, &r->run->inputs, NULL, true, &t->data);
    if (status == VTA_OK) status = cli_rpc_tensors_make(r->rpc, &t->there, cli_diag());
    for (size_t i = 0; i < t->list.count && status == VTA_OK; i++)
        status = vta_rpc_write(r->rpc, t->there.arrays[i], 0, t->data[i], t->there.at[i].bytes, cli_diag());
    return status == VTA_OK ? cli_rpc_tensors_make(r->rpc, &r->outputs.there, cli_diag()) : status;
}

static vta_status fetch_outputs(running *r) {
    static const cli_list none;
    tensors *t = &r->outputs;
    vta_status status = cli_tensors_read(&t->list, &none, NULL, false, &t->data);
    for (size_t i = 0; i < t->list.count && status == VTA_OK; i++)
        status = vta_rpc_read(r->rpc, t->there.arrays[i], 0, t->data[i], t->there.at[i].bytes, cli_diag());
    return status == VTA_OK ? cli_tensors_write(&t->list, &r->run->outputs, t->data) : status;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static vta_status run_once(running *r, const uint64_t *arrays) {
    double seconds;
    char *text;
    size_t count = r->inputs.list.count + r->outputs.list.count;
    vta_status status = vta_rpc_run_model(r->rpc, r->model, arrays, count, cli_diag(), &seconds, &text);
    if (status != VTA_OK) return status;
    if (r->seconds == 0 || seconds < r->seconds) r->seconds = seconds;
    json_decref(r->statistics);
    r->statistics = cli_json_of(text);
    return VTA_OK;
}

static vta_status run(running *r) {
    uint64_t arrays[2 * CLI_LIST_MAX];
    memcpy(arrays, r->inputs.there.arrays, r->inputs.list.count * sizeof *arrays);
    memcpy(arrays + r->inputs.list.count, r->outputs.there.arrays, r->outputs.list.count * sizeof *arrays);
    vta_status status = run_once(r, arrays);
    for (uint64_t i = 1; i < r->run->repeat && status == VTA_OK; i++) status = run_once(r, arrays);
    return status;
}

static void print_json(const running *r) {
    cli_print_json(json_pack("{s:O, s:O, s:s, s:s, s:f, s:o, s:O}", "model", json_object_get(r->description, "name"),
                             "driver", json_object_get(r->description, "driver"), "machine", vta_rpc_machine(r->rpc),
                             "library", vta_rpc_library(r->rpc), "seconds", r->seconds, "outputs",
                             cli_tensors_json(&r->outputs.list, r->outputs.data), "stats", r->statistics));
}

static void print_text(const running *r) {
    json_int_t cycles = json_integer_value(json_object_get(r->statistics, "cycles"));
    cli_tensors_print(&r->outputs.list, r->outputs.data);
    printf("%.2f ms on a server (%s, %s)", r->seconds * 1e3, vta_rpc_machine(r->rpc),
           json_string_value(json_object_get(r->description, "driver")));
    if (cycles) printf(", %lld cycles", (long long)cycles);
    printf("\n");
}

vta_status cli_rpc_run_model(vta_rpc *rpc, const cli_rpc_run *given) {
    static running r;
    r = (running){.run = given, .rpc = rpc};
    vta_status status = load(&r);
    if (status == VTA_OK) status = send_inputs(&r);
    if (status == VTA_OK) status = run(&r);
    if (status == VTA_OK) status = fetch_outputs(&r);
    if (status == VTA_OK && given->json) print_json(&r);
    if (status == VTA_OK && !given->json) print_text(&r);
    cli_tensors_free(&r.inputs.list, r.inputs.data);
    cli_tensors_free(&r.outputs.list, r.outputs.data);
    json_decref(r.description);
    json_decref(r.statistics);
    return status;
}

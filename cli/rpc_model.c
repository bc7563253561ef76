#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "rpc_run.h"
#include "rpc_tensors.h"
#include "stats.h"
#include "stream.h"

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
    uint64_t arrays[2 * CLI_LIST_MAX]; /* of all inputs, then of all outputs */
    double seconds;                    /* of the fastest run; of a stream all its runs */
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
        status = vta_rpc_load_model(r->rpc, cli_base_name(r->run->path), cli_diag(), &r->model, &text);
    if (status != VTA_OK) return status;
    r->description = cli_json_of(text);
    status = read_tensors(r, "inputs", &r->inputs);
    return status == VTA_OK ? read_tensors(r, "outputs", &r->outputs) : status;
}

/* ---- Inputs and outputs ------------------------------------------------------------------------------------------ */

static vta_status make_arrays(running *r) {
    vta_status status = cli_rpc_tensors_make(r->rpc, &r->inputs.there, cli_diag());
    if (status == VTA_OK) status = cli_rpc_tensors_make(r->rpc, &r->outputs.there, cli_diag());
    memcpy(r->arrays, r->inputs.there.arrays, r->inputs.list.count * sizeof *r->arrays);
    memcpy(r->arrays + r->inputs.list.count, r->outputs.there.arrays, r->outputs.list.count * sizeof *r->arrays);
    return status;
}

static vta_status send(const running *r, void *const *inputs) {
    const cli_rpc_tensors *t = &r->inputs.there;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < t->count && status == VTA_OK; i++)
        status = vta_rpc_write(r->rpc, t->arrays[i], 0, inputs[i], t->at[i].bytes, cli_diag());
    return status;
}

static vta_status fetch(const running *r, void *const *outputs) {
    const cli_rpc_tensors *t = &r->outputs.there;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < t->count && status == VTA_OK; i++)
        status = vta_rpc_read(r->rpc, t->arrays[i], 0, outputs[i], t->at[i].bytes, cli_diag());
    return status;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* Adds the counters of a run. */
static void count(running *r, const json_t *more) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)more, key, value) {
        json_int_t before = json_integer_value(json_object_get(r->statistics, key));
        json_object_set_new(r->statistics, key, json_integer(before + json_integer_value(value)));
    }
}

/* Adds its time and counters to those noted. */
static vta_status run_once(running *r) {
    double seconds;
    char *text;
    size_t arrays = r->inputs.list.count + r->outputs.list.count;
    vta_status status = vta_rpc_run_model(r->rpc, r->model, r->arrays, arrays, cli_diag(), &seconds, &text);
    if (status != VTA_OK) return status;
    json_t *counters = cli_json_of(text);
    r->seconds += seconds;
    count(r, counters);
    json_decref(counters);
    return VTA_OK;
}

static void print_json(const running *r, const cli_tensors *outputs, void *const *data) {
    cli_print_json(json_pack("{s:O, s:O, s:s, s:s, s:f, s:o, s:O}", "model", json_object_get(r->description, "name"),
                             "driver", json_object_get(r->description, "driver"), "machine", vta_rpc_machine(r->rpc),
                             "library", vta_rpc_library(r->rpc), "seconds", r->seconds, "outputs",
                             cli_tensors_json(outputs, data), "stats", r->statistics));
}

static void print_text(const running *r, const cli_tensors *outputs, void *const *data) {
    json_int_t cycles = json_integer_value(json_object_get(r->statistics, "cycles"));
    cli_tensors_print(outputs, data);
    printf("%.2f ms on a server (%s, %s)", r->seconds * 1e3, vta_rpc_machine(r->rpc),
           json_string_value(json_object_get(r->description, "driver")));
    if (cycles) printf(", %lld cycles", (long long)cycles);
    printf("\n");
}

static void report(const running *r, const cli_tensors *outputs, void *const *data) {
    r->run->json ? print_json(r, outputs, data) : print_text(r, outputs, data);
}

/* ---- Again and again on one input -------------------------------------------------------------------------------- */

static vta_status repeat(running *r) {
    vta_status status = VTA_OK;
    double fastest = 0;
    for (uint64_t i = 0; i < r->run->repeat && status == VTA_OK; i++) {
        r->seconds = 0;
        json_object_clear(r->statistics);
        status = run_once(r);
        if (i == 0 || r->seconds < fastest) fastest = r->seconds;
    }
    r->seconds = fastest;
    return status;
}

static vta_status run(running *r) {
    static const cli_list none;
    const cli_rpc_run *given = r->run;
    vta_status status = cli_tensors_read(&r->inputs.list, &given->inputs, NULL, true, &r->inputs.data);
    if (status == VTA_OK) status = send(r, r->inputs.data);
    if (status == VTA_OK) status = repeat(r);
    if (status == VTA_OK) status = cli_tensors_read(&r->outputs.list, &none, NULL, false, &r->outputs.data);
    if (status == VTA_OK) status = fetch(r, r->outputs.data);
    if (status == VTA_OK) status = cli_tensors_write(&r->outputs.list, &given->outputs, r->outputs.data);
    if (status == VTA_OK) report(r, &r->outputs.list, r->outputs.data);
    cli_tensors_free(&r->inputs.list, r->inputs.data);
    cli_tensors_free(&r->outputs.list, r->outputs.data);
    return status;
}

/* ---- A stream ---------------------------------------------------------------------------------------------------- */

static vta_status run_chunk(void *user, void *const *inputs, void *const *outputs) {
    running *r = user;
    vta_status status = send(r, inputs);
    if (status == VTA_OK) status = run_once(r);
    return status == VTA_OK ? fetch(r, outputs) : status;
}

static vta_status run_stream(running *r) {
    const cli_rpc_run *given = r->run;
    cli_stream s;
    vta_status status =
        cli_stream_run(&r->inputs.list, &r->outputs.list, &given->inputs, &given->carry, run_chunk, r, &s);
    if (status == VTA_OK) status = cli_tensors_write(&s.results, &given->outputs, s.data);
    if (status == VTA_OK) report(r, &s.results, s.data);
    cli_stream_free(&s);
    return status;
}

vta_status cli_rpc_run_model(vta_rpc *rpc, const cli_rpc_run *given) {
    static running r;
    r = (running){.run = given, .rpc = rpc, .statistics = json_object()};
    vta_status status = load(&r);
    if (status == VTA_OK) status = make_arrays(&r);
    if (status == VTA_OK) status = given->carry.count ? run_stream(&r) : run(&r);
    json_decref(r.description);
    json_decref(r.statistics);
    return status;
}

/* Points measured on servers: a network compiled for a machine runs on the server that stands for it. */
#include <stdlib.h>
#include <string.h>

#include "rpc_tensors.h"
#include "sample.h"
#include "sweep.h"
#include "vta/support.h"

/* The quickest run counts. A session that breaks is opened again, on whichever server is free then. */
enum { RUNS = 3, SESSIONS = 3 };

typedef struct measuring {
    const sweep_servers *servers;
    const vta_config *config;
    vta_diag *diag;
    const uint8_t *bytes; /* of the artifact */
    size_t size;
    vta_rpc *rpc;
    uint64_t model;
    json_t *description;
    cli_rpc_tensors inputs, outputs;
} measuring;

static const char file_name[] = "point.vta-model";

static vta_status load(measuring *m) {
    char *config = vta_config_to_json(m->config), *text = NULL;
    vta_status status = config ? vta_rpc_configure(m->rpc, config, m->diag) : VTA_NO_MEMORY;
    vta_string_free(config);
    if (status == VTA_OK) status = vta_rpc_upload(m->rpc, file_name, m->bytes, m->size, m->diag);
    if (status == VTA_OK) status = vta_rpc_load_model(m->rpc, file_name, m->diag, &m->model, &text);
    if (status != VTA_OK) return status;
    m->description = json_loads(text, 0, NULL);
    vta_string_free(text);
    status = cli_rpc_tensors_read(m->description, "inputs", file_name, m->diag, &m->inputs);
    if (status == VTA_OK) status = cli_rpc_tensors_read(m->description, "outputs", file_name, m->diag, &m->outputs);
    return status;
}

/* Random numbers: what they are changes no cycle. */
static vta_status send_inputs(measuring *m) {
    cli_sample sample = cli_sample_begin(1);
    vta_status status = cli_rpc_tensors_make(m->rpc, &m->inputs, m->diag);
    if (status == VTA_OK) status = cli_rpc_tensors_make(m->rpc, &m->outputs, m->diag);
    for (size_t i = 0; i < m->inputs.count && status == VTA_OK; i++) {
        const cli_tensor *t = &m->inputs.at[i];
        uint8_t *bytes = malloc(t->bytes + 1);
        if (!bytes) return VTA_NO_MEMORY;
        cli_sample_fill(&sample, t->type, bytes, t->bytes);
        status = vta_rpc_write(m->rpc, m->inputs.arrays[i], 0, bytes, t->bytes, m->diag);
        free(bytes);
    }
    return status;
}

static vta_status run(measuring *m, result *out) {
    uint64_t arrays[2 * CLI_LIST_MAX];
    memcpy(arrays, m->inputs.arrays, m->inputs.count * sizeof *arrays);
    memcpy(arrays + m->inputs.count, m->outputs.arrays, m->outputs.count * sizeof *arrays);
    for (int i = 0; i < RUNS; i++) {
        double seconds;
        char *text;
        vta_status status =
            vta_rpc_run_model(m->rpc, m->model, arrays, m->inputs.count + m->outputs.count, m->diag, &seconds, &text);
        if (status != VTA_OK) return status;
        json_t *counters = json_loads(text, 0, NULL);
        vta_string_free(text);
        out->cycles = (uint64_t)json_integer_value(json_object_get(counters, "cycles"));
        out->runs = (uint32_t)json_integer_value(json_object_get(counters, "insn_finish"));
        json_decref(counters);
        if (!i || seconds < out->seconds) out->seconds = seconds;
    }
    return VTA_OK;
}

/* Where and on what it was measured. */
static vta_status name_device(const measuring *m, result *out) {
    const char *driver = json_string_value(json_object_get(m->description, "driver"));
    free(out->device);
    free(out->server);
    out->device = strdup(driver ? driver : vta_rpc_driver(m->rpc));
    out->server = strdup(vta_rpc_server(m->rpc));
    return out->device && out->server ? VTA_OK : VTA_NO_MEMORY;
}

/* One session; *out_broke: another one may go better. */
static vta_status in_session(measuring *m, result *out, bool *out_connected, bool *out_broke) {
    vta_status status = cli_place_open(&m->servers->place, m->servers->at, m->diag, &m->rpc);
    *out_connected = status == VTA_OK;
    *out_broke = status != VTA_OK;
    if (status != VTA_OK) return status;
    status = load(m);
    if (status == VTA_OK) status = send_inputs(m);
    if (status == VTA_OK) status = run(m, out);
    if (status == VTA_OK) status = name_device(m, out);
    *out_broke = status == VTA_IO || status == VTA_TIMEOUT;
    json_decref(m->description);
    m->description = NULL;
    vta_rpc_close(m->rpc);
    m->rpc = NULL;
    return status;
}

vta_status sweep_point_measure(const sweep_setup *s, const sweep_subject *subject, const sweep_machine *machine,
                               vta_diag *diag, result *out) {
    uint8_t *bytes = NULL;
    measuring *m = calloc(1, sizeof *m);
    if (!m) return VTA_NO_MEMORY;
    *m = (measuring){.servers = s->servers, .config = machine->config, .diag = diag};
    double begin = cli_now();
    vta_status status = sweep_network_artifact(subject->network, machine->config, &machine->timing, s->limit, diag,
                                               &bytes, &m->size, out);
    m->bytes = bytes;
    out->compile_seconds = cli_now() - begin;
    bool broke = status == VTA_OK, connected = false;
    for (int i = 0; i < SESSIONS && broke && status == VTA_OK; i++) {
        vta_diag_clear(diag);
        status = in_session(m, out, &connected, &broke);
        if (broke && i + 1 < SESSIONS) status = VTA_OK; /* again */
    }
    out->timing_seconds = cli_now() - begin - out->compile_seconds;
    if (status == VTA_OK) sweep_fill_machine(machine, out);
    vta_string_free((char *)bytes);
    free(m);
    if (status == VTA_OK || (connected && status == VTA_IO)) return status;
    if (broke && !connected) return VTA_IO;                                  /* no server can be had: the sweep ends */
    return status == VTA_NO_MEMORY && connected ? VTA_OUT_OF_RANGE : status; /* the server's memory, not ours */
}

#include "rpc_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "sample.h"
#include "stats.h"

enum { MAX_ARGS = 64, MAX_ROUNDS = 1000 };

typedef struct running {
    const cli_rpc_run *run;
    vta_rpc *rpc;
    uint64_t function;
    vta_signature *signature;
    size_t count;
    uint64_t arrays[MAX_ARGS], checksums[MAX_ARGS];
    size_t bytes[MAX_ARGS];
    TVMValue values[MAX_ARGS];
    int codes[MAX_ARGS];
    cli_sample sample;
    double seconds[MAX_ROUNDS];
    size_t rounds;
    json_t *statistics;
} running;

vta_status cli_rpc_upload(vta_rpc *rpc, const char *path) {
    char *bytes;
    size_t size;
    vta_status status = cli_read_file(path, &bytes, &size);
    if (status != VTA_OK) return status;
    status = vta_rpc_upload(rpc, cli_base_name(path), bytes, size, cli_diag());
    free(bytes);
    return status;
}

/* --function, or the module's only one. */
static vta_status find_function(running *r) {
    uint64_t module;
    char *names = NULL, *text = NULL, name[256];
    vta_status status = vta_rpc_load_module(r->rpc, cli_base_name(r->run->path), cli_diag(), &module, &names);
    if (status != VTA_OK) return status;
    snprintf(name, sizeof name, "%s", r->run->function ? r->run->function : names);
    if (!r->run->function && strchr(names, '\n')) {
        for (char *c = names; *c; c++) *c = *c == '\n' ? ' ' : *c;
        status = cli_fail(VTA_INVALID_ARGUMENT, "%s has several functions, say which with --function: %s", r->run->path,
                          names);
    }
    vta_string_free(names);
    if (status == VTA_OK) status = vta_rpc_function(r->rpc, module, name, cli_diag(), &r->function, &text);
    if (status == VTA_OK && !*text)
        status = cli_fail(VTA_UNSUPPORTED, "%s does not say which tensors %s takes: objects of `vta build` do",
                          r->run->path, name);
    if (status == VTA_OK) status = vta_signature_parse(text, r->run->path, NULL, cli_diag(), &r->signature);
    vta_string_free(text);
    return status;
}

/* The server's hardware is what the object was compiled for, else nothing would fit. */
static vta_status configure(running *r) {
    const vta_config *config = vta_signature_config(r->signature);
    if (!config || !r->run->reconfigure) return VTA_OK;
    char *text = vta_config_to_json(config);
    if (!text) return VTA_NO_MEMORY;
    vta_status status = vta_rpc_configure(r->rpc, text, cli_diag());
    vta_string_free(text);
    return status;
}

static vta_status make_array(running *r, size_t i, const vta_signature_arg *a) {
    const DLTensor shape = {.ndim = a->ndim, .dtype = a->dtype, .shape = (int64_t *)a->shape};
    for (int32_t d = 0; d < a->ndim; d++)
        if (a->shape[d] < 0)
            return cli_fail(VTA_UNSUPPORTED, "%s: the shape of argument %s is open", r->run->path, a->name);
    vta_status status = vta_tensor_bytes(&shape, &r->bytes[i]);
    if (status == VTA_OK)
        status = vta_rpc_array(r->rpc, a->device_type, a->ndim, a->shape, a->dtype, cli_diag(), &r->arrays[i]);
    r->values[i].v_int64 = (int64_t)r->arrays[i];
    r->codes[i] = VTA_ARG_TENSOR;
    return status;
}

/* Fills an input, or takes the checksum of an output. */
static vta_status move(running *r, size_t i, const vta_signature_arg *a) {
    uint8_t *bytes = malloc(r->bytes[i] ? r->bytes[i] : 1);
    if (!bytes) return VTA_NO_MEMORY;
    vta_status status;
    if (a->is_output) {
        status = vta_rpc_read(r->rpc, r->arrays[i], 0, bytes, r->bytes[i], cli_diag());
        if (status == VTA_OK) r->checksums[i] = cli_checksum(bytes, r->bytes[i]);
    } else {
        cli_sample_fill(&r->sample, a->dtype, bytes, r->bytes[i]);
        status = vta_rpc_write(r->rpc, r->arrays[i], 0, bytes, r->bytes[i], cli_diag());
    }
    free(bytes);
    return status;
}

static vta_status make_arguments(running *r) {
    vta_status status = VTA_OK;
    r->count = vta_signature_arg_count(r->signature);
    if (r->count > MAX_ARGS) return cli_fail(VTA_UNSUPPORTED, "%s: more than %d arguments", r->run->path, MAX_ARGS);
    for (size_t i = 0; i < r->count && status == VTA_OK; i++) {
        const vta_signature_arg *a = vta_signature_get_arg(r->signature, i);
        if (!a->is_tensor)
            return cli_fail(VTA_UNSUPPORTED, "%s: argument %s is a number, and the object does not say which",
                            r->run->path, a->name);
        status = make_array(r, i, a);
        if (status == VTA_OK && !a->is_output) status = move(r, i, a);
    }
    return status;
}

static vta_status take_statistics(running *r) {
    char *text;
    if (!vta_signature_config(r->signature)) return VTA_OK;
    vta_status status = vta_rpc_statistics(r->rpc, cli_diag(), &text);
    if (status == VTA_OK) r->statistics = cli_json_of(text);
    return status;
}

static vta_status call(running *r) {
    vta_status status = vta_rpc_call(r->rpc, r->function, r->values, r->codes, (int)r->count, cli_diag(), NULL, NULL);
    for (size_t i = 0; i < r->count && status == VTA_OK; i++) {
        const vta_signature_arg *a = vta_signature_get_arg(r->signature, i);
        if (a->is_output) status = move(r, i, a);
    }
    return status == VTA_OK ? take_statistics(r) : status;
}

static vta_status measure(running *r) {
    if (!r->run->number) return VTA_OK;
    r->rounds = r->run->repeat < MAX_ROUNDS ? (size_t)r->run->repeat : MAX_ROUNDS;
    return vta_rpc_time(r->rpc, r->function, r->values, r->codes, (int)r->count, (uint32_t)r->run->number,
                        (uint32_t)r->rounds, (uint32_t)r->run->min_repeat_ms, cli_diag(), r->seconds);
}

static double mean(const running *r) {
    double sum = 0;
    for (size_t i = 0; i < r->rounds; i++) sum += r->seconds[i];
    return r->rounds ? sum / (double)r->rounds : 0;
}

static void print_json(const running *r) {
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "kernel", vta_signature_name(r->signature), "file", r->run->path,
                          "machine", vta_rpc_machine(r->rpc), "library", vta_rpc_library(r->rpc));
    json_t *outputs = json_object();
    for (size_t i = 0; i < r->count; i++) {
        const vta_signature_arg *a = vta_signature_get_arg(r->signature, i);
        char text[32];
        snprintf(text, sizeof text, "%016" PRIx64, r->checksums[i]);
        if (a->is_output) json_object_set_new(outputs, a->name, json_string(text));
    }
    json_object_set_new(o, "checksums", outputs);
    if (r->statistics) json_object_set(o, "stats", r->statistics);
    json_t *rounds = json_array();
    for (size_t i = 0; i < r->rounds; i++) json_array_append_new(rounds, json_real(r->seconds[i]));
    if (r->rounds) json_object_set(o, "seconds", rounds);
    json_decref(rounds);
    cli_print_json(o);
}

static void print_text(const running *r) {
    vta_counters counters = {0};
#define VTA_COUNTER(name, meaning) counters.name = (uint64_t)json_integer_value(json_object_get(r->statistics, #name));
#include "vta/counters.def"
#undef VTA_COUNTER
    if (r->statistics) cli_print_stats(&counters);
    for (size_t i = 0; i < r->count; i++) {
        const vta_signature_arg *a = vta_signature_get_arg(r->signature, i);
        if (a->is_output) printf("%s: %zu bytes, checksum %016" PRIx64 "\n", a->name, r->bytes[i], r->checksums[i]);
    }
    if (r->rounds) printf("%.6g s a call, mean of %zu rounds\n", mean(r), r->rounds);
    printf("%s ran on a server (%s). Its values were not compared.\n", vta_signature_name(r->signature),
           vta_rpc_machine(r->rpc));
}

vta_status cli_rpc_run_object(vta_rpc *rpc, const cli_rpc_run *run) {
    static running r;
    r = (running){.run = run, .rpc = rpc, .sample = cli_sample_begin(run->seed)};
    vta_status status = cli_rpc_upload(rpc, run->path);
    if (status == VTA_OK) status = find_function(&r);
    if (status == VTA_OK) status = configure(&r);
    if (status == VTA_OK) status = make_arguments(&r);
    if (status == VTA_OK) status = call(&r);
    if (status == VTA_OK) status = measure(&r);
    if (status == VTA_OK && run->json) print_json(&r);
    if (status == VTA_OK && !run->json) print_text(&r);
    json_decref(r.statistics);
    vta_signature_destroy(r.signature);
    return status;
}

#include "c_run_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "object.h"
#include "sample.h"
#include "stats.h"
#include "timing.h"

enum { MAX_ARGS = 64 };

typedef struct running {
    const cli_object_run *run;
    cli_object object;
    vta_config *config; /* NULL: for the host */
    size_t count;
    vta_signature_arg args[MAX_ARGS];
    vta_array *arrays[MAX_ARGS];
    uint64_t checksums[MAX_ARGS]; /* of outputs */
    cli_sample sample;
    double seconds;
} running;

static vta_status start_runtime(running *r) {
    const cli_device *device = r->run->device;
    if (!vta_signature_config(r->object.signature)) return VTA_OK;
    vta_config *base = NULL;
    vta_status status = VTA_OK;
    if (r->run->common->config) status = vta_config_find(r->run->common->config, cli_diag(), &base, NULL);
    if (status == VTA_OK) status = cli_object_config(&r->object, base, &r->run->common->set, &r->config);
    vta_config_release(base);
    if (status != VTA_OK) return status;
    cli_asked_device asked;
    char timing[CLI_DEVICE_TIMING];
    const char *driver = device->driver ? device->driver : vta_config_target(r->config);
    const vta_runtime_options options = {.device = &asked.options};
    status = cli_device_asked(device, &asked);
    if (status == VTA_OK) status = cli_device_timing(device->timing, r->config, driver, timing);
    if (status != VTA_OK) return status;
    asked.options.profile = *timing ? timing : NULL;
    return vta_runtime_reconfigure(r->config, device->driver, &options, cli_diag());
}

/* Fills an input, or takes the checksum of an output. */
static vta_status move(running *r, size_t i) {
    size_t size = vta_array_bytes(r->arrays[i]);
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes) return VTA_NO_MEMORY;
    vta_status status;
    if (r->args[i].is_output) {
        status = vta_array_read(r->arrays[i], bytes, size, cli_diag());
        r->checksums[i] = cli_checksum(bytes, size);
    } else {
        cli_sample_fill(&r->sample, r->args[i].dtype, bytes, size);
        status = vta_array_write(r->arrays[i], bytes, size, cli_diag());
    }
    free(bytes);
    return status;
}

static vta_status call(running *r) {
    DLTensor *tensors[MAX_ARGS];
    vta_status status = VTA_OK;
    for (size_t i = 0; i < r->count && status == VTA_OK; i++) {
        const vta_signature_arg *a = &r->args[i];
        status = vta_array_create(a->device_type, a->ndim, a->shape, a->dtype, NULL, cli_diag(), &r->arrays[i]);
        if (status == VTA_OK && !a->is_output) status = move(r, i);
        if (status == VTA_OK) tensors[i] = vta_array_tensor(r->arrays[i]);
    }
    if (status != VTA_OK) return status;
    double begin = cli_now();
    status = vta_function_call_tensors(r->object.function, tensors, (int)r->count, cli_diag());
    r->seconds = cli_now() - begin;
    for (size_t i = 0; i < r->count && status == VTA_OK; i++)
        if (r->args[i].is_output) status = move(r, i);
    return status;
}

static void print_json(const running *r, vta_status status) {
    vta_counters counters = vta_runtime_counters(NULL);
    json_t *o = json_pack("{s:s, s:s, s:s, s:f, s:b}", "kernel", vta_signature_name(r->object.signature), "file",
                          r->run->path, "target", r->config ? "vta" : "llvm", "seconds", r->seconds, "compared", 0);
    if (status != VTA_OK) json_object_set_new(o, "error", json_string(vta_status_text(status)));
    json_t *outputs = json_object();
    for (size_t i = 0; i < r->count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%016" PRIx64, r->checksums[i]);
        if (status == VTA_OK && r->args[i].is_output) json_object_set_new(outputs, r->args[i].name, json_string(text));
    }
    json_object_set_new(o, "checksums", outputs);
    if (r->config) {
        json_object_set_new(o, "config", json_string(vta_config_bitstream(r->config)));
        json_object_set_new(o, "stats", cli_stats_json(&counters));
        if (r->run->device->check) cli_findings_json(o, vta_runtime_findings_to_json(NULL));
    }
    cli_print_json(o);
}

static void print_text(const running *r) {
    vta_counters counters = vta_runtime_counters(NULL);
    if (r->config) cli_print_stats(&counters);
    if (r->config && r->run->device->check) printf("No races.\n");
    if (r->run->device->skip_execution) return;
    for (size_t i = 0; i < r->count; i++)
        if (r->args[i].is_output)
            printf("%s: %zu bytes, checksum %016" PRIx64 "\n", r->args[i].name, vta_array_bytes(r->arrays[i]),
                   r->checksums[i]);
    printf("%s ran. Its values were not compared; vta prove %s compares what it does with what it should do.\n",
           vta_signature_name(r->object.signature), r->run->path);
}

vta_status cli_run_object(const cli_object_run *run) {
    static running r;
    r.run = run;
    r.sample = cli_sample_begin(run->device->options.seed);
    vta_status status = cli_object_open(run->path, run->function, cli_diag(), &r.object);
    if (status == VTA_OK) status = cli_object_args(&r.object, cli_diag(), MAX_ARGS, r.args);
    if (status == VTA_OK) r.count = vta_signature_arg_count(r.object.signature);
    if (status == VTA_OK) status = start_runtime(&r);
    bool checked = status == VTA_OK && r.config && run->device->check;
    if (status == VTA_OK) status = call(&r);
    if (checked) cli_findings_warn(vta_runtime_findings_to_json(NULL));
    if (run->common->json && (status == VTA_OK || checked))
        print_json(&r, status);
    else if (status == VTA_OK)
        print_text(&r);
    for (size_t i = 0; i < r.count; i++) vta_array_free(r.arrays[i]);
    cli_object_close(&r.object);
    vta_config_release(r.config);
    return status;
}

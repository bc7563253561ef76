/* vta run: compile a kernel file, run it on random inputs, compare with the meaning of its expressions; or run an
 * object, or a network. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "c_kernel.h"
#include "c_network.h"
#include "c_run_float.h"
#include "c_run_object.h"
#include "device.h"
#include "findings.h"
#include "object.h"
#include "stats.h"
#include "timing.h"

typedef struct running {
    cli_kernel k;
    cli_device device;
    const char *trace_path, *function;
    bool interpret;
    vta_config *config;
    vtac_kernel *kernel;
    cli_schedule scheduled;
    const char *target;
    const vtac_func *func;
    vtac_module *module;
    FILE *trace;
    bool started; /* there is a runtime for this kernel */
    vtac_check_result result;
} running;

static void write_trace(void *ctx, const char *text, size_t size) { fwrite(text, 1, size, ctx); }

static vta_status compile(running *r, vta_packed_function *out_function) {
    vta_status status = cli_kernel_target(&r->k, r->kernel, &r->target);
    if (status != VTA_OK) return status;
    status = cli_kernel_schedule(&r->k, r->kernel, &r->scheduled);
    if (status != VTA_OK) return status;
    vtac_lower_options lower = cli_kernel_options(&r->k, r->config, r->target);
    status = cli_kernel_lower(r->scheduled.kernel, &lower, &r->func);
    if (status != VTA_OK) return status;
    vtac_build_func f = {.func = r->func};
    vtac_build_options options = {.target = r->target, .trace = r->trace_path != NULL};
    status = vtac_build(1, &f, &options, cli_diag(), &r->module);
    if (status != VTA_OK) return status;
    return vtac_module_function(r->module, vtac_func_name(r->func), cli_diag(), out_function);
}

static vta_status start_runtime(running *r) {
    cli_asked_device asked;
    const vta_runtime_options options = {.device = &asked.options};
    char timing[CLI_DEVICE_TIMING]; /* the configuration says it: only whether something is timed */
    const char *driver = r->device.driver ? r->device.driver : vta_config_target(r->config);
    vta_status status = cli_device_asked(&r->device, &asked);
    if (status == VTA_OK && !r->k.automatic) status = cli_device_timing(r->device.timing, r->config, driver, timing);
    if (status == VTA_OK) status = vta_runtime_reconfigure(r->config, r->device.driver, &options, cli_diag());
    r->started = status == VTA_OK;
    return status;
}

static vta_status trace_error(const char *path) {
    char message[512];
    snprintf(message, sizeof message, "--trace-calls %.400s: cannot write: %s", path, strerror(errno));
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_IO, message);
    return VTA_IO;
}

static vta_status begin_trace(running *r) {
    if (!r->trace_path) return VTA_OK;
    bool to_stdout = !strcmp(r->trace_path, "-");
    r->trace = to_stdout ? stdout : fopen(r->trace_path, "w");
    if (r->trace) return vtac_trace_begin(write_trace, r->trace);
    return trace_error(r->trace_path);
}

static vta_status end_trace(running *r) {
    if (!r->trace) return VTA_OK;
    vtac_trace_end();
    if (r->trace == stdout) return VTA_OK; /* cli_finish looks at it */
    bool complete = !ferror(r->trace);
    return fclose(r->trace) == 0 && complete ? VTA_OK : trace_error(r->trace_path);
}

static vta_status call(running *r, vta_packed_function function) {
    size_t n = vtac_kernel_arg_count(r->kernel);
    const te_tensor **args = calloc(n + 1, sizeof *args);
    if (!args) return VTA_NO_MEMORY;
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(r->kernel, i);
    vtac_check_options options = {.seed = r->device.options.seed, .interpret = r->interpret};
    int32_t device = strcmp(r->target, "vta") == 0 ? kDLExtDev : kDLCPU;
    vta_status status =
        vtac_check(vtac_kernel_context(r->kernel), n, args, function, device, &options, cli_diag(), &r->result);
    free(args);
    return status;
}

static vta_status run(running *r, const char *path) {
    vta_packed_function function;
    vta_status status = cli_kernel_load(&r->k, path, &r->config, &r->kernel);
    if (status != VTA_OK) return status;
    status = compile(r, &function);
    if (status == VTA_OK) status = start_runtime(r);
    if (status == VTA_OK) status = begin_trace(r);
    if (status == VTA_OK) status = call(r, function);
    vta_status closed = end_trace(r);
    if (status == VTA_OK) status = closed;
    bool wrong = r->result.different && !r->device.skip_execution;
    if (status == VTA_OK && wrong) {
        char message[256];
        snprintf(message, sizeof message,
                 "%s differs from the reference at element %llu: %s, not %s (%llu of %llu elements differ)",
                 te_tensor_name(vtac_kernel_arg(r->kernel, r->result.arg)), (unsigned long long)r->result.index,
                 r->result.got, r->result.expected, (unsigned long long)r->result.different,
                 (unsigned long long)r->result.elements);
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_MISMATCH, message);
        status = VTA_MISMATCH;
    }
    return status;
}

static void report(const running *r, const char *path, vta_status status) {
    vta_counters counters = vta_runtime_counters(NULL);
    bool vta = strcmp(r->target, "vta") == 0;
    if (r->k.common.json) {
        json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f}", "kernel", vtac_kernel_name(r->kernel), "file",
                              path, "config", vta_config_bitstream(r->config), "target", r->target, "elements",
                              (json_int_t)r->result.elements, "different", (json_int_t)r->result.different, "seconds",
                              r->result.run_seconds, "reference_seconds", r->result.reference_seconds);
        if (status != VTA_OK) json_object_set_new(o, "error", json_string(vta_status_text(status)));
        if (vta) json_object_set_new(o, "stats", cli_stats_json(&counters));
        if (r->k.automatic) json_object_set_new(o, "auto", cli_kernel_schedule_json(&r->scheduled));
        if (vta && r->device.check) cli_findings_json(o, vta_runtime_findings_to_json(NULL));
        cli_print_json(o);
        return;
    }
    if (r->k.automatic) printf("%s\n\n", vtac_op_report(r->scheduled.op));
    if (vta) cli_print_stats(&counters);
    if (vta && r->device.check) printf("No races.\n");
    if (!r->device.skip_execution)
        printf("%s: %llu elements equal the reference, bit for bit.\n", vtac_kernel_name(r->kernel),
               (unsigned long long)r->result.elements);
}

/* Options that say how to compile, or what to compare with, when there is nothing to compile. NULL: none is given. */
static const char *source_option(const running *r) {
    return r->k.params.count     ? "--param"
           : r->k.disabled.count ? "--disable-pass"
           : r->k.target         ? "--target"
           : r->k.unroll         ? "--unroll"
           : r->k.debug          ? "--debug"
           : r->k.verify         ? "--verify"
           : r->k.automatic      ? "--auto"
           : r->interpret        ? "--interpret"
           : r->trace_path       ? "--trace-calls"
                                 : NULL;
}

/* How networks are run. */
typedef struct network_run {
    cli_model model;
    cli_network network;
    cli_pictures pictures;
    bool is_float;
} network_run;

static int run_model(const cli_command *self, running *r, network_run *n, const char *path) {
    const char *option = source_option(r);
    n->network.common = &r->k.common;
    if (!option && r->function) option = "--function";
    if (option) return cli_usage(self, "%s: %s is for kernels", path, option);
    option = n->is_float ? "--float" : cli_network_option(&n->network);
    if (cli_is_network(path)) option = NULL;
    if (option) return cli_usage(self, "%s: %s is for ONNX models; this network is compiled already", path, option);
    if (n->model.carry.count && n->model.repeat)
        return cli_usage(self, "%s: --carry and --repeat: expected one of them", path);
    if (n->model.carry.count && cli_is_network(path) && !n->is_float && !n->network.calibrate.count)
        return cli_usage(self, "%s: --carry of a model that is not compiled: its samples are missing, --calibrate",
                         path);
    if (n->is_float && cli_hardware_option(&r->k.common))
        return cli_usage(self, "%s is for the accelerator, --float does without it", cli_hardware_option(&r->k.common));
    n->model.path = path;
    n->model.device = &r->device;
    n->model.json = r->k.common.json;
    n->model.pictures = n->network.pictures = &n->pictures;
    n->network.inputs = &n->model.inputs;
    n->model.shapes = &n->network.of_graph.shapes;
    cli_network_use(&n->network);
    vta_status status = cli_pictures_settle(&n->pictures, path);
    if (status == VTA_OK)
        status = n->is_float ? cli_run_float(&n->network.of_graph, &n->model) : cli_run_model(&n->model);
    free(n->pictures.labels);
    return cli_finish(status);
}

int cmd_run(const cli_command *self, int argc, char **argv) {
    static running r;
    static network_run n;
    const cli_option options[] = {
        CLI_MODEL_OPTIONS(&n.model),
        {"float", 0, CLI_FLAG, NULL, "an ONNX model in floats, on the host", &n.is_float},
        {"trace-calls", 0, CLI_TEXT, "FILE", "write every call of the runtime there (-: standard output)",
         &r.trace_path},
        {"interpret", 0, CLI_FLAG, NULL, "the reference is the slow evaluator, also for large kernels", &r.interpret},
        {"function", 0, CLI_TEXT, "NAME", "which kernel of an object that has several", &r.function},
        CLI_DEVICE_OPTIONS(&r.device),
        CLI_TIMING_OPTIONS(&r.k.common.timing),
        CLI_KERNEL_OPTIONS(&r.k),
        CLI_NETWORK_OPTIONS(&n.network),
        CLI_PICTURE_OPTIONS(&n.pictures),
        CLI_GRAPH_OPTIONS(&n.network.of_graph),
        CLI_CONFIG_OPTIONS(&r.k.common),
        CLI_JSON_OPTION(&r.k.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    r.device.timing = &r.k.common.timing;
    if (argc != 1)
        return cli_usage(self, argc ? "%s: one kernel file at a time" : "which kernel file, object or network?%s",
                         argc ? argv[1] : "");
    if (cli_is_model(argv[0])) return run_model(self, &r, &n, argv[0]);
    if (n.model.inputs.count || n.model.outputs.count || n.model.repeat || n.model.carry.count)
        return cli_usage(self, "%s: --input, --output, --carry and --repeat are for networks", argv[0]);
    if (cli_is_object(argv[0])) {
        const char *option = source_option(&r);
        if (option) return cli_usage(self, "%s: %s is for kernel files; this is compiled already", argv[0], option);
        return cli_finish(cli_run_object(&(cli_object_run){argv[0], r.function, &r.device, &r.k.common}));
    }
    if (r.function) return cli_usage(self, "%s: --function is for objects", argv[0]);
    vta_status status = run(&r, argv[0]);
    bool checked = r.started && r.device.check;
    if (checked) cli_findings_warn(vta_runtime_findings_to_json(NULL));
    if (status == VTA_OK || (checked && r.k.common.json)) report(&r, argv[0], status);
    vtac_module_destroy(r.module);
    cli_kernel_release(&r.scheduled);
    vtac_kernel_destroy(r.kernel);
    if (r.config) vta_config_release(r.config);
    return cli_finish(status);
}

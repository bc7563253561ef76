/* vta op: an operator by name and shape: its schedule is chosen, then it is compiled, run and compared. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "device.h"
#include "findings.h"
#include "stats.h"
#include "vta/ops.h"
#include "vta/runtime.h"

typedef struct state {
    cli_common common;
    cli_device device;
    const char *emit, *output;
    uint64_t tries;
    vta_config *config;
    vta_timing_profile profile;
    vtac_op *op;
    vtac_op_result result;
    vtac_check_result check;
    bool ran;
} state;

static vta_status find_profile(state *s) {
    if (s->device.options.profile) return vta_timing_profile_get(s->device.options.profile, cli_diag(), &s->profile);
    return vta_timing_profile_for(s->config, cli_diag(), &s->profile);
}

/* How operands lie is nothing to this tool, so it takes the cheapest where programs ask for plain tiles. */
static void choose_fold(const char *name, cli_list *pairs) {
    for (int i = 0; i < pairs->count; i++)
        if (!strncmp(pairs->item[i], "fold=", 5)) return;
    if (!strcmp(name, "conv2d") && pairs->count < CLI_LIST_MOST) pairs->item[pairs->count++] = "fold=-1";
}

static vta_status schedule(state *s, const char *name, cli_list *pairs) {
    choose_fold(name, pairs);
    char *text = cli_join(pairs);
    if (!text) return VTA_NO_MEMORY;
    vta_status status = cli_find_config(&s->common, &s->config);
    if (status == VTA_OK) status = find_profile(s);
    if (status == VTA_OK) status = vtac_op_create(name, text, s->config, NULL, cli_diag(), &s->op);
    free(text);
    if (status != VTA_OK) return status;
    vtac_op_options options = {.profile = &s->profile, .tries = (uint32_t)s->tries};
    return vtac_op_schedule(s->op, &options, cli_diag(), &s->result);
}

/* With the schedule in words on top, as comments. */
static vta_status emit(const state *s) {
    FILE *to = s->output ? fopen(s->output, "w") : stdout;
    if (!to) {
        char message[512];
        snprintf(message, sizeof message, "%.400s: cannot write", s->output);
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_IO, message);
        return VTA_IO;
    }
    fprintf(to, "# %llu cycles (%s, %u-bit bus); none takes less than %llu.\n", (unsigned long long)s->result.cycles,
            s->profile.name, (unsigned)s->profile.bus_bits, (unsigned long long)s->result.bound);
    fprintf(to, "# %s\n%s", vtac_op_report(s->op), vtac_op_text(s->op));
    return !s->output || fclose(to) == 0 ? VTA_OK : VTA_IO;
}

static vta_status call(state *s) {
    vtac_kernel *kernel = vtac_op_kernel(s->op);
    size_t n = vtac_kernel_arg_count(kernel);
    const te_tensor **args = calloc(n + 1, sizeof *args);
    vta_packed_function function;
    if (!args) return VTA_NO_MEMORY;
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(kernel, i);
    vtac_check_options options = {.seed = s->device.options.seed};
    vta_status status = vtac_module_function(vtac_op_module(s->op), vtac_op_name(s->op), cli_diag(), &function);
    if (status == VTA_OK)
        status = vtac_check(vtac_kernel_context(kernel), n, args, function, kDLExtDev, &options, cli_diag(), &s->check);
    free(args);
    return status;
}

static vta_status run(state *s) {
    vta_device_options device = s->device.options;
    device.check = s->device.check;
    device.skip_execution = s->device.skip_execution;
    vta_runtime_options options = {.device = &device};
    vta_status status = vta_runtime_reconfigure(s->config, s->device.driver, &options, cli_diag());
    s->ran = status == VTA_OK;
    return status == VTA_OK ? call(s) : status;
}

static vta_status compare(state *s) {
    char message[256];
    if (s->device.skip_execution || !s->check.different) return VTA_OK;
    snprintf(message, sizeof message, "%s: %llu of %llu elements differ; the first at %llu is %s and should be %s",
             vtac_op_name(s->op), (unsigned long long)s->check.different, (unsigned long long)s->check.elements,
             (unsigned long long)s->check.index, s->check.got, s->check.expected);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_MISMATCH, message);
    return VTA_MISMATCH;
}

static void report(const state *s, vta_status status) {
    bool correct = status == VTA_OK && !s->device.skip_execution;
    const vtac_op_result *r = &s->result;
    if (!s->common.json) {
        if (status != VTA_OK) return;
        printf("%s\n\n", vtac_op_report(s->op));
        printf("cycles       %llu (%s, %u-bit bus)\nbound        %llu (%.1f %% of the cycles)\n",
               (unsigned long long)r->cycles, s->profile.name, (unsigned)s->profile.bus_bits,
               (unsigned long long)r->bound, 100.0 * (double)r->bound / (double)r->cycles);
        printf("macs         %llu\nschedule     %.1f ms\ncompile      %.1f ms\n", (unsigned long long)r->macs,
               r->schedule_ms, r->compile_ms);
        if (correct)
            printf("%s: %llu elements equal the reference, bit for bit.\n", vtac_op_name(s->op),
                   (unsigned long long)s->check.elements);
        return;
    }
    json_t *j = json_pack("{s:s, s:b, s:I, s:I, s:I, s:f, s:f, s:s, s:s, s:I, s:I, s:I, s:I}", "operator",
                          vtac_op_name(s->op), "correct", correct, "cycles", (json_int_t)r->cycles, "bound",
                          (json_int_t)r->bound, "macs", (json_int_t)r->macs, "schedule_ms", r->schedule_ms,
                          "compile_ms", r->compile_ms, "schedule", vtac_op_report(s->op), "profile", s->profile.name,
                          "elements", (json_int_t)s->check.elements, "considered", (json_int_t)r->considered, "timed",
                          (json_int_t)r->timed, "refused", (json_int_t)r->refused);
    if (s->device.check) cli_findings_json(j, vta_runtime_findings_to_json(NULL));
    cli_print_json(j);
}

static int finish(state *s, vta_status status) {
    if (s->ran && s->device.check) cli_findings_warn(vta_runtime_findings_to_json(NULL));
    if (s->ran) report(s, status);
    vtac_op_destroy(s->op);
    if (s->config) vta_config_release(s->config);
    return cli_finish(status);
}

int cmd_op(const cli_command *self, int argc, char **argv) {
    static state s;
    const cli_option options[] = {
        {"emit", 0, CLI_TEXT, "te", "write the kernel file with the chosen schedule; run nothing", &s.emit},
        {"output", 'o', CLI_TEXT, "FILE", "write it there (else to standard output)", &s.output},
        {"tries", 0, CLI_NUMBER, "N", "schedules that are compiled and timed, the best by estimate (3)", &s.tries},
        CLI_DEVICE_OPTIONS(&s.device),
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 1) return cli_usage(self, "which operator? vta ops lists them");
    if (argc - 1 > CLI_LIST_MOST) return cli_usage(self, "more than %d attributes", CLI_LIST_MOST);
    if (s.emit && strcmp(s.emit, "te") != 0) return cli_usage(self, "--emit %s: there is te", s.emit);
    if (s.output && !s.emit) return cli_usage(self, "--output is for --emit te");
    cli_list pairs = {.count = 0};
    for (int i = 1; i < argc; i++) pairs.item[pairs.count++] = argv[i];
    vta_status status = schedule(&s, argv[0], &pairs);
    if (status == VTA_OK) status = s.emit ? emit(&s) : run(&s);
    if (status == VTA_OK && !s.emit) status = compare(&s);
    return finish(&s, status);
}

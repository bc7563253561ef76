/* vta op: an operator by name and shape: its schedule is chosen, then it is compiled, run and compared. */
#include <stdlib.h>
#include <string.h>

#include "c_operator.h"
#include "file.h"
#include "findings.h"
#include "stats.h"
#include "vta/runtime.h"
#include "vta/tune.h"

typedef struct state {
    cli_common common;
    cli_device device;
    const char *emit, *output, *log, *database;
    uint64_t tries;
    bool no_database, prove;
    cli_operator o;
    vtac_op_result result;
    vtac_check_result check;
    vtac_prove_result proof;
    bool ran;
} state;

static vta_status apply_log(state *s) {
    vtac_tune_log *log;
    vta_status status = vtac_tune_log_load(s->log, NULL, cli_diag(), &log);
    if (status != VTA_OK) return status;
    status = vtac_tune_log_apply(log, s->o.op, &s->o.profile, cli_diag(), &s->result);
    vtac_tune_log_destroy(log);
    return status;
}

static vta_status schedule(state *s, int argc, char **argv) {
    vta_status status = cli_operator_make(&s->common, argc, argv, &s->o);
    if (status != VTA_OK) return status;
    if (s->log) return apply_log(s);
    vtac_op_options options = {
        .profile = &s->o.profile, .tries = (uint32_t)s->tries, .without_database = s->no_database};
    char *database = NULL;
    size_t size;
    if (s->database) status = cli_read_file(s->database, &database, &size);
    options.database = database;
    if (status == VTA_OK) status = vtac_op_schedule(s->o.op, &options, cli_diag(), &s->result);
    free(database);
    return status;
}

/* With the schedule in words on top, as comments. */
static vta_status emit(const state *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return VTA_NO_MEMORY;
    fprintf(to, "# %llu cycles (%s, %u-bit bus); none takes less than %llu.\n", (unsigned long long)s->result.cycles,
            s->o.profile.name, (unsigned)s->o.profile.bus_bits, (unsigned long long)s->result.bound);
    fprintf(to, "# %s\n%s", vtac_op_report(s->o.op), vtac_op_text(s->o.op));
    vta_status status = fclose(to) == 0 ? cli_write_file(s->output, text, size) : VTA_NO_MEMORY;
    free(text);
    return status;
}

static const char *origin_of(const vtac_op_result *r) {
    switch (r->origin) {
    case VTAC_OP_FROM_DATABASE: return "database";
    case VTAC_OP_TUNED: return "log";
    case VTAC_OP_ESTIMATED: break;
    }
    return "estimate";
}

static void report(const state *s, vta_status status) {
    bool correct = status == VTA_OK && !s->device.skip_execution;
    const vtac_op_result *r = &s->result;
    if (!s->common.json) {
        if (status != VTA_OK) return;
        printf("%s\n\n", vtac_op_report(s->o.op));
        printf("cycles       %llu (%s, %u-bit bus)\nbound        %llu (%.1f %% of the cycles)\n",
               (unsigned long long)r->cycles, s->o.profile.name, (unsigned)s->o.profile.bus_bits,
               (unsigned long long)r->bound, 100.0 * (double)r->bound / (double)r->cycles);
        printf("macs         %llu\nschedule     %.1f ms\ncompile      %.1f ms\n", (unsigned long long)r->macs,
               r->schedule_ms, r->compile_ms);
        if (vtac_op_may_wrap(s->o.op)) printf("note         %s\n", vtac_op_may_wrap(s->o.op));
        if (correct)
            printf("%s: %llu elements equal the definition, bit for bit, for random and extreme inputs.\n",
                   vtac_op_name(s->o.op), (unsigned long long)s->check.elements);
        if (s->prove && status == VTA_OK)
            printf("%s: proven, for all inputs and in every order; the chance that this is wrong is below 2^%.0f.\n",
                   vtac_op_name(s->o.op), s->proof.log2_error);
        return;
    }
    json_t *j = json_pack("{s:s, s:b, s:I, s:I, s:I, s:f, s:f, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "operator",
                          vtac_op_name(s->o.op), "correct", correct, "cycles", (json_int_t)r->cycles, "bound",
                          (json_int_t)r->bound, "macs", (json_int_t)r->macs, "schedule_ms", r->schedule_ms,
                          "compile_ms", r->compile_ms, "schedule", vtac_op_report(s->o.op), "profile",
                          s->o.profile.name, "bus_bits", (json_int_t)s->o.profile.bus_bits, "elements",
                          (json_int_t)s->check.elements, "considered", (json_int_t)r->considered, "timed",
                          (json_int_t)r->timed, "refused", (json_int_t)r->refused, "origin", origin_of(r));
    json_object_set_new(j, "may_wrap",
                        vtac_op_may_wrap(s->o.op) ? json_string(vtac_op_may_wrap(s->o.op)) : json_null());
    if (s->prove)
        json_object_set_new(j, "proof",
                            json_pack("{s:s, s:s, s:f}", "result", vtac_verdict_name(s->proof.verdict), "reason",
                                      s->proof.reason, "log2_error", s->proof.log2_error));
    if (s->device.check) cli_findings_json(j, vta_runtime_findings_to_json(NULL));
    cli_print_json(j);
}

/* That the kernel is the operator's definition for all inputs; anything else is a mismatch. */
static vta_status prove(state *s) {
    char message[640];
    vta_status status = vtac_op_prove(s->o.op, NULL, cli_diag(), &s->proof);
    if (status != VTA_OK || s->proof.verdict == VTAC_PROVEN) return status;
    snprintf(message, sizeof message, "%s: %s: %s", vtac_op_name(s->o.op), vtac_verdict_name(s->proof.verdict),
             s->proof.reason);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_MISMATCH, message);
    return VTA_MISMATCH;
}

static int finish(state *s, vta_status status) {
    if (s->ran && s->device.check) cli_findings_warn(vta_runtime_findings_to_json(NULL));
    if (s->ran) report(s, status);
    cli_operator_release(&s->o);
    return cli_finish(status);
}

int cmd_op(const cli_command *self, int argc, char **argv) {
    static state s;
    const cli_option options[] = {
        {"emit", 0, CLI_TEXT, "te", "write the kernel file with the chosen schedule; run nothing", &s.emit},
        {"output", 'o', CLI_TEXT, "FILE", "write it there (else to standard output)", &s.output},
        {"tries", 0, CLI_NUMBER, "N", "schedules that are compiled and timed, the best by estimate (3)", &s.tries},
        {"no-database", 0, CLI_FLAG, NULL, "choose without the database of tuned schedules", &s.no_database},
        {"database", 0, CLI_TEXT, "FILE", "a database in place of the library's", &s.database},
        {"prove", 0, CLI_FLAG, NULL, "prove besides that it computes its definition, for all inputs", &s.prove},
        {"log", 0, CLI_TEXT, "FILE", "take the best schedule of this log (of vta tune, or of AutoTVM for VTA)", &s.log},
        CLI_DEVICE_OPTIONS(&s.device),
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.common.timing),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 1) return cli_usage(self, "which operator? vta ops lists them");
    if (argc - 1 > CLI_LIST_MAX) return cli_usage(self, "more than %d attributes", CLI_LIST_MAX);
    if (s.emit && strcmp(s.emit, "te") != 0) return cli_usage(self, "--emit %s: there is te", s.emit);
    if (s.prove && s.emit) return cli_usage(self, "--prove runs the operator, --emit te does not");
    if (s.output && !s.emit) return cli_usage(self, "--output is for --emit te");
    vta_status status = schedule(&s, argc, argv);
    if (status == VTA_OK) status = s.emit ? emit(&s) : cli_operator_run(&s.o, &s.device, &s.ran, &s.check);
    if (status == VTA_OK && !s.emit && !s.device.skip_execution) status = cli_operator_compare(&s.o, &s.check);
    if (status == VTA_OK && s.prove) status = prove(&s);
    return finish(&s, status);
}

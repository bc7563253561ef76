/* vta sim: a captured program on a simulator. */

#include "cli.h"
#include "device.h"
#include "findings.h"
#include "stats.h"
#include "vta/program.h"
#include "vta/timing.h"

static bool show_progress(void *ctx, uint32_t run, uint32_t run_count) {
    (void)ctx;
    cli_progress("run", run, run_count);
    return false;
}

static uint64_t instructions(const vta_program *program) {
    uint64_t sum = 0;
    vta_program_run_info run;
    for (uint32_t i = 0; vta_program_get_run(program, i, &run) == VTA_OK; i++) sum += run.insn_count;
    return sum;
}

typedef struct report {
    const char *path;
    bool json, expect, check;
    vta_status status; /* of the run: with --json what --check found is printed when it fails, too */
} report;

/* A device that times has more to say: where the cycles went. */
static void print_timing(const vta_device *device, const vta_config *config, json_t *into) {
    vta_timing timing;
    vta_timing_profile profile;
    if (vta_device_timing(device, NULL, &timing, &profile) != VTA_OK) return;
    if (into) {
        json_object_set_new(into, "timing", cli_json_of(vta_timing_to_json(config, &profile, &timing)));
        return;
    }
    char *text = vta_timing_to_text(config, &profile, &timing);
    if (text) printf("\n%s", text);
    vta_string_free(text);
}

static void print_report(const report *r, const vta_program *program, const vta_device *device, double seconds) {
    vta_counters counters = vta_device_counters(device);
    if (r->json) {
        json_t *o =
            json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:o}", "program", r->path, "config",
                      vta_config_bitstream(vta_program_config(program)), "driver", vta_device_driver(device), "runs",
                      (json_int_t)vta_program_run_count(program), "instructions", (json_int_t)instructions(program),
                      "seconds", seconds, "stats", cli_stats_json(&counters));
        if (r->status != VTA_OK) json_object_set_new(o, "error", json_string(vta_status_text(r->status)));
        if (r->expect && r->status == VTA_OK) json_object_set_new(o, "as_recorded", json_true());
        if (r->check) cli_findings_json(o, vta_device_findings_to_json(device));
        print_timing(device, vta_program_config(program), o);
        cli_print_json(o);
        return;
    }
    cli_print_stats(&counters);
    print_timing(device, vta_program_config(program), NULL);
    if (r->expect) printf("DRAM and statistics are as recorded.\n");
    if (r->check) printf("No races.\n");
}

int cmd_sim(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    cli_device chosen = {.timing = &common.timing};
    bool expect = false;
    uint64_t wait_cycles = 0;
    const cli_option options[] = {
        {"expect", 'x', CLI_FLAG, NULL, "compare DRAM with the recorded contents after each run, and the statistics",
         &expect},
        CLI_DEVICE_OPTIONS(&chosen),
        CLI_TIMING_OPTIONS(&common.timing),
        {"wait-cycles", 0, CLI_NUMBER, "N", "stop a run of tsim after N cycles (0: never)", &wait_cycles},
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program is needed, not %d", argc);
    if (wait_cycles > UINT32_MAX) return cli_usage(self, "--wait-cycles: at most %u", UINT32_MAX);
    vta_program *program = NULL;
    vta_device *device = NULL;
    vta_status status = vta_program_load(argv[0], NULL, cli_diag(), &program);
    if (status == VTA_OK) status = cli_make_device(&chosen, vta_program_config(program), &device);
    double begin = cli_now();
    vta_program_options run = {.expect = expect, .wait_cycles = (uint32_t)wait_cycles, .progress = show_progress};
    if (status == VTA_OK) status = vta_program_run(program, device, &run, cli_diag());
    cli_progress_end();
    report r = {argv[0], common.json, expect, chosen.check, status};
    if (status == VTA_OK || (device && common.json && chosen.check))
        print_report(&r, program, device, cli_now() - begin);
    vta_device_destroy(device);
    vta_program_destroy(program);
    return cli_finish(status);
}

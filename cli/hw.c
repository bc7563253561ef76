/* vta hw: the accelerator as hardware. */
#include <string.h>

#include "hw.h"

static vta_status generate(const hw_job *j, const vta_config *config) {
    return vta_hardware_generate(config, &j->options, j->output, cli_diag());
}

static vta_status build(const hw_job *j, const vta_config *config) {
    char *path;
    vta_status status = vta_hardware_build(config, &j->options, cli_diag(), &path);
    if (status != VTA_OK) return status;
    if (j->common.json)
        cli_print_json(json_pack("{s:s, s:s}", "config", vta_config_bitstream(config), "model", path));
    else
        printf("%s\n", path);
    vta_string_free(path);
    return VTA_OK;
}

static const struct {
    const char *name;
    vta_status (*run)(const hw_job *j, const vta_config *config);
} actions[] = {{"generate", generate}, {"build", build}, {"synth", hw_synth}};

int cmd_hw(const cli_command *self, int argc, char **argv) {
    hw_job j = {0};
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FOLDER", "generate: where the design goes", &j.output},
        {"bus", 'b', CLI_NUMBER, "BITS", "width of the memory bus (default 64)", &j.bus},
        {"burst", 0, CLI_NUMBER, "BEATS", "longest burst (default 16)", &j.burst},
        {"queue", 0, CLI_NUMBER, "N", "entries of each module queue (default 512)", &j.queue},
        {"address", 0, CLI_NUMBER, "BITS", "of DRAM addresses, 16 to 32 (default 32)", &j.address},
        {"pack", 0, CLI_FLAG, NULL, "two 8-bit products in one multiplier (Xilinx)", &j.options.pack},
        {"small", 0, CLI_FLAG, NULL, "for small parts: a lane a cycle, no MUL, no ACC_8BIT, padding of inp only",
         &j.options.small},
        {"no-mul", 0, CLI_FLAG, NULL, "the ALU without MUL", &j.options.no_mul},
        {"wave", 0, CLI_FLAG, NULL, "build: a model that can write waves", &j.options.wave},
        {"coverage", 0, CLI_FLAG, NULL, "build: a model that counts what it covers", &j.options.coverage},
        {"assertions", 0, CLI_FLAG, NULL, "build: a model that checks assertions and starts from random contents",
         &j.options.assertions},
        {"for", 0, CLI_TEXT, "FAMILY", "synth: xilinx, ecp5, ice40 or generic", &j.family},
        {"part", 0, CLI_TEXT, "NAME", "synth: this part; where the design does not fit, the nearest one that does",
         &j.part},
        {"flatten", 0, CLI_FLAG, NULL, "synth: all modules in one: smaller, takes longer", &j.flatten},
        {"time-limit", 0, CLI_NUMBER, "SECONDS", "synth: for a call of Yosys (default 1200)", &j.time},
        {"netlist", 0, CLI_FLAG, NULL, "build: a model of what Yosys makes of the sources", &j.options.netlist},
        CLI_CONFIG_OPTIONS(&j.common),
        CLI_JSON_OPTION(&j.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one of generate, build and synth is needed");
    size_t action = 0, count = sizeof actions / sizeof *actions;
    while (action < count && strcmp(actions[action].name, argv[0])) action++;
    if (action == count) return cli_usage(self, "%s: not one of generate, build and synth", argv[0]);
    if (actions[action].run == generate && !j.output) return cli_usage(self, "generate needs --output FOLDER");
    if (actions[action].run == hw_synth && !j.family) return cli_usage(self, "synth needs --for FAMILY");
    if (j.time > UINT32_MAX || j.bus > UINT32_MAX || j.burst > UINT32_MAX || j.queue > UINT32_MAX ||
        j.address > UINT32_MAX)
        return cli_usage(self, "a number is too large");
    j.options.bus_bits = (uint32_t)j.bus;
    j.options.burst_beats = (uint32_t)j.burst;
    j.options.queue_depth = (uint32_t)j.queue;
    j.options.address_bits = (uint32_t)j.address;
    vta_config *config = NULL;
    vta_status status = cli_find_config(&j.common, &config);
    if (status == VTA_OK) status = actions[action].run(&j, config);
    vta_config_release(config);
    return cli_finish(status);
}

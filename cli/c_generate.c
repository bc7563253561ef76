/* vta generate, of models that are compiled on the way or evaluated in floats, too. */
#include "c_language.h"

int cmd_generate(const cli_command *self, int argc, char **argv) {
    static cli_common common;
    static cli_network network = {.common = &common};
    static cli_device device = {.timing = &common.timing};
    static cli_story s;
    static bool is_float;
    cli_language l = {0};
    const cli_option options[] = {
        CLI_STORY_OPTIONS(&s),
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &device.driver},
        {"check", 0, CLI_FLAG, NULL, "find races, and reads of what was never written", &device.check},
        {"float", 0, CLI_FLAG, NULL, "the model in floats, on the host", &is_float},
        CLI_NETWORK_OPTIONS(&network),
        CLI_GRAPH_OPTIONS(&network.of_graph),
        CLI_STAGES_OPTION,
        CLI_CONFIG_OPTIONS(&common),
        CLI_TIMING_OPTIONS(&common.timing),
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "expected one MODEL");
    if (!s.tokenizer) return cli_usage(self, "expected --tokenizer");
    if (is_float && cli_is_artifact(argv[0]))
        return cli_usage(self, "--float is for ONNX models and checkpoints: an artifact holds the integers only");
    if (is_float && cli_hardware_option(&common))
        return cli_usage(self, "%s is for the accelerator, --float does without it", cli_hardware_option(&common));
    s.json = common.json;
    network.tells_cycles = true;
    vta_status status = is_float ? cli_language_floats(&network.of_graph, argv[0], &l)
                                 : cli_language_compiled(&network, argv[0], &device, &l);
    if (status == VTA_OK) status = cli_story_write(&s, &l);
    cli_language_close(&l);
    return cli_finish(status);
}

/* vta config: a configuration and what follows from it. */
#include <string.h>

#include "cli.h"
#include "file.h"

static const vta_memory memories[] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT, VTA_MEM_UOP};

enum { MEMORIES = sizeof memories / sizeof *memories };

static void print_text(const vta_config *c) {
    printf("%-20s %s\n%-20s %s\n%-20s %s\n%-20s %s\n", "from", vta_config_source(c), "TARGET", vta_config_target(c),
           "HW_VER", vta_config_hw_version(c), "bitstream", vta_config_bitstream(c));
    printf("\n%-20s %5s\n", "key", "value");
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        vta_config_field f = (vta_config_field)i;
        printf("%-20s %5d  %s\n", vta_config_field_name(f), vta_config_get(c, f), vta_config_field_meaning(f));
    }
    printf("\nBATCH %u, BLOCK_IN %u, BLOCK_OUT %u: %u multiply-accumulates a cycle\n\n", vta_config_batch(c),
           vta_config_block_in(c), vta_config_block_out(c),
           vta_config_batch(c) * vta_config_block_in(c) * vta_config_block_out(c));
    printf("%-6s %6s %14s %13s %10s\n", "buffer", "bits", "element bytes", "buffer bytes", "elements");
    for (int i = 0; i < MEMORIES; i++)
        printf("%-6s %6u %14u %13u %10u\n", vta_memory_name(memories[i]), vta_config_width(c, memories[i]),
               vta_config_elem_bytes(c, memories[i]), vta_config_buffer_bytes(c, memories[i]),
               vta_config_depth(c, memories[i]));
}

static json_t *derived(const vta_config *c) {
    json_t *buffers = json_object();
    for (int i = 0; i < MEMORIES; i++) {
        vta_memory m = memories[i];
        json_object_set_new(buffers, vta_memory_name(m),
                            json_pack("{s:i, s:i, s:i, s:i}", "bits", (int)vta_config_width(c, m), "element_bytes",
                                      (int)vta_config_elem_bytes(c, m), "buffer_bytes",
                                      (int)vta_config_buffer_bytes(c, m), "elements", (int)vta_config_depth(c, m)));
    }
    return json_pack("{s:i, s:i, s:i, s:s, s:s, s:o}", "batch", (int)vta_config_batch(c), "block_in",
                     (int)vta_config_block_in(c), "block_out", (int)vta_config_block_out(c), "bitstream",
                     vta_config_bitstream(c), "model", vta_config_model(c), "buffers", buffers);
}

static vta_status write_file(const vta_config *c, const char *path) {
    char *text = vta_config_to_json(c);
    vta_status status = text ? cli_write_file(path, text, strlen(text)) : VTA_NO_MEMORY;
    vta_string_free(text);
    return status;
}

int cmd_config(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    bool check = false;
    const char *output = NULL;
    const cli_option options[] = {
        CLI_CONFIG_OPTIONS(&common),
        CLI_JSON_OPTION(&common),
        {"check", 0, CLI_FLAG, NULL, "print nothing when the configuration is valid", &check},
        {"write", 'w', CLI_TEXT, "FILE", "write the configuration as a vta_config.json", &output},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc > 1) return cli_usage(self, "%s: one file at most", argv[1]);
    if (argc == 1 && common.config) return cli_usage(self, "%s: --config names a file already", argv[0]);
    if (argc == 1) common.config = argv[0];
    vta_config *config;
    vta_status status = cli_find_config(&common, &config);
    if (status != VTA_OK) return cli_finish(status);
    if (output) status = write_file(config, output);
    if (common.json)
        cli_print_json(json_pack("{s:s, s:o, s:o}", "source", vta_config_source(config), "config",
                                 cli_json_of(vta_config_to_json(config)), "derived", derived(config)));
    else if (!check && !output)
        print_text(config);
    vta_config_release(config);
    return cli_finish(status);
}

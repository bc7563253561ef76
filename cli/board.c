/* vta board: what this machine has of what a board's driver needs. */
#include <string.h>

#include "cli.h"
#include "vta/device.h"

static const char *text_of(const json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }

/* A line for each part, and under it what to do. */
static void print_parts(const json_t *answer) {
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(answer, "parts"), i, row) {
        const char *advice = text_of(row, "advice");
        printf("%-12s %-8s %s\n", text_of(row, "name"), text_of(row, "state"), text_of(row, "found"));
        if (advice) printf("%21s %s\n", "->", advice);
    }
}

static vta_status check(const cli_common *common, const char *driver) {
    vta_config *config = NULL;
    char *text = NULL;
    vta_status status = cli_find_config(common, &config);
    if (status == VTA_OK) status = vta_device_check(driver, config, NULL, cli_diag(), &text);
    vta_config_release(config);
    if (status != VTA_OK) return status;
    json_t *answer = cli_json_of(text);
    if (!answer) return cli_fail(VTA_NO_MEMORY, "out of memory");
    long long missing = json_integer_value(json_object_get(answer, "missing"));
    if (!common->json) print_parts(answer);
    if (missing)
        status = cli_fail(VTA_NOT_FOUND, "%lld of %zu parts that %s needs are missing", missing,
                          json_array_size(json_object_get(answer, "parts")), text_of(answer, "board"));
    if (common->json)
        cli_print_json(answer);
    else
        json_decref(answer);
    return status;
}

int cmd_board(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    const char *driver = NULL;
    const cli_option options[] = {
        CLI_CONFIG_OPTIONS(&common),
        CLI_JSON_OPTION(&common),
        {"driver", 'd', CLI_TEXT, "NAME", "pynq, ultra96, zcu104 or de10nano (the configuration's TARGET)", &driver},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1 || strcmp(argv[0], "check")) return cli_usage(self, "the action is `check`");
    return cli_finish(check(&common, driver));
}

/* vta profile: how long a program takes on the hardware, and why. */
#include <string.h>

#include "cli.h"
#include "file.h"
#include "timing.h"
#include "vta/profile.h"

typedef struct profile_args {
    cli_common common;
    cli_timing timing;
    cli_input input;
    const char *trace, *html, *svg, *title;
    uint64_t from, to;
} profile_args;

static vta_status write_report(vta_status status, char *text, const char *path, const char *what) {
    if (status == VTA_OK) status = cli_write_file(path, text, strlen(text));
    if (status == VTA_OK && strcmp(path, "-")) fprintf(stderr, "%s: %s\n", what, path);
    vta_string_free(text);
    return status;
}

static vta_status print_json(const vta_profile *profile) {
    char *text = NULL;
    vta_status status = vta_profile_json(profile, cli_diag(), &text);
    if (status == VTA_OK) cli_print_json(cli_json_of(text));
    return status;
}

static vta_status print_text(const vta_profile *profile) {
    char *text = NULL;
    vta_status status = vta_profile_text(profile, cli_diag(), &text);
    if (status == VTA_OK) fputs(text, stdout);
    vta_string_free(text);
    return status;
}

static vta_status write_reports(const vta_profile *profile, const profile_args *args, const char *title) {
    char *text = NULL;
    vta_status status = VTA_OK;
    if (args->trace) {
        status = vta_profile_trace(profile, cli_diag(), &text);
        status = write_report(status, text, args->trace, "trace (open it at ui.perfetto.dev)");
    }
    if (status == VTA_OK && args->html) {
        status = vta_profile_html(profile, title, cli_diag(), &text);
        status = write_report(status, text, args->html, "page");
    }
    if (status == VTA_OK && args->svg) {
        status = vta_profile_svg(profile, title, 1000, args->from, args->to, cli_diag(), &text);
        status = write_report(status, text, args->svg, "timeline");
    }
    bool to_stdout = (args->trace && !strcmp(args->trace, "-")) || (args->html && !strcmp(args->html, "-")) ||
                     (args->svg && !strcmp(args->svg, "-"));
    if (status != VTA_OK || to_stdout) return status;
    return args->common.json ? print_json(profile) : print_text(profile);
}

/* What is compiled brings its configuration; a kernel file is built for the one in use. */
static vta_status find_base(const profile_args *args, vta_config **out_base) {
    if (args->common.config == NULL) return VTA_OK;
    return vta_config_find(args->common.config, cli_diag(), out_base, NULL);
}

int cmd_profile(const cli_command *self, int argc, char **argv) {
    profile_args args = {0};
    const cli_option options[] = {
        {"trace", 't', CLI_TEXT, "FILE", "write a Chrome trace, which Perfetto opens", &args.trace},
        {"html", 'H', CLI_TEXT, "FILE", "write a page with timeline, roofline, occupancy, traffic, mix", &args.html},
        {"svg", 0, CLI_TEXT, "FILE", "write the timeline as a picture", &args.svg},
        {"from", 0, CLI_NUMBER, "CYCLE", "first cycle of the picture", &args.from},
        {"to", 0, CLI_NUMBER, "CYCLE", "last cycle of the picture", &args.to},
        {"title", 0, CLI_TEXT, "TEXT", "heading of page and picture (else the program's path)", &args.title},
        CLI_INPUT_OPTIONS(&args.input),
        CLI_TIMING_OPTIONS(&args.timing),
        {"config", 'c', CLI_TEXT, "FILE", "configuration that a kernel file is built for", &args.common.config},
        {"set", 's', CLI_LIST, "KEY=VALUE", "change one key of the configuration; may be repeated", &args.common.set},
        CLI_JSON_OPTION(&args.common),
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program, kernel file or object is needed, not %d", argc);
    cli_kernel_program program = {0};
    vta_config *config = NULL;
    vta_timing_profile timing;
    vta_profile *profile = NULL;
    vta_config *base = NULL;
    vta_status status = find_base(&args, &base);
    args.input.path = argv[0];
    args.input.base = base;
    args.input.changes = &args.common.set;
    if (status == VTA_OK) status = cli_open_input(&args.input, cli_diag(), &config, &program);
    if (status == VTA_OK) status = cli_find_timing(&args.timing, config, cli_diag(), &timing);
    if (status == VTA_OK) status = cli_profile_program(&program, config, &timing, &profile);
    if (status == VTA_OK) status = write_reports(profile, &args, args.title ? args.title : argv[0]);
    vta_profile_destroy(profile);
    vta_config_release(config);
    vta_config_release(base);
    vta_program_destroy(program.program);
    return cli_finish(status);
}

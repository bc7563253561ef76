/* vta profile: how long a program takes on the hardware, and why. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file.h"
#include "model.h"
#include "timing.h"
#include "vta/profile.h"

/* A program, timed. The profile reads micro-ops from the program: they live together. */
typedef struct timed {
    cli_kernel_program program;
    vta_config *config;
    vta_profile *profile; /* NULL: there is none */
    json_t *network;      /* its steps and layers, where it is one and they are asked for */
    const char *title;
} timed;

typedef struct profile_args {
    cli_common common;
    cli_input input;
    cli_model model; /* where the input is one */
    const char *trace, *html, *svg, *title;
    uint64_t from, to;
    const char *against;                                  /* the other program, NULL for none */
    cli_list against_params, against_timing, against_set; /* what is different about it */
    cli_common other;                                     /* common, with against_set */
} profile_args;

static vta_status write_report(vta_status status, char *text, const char *path, const char *what) {
    if (status == VTA_OK) status = cli_write_file(path, text, strlen(text));
    if (status == VTA_OK && strcmp(path, "-")) fprintf(stderr, "%s: %s\n", what, path);
    vta_string_free(text);
    return status;
}

static json_t *profile_json(const vta_profile *profile, vta_status *status) {
    char *text = NULL;
    if (*status == VTA_OK) *status = vta_profile_json(profile, cli_diag(), &text);
    return cli_json_of(text);
}

/* One profile as it is; two as {"profile": ..., "against": ...}, those of networks with their steps and layers. */
static vta_status print_json(const timed *one, const timed *other) {
    vta_status status = VTA_OK;
    json_t *answer = profile_json(one->profile, &status);
    if (other->profile)
        answer = json_pack("{s:o, s:o}", "profile", answer, "against", profile_json(other->profile, &status));
    if (one->network) json_object_set(answer, "network", one->network);
    if (other->network) json_object_set(answer, "against_network", other->network);
    if (status == VTA_OK)
        cli_print_json(answer);
    else
        json_decref(answer);
    return status;
}

static vta_status print_text(const timed *one, const timed *other) {
    char *text = NULL;
    vta_status status =
        other->profile ? vta_profile_compare(one->profile, one->title, other->profile, other->title, cli_diag(), &text)
                       : vta_profile_text(one->profile, cli_diag(), &text);
    if (status == VTA_OK) fputs(text, stdout);
    vta_string_free(text);
    return status;
}

static bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

static vta_status write_reports(const profile_args *args, const timed *one, const timed *other) {
    char *text = NULL;
    vta_status status = VTA_OK;
    if (args->trace) {
        status = vta_profile_trace(one->profile, cli_diag(), &text);
        status = write_report(status, text, args->trace, "trace (open it at ui.perfetto.dev)");
    }
    if (status == VTA_OK && args->html) {
        status = vta_profile_html_against(one->profile, one->title, other->profile, other->title, cli_diag(), &text);
        status = write_report(status, text, args->html, "page");
    }
    if (status == VTA_OK && args->svg) {
        status = vta_profile_svg(one->profile, one->title, 1000, args->from, args->to, cli_diag(), &text);
        status = write_report(status, text, args->svg, "timeline");
    }
    if (status != VTA_OK || is_stdout(args->trace) || is_stdout(args->html) || is_stdout(args->svg)) return status;
    if (args->model.path && !args->against) return VTA_OK; /* told by layer */
    return args->common.json ? print_json(one, other) : print_text(one, other);
}

/* Runs and times a network; its layers are on the page and in comparisons. */
static vta_status time_network(const profile_args *args, const char *path, const vta_timing_profile *timing, timed *t) {
    static const cli_device device = {.driver = "sim"};
    cli_model m = args->model;
    m.path = path;
    m.device = &device;
    m.timing = timing;
    return cli_model_layers(&m, t->profile, args->common.json ? &t->network : NULL);
}

/* Opens and times what `input` names; `more`: further settings of the timing profile. */
static vta_status time_input(const profile_args *args, const cli_input *input, const cli_list *more, timed *out) {
    vta_timing_profile timing;
    vta_status status = cli_open_input(input, cli_diag(), &out->config, &out->program);
    if (status == VTA_OK) status = cli_find_timing(&args->common.timing, out->config, cli_diag(), &timing);
    for (int i = 0; status == VTA_OK && more && i < more->count; i++)
        status = vta_timing_profile_set(&timing, more->item[i], cli_diag());
    if (status == VTA_OK) status = cli_profile_program(&out->program, out->config, &timing, &out->profile);
    if (status == VTA_OK && cli_is_model(input->path) && (args->html || args->against))
        status = time_network(args, input->path, &timing, out);
    return status;
}

static void close_timed(timed *t) {
    json_decref(t->network);
    vta_profile_destroy(t->profile);
    vta_config_release(t->config);
    vta_program_destroy(t->program.program);
}

/* Adds words to a list that is the options' own. */
static vta_status add_words(cli_list *list, const cli_list *more) {
    for (int i = 0; i < more->count; i++) {
        if (list->count == CLI_LIST_MAX) return cli_fail(VTA_OUT_OF_RANGE, "more than %d settings", CLI_LIST_MAX);
        list->item[list->count++] = more->item[i];
    }
    return VTA_OK;
}

static vta_status time_other(profile_args *args, timed *other) {
    cli_input input = args->input;
    if (!args->against) return VTA_OK;
    input.path = args->against;
    vta_status status = add_words(&input.params, &args->against_params);
    args->other = args->common;
    if (status == VTA_OK) status = add_words(&args->other.set, &args->against_set);
    if (status == VTA_OK) status = add_words(&args->other.timing.settings, &args->against_timing);
    input.changes = &args->other.set;
    cli_onnx_use(&args->other, &args->model.inputs);
    cli_model_forget(); /* the same model may be compiled for another machine now */
    return status == VTA_OK ? time_input(args, &input, &args->against_timing, other) : status;
}

/* What is compiled brings its configuration; a kernel file is built for the one in use. */
static vta_status find_base(const profile_args *args, vta_config **out_base) {
    if (args->common.config == NULL) return VTA_OK;
    return vta_config_find(args->common.config, cli_diag(), out_base, NULL);
}

/* "conv2d.te threads=1 delay=64": the heading of what differs from the first program; free() it. */
static char *other_title(const profile_args *args) {
    cli_list words = {0};
    if (!args->against) return NULL;
    words.item[words.count++] = args->against;
    for (int i = 0; i < args->against_params.count && words.count < CLI_LIST_MAX; i++)
        words.item[words.count++] = args->against_params.item[i];
    for (int i = 0; i < args->against_timing.count && words.count < CLI_LIST_MAX; i++)
        words.item[words.count++] = args->against_timing.item[i];
    for (int i = 0; i < args->against_set.count && words.count < CLI_LIST_MAX; i++)
        words.item[words.count++] = args->against_set.item[i];
    return cli_join(&words);
}

/* What a network is run and timed with. */
static vta_status settle_model(profile_args *args) {
    static const cli_device device = {.driver = "sim"};
    static vta_timing_profile timing;
    vta_program *program;
    if (!args->model.path || args->model.timing) return VTA_OK;
    vta_status status = cli_model_program(args->input.path, cli_diag(), &program);
    if (status != VTA_OK) return status;
    status = cli_find_timing(&args->common.timing, vta_program_config(program), cli_diag(), &timing);
    vta_program_destroy(program);
    args->model.device = &device;
    args->model.timing = &timing;
    args->model.json = args->common.json;
    return status;
}

/* By step and by layer. */
static vta_status profile_model(profile_args *args) {
    vta_status status = settle_model(args);
    return status == VTA_OK ? cli_profile_model(&args->model) : status;
}

static vta_status profile(profile_args *args) {
    char *title = other_title(args);
    timed one = {.title = args->title ? args->title : args->input.path}, other = {.title = title};
    vta_config *base = NULL;
    vta_status status = find_base(args, &base);
    args->input.base = base;
    args->input.changes = &args->common.set;
    if (status == VTA_OK) status = time_input(args, &args->input, NULL, &one);
    if (status == VTA_OK) status = time_other(args, &other);
    if (status == VTA_OK) status = write_reports(args, &one, &other);
    close_timed(&one);
    close_timed(&other);
    free(title);
    vta_config_release(base);
    return status;
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
        {"against", 0, CLI_TEXT, "OTHER", "time this too, and show what it changes: text, JSON, page", &args.against},
        {"against-param", 0, CLI_LIST, "NAME=VALUE", "a parameter for OTHER alone; may be repeated",
         &args.against_params},
        {"against-timing", 0, CLI_LIST, "NAME=NUMBER", "a timing setting for OTHER alone; may be repeated",
         &args.against_timing},
        {"against-set", 0, CLI_LIST, "KEY=VALUE", "a key of the configuration for OTHER alone; may be repeated",
         &args.against_set},
        {"input", 'i', CLI_LIST, "[NAME=]FILE.npy", "an input of a network (else zeros)", &args.model.inputs},
        CLI_INPUT_OPTIONS(&args.input),
        CLI_TIMING_OPTIONS(&args.common.timing),
        {"config", 'c', CLI_TEXT, "FILE", "configuration that a kernel file or an ONNX model is built for",
         &args.common.config},
        {"set", 's', CLI_LIST, "KEY=VALUE", "change one key of the configuration; may be repeated", &args.common.set},
        CLI_JSON_OPTION(&args.common),
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program, kernel file or object is needed, not %d", argc);
    if (!args.against && (args.against_params.count || args.against_timing.count || args.against_set.count))
        return cli_usage(self, "--against-param, --against-timing and --against-set need --against OTHER");
    args.input.path = argv[0];
    cli_onnx_use(&args.common, &args.model.inputs);
    if (args.model.inputs.count && !cli_is_model(argv[0]))
        return cli_usage(self, "%s: --input is for networks", argv[0]);
    if (cli_is_model(argv[0])) args.model.path = argv[0];
    bool pages = args.trace || args.html || args.svg || args.against;
    vta_status status = !args.model.path || pages ? profile(&args) : VTA_OK;
    if (status == VTA_OK && args.model.path && !args.against) status = profile_model(&args);
    return cli_finish(status);
}

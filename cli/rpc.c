/* vta rpc: a client of servers. */
#include <string.h>

#include "file.h"
#include "model.h"
#include "rpc_place.h"
#include "rpc_run.h"

typedef struct given {
    cli_place place;
    cli_rpc_run run;
    const char *config;
    bool json, keep_config;
    int argc;
    char **argv; /* after the action's name */
} given;

/* ---- Actions ----------------------------------------------------------------------------------------------------- */

static int run(const cli_command *self, given *g) {
    bool tracked = g->place.tracker != NULL;
    if (g->argc != 2 - tracked)
        return cli_usage(self, tracked ? "run: takes one object or network"
                                       : "run: takes HOST:PORT, and an object or a network");
    g->run.path = g->argv[g->argc - 1];
    g->run.json = g->json;
    g->run.reconfigure = !g->keep_config;
    if (g->run.carry.count && g->run.repeat) return cli_usage(self, "--carry and --repeat: expected one of them");
    if (!g->run.repeat) g->run.repeat = 1;
    if (g->run.number > UINT32_MAX || g->run.repeat > 1000 || g->run.min_repeat_ms > UINT32_MAX)
        return cli_usage(self, "--number, --repeat, --min-repeat-ms: too large");
    bool model = cli_is_artifact(g->run.path);
    if (model && (g->run.function || g->run.number || g->run.seed || g->run.min_repeat_ms || g->keep_config))
        return cli_usage(self, "run: a network takes --input, --output, --carry and --repeat only");
    if (!model && (g->run.inputs.count || g->run.outputs.count || g->run.carry.count))
        return cli_usage(self, "run: --input, --output and --carry are for networks, and %s is not one", g->run.path);
    vta_rpc *rpc;
    vta_status status = cli_place_connect(&g->place, tracked ? NULL : g->argv[0], &rpc);
    if (status == VTA_OK) status = model ? cli_rpc_run_model(rpc, &g->run) : cli_rpc_run_object(rpc, &g->run);
    vta_rpc_close(rpc);
    return cli_finish(status);
}

static void print_sessions(const json_t *list) {
    size_t i;
    const json_t *s;
    printf("%-8s %-22s %-8s %9s %8s %12s %9s\n", "pid", "client", "speaks", "seconds", "calls", "bytes", "in a call");
    json_array_foreach(json_object_get(list, "sessions"), i, s) printf(
        "%-8lld %-22s %-8s %9.1f %8lld %12lld %9.1f\n", (long long)json_integer_value(json_object_get(s, "pid")),
        json_string_value(json_object_get(s, "client")), json_string_value(json_object_get(s, "protocol")),
        json_number_value(json_object_get(s, "seconds")), (long long)json_integer_value(json_object_get(s, "calls")),
        (long long)json_integer_value(json_object_get(s, "bytes")), json_number_value(json_object_get(s, "calling")));
}

static int ps(const cli_command *self, given *g) {
    char *text = NULL;
    vta_rpc *rpc;
    if (g->argc != 1) return cli_usage(self, "ps: takes a server's HOST:PORT");
    vta_status status = cli_place_connect(&g->place, g->argv[0], &rpc);
    if (status == VTA_OK) status = vta_rpc_sessions(rpc, cli_diag(), &text);
    vta_rpc_close(rpc);
    json_t *list = text ? cli_json_of(text) : NULL;
    if (list && g->json)
        cli_print_json(json_incref(list));
    else if (list)
        print_sessions(list);
    json_decref(list);
    return cli_finish(status);
}

static vta_status configure(vta_rpc *rpc, const char *path) {
    vta_config *config;
    vta_status status = vta_config_load(path, cli_diag(), &config);
    char *text = status == VTA_OK ? vta_config_to_json(config) : NULL;
    vta_config_release(config);
    if (status == VTA_OK) status = text ? vta_rpc_configure(rpc, text, cli_diag()) : VTA_NO_MEMORY;
    vta_string_free(text);
    return status;
}

static int program(const cli_command *self, given *g) {
    int places = g->place.tracker ? 0 : 1;
    if (g->argc != places && g->argc != places + 1)
        return cli_usage(self, "program: takes HOST:PORT, and a bitstream unless it is the server's own");
    const char *file = g->argc > places ? g->argv[places] : NULL;
    vta_rpc *rpc;
    vta_status status = cli_place_connect(&g->place, places ? g->argv[0] : NULL, &rpc);
    if (status == VTA_OK && g->config) status = configure(rpc, g->config);
    if (status == VTA_OK && file) status = cli_rpc_upload(rpc, file);
    if (status == VTA_OK) status = vta_rpc_program(rpc, file ? cli_base_name(file) : NULL, cli_diag());
    vta_rpc_close(rpc);
    return cli_finish(status);
}

static int stop(const cli_command *self, given *g) {
    vta_rpc *rpc;
    if (g->argc != 1) return cli_usage(self, "stop: takes a server's HOST:PORT");
    vta_status status = cli_place_connect(&g->place, g->argv[0], &rpc);
    if (status == VTA_OK) status = vta_rpc_shutdown(rpc, cli_diag());
    vta_rpc_close(rpc);
    return cli_finish(status);
}

static int queue(const cli_command *self, given *g) {
    char host[256] = "127.0.0.1", *text = NULL;
    uint32_t port = VTA_RPC_TRACKER_PORT;
    const vta_rpc_options options = {.key_file = g->place.key_file};
    if (g->argc != 1) return cli_usage(self, "queue: takes a tracker's HOST:PORT");
    vta_status status = vta_rpc_place(g->argv[0], sizeof host, host, &port, cli_diag());
    if (status == VTA_OK) status = vta_rpc_tracker_summary(host, port, &options, cli_diag(), &text);
    if (status == VTA_OK) cli_print_json(cli_json_of(text));
    return cli_finish(status);
}

static int new_key(const cli_command *self, given *g) {
    if (g->argc != 1) return cli_usage(self, "new-key: takes the file to make");
    return cli_finish(vta_rpc_new_key(g->argv[0], cli_diag()));
}

static const struct {
    const char *name;
    int (*act)(const cli_command *self, given *g);
} actions[] = {{"run", run}, {"ps", ps}, {"program", program}, {"stop", stop}, {"queue", queue}, {"new-key", new_key}};

int cmd_rpc(const cli_command *self, int argc, char **argv) {
    given g = {0};
    cli_common common = {0};
    const cli_option options[] = {
        CLI_PLACE_OPTIONS(&g.place),
        {"function", 'f', CLI_TEXT, "NAME", "run: which function of the object", &g.run.function},
        {"seed", 0, CLI_NUMBER, "N", "run: of the random inputs", &g.run.seed},
        {"number", 'n', CLI_NUMBER, "N", "run: measure, with N calls in a round", &g.run.number},
        {"repeat", 'r', CLI_NUMBER, "N", "run: N rounds; of a network N runs, of which the fastest counts (1)",
         &g.run.repeat},
        {"input", 'i', CLI_LIST, "[NAME=]FILE.npy", "run: an input of a compiled network", &g.run.inputs},
        {"output", 'o', CLI_LIST, "[NAME=]FILE.npy", "run: where an output of a network goes", &g.run.outputs},
        CLI_CARRY_OPTION(&g.run.carry),
        {"min-repeat-ms", 0, CLI_NUMBER, "N", "run: more calls in a round that is shorter", &g.run.min_repeat_ms},
        {"keep-config", 0, CLI_FLAG, NULL, "run: on the server's configuration, not the object's", &g.keep_config},
        {"config", 'c', CLI_TEXT, "FILE", "program: of this hardware (the server's --config)", &g.config},
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    g.json = common.json;
    g.argc = argc - 1;
    g.argv = argv + 1;
    for (size_t i = 0; argc && i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(argv[0], actions[i].name)) return actions[i].act(self, &g);
    return cli_usage(self, "%s: must be run, ps, program, stop, queue or new-key",
                     argc ? argv[0] : "the first argument");
}

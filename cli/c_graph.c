/* vta graph: what is in a model. */
#include <stdlib.h>
#include <string.h>

#include "c_float.h"

typedef struct state {
    cli_common common;
    cli_graph of_graph;
    const char *after;
    bool as_read, list_passes, found;
    vtac_graph *graph;
} state;

static int list_passes(bool json) {
    json_t *list = json_array();
    vtac_graph_pass p = {0};
    for (size_t i = 0; vtac_graph_pass_get(i, &p) == VTA_OK; i++) {
        if (json)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s}", "name", p.name, "does", p.does, "reason", p.reason));
        else
            printf("%-3zu%-16s %s\n%-19s %s\n", i, p.name, p.does, "", p.reason);
    }
    if (json)
        cli_print_json(list);
    else
        json_decref(list);
    return cli_finish(VTA_OK);
}

static void after_pass(void *user, const vtac_graph_event *e) {
    state *s = user;
    if (!s->after || (strcmp(s->after, "all") != 0 && strcmp(s->after, e->name) != 0)) return;
    s->found = true;
    printf("// after %s%s\n%s", e->name, e->changed ? "" : " (unchanged)", e->text);
}

static vta_status no_such_pass(const char *name) {
    const char *names[32] = {"all"};
    size_t count = 1;
    vtac_graph_pass p = {0};
    while (count < 32 && vtac_graph_pass_get(count - 1, &p) == VTA_OK) names[count++] = p.name;
    return cli_unknown("--after", name, "pass", names, count, "vta graph --list-passes shows them");
}

static bool is_pass(const char *name) {
    vtac_graph_pass p = {0};
    for (size_t i = 0; vtac_graph_pass_get(i, &p) == VTA_OK; i++)
        if (!strcmp(p.name, name)) return true;
    return !strcmp(name, "all");
}

/* How often each operator is there, in the order in which they come first. */
static void print_operators(const vtac_graph *g) {
    size_t n = vtac_graph_node_count(g);
    vtac_graph_node a = {0}, b = {0};
    printf("operators ");
    for (size_t i = 0; i < n; i++) {
        size_t count = 0, before = 0;
        vtac_graph_node_get(g, i, &a);
        for (size_t k = 0; k < n; k++) {
            vtac_graph_node_get(g, k, &b);
            count += !strcmp(a.op, b.op);
            before += k < i && !strcmp(a.op, b.op);
        }
        if (!before) printf(" %s %zu", a.op, count);
    }
    printf("\n");
}

static vta_status report(const state *s) {
    char *text = s->common.json ? vtac_graph_to_json(s->graph) : vtac_graph_print(s->graph);
    if (!text) return VTA_NO_MEMORY;
    if (s->common.json) {
        cli_print_json(cli_json_of(text));
        return VTA_OK;
    }
    fputs(text, stdout);
    vta_string_free(text);
    print_operators(s->graph);
    printf("parameters %llu\nmacs       %llu\n", (unsigned long long)vtac_graph_parameters(s->graph),
           (unsigned long long)vtac_graph_macs(s->graph));
    return VTA_OK;
}

/* All that is not supported, as JSON. */
static void report_unsupported(void) {
    json_t *list = json_array();
    vta_diag_entry e;
    for (size_t i = 0; vta_diag_get(cli_diag(), i, &e) == VTA_OK; i++)
        if (e.status == VTA_UNSUPPORTED) json_array_append_new(list, json_string(e.message));
    cli_print_json(json_pack("{s:o}", "unsupported", list));
}

int cmd_graph(const cli_command *self, int argc, char **argv) {
    static state s;
    const cli_option options[] = {
        {"after", 0, CLI_TEXT, "PASS", "print the graph after that pass, or after \"all\"", &s.after},
        {"as-read", 0, CLI_FLAG, NULL, "run no passes", &s.as_read},
        {"list-passes", 0, CLI_FLAG, NULL, "print the passes, what each does and why they are in this order",
         &s.list_passes},
        CLI_GRAPH_OPTIONS(&s.of_graph),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (s.list_passes) return list_passes(s.common.json);
    if (argc != 1) return cli_usage(self, "expected one MODEL");
    if (s.after && (s.common.json || s.as_read)) return cli_usage(self, "--after prints text of passes that run");
    if (s.after && !is_pass(s.after)) return cli_finish(no_such_pass(s.after));
    vtac_graph_options how = {.as_read = s.as_read, .after = s.after ? after_pass : NULL, .user = &s};
    vta_status status = cli_graph_load(&s.of_graph, argv[0], &how, &s.graph);
    if (status == VTA_UNSUPPORTED && s.common.json) report_unsupported();
    if (status == VTA_OK && !s.after) status = report(&s);
    vtac_graph_destroy(s.graph);
    return cli_finish(status);
}

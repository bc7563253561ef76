/* vta eval: how many of many pictures a network classifies right. */
#include <stdlib.h>
#include <string.h>

#include "c_float.h"
#include "labels.h"

enum { TOP = 5 };

typedef struct state {
    cli_common common;
    cli_graph of_graph;
    cli_pictures pictures;
    const char *images, *labels_path;
    uint64_t threads;
    bool is_float;
    cli_labels labels;
    vtac_graph *graph;
    char **paths;
    size_t top1, top5;
} state;

static void scored(void *user, size_t index, const float *scores, size_t count) {
    state *s = user;
    size_t top[TOP], n = cli_top(scores, count, TOP, top);
    int64_t right = s->labels.item[index].class + s->pictures.label_offset;
    for (size_t i = 0; i < n; i++) {
        if ((int64_t)top[i] != right) continue;
        s->top1 += i == 0;
        s->top5++;
    }
}

static vta_status make_paths(state *s) {
    s->paths = calloc(s->labels.count, sizeof *s->paths);
    for (size_t i = 0; s->paths && i < s->labels.count; i++) {
        size_t n = strlen(s->images) + strlen(s->labels.item[i].file) + 2;
        s->paths[i] = malloc(n);
        if (!s->paths[i]) return VTA_NO_MEMORY;
        snprintf(s->paths[i], n, "%s/%s", s->images, s->labels.item[i].file);
    }
    return s->paths ? VTA_OK : VTA_NO_MEMORY;
}

static vta_status evaluate(state *s, const char *model) {
    vtac_graph_options options = {0};
    vta_status status = cli_pictures_settle(&s->pictures, model);
    if (status == VTA_OK) status = cli_labels_read(s->labels_path, &s->labels);
    if (status == VTA_OK) status = make_paths(s);
    if (status == VTA_OK) status = cli_graph_load(&s->of_graph, model, &options, &s->graph);
    if (status != VTA_OK) return status;
    return cli_float_each(s->graph, &s->pictures, s->labels.count, (const char *const *)s->paths, s->threads, scored,
                          s);
}

static void report(const state *s) {
    if (s->common.json) {
        cli_print_json(json_pack("{s:I, s:{s:I, s:I}}", "count", (json_int_t)s->labels.count, "float", "top1",
                                 (json_int_t)s->top1, "top5", (json_int_t)s->top5));
        return;
    }
    double all = (double)s->labels.count;
    printf("float    top-1 %zu of %zu (%.1f %%), top-5 %zu (%.1f %%)\n", s->top1, s->labels.count,
           100 * (double)s->top1 / all, s->top5, 100 * (double)s->top5 / all);
}

int cmd_eval(const cli_command *self, int argc, char **argv) {
    static state s;
    const cli_option options[] = {
        {"images", 'i', CLI_TEXT, "DIR", "the folder of the pictures", &s.images},
        {"labels", 'l', CLI_TEXT, "FILE", "a table of lines file,class, with a heading or without", &s.labels_path},
        {"float", 0, CLI_FLAG, NULL, "the model in floats, on the processor", &s.is_float},
        {"threads", 't', CLI_NUMBER, "N", "pictures at one time (as many as there are processors)", &s.threads},
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.of_graph),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one model is wanted");
    if (!s.images || !s.labels_path) return cli_usage(self, "--images and --labels are wanted");
    if (!s.is_float) return cli_usage(self, "--float is wanted: models are evaluated in floats");
    vta_status status = evaluate(&s, argv[0]);
    if (status == VTA_OK) report(&s);
    vtac_graph_destroy(s.graph);
    for (size_t i = 0; s.paths && i < s.labels.count; i++) free(s.paths[i]);
    free(s.paths);
    free(s.pictures.labels);
    cli_labels_free(&s.labels);
    return cli_finish(status);
}

/* vta classify: the classes that a network gives pictures the highest scores of. */
#include <stdlib.h>
#include <string.h>

#include "c_network.h"
#include "labels.h"
#include "picture_files.h"
#include "stats.h"
#include "vta/image.h"

enum { TOP = 5, CLASSES_OF_IMAGENET = 1000 };

typedef struct state {
    cli_common common;
    cli_network network;
    cli_pictures pictures;
    const char *labels;
    uint64_t threads;
    bool is_float, stats;
    cli_cost cost;
    cli_names names;
    vtac_graph *graph;
    vta_model *model;
    cli_picture_files files;
    struct result {
        size_t count, class[TOP];
        float score[TOP];
    } *results;
    size_t outputs;
} state;

static vta_status answered(void *user, size_t index, const cli_answer *answer) {
    state *s = user;
    struct result *r = &s->results[index];
    size_t count;
    const float *scores = cli_scores(answer, &count);
    if (!scores) return VTA_UNSUPPORTED;
    s->outputs = count;
    r->count = cli_top(scores, count, TOP, r->class);
    for (size_t i = 0; i < r->count; i++) r->score[i] = scores[r->class[i]];
    return VTA_OK;
}

/* Names for every output of the network count its own numbers, others those of the labels. Where there are none, as
 * many classes as ImageNet has are taken for those; 1001 begin with one for the background. */
static const char *name_of(const state *s, size_t class) {
    size_t background = s->outputs == CLASSES_OF_IMAGENET + 1;
    if (!s->names.text && (s->outputs == CLASSES_OF_IMAGENET || background))
        return class < background ? "background" : vta_imagenet_name(class - background);
    bool is_own = s->names.count == s->outputs;
    return cli_name_of(&s->names, is_own ? (int64_t)class : (int64_t)class - s->pictures.label_offset);
}

/* What could not be read: an error each. */
static vta_status report_broken(const state *s) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < s->files.count; i++) {
        if (!cli_picture_is_broken(&s->pictures, i)) continue;
        status = VTA_INVALID_ARGUMENT;
        vta_diag_add(cli_diag(), VTA_ERROR, status, s->pictures.broken[i]);
    }
    return status;
}

static json_t *as_json(const state *s, size_t count) {
    json_t *pictures = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct result *r = &s->results[i];
        json_t *top = json_array();
        for (size_t k = 0; k < r->count; k++) {
            const char *name = name_of(s, r->class[k]);
            json_array_append_new(top, json_pack("{s:I, s:o, s:f}", "class",
                                                 (json_int_t)((int64_t)r->class[k] - s->pictures.label_offset), "label",
                                                 name ? json_string(name) : json_null(), "score", (double)r->score[k]));
        }
        json_t *picture = json_pack("{s:s, s:o}", "file", s->files.path[i], "top", top);
        if (cli_picture_is_broken(&s->pictures, i))
            json_object_set_new(picture, "error", json_string(s->pictures.broken[i]));
        json_array_append_new(pictures, picture);
    }
    json_t *root = json_pack("{s:o}", "pictures", pictures);
    if (s->stats) {
        json_object_set_new(root, "stats", cli_stats_json(&s->cost.counters));
        json_object_set_new(root, "cycles", json_integer((json_int_t)s->cost.cycles));
        json_object_set_new(root, "seconds", json_real(s->cost.seconds));
    }
    return root;
}

static void as_text(const state *s, size_t count) {
    printf("%12s  %5s  %s\n", "score", "class", "name");
    for (size_t i = 0; i < count; i++) {
        const struct result *r = &s->results[i];
        if (cli_picture_is_broken(&s->pictures, i)) continue;
        printf("%s\n", s->files.path[i]);
        for (size_t k = 0; k < r->count; k++) {
            const char *name = name_of(s, r->class[k]);
            printf("%12.4f  %5lld  %s\n", (double)r->score[k],
                   (long long)r->class[k] - (long long)s->pictures.label_offset, name ? name : "");
        }
    }
    if (!s->stats) return;
    cli_print_stats(&s->cost.counters);
    printf("%llu cycles of the accelerator, %.2f ms on this machine\n", (unsigned long long)s->cost.cycles,
           s->cost.seconds * 1e3);
}

/* Some answers would have no name. */
static void warn_of_names(const state *s, const char *labels) {
    char message[400];
    int64_t wanted = (int64_t)s->outputs - (s->pictures.label_offset > 0 ? s->pictures.label_offset : 0);
    if ((int64_t)s->names.count >= wanted) return;
    snprintf(message, sizeof message, "%.250s has names of %zu classes, the network has %zu", labels, s->names.count,
             s->outputs);
    vta_diag_add(cli_diag(), VTA_WARNING, VTA_MISMATCH, message);
}

static vta_status run(state *s, const char *model) {
    vtac_graph_options options = {0};
    const char *const *paths = (const char *const *)s->files.path;
    size_t count = s->files.count;
    if (!s->is_float) {
        vta_status status = cli_network_open(&s->network, model, &s->pictures, count, paths, &s->model);
        if (status != VTA_OK) return status;
        return cli_network_each(&s->network, s->model, &s->pictures, count, paths, s->threads, answered, s);
    }
    vta_status status = cli_graph_load(&s->network.of_graph, model, &options, &s->graph);
    if (status == VTA_OK) status = cli_pictures_of_graph(&s->pictures, s->graph);
    return status == VTA_OK ? cli_float_each(s->graph, &s->pictures, count, paths, s->threads, answered, s) : status;
}

/* Names that an artifact holds. */
static vta_status own_names(state *s, const char *model) {
    vta_model *artifact;
    size_t size;
    if (!cli_is_artifact(model)) return VTA_OK;
    vta_status status = cli_model_load(model, cli_diag(), &artifact);
    const void *text = status == VTA_OK ? vta_model_section(artifact, CLI_LABELS_SECTION, &size) : NULL;
    return text ? cli_names_parse(model, text, size, &s->names) : status;
}

static vta_status classify(state *s, const char *model, char **pictures, int count) {
    vta_status status = cli_pictures_settle(&s->pictures, model);
    const char *labels = s->labels ? s->labels : s->pictures.labels;
    if (status == VTA_OK) status = labels ? cli_names_read(labels, &s->names) : own_names(s, model);
    for (int i = 0; i < count && status == VTA_OK; i++) status = cli_picture_files_add(&s->files, pictures[i]);
    if (status != VTA_OK) return status;
    s->results = calloc(s->files.count, sizeof *s->results);
    s->pictures.broken = calloc(s->files.count, sizeof *s->pictures.broken);
    if (!s->results || !s->pictures.broken) return VTA_NO_MEMORY;
    status = run(s, model);
    if (status == VTA_OK && labels) warn_of_names(s, labels);
    return status;
}

int cmd_classify(const cli_command *self, int argc, char **argv) {
    static state s;
    s.network.common = &s.common;
    const cli_option options[] = {
        {"float", 0, CLI_FLAG, NULL, "with the model in floats, on the host", &s.is_float},
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &s.network.driver},
        {"labels", 0, CLI_TEXT, "FILE",
         "names of the classes: one a line, a JSON array, or {0: 'name', ...} (of 1000 classes ImageNet's)", &s.labels},
        {"stats", 0, CLI_FLAG, NULL, "also print what the accelerator did for one picture, and its time", &s.stats},
        {"threads", 't', CLI_NUMBER, "N", "pictures at one time (as many as there are processors)", &s.threads},
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
        CLI_STAGES_OPTION,
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.common.timing),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 2) return cli_usage(self, "expected MODEL and at least one image");
    if (s.stats && s.is_float) return cli_usage(self, "--stats are those of the accelerator, --float does without it");
    if (s.stats) s.network.cost = &s.cost;
    s.network.tells_cycles = s.stats;
    if (s.is_float && cli_is_artifact(argv[0]))
        return cli_usage(self, "--float is for ONNX models: an artifact holds the integers only");
    if (s.is_float && cli_hardware_option(&s.common))
        return cli_usage(self, "%s is for the accelerator, --float does without it", cli_hardware_option(&s.common));
    vta_status status = classify(&s, argv[0], argv + 1, argc - 1);
    size_t count = s.files.count;
    bool done = status == VTA_OK;
    if (done) status = report_broken(&s);
    if (done && s.common.json)
        cli_print_json(as_json(&s, count));
    else if (done)
        as_text(&s, count);
    vtac_graph_destroy(s.graph);
    vta_model_release(s.model);
    cli_names_free(&s.names);
    for (size_t i = 0; s.pictures.broken && i < count; i++) free(s.pictures.broken[i]);
    free(s.pictures.broken);
    cli_picture_files_free(&s.files);
    free(s.pictures.labels);
    free(s.results);
    return cli_finish(status);
}

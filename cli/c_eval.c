/* vta eval: how many of many pictures a network classifies right; how good its boxes are; how well a language model
 * foresees tokens. */
#include <stdlib.h>
#include <string.h>

#include "c_eval_boxes.h"
#include "c_eval_tokens.h"
#include "c_truth.h"

typedef struct state {
    cli_common common;
    cli_network network;
    cli_pictures pictures;
    cli_eval_boxes of_boxes;
    const char *tokens;
    uint64_t threads;
    bool is_float, is_folder; /* FOLDER stands behind MODEL */
    cli_truth truth;
    vtac_graph *graph;
    vta_model *model;
    cli_score score, float_score;
} state;

static vta_status answered(void *user, size_t index, const cli_answer *answer) {
    state *s = user;
    return cli_truth_count(&s->truth, &s->pictures, index, answer, &s->score);
}

static vta_status answered_in_floats(void *user, size_t index, const cli_answer *answer) {
    state *s = user;
    return cli_truth_count(&s->truth, &s->pictures, index, answer, &s->float_score);
}

static vta_status evaluate(state *s, const char *model) {
    vtac_graph_options options = {0};
    vta_status status = cli_pictures_settle(&s->pictures, model);
    if (status == VTA_OK) status = cli_truth_read(&s->truth, &s->pictures, model);
    const char *const *paths = (const char *const *)s->truth.paths;
    size_t count = s->truth.labels.count;
    if (status == VTA_OK) status = cli_network_open(&s->network, model, &s->pictures, count, paths, &s->model);
    if (status == VTA_OK) status = cli_truth_check(&s->truth, &s->pictures, s->model);
    if (status == VTA_OK)
        status = cli_network_each(&s->network, s->model, &s->pictures, count, paths, s->threads, answered, s);
    if (status != VTA_OK || !s->is_float) return status;
    status = cli_graph_load(&s->network.of_graph, model, &options, &s->graph);
    if (status != VTA_OK) return status;
    return cli_float_each(s->graph, &s->pictures, count, paths, s->threads, answered_in_floats, s);
}

static json_t *as_json(const cli_score *score) {
    return json_pack("{s:I, s:I}", "top1", (json_int_t)score->top1, "top5", (json_int_t)score->top5);
}

static void as_text(const char *name, const cli_score *score, size_t count) {
    double all = (double)count;
    printf("%-11s top-1 %zu of %zu (%.1f %%), top-5 %zu (%.1f %%)\n", name, score->top1, count,
           100 * (double)score->top1 / all, score->top5, 100 * (double)score->top5 / all);
}

static void report(const state *s) {
    if (s->common.json) {
        json_t *root = as_json(&s->score);
        json_object_set_new(root, "count", json_integer((json_int_t)s->truth.labels.count));
        if (s->is_float) json_object_set_new(root, "float", as_json(&s->float_score));
        cli_print_json(root);
        return;
    }
    as_text("accelerator", &s->score, s->truth.labels.count);
    if (s->is_float) as_text("float", &s->float_score, s->truth.labels.count);
}

/* The right use of options that are for boxes, or for classes. NULL: it is. */
static const char *misuse(const state *s, int argc, bool is_artifact) {
    const cli_eval_boxes *b = &s->of_boxes;
    if (argc < 1) return "expected one MODEL";
    if (b->against_float && b->boxes) return "--boxes and --against-float are two ways to look at boxes: give one";
    if (b->against_float && argc < 2) return "expected MODEL and at least one image or folder";
    if (!b->against_float && argc != 1 && !s->is_folder) return "expected one MODEL";
    if (s->is_float && is_artifact) return "--float is for ONNX models: an artifact holds the integers only";
    if (b->against_float && is_artifact)
        return "--against-float is for ONNX models: an artifact holds the integers only";
    if (b->against_float || b->boxes) return NULL;
    if (b->detection.decoder || b->detection.score || b->detection.iou)
        return "--decoder, --score and --iou are for --boxes or --against-float";
    if (s->tokens)
        return s->truth.images || s->truth.labels_path ? "--images and --labels are for pictures, not for --tokens"
                                                       : NULL;
    return s->truth.images
               ? NULL
               : "expected a folder of images, --images and --labels, --boxes, --against-float, or --tokens";
}

static vta_status evaluate_boxes(state *s, int argc, char **argv) {
    cli_eval_boxes *b = &s->of_boxes;
    b->common = &s->common;
    b->images = s->truth.images;
    b->is_float = s->is_float;
    b->detection.network = &s->network;
    b->detection.pictures = &s->pictures;
    b->detection.labels = s->truth.labels_path;
    b->detection.threads = s->threads;
    vta_status status =
        b->boxes ? cli_eval_precision(b, argv[0]) : cli_eval_against_float(b, argv[0], argc - 1, argv + 1);
    free(s->pictures.labels);
    return status;
}

int cmd_eval(const cli_command *self, int argc, char **argv) {
    static state s;
    s.network.common = &s.common;
    const cli_option options[] = {
        {"images", 'i', CLI_TEXT, "DIR", "the folder of the pictures; without --labels with a folder for each class",
         &s.truth.images},
        {"labels", 'l', CLI_TEXT, "FILE",
         "a table of lines file,class, with a heading or without; of boxes: names of the classes",
         &s.truth.labels_path},
        {"boxes", 0, CLI_TEXT, "FILE.json", "the true boxes, in COCO's format: prints the mean average precision",
         &s.of_boxes.boxes},
        {"against-float", 0, CLI_FLAG, NULL, "compare with the boxes that the float model finds in the IMAGES",
         &s.of_boxes.against_float},
        CLI_DETECTION_OPTIONS(&s.of_boxes.detection),
        {"tokens", 0, CLI_TEXT, "FILE.jsonl", "of a language model: a JSON object a line, with an array \"tokens\"",
         &s.tokens},
        {"float", 0, CLI_FLAG, NULL, "pictures: also the model in floats, on the host; tokens: only that", &s.is_float},
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &s.network.driver},
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
    s.is_folder = argc == 2 && !s.truth.images && !s.tokens && !s.of_boxes.boxes && !s.of_boxes.against_float;
    if (s.is_folder) s.truth.images = argv[1];
    const char *wrong = misuse(&s, argc, argc > 0 && cli_is_artifact(argv[0]));
    if (wrong) return cli_usage(self, "%s", wrong);
    if (s.tokens) {
        const cli_device device = {.driver = s.network.driver};
        return cli_finish(cli_eval_tokens(&s.network, &device, argv[0], s.tokens, s.is_float, s.common.json));
    }
    if (s.of_boxes.boxes || s.of_boxes.against_float) return cli_finish(evaluate_boxes(&s, argc, argv));
    vta_status status = evaluate(&s, argv[0]);
    if (status == VTA_OK) report(&s);
    vtac_graph_destroy(s.graph);
    vta_model_release(s.model);
    free(s.pictures.labels);
    cli_truth_free(&s.truth);
    return cli_finish(status);
}

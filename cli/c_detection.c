/* Networks that find things in pictures. */
#include "c_detection.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES_OF_COCO = 80 };

/* ---- Options ---- */

static vta_status share(const char *option, const char *text, double *out) {
    char *end;
    if (!text) return VTA_OK;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && *out <= 1) return VTA_OK;
    return cli_fail(VTA_INVALID_ARGUMENT, "%s %s: expected a number from 0 to 1", option, text);
}

/* 0 as the user means it: everything. */
static double given(double x) { return x > 0 ? x : 1e-12; }

/* An option, else what the settings say, else what is usual. */
static vta_status choose(const cli_detection *d, vta_detector_options *o) {
    const cli_pictures *p = d->pictures;
    o->score = p->score > 0 ? p->score : d->usual_score;
    o->iou = p->iou > 0 ? p->iou : d->usual_iou;
    o->decoder = p->decoder;
    o->class_count = (uint32_t)d->names.count;
    o->max_boxes = d->max_boxes;
    vta_status status = share("--score", d->score, &o->score);
    if (status == VTA_OK) status = share("--iou", d->iou, &o->iou);
    if (status == VTA_OK && d->decoder) status = vta_decoder_find(d->decoder, cli_diag(), &o->decoder);
    if (d->score) o->score = given(o->score);
    if (d->iou) o->iou = given(o->iou);
    return status;
}

/* ---- Its detector ---- */

static vta_status make_detector(const cli_detection *d, const cli_tensor *in, const cli_tensors *out, vta_diag *diag,
                                vta_detector **out_detector) {
    vta_detector_options o = {.size = sizeof o};
    uint32_t height, width;
    *out_detector = NULL;
    if (in->ndim != 4)
        return vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, "its input is not a picture"), VTA_UNSUPPORTED;
    vta_status status = choose(d, &o);
    vta_detect_tensor *tensors = calloc(out->count + 1, sizeof *tensors);
    if (status == VTA_OK && !tensors) status = VTA_NO_MEMORY;
    cli_pictures_size(d->pictures, in->shape, &height, &width);
    for (size_t i = 0; i < out->count && status == VTA_OK; i++)
        tensors[i] = (vta_detect_tensor){out->item[i].name, out->item[i].type, out->item[i].ndim, out->item[i].shape};
    if (status == VTA_OK)
        status = vta_detector_create(&o, height, width, tensors, out->count, NULL, diag, out_detector);
    free(tensors);
    return status;
}

/* A map of features may be that of FastestDet, but for its number of classes. */
static bool is_sure(const cli_detection *d, const vta_detector *detector) {
    size_t classes = vta_detector_class_count(detector);
    if (d->decoder || d->pictures->decoder || vta_detector_decoder(detector) != VTA_DECODER_FASTESTDET) return true;
    return classes == CLASSES_OF_COCO || classes == d->names.count;
}

vta_status cli_detector_of_graph(const vtac_graph *graph, const cli_detection *d, bool sure,
                                 vta_detector **out_detector) {
    cli_tensors in = {0}, out = {0};
    bool may_fail = sure && !d->decoder && !d->pictures->decoder;
    vta_diag *diag = may_fail ? vta_diag_create(NULL) : cli_diag();
    *out_detector = NULL;
    vta_status status = cli_graph_tensors(graph, "", false, &in);
    if (status == VTA_OK) status = cli_graph_tensors(graph, "", true, &out);
    if (status == VTA_OK && in.count) status = make_detector(d, &in.item[0], &out, diag, out_detector);
    if (may_fail && status != VTA_NO_MEMORY) status = VTA_OK;
    if (*out_detector && sure && !is_sure(d, *out_detector)) {
        vta_detector_destroy(*out_detector);
        *out_detector = NULL;
    }
    if (*out_detector) status = cli_pictures_use_decoder(d->pictures, vta_detector_decoder(*out_detector));
    if (may_fail) vta_diag_destroy(diag);
    free((void *)in.item);
    free((void *)out.item);
    return status;
}

static vta_status settle_graph(void *user, const vtac_graph *graph) {
    cli_detection *d = user;
    vta_detector_destroy(d->detector);
    return cli_detector_of_graph(graph, d, false, &d->detector);
}

static cli_tensor tensor_of(const vta_model_tensor *t) {
    return (cli_tensor){t->name, t->type, t->ndim, t->shape, t->bytes};
}

static vta_status settle_artifact(cli_detection *d) {
    vta_model_tensor t = {.size = sizeof t};
    size_t count = vta_model_output_count(d->artifact);
    cli_tensor *items = calloc(count + 1, sizeof *items);
    if (!items) return VTA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        vta_model_output(d->artifact, i, &t);
        items[i] = tensor_of(&t);
    }
    vta_status status = vta_model_input(d->artifact, 0, &t);
    cli_tensor in = tensor_of(&t);
    cli_tensors out = {d->model, true, count, items, NULL};
    if (status == VTA_OK) status = make_detector(d, &in, &out, cli_diag(), &d->detector);
    if (status == VTA_OK) status = cli_pictures_use_decoder(d->pictures, vta_detector_decoder(d->detector));
    free(items);
    return status;
}

/* ---- Names ---- */

static vta_status read_names(cli_detection *d) {
    const char *labels = d->labels ? d->labels : d->pictures->labels;
    vta_model *artifact;
    size_t size;
    if (labels) return cli_names_read(labels, &d->names);
    if (!cli_is_artifact(d->model)) return VTA_OK;
    vta_status status = cli_model_load(d->model, cli_diag(), &artifact);
    const void *text = status == VTA_OK ? vta_model_section(artifact, CLI_LABELS_SECTION, &size) : NULL;
    return text ? cli_names_parse(d->model, text, size, &d->names) : status;
}

const char *cli_detection_label(const cli_detection *d, int32_t class_id) {
    return d->names.count ? cli_name_of(&d->names, class_id) : vta_detector_class_name(d->detector, class_id);
}

/* Some boxes would have no name. */
static void warn_of_names(const cli_detection *d) {
    const char *labels = d->labels ? d->labels : d->pictures->labels;
    size_t classes = vta_detector_class_count(d->detector);
    char message[400];
    if (!labels || d->names.count >= classes) return;
    snprintf(message, sizeof message, "%.250s has names of %zu classes, the network has %zu", labels, d->names.count,
             classes);
    vta_diag_add(cli_diag(), VTA_WARNING, VTA_MISMATCH, message);
}

/* ---- Running ---- */

vta_status cli_detection_begin(cli_detection *d, const char *model, bool is_float, size_t count,
                               const char *const *paths) {
    vtac_graph_options options = {0};
    d->model = model;
    vta_status status = cli_pictures_settle(d->pictures, model);
    if (status == VTA_OK) status = read_names(d);
    if (status != VTA_OK) return status;
    if (is_float) {
        status = cli_graph_load(&d->network->of_graph, model, &options, &d->graph);
        if (status == VTA_OK) status = cli_pictures_of_graph(d->pictures, d->graph);
        if (status == VTA_OK) status = settle_graph(d, d->graph);
    } else {
        bool is_compiled = cli_is_artifact(model);
        d->network->loaded = settle_graph;
        d->network->user = d;
        status = cli_network_open(d->network, model, d->pictures, count, paths, &d->artifact);
        if (status == VTA_OK && is_compiled) status = settle_artifact(d);
    }
    if (status == VTA_OK) warn_of_names(d);
    return status;
}

void cli_detection_end(cli_detection *d) {
    vta_detector_destroy(d->detector);
    vtac_graph_destroy(d->graph);
    vta_model_release(d->artifact);
    cli_names_free(&d->names);
    d->detector = NULL;
    d->graph = NULL;
    d->artifact = NULL;
    d->names = (cli_names){0};
}

static vta_status answered(void *user, size_t index, const cli_answer *answer) {
    cli_detection *d = user;
    return vta_detector_run(d->detector, answer->data, &d->pictures->placed[index], cli_diag(), &d->boxes[index]);
}

vta_status cli_detection_run(cli_detection *d, size_t count, const char *const *paths, vta_boxes ***out_boxes) {
    *out_boxes = d->boxes = calloc(count + 1, sizeof(vta_boxes *));
    d->pictures->placed = calloc(count + 1, sizeof *d->pictures->placed);
    vta_status status = d->boxes && d->pictures->placed ? VTA_OK : VTA_NO_MEMORY;
    if (status == VTA_OK && d->graph)
        status = cli_float_each(d->graph, d->pictures, count, paths, d->threads, answered, d);
    else if (status == VTA_OK)
        status = cli_network_each(d->network, d->artifact, d->pictures, count, paths, d->threads, answered, d);
    free(d->pictures->placed);
    d->pictures->placed = NULL;
    return status;
}

void cli_boxes_free(vta_boxes **boxes, size_t count) {
    for (size_t i = 0; boxes && i < count; i++) vta_boxes_destroy(boxes[i]);
    free(boxes);
}

json_t *cli_detection_json(const cli_detection *d, const vta_box *b) {
    const char *label = cli_detection_label(d, b->class_id);
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:I, s:s?}", "x0", (double)b->x0, "y0", (double)b->y0, "x1",
                     (double)b->x1, "y1", (double)b->y1, "score", (double)b->score, "class", (json_int_t)b->class_id,
                     "label", label);
}

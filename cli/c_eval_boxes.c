/* vta eval --boxes: mean average precision on images with boxes in truth. */
#include "c_eval_boxes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A score below which a box changes nothing, and more boxes than COCO counts (100 of a class). */
#define LEAST_SCORE 0.001
enum { MAX_BOXES = 3000, CLASSES_OF_COCO = 80 };

typedef struct evaluation {
    cli_eval_boxes *e;
    vta_annotations *truth;
    cli_picture_files files;
    int32_t *category; /* by class of the network; -1: it is none */
    size_t classes;
    vta_average_precision sum, float_sum;
    double *by_class; /* by category: at 0.5, at 0.5:0.95 */
} evaluation;

/* ---- The images ---- */

/* The folder of a file, with the slash. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static vta_status list_images(evaluation *v) {
    const char *annotations = v->e->boxes, *folder = v->e->images;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < vta_annotations_picture_count(v->truth) && status == VTA_OK; i++) {
        const char *file = vta_annotations_picture(v->truth, i);
        char *path = NULL;
        int n = folder ? asprintf(&path, "%s/%s", folder, file)
                       : asprintf(&path, "%.*s%s", folder_length(annotations), annotations, file);
        status = n < 0 ? VTA_NO_MEMORY : cli_picture_files_add_one(&v->files, path);
        free(path);
    }
    if (status == VTA_OK && !v->files.count)
        status = cli_fail(VTA_INVALID_ARGUMENT, "--boxes %s: there is no image in it", annotations);
    return status;
}

/* ---- Classes and categories ---- */

static int32_t category_named(const evaluation *v, const char *name) {
    for (size_t i = 0; name && i < vta_annotations_category_count(v->truth); i++)
        if (!strcasecmp(vta_annotations_category(v->truth, i), name)) return (int32_t)i;
    return -1;
}

static int32_t category_numbered(const evaluation *v, int64_t id) {
    for (size_t i = 0; id && i < vta_annotations_category_count(v->truth); i++)
        if (vta_annotations_category_id(v->truth, i) == id) return (int32_t)i;
    return -1;
}

/* A category that no class is: its boxes cannot be found. */
static void warn_of_categories(const evaluation *v) {
    for (size_t i = 0; i < vta_annotations_category_count(v->truth); i++) {
        bool is_known = false;
        for (size_t c = 0; c < v->classes; c++) is_known |= v->category[c] == (int32_t)i;
        if (is_known) continue;
        char message[300];
        snprintf(message, sizeof message,
                 "no class of the network is the category %.200s: its boxes count as not found",
                 vta_annotations_category(v->truth, i));
        vta_diag_add(cli_diag(), VTA_WARNING, VTA_MISMATCH, message);
    }
}

/* By name; where no class has a name that is known: as many of both in order, else COCO's numbers for COCO's classes.
 */
static vta_status map_classes(evaluation *v) {
    const cli_detection *d = &v->e->detection;
    size_t categories = vta_annotations_category_count(v->truth), named = 0;
    v->classes = vta_detector_class_count(d->detector);
    if (!v->classes) v->classes = d->names.count ? d->names.count : categories; /* the outputs do not say */
    v->category = calloc(v->classes + 1, sizeof *v->category);
    if (!v->category) return VTA_NO_MEMORY;
    for (size_t c = 0; c < v->classes; c++) {
        v->category[c] = category_named(v, cli_detection_label(d, (int32_t)c));
        named += v->category[c] >= 0;
    }
    if (!named && v->classes == categories) {
        for (size_t c = 0; c < v->classes; c++) v->category[c] = (int32_t)c;
        named = categories;
    } else if (v->classes == CLASSES_OF_COCO && !d->names.count) {
        for (size_t c = 0; c < v->classes; c++) {
            if (v->category[c] < 0 && !named) v->category[c] = category_numbered(v, vta_coco_category(c));
        }
        for (size_t c = 0; c < v->classes; c++) named += v->category[c] >= 0;
    }
    if (!named)
        return cli_fail(VTA_MISMATCH,
                        "--boxes %s: none of its %zu categories is one of the network's %zu classes: "
                        "give their names in the network's order, --labels FILE",
                        v->e->boxes, categories, v->classes);
    warn_of_categories(v);
    return VTA_OK;
}

/* ---- Scoring ---- */

/* What was found, as boxes of categories. */
static vta_marked_box *collect(const evaluation *v, vta_boxes *const *boxes, size_t *out_count) {
    size_t room = 1, n = 0;
    for (size_t i = 0; i < v->files.count; i++) room += vta_boxes_count(boxes[i]);
    vta_marked_box *found = calloc(room, sizeof *found);
    for (size_t i = 0; found && i < v->files.count; i++)
        for (size_t k = 0; k < vta_boxes_count(boxes[i]); k++) {
            vta_box b = *vta_boxes_get(boxes[i], k);
            if ((size_t)b.class_id >= v->classes || v->category[b.class_id] < 0) continue;
            b.class_id = v->category[b.class_id];
            found[n++] = (vta_marked_box){i, b, false};
        }
    *out_count = n;
    return found;
}

static vta_status score(evaluation *v, double *by_class, vta_average_precision *out) {
    cli_detection *d = &v->e->detection;
    vta_boxes **boxes = NULL;
    size_t truths, founds = 0;
    const vta_marked_box *truth = vta_annotations_boxes(v->truth, &truths);
    vta_status status = cli_detection_run(d, v->files.count, (const char *const *)v->files.path, &boxes);
    vta_marked_box *found = status == VTA_OK ? collect(v, boxes, &founds) : NULL;
    if (status == VTA_OK && !found) status = VTA_NO_MEMORY;
    out->size = sizeof *out;
    if (status == VTA_OK)
        status = vta_boxes_evaluate(truth, truths, found, founds, vta_annotations_category_count(v->truth), NULL,
                                    cli_diag(), by_class, out);
    free(found);
    cli_boxes_free(boxes, v->files.count);
    return status;
}

static vta_status evaluate(evaluation *v, const char *model) {
    cli_detection *d = &v->e->detection;
    const char *const *paths = (const char *const *)v->files.path;
    bool both = v->e->is_float;
    d->usual_score = LEAST_SCORE;
    d->max_boxes = MAX_BOXES;
    v->by_class = calloc(2 * vta_annotations_category_count(v->truth) + 1, sizeof *v->by_class);
    if (!v->by_class) return VTA_NO_MEMORY;
    vta_status status = cli_detection_begin(d, model, false, v->files.count, paths);
    if (status == VTA_OK) status = map_classes(v);
    if (status == VTA_OK) status = score(v, v->by_class, &v->sum);
    if (status != VTA_OK || !both) return status;
    cli_detection_end(d);
    status = cli_detection_begin(d, model, true, v->files.count, paths);
    return status == VTA_OK ? score(v, NULL, &v->float_sum) : status;
}

/* ---- Answers ---- */

static json_t *sum_json(const vta_average_precision *s) {
    return json_pack("{s:f, s:f}", "mAP_0.5", s->at_50, "mAP_0.5:0.95", s->at_50_95);
}

static void as_json(const evaluation *v) {
    json_t *root = sum_json(&v->sum), *classes = json_array();
    for (size_t i = 0; i < vta_annotations_category_count(v->truth); i++) {
        const double *ap = v->by_class + 2 * i;
        if (ap[0] >= 0)
            json_array_append_new(classes,
                                  json_pack("{s:s, s:f, s:f}", "category", vta_annotations_category(v->truth, i),
                                            "AP_0.5", ap[0], "AP_0.5:0.95", ap[1]));
    }
    json_object_set_new(root, "count", json_integer((json_int_t)v->files.count));
    json_object_set_new(root, "boxes", json_integer((json_int_t)v->sum.true_boxes));
    json_object_set_new(root, "classes", classes);
    if (v->e->is_float) json_object_set_new(root, "float", sum_json(&v->float_sum));
    cli_print_json(root);
}

static void line(const char *name, const vta_average_precision *s) {
    printf("%-11s mAP 0.5 %.4f, mAP 0.5:0.95 %.4f\n", name, s->at_50, s->at_50_95);
}

static void as_text(const evaluation *v) {
    for (size_t i = 0; i < vta_annotations_category_count(v->truth); i++) {
        const double *ap = v->by_class + 2 * i;
        if (ap[0] >= 0) printf("%10.4f %10.4f  %s\n", ap[0], ap[1], vta_annotations_category(v->truth, i));
    }
    printf("%zu images, %zu boxes of %zu classes\n", v->files.count, v->sum.true_boxes, v->sum.classes);
    line("accelerator", &v->sum);
    if (v->e->is_float) line("float", &v->float_sum);
}

vta_status cli_eval_precision(cli_eval_boxes *e, const char *model) {
    evaluation v = {.e = e};
    vta_status status = vta_annotations_load(e->boxes, NULL, cli_diag(), &v.truth);
    if (status == VTA_OK) status = list_images(&v);
    if (status == VTA_OK) status = evaluate(&v, model);
    if (status == VTA_OK && e->common->json)
        as_json(&v);
    else if (status == VTA_OK)
        as_text(&v);
    cli_detection_end(&e->detection);
    vta_annotations_destroy(v.truth);
    cli_picture_files_free(&v.files);
    free(v.category);
    free(v.by_class);
    return status;
}

/* vta eval --against-float: which boxes of the float model the integers find, and what else they find. */
#include <stdlib.h>

#include "c_eval_boxes.h"

static const struct {
    double iou;
    const char *name, *key;
} levels[] = {{0.5, "0.5", "found_0.5"}, {0.9, "0.9", "found_0.9"}};
enum { LEVELS = sizeof levels / sizeof *levels };

typedef struct comparison {
    cli_eval_boxes *e;
    cli_picture_files files;
    vta_boxes **wanted, **found; /* of floats, of integers */
    int64_t **taken;             /* LEVELS of each image */
    size_t wanted_count, found_count, right[LEVELS];
} comparison;

static vta_status run(comparison *c, const char *model, bool is_float, vta_boxes ***out) {
    cli_detection *d = &c->e->detection;
    const char *const *paths = (const char *const *)c->files.path;
    cli_detection_end(d);
    vta_status status = cli_detection_begin(d, model, is_float, c->files.count, paths);
    return status == VTA_OK ? cli_detection_run(d, c->files.count, paths, out) : status;
}

static vta_status match(comparison *c) {
    c->taken = calloc(c->files.count * LEVELS + 1, sizeof *c->taken);
    if (!c->taken) return VTA_NO_MEMORY;
    for (size_t i = 0; i < c->files.count; i++) {
        size_t count = vta_boxes_count(c->wanted[i]);
        c->wanted_count += count;
        c->found_count += vta_boxes_count(c->found[i]);
        for (size_t k = 0; k < LEVELS; k++) {
            int64_t *taken = c->taken[i * LEVELS + k] = calloc(count + 1, sizeof *taken);
            if (!taken) return VTA_NO_MEMORY;
            vta_status status = vta_boxes_match(c->wanted[i], c->found[i], levels[k].iou, cli_diag(), taken);
            if (status != VTA_OK) return status;
            for (size_t b = 0; b < count; b++) c->right[k] += taken[b] >= 0;
        }
    }
    return VTA_OK;
}

/* ---- Answers ---- */

static json_t *wanted_json(const comparison *c, size_t image) {
    json_t *list = json_array();
    for (size_t b = 0; b < vta_boxes_count(c->wanted[image]); b++) {
        json_t *box = cli_detection_json(&c->e->detection, vta_boxes_get(c->wanted[image], b));
        for (size_t k = 0; k < LEVELS; k++)
            json_object_set_new(box, levels[k].key, json_boolean(c->taken[image * LEVELS + k][b] >= 0));
        json_array_append_new(list, box);
    }
    return list;
}

/* Boxes of the integers that are none of the float model's at the first level. */
static json_t *others_json(const comparison *c, size_t image) {
    json_t *list = json_array();
    for (size_t f = 0; f < vta_boxes_count(c->found[image]); f++) {
        bool is_taken = false;
        for (size_t b = 0; b < vta_boxes_count(c->wanted[image]); b++)
            is_taken |= c->taken[image * LEVELS][b] == (int64_t)f;
        if (!is_taken)
            json_array_append_new(list, cli_detection_json(&c->e->detection, vta_boxes_get(c->found[image], f)));
    }
    return list;
}

static void as_json(const comparison *c) {
    json_t *found = json_object(), *others = json_object(), *pictures = json_array();
    for (size_t k = 0; k < LEVELS; k++) {
        json_object_set_new(found, levels[k].name, json_integer((json_int_t)c->right[k]));
        json_object_set_new(others, levels[k].name, json_integer((json_int_t)(c->found_count - c->right[k])));
    }
    for (size_t i = 0; i < c->files.count; i++)
        json_array_append_new(pictures, json_pack("{s:s, s:o, s:o}", "picture", c->files.path[i], "boxes",
                                                  wanted_json(c, i), "others", others_json(c, i)));
    cli_print_json(json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "count", (json_int_t)c->files.count, "float_boxes",
                             (json_int_t)c->wanted_count, "boxes", (json_int_t)c->found_count, "found", found, "others",
                             others, "pictures", pictures));
}

static void as_text(const comparison *c) {
    printf("%zu images: %zu boxes in floats, %zu on the accelerator\n", c->files.count, c->wanted_count,
           c->found_count);
    for (size_t k = 0; k < LEVELS; k++)
        printf("IoU %s  found %zu of %zu (%.1f %%), others %zu\n", levels[k].name, c->right[k], c->wanted_count,
               c->wanted_count ? 100 * (double)c->right[k] / (double)c->wanted_count : 100.0,
               c->found_count - c->right[k]);
}

static void release(comparison *c) {
    cli_boxes_free(c->wanted, c->files.count);
    cli_boxes_free(c->found, c->files.count);
    for (size_t i = 0; c->taken && i < c->files.count * LEVELS; i++) free(c->taken[i]);
    free(c->taken);
    cli_detection_end(&c->e->detection);
    cli_picture_files_free(&c->files);
}

vta_status cli_eval_against_float(cli_eval_boxes *e, const char *model, int count, char *const *images) {
    comparison c = {.e = e};
    vta_status status = VTA_OK;
    for (int i = 0; i < count && status == VTA_OK; i++) status = cli_picture_files_add(&c.files, images[i]);
    if (status == VTA_OK) status = run(&c, model, false, &c.found);
    if (status == VTA_OK) status = run(&c, model, true, &c.wanted);
    if (status == VTA_OK) status = match(&c);
    if (status == VTA_OK && e->common->json)
        as_json(&c);
    else if (status == VTA_OK)
        as_text(&c);
    release(&c);
    return status;
}

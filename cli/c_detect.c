/* vta detect: the boxes that a network finds in pictures. */
#include <stdlib.h>
#include <string.h>

#include "c_detection.h"
#include "file.h"
#include "picture_files.h"

typedef struct state {
    cli_common common;
    cli_network network;
    cli_pictures pictures;
    cli_detection detection;
    const char *draw;
    bool is_float;
    cli_picture_files files;
    char **drawn; /* where each picture goes */
    vta_boxes **boxes;
} state;

/* ---- Drawing ---- */

/* OUT.png for one picture; of several pictures OUT-NAME.png. */
static char *drawn_path(const state *s, size_t index) {
    const char *dot = strrchr(s->draw, '.'), *name = cli_base_name(s->files.path[index]), *end = strrchr(name, '.');
    char *path = NULL;
    if (s->files.count == 1) return strdup(s->draw);
    int name_length = (int)(end ? (size_t)(end - name) : strlen(name));
    if (asprintf(&path, "%.*s-%.*s%s", (int)(dot - s->draw), s->draw, name_length, name, dot) < 0) return NULL;
    return path;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* No two pictures may be drawn into one file. */
static vta_status check_drawn(char *const *drawn, size_t count) {
    vta_status status = VTA_OK;
    char **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted) return VTA_NO_MEMORY;
    memcpy(sorted, drawn, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 1; i < count && status == VTA_OK; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            status = cli_fail(VTA_INVALID_ARGUMENT, "--draw: two of the images would be drawn into %s", sorted[i]);
    free(sorted);
    return status;
}

static vta_status name_drawn(state *s) {
    const char *dot = s->draw ? strrchr(cli_base_name(s->draw), '.') : NULL;
    if (!s->draw) return VTA_OK;
    if (!dot || !cli_is_picture(s->draw))
        return cli_fail(VTA_INVALID_ARGUMENT, "--draw %s: expected a file that ends in .png or .jpg", s->draw);
    s->drawn = calloc(s->files.count + 1, sizeof *s->drawn);
    if (!s->drawn) return VTA_NO_MEMORY;
    for (size_t i = 0; i < s->files.count; i++) {
        s->drawn[i] = drawn_path(s, i);
        if (!s->drawn[i]) return VTA_NO_MEMORY;
    }
    return check_drawn(s->drawn, s->files.count);
}

static vta_status draw_box(const state *s, vta_image *image, const vta_box *box) {
    const char *name = cli_detection_label(&s->detection, box->class_id);
    char text[128];
    if (name)
        snprintf(text, sizeof text, "%.100s %.2f", name, (double)box->score);
    else
        snprintf(text, sizeof text, "%d %.2f", (int)box->class_id, (double)box->score);
    return vta_box_draw(image, box, text, cli_diag());
}

/* The least sure box first, so that others are on top of it. */
static vta_status draw(const state *s, size_t index) {
    vta_image *image;
    vta_status status = vta_image_load(s->files.path[index], NULL, cli_diag(), &image);
    if (status != VTA_OK) return status;
    for (size_t i = vta_boxes_count(s->boxes[index]); i > 0 && status == VTA_OK; i--)
        status = draw_box(s, image, vta_boxes_get(s->boxes[index], i - 1));
    if (status == VTA_OK) status = vta_image_save(image, s->drawn[index], cli_diag());
    vta_image_destroy(image);
    return status;
}

static vta_status draw_all(const state *s) {
    vta_status status = VTA_OK;
    for (size_t i = 0; s->draw && i < s->files.count && status == VTA_OK; i++) {
        cli_progress("drawing", i, s->files.count);
        if (s->boxes[i]) status = draw(s, i);
    }
    cli_progress_end();
    return status;
}

/* ---- Answers ---- */

static void as_json(const state *s) {
    json_t *pictures = json_array();
    for (size_t i = 0; i < s->files.count; i++) {
        json_t *boxes = json_array();
        if (!s->boxes[i]) {
            json_decref(boxes);
            continue;
        }
        for (size_t k = 0; k < vta_boxes_count(s->boxes[i]); k++)
            json_array_append_new(boxes, cli_detection_json(&s->detection, vta_boxes_get(s->boxes[i], k)));
        json_array_append_new(pictures, json_pack("{s:s, s:o}", "picture", s->files.path[i], "boxes", boxes));
    }
    cli_print_json(pictures);
}

static void as_text(const state *s) {
    for (size_t i = 0; i < s->files.count; i++) {
        if (!s->boxes[i]) continue;
        printf("%s%s\n", s->files.path[i], vta_boxes_count(s->boxes[i]) ? "" : ": no box");
        for (size_t k = 0; k < vta_boxes_count(s->boxes[i]); k++) {
            const vta_box *b = vta_boxes_get(s->boxes[i], k);
            const char *name = cli_detection_label(&s->detection, b->class_id);
            printf("%8.4f  %7.1f %7.1f %7.1f %7.1f  %4d  %s\n", (double)b->score, (double)b->x0, (double)b->y0,
                   (double)b->x1, (double)b->y1, (int)b->class_id, name ? name : "");
        }
    }
}

/* What could not be read: an error each. */
static vta_status report_broken(const state *s) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < s->files.count; i++)
        if (cli_picture_is_broken(&s->pictures, i))
            status = cli_fail(VTA_INVALID_ARGUMENT, "%s", s->pictures.broken[i]);
    return status;
}

static vta_status detect(state *s, const char *model, char **pictures, int count) {
    vta_status status = VTA_OK;
    for (int i = 0; i < count && status == VTA_OK; i++) status = cli_picture_files_add(&s->files, pictures[i]);
    if (status == VTA_OK) status = name_drawn(s);
    if (status != VTA_OK) return status;
    const char *const *paths = (const char *const *)s->files.path;
    s->pictures.broken = calloc(s->files.count, sizeof *s->pictures.broken);
    if (!s->pictures.broken) return VTA_NO_MEMORY;
    status = cli_detection_begin(&s->detection, model, s->is_float, s->files.count, paths);
    if (status == VTA_OK) status = cli_detection_run(&s->detection, s->files.count, paths, &s->boxes);
    return status == VTA_OK ? draw_all(s) : status;
}

static void release(state *s) {
    cli_boxes_free(s->boxes, s->files.count);
    cli_detection_end(&s->detection);
    for (size_t i = 0; s->pictures.broken && i < s->files.count; i++) free(s->pictures.broken[i]);
    for (size_t i = 0; s->drawn && i < s->files.count; i++) free(s->drawn[i]);
    free(s->pictures.broken);
    free(s->drawn);
    free(s->pictures.labels);
    cli_picture_files_free(&s->files);
}

int cmd_detect(const cli_command *self, int argc, char **argv) {
    static state s;
    s.network.common = &s.common;
    s.detection.network = &s.network;
    s.detection.pictures = &s.pictures;
    const cli_option options[] = {
        {"float", 0, CLI_FLAG, NULL, "with the model in floats, on the host", &s.is_float},
        CLI_DETECTION_OPTIONS(&s.detection),
        {"labels", 0, CLI_TEXT, "FILE", "names of the classes, as for vta classify (of 80 classes COCO's)",
         &s.detection.labels},
        {"draw", 0, CLI_TEXT, "OUT.png|.jpg", "draw the boxes into the image; of several OUT-NAME.png", &s.draw},
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &s.network.driver},
        {"threads", 't', CLI_NUMBER, "N", "images at one time (as many as there are processors)", &s.detection.threads},
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
    if (argc < 2) return cli_usage(self, "expected MODEL and at least one image or folder");
    if (s.is_float && cli_is_artifact(argv[0]))
        return cli_usage(self, "--float is for ONNX models: an artifact holds the integers only");
    if (s.is_float && cli_hardware_option(&s.common))
        return cli_usage(self, "%s is for the accelerator, --float does without it", cli_hardware_option(&s.common));
    vta_status status = detect(&s, argv[0], argv + 1, argc - 1);
    bool done = status == VTA_OK;
    if (done) status = report_broken(&s);
    if (done && s.common.json)
        as_json(&s);
    else if (done)
        as_text(&s);
    release(&s);
    return cli_finish(status);
}

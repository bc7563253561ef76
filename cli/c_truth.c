#include "c_truth.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 5 };

static vta_status make_paths(cli_truth *t) {
    t->paths = calloc(t->labels.count + 1, sizeof *t->paths);
    for (size_t i = 0; t->paths && i < t->labels.count; i++) {
        size_t n = strlen(t->images) + strlen(t->labels.item[i].file) + 2;
        t->paths[i] = malloc(n);
        if (!t->paths[i]) return VTA_NO_MEMORY;
        snprintf(t->paths[i], n, "%s/%s", t->images, t->labels.item[i].file);
    }
    return t->paths ? VTA_OK : VTA_NO_MEMORY;
}

/* A table, or a folder for each class. Names of folders may be those that the model's settings, or an artifact, have.
 */
static vta_status read_labels(cli_truth *t, const cli_pictures *how, const char *model) {
    vta_model *artifact;
    size_t size;
    if (t->labels_path) return cli_labels_read(t->labels_path, &t->labels);
    vta_status status = how->labels ? cli_names_read(how->labels, &t->names) : VTA_OK;
    if (!how->labels && cli_is_artifact(model)) {
        status = cli_model_load(model, cli_diag(), &artifact);
        const void *text = status == VTA_OK ? vta_model_section(artifact, CLI_LABELS_SECTION, &size) : NULL;
        if (text) status = cli_names_parse(model, text, size, &t->names);
    }
    return status == VTA_OK ? cli_labels_of_folders(t->images, &t->names, &t->labels, &t->ordered) : status;
}

vta_status cli_truth_read(cli_truth *t, const cli_pictures *how, const char *model) {
    vta_status status = read_labels(t, how, model);
    return status == VTA_OK ? make_paths(t) : status;
}

void cli_truth_free(cli_truth *t) {
    for (size_t i = 0; t->paths && i < t->labels.count; i++) free(t->paths[i]);
    free(t->paths);
    cli_labels_free(&t->labels);
    cli_names_free(&t->names);
    *t = (cli_truth){.images = t->images, .labels_path = t->labels_path};
}

vta_status cli_truth_check(const cli_truth *t, const cli_pictures *how, const vta_model *model) {
    vta_model_tensor out = {.size = sizeof out};
    char message[512];
    vta_status status = vta_model_output(model, 0, &out);
    int64_t classes = status == VTA_OK ? (int64_t)(out.bytes / sizeof(float)) : 0;
    int64_t first = -how->label_offset, last = classes - 1 - how->label_offset;
    if (status == VTA_OK && t->ordered && (int64_t)t->ordered != last - (first > 0 ? first : 0) + 1)
        return cli_fail(VTA_MISMATCH,
                        "%s has %zu folders, the network %lld classes: call the folders by the numbers of the classes, "
                        "or by the names in the file of \"labels\" in MODEL.picture.json",
                        t->images, t->ordered, (long long)classes);
    for (size_t i = 0; i < t->labels.count && status == VTA_OK; i++) {
        const struct cli_label *l = &t->labels.item[i];
        if (l->class >= first && l->class <= last) continue;
        snprintf(message, sizeof message,
                 "%.200s: %.150s is of class %lld; the classes of the network go from %lld to %lld",
                 t->labels_path ? t->labels_path : t->images, l->file, (long long)l->class, (long long)first,
                 (long long)last);
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_OUT_OF_RANGE, message);
        status = VTA_OUT_OF_RANGE;
    }
    return status;
}

vta_status cli_truth_count(const cli_truth *t, const cli_pictures *how, size_t index, const cli_answer *answer,
                           cli_score *score) {
    size_t count, top[TOP];
    const float *scores = cli_scores(answer, &count);
    if (!scores) return VTA_UNSUPPORTED;
    size_t n = cli_top(scores, count, TOP, top);
    int64_t right = t->labels.item[index].class + how->label_offset;
    for (size_t i = 0; i < n; i++) {
        if ((int64_t)top[i] != right) continue;
        score->top1 += i == 0;
        score->top5++;
    }
    return VTA_OK;
}

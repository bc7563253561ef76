/* Samples that a network is calibrated with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_language.h"
#include "c_network.h"
#include "picture_files.h"
#include "tensors.h"
#include "vta/module.h"

enum { SAMPLES = 16 };

static vta_status wrong(vta_status status, const char *what, const char *message) {
    char text[512];
    snprintf(text, sizeof text, "%.250s: %.250s", what, message);
    vta_diag_add(cli_diag(), VTA_ERROR, status, text);
    return status;
}

/* ---- Pictures: for networks of one input ---- */

typedef struct sampling {
    vtac_calibration *calibration;
    vtac_graph_tensor in;
    const cli_pictures *how;
    uint64_t samples, seen;
    const vtac_graph *graph;
    const char *path; /* of the model */
    float *input;
} sampling;

static vta_status observe(sampling *s) {
    return vtac_calibration_observe(s->calibration, (const void *[]){s->input}, cli_diag());
}

static vta_status sample_picture(sampling *s, const cli_pictures *how, size_t index, const char *path) {
    if (s->in.ndim != 4) return wrong(VTA_UNSUPPORTED, path, "the network's input is not a picture; give a .npy file");
    vta_status status = cli_picture_read_one(how, index, path, s->in.shape, cli_diag(), s->input);
    if (status != VTA_OK || cli_picture_is_broken(how, index)) return status;
    s->seen++;
    return observe(s);
}

/* Pictures from places all over the list. */
static vta_status sample_pictures(sampling *s, const cli_pictures *how, size_t count, const char *const *paths) {
    size_t n = count < s->samples ? count : s->samples;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < n && status == VTA_OK; i++) {
        cli_progress("calibrating: picture", i, n);
        status = sample_picture(s, how, i * count / n, paths[i * count / n]);
    }
    if (status != VTA_OK || !n || s->seen) return status;
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_INVALID_ARGUMENT, how->broken[0]); /* nor any other */
    return VTA_INVALID_ARGUMENT;
}

static vta_status sample_folder(sampling *s, const char *folder) {
    cli_picture_files files = {0};
    vta_status status = cli_picture_files_add(&files, folder);
    cli_pictures how = *s->how; /* broken ones are those of other pictures */
    how.broken = NULL;
    how.placed = NULL;
    if (status == VTA_OK) status = sample_pictures(s, &how, files.count, (const char *const *)files.path);
    cli_picture_files_free(&files);
    return status;
}

static vta_status sample_images(const cli_network *n, sampling *s, const cli_tensors *t, size_t count,
                                const char *const *paths) {
    if (t->count != 1 || s->in.type.code != kDLFloat)
        return wrong(VTA_UNSUPPORTED, s->path,
                     "pictures are samples of networks with one float32 input; give .npy files");
    vta_status known = cli_pictures_need_graph(s->how, s->graph);
    if (known != VTA_OK) return known;
    s->input = malloc(s->in.bytes);
    if (!s->input) return VTA_NO_MEMORY;
    vta_status status =
        n->calibrate.count ? sample_folder(s, n->calibrate.item[0]) : sample_pictures(s, s->how, count, paths);
    free(s->input);
    cli_progress_end();
    return status;
}

/* ---- Files of many samples, one for each input ---- */

/* Samples of one input, one behind the other. */
typedef struct file_of_samples {
    const char *path;
    vta_array *array;
    size_t count;
} file_of_samples;

/* Ranges of what is not a number are none. */
static vta_status check_numbers(const char *path, const DLTensor *t, size_t count, size_t bytes) {
    const float *data = t->data;
    size_t each = bytes / sizeof *data;
    if (t->dtype.code != kDLFloat || t->dtype.bits != 32) return VTA_OK;
    for (size_t i = 0; i < count * each; i++)
        if (!isfinite(data[i]))
            return cli_fail(VTA_OUT_OF_RANGE,
                            "%s: sample %zu holds %s, at element %zu of its %zu: samples are finite numbers", path,
                            i / each,
                            isnan(data[i]) ? "NaN"
                            : data[i] > 0  ? "infinity"
                                           : "-infinity",
                            i % each, each);
    return VTA_OK;
}

/* Of several shapes (`some_fit`) a file is for those that it fits. */
static vta_status load_samples(const cli_tensors *t, const char *text, bool some_fit, file_of_samples *files) {
    size_t index;
    const char *path;
    vta_status status = cli_tensors_find(t, text, &index, &path);
    if (status != VTA_OK) return status;
    file_of_samples *f = &files[index];
    const cli_tensor *want = &t->item[index];
    vta_array *array;
    status = vta_array_load_npy(path, NULL, cli_diag(), &array);
    if (status != VTA_OK) return status;
    size_t count = cli_tensors_times(want, vta_array_tensor(array));
    if ((!count && !some_fit) || (count && f->array)) {
        status = count ? wrong(VTA_INVALID_ARGUMENT, path, "samples of this input are given twice")
                       : cli_tensors_refuse(t, want, path, vta_array_tensor(array), true);
        vta_array_free(array);
        return status;
    }
    if (!count) {
        vta_array_free(array);
        return VTA_OK;
    }
    *f = (file_of_samples){path, array, count};
    return check_numbers(path, vta_array_tensor(f->array), f->count, want->bytes);
}

/* A file for each input, of as many samples. */
static vta_status check_samples(const cli_tensors *t, const file_of_samples *files) {
    for (size_t i = 0; i < t->count; i++) {
        if (!files[i].array)
            return wrong(VTA_INVALID_ARGUMENT, t->item[i].name, "no samples of this input: --calibrate NAME=FILE.npy");
        if (files[i].count != files[0].count)
            return wrong(VTA_MISMATCH, files[i].path, "not as many samples as those of the first input");
    }
    return VTA_OK;
}

static vta_status observe_samples(sampling *s, const cli_tensors *t, const file_of_samples *files, const void **data) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < files[0].count && i < s->samples && status == VTA_OK; i++) {
        cli_progress("calibrating: sample", i, files[0].count < s->samples ? files[0].count : s->samples);
        for (size_t k = 0; k < t->count; k++)
            data[k] = (const char *)vta_array_tensor(files[k].array)->data + i * t->item[k].bytes;
        status = vtac_calibration_observe(s->calibration, data, cli_diag());
    }
    cli_progress_end();
    return status;
}

static vta_status sample_tensors(const cli_network *n, sampling *s, const cli_tensors *t) {
    file_of_samples *files = calloc(t->count + 1, sizeof *files);
    const void **data = calloc(t->count + 1, sizeof *data);
    vta_status status = files && data ? VTA_OK : VTA_NO_MEMORY;
    for (int i = 0; i < n->calibrate.count && status == VTA_OK; i++)
        status = load_samples(t, n->calibrate.item[i], n->some_fit, files);
    if (status == VTA_OK) status = check_samples(t, files);
    if (status == VTA_OK) status = observe_samples(s, t, files, data);
    for (size_t i = 0; files && i < t->count; i++) vta_array_free(files[i].array);
    free(data);
    free(files);
    return status;
}

/* ---- Inputs of one run, and numbers for want of any ---- */

static void fill(const cli_tensor *t, float *data) {
    uint32_t random = 1;
    if (t->type.code != kDLFloat || t->type.bits != 32) return; /* zeros: indices, say */
    for (size_t i = 0; i < t->bytes / sizeof *data; i++) {
        random = random * 1664525 + 1013904223;
        data[i] = (float)(int32_t)random / 0x1p30f;
    }
}

static vta_status sample_inputs(const cli_network *n, sampling *s, const cli_tensors *t) {
    static const cli_list none;
    bool given = n->inputs && n->inputs->count;
    void **data;
    vta_status status = cli_tensors_read(t, given ? n->inputs : &none, s->how, given, &data);
    for (size_t i = 0; i < t->count && status == VTA_OK && !given; i++) fill(&t->item[i], data[i]);
    if (status == VTA_OK && !given)
        cli_say(VTA_WARNING, "%s: no samples are given: ranges come from random numbers, and results mean nothing",
                t->model);
    if (status == VTA_OK) status = vtac_calibration_observe(s->calibration, (const void *const *)data, cli_diag());
    cli_tensors_free(t, data);
    return status;
}

static bool is_npy(const char *path) {
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".npy");
}

static vta_status sample(const cli_network *n, sampling *s, const cli_tensors *t, size_t count,
                         const char *const *paths) {
    bool tensors = n->calibrate.count > 1 || (n->calibrate.count && is_npy(n->calibrate.item[0]));
    if (tensors) return sample_tensors(n, s, t);
    if (n->calibrate.count || count) return sample_images(n, s, t, count, paths);
    if (n->any_samples || (n->inputs && n->inputs->count)) return sample_inputs(n, s, t);
    return wrong(VTA_INVALID_ARGUMENT, s->path,
                 "the ranges of its values are not known: give samples, --calibrate DIR");
}

vta_status cli_calibrate(const cli_network *n, const char *path, const vtac_graph *graph, vtac_calibration *calibration,
                         const cli_pictures *how, size_t count, const char *const *paths) {
    sampling s = {.calibration = calibration,
                  .path = path,
                  .graph = graph,
                  .how = how,
                  .samples = n->samples ? n->samples : SAMPLES};
    cli_tensors t = {0};
    vta_status status = cli_graph_tensors(graph, path, false, &t);
    vtac_graph_input(graph, 0, &s.in);
    t.option = n->calibrate.count ? "calibrate" : NULL;
    const char *file = n->calibrate.count ? n->calibrate.item[0] : NULL;
    bool lines = n->calibrate.count == 1 && cli_is_lines(file);
    bool own = !n->calibrate.count && !(n->inputs && n->inputs->count) && cli_graph_is_language(graph);
    if (status == VTA_OK)
        status = lines || own ? cli_calibrate_tokens(n, path, graph, calibration, lines ? file : NULL)
                              : sample(n, &s, &t, count, paths);
    free((void *)t.item);
    return status;
}

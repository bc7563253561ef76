/* Samples that a network is calibrated with. */
#include <stdlib.h>
#include <string.h>

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

/* ---- Pictures, and files of many samples: for networks of one input ---- */

typedef struct sampling {
    vtac_calibration *calibration;
    vtac_graph_tensor in;
    const cli_pictures *how;
    uint64_t samples, seen;
    const char *path; /* of the model */
    float *input;
} sampling;

static vta_status observe(sampling *s) {
    return vtac_calibration_observe(s->calibration, (const void *[]){s->input}, cli_diag());
}

static vta_status sample_picture(sampling *s, const cli_pictures *how, size_t index, const char *path) {
    if (s->in.ndim != 4) return wrong(VTA_UNSUPPORTED, path, "the network's input is no picture; give a .npy file");
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
    if (status == VTA_OK) status = sample_pictures(s, &how, files.count, (const char *const *)files.path);
    cli_picture_files_free(&files);
    return status;
}

/* Samples one behind the other. */
static vta_status sample_tensors(sampling *s, const char *path) {
    vta_array *array = NULL;
    vta_status status = vta_array_load_npy(path, NULL, cli_diag(), &array);
    if (status != VTA_OK) return status;
    const DLTensor *t = vta_array_tensor(array);
    size_t bytes = vta_array_bytes(array), count = bytes / s->in.bytes;
    if (count == 0 || bytes % s->in.bytes || t->dtype.code != kDLFloat || t->dtype.bits != 32)
        status = wrong(VTA_MISMATCH, path, "no float32 samples of the network's input");
    for (size_t i = 0; i < count && i < s->samples && status == VTA_OK; i++) {
        memcpy(s->input, (const char *)t->data + i * s->in.bytes, s->in.bytes);
        status = observe(s);
    }
    vta_array_free(array);
    return status;
}

static bool is_npy(const char *path) {
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".npy");
}

static vta_status sample_files(const cli_network *n, sampling *s, const vtac_graph *graph, size_t count,
                               const char *const *paths) {
    vtac_graph_input(graph, 0, &s->in);
    if (vtac_graph_input_count(graph) != 1 || s->in.type.code != kDLFloat)
        return wrong(VTA_UNSUPPORTED, s->path, "only networks of one float32 input are calibrated so");
    s->input = malloc(s->in.bytes);
    if (!s->input) return VTA_NO_MEMORY;
    vta_status status = !n->calibrate          ? sample_pictures(s, s->how, count, paths)
                        : is_npy(n->calibrate) ? sample_tensors(s, n->calibrate)
                                               : sample_folder(s, n->calibrate);
    free(s->input);
    cli_progress_end();
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
        fprintf(stderr, "%s: no samples are given: ranges come from random numbers, and results mean nothing\n",
                t->model);
    if (status == VTA_OK) status = vtac_calibration_observe(s->calibration, (const void *const *)data, cli_diag());
    cli_tensors_free(t, data);
    return status;
}

static vta_status sample_one(const cli_network *n, sampling *s, const vtac_graph *graph) {
    size_t count = vtac_graph_input_count(graph);
    cli_tensor *items = calloc(count + 1, sizeof *items);
    if (!items) return VTA_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        vtac_graph_tensor t = {0};
        vtac_graph_input(graph, i, &t);
        items[i] = (cli_tensor){t.name, t.type, t.ndim, t.shape, t.bytes};
    }
    vta_status status = sample_inputs(n, s, &(cli_tensors){s->path, false, count, items});
    free(items);
    return status;
}

vta_status cli_calibrate(const cli_network *n, const char *path, const vtac_graph *graph, vtac_calibration *calibration,
                         const cli_pictures *how, size_t count, const char *const *paths) {
    sampling s = {.calibration = calibration, .path = path, .how = how, .samples = n->samples ? n->samples : SAMPLES};
    if (n->calibrate || count) return sample_files(n, &s, graph, count, paths);
    if (n->any_samples || (n->inputs && n->inputs->count)) return sample_one(n, &s, graph);
    return wrong(VTA_INVALID_ARGUMENT, path, "the ranges of its values are not known: give samples, --calibrate DIR");
}

/* Networks as commands take them. */
#include "c_network.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "file.h"
#include "vta/module.h"

enum { SAMPLES = 8 };

static vta_status wrong(vta_status status, const char *what, const char *message) {
    char text[512];
    snprintf(text, sizeof text, "%.250s: %.250s", what, message);
    vta_diag_add(cli_diag(), VTA_ERROR, status, text);
    return status;
}

bool cli_is_artifact(const char *path) {
    static const uint8_t magic[] = {0x8d, 0x56, 0x54, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a};
    uint8_t bytes[sizeof magic];
    FILE *f = fopen(path, "rb");
    bool is = f && fread(bytes, 1, sizeof bytes, f) == sizeof bytes && !memcmp(bytes, magic, sizeof magic);
    if (f) fclose(f);
    return is;
}

/* ---- Samples ---- */

static bool ends_in(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcasecmp(name + n - m, ending);
}

static int is_picture(const struct dirent *e) {
    return ends_in(e->d_name, ".jpg") || ends_in(e->d_name, ".jpeg") || ends_in(e->d_name, ".png");
}

typedef struct sampling {
    vtac_calibration *calibration;
    vtac_graph_tensor in;
    const cli_pictures *how;
    uint64_t samples;
    float *input;
} sampling;

static vta_status observe(sampling *s) {
    return vtac_calibration_observe(s->calibration, (const void *[]){s->input}, cli_diag());
}

static vta_status sample_picture(sampling *s, const char *path) {
    if (s->in.ndim != 4) return wrong(VTA_UNSUPPORTED, path, "the network's input is no picture; give a .npy file");
    vta_status status = cli_picture_read(s->how, path, s->in.shape, cli_diag(), s->input);
    return status == VTA_OK ? observe(s) : status;
}

/* Pictures from places all over the list. */
static vta_status sample_pictures(sampling *s, size_t count, const char *const *paths) {
    size_t n = count < s->samples ? count : s->samples;
    vta_status status = VTA_OK;
    for (size_t i = 0; i < n && status == VTA_OK; i++) {
        cli_progress("calibrating: picture", i, n);
        status = sample_picture(s, paths[i * count / n]);
    }
    return status;
}

static vta_status sample_folder(sampling *s, const char *folder) {
    struct dirent **names;
    int count = scandir(folder, &names, is_picture, alphasort);
    if (count <= 0) return wrong(VTA_NOT_FOUND, folder, "no folder with .jpg, .jpeg or .png files");
    char **paths = calloc((size_t)count, sizeof *paths);
    vta_status status = paths ? VTA_OK : VTA_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        if (paths && asprintf(&paths[i], "%s/%s", folder, names[i]->d_name) < 0)
            status = VTA_NO_MEMORY, paths[i] = NULL;
        free(names[i]);
    }
    free(names);
    if (status == VTA_OK) status = sample_pictures(s, (size_t)count, (const char *const *)paths);
    for (int i = 0; paths && i < count; i++) free(paths[i]);
    free(paths);
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

static vta_status sample(const cli_network *n, sampling *s, const vtac_graph *graph, size_t count,
                         const char *const *paths) {
    vtac_graph_input(graph, 0, &s->in);
    if (vtac_graph_input_count(graph) != 1 || s->in.type.code != kDLFloat)
        return wrong(VTA_UNSUPPORTED, vtac_graph_name(graph), "only networks of one float32 input are calibrated");
    s->samples = n->samples ? n->samples : SAMPLES;
    s->input = malloc(s->in.bytes);
    vta_status status = s->input ? VTA_OK : VTA_NO_MEMORY;
    if (status == VTA_OK && n->calibrate)
        status = ends_in(n->calibrate, ".npy") ? sample_tensors(s, n->calibrate) : sample_folder(s, n->calibrate);
    else if (status == VTA_OK)
        status = sample_pictures(s, count, paths);
    free(s->input);
    cli_progress_end();
    return status;
}

/* ---- Compiling ---- */

static bool tell(void *user, size_t done, size_t count, const char *layer) {
    (void)user;
    (void)layer;
    cli_progress("compiling: layer", done, count);
    return false;
}

static vta_status quantize(const cli_network *n, const vtac_calibration *calibration, vtac_quantized **out) {
    vtac_quantize_options options = {.size = sizeof options, .method = (vtac_range_method)n->range};
    char *end = "";
    if (n->percentile) options.percentile = strtod(n->percentile, &end);
    if (n->percentile && (*end || !(options.percentile > 0 && options.percentile <= 100)))
        return wrong(VTA_INVALID_ARGUMENT, n->percentile, "--percentile is more than 0 and at most 100");
    return vtac_quantized_create(calibration, &options, cli_diag(), out);
}

vta_status cli_network_build(const cli_network *n, const vtac_quantized *q, uint8_t **out_bytes, size_t *out_size,
                             char **report) {
    vtac_compile_options options = {.size = sizeof options, .processor_only = n->processor_only, .progress = tell};
    vta_config *config = NULL;
    vta_status status = cli_find_config(n->common, &config);
    if (status == VTA_OK) status = vtac_quantized_compile(q, config, &options, cli_diag(), out_bytes, out_size, report);
    vta_config_release(config);
    cli_progress_end();
    return status;
}

vta_status cli_network_quantize(const cli_network *n, const char *path, const cli_pictures *how, size_t count,
                                const char *const *paths, vtac_graph **out_graph, vtac_quantized **out_quantized) {
    sampling s = {.how = how};
    vtac_graph_options options = {0};
    *out_graph = NULL;
    *out_quantized = NULL;
    vta_status status = cli_graph_load(&n->of_graph, path, &options, out_graph);
    if (status == VTA_OK) status = vtac_calibration_create(*out_graph, NULL, cli_diag(), &s.calibration);
    bool needed = status == VTA_OK && (n->calibrate || !vtac_calibration_is_given(s.calibration));
    if (needed && !n->calibrate && count == 0)
        status =
            wrong(VTA_INVALID_ARGUMENT, path, "the ranges of its values are not known: give samples, --calibrate DIR");
    else if (needed)
        status = sample(n, &s, *out_graph, count, paths);
    if (status == VTA_OK) status = quantize(n, s.calibration, out_quantized);
    vtac_calibration_destroy(s.calibration);
    return status;
}

vta_status cli_network_compile(const cli_network *n, const char *path, const cli_pictures *how, size_t count,
                               const char *const *paths, uint8_t **out_bytes, size_t *out_size, char **out_report) {
    vtac_graph *graph;
    vtac_quantized *q;
    vta_status status = cli_network_quantize(n, path, how, count, paths, &graph, &q);
    if (status == VTA_OK) status = cli_network_build(n, q, out_bytes, out_size, out_report);
    vtac_quantized_destroy(q);
    vtac_graph_destroy(graph);
    return status;
}

vta_status cli_network_open(const cli_network *n, const char *path, const cli_pictures *how, size_t count,
                            const char *const *paths, vta_model **out_model) {
    uint8_t *bytes;
    size_t size;
    if (cli_is_artifact(path)) return vta_model_load(path, NULL, cli_diag(), out_model);
    vta_status status = cli_network_compile(n, path, how, count, paths, &bytes, &size, NULL);
    if (status != VTA_OK) return status;
    status = vta_model_parse(bytes, size, path, NULL, cli_diag(), out_model);
    vta_string_free((char *)bytes);
    return status;
}

/* ---- Running ---- */

typedef struct work {
    const cli_pictures *how;
    cli_cost *cost;
    const char *const *paths;
    cli_scored *scored;
    void *user;
    vta_model_tensor in, out;
    pthread_mutex_t lock;
} work;

static vta_status feed(void *ctx, size_t item, vta_instance *instance, vta_diag *diag) {
    work *w = ctx;
    float *input = malloc(w->in.bytes);
    vta_status status = input ? cli_picture_read(w->how, w->paths[item], w->in.shape, diag, input) : VTA_NO_MEMORY;
    if (status == VTA_OK) status = vta_instance_set_input(instance, 0, input, w->in.bytes, diag);
    free(input);
    if (w->cost) vta_device_clear_counters(vta_instance_device(instance));
    return status;
}

/* Counters and cycles are those of every picture, seconds are not. */
static vta_status find_cost(cli_cost *cost, vta_instance *instance, vta_diag *diag) {
    cli_cost now = {.counters = vta_device_counters(vta_instance_device(instance))};
    vta_model_step step = {0};
    vta_step_profile took = {0};
    for (size_t i = 0; vta_model_get_step(vta_instance_model(instance), i, &step) == VTA_OK; i++) {
        vta_status status = vta_instance_profile(instance, i, diag, &took);
        if (status != VTA_OK) return status;
        if (step.layer != UINT32_MAX) continue;
        now.cycles += took.cycles;
        now.seconds += took.seconds;
    }
    if (cost->seconds > 0 && cost->seconds < now.seconds) now.seconds = cost->seconds;
    *cost = now;
    return VTA_OK;
}

static vta_status take(void *ctx, size_t item, vta_instance *instance, vta_diag *diag) {
    work *w = ctx;
    float *scores = malloc(w->out.bytes);
    vta_status status = scores ? vta_instance_get_output(instance, 0, scores, w->out.bytes, diag) : VTA_NO_MEMORY;
    if (status == VTA_OK) {
        pthread_mutex_lock(&w->lock);
        w->scored(w->user, item, scores, w->out.bytes / sizeof *scores);
        if (w->cost) status = find_cost(w->cost, instance, diag);
        pthread_mutex_unlock(&w->lock);
    }
    free(scores);
    return status;
}

static bool progress(void *ctx, size_t done, size_t count) {
    (void)ctx;
    cli_progress("picture", done, count);
    return false;
}

static bool is_float(const vta_model_tensor *t) { return t->type.code == kDLFloat && t->type.bits == 32; }

vta_status cli_network_each(const cli_network *n, vta_model *model, const cli_pictures *how, size_t count,
                            const char *const *paths, uint64_t threads, cli_scored *scored, void *user) {
    work w = {.how = how, .cost = n->cost, .paths = paths, .scored = scored, .user = user};
    vta_batch_options options = {.size = sizeof options, .threads = (uint32_t)threads, .progress = progress};
    options.instance.driver = n->driver;
    w.in.size = w.out.size = sizeof w.in;
    vta_model_input(model, 0, &w.in);
    vta_model_output(model, 0, &w.out);
    if (vta_model_input_count(model) != 1 || w.in.ndim != 4 || w.in.shape[0] != 1 || !is_float(&w.in) ||
        !is_float(&w.out))
        return wrong(VTA_UNSUPPORTED, vta_model_name(model), "no network from one picture to float32 scores");
    pthread_mutex_init(&w.lock, NULL);
    vta_status status = vta_model_run_batch(model, count, feed, take, &w, &options, cli_diag());
    pthread_mutex_destroy(&w.lock);
    cli_progress_end();
    return status;
}

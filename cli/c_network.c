/* Networks as commands take them. */
#include "c_network.h"
#include "c_machine.h"
#include "c_search.h"
#include "c_shapes.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "file.h"
#include "vta/device.h"
#include "vta/isa.h"

static vta_status wrong(vta_status status, const char *what, const char *message) {
    char text[512];
    snprintf(text, sizeof text, "%.250s: %.250s", what, message);
    vta_diag_add(cli_diag(), VTA_ERROR, status, text);
    return status;
}

/* ---- What it takes, with --verbose ---- */

void cli_stage(const char *name) {
    static double begin;
    struct rusage use;
    double now = cli_now(), ms = (now - begin) * 1e3;
    if (name && *cli_verbose() && getrusage(RUSAGE_SELF, &use) == 0)
        fprintf(stderr, "%-20s %9.1f ms, memory %6ld MiB at most so far\n", name, ms, use.ru_maxrss / 1024);
    begin = now;
}

/* ---- Compiling ---- */

static bool tell(void *user, size_t done, size_t count, const char *layer) {
    (void)user;
    (void)layer;
    cli_progress("compiling: layer", done, count);
    return false;
}

/* A target that cannot multiply sums requantizes by shifts, unless the user wants otherwise. */
static vta_status settle_requantize(const cli_network *n, vtac_requantize *requantize) {
    vta_config *config = NULL;
    *requantize = (vtac_requantize)n->requantize;
    if (*requantize != VTAC_REQUANTIZE_AUTO) return VTA_OK;
    vta_status status = cli_find_config(n->common, &config);
    if (status == VTA_OK && !vta_target_has_alu(config, VTA_ALU_MUL)) *requantize = VTAC_REQUANTIZE_SHIFT;
    vta_config_release(config);
    return status;
}

static vta_status quantize(const cli_network *n, const vtac_calibration *calibration, vtac_quantized **out) {
    vtac_quantize_options options = {.size = sizeof options,
                                     .method = (vtac_range_method)n->range,
                                     .result_bits = (uint32_t)n->result_bits,
                                     .weight_bits = (uint32_t)n->weight_bits,
                                     .keep_bias = n->keep_bias,
                                     .equalize = n->equalize,
                                     .rounding = (vtac_rounding)n->rounding,
                                     .precise = (const char *const *)n->precise.item,
                                     .precise_count = n->precise.count};
    char *end = "";
    vta_status status = settle_requantize(n, &options.requantize);
    if (status != VTA_OK) return status;
    if (n->percentile) options.percentile = strtod(n->percentile, &end);
    if (n->percentile && (*end || !(options.percentile > 0 && options.percentile <= 100)))
        return wrong(VTA_INVALID_ARGUMENT, n->percentile, "--percentile is more than 0 and at most 100");
    if (!n->search || !n->search->seconds) return vtac_quantized_create(calibration, &options, cli_diag(), out);
    vta_config *config = NULL;
    status = cli_find_config(n->common, &config);
    if (status == VTA_OK) status = cli_search_run(n->search, n, calibration, &options, config, out);
    vta_config_release(config);
    return status;
}

vta_status cli_network_build(const cli_network *n, const vtac_quantized *q, uint8_t **out_bytes, size_t *out_size,
                             vtac_compile_report **report) {
    vtac_compile_options options = {.size = sizeof options, .processor_only = n->processor_only, .progress = tell};
    options.use_up = n->use_up;
    options.sections = n->sections;
    options.section_count = n->section_count;
    vta_config *config = NULL;
    vta_status status = cli_machine(&n->machine, &options.triple, &options.cpu, &options.features);
    if (status == VTA_OK) status = cli_find_config(n->common, &config);
    if (status == VTA_OK) status = vtac_quantized_compile(q, config, &options, cli_diag(), out_bytes, out_size, report);
    vta_config_release(config);
    cli_progress_end();
    cli_stage("schedule and compile");
    return status;
}

static vta_status settle_ranges(const cli_network *n, const char *path, const vtac_graph *graph, vtac_calibration *c,
                                const cli_pictures *how, size_t count, const char *const *paths) {
    if (!n->calibrate.count && vtac_calibration_is_given(c)) return VTA_OK;
    return cli_calibrate(n, path, graph, c, how, count, paths);
}

/* Large blocks go back to the system when they are freed: the C library would begin to keep them once one was. Small
 * ones come from memory that grows by megabytes and is kept: compiling frees and takes it for each kernel anew, and
 * pages of the system cost more than what is done with them (ViT-tiny: 2.1 s instead of 3.4). Of models so large that
 * memory may be short nothing more is kept. */
static void settle_memory(const char *path) {
    enum { LARGE_MODEL = 256 << 20, KEPT = 16 << 20 };
    struct stat file;
    bool large = !path || stat(path, &file) != 0 || file.st_size >= LARGE_MODEL;
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    if (!large) mallopt(M_TOP_PAD, KEPT);
#endif
    (void)large;
}

vta_status cli_network_quantize(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                                const char *const *paths, vtac_graph **out_graph, vtac_quantized **out_quantized) {
    vtac_calibration *calibration = NULL;
    vtac_graph_options options = {0};
    *out_graph = NULL;
    *out_quantized = NULL;
    settle_memory(path);
    cli_stage(NULL);
    vta_status status = cli_graph_load(&n->of_graph, path, &options, out_graph);
    cli_stage("read");
    if (status == VTA_OK) status = cli_pictures_of_graph(how, *out_graph);
    if (status == VTA_OK && n->loaded) status = n->loaded(n->user, *out_graph);
    if (status == VTA_OK) status = vtac_calibration_create(*out_graph, NULL, cli_diag(), &calibration);
    if (status == VTA_OK) status = settle_ranges(n, path, *out_graph, calibration, how, count, paths);
    cli_stage("calibrate");
    if (status == VTA_OK) status = quantize(n, calibration, out_quantized);
    cli_stage("quantize");
    vtac_calibration_destroy(calibration);
    return status;
}

/* One shape of those that the options ask for. */
typedef struct shape {
    size_t index;
    uint8_t *bytes;
    size_t size;
} shape;

/* What front ends keep in an artifact is in the first shape, and around the others. */
static vta_status compile_shape(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                                const char *const *paths, shape *out, vtac_compile_report **out_report) {
    cli_network one = *n;
    vtac_graph *graph = NULL;
    vtac_quantized *q = NULL;
    cli_shapes_at(&n->of_graph, out->index, &one.of_graph);
    one.some_fit = cli_shapes_count(&n->of_graph) > 1;
    if (out->index) one.loaded = NULL;
    vta_status status = cli_network_quantize(&one, path, how, count, paths, &graph, &q);
    if (q) vtac_quantized_drop_floats(q, graph);
    one.use_up = true;
    one.sections = n->sections; /* which were made of the graph */
    one.section_count = out->index ? 0 : n->section_count;
    if (status == VTA_OK) status = cli_network_build(&one, q, &out->bytes, &out->size, out->index ? NULL : out_report);
    vtac_quantized_destroy(q);
    vtac_graph_destroy(graph);
    return status;
}

static vta_status join(const shape *shapes, size_t count, uint8_t **out_bytes, size_t *out_size) {
    vtac_artifact *artifacts = calloc(count, sizeof *artifacts);
    for (size_t i = 0; artifacts && i < count; i++) artifacts[i] = (vtac_artifact){shapes[i].bytes, shapes[i].size};
    vta_status status =
        artifacts ? vtac_artifact_join(artifacts, count, cli_diag(), out_bytes, out_size) : VTA_NO_MEMORY;
    free(artifacts);
    return status;
}

vta_status cli_network_compile(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                               const char *const *paths, uint8_t **out_bytes, size_t *out_size,
                               vtac_compile_report **out_report) {
    size_t shape_count = cli_shapes_count(&n->of_graph);
    shape *shapes = calloc(shape_count, sizeof *shapes);
    vta_status status = shapes ? VTA_OK : VTA_NO_MEMORY;
    for (size_t i = 0; i < shape_count && status == VTA_OK; i++) {
        shapes[i].index = i;
        status = compile_shape(n, path, how, count, paths, &shapes[i], out_report);
    }
    if (status == VTA_OK && shape_count > 1) status = join(shapes, shape_count, out_bytes, out_size);
    if (status == VTA_OK && shape_count == 1) {
        *out_bytes = shapes->bytes;
        *out_size = shapes->size;
        shapes->bytes = NULL;
    }
    for (size_t i = 0; shapes && i < shape_count; i++) vta_string_free((char *)shapes[i].bytes);
    free(shapes);
    return status;
}

const char *cli_network_option(const cli_network *n) {
    return n->common->config      ? "--config"
           : n->common->set.count ? "--set"
           : n->calibrate.count   ? "--calibrate"
           : n->samples           ? "--samples"
           : n->percentile        ? "--percentile"
           : n->range             ? "--range"
           : n->requantize        ? "--requantize"
           : n->rounding          ? "--rounding"
           : n->precise.count     ? "--precise"
           : n->weight_bits       ? "--weights"
           : n->equalize          ? "--equalize"
           : n->keep_bias         ? "--keep-bias"
           : n->processor_only    ? "--processor-only"
           : n->of_graph.batch    ? "--batch"
                                  : NULL;
}

const char *cli_hardware_option(const cli_common *common) {
    return common->config ? "--config" : common->set.count ? "--set" : cli_timing_option(&common->timing);
}

vta_status cli_network_open(const cli_network *n, const char *path, cli_pictures *how, size_t count,
                            const char *const *paths, vta_model **out_model) {
    uint8_t *bytes;
    size_t size;
    const char *timing = cli_timing_option(&n->common->timing);
    if (cli_is_artifact(path) && timing && !n->tells_cycles)
        return cli_fail(VTA_INVALID_ARGUMENT,
                        "%s: this network is compiled already; vta profile tells its cycles with %s", path, timing);
    const char *compiling = cli_network_option(n);
    if (cli_is_artifact(path) && compiling)
        return cli_fail(VTA_INVALID_ARGUMENT, "%s: %s is for ONNX models; this network is compiled already", path,
                        compiling);
    if (cli_is_artifact(path)) return vta_model_load(path, NULL, cli_diag(), out_model);
    vta_status status = cli_network_compile(n, path, how, count, paths, &bytes, &size, NULL);
    if (status != VTA_OK) return status;
    status = vta_model_parse(bytes, size, path, NULL, cli_diag(), out_model);
    vta_string_free((char *)bytes);
    return status;
}

static const cli_network *used;

void cli_network_use(const cli_network *n) { used = n; }

void cli_onnx_use(const cli_common *common, const cli_list *inputs) {
    static cli_network own;
    own = (cli_network){.common = common, .inputs = inputs};
    used = &own;
}

vta_status cli_onnx_compile(const char *path, vta_diag *diag, vta_model **out_model) {
    static const cli_common common;
    static const cli_network none = {.common = &common};
    static cli_pictures plain;
    cli_network n = used ? *used : none;
    uint8_t *bytes;
    size_t size;
    n.any_samples = true;
    *out_model = NULL;
    vta_status status = cli_network_compile(&n, path, n.pictures ? n.pictures : &plain, 0, NULL, &bytes, &size, NULL);
    if (status != VTA_OK) return status;
    status = vta_model_parse(bytes, size, path, NULL, diag, out_model);
    vta_string_free((char *)bytes);
    return status;
}

/* ---- Running ---- */

typedef struct work {
    const cli_pictures *how;
    cli_cost *cost;
    const char *const *paths;
    cli_answered *answered;
    void *user;
    vta_model_tensor in;
    cli_tensor *out;
    size_t out_count, out_bytes; /* all of them together, each rounded up */
    pthread_mutex_t lock;
} work;

static vta_status feed(void *ctx, size_t item, vta_instance *instance, vta_diag *diag) {
    work *w = ctx;
    float *input = malloc(w->in.bytes);
    vta_status status =
        input ? cli_picture_read_one(w->how, item, w->paths[item], w->in.shape, diag, input) : VTA_NO_MEMORY;
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

enum { ALIGNMENT = 64 };

static size_t rounded(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static vta_status get_outputs(const work *w, vta_instance *instance, vta_diag *diag, char *bytes, const void **data) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < w->out_count && status == VTA_OK; i++) {
        status = vta_instance_get_output(instance, i, bytes, w->out[i].bytes, diag);
        data[i] = bytes;
        bytes += rounded(w->out[i].bytes);
    }
    return status;
}

static vta_status list_outputs(work *w, const vta_model *model) {
    w->out_count = vta_model_output_count(model);
    w->out_bytes = ALIGNMENT;
    w->out = calloc(w->out_count + 1, sizeof *w->out);
    if (!w->out) return VTA_NO_MEMORY;
    for (size_t i = 0; i < w->out_count; i++) {
        vta_model_tensor t = {.size = sizeof t};
        vta_model_output(model, i, &t);
        w->out[i] = (cli_tensor){t.name, t.type, t.ndim, t.shape, t.bytes};
        w->out_bytes += rounded(t.bytes);
    }
    return VTA_OK;
}

static vta_status take(void *ctx, size_t item, vta_instance *instance, vta_diag *diag) {
    work *w = ctx;
    char *bytes = malloc(w->out_bytes);
    const void **data = calloc(w->out_count + 1, sizeof *data);
    vta_status status = bytes && data ? get_outputs(w, instance, diag, bytes, data) : VTA_NO_MEMORY;
    if (status == VTA_OK) {
        pthread_mutex_lock(&w->lock);
        if (!cli_picture_is_broken(w->how, item))
            status = w->answered(w->user, item, &(cli_answer){w->out_count, w->out, data});
        if (status == VTA_OK && w->cost) status = find_cost(w->cost, instance, diag);
        pthread_mutex_unlock(&w->lock);
    }
    free(data);
    free(bytes);
    return status;
}

static bool progress(void *ctx, size_t done, size_t count) {
    (void)ctx;
    cli_progress("picture", done, count);
    return false;
}

static bool is_float(const vta_model_tensor *t) { return t->type.code == kDLFloat && t->type.bits == 32; }

vta_status cli_network_each(const cli_network *n, vta_model *model, const cli_pictures *how, size_t count,
                            const char *const *paths, uint64_t threads, cli_answered *answered, void *user) {
    work w = {.how = how, .cost = n->cost, .paths = paths, .answered = answered, .user = user};
    vta_batch_options options = {.size = sizeof options, .threads = (uint32_t)threads, .progress = progress};
    cli_instance_timing timing;
    options.instance.driver = n->driver;
    w.in.size = sizeof w.in;
    vta_model_input(model, 0, &w.in);
    if (vta_model_input_count(model) != 1 || w.in.ndim != 4 || w.in.shape[0] != 1 || !is_float(&w.in))
        return wrong(VTA_UNSUPPORTED, vta_model_name(model), "no network of one float32 picture");
    vta_status status = cli_time_instance(&n->common->timing, model, &timing, &options.instance);
    if (status == VTA_OK) status = list_outputs(&w, model);
    if (status == VTA_OK)
        status = cli_pictures_need(how, w.in.shape, w.out_count == 1 ? w.out[0].bytes / sizeof(float) : 0);
    pthread_mutex_init(&w.lock, NULL);
    if (status == VTA_OK) status = vta_model_run_batch(model, count, feed, take, &w, &options, cli_diag());
    pthread_mutex_destroy(&w.lock);
    free(w.out);
    cli_progress_end();
    return status;
}

#include "network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "vta/exec.h"
#include "vta/ops.h"
#include "vta/support.h"

struct sweep_network {
    vtac_graph *graph;
    vtac_quantized *quantized;
    char content[SWEEP_KEY]; /* of the integers and their graph */
    const cli_network *options;
};

/* The integer network itself is what is compiled: the same integers of whichever file and samples are the same. */
static vta_status hash_content(sweep_network *w, const char *path) {
    char *bytes = NULL;
    size_t size;
    sweep_hash h;
    sweep_hash_begin(&h);
    vta_status status = cli_read_file(path, &bytes, &size);
    if (status == VTA_OK) sweep_hash_add(&h, bytes, size);
    free(bytes);
    sweep_hash_text(&h, vtac_quantized_text(w->quantized));
    for (int i = 0; i < w->options->of_graph.shapes.count; i++)
        sweep_hash_text(&h, w->options->of_graph.shapes.item[i]);
    sweep_hash_end(&h, w->content);
    return status;
}

vta_status sweep_network_open(const cli_network *n, cli_pictures *how, const char *path, sweep_network **out) {
    sweep_network *w = *out = calloc(1, sizeof *w);
    if (!w) return VTA_NO_MEMORY;
    w->options = n;
    vta_status status = cli_network_quantize(n, path, how, 0, NULL, &w->graph, &w->quantized);
    if (status == VTA_OK) vtac_quantized_drop_floats(w->quantized, w->graph);
    if (status == VTA_OK) status = hash_content(w, path);
    return status;
}

void sweep_network_destroy(sweep_network *network) {
    if (!network) return;
    vtac_quantized_destroy(network->quantized);
    vtac_graph_destroy(network->graph);
    free(network);
}

void sweep_network_hash(const sweep_network *network, sweep_hash *h) {
    sweep_hash_text(h, network->content);
    sweep_hash_text(h, network->options->processor_only ? "host" : "accelerator");
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

typedef struct judging {
    const cli_pictures *how;
    const cli_truth *truth;
    cli_score score;
} judging;

static vta_status answered(void *user, size_t index, const cli_answer *answer) {
    judging *j = user;
    return cli_truth_count(j->truth, j->how, index, answer, &j->score);
}

vta_status sweep_network_judge(const sweep_network *network, const cli_pictures *how, const cli_truth *truth,
                               uint64_t threads, result_accuracy *out) {
    cli_network on_sim = *network->options;
    judging j = {.how = how, .truth = truth};
    vta_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t size, count = truth->labels.count;
    on_sim.driver = "sim";
    vta_status status = cli_network_build(&on_sim, network->quantized, &bytes, &size, NULL);
    if (status == VTA_OK) status = vta_model_parse(bytes, size, "network", NULL, cli_diag(), &model);
    if (status == VTA_OK) status = cli_truth_check(truth, how, model);
    if (status == VTA_OK)
        status = cli_network_each(&on_sim, model, how, count, (const char *const *)truth->paths, threads, answered, &j);
    *out = (result_accuracy){count, j.score.top1, j.score.top5};
    vta_model_release(model);
    vta_string_free((char *)bytes);
    return status;
}

vta_status sweep_truth_hash(const cli_pictures *how, const cli_truth *truth, sweep_hash *h) {
    json_t *o = cli_pictures_json(how);
    char *text = json_dumps(o, JSON_SORT_KEYS);
    json_decref(o);
    sweep_hash_text(h, text);
    vta_status status = text ? VTA_OK : VTA_NO_MEMORY;
    free(text);
    sweep_hash_add(h, &how->label_offset, sizeof how->label_offset);
    for (size_t i = 0; i < truth->labels.count && status == VTA_OK; i++) {
        char *bytes = NULL;
        size_t size;
        status = cli_read_file(truth->paths[i], &bytes, &size);
        if (status == VTA_OK) sweep_hash_add(h, bytes, size);
        sweep_hash_add(h, &truth->labels.item[i].class, sizeof truth->labels.item[i].class);
        free(bytes);
    }
    return status;
}

/* ---- The cache: streams and their notes, without the memory ------------------------------------------------------ */

/* In front of the program's bytes. */
typedef struct header {
    char magic[8];
    uint32_t accelerator_layers, host_layers;
} header;
static const char magic[8] = {'V', 'T', 'A', 's', 't', 'r', 'm', '1'};

/* The folder, made where it is not there; free(). NULL: nowhere. */
static char *cache_folder(void) {
    const char *own = cli_environment("VTA_SWEEP_CACHE"), *shared = cli_environment("XDG_CACHE_HOME"),
               *home = cli_environment("HOME");
    char *path = NULL;
    size_t size;
    FILE *f = open_memstream(&path, &size);
    if (!f) return NULL;
    if (own)
        fprintf(f, "%s", own);
    else if (shared)
        fprintf(f, "%s/vta/sweep", shared);
    else if (home)
        fprintf(f, "%s/.cache/vta/sweep", home);
    bool good = !ferror(f);
    if (fclose(f) != 0 || !good || !size) {
        free(path);
        return NULL;
    }
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = 0;
        good = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (slash) *slash = '/';
        if (!slash || !good) break;
    }
    if (good) return path;
    free(path);
    return NULL;
}

static char *cache_path(const sweep_network *w, const vta_config *config, const vta_timing_profile *timing) {
    sweep_hash h;
    char key[SWEEP_KEY], *texts[] = {vta_config_to_json(config), vta_timing_profile_to_json(timing)};
    sweep_hash_begin(&h);
    sweep_hash_text(&h, vta_version());
    sweep_hash_text(&h, vta_build_id());
    sweep_network_hash(w, &h);
    for (int i = 0; i < 2; i++) sweep_hash_text(&h, texts[i]);
    sweep_hash_end(&h, key);
    char *folder = texts[0] && texts[1] ? cache_folder() : NULL, *path = NULL;
    for (int i = 0; i < 2; i++) vta_string_free(texts[i]);
    size_t size = folder ? strlen(folder) + SWEEP_KEY + 16 : 0;
    if (folder && (path = malloc(size))) snprintf(path, size, "%s/%s.streams", folder, key);
    free(folder);
    return path;
}

/* False where it is not there, or damaged: then it is made again. */
static bool load(const char *path, vta_program **out_program, result *out) {
    FILE *f = fopen(path, "rb");
    struct stat st;
    header head;
    bool good = f && fstat(fileno(f), &st) == 0 && fread(&head, sizeof head, 1, f) == 1 &&
                !memcmp(head.magic, magic, sizeof magic);
    size_t size = good ? (size_t)st.st_size - sizeof head : 0;
    uint8_t *bytes = good ? malloc(size + 1) : NULL;
    vta_diag *quiet = vta_diag_create(NULL);
    good = bytes && quiet && fread(bytes, 1, size, f) == size &&
           vta_program_parse(bytes, size, path, NULL, quiet, out_program) == VTA_OK;
    vta_diag_destroy(quiet);
    free(bytes);
    if (f) fclose(f);
    if (!good) return false;
    out->accelerator_layers = head.accelerator_layers;
    out->host_layers = head.host_layers;
    return out->is_cached = true;
}

static vta_status copy_run(const vta_program *from, uint32_t run, vta_diag *diag, vta_program *to) {
    vta_program_run_info info;
    vta_status status = vta_program_get_run(from, run, &info);
    if (status == VTA_OK) status = vta_program_begin_run(to, info.insn_addr, info.insns, info.insn_count, diag);
    const char *last = NULL;
    for (uint32_t i = 0; i < info.insn_count && status == VTA_OK; i++) {
        const char *note = vta_program_note(from, run, i);
        if (note && note != last) status = vta_program_add_note(to, i, note, diag);
        last = note;
    }
    return status == VTA_OK ? vta_program_end_run(to, diag) : status;
}

/* What cannot be kept is made again the next time: no error of the sweep. */
static void save(const char *path, const vta_program *program, const result *r) {
    vta_diag *quiet = vta_diag_create(NULL);
    vta_program *streams = NULL;
    uint8_t *bytes = NULL, *whole = NULL;
    size_t size = 0;
    header head = {.accelerator_layers = (uint32_t)r->accelerator_layers, .host_layers = (uint32_t)r->host_layers};
    memcpy(head.magic, magic, sizeof magic);
    vta_status status = quiet ? vta_program_create(vta_program_config(program), NULL, quiet, &streams) : VTA_NO_MEMORY;
    for (uint32_t run = 0; run < vta_program_run_count(program) && status == VTA_OK; run++)
        status = copy_run(program, run, quiet, streams);
    if (status == VTA_OK) status = vta_program_serialize(streams, quiet, &bytes, &size);
    if (status == VTA_OK && (whole = malloc(sizeof head + size))) {
        memcpy(whole, &head, sizeof head);
        memcpy(whole + sizeof head, bytes, size);
        vta_file_write(path, whole, sizeof head + size, quiet);
    }
    free(whole);
    vta_string_free((char *)bytes);
    vta_program_destroy(streams);
    vta_diag_destroy(quiet);
}

/* ---- Compiling -------------------------------------------------------------------------------------------------- */

static bool is_late(void *user, size_t done, size_t count, const char *layer) {
    const double *end = user;
    (void)done;
    (void)count;
    (void)layer;
    return *end > 0 && cli_now() > *end;
}

vta_status sweep_network_artifact(const sweep_network *w, const vta_config *config, const vta_timing_profile *timing,
                                  double limit, vta_diag *diag, uint8_t **out_bytes, size_t *out_size, result *out) {
    double end = limit > 0 ? cli_now() + limit : 0;
    const vtac_op_options schedule = {.size = sizeof schedule, .profile = timing};
    const vtac_compile_options options = {.size = sizeof options,
                                          .schedule = &schedule,
                                          .processor_only = w->options->processor_only,
                                          .progress = is_late,
                                          .user = &end};
    vtac_compile_report *report = NULL;
    *out_bytes = NULL;
    vta_status status = vtac_quantized_compile(w->quantized, config, &options, diag, out_bytes, out_size, &report);
    if (status == VTA_INTERRUPTED) {
        char text[96];
        snprintf(text, sizeof text, "not compiled after %g s (--limit)", limit);
        vta_diag_clear(diag);
        vta_diag_add(diag, VTA_ERROR, status = VTA_TIMEOUT, text);
    }
    if (status == VTA_OK) {
        out->accelerator_layers = vtac_compile_report_count(report, VTAC_ON_ACCELERATOR);
        out->host_layers = vtac_compile_report_count(report, VTAC_ON_HOST);
    }
    vtac_compile_report_destroy(report);
    return status;
}

static vta_status compile(const sweep_network *w, const vta_config *config, const vta_timing_profile *timing,
                          double limit, vta_diag *diag, vta_program **out_program, result *out) {
    vta_model *model = NULL;
    uint8_t *bytes = NULL;
    size_t size;
    vta_status status = sweep_network_artifact(w, config, timing, limit, diag, &bytes, &size, out);
    if (status == VTA_OK) status = vta_model_parse(bytes, size, "network", NULL, diag, &model);
    if (status == VTA_OK) status = vta_model_program(model, diag, out_program);
    vta_model_release(model);
    vta_string_free((char *)bytes);
    return status;
}

vta_status sweep_network_program(const sweep_network *network, const vta_config *config,
                                 const vta_timing_profile *timing, double limit, bool keep, vta_diag *diag,
                                 vta_program **out_program, result *out) {
    char *path = keep ? cache_path(network, config, timing) : NULL;
    vta_status status = VTA_OK;
    *out_program = NULL;
    if (!path || !load(path, out_program, out)) {
        status = compile(network, config, timing, limit, diag, out_program, out);
        if (status == VTA_OK && path) save(path, *out_program, out);
    }
    free(path);
    return status;
}

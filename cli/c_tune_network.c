/* vta tune MODEL.onnx: the operators that its layers become on the accelerator, one after the other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "c_tune.h"

typedef struct tuning {
    cli_tune *t;
    json_t *operators;
    uint64_t cycles, untuned, bound;
    vta_status status;
} tuning;

/* As vta op takes them, which folds a convolution's kernel where it is not told to leave it. */
static json_t *attributes_of(const vtac_op *op) {
    const char *text = vtac_op_attributes(op);
    bool folds = !strcmp(vtac_op_name(op), "conv2d") && !strstr(text, "fold=");
    return json_sprintf("%s%s", text, folds ? " fold=0" : "");
}

static void tell(tuning *w, const char *layer) {
    const vtac_tune_result *r = &w->t->result;
    w->cycles += r->op.cycles;
    w->untuned += r->untuned;
    w->bound += r->op.bound;
    if (w->t->common.json) {
        json_array_append_new(w->operators,
                              json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I}", "layer", layer, "operator",
                                        vtac_op_name(w->t->o.op), "attributes", attributes_of(w->t->o.op), "cycles",
                                        (json_int_t)r->op.cycles, "untuned", (json_int_t)r->untuned, "bound",
                                        (json_int_t)r->op.bound, "trials", (json_int_t)r->trials, "failed",
                                        (json_int_t)r->failed));
        return;
    }
    printf("%-32s %-16s %10" PRIu64 " cycles, %10" PRIu64 " untuned, bound %10" PRIu64 ", %u trials\n", layer,
           vtac_op_name(w->t->o.op), r->op.cycles, r->untuned, r->op.bound, (unsigned)r->trials);
    fflush(stdout);
}

/* Nothing to choose, as of a copy: that is not an error of the model. */
static vta_status tune_one(tuning *w, const char *layer, const vtac_op *op) {
    cli_tune *t = w->t;
    bool ran;
    vtac_op_destroy(t->o.op);
    t->o.op = NULL;
    t->drawn = 0;
    vta_status status =
        vtac_op_create(vtac_op_name(op), vtac_op_attributes(op), t->o.config, NULL, cli_diag(), &t->o.op);
    if (status == VTA_OK) status = cli_tune_search(t, &ran);
    if (status == VTA_UNSUPPORTED) return VTA_OK;
    if (status == VTA_OK) tell(w, layer);
    return status;
}

static bool scheduled(void *user, const char *layer, const vtac_op *op) {
    tuning *w = user;
    cli_progress_end();
    w->status = tune_one(w, layer, op);
    return w->status != VTA_OK || w->t->result.interrupted;
}

static vta_status tune_all(tuning *w, const vtac_quantized *quantized) {
    vtac_op_options one = {.tries = 1};
    vtac_compile_options options = {.size = sizeof options, .schedule = &one, .user = w, .scheduled = scheduled};
    uint8_t *bytes = NULL;
    size_t size;
    vta_status status = vtac_quantized_compile(quantized, w->t->o.config, &options, cli_diag(), &bytes, &size, NULL);
    vta_string_free((char *)bytes);
    if (w->status != VTA_OK) return w->status;
    return w->t->result.interrupted ? VTA_OK : status;
}

static void report(const tuning *w, const char *path) {
    if (w->t->common.json)
        cli_print_json(json_pack("{s:s, s:O, s:I, s:I, s:I, s:b}", "model", path, "operators", w->operators, "cycles",
                                 (json_int_t)w->cycles, "untuned", (json_int_t)w->untuned, "bound",
                                 (json_int_t)w->bound, "interrupted", w->t->result.interrupted));
    else
        printf("all operators, each once: %" PRIu64 " cycles, %" PRIu64 " untuned, bound %" PRIu64 "%s\n", w->cycles,
               w->untuned, w->bound, w->t->result.interrupted ? "; interrupted" : "");
}

vta_status cli_tune_network(cli_tune *t, const char *path) {
    tuning w = {.t = t, .operators = json_array()};
    vtac_graph *graph = NULL;
    vtac_quantized *quantized = NULL;
    t->network.any_samples = true;
    t->network.common = &t->common;
    vta_status status = cli_find_config(&t->common, &t->o.config);
    if (status == VTA_OK) status = cli_find_profile(&t->device, t->o.config, &t->o.profile);
    if (status == VTA_OK) status = cli_pictures_settle(&t->pictures, path);
    if (status == VTA_OK) {
        status = cli_network_quantize(&t->network, path, &t->pictures, 0, NULL, &graph, &quantized);
        if (status == VTA_OK) status = tune_all(&w, quantized);
        if (status == VTA_OK) report(&w, path);
        vtac_quantized_destroy(quantized);
        vtac_graph_destroy(graph);
    }
    json_decref(w.operators);
    free(t->pictures.labels);
    return status;
}

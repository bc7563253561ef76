/* vta tune MODEL.onnx: the operators that its layers become on the accelerator, one after the other, or each by one of
 * several processes (c_tune_ranks.c). */
#include "c_tune_network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The operators of a network ---------------------------------------------------------------------------------- */

static bool collect(void *user, const char *layer, const vtac_op *op) {
    cli_tune_work *w = user;
    struct cli_tune_operator *more = realloc(w->operators, (w->count + 1) * sizeof *more);
    w->status = more ? VTA_OK : VTA_NO_MEMORY;
    if (!more) return true;
    w->operators = more;
    struct cli_tune_operator *o = &more[w->count++];
    *o = (struct cli_tune_operator){strdup(layer), strdup(vtac_op_name(op)), strdup(vtac_op_attributes(op)), NULL};
    if (!o->layer || !o->name || !o->attributes) w->status = VTA_NO_MEMORY;
    return w->status != VTA_OK;
}

static vta_status collect_all(cli_tune_work *w, const vtac_quantized *quantized) {
    vtac_op_options one = {.tries = 1};
    vtac_compile_options options = {.size = sizeof options, .schedule = &one, .user = w, .scheduled = collect};
    uint8_t *bytes = NULL;
    size_t size;
    vta_status status = vtac_quantized_compile(quantized, w->t->o.config, &options, cli_diag(), &bytes, &size, NULL);
    vta_string_free((char *)bytes);
    return w->status != VTA_OK ? w->status : status;
}

/* ---- One of them ------------------------------------------------------------------------------------------------- */

/* As vta op takes them, which folds a convolution's kernel where it is not told to leave it. */
static json_t *attributes_of(const struct cli_tune_operator *o) {
    bool folds = !strcmp(o->name, "conv2d") && !strstr(o->attributes, "fold=");
    return json_sprintf("%s%s", o->attributes, folds ? " fold=0" : "");
}

static json_t *result_of(const cli_tune *t, const struct cli_tune_operator *o) {
    const vtac_tune_result *r = &t->result;
    return json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I}", "layer", o->layer, "operator", o->name, "attributes",
                     attributes_of(o), "cycles", (json_int_t)r->op.cycles, "untuned", (json_int_t)r->untuned, "bound",
                     (json_int_t)r->op.bound, "trials", (json_int_t)r->trials, "failed", (json_int_t)r->failed);
}

vta_status cli_tune_one(cli_tune *t, struct cli_tune_operator *o) {
    bool ran;
    vtac_op_destroy(t->o.op);
    t->o.op = NULL;
    t->drawn = 0;
    vta_status status = vtac_op_create(o->name, o->attributes, t->o.config, NULL, cli_diag(), &t->o.op);
    if (status == VTA_OK) status = cli_tune_search(t, &ran);
    if (status == VTA_UNSUPPORTED) return VTA_OK;
    if (status == VTA_OK && !(o->result = result_of(t, o))) status = VTA_NO_MEMORY;
    return status;
}

static uint64_t number(const json_t *o, const char *name) {
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

void cli_tune_tell(const cli_tune *t, const struct cli_tune_operator *o) {
    if (t->common.json) return;
    if (!o->result)
        printf("%-32s %-16s has only one schedule, so there is nothing to tune\n", o->layer, o->name);
    else
        printf("%-32s %-16s %10" PRIu64 " cycles, %10" PRIu64 " untuned, bound %10" PRIu64 ", %" PRIu64 " trials\n",
               o->layer, o->name, number(o->result, "cycles"), number(o->result, "untuned"), number(o->result, "bound"),
               number(o->result, "trials"));
    fflush(stdout);
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static vta_status tune_all(cli_tune_work *w) {
    vta_status status = VTA_OK;
    for (size_t i = 0; i < w->count && status == VTA_OK && !w->t->result.interrupted; i++) {
        status = cli_tune_one(w->t, &w->operators[i]);
        if (status == VTA_OK) cli_tune_tell(w->t, &w->operators[i]);
    }
    return status;
}

static void report(const cli_tune_work *w, const char *path) {
    uint64_t cycles = 0, untuned = 0, bound = 0;
    json_t *operators = json_array();
    for (size_t i = 0; i < w->count; i++) {
        const json_t *r = w->operators[i].result;
        cycles += number(r, "cycles");
        untuned += number(r, "untuned");
        bound += number(r, "bound");
        if (r) json_array_append(operators, w->operators[i].result);
    }
    bool interrupted = w->t->result.interrupted;
    if (w->t->common.json)
        cli_print_json(json_pack("{s:s, s:O, s:I, s:I, s:I, s:b}", "model", path, "operators", operators, "cycles",
                                 (json_int_t)cycles, "untuned", (json_int_t)untuned, "bound", (json_int_t)bound,
                                 "interrupted", interrupted));
    else
        printf("all operators, each once: %" PRIu64 " cycles, %" PRIu64 " untuned, bound %" PRIu64 "%s\n", cycles,
               untuned, bound, interrupted ? "; interrupted" : "");
    json_decref(operators);
}

static vta_status open_network(cli_tune_work *w, const char *path) {
    cli_tune *t = w->t;
    vtac_graph *graph = NULL;
    vtac_quantized *quantized = NULL;
    vta_status status = cli_find_config(&t->common, &t->o.config);
    if (status == VTA_OK) status = vta_timing_profile_for(t->o.config, cli_diag(), &t->o.profile);
    if (status == VTA_OK) status = cli_pictures_settle(&t->pictures, path);
    if (status != VTA_OK) return status;
    status = cli_network_quantize(&t->network, path, &t->pictures, 0, NULL, &graph, &quantized);
    if (status == VTA_OK) status = collect_all(w, quantized);
    cli_progress_end();
    vtac_quantized_destroy(quantized);
    vtac_graph_destroy(graph);
    return status;
}

vta_status cli_tune_network(cli_tune *t, const char *path) {
    cli_tune_work w = {.t = t};
    t->network.any_samples = true;
    t->of_network = true;
    t->network.common = &t->common;
    const sweep_transport *transport = sweep_transport_find();
    vta_status status = open_network(&w, path);
    if (transport)
        status = cli_tune_ranks(&w, transport, status);
    else if (status == VTA_OK)
        status = tune_all(&w);
    if (status == VTA_OK && !(transport && transport->rank > 0)) report(&w, path);
    for (size_t i = 0; i < w.count; i++) {
        free(w.operators[i].layer);
        free(w.operators[i].name);
        free(w.operators[i].attributes);
        json_decref(w.operators[i].result);
    }
    free(w.operators);
    free(t->pictures.labels);
    return status;
}

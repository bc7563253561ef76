/* The public handles: calibration, quantized networks, and their artifacts. */
#include "vta/compile.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/element_type.h"
#include "base/spill.h"
#include "base/versioned.h"
#include "frontend/graph/rewrite.h"
#include "frontend/quant/eval.h"
#include "frontend/quant/given.h"
#include "frontend/quant/outlier.h"
#include "frontend/quant/range_output.h"
#include "network/handles.h"
#include "network/network.h"

static void leave(vt__shared *s) {
    if (!s || --s->users) return;
    vt_ctx_clear(&s->ctx);
    vt_free(s->allocator, s, sizeof *s);
}

/* ---- Calibration ------------------------------------------------------------------------------------------------ */

static void observe(void *user, const vt_gnode *n, const void *const *out) {
    vt__shared *s = user;
    for (uint32_t i = 0; i < n->output_count; i++)
        if (n->outputs[i]->type.element == VT_ELEMENT_F32)
            vt_ranges_observe(s->ranges, n->outputs[i], out[i], (size_t)vt_gtype_count(&n->outputs[i]->type));
}

typedef struct start {
    vt__shared *shared;
    const vt_graph *from;
} start;

static vta_status take(vt_ctx *ctx, void *arg) {
    start *a = arg;
    vt__shared *s = a->shared;
    s->model = vt_graph_copy(ctx, a->from);
    s->graph = vt_quant_take_given(s->model, &s->ranges, &s->givens);
    s->given = s->ranges != NULL;
    if (!s->ranges) s->ranges = vt_ranges_new(ctx, s->graph);
    return VTA_OK;
}

static vta_status open_shared(const vtac_graph *graph, const vta_allocator *allocator, vta_diag *diag,
                              vt__shared **out) {
    vt__shared *s = *out = vt_alloc_zero(allocator, sizeof *s);
    if (!s) return vt_no_memory(diag);
    s->allocator = allocator;
    s->users = 1;
    vt_ctx_init(&s->ctx, allocator, diag);
    vta_status status = vt_protect(&s->ctx, take, &(start){s, graph->graph});
    s->ctx.diag = NULL;
    return status;
}

vta_status vtac_calibration_create(const vtac_graph *graph, const vta_allocator *allocator, vta_diag *diag,
                                   vtac_calibration **out_calibration) {
    if (!out_calibration) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_calibration is NULL");
    *out_calibration = NULL;
    if (!graph) return vt_fail(diag, VTA_INVALID_ARGUMENT, "graph is NULL");
    vtac_calibration *c = vt_alloc_zero(allocator, sizeof *c);
    if (!c) return vt_no_memory(diag);
    vta_status status = open_shared(graph, allocator, diag, &c->shared);
    vt_eval_options options = {.after = observe, .user = c->shared};
    if (status == VTA_OK) status = vt_eval_open(c->shared->graph, &options, allocator, diag, &c->eval);
    if (status == VTA_OK)
        *out_calibration = c;
    else if (c->shared)
        vtac_calibration_destroy(c);
    else
        vt_free(allocator, c, sizeof *c);
    return status;
}

void vtac_calibration_destroy(vtac_calibration *calibration) {
    if (!calibration) return;
    const vta_allocator *allocator = calibration->shared->allocator;
    if (calibration->eval) vt_eval_close(calibration->eval);
    leave(calibration->shared);
    vt_free(allocator, calibration, sizeof *calibration);
}

bool vtac_calibration_is_given(const vtac_calibration *calibration) { return calibration->shared->given; }

/* What is not a number has no range, and makes all that is computed of it the same. Infinities may be a mask. */
static vta_status check_input(const vt_gvalue *v, const float *data, vta_diag *diag) {
    for (int64_t i = 0; i < vt_gtype_count(&v->type); i++)
        if (isnan(data[i]))
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "element %lld of a sample of input %s is not a number (nan)",
                           (long long)i, v->name);
    return VTA_OK;
}

static vta_status observe_inputs(vt_ctx *ctx, void *arg) {
    const void *const *inputs = arg;
    vt__shared *s = (vt__shared *)((char *)ctx - offsetof(vt__shared, ctx));
    for (uint32_t i = 0; i < s->graph->inputs.count; i++) {
        const vt_gvalue *v = s->graph->inputs.item[i];
        if (v->type.element != VT_ELEMENT_F32) continue;
        VT_TRY(check_input(v, inputs[i], ctx->diag));
        vt_ranges_observe(s->ranges, v, inputs[i], (size_t)vt_gtype_count(&v->type));
    }
    return VTA_OK;
}

/* Keeps a copy in the arena, of as many samples as there is room for. */
static void keep_sample(vt__shared *s, const void *const *inputs) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < s->graph->inputs.count; i++) bytes += vt_gtype_bytes(&s->graph->inputs.item[i]->type);
    if (s->sample_count == MAX_SAMPLES || bytes > MAX_SAMPLE_BYTES - s->sample_bytes) return;
    void **copy = VT_NEW_ARRAY(&s->ctx, void *, s->graph->inputs.count + 1);
    for (uint32_t i = 0; i < s->graph->inputs.count; i++) {
        size_t size = vt_gtype_bytes(&s->graph->inputs.item[i]->type);
        memcpy(copy[i] = vt_new_unset(&s->ctx, size), inputs[i], size);
    }
    s->samples[s->sample_count++] = copy;
    s->sample_bytes += bytes;
}

typedef struct sample {
    vtac_calibration *calibration;
    const void *const *inputs;
    vta_diag *diag;
} sample;

/* Within vt_protect: ranges grow in the context's arena. */
static vta_status observe_kept(vt_ctx *ctx, void *arg) {
    const sample *a = arg;
    VT_TRY(observe_inputs(ctx, (void *)a->inputs));
    for (uint32_t i = 0; i < a->calibration->shared->graph->inputs.count; i++)
        vt_eval_input(a->calibration->eval, i, a->inputs[i]);
    return vt_eval_run(a->calibration->eval, a->diag);
}

static vta_status run_sample(vt_ctx *ctx, void *arg) {
    const sample *a = arg;
    VT_TRY(observe_kept(ctx, arg));
    keep_sample(a->calibration->shared, a->inputs);
    return VTA_OK;
}

static vta_status make_ranges(vt_ctx *ctx, void *arg) {
    vt__shared *s = arg;
    s->ranges = vt_ranges_new(ctx, s->graph);
    return VTA_OK;
}

vta_status vt__observe_first(const vtac_calibration *calibration, size_t count, vta_diag *diag) {
    vt__shared *s = calibration->shared;
    s->ctx.diag = diag;
    vta_status status = vt_protect(&s->ctx, make_ranges, s);
    for (size_t i = 0; i < count && status == VTA_OK; i++)
        status = vt_protect(&s->ctx, observe_kept,
                            &(sample){(vtac_calibration *)calibration, (const void *const *)s->samples[i], diag});
    s->ctx.diag = NULL;
    return status;
}

vta_status vtac_calibration_observe(vtac_calibration *calibration, const void *const *inputs, vta_diag *diag) {
    if (!calibration || !inputs)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", inputs ? "calibration" : "inputs");
    vt__shared *s = calibration->shared;
    s->ctx.diag = diag;
    vta_status status = vt_protect(&s->ctx, run_sample, &(sample){calibration, inputs, diag});
    s->ctx.diag = NULL;
    return status;
}

/* ---- Quantized networks ----------------------------------------------------------------------------------------- */

typedef struct quantizing {
    vtac_quantized *quantized;
    vt_quant_options options;
    const char *const *precise;
    size_t precise_count;
    vt_qseen seen;
    bool adapts; /* weights are rounded by samples: */
    size_t first, count;
} quantizing;

/* "all", or a value's name, and behind a colon what of it: a result of 16 bits, or the parts of an operand. */
typedef struct precision {
    const char *text;
    vt_quant_choice choice;
} precision;

static const precision precisions[] = {{"wide", {true, 0}},
                                       {"fine", {false, VT_QPART_FINE}},
                                       {"coarse", {false, VT_QPART_COARSE}},
                                       {"parts", {false, VT_QPART_FINE | VT_QPART_COARSE}}};

static const vt_quant_choice all_of_it = {true, VT_QPART_FINE | VT_QPART_COARSE};

static bool choose(const vt_graph *g, const char *name, size_t length, vt_quant_choice more, vt_quant_choice *choices) {
    bool all = length == 3 && !strncmp(name, "all", 3), found = false;
    for (uint32_t k = 0; k < g->values.count; k++) {
        const char *is = g->values.item[k]->name;
        if (!all && (strlen(is) != length || strncmp(is, name, length) != 0)) continue;
        choices[k].wide |= more.wide;
        choices[k].parts |= more.parts;
        found = true;
    }
    return found;
}

/* A name with a colon may be that of a value. */
static bool choose_named(const vt_graph *g, const char *text, vt_quant_choice *choices) {
    const char *colon = strrchr(text, ':');
    if (choose(g, text, strlen(text), all_of_it, choices)) return true;
    for (size_t i = 0; colon && i < sizeof precisions / sizeof *precisions; i++)
        if (!strcmp(colon + 1, precisions[i].text))
            return choose(g, text, (size_t)(colon - text), precisions[i].choice, choices);
    return false;
}

static void choose_precise(const quantizing *a, const vt_graph *g, vt_quant_choice *choices) {
    for (size_t i = 0; i < a->precise_count; i++)
        if (!choose_named(g, a->precise[i], choices))
            vt_raise(
                g->ctx, VTA_NOT_FOUND,
                "precise: the network has no value %s; its values have names as in vta compare, and behind them may "
                "be :wide, :fine, :coarse or :parts",
                a->precise[i]);
}

/* The same network, with weights rounded by what their products read of the samples. */
static vta_status round_again(quantizing *a, vt_ctx *ctx) {
    vt__shared *s = a->quantized->shared;
    const vt_qnet *first = a->quantized->net;
    const void *const *const *samples = (const void *const *const *)s->samples;
    VT_TRY(vt_qseen_record(first, samples + a->first, a->count, s->allocator, ctx->diag, &a->seen));
    a->options.seen = &a->seen;
    a->quantized->net = vt_quantize(s->graph, s->ranges, &a->options);
    for (uint32_t i = 0; i < first->layer_count; i++)
        if (first->layers[i]->weight) vt_arena_drop(&ctx->arena, first->layers[i]->weight);
    return VTA_OK;
}

static vta_status quantize(vt_ctx *ctx, void *arg) {
    quantizing *a = arg;
    vt__shared *s = a->quantized->shared;
    vt_quant_choice *choices = VT_NEW_ARRAY(ctx, vt_quant_choice, s->graph->values.count + 1);
    bool fine = vt_quant_choose_fine(s->graph, s->ranges, choices);
    choose_precise(a, s->graph, choices);
    if (fine || a->precise_count) a->options.choices = choices;
    if (a->options.method == VT_RANGE_OUTPUT)
        VT_TRY(vt_ranges_measure(s->ranges, s->graph, (const void *const *const *)s->samples + a->first, a->count,
                                 a->options.most, s->allocator, ctx->diag));
    a->quantized->net = vt_quantize(s->graph, s->ranges, &a->options);
    if (a->adapts) VT_TRY(round_again(a, ctx));
    a->quantized->text = vt_qnet_text(a->quantized->net);
    return VTA_OK;
}

vta_status vt__quantize_by(const vtac_calibration *calibration, const vtac_quantize_options *options, size_t first,
                           size_t count, vta_diag *diag, vtac_quantized **out_quantized) {
    enum { WIDE_MAX = 64 << 10 };
    static const vt_range_method methods[] = {VT_RANGE_PERCENTILE, VT_RANGE_MAX, VT_RANGE_KL, VT_RANGE_SQUARES,
                                              VT_RANGE_OUTPUT};
    vtac_quantize_options o = {0};
    if (!out_quantized) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_quantized is NULL");
    *out_quantized = NULL;
    if (!calibration) return vt_fail(diag, VTA_INVALID_ARGUMENT, "calibration is NULL");
    VT_TRY(vt_options_read(&o, sizeof o, options, "vtac_quantize_options", diag));
    if ((unsigned)o.method >= sizeof methods / sizeof *methods || !(o.percentile >= 0 && o.percentile <= 100))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "no such method, or a percentile that is not from 0 to 100");
    if ((unsigned)o.requantize > VTAC_REQUANTIZE_MULTIPLY)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "requantize: %d is neither auto, shift nor multiply", (int)o.requantize);
    if (o.result_bits != 0 && o.result_bits != 8 && o.result_bits != 16)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "result_bits is %u; results have 8 or 16 bits", (unsigned)o.result_bits);
    if (o.weight_bits != 0 && o.weight_bits != 4 && o.weight_bits != 8)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "weight_bits is %u; weights have 4 or 8 bits", (unsigned)o.weight_bits);
    if ((unsigned)o.rounding > VTAC_ROUNDING_ADAPTIVE)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "rounding: %d is neither nearest nor adaptive", (int)o.rounding);
    vt__shared *s = calibration->shared;
    bool by_samples = o.rounding == VTAC_ROUNDING_ADAPTIVE || (o.method == VTAC_RANGE_OUTPUT && !s->given);
    if (by_samples && !s->sample_count)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT, "%s needs samples, and none were observed, or they take more than %d MiB",
            o.rounding == VTAC_ROUNDING_ADAPTIVE ? "rounding: adaptive rounding" : "range: the one of outputs",
            MAX_SAMPLE_BYTES >> 20);
    vtac_quantized *q = vt_alloc_zero(s->allocator, sizeof *q);
    if (!q) return vt_no_memory(diag);
    quantizing a = {.quantized = q,
                    .precise = o.precise,
                    .precise_count = o.precise_count,
                    .adapts = o.rounding == VTAC_ROUNDING_ADAPTIVE,
                    .first = first,
                    .count = first + count < s->sample_count ? count : s->sample_count - first};
    a.options = (vt_quant_options){.method = methods[o.method],
                                   .percentile = o.percentile > 0 ? o.percentile : 99.99,
                                   .most = INT8_MAX,
                                   .weight_max = o.weight_bits == 4 ? 7 : INT8_MAX,
                                   .wide_max = o.result_bits == 0    ? WIDE_MAX
                                               : o.result_bits == 16 ? INT64_MAX
                                                                     : -1,
                                   .equalize = o.equalize,
                                   .wide_all = o.result_bits == 16,
                                   .multiply = o.requantize == VTAC_REQUANTIZE_AUTO
                                                   ? calibration->shared->given || o.weight_bits == 4
                                                   : o.requantize == VTAC_REQUANTIZE_MULTIPLY,
                                   .keep_bias = o.keep_bias};
    q->shared = s;
    s->users++;
    s->ctx.diag = diag;
    vta_status status = vt_protect(&s->ctx, quantize, &a);
    vt_qseen_free(&a.seen);
    s->ctx.diag = NULL;
    if (status == VTA_OK)
        *out_quantized = q;
    else
        vtac_quantized_destroy(q);
    return status;
}

vta_status vtac_quantized_create(const vtac_calibration *calibration, const vtac_quantize_options *options,
                                 vta_diag *diag, vtac_quantized **out_quantized) {
    return vt__quantize_by(calibration, options, 0, MAX_SAMPLES, diag, out_quantized);
}

void vtac_quantized_destroy(vtac_quantized *quantized) {
    if (!quantized) return;
    const vta_allocator *allocator = quantized->shared->allocator;
    leave(quantized->shared);
    vt_free(allocator, quantized, sizeof *quantized);
}

void vtac_quantized_drop_floats(const vtac_quantized *quantized, vtac_graph *graph) {
    if (!quantized || !graph) return;
    for (uint32_t i = 0; i < graph->graph->values.count; i++) {
        const void *data = graph->graph->values.item[i]->data;
        if (!data || vt_qnet_reads(quantized->net, data)) continue;
        vt_arena_drop(&graph->ctx.arena, data);
        vt_spill_drop(&graph->ctx, data);
    }
}

const char *vtac_quantized_text(const vtac_quantized *quantized) { return quantized ? quantized->text : NULL; }

static void tell(void *user, const vt_qlayer *l, const void *out) {
    const vtac_quantized_options *o = user;
    const vt_qtensor *t = l->output;
    vtac_quantized_layer computed = {.size = sizeof computed,
                                     .index = l->index,
                                     .kind = vt_qkind_text(l->kind),
                                     .value = t->name,
                                     .ndim = (int32_t)t->type.rank,
                                     .shape = t->type.dim,
                                     .scale = t->scale,
                                     .channel_scales = t->channel,
                                     .parts = (uint32_t)(t->scale > 0 ? vt_qparts_count(t->parts) : 1),
                                     .data = out};
    vt_element_type_parse(vt_element_text(t->type.element), &computed.type);
    o->after(o->user, &computed);
}

static vta_status check_weights(const vtac_quantized *quantized, vta_diag *diag) {
    const vt_qnet *net = quantized->net;
    for (uint32_t i = 0; i < net->layer_count; i++)
        if (net->layers[i]->weight_type.rank && !net->layers[i]->weight)
            return vt_fail(diag, VTA_INVALID_ARGUMENT,
                           "the quantized network was used up when it was compiled (use_up): quantize it again");
    return VTA_OK;
}

vta_status vtac_quantized_run(const vtac_quantized *quantized, const void *const *inputs, void *const *outputs,
                              const vtac_quantized_options *options, vta_diag *diag) {
    vtac_quantized_options o = {0};
    if (!quantized || !inputs || !outputs) return vt_fail(diag, VTA_INVALID_ARGUMENT, "an argument is NULL");
    VT_TRY(vt_options_read(&o, sizeof o, options, "vtac_quantized_options", diag));
    VT_TRY(check_weights(quantized, diag));
    vt_qeval_options run = {.after = o.after ? tell : NULL, .user = &o};
    return vt_qeval_run(quantized->net, inputs, outputs, &run, quantized->shared->allocator, diag);
}

/* ---- Artifacts --------------------------------------------------------------------------------------------------- */

static bool progress(void *ctx, uint32_t done, uint32_t count, const char *layer) {
    const vtac_compile_options *o = ctx;
    return o->progress(o->user, done, count, layer);
}

vta_status vtac_quantized_compile(const vtac_quantized *quantized, const vta_config *config,
                                  const vtac_compile_options *options, vta_diag *diag, uint8_t **out_bytes,
                                  size_t *out_size, vtac_compile_report **out_report) {
    vtac_compile_options o = {0};
    if (!quantized || !out_bytes || !out_size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "an argument is NULL");
    VT_TRY(vt_options_read(&o, sizeof o, options, "vtac_compile_options", diag));
    VT_TRY(check_weights(quantized, diag));
    vt__shared *s = quantized->shared;
    vta_config *own = config ? vta_config_retain(config) : vta_config_default();
    if (!own) return vt_no_memory(diag);
    vt_planner_options planner = {s->allocator, o.triple, o.cpu, o.features, o.linker, false, false, false};
    vt_network_options network = {
        &planner,   o.schedule,      o.processor_only, o.progress ? progress : NULL, &o, o.scheduled, o.user,
        o.sections, o.section_count, o.use_up};
    vta_status status =
        vt_network_compile(quantized->net, own, &network, s->allocator, diag, out_bytes, out_size, out_report);
    vta_config_release(own);
    return status;
}

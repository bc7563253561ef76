/* A graph with one input, as a compiled network, against the evaluator of quantized networks. */
#ifndef TESTS_NETWORK_COMPILED_H
#define TESTS_NETWORK_COMPILED_H

#include "graph/build.h"

#include "base/arena_text.h"
#include "frontend/eval/eval.h"
#include "frontend/quant/eval.h"
#include "network/network.h"
#include "support/check.h"
#include "vta/exec.h"

static vt_ranges *ranges;

static void observe(void *user, const vt_gnode *n, const void *const *out) {
    (void)user;
    vt_ranges_observe(ranges, n->outputs[0], out[0], (size_t)vt_gtype_count(&n->outputs[0]->type));
}

static void calibrate(world *w, const float *x) {
    vt_eval *e;
    vt_eval_options options = {.after = observe};
    ranges = vt_ranges_new(&w->ctx, w->g);
    vt_ranges_observe(ranges, w->g->inputs.item[0], x, (size_t)vt_gtype_count(&w->g->inputs.item[0]->type));
    assert_int_equal(vt_eval_open(w->g, &options, NULL, w->diag, &e), VTA_OK);
    vt_eval_input(e, 0, x);
    assert_int_equal(vt_eval_run(e, w->diag), VTA_OK);
    vt_eval_close(e);
}

/* An output of the last run. */
static float *got(world *w, vta_instance *i, size_t at) {
    vta_model_tensor t = {.size = sizeof t};
    assert_int_equal(vta_model_output(vta_instance_model(i), at, &t), VTA_OK);
    float *y = vt_new_bytes(&w->ctx, t.bytes);
    assert_int_equal(vta_instance_get_output(i, at, y, t.bytes, w->diag), VTA_OK);
    return y;
}

static void run_artifact(world *w, const uint8_t *bytes, size_t size, const float *x, float *const want[2]) {
    vta_model *model;
    vta_instance *instance;
    const vt_gtype *in = &w->g->inputs.item[0]->type;
    if (vta_model_parse(bytes, size, "network", NULL, w->diag, &model) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
    if (vta_instance_create(model, NULL, w->diag, &instance) != VTA_OK) fail_msg("%s", vta_diag_text(w->diag));
    assert_int_equal(vta_instance_set_input(instance, 0, x, vt_gtype_bytes(in), w->diag), VTA_OK);
    for (int run = 0; run < 2; run++) {
        if (vta_instance_run(instance, w->diag) != VTA_OK) fail_msg("%s", vta_diag_text(w->diag));
        for (uint32_t k = 0; k < w->g->outputs.count; k++) {
            const vt_gvalue *v = w->g->outputs.item[k];
            assert_memory_equal(got(w, instance, k), want[k], vt_gtype_bytes(&v->type));
        }
    }
    vta_instance_destroy(instance);
    vta_model_release(model);
}

/* One run on the accelerator's instructions in that order, with its checks; fails unless the only output is `want`. */
static inline void run_in_order(world *w, vta_model *model, vta_order order, uint64_t seed, const float *x,
                                const float *want) {
    const vta_device_options device = {.check = order == VTA_ORDER_PROGRAM, .order = order, .seed = seed};
    const vta_instance_options options = {.device = &device};
    vta_instance *instance;
    if (vta_instance_create(model, &options, w->diag, &instance) != VTA_OK) fail_msg("%s", vta_diag_text(w->diag));
    assert_int_equal(vta_instance_set_input(instance, 0, x, vt_gtype_bytes(&w->g->inputs.item[0]->type), w->diag),
                     VTA_OK);
    if (vta_instance_run(instance, w->diag) != VTA_OK) fail_msg("seed %d: %s", (int)seed, vta_diag_text(w->diag));
    assert_memory_equal(got(w, instance, 0), want, vt_gtype_bytes(&w->g->outputs.item[0]->type));
    vta_instance_destroy(instance);
}

/* Compiles the graph, quantized with `x` as its only sample, runs it on `x` twice, and fails unless all outputs are
 * those of the evaluator of integers. `how` has no planner's options. The report of the compiler. */
static inline const char *compare(world *w, const float *x, const char *config_text, const vt_network_options *how,
                                  vt_quant_options options) {
    vta_config *base = vta_config_default(), *config;
    vtac_compile_report *report;
    uint8_t *bytes;
    size_t size;
    float *want[2];
    calibrate(w, x);
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    assert_in_range(w->g->outputs.count, 1, 2);
    for (uint32_t k = 0; k < w->g->outputs.count; k++)
        want[k] = vt_new_bytes(&w->ctx, vt_gtype_bytes(&w->g->outputs.item[k]->type) + 1);
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *const *)want, NULL, NULL, w->diag), VTA_OK);
    assert_int_equal(vta_config_with(base, config_text, w->diag, &config), VTA_OK);
    if (vt_network_compile(net, config, how, NULL, w->diag, &bytes, &size, &report) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(w->diag), vt_qnet_text(net));
    run_artifact(w, bytes, size, x, want);
    const char *said = vt_new_format(&w->ctx, "%s", vtac_compile_report_text(report));
    vtac_compile_report_destroy(report);
    vta_string_free((char *)bytes);
    vta_config_release(config);
    vta_config_release(base);
    return said;
}

#endif

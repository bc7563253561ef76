/* Compiled networks give, to the bit, what the evaluator of quantized networks gives: random networks, several
 * configurations, on the accelerator and on the processor alone; convolutions with and without the pooling behind them.
 */
#include "quant/random_graph.h"

#include "base/arena_text.h"
#include "graph/eval/eval.h"
#include "network/network.h"
#include "quant/eval.h"
#include "support/check.h"
#include "vta/exec.h"

static const char *const configs[] = {
    "",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
    "LOG_BATCH=2 LOG_BLOCK=3",
    "LOG_BLOCK=5",
};

static vt_ranges *ranges;
static uint32_t accelerated, on_processor, transposed;

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

static void count_places(const char *report) {
    for (const char *p = report; (p = strstr(p, "): ")); p++) *(p[3] == 'a' ? &accelerated : &on_processor) += 1;
    for (const char *p = report; (p = strstr(p, "(conv_transpose): accelerator")); p++) transposed++;
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

/* The report of the compiler. */
static const char *compare(world *w, const char *config_text, bool processor_only, vt_quant_options options) {
    vta_config *base = vta_config_default(), *config;
    char *report;
    uint8_t *bytes;
    size_t size;
    float *want[2], *x = random_input(w);
    calibrate(w, x);
    const vt_qnet *net = vt_quantize(w->g, ranges, &options);
    assert_in_range(w->g->outputs.count, 1, 2);
    for (uint32_t k = 0; k < w->g->outputs.count; k++)
        want[k] = vt_new_bytes(&w->ctx, vt_gtype_bytes(&w->g->outputs.item[k]->type) + 1);
    assert_int_equal(vt_qeval_run(net, (const void *[]){x}, (void *const *)want, NULL, NULL, w->diag), VTA_OK);
    assert_int_equal(vta_config_with(base, config_text, w->diag, &config), VTA_OK);
    vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    vt_network_options how = {.schedule = &quick, .processor_only = processor_only};
    if (vt_network_compile(net, config, &how, NULL, w->diag, &bytes, &size, &report) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(w->diag), vt_qnet_text(net));
    run_artifact(w, bytes, size, x, want);
    const char *said = vt_new_format(&w->ctx, "%s", report);
    vta_string_free(report);
    vta_string_free((char *)bytes);
    vta_config_release(config);
    vta_config_release(base);
    return said;
}

static uint32_t seed;

static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_most = 127};

static void one(world *w) {
    state = seed * 977u;
    vt_quant_options options = usual;
    options.multiply = seed % 3 == 0;
    options.wide_most = seed % 7 == 0 ? -1 : INT64_MAX;
    random_graph(w);
    count_places(compare(w, configs[seed % 4], seed % 5 == 0, options));
}

static void random_networks(void **unused) {
    (void)unused;
    for (seed = 1; seed <= 32; seed++) in_a_world(one);
    print_message("%u layers on the accelerator, %u of them transposed convolutions, %u on the processor\n",
                  accelerated, transposed, on_processor);
    assert_true(accelerated > 50 && transposed >= 5 && on_processor > 150);
}

/* ---- Pooling ----------------------------------------------------------------------------------------------------- */

/* A convolution, Relu and the largest of windows; what else reads the convolution. */
typedef enum reader { NOBODY, A_NODE, THE_CALLER } reader;

static const struct pooling {
    int64_t kernel, rows, columns, stride, apart;
    reader other;
    bool together;
} poolings[] = {{1, 2, 2, 2, 1, NOBODY, true},  {1, 3, 3, 2, 1, NOBODY, true},     {1, 2, 3, 2, 1, NOBODY, false},
                {1, 2, 2, 2, 2, NOBODY, false}, {1, 2, 2, 2, 1, A_NODE, false},    {1, 2, 2, 2, 1, THE_CALLER, false},
                {3, 2, 2, 2, 1, NOBODY, false}, {1, 3, 3, 2, 1, THE_CALLER, false}};

static const struct pooling *now;

static void one_pooling(world *w) {
    state = 11;
    vt_gvalue *in[] = {vt_graph_input(w->g, "x", TYPE(F32, 1, 16, 8, 8)),
                       randoms(w, "weight", TYPE(F32, 16, 16, now->kernel, now->kernel), 0.25f)};
    vt_gnode_spec spec = {VT_G_CONV,
                          "c",
                          NULL,
                          2,
                          3,
                          in,
                          (vt_gattr[]){INTS(STRIDES, 1, 1), INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, 1, 1)}};
    vt_gvalue *c = vt_graph_apply(w->g, VT_G_RELU, "c", vt_graph_add(w->g, &spec)->outputs[0], NULL, 0, NULL);
    vt_gvalue *p =
        vt_graph_apply(w->g, VT_G_MAX_POOL, "p", c, NULL,
                       ATTRIBUTES(INTS(KERNEL, now->rows, now->columns), INTS(STRIDES, now->stride, now->stride),
                                  INTS(PADS, 0, 0, 0, 0), INTS(DILATIONS, now->apart, now->apart)));
    vt_graph_output(w->g, p, "pooled");
    if (now->other == A_NODE) c = vt_graph_apply(w->g, VT_G_SIGMOID, "s", c, NULL, 0, NULL);
    if (now->other != NOBODY) vt_graph_output(w->g, c, "other");
    const char *said = compare(w, "", false, usual);
    bool together = strstr(said, "\np (max_pool): accelerator, with the layer before it\n") != NULL;
    if (together != now->together) fail_msg("case %d:\n%s", (int)(now - poolings), said);
}

static void pooling(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof poolings / sizeof *poolings; i++) now = &poolings[i], in_a_world(one_pooling);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks), cmocka_unit_test(pooling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

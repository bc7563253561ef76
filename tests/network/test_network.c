/* Compiled networks give, to the bit, what the evaluator of quantized networks gives: random networks, several
 * configurations, on the accelerator and on the host alone; convolutions with and without the pooling behind them.
 */
#include "quant/random_graph.h"

#include "network/compiled.h"

static const char *const configs[] = {
    "",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15",
    "LOG_BATCH=2 LOG_BLOCK=3",
    "LOG_BLOCK=5",
};

static uint32_t accelerated, on_processor, transposed, matrices[2];

static void count_places(const char *report) {
    for (const char *p = report; (p = strstr(p, "): ")); p++) *(p[3] == 'a' ? &accelerated : &on_processor) += 1;
    for (const char *p = report; (p = strstr(p, "(conv_transpose): accelerator")); p++) transposed++;
    for (const char *p = report; (p = strstr(p, "(matmul): ")); p++) matrices[p[10] == 'h']++;
}

static const vtac_op_options quick = {.size = sizeof quick, .tries = 1};

static const char *compare_random(world *w, const char *config_text, bool processor_only, vt_quant_options options) {
    vt_network_options how = {.schedule = &quick, .processor_only = processor_only};
    return compare(w, random_input(w), config_text, &how, options);
}

static uint32_t seed;

static const vt_quant_options usual = {.method = VT_RANGE_MAX, .percentile = 100, .most = 127, .weight_max = 127};

static void one(world *w) {
    state = seed * 977u;
    vt_quant_options options = usual;
    options.multiply = seed % 3 == 0;
    options.wide_max = seed % 7 == 0 ? -1 : INT64_MAX;
    random_graph(w);
    count_places(compare_random(w, configs[seed % 4], seed % 5 == 0, options));
}

static void random_networks(void **unused) {
    (void)unused;
    for (seed = 1; seed <= 32; seed++) in_a_world(one);
    with_more = true;
    for (seed = 1001; seed <= 1024; seed++) in_a_world(one);
    with_more = false;
    with_matrices = true;
    for (seed = 2001; seed <= 2011; seed++) in_a_world(one);
    with_matrices = false;
    print_message("%u layers on the accelerator, %u of them transposed convolutions, %u on the host\n", accelerated,
                  transposed, on_processor);
    print_message("%u products of matrices on the accelerator, %u on the host\n", matrices[0], matrices[1]);
    assert_true(accelerated > 50 && transposed >= 5 && on_processor > 150);
    assert_true(matrices[0] > 10 && matrices[1] > 0);
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
    const char *said = compare_random(w, "", false, usual);
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

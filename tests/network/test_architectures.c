/* Random architectures, written as ONNX files: read, evaluated in floats against plain loops (architecture.h),
 * quantized, compiled and run: the accelerator gives what the evaluator of integers says, to the bit, on several
 * configurations. What is refused is counted by reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "network/architecture.h"
#include "vta/compile.h"
#include "vta/exec.h"

enum { READ = 600, COMPILED = 48, REASONS = 16 };

static const char *const configs[] = {
    "", "LOG_BATCH=1 LOG_BLOCK=3 LOG_WGT_BUFF_SIZE=15", "LOG_BATCH=2 LOG_BLOCK=3", "LOG_BLOCK=5", "LOG_BATCH=1",
};

static vta_diag *diag;
static uint32_t seed, accelerated, on_processor, compiled;

static void done(vta_status status) {
    if (status != VTA_OK) fail_msg("seed %u: %s", seed, vta_diag_text(diag));
}

/* ---- Refusals -------------------------------------------------------------------------------------------------- */

static struct reason {
    char text[96];
    uint32_t count;
} reasons[REASONS];

/* By operator and reason: "(Less): only operators of float32 ...". */
static void count_refusal(const char *message) {
    const char *at = strstr(message, " (");
    char text[96];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at ? at + 1 : message, "\n"), at ? at + 1 : message);
    for (int i = 0; i < REASONS; i++) {
        if (reasons[i].count && strcmp(reasons[i].text, text)) continue;
        strcpy(reasons[i].text, text);
        reasons[i].count++;
        return;
    }
    fail_msg("seed %u: more than %d reasons: %s", seed, REASONS, text);
}

/* ---- Floats ---------------------------------------------------------------------------------------------------- */

static vtac_graph *read_network(const network *n) {
    vtac_graph *graph;
    size_t size;
    uint8_t *bytes = make_bytes(&n->m, &size);
    done(vtac_graph_parse(bytes, size, "random", NULL, NULL, NULL, diag, &graph));
    free(bytes);
    return graph;
}

static double power_of(const value *y) {
    double sum = 0;
    for (int64_t i = 0; i < count_of(y); i++) sum += (double)y->data[i] * (double)y->data[i];
    return sum;
}

static void check_floats(const network *n, const vtac_graph *graph) {
    const value *x = &n->have[0], *y = &n->have[n->have_count - 1];
    vtac_graph_tensor out = {0};
    vtac_evaluator *floats;
    done(vtac_graph_output(graph, 0, &out));
    assert_int_equal(out.bytes, (size_t)count_of(y) * sizeof(float));
    done(vtac_evaluator_create(graph, NULL, NULL, diag, &floats));
    done(vtac_evaluator_run(floats, (const void *[]){x->data}, diag));
    const float *got = vtac_evaluator_output(floats, 0);
    double scale = 0, worst = 0;
    for (int64_t i = 0; i < count_of(y); i++) scale = fmax(scale, fabs((double)y->data[i]));
    for (int64_t i = 0; i < count_of(y); i++) {
        if (isnan(y->data[i]) && isnan(got[i])) continue;
        worst = fmax(worst, isfinite(y->data[i]) ? fabs((double)got[i] - (double)y->data[i]) : got[i] != y->data[i]);
    }
    if (!(worst <= (n->stepped ? 0.1 : 1e-4) * fmax(scale, 1)))
        fail_msg("seed %u: an error of %g where values go to %g", seed, worst, scale);
    vtac_evaluator_destroy(floats);
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

static vtac_quantized *quantize(const network *n, const vtac_graph *graph) {
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    vtac_quantize_options options = {.method = VTAC_RANGE_MAX};
    options.requantize = (vtac_requantize)(seed % 3);
    options.result_bits = seed % 2 ? 8 : 16;
    options.equalize = seed % 3 == 0;
    options.precise = (const char *const[]){"all"};
    options.precise_count = seed % 4 == 0;
    done(vtac_calibration_create(graph, NULL, diag, &calibration));
    done(vtac_calibration_observe(calibration, (const void *[]){n->have[0].data}, diag));
    vta_status status = vtac_quantized_create(calibration, &options, diag, &quantized);
    vtac_calibration_destroy(calibration);
    if (status == VTA_OK) return quantized;
    assert_int_equal(status, VTA_UNSUPPORTED);
    return NULL;
}

static vta_status compile(const vtac_quantized *quantized, uint8_t **file, size_t *size, vtac_compile_report **report) {
    vta_config *base = vta_config_default(), *config;
    vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    vtac_compile_options options = {.schedule = &quick, .processor_only = seed % 11 == 0};
    done(vta_config_with(base, configs[seed % (sizeof configs / sizeof *configs)], diag, &config));
    vta_status status = vtac_quantized_compile(quantized, config, &options, diag, file, size, report);
    vta_config_release(config);
    vta_config_release(base);
    if (status != VTA_OK && status != VTA_UNSUPPORTED) done(status);
    return status;
}

static void run(const network *n, const uint8_t *file, size_t size, const char *driver, void *out, size_t bytes) {
    const vta_device_options check = {.check = true};
    const vta_instance_options options = {.driver = driver, .device = &check};
    const value *x = &n->have[0];
    vta_model *model;
    vta_instance *instance;
    done(vta_model_parse(file, size, "m", NULL, diag, &model));
    done(vta_instance_create(model, &options, diag, &instance));
    done(vta_instance_set_input(instance, 0, x->data, (size_t)count_of(x) * sizeof(float), diag));
    done(vta_instance_run(instance, diag));
    done(vta_instance_get_output(instance, 0, out, bytes, diag));
    vta_instance_destroy(instance);
    vta_model_release(model);
}

/* One between each two runs, by layers of the host. */
static void check_cuts(const vtac_compile_report *report, uint32_t runs) {
    for (uint32_t i = 0; i + 1 < runs; i++) {
        const vtac_compile_cut *cut = vtac_compile_report_cut(report, i);
        assert_non_null(cut);
        assert_int_equal(cut->run, i);
        assert_true(cut->layer_count > 0);
        for (size_t k = 0; k < cut->layer_count; k++) {
            const vtac_compiled_layer *l = vtac_compile_report_layer(report, cut->layers[k]);
            assert_non_null(l);
            if (k == 0 && strncmp(cut->why, l->name, strlen(l->name))) fail_msg("%s: %s", l->name, cut->why);
        }
    }
    assert_null(vtac_compile_report_cut(report, runs ? runs - 1 : 0));
}

/* The report's text says of each layer what its record says, in the same order, and nothing else. */
static void check_report(const vtac_compile_report *report) {
    const char *at = vtac_compile_report_text(report);
    size_t n = vtac_compile_report_layer_count(report), hosts = 0;
    char line[512];
    vtac_compile_summary sum = {.size = sizeof sum};
    uint64_t products = 0;
    done(vtac_compile_report_sum(report, &sum));
    for (size_t i = 0; i < n; i++) {
        const vtac_compiled_layer *l = vtac_compile_report_layer(report, i);
        bool host = l->place == VTAC_ON_HOST;
        snprintf(line, sizeof line, "%s (%s): %s", l->name, l->kind, host ? "host" : "accelerator");
        if (l->why) snprintf(line + strlen(line), sizeof line - strlen(line), ", %s", l->why);
        if (strncmp(at, line, strlen(line)) || at[strlen(line)] != '\n') fail_msg("no line \"%s\" at:\n%s", line, at);
        at += strlen(line) + 1;
        hosts += host;
        products += l->products;
        if (host != (l->run == UINT32_MAX)) fail_msg("%s: run %u", line, l->run);
        if (!host) assert_true(l->run < sum.runs);
        assert_true(l->why || !host);
        assert_int_equal(l->size, sizeof *l);
    }
    assert_string_equal(at, "");
    assert_null(vtac_compile_report_layer(report, n));
    assert_int_equal(sum.products, products);
    assert_int_equal(sum.layers, n);
    assert_int_equal(sum.host_layers, hosts);
    check_cuts(report, sum.runs);
    assert_int_equal(vtac_compile_report_count(report, VTAC_ON_HOST), hosts);
    assert_int_equal(vtac_compile_report_count(report, VTAC_ON_ACCELERATOR), n - hosts);
}

static void check_integers(const network *n, const vtac_graph *graph) {
    size_t bytes = (size_t)count_of(&n->have[n->have_count - 1]) * sizeof(float), size;
    void *want = make_room(1, bytes), *got = make_room(1, bytes);
    uint8_t *file;
    vtac_compile_report *report;
    vtac_quantized *quantized = quantize(n, graph);
    if (quantized && compile(quantized, &file, &size, &report) == VTA_OK) {
        done(vtac_quantized_run(quantized, (const void *[]){n->have[0].data}, (void *[]){want}, NULL, diag));
        for (int i = 0; i < 2; i++) {
            run(n, file, size, i ? "tsim" : "sim", got, bytes);
            if (memcmp(got, want, bytes)) fail_msg("seed %u: %s", seed, vtac_compile_report_text(report));
        }
        check_report(report);
        accelerated += vtac_compile_report_count(report, VTAC_ON_ACCELERATOR);
        on_processor += vtac_compile_report_count(report, VTAC_ON_HOST);
        compiled++;
        vta_string_free((char *)file);
        vtac_compile_report_destroy(report);
    } else {
        count_refusal(vta_diag_text(diag));
    }
    vtac_quantized_destroy(quantized);
}

/* ---- The tests ------------------------------------------------------------------------------------------------- */

static void one(bool whole) {
    network n;
    vta_diag_clear(diag);
    random_network(&n, seed);
    vtac_graph *graph = read_network(&n);
    check_floats(&n, graph);
    if (whole && power_of(&n.have[n.have_count - 1]) > 0) check_integers(&n, graph);
    vtac_graph_destroy(graph);
}

static void in_floats(void **unused) {
    (void)unused;
    for (seed = 1; seed <= READ; seed++) one(false);
}

static void on_the_accelerator(void **unused) {
    uint32_t refused = 0;
    (void)unused;
    for (seed = 1; seed <= COMPILED; seed++) one(true);
    for (int i = 0; i < REASONS && reasons[i].count; i++) {
        print_message("refused %u: %s\n", reasons[i].count, reasons[i].text);
        refused += reasons[i].count;
    }
    print_message("%u networks compiled, %u refused; %u layers on the accelerator, %u on the host\n", compiled, refused,
                  accelerated, on_processor);
    assert_true(compiled >= COMPILED * 3 / 4 && accelerated > COMPILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_floats), cmocka_unit_test(on_the_accelerator)};
    diag = vta_diag_create(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return failed;
}

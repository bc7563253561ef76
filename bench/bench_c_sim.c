/* The simulator's engines on the convolutions of ResNet-18 and a large matrix multiply, beside oneDNN's int8
 * primitives of the same shapes: one core, one run. Prints a table and writes build/bench/sim.json.
 * Arguments: folder for the JSON (default build/bench), then "quick" to leave the reference engine out. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conv_run.h"
#include "onednn.h"

/* A column of the table: an engine as vta_device_options has it. */
typedef struct column {
    const char *name;
    vta_device_options options;
} column;

static const column columns[] = {
    {"fast", {.engine = VTA_ENGINE_FAST}},
    {"fast_avx2", {.engine = VTA_ENGINE_FAST, .cpu = "avx2"}},
    {"fast_portable", {.engine = VTA_ENGINE_FAST, .cpu = "portable"}},
    {"fast_checked", {.engine = VTA_ENGINE_FAST, .check = 1}},
    {"reference", {.engine = VTA_ENGINE_REFERENCE}},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* GMAC/s of one engine; negative when something failed. */
static double rate(const vta_config *config, const conv_shape *shape, const column *c) {
    double seconds = conv_seconds("sim", config, &c->options, shape, NULL, NULL);
    return seconds > 0 ? conv_macs(shape) / seconds / 1e9 : -1;
}

static int bench_shape(const vta_config *config, const conv_shape *shape, double onednn_seconds, int used, json_t *rows,
                       double *log_sum) {
    double onednn = conv_macs(shape) / onednn_seconds / 1e9;
    json_t *row = json_pack("{s:s, s:f, s:f}", "name", shape->name, "mmac", conv_macs(shape) / 1e6, "onednn", onednn);
    printf("%-7s %8.1f %8.1f", shape->name, conv_macs(shape) / 1e6, onednn);
    int failed = 0;
    for (int i = 0; i < used; i++) {
        double gmacs = rate(config, shape, &columns[i]);
        failed |= gmacs < 0;
        printf(" %13.1f", gmacs);
        fflush(stdout);
        json_object_set_new(row, columns[i].name, json_real(gmacs));
        if (i == 0) {
            json_object_set_new(row, "fast_to_onednn", json_real(gmacs / onednn));
            *log_sum += log(gmacs / onednn);
        }
    }
    printf(" %9.2f\n", json_real_value(json_object_get(row, "fast_to_onednn")));
    json_array_append_new(rows, row);
    return failed;
}

/* oneDNN's OpenMP reads its environment when it is loaded, so one thread means starting over. */
static void use_one_thread(char **argv) {
    if (getenv("OMP_NUM_THREADS")) return;
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    use_one_thread(argv);
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    int used = argc > 2 && !strcmp(argv[2], "quick") ? 1 : COLUMNS;
    vta_config *config = vta_config_default();
    json_t *rows = json_array();
    double log_sum = 0;
    int failed = 0;
    printf("GMAC/s on one core, configuration %s\n", vta_config_bitstream(config));
    printf("%-7s %8s %8s", "layer", "MMAC", "oneDNN");
    for (int i = 0; i < used; i++) printf(" %13s", columns[i].name);
    printf(" %9s\n", "fast/one");
    for (int i = 0; i < 10; i++)
        failed |= bench_shape(config, &conv_resnet18[i], onednn_conv(&conv_resnet18[i]), used, rows, &log_sum);
    /* 1024 x 1024 by 1024 x 1024: a convolution with a 1x1 kernel over 1024 positions */
    const conv_shape matmul = {"matmul", 32, 32, 1024, 1024, 1, 1, 0};
    failed |= bench_shape(config, &matmul, onednn_matmul(1024, 1024, 1024), used, rows, &log_sum);
    printf("fast to oneDNN, geometric mean: %.2f\n", exp(log_sum / 11));
    json_t *all = json_pack("{s:s, s:s, s:o, s:f}", "unit", "GMAC/s", "config", vta_config_bitstream(config), "rows",
                            rows, "fast_to_onednn_mean", exp(log_sum / 11));
    char path[1024];
    snprintf(path, sizeof path, "%s/sim.json", folder);
    if (json_dump_file(all, path, JSON_INDENT(1))) fprintf(stderr, "cannot write %s\n", path), failed = 1;
    json_decref(all);
    vta_config_release(config);
    return failed;
}

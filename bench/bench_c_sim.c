/* The simulator on the convolutions of ResNet-18 and a large matrix multiply, beside oneDNN's int8 primitives of the
 * same shapes: one core, one run. `compiled` is a call of the layer that our compiler made; the other columns are one
 * hand-cut stream on the engines there are. Prints a table and writes build/bench/sim.json.
 * Arguments: folder for the JSON (default build/bench), then "quick" to leave the reference engine out. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conv_kernel.h"
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
    {"fast_checked", {.engine = VTA_ENGINE_FAST, .check = true}},
    {"reference", {.engine = VTA_ENGINE_REFERENCE}},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* GMAC/s of one engine; negative when something failed. */
static double rate(const vta_config *config, const conv_shape *shape, const column *c) {
    double seconds = conv_seconds("sim", config, &c->options, shape, NULL, NULL);
    return seconds > 0 ? conv_macs(shape) / seconds / 1e9 : -1;
}

/* Geometric means of a ratio. */
typedef struct mean {
    double logs;
    int count;
} mean;

static void add_ratio(json_t *row, const char *name, double gmacs, double onednn, mean *m) {
    json_object_set_new(row, name, json_real(gmacs / onednn));
    m->logs += log(gmacs / onednn);
    m->count++;
    printf(" %9.2f", gmacs / onednn);
}

static double value(const mean *m) { return exp(m->logs / m->count); }

typedef struct table {
    const vta_config *config;
    int used; /* columns */
    json_t *rows;
    mean fast, compiled;
    int failed;
} table;

/* One row; with `kernel` the compiled layer too. */
static void bench_shape(table *t, const conv_shape *shape, double onednn_seconds, bool kernel) {
    double onednn = conv_macs(shape) / onednn_seconds / 1e9, fast = 0, compiled = 0;
    json_t *row = json_pack("{s:s, s:f, s:f}", "name", shape->name, "mmac", conv_macs(shape) / 1e6, "onednn", onednn);
    printf("%-7s %8.1f %8.1f", shape->name, conv_macs(shape) / 1e6, onednn);
    if (kernel) {
        compiled = conv_macs(shape) / conv_kernel_seconds(t->config, shape) / 1e9;
        json_object_set_new(row, "compiled", json_real(compiled));
    }
    printf(" %9.1f", compiled);
    for (int i = 0; i < t->used; i++) {
        double gmacs = rate(t->config, shape, &columns[i]);
        t->failed |= gmacs < 0;
        if (i == 0) fast = gmacs;
        printf(" %13.1f", gmacs);
        fflush(stdout);
        json_object_set_new(row, columns[i].name, json_real(gmacs));
    }
    t->failed |= compiled < 0;
    if (kernel)
        add_ratio(row, "compiled_to_onednn", compiled, onednn, &t->compiled);
    else
        printf("%10s", "");
    add_ratio(row, "fast_to_onednn", fast, onednn, &t->fast);
    printf("\n");
    json_array_append_new(t->rows, row);
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
    table t = {.config = config, .used = used, .rows = json_array()};
    printf("GMAC/s on one core, configuration %s\n", vta_config_bitstream(config));
    printf("%-7s %8s %8s %9s", "layer", "MMAC", "oneDNN", "compiled");
    for (int i = 0; i < used; i++) printf(" %13s", columns[i].name);
    printf(" %9s %9s\n", "comp/one", "fast/one");
    for (int i = 0; i < 10; i++) bench_shape(&t, &conv_resnet18[i], onednn_conv(&conv_resnet18[i]), true);
    /* 1024 x 1024 by 1024 x 1024: a convolution with a 1x1 kernel over 1024 positions */
    const conv_shape matmul = {"matmul", 32, 32, 1024, 1024, 1, 1, 0};
    bench_shape(&t, &matmul, onednn_matmul(1024, 1024, 1024), false);
    printf("geometric means: compiled to oneDNN %.2f, fast to oneDNN %.2f\n", value(&t.compiled), value(&t.fast));
    json_t *all =
        json_pack("{s:s, s:s, s:o, s:f, s:f}", "unit", "GMAC/s", "config", vta_config_bitstream(config), "rows", t.rows,
                  "compiled_to_onednn_mean", value(&t.compiled), "fast_to_onednn_mean", value(&t.fast));
    char path[1024];
    snprintf(path, sizeof path, "%s/sim.json", folder);
    if (json_dump_file(all, path, JSON_INDENT(1))) fprintf(stderr, "cannot write %s\n", path), t.failed = 1;
    json_decref(all);
    vta_config_release(config);
    return t.failed;
}

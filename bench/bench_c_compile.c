/* Time and memory from a kernel file to callable code: the tutorials' convolution and the ten layers of ResNet-18,
 * split by pass. Prints a table and writes build/bench/compile.json. Argument: folder for the JSON (default
 * build/bench). */
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conv_kernel.h"
#include "vta/build.h"

extern char **environ;

enum { PASSES_MAX = 64, ROUNDS = 20 };

typedef struct layer {
    const char *name, *file;
    char params[256];
    double peak; /* MiB of a process that compiles it */
} layer;

/* Seconds of each step of one compilation. */
typedef struct timing {
    double te, lower, code, load, total;
    double cpu; /* the whole, without the waiting for other processes */
    double pass[PASSES_MAX];
    size_t te_bytes, object_bytes;
} timing;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void) { return seconds(CLOCK_MONOTONIC); }

static void take_pass(void *user, const vtac_pass_event *e) {
    timing *t = user;
    if (e->index < PASSES_MAX) t->pass[e->index] = (double)e->nanoseconds * 1e-9;
}

static int fail(const char *name, vta_diag *diag) {
    fprintf(stderr, "%s: %s\n", name, vta_diag_text(diag));
    vta_diag_destroy(diag);
    return 0;
}

static int compile(const layer *l, const vta_config *config, timing *t) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function call;
    vtac_build_func f = {0};
    vtac_lower_options options = {.config = config, .after = take_pass, .user = t};
    double begin = now(), cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (vtac_kernel_load(l->file, l->params, config, NULL, diag, &kernel) != VTA_OK) return fail(l->name, diag);
    double parsed = now();
    if (vtac_kernel_lower(kernel, &options, &f.func) != VTA_OK)
        return fail(l->name, te_context_diag(vtac_kernel_context(kernel)));
    double lowered = now();
    if (vtac_build(1, &f, NULL, diag, &module) != VTA_OK) return fail(l->name, diag);
    double compiled = now();
    if (vtac_module_function(module, vtac_func_name(f.func), diag, &call) != VTA_OK) return fail(l->name, diag);
    double loaded = now();
    t->cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    t->te = parsed - begin;
    t->lower = lowered - parsed;
    t->code = compiled - lowered;
    t->load = loaded - compiled;
    t->total = loaded - begin;
    t->te_bytes = te_context_bytes(vtac_kernel_context(kernel));
    vtac_module_object(module, &t->object_bytes);
    vtac_module_destroy(module);
    vtac_kernel_destroy(kernel);
    vta_diag_destroy(diag);
    return 1;
}

/* The peak of a process of its own that does nothing else (`vta build`), in MiB; 0 when it cannot be measured. To be
 * called before anything is compiled here: Linux counts what the parent had at the time among the child's. */
static double process_peak(const char *folder, const layer *l) {
    char vta[1024], object[1024];
    char *argv[] = {vta, "build", (char *)l->file, "--param", (char *)l->params, "-o", object, NULL};
    pid_t child;
    struct rusage usage = {0};
    int status = 0;
    snprintf(vta, sizeof vta, "%s/../vta", folder);
    snprintf(object, sizeof object, "%s/peak.o", folder);
    if (!l->params[0]) argv[3] = "-o", argv[4] = object, argv[5] = NULL;
    if (posix_spawn(&child, vta, NULL, NULL, argv, environ) != 0 || wait4(child, &status, 0, &usage) < 0) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

static json_t *pass_times(const timing *t) {
    json_t *list = json_array();
    vtac_pass_info info;
    for (size_t i = 0; i < PASSES_MAX && vtac_pass_get(i, &info) == VTA_OK; i++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "name", info.name, "ms", t->pass[i] * 1e3));
    return list;
}

static int bench(const layer *l, const vta_config *config, json_t *rows) {
    timing first = {0}, best = {0}, t;
    if (!compile(l, config, &first)) return 1;
    for (int i = 0; i < ROUNDS; i++) {
        t = (timing){0};
        if (!compile(l, config, &t)) return 1;
        if (i == 0 || t.total < best.total) best = t;
    }
    double in_passes = 0;
    for (int i = 0; i < PASSES_MAX; i++) in_passes += best.pass[i];
    printf("%-8s %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %7.2f %9.2f %9.1f %9zu\n", l->name, best.te * 1e3,
           (best.lower - in_passes) * 1e3, in_passes * 1e3, best.code * 1e3, best.load * 1e3, best.total * 1e3,
           best.cpu * 1e3, first.total * 1e3, l->peak, best.te_bytes / 1024);
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:o}", "name",
                                          l->name, "te_ms", best.te * 1e3, "loop_nest_ms",
                                          (best.lower - in_passes) * 1e3, "passes_ms", in_passes * 1e3, "code_ms",
                                          best.code * 1e3, "load_ms", best.load * 1e3, "total_ms", best.total * 1e3,
                                          "cpu_ms", best.cpu * 1e3, "first_ms", first.total * 1e3, "process_peak_mib",
                                          l->peak, "context_bytes", (json_int_t)best.te_bytes, "object_bytes",
                                          (json_int_t)best.object_bytes, "passes", pass_times(&best)));
    return 0;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    char path[1024];
    layer layers[11] = {{.name = "conv2d", .file = "examples/conv2d.te"}};
    for (int i = 0; i < 10; i++) {
        const conv_shape *s = &conv_resnet18[i];
        layer *l = &layers[i + 1];
        *l = (layer){.name = s->name, .file = conv_kernel_file(s)};
        conv_kernel_params(s, l->params, sizeof l->params);
    }
    vta_config *config = vta_config_default();
    json_t *rows = json_array();
    int failed = 0;
    printf("milliseconds from kernel file to callable code (best of %d; first: with LLVM's start), peak of a process "
           "in MiB, "
           "context in KiB\n",
           ROUNDS);
    printf("%-8s %7s %7s %7s %7s %7s %7s %7s %9s %9s %9s\n", "layer", "te", "nest", "passes", "code", "load", "total",
           "cpu", "first", "peak", "context");
    for (int i = 0; i < 11; i++) layers[i].peak = process_peak(folder, &layers[i]);
    for (int i = 0; i < 11; i++) failed |= bench(&layers[i], config, rows);
    json_t *all = json_pack("{s:s, s:o}", "config", vta_config_bitstream(config), "rows", rows);
    snprintf(path, sizeof path, "%s/compile.json", folder);
    if (json_dump_file(all, path, JSON_INDENT(1))) fprintf(stderr, "cannot write %s\n", path), failed = 1;
    json_decref(all);
    vta_config_release(config);
    return failed;
}

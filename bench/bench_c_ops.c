/* Operators that schedule themselves, on the workloads of the field: cycles by the timing model beside the lower bound,
 * how fast the compiled stream is simulated beside oneDNN, what scheduling and compiling take; for the default machine
 * and four others. Prints tables and writes build/bench/ops.json.
 * Arguments: folder for the JSON (default build/bench), then "quick": cycles only. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onednn.h"
#include "op_run.h"

typedef struct workload {
    const char *name;
    int weight;
    const char *operator_name, *attributes;
} workload;

static const workload workloads[] = {
#define WORKLOAD(name, weight, operator_name, attributes) {name, weight, operator_name, attributes},
#include "workloads.def"
};

typedef struct machine {
    const char *name, *settings;
    uint32_t bus_bits; /* 0: the profile's */
} machine;

static const machine machines[] = {
    {"1x16, 64-bit bus", "", 0}, {"1x16, 256-bit bus", "", 256},        {"1x32", "LOG_BLOCK=5", 0},
    {"2x16", "LOG_BATCH=1", 0},  {"4x8", "LOG_BATCH=2 LOG_BLOCK=3", 0},
};

static int64_t attribute(const char *attributes, const char *key, int64_t otherwise) {
    const char *at = strstr(attributes, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : otherwise;
}

/* GMAC/s of oneDNN on the same shape; negative where it has no counterpart here. */
static double onednn_rate(const workload *w, uint64_t macs) {
    double seconds;
    if (!strcmp(w->operator_name, "dense")) {
        seconds = onednn_matmul(1, (uint32_t)attribute(w->attributes, "in_features=", 1),
                                (uint32_t)attribute(w->attributes, "out_features=", 1));
    } else {
        const conv_shape c = {
            .name = w->name,
            .height = (uint32_t)attribute(w->attributes, "height=", 1),
            .width = (uint32_t)attribute(w->attributes, "width=", 1),
            .in = (uint32_t)attribute(w->attributes, "in_channels=", 1),
            .out = (uint32_t)attribute(w->attributes, "out_channels=", 1),
            .kernel = (uint32_t)attribute(w->attributes, "kernel=", 1),
            .stride = (uint32_t)attribute(w->attributes, "stride=", 1),
            .pad = (uint32_t)attribute(w->attributes, " pad=", 0),
        };
        seconds = !strcmp(w->operator_name, "conv2d")
                      ? onednn_group_conv(&c, (uint32_t)attribute(w->attributes, "groups=", 1))
                      : onednn_transposed(&c);
    }
    return seconds > 0 ? (double)macs / seconds / 1e9 : -1;
}

typedef struct table {
    const machine *is;
    vta_config *config;
    vta_timing_profile profile;
    json_t *rows;
    uint64_t sum, plain, bound; /* of ResNet-18, weighted */
    bool quick, failed;
} table;

static void print_rates(table *t, const workload *w, const op_figures *f, json_t *row) {
    double macs = (double)f->chosen.macs, mine = macs / f->seconds / 1e9;
    double other = t->is == machines ? onednn_rate(w, f->chosen.macs) : -1;
    printf(" %8.2f %8.1f", f->seconds * 1e3, mine);
    json_object_set_new(row, "sim_gmacs", json_real(mine));
    if (other <= 0) return;
    printf(" %8.1f %6.2f", other, mine / other);
    json_object_set_new(row, "onednn_gmacs", json_real(other));
}

static void bench_one(table *t, const workload *w) {
    char attributes[512];
    op_figures f;
    snprintf(attributes, sizeof attributes, "%s batch=%u", w->attributes, (unsigned)vta_config_batch(t->config));
    if (!op_measure(w->operator_name, attributes, t->config, &t->profile, !t->quick, &f)) {
        t->failed = true;
        return;
    }
    const vtac_op_result *r = &f.chosen;
    t->sum += (uint64_t)w->weight * r->cycles;
    t->plain += (uint64_t)w->weight * f.plain;
    t->bound += (uint64_t)w->weight * r->bound;
    json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:b}", "name", w->name, "cycles", (json_int_t)r->cycles,
                            "plain", (json_int_t)f.plain, "bound", (json_int_t)r->bound, "schedule_ms", r->schedule_ms,
                            "compile_ms", r->compile_ms, "database", r->origin == VTAC_OP_FROM_DATABASE);
    printf("%-22s %10llu %10llu %10llu %6.3f %7.1f %7.1f", w->name, (unsigned long long)f.plain,
           (unsigned long long)r->cycles, (unsigned long long)r->bound, (double)r->cycles / (double)r->bound,
           r->schedule_ms, r->compile_ms);
    if (!t->quick) print_rates(t, w, &f, row);
    printf("\n");
    fflush(stdout);
    json_array_append_new(t->rows, row);
}

static bool find_machine(table *t) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default();
    bool good = vta_config_with(plain, t->is->settings, diag, &t->config) == VTA_OK &&
                vta_timing_profile_for(t->config, diag, &t->profile) == VTA_OK;
    if (good && t->is->bus_bits) t->profile.bus_bits = t->is->bus_bits;
    if (!good) fprintf(stderr, "%s: %s\n", t->is->name, vta_diag_text(diag));
    vta_config_release(plain);
    vta_diag_destroy(diag);
    return good;
}

static json_t *bench_machine(const machine *m, bool quick, bool *failed) {
    table t = {.is = m, .quick = quick, .rows = json_array()};
    if (!find_machine(&t)) {
        *failed = true;
        return t.rows;
    }
    printf("\n%s (%s, %u-bit bus, %u images)\n", m->name, vta_config_bitstream(t.config), (unsigned)t.profile.bus_bits,
           (unsigned)vta_config_batch(t.config));
    printf("%-22s %10s %10s %10s %6s %7s %7s", "workload", "estimated", "cycles", "bound", "ratio", "sched ms",
           "comp ms");
    printf(quick ? "\n" : " %8s %8s %8s %6s\n", "sim ms", "GMAC/s", "oneDNN", "ratio");
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) bench_one(&t, &workloads[i]);
    printf("ResNet-18 (C2 to C11, weighted) %llu; without the database %llu; bound %llu\n", (unsigned long long)t.sum,
           (unsigned long long)t.plain, (unsigned long long)t.bound);
    *failed |= t.failed;
    vta_config_release(t.config);
    return json_pack("{s:s, s:I, s:I, s:I, s:o}", "machine", m->name, "resnet18_cycles", (json_int_t)t.sum,
                     "resnet18_plain", (json_int_t)t.plain, "resnet18_bound", (json_int_t)t.bound, "rows", t.rows);
}

/* oneDNN's OpenMP reads its environment when it is loaded, so one thread means starting over. */
static void use_one_thread(char **argv) {
    if (getenv("OMP_NUM_THREADS")) return;
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    use_one_thread(argv);
    bool quick = argc > 2 && !strcmp(argv[2], "quick"), failed = false;
    json_t *all = json_array();
    char path[1024];
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        json_array_append_new(all, bench_machine(&machines[i], quick, &failed));
    snprintf(path, sizeof path, "%s/ops.json", argc > 1 ? argv[1] : "build/bench");
    if (json_dump_file(all, path, JSON_INDENT(1))) fprintf(stderr, "cannot write %s\n", path), failed = true;
    json_decref(all);
    return failed;
}

/* The runtime: nanoseconds of each call, and instructions a second of whole streams with and without running them.
 * Prints a table and writes runtime.json into the folder named by the first argument (default build/bench). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "vta/runtime.h"

enum { CALLS = 20000, BUFFERS = 8 };

/* What a body works on. */
typedef struct work {
    VTACommandHandle cmd;
    void *buffers[BUFFERS];
    void *alu_site, *gemm_site;
    int calls; /* a body makes this many of the measured call */
} work;

static int one_alu(void *signature) {
    int32_t value;
    memcpy(&value, signature, sizeof value);
    VTAUopLoopBegin(16, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, value);
    VTAUopLoopEnd();
    return 0;
}

static int one_gemm(void *signature) {
    (void)signature;
    VTAUopLoopBegin(8, 1, 0, 1);
    VTAUopPush(0, 0, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    return 0;
}

/* ---- Bodies: each makes its call over and over ------------------------------------------------------------- */

static void tls_handle(work *w) {
    for (int i = 0; i < w->calls; i++) w->cmd = VTATLSCommandHandle();
}
static void load_inp(work *w) {
    for (int i = 0; i < w->calls; i++)
        VTALoadBuffer2D(w->cmd, w->buffers[i % BUFFERS], (uint32_t)i % 8, 14, 9, 14, 1, 1, 1, 0, 16, VTA_MEM_INP);
}
static void load_acc(work *w) {
    for (int i = 0; i < w->calls; i++)
        VTALoadBuffer2D(w->cmd, w->buffers[i % BUFFERS], 0, 16, 1, 16, 0, 0, 0, 0, 64, VTA_MEM_ACC);
}
static void store_out(work *w) {
    for (int i = 0; i < w->calls; i++)
        VTAStoreBuffer2D(w->cmd, (uint32_t)i % 64, VTA_MEM_OUT, w->buffers[i % BUFFERS], (uint32_t)i % 64, 1, 1, 1);
}
static void push_gemm(work *w) {
    for (int i = 0; i < w->calls; i++) VTAPushGEMMOp(&w->gemm_site, one_gemm, NULL, 0);
}
static void push_alu_signed(work *w) {
    for (int i = 0; i < w->calls; i++) {
        int32_t signature = i % 8;
        VTAPushALUOp(&w->alu_site, one_alu, &signature, sizeof signature);
    }
}
static void dep_push_pop(work *w) { /* each counts as one call */
    for (int i = 0; i < w->calls / 2; i++) {
        VTADepPush(w->cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
        VTADepPop(w->cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
    }
}
static void barriers(work *w) {
    for (int i = 0; i < w->calls; i++) VTAReadBarrier(w->cmd, w->buffers[i % BUFFERS], 8, 0, 256);
}
static int many_uops(void *signature) {
    uint32_t count;
    memcpy(&count, signature, sizeof count);
    for (uint32_t i = 0; i < count; i++) VTAUopPush(0, 0, i % 64, i % 32, i % 16, 0, 0, 0);
    return 0;
}
static void uop_push(work *w) {
    for (int i = 0; i < w->calls / 4000; i++) {
        void *site = NULL;
        uint32_t count = 4000;
        VTAPushGEMMOp(&site, many_uops, &count, sizeof count);
    }
}

typedef struct call_row {
    const char *name;
    void (*body)(work *w);
} call_row;

static const call_row rows[] = {
    {"VTATLSCommandHandle", tls_handle},      {"VTALoadBuffer2D (inp, padded)", load_inp},
    {"VTALoadBuffer2D (acc)", load_acc},      {"VTAStoreBuffer2D", store_out},
    {"VTAPushGEMMOp (resident)", push_gemm},  {"VTAPushALUOp (8 signatures)", push_alu_signed},
    {"VTADepPush / VTADepPop", dep_push_pop}, {"VTAReadBarrier", barriers},
    {"VTAUopPush (recording)", uop_push},
};

/* ---- Measuring --------------------------------------------------------------------------------------------- */

/* A wrong call drops what was recorded, so that recording alone is measured. */
static void forget(work *w) {
    VTADepPush(w->cmd, VTA_STAGE_LOAD, VTA_STAGE_STORE);
    VTASynchronize(w->cmd, 0);
    vta_clear_error(w->cmd);
}

static double nanoseconds(work *w, const call_row *row) {
    double best = 0;
    for (int round = 0; round < 7; round++) {
        double start = now_seconds();
        row->body(w);
        double seconds = now_seconds() - start;
        if (vta_last_error(w->cmd)) fprintf(stderr, "%s: %s\n", row->name, vta_last_error(w->cmd));
        forget(w);
        if (!round || seconds < best) best = seconds;
    }
    return best / w->calls * 1e9;
}

/* A tile: two loads, GEMM, ALU, store, four tokens. Six calls' instructions a tile. */
static void tiles(work *w) {
    VTADepPush(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_LOAD);
    for (int i = 0; i < w->calls; i++) {
        int32_t signature = 0;
        VTADepPop(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_LOAD);
        VTALoadBuffer2D(w->cmd, w->buffers[0], 0, 8, 1, 8, 0, 0, 0, 0, 0, VTA_MEM_INP);
        VTALoadBuffer2D(w->cmd, w->buffers[1], 0, 8, 1, 8, 0, 0, 0, 0, 0, VTA_MEM_WGT);
        VTADepPush(w->cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
        VTADepPop(w->cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
        VTAPushGEMMOp(&w->gemm_site, one_gemm, NULL, 0);
        VTADepPush(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_LOAD);
        VTAPushALUOp(&w->alu_site, one_alu, &signature, sizeof signature);
        VTADepPush(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_STORE);
        VTADepPop(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_STORE);
        VTAStoreBuffer2D(w->cmd, 0, VTA_MEM_OUT, w->buffers[2], 0, 16, 1, 16);
    }
    VTADepPop(w->cmd, VTA_STAGE_COMPUTE, VTA_STAGE_LOAD);
}

static double instructions_a_second(work *w, bool run) {
    enum { INSNS_A_TILE = 5 };
    double best = 0;
    for (int round = 0; round < 5; round++) {
        double start = now_seconds();
        tiles(w);
        if (run) VTASynchronize(w->cmd, 0);
        double rate = (double)w->calls * INSNS_A_TILE / (now_seconds() - start);
        if (vta_last_error(w->cmd)) fprintf(stderr, "tiles: %s\n", vta_last_error(w->cmd));
        if (!run) forget(w);
        if (rate > best) best = rate;
    }
    return best;
}

static vta_runtime *begin(const char *driver, work *w) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vta_runtime *runtime;
    if (vta_runtime_create(config, driver, NULL, NULL, diag, &runtime) != VTA_OK) {
        fprintf(stderr, "%s\n", vta_diag_text(diag));
        exit(1);
    }
    vta_config_release(config);
    vta_diag_destroy(diag);
    vta_runtime_use(runtime);
    *w = (work){.cmd = VTATLSCommandHandle(), .calls = CALLS};
    for (int i = 0; i < BUFFERS; i++) w->buffers[i] = VTABufferAlloc(1 << 16);
    return runtime;
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    json_t *report = json_object(), *calls = json_array();
    work w;
    vta_runtime *runtime = begin("null", &w);
    printf("%-32s %8s\n", "runtime call", "ns");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ns = nanoseconds(&w, &rows[i]);
        printf("%-32s %8.1f\n", rows[i].name, ns);
        json_array_append_new(calls, json_pack("{s:s, s:f}", "call", rows[i].name, "ns", ns));
    }
    double recorded = instructions_a_second(&w, false), null = instructions_a_second(&w, true);
    vta_runtime_destroy(runtime);
    runtime = begin("sim", &w);
    double sim = instructions_a_second(&w, true);
    vta_runtime_destroy(runtime);
    printf("\n%-32s %8s\n%-32s %8.2f\n%-32s %8.2f\n%-32s %8.2f\n", "stream", "Minsn/s", "recorded", recorded / 1e6,
           "recorded, encoded, run on null", null / 1e6, "recorded, encoded, run on sim", sim / 1e6);
    json_object_set_new(report, "calls", calls);
    json_object_set_new(report, "insns_per_second_recorded", json_real(recorded));
    json_object_set_new(report, "insns_per_second_null", json_real(null));
    json_object_set_new(report, "insns_per_second_sim", json_real(sim));
    char path[1024];
    snprintf(path, sizeof path, "%s/runtime.json", folder);
    int failed = json_dump_file(report, path, JSON_INDENT(1));
    if (failed) fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(report);
    return failed != 0;
}

/* A recorded call sequence (calls/NAME.calls), made again on this runtime: the instruction stream is that of TVM's VTA,
 * byte for byte, DRAM ends with the same contents, and the counters agree. */
#ifndef TESTS_GOLDEN_CALLS_H
#define TESTS_GOLDEN_CALLS_H

#include <unistd.h>

#include "golden/json.h"
#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"

/* A file of the recorded program's folder. */
static void path_to(char to[GOLDEN_PATH], const char *name, const char *file) {
    char of[300];
    snprintf(of, sizeof of, "runs/%s/%s", name, file);
    golden_path(of, to);
}

enum { MAX_BUFFERS = 8, MAX_SITES = 64 };

/* ---- Making the calls ------------------------------------------------------------------------------------- */

typedef struct replay {
    const char *name;
    char *next; /* the rest of the text */
    VTACommandHandle cmd;
    void *buffers[MAX_BUFFERS];
    void *sites[MAX_SITES];
} replay;

static replay *current; /* finit has no other way to it */

static char *next_line(replay *r) {
    char *line = r->next, *end = strchr(line, '\n');
    if (!*line) return NULL;
    if (end) *end = '\0';
    r->next = end ? end + 1 : line + strlen(line);
    return line;
}

/* Numbers of a line, whatever letters stand before them ("buf2", "sig=-1"). */
static int numbers(const char *line, long to[], int most) {
    int n = 0;
    while (*line && n < most) {
        if (*line == '-' || (*line >= '0' && *line <= '9')) {
            char *end;
            to[n++] = strtol(line, &end, 10);
            line = end;
        } else {
            line++;
        }
    }
    return n;
}

static int record_kernel(void *signature) {
    (void)signature;
    for (char *line = next_line(current); line && strcmp(line, "end"); line = next_line(current)) {
        long v[8];
        int n = numbers(line, v, 8);
        if (!strncmp(line, "  uop", 5) && n == 8)
            VTAUopPush((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4], (uint32_t)v[5],
                       (uint32_t)v[6], (int32_t)v[7]);
        else if (!strncmp(line, "  loop", 6) && n == 4)
            VTAUopLoopBegin((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3]);
        else if (!strcmp(line, "  endloop"))
            VTAUopLoopEnd();
        else
            fail_msg("unknown line in a kernel: %s", line);
    }
    return 0;
}

/* "gemm site3 sig=0": finit must be called exactly when the recording shows what it recorded. */
static void push(replay *r, const char *line, const long v[]) {
    int32_t signature = (int32_t)v[1];
    bool cached = !strncmp(r->next, "end", 3);
    char *before = r->next;
    assert_in_range(v[0], 0, MAX_SITES - 1);
    int (*call)(void **, int (*)(void *), void *, int) = line[0] == 'g' ? VTAPushGEMMOp : VTAPushALUOp;
    int result = call(&r->sites[v[0]], record_kernel, signature == -1 ? NULL : &signature, signature == -1 ? 0 : 4);
    assert_int_equal(result, 0);
    if (cached) {
        assert_ptr_equal(r->next, before);
        next_line(r);
    } else {
        assert_ptr_not_equal(r->next, before);
    }
}

static void make_calls(replay *r) {
    current = r;
    for (char *line = next_line(r); line; line = next_line(r)) {
        long v[12] = {0};
        int n = numbers(line, v, 12);
        if (!strncmp(line, "load", 4) && n == 11)
            VTALoadBuffer2D(r->cmd, r->buffers[v[0]], (uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4],
                            (uint32_t)v[5], (uint32_t)v[6], (uint32_t)v[7], (uint32_t)v[8], (uint32_t)v[9],
                            (uint32_t)v[10]);
        else if (!strncmp(line, "store", 5) && n == 7)
            VTAStoreBuffer2D(r->cmd, (uint32_t)v[0], (uint32_t)v[1], r->buffers[v[2]], (uint32_t)v[3], (uint32_t)v[4],
                             (uint32_t)v[5], (uint32_t)v[6]);
        else if (!strncmp(line, "push", 4))
            VTADepPush(r->cmd, (int)v[0], (int)v[1]);
        else if (!strncmp(line, "pop", 3))
            VTADepPop(r->cmd, (int)v[0], (int)v[1]);
        else if (!strcmp(line, "sync"))
            VTASynchronize(r->cmd, 0);
        else if (n == 2)
            push(r, line, v);
        else
            fail_msg("unknown line: %s", line);
        const char *error = vta_last_error(r->cmd);
        if (error) fail_msg("%s: %s", r->name, error);
    }
}

/* ---- One program ------------------------------------------------------------------------------------------- */

static bool is_data(json_t *segment) { return json_integer_value(json_object_get(segment, "size")) < VTA_MAX_TRANSFER; }

static void check_stream(const char *name, const vta_config *config, const char *capture) {
    char path[GOLDEN_PATH];
    size_t size;
    vta_diag *diag = vta_diag_create(NULL);
    vta_program *program;
    vta_program_run_info run;
    if (vta_program_load(capture, NULL, diag, &program) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_program_run_count(program), 1);
    assert_int_equal(vta_program_get_run(program, 0, &run), VTA_OK);
    path_to(path, name, "000/insn.bin");
    uint8_t *golden = check_read_file(path, &size);
    assert_int_equal((size_t)run.insn_count * VTA_INSN_BYTES, size);
    /* TVM's VTA leaves bits that belong to no field uninitialized: decoding and encoding clears them. */
    for (size_t i = 0; i < run.insn_count; i++) {
        vta_insn insn;
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_decode(config, golden + i * VTA_INSN_BYTES, NULL, &insn), VTA_OK);
        assert_int_equal(vta_insn_encode(config, &insn, NULL, bytes), VTA_OK);
        if (memcmp(bytes, run.insns + i * VTA_INSN_BYTES, sizeof bytes))
            fail_msg("%s: instruction %zu is not that of TVM's VTA", name, i);
    }
    free(golden);
    vta_program_destroy(program);
    vta_diag_destroy(diag);
}

static void check_contents(const char *name, json_t *segments, void *const buffers[]) {
    char path[GOLDEN_PATH], file[64];
    for (size_t i = 0; i < json_array_size(segments); i++) {
        json_t *segment = json_array_get(segments, i);
        const char *after = json_string_value(json_object_get(segment, "after"));
        if (!after || !is_data(segment)) continue;
        size_t size = (size_t)json_integer_value(json_object_get(segment, "size")), stored;
        snprintf(file, sizeof file, "000/%s", after);
        path_to(path, name, file);
        uint8_t *expected = check_read_file(path, &stored), *got = malloc(size);
        VTABufferCopy(buffers[i], 0, got, 0, size, 2);
        for (size_t b = 0; b < size; b++)
            if (got[b] != (b < stored ? expected[b] : 0))
                fail_msg("%s: buffer %zu differs from TVM's VTA at byte %zu", name, i, b);
        free(expected);
        free(got);
    }
}

static void check_counters(const char *name, vta_runtime *runtime) {
    char path[GOLDEN_PATH];
    path_to(path, name, "stats.json");
    json_t *stats = read_json(path);
    vta_counters counters = vta_runtime_counters(runtime);
#define VTA_COUNTER(field, meaning)                                                                                    \
    if (json_object_get(stats, #field) &&                                                                              \
        (uint64_t)json_integer_value(json_object_get(stats, #field)) != counters.field)                                \
        fail_msg("%s: " #field " is %llu", name, (unsigned long long)counters.field);
#include "vta/counters.def"
#undef VTA_COUNTER
    json_decref(stats);
}

/* Buffers are allocated in the order of their addresses, so the recorded addresses come out. */
static void fill_buffers(const char *name, json_t *segments, void *buffers[]) {
    char path[GOLDEN_PATH], file[64];
    for (size_t i = 0; i < json_array_size(segments); i++) {
        json_t *segment = json_array_get(segments, i);
        if (!is_data(segment)) continue;
        assert_in_range(i, 0, MAX_BUFFERS - 1);
        size_t stored;
        uint32_t addr;
        snprintf(file, sizeof file, "000/%s", json_string_value(json_object_get(segment, "before")));
        path_to(path, name, file);
        uint8_t *before = check_read_file(path, &stored);
        buffers[i] = VTABufferAlloc((size_t)json_integer_value(json_object_get(segment, "size")));
        assert_non_null(buffers[i]);
        assert_int_equal(vta_buffer_info(buffers[i], NULL, &addr), VTA_OK);
        assert_int_equal(addr, json_integer_value(json_object_get(segment, "addr")));
        VTABufferCopy(before, 0, buffers[i], 0, stored, 1);
        free(before);
    }
}

static inline void check_calls(const char *name) {
    char path[GOLDEN_PATH], capture[64];
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config;
    vta_runtime *runtime;
    path_to(path, name, "vta_config.json");
    if (vta_config_load(path, diag, &config) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    snprintf(capture, sizeof capture, "/tmp/vta_calls_%ld.vtap", (long)getpid());
    /* TVM's VTA takes the largest queues at once; with the same, micro-ops have the same addresses. */
    vta_runtime_options options = {
        .reserve_bytes = VTA_MAX_TRANSFER, .capture = capture, .device = &(vta_device_options){.check = true}};
    if (vta_runtime_create(config, "sim", &options, NULL, diag, &runtime) != VTA_OK)
        fail_msg("%s: %s", name, vta_diag_text(diag));
    vta_runtime_use(runtime);

    path_to(path, name, "000/run.json");
    json_t *run = read_json(path), *segments = json_object_get(run, "segments");
    replay r = {.name = name, .cmd = VTATLSCommandHandle()};
    assert_non_null(r.cmd);
    fill_buffers(name, segments, r.buffers);
    char recording[100];
    snprintf(recording, sizeof recording, "calls/%s.calls", name);
    char *text = golden_read(recording);
    r.next = text;
    make_calls(&r);
    check_contents(name, segments, r.buffers);
    check_counters(name, runtime);
    if (vta_runtime_capture(runtime, NULL, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    check_stream(name, config, capture);

    unlink(capture);
    free(text);
    json_decref(run);
    vta_runtime_destroy(runtime);
    vta_config_release(config);
    vta_diag_destroy(diag);
}

#endif

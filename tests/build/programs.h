/* The programs that tests compile: kernel files of the examples and of tests/kernel/cases, on several machines. */
#ifndef TESTS_BUILD_PROGRAMS_H
#define TESTS_BUILD_PROGRAMS_H

#include "build/build_test.h"
#include "vta/build.h"

typedef struct shape {
    const char *name;
    const char *changes; /* of the default configuration */
    const char *rows;    /* parameters of blocked_matmul, whose rows must fill a tile; NULL: as in the file */
} shape;

static const shape shapes[] = {
    {"1x16", "LOG_BATCH=0", NULL},
    {"2x16", "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", "rows=2"},
    {"4x8", "LOG_BATCH=2 LOG_BLOCK=3 LOG_INP_BUFF_SIZE=16 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=18", "rows=4"},
    {"1x32", "LOG_BLOCK=5", NULL},
    {"w4", "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17", NULL}, /* 4-bit weights */
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* A compiled kernel file and the runtime that it runs on. */
typedef struct machine {
    vta_diag *diag;
    vta_config *config;
    vtac_kernel *kernel;
    const vtac_func *func;
    vtac_module *module;
    vta_packed_function call;
} machine;

static inline void need(const machine *m, vta_status status, const char *name) {
    if (status == VTA_OK) return;
    const char *more = m->kernel ? vta_diag_text(te_context_diag(vtac_kernel_context(m->kernel))) : "";
    fail_msg("%s: %s\n%s", name, vta_diag_text(m->diag), more);
}

static inline void machine_config(machine *m, const shape *s) {
    vta_config *base = vta_config_default();
    *m = (machine){.diag = vta_diag_create(NULL)};
    need(m, vta_config_with(base, s->changes, m->diag, &m->config), s->name);
    vta_config_release(base);
}

/* The same for a kernel file: silu.te takes hardware with tables. */
static inline void machine_config_for(machine *m, const char *file, const shape *s) {
    char changes[160];
    shape own = *s;
    snprintf(changes, sizeof changes, "%s LOG_TABLE_BUFF_SIZE=8", s->changes);
    if (strstr(file, "silu.te")) own.changes = changes;
    machine_config(m, &own);
}

/* Compiles a kernel file. cse: with common subexpressions computed once. */
static inline void machine_open(machine *m, const char *file, const shape *s, bool cse) {
    static const char *const disabled[] = {"tir.CommonSubexprElimTIR"};
    machine_config_for(m, file, s);
    const char *params = strstr(file, "blocked_matmul") ? s->rows : NULL;
    need(m, vtac_kernel_load(file, params, m->config, NULL, m->diag, &m->kernel), file);
    bool vta = strcmp(vtac_kernel_target(m->kernel), "vta") == 0;
    const vtac_lower_options lower = {
        .config = vta ? m->config : NULL, .disabled = disabled, .disabled_count = cse ? 0 : 1, .verify = 1};
    need(m, vtac_kernel_lower(m->kernel, &lower, &m->func), file);
    const vtac_build_func f = {.func = m->func};
    const vtac_build_options build = {.target = vtac_kernel_target(m->kernel), .trace = 1};
    need(m, vtac_build(1, &f, &build, m->diag, &m->module), file);
    need(m, vtac_module_function(m->module, vtac_func_name(m->func), m->diag, &m->call), file);
}

static inline void machine_close(machine *m) {
    vtac_module_destroy(m->module);
    vtac_kernel_destroy(m->kernel);
    vta_config_release(m->config);
    vta_diag_destroy(m->diag);
}

/* Runs it on a fresh simulator with the race checker, compares with the meaning, gives the calls it made. */
static inline void machine_check(machine *m, const char *name, vta_order order, uint64_t seed, vt_strbuf *trace) {
    vtac_check_result result = {.size = sizeof result};
    const te_tensor *args[8];
    const vta_runtime_options runtime = {.device = &(vta_device_options){.check = true, .order = order, .seed = seed}};
    bool vta = strcmp(vtac_kernel_target(m->kernel), "vta") == 0;
    need(m, vta_runtime_reconfigure(m->config, "sim", &runtime, m->diag), name);
    size_t n = vtac_kernel_arg_count(m->kernel);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(m->kernel, i);
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vtac_check_options options = {.seed = seed, .allocator = &a.allocator};
    assert_int_equal(vtac_trace_begin(trace_to, trace), VTA_OK);
    vta_status status = vtac_check(vtac_kernel_context(m->kernel), n, args, m->call, vta ? kDLExtDev : kDLCPU, &options,
                                   m->diag, &result);
    vtac_trace_end();
    need(m, status, name);
    if (a.live) fail_msg("%s: %zu bytes are lost", name, a.live);
    if (result.different)
        fail_msg("%s: element %llu is %s, not %s (%llu of %llu differ)", name, (unsigned long long)result.index,
                 result.got, result.expected, (unsigned long long)result.different,
                 (unsigned long long)result.elements);
    assert_true(result.run_seconds > 0 && result.reference_seconds > 0);
}

#endif

/* A random program of the host through the compiler: as a kernel file for the host and for the accelerator's target,
 * compiled in this process, run and compared with the reference. */
#include <stdlib.h>
#include <string.h>

#include "random/host.h"
#include "support/guarded.h"
#include "vta/build.h"

enum { ROUNDS = 2 };

typedef struct runner {
    const host_program *p;
    bool chip;
    vta_diag *diag;
    result *out;
    vta_config *config;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function function;
    int args[HOST_NODES]; /* nodes */
    vta_array *arrays[HOST_NODES];
    int n;
} runner;

static const char *target(const runner *r) { return r->chip ? "vta" : "llvm"; }

static bool end(runner *r, outcome o, const char *text) {
    r->out->outcome = o;
    snprintf(r->out->text, sizeof r->out->text, "%s: %s", target(r), text);
    return false;
}

static bool build_failed(runner *r, vta_status status, const char *text) {
    bool internal = status == VTA_INTERNAL || status == VTA_INVALID_ARGUMENT || status == VTA_PARSE;
    return end(r, internal ? OUTCOME_INTERNAL : OUTCOME_REFUSED, text);
}

/* What kernel files have no step for. */
static vta_status factor_reductions(runner *r) {
    te_schedule *s = vtac_kernel_schedule(r->kernel);
    for (int i = 0; i < r->p->n; i++) {
        const host_node *t = &r->p->nodes[i];
        te_axis *outer, *inner;
        if (!t->used || !t->rfactor) continue;
        te_tensor *tensor = te_find_tensor(vtac_kernel_context(r->kernel), t->name);
        te_stage *st = te_schedule_stage(s, tensor);
        if (!st) return VTA_NOT_FOUND; /* what nothing needs after all */
        vta_status status = te_split(st, te_stage_axis(st, (size_t)t->ndim), t->rfactor, &outer, &inner);
        if (status != VTA_OK) return status;
        if (!te_rfactor(s, tensor, outer, t->rfactor_at)) return te_context_status(vtac_kernel_context(r->kernel));
    }
    return VTA_OK;
}

static bool build(runner *r, uint64_t seed) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    host_write(r->p, r->chip, f);
    fclose(f);
    vta_status status = vtac_kernel_parse(text, size, "random", NULL, r->config, NULL, r->diag, &r->kernel);
    free(text);
    if (status != VTA_OK) return build_failed(r, status, vta_diag_text(r->diag));
    vtac_lower_options lower = {.config = r->chip ? r->config : NULL, .verify = 1};
    const vtac_func *func;
    status = factor_reductions(r);
    if (status == VTA_OK) status = vtac_kernel_lower(r->kernel, &lower, &func);
    if (status != VTA_OK)
        return build_failed(r, status, vta_diag_text(te_context_diag(vtac_kernel_context(r->kernel))));
    vtac_build_func bf = {.func = func};
    vtac_build_options options = {.target = target(r), .opt_level = seed % 4 == 0 ? 2 : -1};
    status = vtac_build(1, &bf, &options, r->diag, &r->module);
    if (status == VTA_OK) status = vtac_module_function(r->module, vtac_func_name(func), r->diag, &r->function);
    return status == VTA_OK || build_failed(r, status, vta_diag_text(r->diag));
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static bool make_arrays(runner *r) {
    for (int pass = 0; pass < 2; pass++) /* inputs, then outputs */
        for (int i = 0; i < r->p->n; i++) {
            const host_node *t = &r->p->nodes[i];
            const host_type_info *info = &host_types[t->type];
            if (!t->used || !(pass ? t->is_output : t->kind == HOST_INPUT)) continue;
            int64_t shape[HOST_DIMS];
            for (int d = 0; d < t->ndim; d++) shape[d] = t->extent[d];
            DLDataType type = {info->is_float      ? kDLFloat
                               : info->is_unsigned ? kDLUInt
                                                   : kDLInt,
                               (uint8_t)info->bits, 1};
            DLDeviceType device = r->chip ? kDLExtDev : kDLCPU;
            if (vta_array_create(device, t->ndim, shape, type, NULL, r->diag, &r->arrays[r->n]) != VTA_OK)
                return end(r, OUTCOME_FAILED, vta_diag_text(r->diag));
            r->args[r->n++] = i;
        }
    return true;
}

static void put(uint8_t *to, host_type t, host_value x) {
    float single = (float)x.d;
    if (t == T_F32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &x, (size_t)host_types[t].bits / 8); /* the low bytes of an integer, all of a double */
}

static host_value get(const uint8_t *from, host_type t) {
    host_value x = {.i = 0};
    float single;
    int bits = host_types[t].bits;
    if (t == T_F32) {
        memcpy(&single, from, sizeof single);
        return (host_value){.d = (double)single};
    }
    memcpy(&x, from, (size_t)bits / 8);
    if (t == T_F64 || bits == 64 || host_types[t].is_unsigned) return x;
    int64_t sign = (int64_t)1 << (bits - 1);
    x.i = (x.i ^ sign) - sign;
    return x;
}

/* The inputs, and something in the results that a run must overwrite. */
static bool write_array(runner *r, int k, const host_values *v, int round) {
    const host_node *t = &r->p->nodes[r->args[k]];
    size_t bytes = vta_array_bytes(r->arrays[k]), each = (size_t)host_types[t->type].bits / 8;
    uint8_t *data = malloc(bytes);
    if (!data) abort();
    memset(data, 0x5a + round, bytes);
    for (int64_t i = 0; t->kind == HOST_INPUT && i < host_elements(t); i++)
        put(data + (size_t)i * each, t->type, v->of[r->args[k]][i]);
    vta_status status = vta_array_write(r->arrays[k], data, bytes, r->diag);
    free(data);
    return status == VTA_OK || end(r, OUTCOME_FAILED, vta_diag_text(r->diag));
}

static bool compare(runner *r, int k, const host_values *v) {
    const host_node *t = &r->p->nodes[r->args[k]];
    const host_value *expected = v->of[r->args[k]];
    size_t bytes = vta_array_bytes(r->arrays[k]), each = (size_t)host_types[t->type].bits / 8;
    uint8_t *data = malloc(bytes);
    if (!data) abort();
    vta_status status = vta_array_read(r->arrays[k], data, bytes, r->diag);
    int64_t n = host_elements(t), different = 0, first = 0;
    bool is_float = host_types[t->type].is_float;
    for (int64_t i = n; i-- > 0 && status == VTA_OK;) {
        host_value got = get(data + (size_t)i * each, t->type);
        if (is_float ? got.d == expected[i].d : got.i == expected[i].i) continue;
        different++;
        first = i;
    }
    host_value got = get(data + (size_t)first * each, t->type);
    free(data);
    if (status != VTA_OK) return end(r, OUTCOME_FAILED, vta_diag_text(r->diag));
    if (!different) return true;
    char text[200];
    snprintf(text, sizeof text, "%s: %lld of %lld elements differ, the first is number %lld: %.17g, not %.17g", t->name,
             (long long)different, (long long)n, (long long)first, is_float ? got.d : (double)got.i,
             is_float ? expected[first].d : (double)expected[first].i);
    return end(r, OUTCOME_WRONG, text);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* A call on memory that ends, or begins, where no page is: code that reads outside of an array dies. */
static vta_status call_guarded(const runner *r, int round) {
    DLTensor copies[HOST_NODES], *tensors[HOST_NODES];
    guarded memory[HOST_NODES];
    for (int k = 0; k < r->n; k++) {
        size_t bytes = vta_array_bytes(r->arrays[k]);
        memory[k] = guarded_new(bytes, round % 2 != 0);
        copies[k] = *vta_array_tensor(r->arrays[k]);
        memcpy(memory[k].at, copies[k].data, bytes);
        copies[k].data = memory[k].at;
        tensors[k] = &copies[k];
    }
    vta_status status = vta_function_call_tensors(r->function, tensors, r->n, r->diag);
    for (int k = 0; k < r->n; k++) {
        memcpy(vta_array_tensor(r->arrays[k])->data, memory[k].at, vta_array_bytes(r->arrays[k]));
        guarded_free(&memory[k]);
    }
    return status;
}

static vta_status call(const runner *r, int round) {
    DLTensor *tensors[HOST_NODES];
    if (!r->chip) return call_guarded(r, round);
    for (int k = 0; k < r->n; k++) tensors[k] = vta_array_tensor(r->arrays[k]);
    return vta_function_call_tensors(r->function, tensors, r->n, r->diag);
}

static bool run_round(runner *r, const host_values *v, int round) {
    bool ok = true;
    for (int k = 0; ok && k < r->n; k++) ok = write_array(r, k, v, round);
    if (ok && call(r, round) != VTA_OK) ok = end(r, OUTCOME_FAILED, vta_diag_text(r->diag));
    for (int k = 0; ok && k < r->n; k++)
        if (r->p->nodes[r->args[k]].is_output) ok = compare(r, k, v);
    return ok;
}

static bool run_target(const host_program *p, bool chip, uint64_t seed, const host_values values[ROUNDS], result *out) {
    runner r = {.p = p, .chip = chip, .diag = vta_diag_create(NULL), .out = out, .config = vta_config_default()};
    vta_runtime *runtime = NULL;
    bool ok = build(&r, seed);
    if (ok && vta_runtime_create(r.config, "sim", NULL, NULL, r.diag, &runtime) != VTA_OK)
        ok = end(&r, OUTCOME_FAILED, vta_diag_text(r.diag));
    if (ok) {
        vta_device_options device = {.check = true, .order = (uint32_t)(seed % 3), .seed = seed};
        vta_runtime_use(runtime);
        ok = make_arrays(&r);
        if (ok && vta_runtime_set_device_options(runtime, &device, r.diag) != VTA_OK)
            ok = end(&r, OUTCOME_FAILED, vta_diag_text(r.diag));
        for (int round = 0; ok && round < ROUNDS; round++) ok = run_round(&r, &values[round], round);
        for (int k = 0; k < r.n; k++) vta_array_free(r.arrays[k]);
        vta_runtime_use(NULL);
    }
    vta_runtime_destroy(runtime);
    vtac_module_destroy(r.module);
    vtac_kernel_destroy(r.kernel);
    vta_config_release(r.config);
    vta_diag_destroy(r.diag);
    return ok;
}

void host_run(const host_program *p, uint64_t seed, result *out) {
    host_values values[ROUNDS];
    result other = {0};
    *out = (result){0};
    for (int i = 0; i < ROUNDS; i++) host_compute(p, seed + (uint64_t)i * 0x10001, &values[i]);
    run_target(p, false, seed, values, out);
    if (out->outcome <= OUTCOME_REFUSED) run_target(p, true, seed, values, &other);
    if (other.outcome > out->outcome) *out = other;
    for (int i = 0; i < ROUNDS; i++) host_values_free(&values[i]);
}

#include "random/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random/reference.h"
#include "random/text.h"
#include "vta/build.h"

const char *const outcome_names[OUTCOME_COUNT] = {"right",  "refused",  "unproven", "wrong",
                                                  "failed", "internal", "crashed"};

enum { ORDERS = 3, SECONDS_MAX = 60 };

typedef struct runner {
    const program *p;
    vta_diag *diag;
    result *out;
    vta_config *config;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_runtime *runtime;
    vta_packed_function function;
    const node *args[MAX_NODES];
    int of[MAX_NODES]; /* the node's number */
    vta_array *arrays[MAX_NODES];
    int n;
} runner;

static bool end(runner *r, outcome o, const char *what) {
    r->out->outcome = o;
    snprintf(r->out->text, sizeof r->out->text, "%s%s", what, vta_diag_text(r->diag));
    return false;
}

static bool build_failed(runner *r, vta_status status) {
    return end(r, status == VTA_INTERNAL || status == VTA_INVALID_ARGUMENT ? OUTCOME_INTERNAL : OUTCOME_REFUSED, "");
}

static bool build(runner *r) {
    char *text = program_text(r->p);
    const vtac_func *f;
    vta_config *base = vta_config_default();
    vta_status status = vta_config_with(base, r->p->config, r->diag, &r->config);
    vta_config_release(base);
    if (status == VTA_OK)
        status = vtac_kernel_parse(text, strlen(text), "random", NULL, r->config, NULL, r->diag, &r->kernel);
    free(text);
    if (status != VTA_OK) return end(r, OUTCOME_REFUSED, "kernel file: ");
    vtac_lower_options options = {.config = r->config, .verify = 1};
    status = vtac_kernel_lower(r->kernel, &options, &f);
    if (status != VTA_OK) {
        build_failed(r, status);
        snprintf(r->out->text, sizeof r->out->text, "%s",
                 vta_diag_text(te_context_diag(vtac_kernel_context(r->kernel))));
        return false;
    }
    vtac_build_func bf = {.func = f};
    status = vtac_build(1, &bf, NULL, r->diag, &r->module);
    if (status == VTA_OK) status = vtac_module_function(r->module, vtac_func_name(f), r->diag, &r->function);
    return status == VTA_OK || build_failed(r, status);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static int bits_of(const runner *r, const node *t) {
    return t->type == ELEM_ACC && t->kind == NODE_STORE ? 32 : r->p->width[t->type];
}

static void put(uint8_t *bytes, int64_t i, int bits, int64_t value) {
    if (bits < 8)
        bytes[i * bits / 8] |= (uint8_t)((value & ((1 << bits) - 1)) << i * bits % 8);
    else
        memcpy(bytes + i * (bits / 8), &value, (size_t)bits / 8);
}

static int64_t get(const uint8_t *bytes, int64_t i, int bits) {
    uint64_t value = 0, sign = (uint64_t)1 << (bits - 1);
    if (bits < 8)
        value = (uint64_t)(bytes[i * bits / 8] >> i * bits % 8) & (2 * sign - 1);
    else
        memcpy(&value, bytes + i * (bits / 8), (size_t)bits / 8);
    return (int64_t)(value ^ sign) - (int64_t)sign;
}

static bool make_arrays(runner *r) {
    for (int pass = 0; pass < 2; pass++) /* inputs, then outputs */
        for (int i = 0; i < r->p->n; i++) {
            const node *t = &r->p->nodes[i];
            bool is_arg = pass ? t->kind == NODE_STORE && t->is_output : t->kind == NODE_INPUT;
            if (!t->used || !is_arg) continue;
            int64_t shape[MAX_DIMS];
            for (int d = 0; d < t->ndim; d++) shape[d] = t->shape[d];
            DLDataType type = {kDLInt, (uint8_t)bits_of(r, t), 1};
            if (vta_array_create(kDLExtDev, t->ndim, shape, type, NULL, r->diag, &r->arrays[r->n]) != VTA_OK)
                return end(r, OUTCOME_FAILED, "");
            r->args[r->n] = t;
            r->of[r->n++] = i;
        }
    return true;
}

static bool write_input(runner *r, int k, const values *v) {
    size_t bytes = vta_array_bytes(r->arrays[k]);
    uint8_t *data = calloc(1, bytes);
    if (!data) abort();
    for (int64_t i = 0; i < node_elements(r->args[k]); i++) put(data, i, bits_of(r, r->args[k]), v->of[r->of[k]][i]);
    vta_status status = vta_array_write(r->arrays[k], data, bytes, r->diag);
    free(data);
    return status == VTA_OK || end(r, OUTCOME_FAILED, "");
}

/* Fills the results with other values than the last run's. */
static bool spoil_output(runner *r, int k, int order) {
    size_t bytes = vta_array_bytes(r->arrays[k]);
    uint8_t *data = malloc(bytes);
    if (!data) abort();
    memset(data, 0x5a + order, bytes);
    vta_status status = vta_array_write(r->arrays[k], data, bytes, r->diag);
    free(data);
    return status == VTA_OK || end(r, OUTCOME_FAILED, "");
}

static bool compare(runner *r, int k, const values *v, int order) {
    size_t bytes = vta_array_bytes(r->arrays[k]);
    uint8_t *data = malloc(bytes);
    if (!data) abort();
    vta_status status = vta_array_read(r->arrays[k], data, bytes, r->diag);
    int64_t n = node_elements(r->args[k]), different = 0, first = 0;
    for (int64_t i = n; i-- > 0 && status == VTA_OK;)
        if (get(data, i, bits_of(r, r->args[k])) != v->of[r->of[k]][i]) {
            different++;
            first = i;
        }
    int64_t got = get(data, first, bits_of(r, r->args[k]));
    free(data);
    if (status != VTA_OK) return end(r, OUTCOME_FAILED, "");
    if (!different) return true;
    r->out->outcome = OUTCOME_WRONG;
    snprintf(r->out->text, sizeof r->out->text,
             "%s: %lld of %lld elements differ, the first is number %lld: %lld, not %lld (order %d)", r->args[k]->name,
             (long long)different, (long long)n, (long long)first, (long long)got, (long long)v->of[r->of[k]][first],
             order);
    return false;
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

/* One run on inputs of its own; what earlier ones left in the memories must not matter. */
static bool run_order(runner *r, uint64_t seed, int order) {
    values v;
    vta_device_options device = {.check = true, .order = (uint32_t)order, .seed = seed + 1};
    device.engine = order == 1 ? VTA_ENGINE_REFERENCE : VTA_ENGINE_FAST;
    if (vta_runtime_set_device_options(r->runtime, &device, r->diag) != VTA_OK) return end(r, OUTCOME_FAILED, "");
    values_compute(r->p, seed + (uint64_t)order * 0x10001, &v);
    DLTensor *tensors[MAX_NODES];
    bool ok = true;
    for (int k = 0; ok && k < r->n; k++) {
        tensors[k] = vta_array_tensor(r->arrays[k]);
        ok = r->args[k]->kind == NODE_INPUT ? write_input(r, k, &v) : spoil_output(r, k, order);
    }
    if (ok && vta_function_call_tensors(r->function, tensors, r->n, r->diag) != VTA_OK) {
        char what[32];
        snprintf(what, sizeof what, "order %d: ", order);
        ok = end(r, OUTCOME_FAILED, what);
    }
    for (int k = 0; ok && k < r->n; k++)
        if (r->args[k]->kind == NODE_STORE) ok = compare(r, k, &v, order);
    values_free(r->p, &v);
    return ok;
}

/* For all inputs, by the compiler's own means. */
static bool prove(runner *r, uint64_t seed) {
    const te_tensor *args[MAX_NODES];
    size_t n = vtac_kernel_arg_count(r->kernel);
    vtac_prove_result proof = {.size = sizeof proof};
    vtac_prove_options options = {.seed = seed};
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(r->kernel, i);
    if (vtac_prove(vtac_kernel_context(r->kernel), n, args, r->function, &options, r->diag, &proof) != VTA_OK)
        return end(r, OUTCOME_FAILED, "prove: ");
    if (proof.verdict == VTAC_PROVEN) return true;
    r->out->outcome = proof.verdict == VTAC_WRONG ? OUTCOME_WRONG : OUTCOME_UNPROVEN;
    snprintf(r->out->text, sizeof r->out->text, "prove: %s", proof.reason);
    return false;
}

static void run_all(runner *r, uint64_t seed) {
    if (vta_runtime_create(r->config, "sim", NULL, NULL, r->diag, &r->runtime) != VTA_OK) {
        end(r, OUTCOME_FAILED, "");
        return;
    }
    vta_runtime_use(r->runtime);
    bool ok = make_arrays(r);
    for (int order = 0; ok && order < ORDERS; order++) ok = run_order(r, seed, order);
    for (int k = 0; k < r->n; k++) vta_array_free(r->arrays[k]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(r->runtime);
    if (ok) prove(r, seed);
}

void run(const program *p, uint64_t seed, result *out) {
    runner r = {.p = p, .diag = vta_diag_create(NULL), .out = out};
    *out = (result){0};
    if (build(&r)) run_all(&r, seed);
    vtac_module_destroy(r.module);
    vtac_kernel_destroy(r.kernel);
    if (r.config) vta_config_release(r.config);
    vta_diag_destroy(r.diag);
}

void in_own_process(void (*body)(const void *user, uint64_t seed, result *out), const void *user, uint64_t seed,
                    result *out) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        alarm(SECONDS_MAX);
        body(user, seed, out);
        _exit(write(ends[1], out, sizeof *out) == (ssize_t)sizeof *out ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (whole) return;
    *out = (result){.outcome = OUTCOME_CRASHED};
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    snprintf(out->text, sizeof out->text, "%s", signal_number == SIGALRM ? "no end" : strsignal(signal_number));
}

static void run_program(const void *p, uint64_t seed, result *out) { run(p, seed, out); }

void run_apart(const program *p, uint64_t seed, result *out) { in_own_process(run_program, p, seed, out); }

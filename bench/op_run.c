#include "op_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "timing.h"
#include "vta/module.h"
#include "vta/runtime.h"

enum { ARGUMENTS = 8 };

typedef struct call {
    vta_packed_function function;
    vta_array *arrays[ARGUMENTS];
    DLTensor *tensors[ARGUMENTS];
    size_t n;
} call;

static int execute(void *arg) {
    call *c = arg;
    return vta_function_call_tensors(c->function, c->tensors, (int)c->n, NULL) == VTA_OK;
}

static void fill(vta_array *a) {
    size_t size = vta_array_bytes(a);
    uint8_t *bytes = malloc(size);
    uint32_t state = 1;
    for (size_t i = 0; bytes && i < size; i++) bytes[i] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    if (bytes) vta_array_write(a, bytes, size, NULL);
    free(bytes);
}

static bool make_arrays(call *c, vtac_kernel *kernel, vta_diag *diag) {
    c->n = vtac_kernel_arg_count(kernel);
    for (size_t i = 0; i < c->n && i < ARGUMENTS; i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        int64_t dims[VTA_ARRAY_MAX_DIMS];
        size_t n = te_tensor_ndim(t);
        uint8_t bits = (uint8_t)atoi(te_tensor_dtype(vtac_kernel_context(kernel), t) + 3);
        for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
        if (vta_array_create(kDLExtDev, (int32_t)n, dims, (DLDataType){kDLInt, bits, 1}, NULL, diag, &c->arrays[i]) !=
            VTA_OK)
            return false;
        fill(c->arrays[i]);
        c->tensors[i] = vta_array_tensor(c->arrays[i]);
    }
    return c->n <= ARGUMENTS;
}

static bool is_right(vtac_op *op, vta_packed_function function, vta_diag *diag) {
    vtac_kernel *kernel = vtac_op_kernel(op);
    vtac_check_result found = {0};
    const te_tensor *args[ARGUMENTS];
    size_t n = vtac_kernel_arg_count(kernel);
    for (size_t i = 0; i < n && i < ARGUMENTS; i++) args[i] = vtac_kernel_arg(kernel, i);
    if (n > ARGUMENTS || vtac_check(vtac_kernel_context(kernel), n, args, function, kDLExtDev, NULL, diag, &found))
        return false;
    if (found.different) vta_diag_add(diag, VTA_ERROR, VTA_MISMATCH, "wrong outputs");
    return !found.different;
}

/* Seconds of a call; negative when something failed. */
static double time_calls(vtac_op *op, const vta_config *config, vta_diag *diag) {
    call c = {.n = 0};
    double seconds = -1;
    vta_runtime *runtime;
    if (vta_runtime_create(config, "sim", NULL, NULL, diag, &runtime) != VTA_OK) return -1;
    vta_runtime_use(runtime);
    if (vtac_module_function(vtac_op_module(op), vtac_op_name(op), diag, &c.function) == VTA_OK &&
        is_right(op, c.function, diag) && make_arrays(&c, vtac_op_kernel(op), diag))
        seconds = best_seconds(execute, &c);
    for (size_t i = 0; i < ARGUMENTS; i++) vta_array_free(c.arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    return seconds;
}

bool op_measure(const char *name, const char *attributes, const vta_config *config, const vta_timing_profile *profile,
                bool run, op_figures *out) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_op *op;
    vtac_op_options options = {.profile = profile, .without_database = true};
    vtac_op_result plain = {0};
    *out = (op_figures){.seconds = 0};
    bool good = vtac_op_create(name, attributes, config, NULL, diag, &op) == VTA_OK &&
                vtac_op_schedule(op, &options, diag, &plain) == VTA_OK;
    options.without_database = false;
    good = good && vtac_op_schedule(op, &options, diag, &out->chosen) == VTA_OK;
    out->plain = plain.cycles;
    if (good && run) good = (out->seconds = time_calls(op, config, diag)) > 0;
    if (!good) fprintf(stderr, "%s %s: %s\n", name, attributes, vta_diag_text(diag));
    vtac_op_destroy(op);
    vta_diag_destroy(diag);
    return good;
}

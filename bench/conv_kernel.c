#include "conv_kernel.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"
#include "vta/build.h"
#include "vta/kernel.h"
#include "vta/module.h"

enum { ARGUMENTS = 3 };

typedef struct layer {
    vta_diag *diag;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function function;
    vta_array *arrays[ARGUMENTS];
    DLTensor *tensors[ARGUMENTS];
} layer;

/* A round of one of two virtual threads: output-channel blocks, output rows, input-channel blocks. The threads share
 * the output channels or the rows. Weights are loaded in each round, or kept on chip for all rows. */
typedef struct blocking {
    unsigned oc, rows, ic;
    bool share_rows, keep_weights;
} blocking;

static unsigned out_size(const conv_shape *s) { return (s->height + 2 * s->pad - s->kernel) / s->stride + 1; }

/* Whole blocks for both threads, and half of each buffer of the default configuration for each. */
static bool fits(const conv_shape *s, blocking b) {
    unsigned out = out_size(s), kk = s->kernel * s->kernel;
    unsigned patch = ((b.rows - 1) * s->stride + s->kernel) * (s->width + 2 * s->pad);
    if (s->in / 16 % b.ic || s->out / 16 % (b.share_rows ? b.oc : 2 * b.oc) ||
        out % (b.share_rows ? 2 * b.rows : b.rows))
        return false;
    unsigned weights = b.oc * (b.keep_weights ? s->in / 16 : b.ic) * kk;
    return b.ic * patch <= 1024 && weights <= 512 && b.oc * b.rows * out <= 1024 && b.ic * kk * out <= 2048;
}

/* Roughly what the rounds of a run cost beside the products: bytes copied and laid out anew, accumulators touched,
 * instructions. */
static double cost_of(const conv_shape *s, blocking b) {
    unsigned out = out_size(s), kk = s->kernel * s->kernel;
    double patch = ((b.rows - 1) * s->stride + s->kernel) * (s->width + 2 * s->pad);
    double rounds = (double)(s->out / 16 / b.oc) * (out / b.rows) * (s->in / 16 / b.ic);
    double weights = (double)b.oc * b.ic * kk * rounds;
    if (b.keep_weights) weights /= out / b.rows / (b.share_rows ? 2.0 : 1.0);
    return rounds * (b.ic * patch * 96 + b.oc * b.rows * out * 128 + 30000) + weights * 2048;
}

static blocking best_blocking(const conv_shape *s) {
    blocking best = {1, 1, 1, false, false};
    double least = cost_of(s, best);
    for (unsigned oc = 1; oc <= s->out / 16; oc++)
        for (unsigned rows = 1; rows <= out_size(s); rows++)
            for (unsigned ic = 1; ic <= s->in / 16; ic++)
                for (int way = 0; way < 4; way++) {
                    blocking b = {oc, rows, ic, way & 1, way >> 1};
                    if (!fits(s, b) || cost_of(s, b) >= least) continue;
                    least = cost_of(s, b);
                    best = b;
                }
    return best;
}

const char *conv_kernel_file(const conv_shape *s) {
    return best_blocking(s).keep_weights ? "bench/kernels/conv_layer_kept.te" : "bench/kernels/conv_layer.te";
}

void conv_kernel_params(const conv_shape *s, char *text, size_t room) {
    blocking b = best_blocking(s);
    snprintf(text, room,
             "height=%u width=%u in_channels=%u out_channels=%u size=%u stride=%u padding=%u oc_block=%u y_block=%u "
             "ic_block=%u oc_threads=%d y_threads=%d",
             s->height, s->width, s->in, s->out, s->kernel, s->stride, s->pad, b.oc * 16, b.rows, b.ic * 16,
             b.share_rows ? 1 : 2, b.share_rows ? 2 : 1);
}

static vta_status compile(layer *l, const char *file, const char *params, const vta_config *config) {
    vtac_lower_options options = {.config = config};
    vtac_build_func f = {0};
    vta_status status = vtac_kernel_load(file, params, config, NULL, l->diag, &l->kernel);
    if (status != VTA_OK) return status;
    status = vtac_kernel_lower(l->kernel, &options, &f.func);
    if (status != VTA_OK) {
        vta_diag_add(l->diag, VTA_ERROR, status, vta_diag_text(te_context_diag(vtac_kernel_context(l->kernel))));
        return status;
    }
    status = vtac_build(1, &f, NULL, l->diag, &l->module);
    if (status != VTA_OK) return status;
    return vtac_module_function(l->module, vtac_func_name(f.func), l->diag, &l->function);
}

static vta_status check(layer *l) {
    const te_tensor *args[ARGUMENTS];
    vtac_check_options options = {.seed = 1};
    vtac_check_result result;
    for (size_t i = 0; i < ARGUMENTS; i++) args[i] = vtac_kernel_arg(l->kernel, i);
    vta_status status =
        vtac_check(vtac_kernel_context(l->kernel), ARGUMENTS, args, l->function, kDLExtDev, &options, l->diag, &result);
    if (status == VTA_OK && result.different) {
        vta_diag_add(l->diag, VTA_ERROR, VTA_MISMATCH, "wrong outputs");
        status = VTA_MISMATCH;
    }
    return status;
}

static vta_status make_array(layer *l, size_t i) {
    const te_tensor *t = vtac_kernel_arg(l->kernel, i);
    int64_t dims[VTA_ARRAY_MAX_DIMS];
    size_t n = te_tensor_ndim(t);
    for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
    vta_status status =
        vta_array_create(kDLExtDev, (int32_t)n, dims, (DLDataType){kDLInt, 8, 1}, NULL, l->diag, &l->arrays[i]);
    if (status != VTA_OK) return status;
    size_t bytes = vta_array_bytes(l->arrays[i]);
    uint8_t *noise = malloc(bytes);
    if (!noise) return VTA_NO_MEMORY;
    uint32_t random = 12345;
    for (size_t b = 0; b < bytes; b++) noise[b] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    status = vta_array_write(l->arrays[i], noise, bytes, l->diag);
    free(noise);
    l->tensors[i] = vta_array_tensor(l->arrays[i]);
    return status;
}

static int call(void *arg) {
    layer *l = arg;
    return vta_function_call_tensors(l->function, l->tensors, ARGUMENTS, l->diag) == VTA_OK;
}

static double time_layer(layer *l, const char *file, const char *params, const vta_config *config) {
    if (compile(l, file, params, config) != VTA_OK || check(l) != VTA_OK) return -1;
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (make_array(l, i) != VTA_OK) return -1;
    return best_seconds(call, l);
}

double conv_kernel_seconds(const vta_config *config, const conv_shape *shape) {
    layer l = {.diag = vta_diag_create(NULL)};
    char params[256];
    vta_runtime *runtime;
    double seconds = -1;
    conv_kernel_params(shape, params, sizeof params);
    if (vta_runtime_create(config, "sim", NULL, NULL, l.diag, &runtime) == VTA_OK) {
        vta_runtime_use(runtime);
        seconds = time_layer(&l, conv_kernel_file(shape), params, config);
        for (size_t i = 0; i < ARGUMENTS; i++) vta_array_free(l.arrays[i]);
        vta_runtime_use(NULL);
        vta_runtime_destroy(runtime);
    }
    if (seconds < 0) fprintf(stderr, "%s, compiled: %s\n", shape->name, vta_diag_text(l.diag));
    vtac_module_destroy(l.module);
    vtac_kernel_destroy(l.kernel);
    vta_diag_destroy(l.diag);
    return seconds;
}

/* A kernel file, built and recorded: the compiler half of kernel_program.h. */
#include <stdlib.h>
#include <string.h>

#include "kernel_program.h"
#include "vta/build.h"

/* What a build needs; all of it is freed in one place. */
typedef struct job {
    const char *path, *params;
    const vta_config *config;
    vta_diag *diag;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function function;
    vta_signature_arg args[CLI_KERNEL_ARGS];
    int64_t shapes[CLI_KERNEL_ARGS][VTA_ARRAY_MAX_DIMS];
} job;

static vta_status refuse(job *j, vta_status status, const char *message) {
    vta_diag_add(j->diag, VTA_ERROR, status, message);
    return status;
}

/* Lowering reports to the kernel's own context. */
static vta_status pass_on(job *j, vta_status status) {
    vta_diag *from = te_context_diag(vtac_kernel_context(j->kernel));
    vta_diag_entry entry;
    for (size_t i = 0; i < vta_diag_count(from) && vta_diag_get(from, i, &entry) == VTA_OK; i++)
        vta_diag_add(j->diag, entry.severity, entry.status, entry.message);
    return status;
}

static vta_status compile(job *j) {
    vta_status status = vtac_kernel_load(j->path, j->params, j->config, NULL, j->diag, &j->kernel);
    if (status != VTA_OK) return status;
    if (strcmp(vtac_kernel_target(j->kernel), "vta") != 0)
        return refuse(j, VTA_UNSUPPORTED, "this kernel is for the host: it runs nothing on the accelerator");
    vtac_lower_options options = {.config = j->config, .annotate = 1};
    vtac_build_func func = {0};
    status = vtac_kernel_lower(j->kernel, &options, &func.func);
    if (status != VTA_OK) return pass_on(j, status);
    status = vtac_build(1, &func, NULL, j->diag, &j->module);
    if (status != VTA_OK) return status;
    return vtac_module_function(j->module, vtac_kernel_name(j->kernel), j->diag, &j->function);
}

/* "int8", "uint8", "float32" */
static DLDataType dtype_of(const char *text) {
    DLDataType t = {kDLInt, 32, 1};
    size_t word = strcspn(text, "0123456789");
    if (strncmp(text, "uint", word) == 0 && word == 4) t.code = kDLUInt;
    if (strncmp(text, "float", word) == 0 && word == 5) t.code = kDLFloat;
    if (text[word]) t.bits = (uint8_t)atoi(text + word);
    return t;
}

static vta_status describe(job *j, size_t index) {
    te_tensor *t = vtac_kernel_arg(j->kernel, index);
    size_t ndim = te_tensor_ndim(t);
    if (ndim > VTA_ARRAY_MAX_DIMS) return refuse(j, VTA_UNSUPPORTED, "a tensor has too many dimensions");
    for (size_t d = 0; d < ndim; d++) j->shapes[index][d] = te_tensor_dim(t, d);
    j->args[index] = (vta_signature_arg){.name = te_tensor_name(t),
                                         .dtype = dtype_of(te_tensor_dtype(vtac_kernel_context(j->kernel), t)),
                                         .is_tensor = 1,
                                         .is_output = vtac_kernel_arg_is_output(j->kernel, index),
                                         .device_type = kDLExtDev,
                                         .ndim = (int32_t)ndim,
                                         .shape = j->shapes[index]};
    return VTA_OK;
}

static vta_status record(job *j, bool numbers, cli_kernel_program *out_kernel) {
    cli_call call = {.function = j->function,
                     .config = j->config,
                     .count = vtac_kernel_arg_count(j->kernel),
                     .args = j->args,
                     .numbers = numbers};
    if (call.count > CLI_KERNEL_ARGS) return refuse(j, VTA_UNSUPPORTED, "the kernel has too many arguments");
    for (size_t i = 0; i < call.count; i++) {
        vta_status status = describe(j, i);
        if (status != VTA_OK) return status;
    }
    return cli_record(&call, j->diag, out_kernel);
}

vta_status cli_build_kernel(const char *path, const char *params, const vta_config *config, bool numbers,
                            vta_diag *diag, cli_kernel_program *out_kernel) {
    *out_kernel = (cli_kernel_program){0};
    job j = {.path = path, .params = params, .config = config, .diag = diag};
    vta_status status = compile(&j);
    if (status == VTA_OK) status = record(&j, numbers, out_kernel);
    vtac_module_destroy(j.module);
    vtac_kernel_destroy(j.kernel);
    return status;
}

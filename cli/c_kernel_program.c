/* A kernel file, built and recorded: the compiler half of kernel_program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_program.h"
#include "vta/build.h"
#include "vta/runtime.h"

/* What a build needs; all of it is freed in one place. */
typedef struct job {
    const char *path, *params;
    const vta_config *config;
    vta_diag *diag;
    cli_kernel_program *out;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function call;
    vta_runtime *runtime;
    vta_array *arrays[CLI_KERNEL_ARGS];
    char file[64]; /* the recording, "" when there is none */
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
        return refuse(j, VTA_UNSUPPORTED, "this kernel is for the processor: it runs nothing on the accelerator");
    vtac_lower_options options = {.config = j->config, .annotate = 1};
    vtac_build_func func = {0};
    status = vtac_kernel_lower(j->kernel, &options, &func.func);
    if (status != VTA_OK) return pass_on(j, status);
    status = vtac_build(1, &func, NULL, j->diag, &j->module);
    if (status != VTA_OK) return status;
    return vtac_module_function(j->module, vtac_kernel_name(j->kernel), j->diag, &j->call);
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

static vta_status make_array(job *j, size_t index) {
    te_tensor *t = vtac_kernel_arg(j->kernel, index);
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    size_t ndim = te_tensor_ndim(t);
    if (ndim > VTA_ARRAY_MAX_DIMS) return refuse(j, VTA_UNSUPPORTED, "a tensor has too many dimensions");
    for (size_t d = 0; d < ndim; d++) shape[d] = te_tensor_dim(t, d);
    vta_status status =
        vta_array_create(kDLExtDev, (int32_t)ndim, shape, dtype_of(te_tensor_dtype(vtac_kernel_context(j->kernel), t)),
                         NULL, j->diag, &j->arrays[index]);
    if (status != VTA_OK) return status;
    uint32_t addr = 0;
    status = vta_buffer_info(vta_array_tensor(j->arrays[index])->data, NULL, &addr);
    if (status != VTA_OK) return refuse(j, status, "an array is no buffer of the runtime");
    j->out->args[index].addr = addr;
    snprintf(j->out->args[index].name, sizeof j->out->args[index].name, "%s", te_tensor_name(t));
    j->out->arg_count = (int)index + 1;
    return VTA_OK;
}

/* Small seeded numbers: a debugger should have something to show. */
static vta_status fill_input(job *j, size_t index) {
    if (vtac_kernel_arg_is_output(j->kernel, index)) return VTA_OK;
    size_t bytes = vta_array_bytes(j->arrays[index]), scalar = vta_array_tensor(j->arrays[index])->dtype.bits / 8;
    uint8_t *values = malloc(bytes ? bytes : 1);
    if (values == NULL) return refuse(j, VTA_NO_MEMORY, "out of memory");
    uint32_t noise = 12345 + (uint32_t)index;
    for (size_t i = 0; i < bytes; i++) {
        bool low = scalar < 2 || i % scalar == 0;
        if (low) noise = noise * 1664525u + 1013904223u;
        int8_t value = (int8_t)((noise >> 24) % 17 - 8);
        values[i] = (uint8_t)(low ? value : value < 0 ? -1 : 0); /* little-endian, sign extended */
    }
    vta_status status = vta_array_write(j->arrays[index], values, bytes, j->diag);
    free(values);
    return status;
}

static vta_status open_recording(job *j) {
    const char *folder = getenv("TMPDIR");
    snprintf(j->file, sizeof j->file, "%.40s/vta-XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(j->file);
    if (fd < 0) {
        j->file[0] = '\0';
        return refuse(j, VTA_IO, "no temporary file can be made for the recording ($TMPDIR)");
    }
    close(fd);
    return vta_runtime_capture(j->runtime, j->file, j->diag);
}

/* Runs the function on a device that computes nothing: its stream is all that is wanted. */
static vta_status record(job *j) {
    vta_status status = vta_runtime_create(j->config, "null", NULL, NULL, j->diag, &j->runtime);
    if (status != VTA_OK) return status;
    vta_runtime_use(j->runtime);
    size_t count = vtac_kernel_args(j->kernel);
    if (count > CLI_KERNEL_ARGS) return refuse(j, VTA_UNSUPPORTED, "the kernel has too many arguments");
    DLTensor *tensors[CLI_KERNEL_ARGS];
    for (size_t i = 0; i < count; i++) {
        status = make_array(j, i);
        if (status == VTA_OK) status = fill_input(j, i);
        if (status != VTA_OK) return status;
        tensors[i] = vta_array_tensor(j->arrays[i]);
    }
    status = open_recording(j);
    if (status == VTA_OK) status = vta_function_call_tensors(j->call, tensors, (int)count, j->diag);
    if (status == VTA_OK) status = vta_runtime_capture(j->runtime, NULL, j->diag);
    if (status == VTA_OK) status = vta_program_load(j->file, NULL, j->diag, &j->out->program);
    return status;
}

static void clean_up(job *j) {
    for (int i = 0; i < CLI_KERNEL_ARGS; i++) vta_array_free(j->arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(j->runtime);
    vtac_module_destroy(j->module);
    vtac_kernel_destroy(j->kernel);
    if (j->file[0]) unlink(j->file);
}

vta_status cli_build_kernel(const char *path, const char *params, const vta_config *config, vta_diag *diag,
                            cli_kernel_program *out_kernel) {
    *out_kernel = (cli_kernel_program){0};
    job j = {.path = path, .params = params, .config = config, .diag = diag, .out = out_kernel};
    vta_status status = compile(&j);
    if (status == VTA_OK) status = record(&j);
    clean_up(&j);
    return status;
}

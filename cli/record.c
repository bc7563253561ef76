/* One call of a compiled function, recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_program.h"
#include "vta/runtime.h"

/* What a recording needs; all of it is freed in one place. */
typedef struct job {
    const cli_call *call;
    vta_diag *diag;
    cli_kernel_program *out;
    vta_runtime *runtime;
    vta_array *arrays[CLI_KERNEL_ARGS];
} job;

static vta_status refuse(job *j, vta_status status, const char *message) {
    vta_diag_add(j->diag, VTA_ERROR, status, message);
    return status;
}

static vta_status make_array(job *j, size_t index) {
    const vta_signature_arg *a = &j->call->args[index];
    vta_status status = vta_array_create(kDLExtDev, a->ndim, a->shape, a->dtype, NULL, j->diag, &j->arrays[index]);
    if (status != VTA_OK) return status;
    uint32_t addr = 0;
    status = vta_buffer_info(vta_array_tensor(j->arrays[index])->data, NULL, &addr);
    if (status != VTA_OK) return refuse(j, status, "an array is not a buffer of the runtime");
    j->out->args[index].addr = addr;
    snprintf(j->out->args[index].name, sizeof j->out->args[index].name, "%s", a->name);
    j->out->arg_count = (int)index + 1;
    return VTA_OK;
}

/* Small seeded numbers: a debugger should have something to show. */
static vta_status fill_input(job *j, size_t index) {
    if (!j->call->numbers || j->call->args[index].is_output) return VTA_OK;
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

/* Runs the function on a device that computes nothing: its stream is all that is wanted. */
static vta_status record(job *j) {
    vta_status status = vta_runtime_create(j->call->config, "null", NULL, NULL, j->diag, &j->runtime);
    if (status != VTA_OK) return status;
    vta_runtime_use(j->runtime);
    size_t count = j->call->count;
    if (count > CLI_KERNEL_ARGS) return refuse(j, VTA_UNSUPPORTED, "the kernel has too many arguments");
    DLTensor *tensors[CLI_KERNEL_ARGS];
    for (size_t i = 0; i < count; i++) {
        status = make_array(j, i);
        if (status == VTA_OK) status = fill_input(j, i);
        if (status != VTA_OK) return status;
        tensors[i] = vta_array_tensor(j->arrays[i]);
    }
    status = vta_runtime_record(j->runtime, j->diag);
    if (status == VTA_OK) status = vta_function_call_tensors(j->call->function, tensors, (int)count, j->diag);
    if (status == VTA_OK) status = vta_runtime_recorded(j->runtime, 0, j->diag, &j->out->program, NULL, NULL);
    if (status == VTA_OK && !j->out->program)
        return refuse(j, VTA_UNSUPPORTED, "the kernel runs nothing on the accelerator");
    return status;
}

vta_status cli_record(const cli_call *call, vta_diag *diag, cli_kernel_program *out_kernel) {
    *out_kernel = (cli_kernel_program){0};
    job j = {.call = call, .diag = diag, .out = out_kernel};
    vta_status status = record(&j);
    for (int i = 0; i < CLI_KERNEL_ARGS; i++) vta_array_free(j.arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(j.runtime);
    return status;
}

#include "kernel_program.h"

#include <stdio.h>
#include <string.h>

bool cli_is_kernel(const char *path) {
    size_t size = strlen(path);
    return size > 3 && strcmp(path + size - 3, ".te") == 0;
}

const char *cli_kernel_tensor(const cli_kernel_program *kernel, uint32_t addr) {
    for (int i = 0; kernel && i < kernel->arg_count; i++)
        if (kernel->args[i].addr == addr) return kernel->args[i].name;
    return NULL;
}

#ifndef VT_COMPILER
vta_status cli_build_kernel(const char *path, const char *params, const vta_config *config, bool numbers,
                            vta_diag *diag, cli_kernel_program *out_kernel) {
    (void)params;
    (void)config;
    (void)numbers;
    *out_kernel = (cli_kernel_program){0};
    char message[512];
    snprintf(message, sizeof message, "%s: this tool was built without the compiler; give it a captured program", path);
    vta_diag_add(diag, VTA_ERROR, VTA_UNSUPPORTED, message);
    return VTA_UNSUPPORTED;
}
#endif
